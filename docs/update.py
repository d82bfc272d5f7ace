"""Brings figures and tables of verdicts up to date with report/ and comparison/, which `make paper` and `make compare` make: `make docs`."""

import json
import re
import shutil
from pathlib import Path

root = Path(__file__).parents[1]


def show_verdicts(report: str, says: str, document: str) -> None:
    """Put a report's claims and verdicts into a document, between its marks."""
    claims = json.loads((root / report / "claims.json").read_text())
    rows = [f"| {claim['id']} | {claim['statement']} | {claim['verdict']} | {claim['evidence']['summary']} |" for claim in claims]
    table = "\n".join([f"| claim | {says} | verdict | because |", "|---|---|---|---|", *rows])
    text = (root / document).read_text()
    text = re.sub(r"(<!-- verdicts -->\n).*?(<!-- end -->)", lambda match: f"{match[1]}{table}\n{match[2]}", text, flags=re.DOTALL)
    (root / document).write_text(text)


show_verdicts("report", "the paper says", "README.md")
shutil.copy(root / "report/figures/2b.svg", root / "docs/experiment-2b.svg")
show_verdicts("comparison", "we claim", "docs/comparison.md")
for figure in ("3-along-0.3-1.1", "worlds-earn-along", "1", "4-tables"):
    shutil.copy(root / f"comparison/figures/{figure}.svg", root / f"docs/comparison-{figure}.svg")
