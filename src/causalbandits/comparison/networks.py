"""Published networks, with a reward far downstream: every policy that takes these problems.

The networks are the .bif.gz files of the pgmpy 1.0.0 wheel, which is not imported. Where it is not installed, nothing
is run, and the claims say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ..files import read_bif
from ..policies.registry import policy_named
from ..problem import Problem
from ..studies.claims import Claim, Every
from ..studies.contrasts import Contrast, Curve, Lowest, OutOfReach
from ..studies.formatting import short
from ..studies.study import SHARE_LOST, SIMPLE_REGRET, Axis, Data, Figure, Measure, Panel, Part, Study
from ..world import World
from .factors import Cell


@dataclass(frozen=True)
class Network:
    """A network, its reward, and how often every policy is run in it."""

    name: str
    reward: str
    success: str
    runs: int

    @property
    def study(self) -> str:
        return f"networks-{self.name}"


NETWORKS = [
    Network("asia", "dysp", "yes", runs=400),
    Network("sachs", "Akt", "HIGH", runs=400),
    Network("child", "LowerBodyO2", "12+", runs=300),
    Network("insurance", "PropCost", "Thousand", runs=30),  # a run of factor-find takes half a second
    Network("alarm", "BP", "NORMAL", runs=100),
]
CELLS = [Cell(cost, budget) for cost in (1, 5) for budget in (500, 5000)]
# All that take these problems. The others need P(parents), or arms that watching can teach about.
KINDS = (
    "factor-ucb",
    "factor-find",
    "causal-kl",
    "causal-ts",
    "causal-ucb-learned",
    "top-two",
    "kl-ucb",
    "crm-nb",
    "f-kube",
    "gamma-nb",
    "kube",
    "nb-costs",
    "pb",
    "successive-rejects",
    "thompson",
    "ucb",
)
DRAWN = KINDS[:6]  # in both panels, which share one legend
NOTHING = {SHARE_LOST: 0.005, SIMPLE_REGRET: 0.002}  # means up to this count as equal
MISSING = (
    "the networks were not run, because pgmpy 1.0.0, whose wheel has them, is not installed; "
    "pip install --no-deps pgmpy==1.0.0"
)


def folder() -> Path | None:
    """The folder of the networks. None if the wheel is not installed, or is a later one, which has none."""
    package = find_spec("pgmpy")
    if package is None or package.origin is None:
        return None
    place = Path(package.origin).parent / "utils/example_models"
    return place if all((place / f"{network.name}.bif.gz").exists() for network in NETWORKS) else None


@cache
def world_of(network: Network) -> World:
    place = folder()
    assert place is not None, "without networks there is no study"
    nodes = read_bif(place / f"{network.name}.bif.gz").nodes
    return World(nodes, reward=network.reward, success=network.success)


def arms(network: Network) -> list[dict[str, str]]:
    """Every value of every variable from which a path leads to the reward."""
    graph = world_of(network).graph
    causes: set[str] = set()
    new = set(graph[network.reward].parents)
    while new:
        causes |= new
        new = {parent for name in new for parent in graph[name].parents} - causes
    return [{v.name: value} for v in graph.variables if v.name in causes for value in v.values]


def setting(network: Network, number: float) -> tuple[World, Problem]:
    world, cell = world_of(network), CELLS[int(number) - 1]
    return world, world.problem(budget=cell.budget, cost=cell.cost, arms=arms(network))


def study_of(network: Network) -> Study:
    return Study(
        network.study,
        Axis("cell", "cost and budget"),
        range(1, len(CELLS) + 1),
        lambda number: setting(network, number),
        [policy_named(kind)(name=kind) for kind in KINDS],
        runs=network.runs,
        measures=list(NOTHING),
        value_name=lambda number: f"{network.name}, {CELLS[int(number) - 1].name}",
    )


def figure_of(network: Network) -> Figure:
    numbered = "; ".join(f"{i}: {cell.name}" for i, cell in enumerate(CELLS, 1))
    ticks = [str(i + 1) for i in range(len(CELLS))]
    return Figure(
        network.study,
        f"{network.name}, with the reward {network.reward} = {network.success}. "
        f"Above: regret divided by the best possible reward. Below: simple regret. {numbered}.",
        [Panel(network.study, measure.name, curves=DRAWN, ticks=ticks) for measure in NOTHING],
    )


def lowest(kind: str, measure: Measure, is_installed: bool) -> Sequence[Contrast]:
    """A policy has the lowest mean of all, in every network and cell."""
    if not is_installed:
        return [OutOfReach("on the published networks", lambda: MISSING)]
    others = [other for other in KINDS if other != kind]
    return [
        Lowest(
            Curve(network.study, kind, measure.name),
            [Curve(network.study, other, measure.name) for other in others],
            NOTHING[measure],
        )
        for network in NETWORKS
    ]


def describe(data: Data) -> list[str]:
    """The means of the best policies in every network and cell."""
    paragraphs = []
    for network in NETWORKS:
        if network.study not in data:
            continue
        curves = data[network.study]
        world, problem = setting(network, 1)
        sentences = []
        for measure in NOTHING:
            cells = []
            for i, cell in enumerate(CELLS):
                means = {kind: float(curves.means(kind, measure.name)[i]) for kind in KINDS}
                cells.append(f"{cell.name}: {best_of(means)}")
            sentences.append(f"{measure.label[0].upper()}{measure.label[1:]}, the best five. {'; '.join(cells)}.")
        paragraphs.append(
            f"{network.name} has {len(world.graph.variables)} variables, and {len(problem.arms)} arms with the "
            f"observation. {' '.join(sentences)}"
        )
    return paragraphs or [f"{MISSING[0].upper()}{MISSING[1:]}."]


def best_of(means: Mapping[str, float]) -> str:
    ranked = sorted(means, key=lambda kind: means[kind])[:5]
    return ", ".join(f"{kind} {short(means[kind], 3)}" for kind in ranked)


def part(is_installed: bool) -> Part:
    """All networks. Without them there is nothing to run, and the claims are not testable."""
    cells = f"costs 1 and 5, budgets {CELLS[0].budget:,} and {CELLS[1].budget:,}"
    return Part(
        id="networks",
        title="Published networks",
        question="Is it also true in networks that others have published, with up to 64 interventions?",
        studies=[study_of(network) for network in NETWORKS] if is_installed else [],
        figures=[figure_of(network) for network in NETWORKS] if is_installed else [],
        describe=describe,
        claims=[
            Claim(
                "N1",
                f"In {', '.join(network.name for network in NETWORKS)} ({cells}, nothing revealed) factor-ucb has the "
                f"lowest mean regret of all {len(KINDS)} policies that take these problems. Regrets up to "
                f"{NOTHING[SHARE_LOST]:g} of the best possible reward count as equal.",
                Every(lowest("factor-ucb", SHARE_LOST, is_installed)),
            ),
            Claim(
                "N2",
                "There factor-find has the lowest mean simple regret. Simple regrets up to "
                f"{NOTHING[SIMPLE_REGRET]:g} count as equal.",
                Every(lowest("factor-find", SIMPLE_REGRET, is_installed)),
            ),
        ],
    )


PUBLISHED = part(folder() is not None)
