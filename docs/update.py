"""Brings the README's figure and table of verdicts up to date with report/, which `make paper` makes: `make docs`."""

import json
import re
import shutil
from pathlib import Path

root = Path(__file__).parents[1]
claims = json.loads((root / "report/claims.json").read_text())
rows = [f"| {claim['id']} | {claim['statement']} | {claim['verdict']} | {claim['evidence']['summary']} |" for claim in claims]
table = "\n".join(["| claim | the paper says | verdict | because |", "|---|---|---|---|", *rows])
readme = (root / "README.md").read_text()
readme = re.sub(r"(<!-- verdicts -->\n).*?(<!-- end -->)", lambda match: f"{match[1]}{table}\n{match[2]}", readme, flags=re.DOTALL)
(root / "README.md").write_text(readme)
shutil.copy(root / "report/figures/2b.svg", root / "docs/experiment-2b.svg")
