"""Bring the tables and figures of the documents up to date: `make docs`.

The table of policies comes from the registry, the table of rooms from tests/test_rooms.py, the tables of keys from
files/toml/keys.py. Verdicts and figures come
from report/ and comparison/, which `make paper` and `make compare` write. Without such a folder, its tables stay.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FIGURES = (
    "3-along-0.3-1.1",
    "worlds-earn-along",
    "1",
    "4-tables",
    "factors-earn-0-1-3000",
)  # those of the comparison that docs/comparison.md shows


LAST = {"money": "30000"}  # the largest budget


def verdicts(report: Path, says: str) -> str:
    """A report's claims with their verdicts."""
    claims = json.loads((report / "claims.json").read_text())
    rows = [" | ".join(["", *(_cell(text) for text in _row(claim)), ""]).strip() for claim in claims]
    return "\n".join([f"| claim | {says} | verdict | because |", "|---|---|---|---|", *rows])


def _row(claim: Mapping[str, Any]) -> tuple[str, ...]:
    return claim["id"], claim["statement"], claim["verdict"], claim["evidence"]["summary"]


def _cell(text: str) -> str:
    """A text in a table, where | separates cells."""
    return text.replace("|", "\\|")


# What a row is about, the studies that it averages, our policies, the form of its numbers, and columns of its data
Row = tuple[str, Sequence[str], Sequence[str], str, Mapping[str, str]]
EARNERS, FINDERS = ("causal-kl", "factor-ucb"), ("top-two", "factor-find")
PAPERS_ROWS: list[Row] = [
    ("earn: regret in Experiment 3, ε = 0.3, γ = 1.1, budget 30,000", ["3-along-0.3-1.1"], EARNERS, ",.0f", LAST),
    ("earn: share of the best possible reward lost, 100 random worlds", ["worlds-earn"], EARNERS, ".1%", {}),
    ("find: simple regret in Experiment 1, p = 0.06", ["1"], FINDERS, ".3f", {"p": "0.06"}),
    ("find: simple regret, 100 random worlds", ["worlds-find"], FINDERS, ".3f", {}),
    ("general graphs: regret, 200 random tables, P(parents) known", ["4-tables"], ["causal-ucb"], ".1f", {}),
]
FAIR_ROWS: list[Row] = [
    ("earn: Experiment 3, ε = 0.3, γ = 1.1, budget 10,000", ["fair-3-0.3"], EARNERS, ",.0f", {"gamma": "1.1"}),
    ("earn: the same, γ = 1.5", ["fair-3-0.3"], EARNERS, ",.0f", {"gamma": "1.5"}),
    ("earn: 100 random worlds", ["fair-worlds"], EARNERS, ".1%", {}),
    ("find: 100 random worlds", ["fair-find"], FINDERS, ".3f", {}),
    ("general graphs: 200 random tables", ["fair-tables"], ["causal-ucb"], ".1f", {}),
]
PUBLISHED = [f"networks-{name}" for name in ("asia", "sachs", "child", "insurance", "alarm")]


def _cells(part: str, hidden: int) -> list[str]:
    """The studies of both costs and both budgets, in the worlds with so many hidden variables."""
    return [f"{part}-{hidden}-{cost}-{budget}" for cost in (1, 3) for budget in (300, 3000)]


UNREVEALED_ROWS: list[Row] = [
    ("earn: 100 random worlds with backdoor paths", _cells("factors-earn", 0), ["factor-ucb"], ".1%", {}),
    ("earn: the same, 1 of 8 variables hidden", _cells("factors-earn", 1), ["factor-ucb"], ".1%", {}),
    ("earn: the same, 2 of 8 variables hidden", _cells("factors-earn", 2), ["factor-ucb"], ".1%", {}),
    ("earn: 5 published networks", PUBLISHED, ["factor-ucb"], ".1%", {"measure": "share_lost"}),
    ("earn: regret, 200 random tables", ["4-tables-unrevealed"], ["factor-ucb"], ".1f", {}),
    ("find: 100 random worlds with backdoor paths", _cells("factors-find", 0), ["factor-find"], ".4f", {}),
    ("find: the same, 1 of 8 variables hidden", _cells("factors-find", 1), ["factor-find"], ".4f", {}),
    ("find: the same, 2 of 8 variables hidden", _cells("factors-find", 2), ["factor-find"], ".4f", {}),
    ("find: 5 published networks", PUBLISHED, ["factor-find"], ".4f", {"measure": "simple_regret"}),
]


