"""Brings figures and tables of the documents up to date with report/ and comparison/, which `make paper` and `make compare` make: `make docs`."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIGURES = ("3-along-0.3-1.1", "worlds-earn-along", "1", "4-tables")  # of the comparison, shown in docs/comparison.md


def verdicts(report: Path, says: str) -> str:
    """A report's claims with their verdicts."""
    claims = json.loads((report / "claims.json").read_text())
    rows = [
        f"| {claim['id']} | {claim['statement']} | {claim['verdict']} | {claim['evidence']['summary']} |"
        for claim in claims
    ]
    return "\n".join([f"| claim | {says} | verdict | because |", "|---|---|---|---|", *rows])


def summary(comparison: Path) -> str:
    """A line for each of what our policies are for: theirs against ours."""

    def mean(study: str, curve: str, **at: str) -> float:
        with open(comparison / "data" / f"{study}.csv", newline="") as file:
            chosen = [
                float(row["mean"])
                for row in csv.DictReader(file)
                if row["curve"] == curve and at.items() <= row.items()
            ]
        return sum(chosen) / len(chosen)

    earn, find = ["CRM-NB-ALG (2)", "F-KUBE (2)"], ["OBS-ALG", "PB-ALG", "γ-NB-ALG"]
    rows = [
        (
            "earn: regret in Experiment 3, ε = 0.3, γ = 1.1, budget 30,000",
            "3-along-0.3-1.1",
            earn,
            "causal-kl",
            ",.0f",
            {"money": "30000"},
        ),
        (
            "earn: share of the best possible reward lost, 100 random worlds",
            "worlds-earn",
            earn,
            "causal-kl",
            ".1%",
            {},
        ),
        ("find: simple regret in Experiment 1, p = 0.06", "1", find, "top-two", ".3f", {"p": "0.06"}),
        ("find: simple regret, 100 random worlds", "worlds-find", find, "top-two", ".3f", {}),
        (
            "general graphs: regret, 200 random tables, P(parents) known",
            "4-tables",
            ["C-UCB", "C-UCB-2"],
            "causal-ucb",
            ".1f",
            {},
        ),
    ]
    told = []
    for what, study, theirs, ours, form, at in rows:
        best, name = min((mean(study, curve, **at), curve) for curve in theirs)
        told.append(f"| {what} | {best:{form}} ({name}) | {mean(study, ours, **at):{form}} (`{ours}`) |")
    return "\n".join(["| | the best of the paper's | ours |", "|---|---|---|", *told])


def put(document: str, parts: Mapping[str, str]) -> str:
    """A document with texts between its marks <!-- name --> and <!-- end -->."""
    for name, text in parts.items():
        document = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda match, text=text: f"{match[1]}{text}\n{match[2]}",
            document,
            flags=re.DOTALL,
        )
    return document


def documents(report: Path, comparison: Path) -> Iterable[tuple[Path, str]]:
    """The documents as they are to be."""
    readme, compared = ROOT / "README.md", ROOT / "docs" / "comparison.md"
    yield (
        readme,
        put(readme.read_text(), {"verdicts": verdicts(report, "the paper says"), "comparison": summary(comparison)}),
    )
    yield compared, put(compared.read_text(), {"verdicts": verdicts(comparison, "we claim")})


if __name__ == "__main__":
    for path, text in documents(ROOT / "report", ROOT / "comparison"):
        path.write_text(text)
    shutil.copy(ROOT / "report/figures/2b.svg", ROOT / "docs/experiment-2b.svg")
    for figure in FIGURES:
        shutil.copy(ROOT / f"comparison/figures/{figure}.svg", ROOT / f"docs/comparison-{figure}.svg")