def summary(comparison: Path) -> str:
    """One row for each purpose of our policies: the best of the others, and ours.

    The rows of the fair comparison have every other policy, also with the constant that suits it best. The rows where
    nothing is revealed have our older policies among the others.
    """
    papers = {"CRM-NB-ALG (2)", "F-KUBE (2)", "OBS-ALG", "PB-ALG", "γ-NB-ALG", "C-UCB", "C-UCB-2"}
    ours = _our_kinds()
    groups: dict[str, tuple[Callable[[str], bool], list[Row]]] = {
        "": (lambda curve: curve in papers, PAPERS_ROWS),
        "**all baselines, also with their best constants**": (
            lambda curve: curve.partition(",")[0] not in ours,
            FAIR_ROWS,
        ),
        "**nothing revealed, against all other policies, also ours**": (
            lambda curve: True,
            UNREVEALED_ROWS,
        ),
    }
    lines = ["| | the best of the paper's | ours |", "|---|---|---|"]
    for title, (is_other, rows) in groups.items():
        lines += [f"| {title} | | |"] if title else []
        for what, studies, policies, form, at in rows:
            found = _means(comparison, studies, at)
            if not found:  # the networks are not installed
                continue
            others = {curve: mean for curve, mean in found.items() if is_other(curve) and curve not in policies}
            best = min(others, key=lambda curve: others[curve])
            best_of_ours = ", ".join(f"{found[policy]:{form}} (`{policy}`)" for policy in policies)
            lines.append(f"| {what} | {others[best]:{form}} ({best}) | {best_of_ours} |")
    return "\n".join(lines)


def _means(comparison: Path, studies: Sequence[str], at: Mapping[str, str]) -> dict[str, float]:
    """The mean of every curve over all rows of some studies. Empty if the networks are wanted and were not run."""
    found: dict[str, list[float]] = {}
    for path in (comparison / "data" / f"{study}.csv" for study in studies):
        if path.stem in PUBLISHED and not path.exists():
            return {}
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if at.items() <= row.items():
                    found.setdefault(row["curve"], []).append(float(row["mean"]))
    return {curve: sum(values) / len(values) for curve, values in found.items()}


def _our_kinds() -> set[str]:
    """The policies that began in this library."""
    from causalbandits.policies import REGISTRY

    return {kind for kind, policy in REGISTRY.items() if policy.paper.startswith("this library")}


def stress_tables(runs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What the adversary found in the runs of docs/stress.json: a row per run, and a row per finding.

    Older runs have no losses in the mirror image.
    """
    from causalbandits.adversary.recipe import Recipe
    from causalbandits.adversary.report import world_text

    rows = [
        "| policy | objective | seconds | worlds | findings | worst: loss | rival's |",
        "|---|---|---|---|---|---|---|",
    ]
    found = [
        "| policy | loses | mirror | rival | loses | mirror | exponents | world |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        cases = [case for case in run["cases"] if case["verdict"] == "finding"]
        shown = [f"{case[side]['mean']:.3f}" for case in (cases or run["cases"])[:1] for side in ("loss", "rival_loss")]
        name = f"| `{run['policy']}` | {run['objective']} | {run['seconds']} | {run['evaluations']} | {run['findings']}"
        rows.append(f"{name} | {' | '.join(shown or ['-', '-'])} |")
        for case in cases:
            growth = [f"{case[side]:.2f}" if case[side] is not None else "-" for side in ("growth", "rival_growth")]
            loss, rival_loss = (
                f"{case[side]['mean']:.{digits}f} | "
                + (f"{case[f'{mirror}loss']['mean']:.{digits}f}" if f"{mirror}loss" in case else "-")
                for side, mirror, digits in (("loss", "mirror_", 3), ("rival_loss", "rival_mirror_", 4))
            )
            found.append(
                f"| `{run['policy']}`, {run['objective']} | {loss} | `{case['rival']}` | "
                f"{rival_loss} | {' / '.join(growth)} | {world_text(Recipe(**case['recipe']))} |"
            )
    return {"runs": "\n".join(rows), "findings": "\n".join(found)}


def cap_table(report: Path) -> str:
    """The regret of CRM-NB-ALG with and without the cap of line 13, over the cost and the budget."""
    from causalbandits.papers.nair2021.cumulative_regret import CAP, CAP_SETTINGS

    names = [policy.label for policy in CAP.studies[0].policies]
    lines = [f"| ε | B | γ | d_0 | {' | '.join(names)} |", f"|---|---|---|---|{'---|' * len(names)}"]
    for id, (epsilon, budget) in CAP_SETTINGS.items():
        with open(report / "data" / f"{id}.csv", newline="") as file:
            means = {(float(row["gamma"]), row["curve"]): float(row["mean"]) for row in csv.DictReader(file)}
        for gamma in CAP.studies[0].values:
            regrets = " | ".join(f"{means[gamma, name]:,.0f}" for name in names)
            gap = (0.5 + epsilon) / gamma - 0.5
            lines.append(f"| {epsilon:g} | {budget:,} | {gamma:g} | {max(gap, 0):.2g} | {regrets} |")
    return "\n".join(lines)


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


def policy_table() -> str:
    """All policies of the package, those that began here first. A policy with a page of its own links to it."""
    from causalbandits.policies import REGISTRY

    ours = {kind: policy for kind, policy in REGISTRY.items() if policy.__module__.startswith("causalbandits.")}
    rows = []
    for kind, policy in sorted(ours.items(), key=lambda item: (not item[1].paper.startswith("this library"), item[0])):
        page = f"policies/{kind}.md"
        name = f"[`{kind}`]({page})" if (DOCS / page).exists() else f"`{kind}`"
        rows.append(f"| {name} | `{policy.__name__}` | {policy.goal} | {policy.paper} |")
    return "\n".join(["| name | class | goal | comes from |", "|---|---|---|---|", *rows])


def keys(section: Iterable[tuple[str, ...]]) -> str:
    """Keys of a problem file."""
    from causalbandits.files.toml.keys import COLUMNS

    rows = [f"| `{name}` | {_code(example)} | {meaning} | {without} |" for name, example, meaning, without in section]
    return "\n".join([f"| {' | '.join(COLUMNS)} |", "|---|---|---|---|", *rows])


def _code(example: str) -> str:
    """An example as code, unless it is a word for something longer."""
    return example if example.endswith(("section", "sections")) else f"`{example}`"


def key_tables() -> dict[str, str]:
    """The three tables of docs/problem-files.md."""
    from causalbandits.files.toml.keys import FILE, VARIABLE, WORLD

    return {"file": keys(FILE), "variable": keys(VARIABLE), "world": keys(WORLD)}


def rooms() -> str:
    """Who may import whom, as the test of imports holds it."""
    sys.path.insert(0, str(ROOT))
    from tests.test_rooms import ALSO, MAY

    def listed(names: Iterable[str]) -> str:
        return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"

    rows = [f"| `{room}` | {listed(allowed)} |" for room, allowed in MAY.items()]
    rows += [f"| `{file}` alone | also {listed(allowed)} |" for file, allowed in ALSO.items()]
    return "\n".join(["| room | may import |", "|---|---|", *rows, "| `cli` | everything |"])


def documents(report: Path, comparison: Path) -> Iterable[tuple[Path, str]]:
    """The documents as they should be. Tables whose report is missing stay as they are."""
    blocks: dict[str, dict[str, str]] = {
        "policies.md": {"policies": policy_table()},
        "architecture.md": {"rooms": rooms()},
        "problem-files.md": key_tables(),
        "stress.md": stress_tables(json.loads((DOCS / "stress.json").read_text())),
    }
    if report.exists():
        blocks["theory/cap.md"] = {"cap": cap_table(report)}
        blocks["paper.md"] = {"verdicts": verdicts(report, "statement")}
    if comparison.exists():
        blocks["comparison.md"] = {"summary": summary(comparison), "verdicts": verdicts(comparison, "we claim")}
    for name, parts in blocks.items():
        yield DOCS / name, put((DOCS / name).read_text(), parts)


def copy_figures(report: Path, comparison: Path) -> None:
    """Copy the figures that the documents show."""
    if report.exists():
        shutil.copy(report / "figures/2b.svg", DOCS / "experiment-2b.svg")
    if comparison.exists():
        for figure in FIGURES:
            shutil.copy(comparison / f"figures/{figure}.svg", DOCS / f"comparison-{figure}.svg")


if __name__ == "__main__":
    for path, text in documents(ROOT / "report", ROOT / "comparison"):
        path.write_text(text)
    copy_figures(ROOT / "report", ROOT / "comparison")
