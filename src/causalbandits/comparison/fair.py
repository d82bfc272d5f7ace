"""A fair comparison: every policy also with the constant that suits it best, and the strongest plain baselines.

The constants were chosen on other worlds, with the same effort for all: `python -m benchmarks.tuning`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..papers.nair2021 import general_graphs as nair2021
from ..papers.nair2021 import simple_regret
from ..papers.nair2021.settings import C_UCB, GAMMA, GAMMA_NB, OBS, setting_3
from ..policies.contract import Policy
from ..policies.kl_ucb import KLUCB
from ..policies.thompson import ThompsonSampling
from ..studies.claims import Claim, Every, Within
from ..studies.contrasts import AtWorst, Better, Curve, OnAverage
from ..studies.formatting import short
from ..studies.study import CUMULATIVE_REGRET, SHARE_LOST, SIMPLE_REGRET, Data, Figure, Panel, Part, Study
from .earn import (
    CAUSAL_KL,
    CAUSAL_TS,
    CAUSAL_UCB_LEARNED,
    CRM,
    EPSILONS,
    F_KUBE,
    FACTOR_UCB,
    GAMMAS_3,
    LOW_COSTS,
    MEDIUM_COSTS,
    OURS,
    PLAIN_UCB,
    SMALL_BUDGET,
)
from .find import FACTOR_FIND, GRIDS, TOP_TWO
from .general import CAUSAL_UCB
from .tuned import tuned
from .worlds import AXIS, NUMBERS, random_world

KL_UCB = KLUCB(name="KL-UCB")
THOMPSON = ThompsonSampling(name="Thompson")
MARGIN = 1.1  # "not worse" means: by less than a tenth ...
SMALL_LOSS = 2.0  # ... or by less than so much regret
NAMES = {"crm-nb": "CRM-NB-ALG", "f-kube": "F-KUBE", "ucb": "UCB", "kl-ucb": "KL-UCB", "thompson": "Thompson"}


def baselines(family: str) -> list[Policy]:
    """The baselines for earning, with the constants that are best on the training worlds of a family."""
    return [tuned(kind, family, name) for kind, name in NAMES.items()]


def ours(family: str) -> list[Policy]:
    """Our policies with the constants that are best there."""
    kinds = ["causal-kl", "causal-ts", *(["causal-ucb-learned"] if family == "random" else [])]
    return [tuned(kind, family, kind) for kind in kinds]


IN_3, IN_RANDOM = baselines("experiment-3"), baselines("random")
# The figures show the best of the baselines. More curves could not be told apart.
PLAIN = [KL_UCB.label, THOMPSON.label]
OURS_DRAWN_3 = [policy.label for policy in (CAUSAL_KL, CAUSAL_TS, FACTOR_UCB)]
DRAWN_3, DRAWN_RANDOM = [policy.label for policy in IN_3[:2]], [IN_RANDOM[0].label]
TUNED_C_UCB, TUNED_CAUSAL_UCB = tuned("c-ucb", "tables", "C-UCB"), tuned("causal-ucb", "tables", "causal-ucb")
TUNED_GAMMA_NB = tuned("gamma-nb", "random-find", "γ-NB-ALG")
FINDERS = [OBS, GAMMA_NB, tuned("gamma-nb", "experiments-1-2", "γ-NB-ALG"), TOP_TWO, FACTOR_FIND]


def study_3(epsilon: float) -> Study:
    """Experiment 3 at the small budget, with the cost of an intervention as the axis."""
    return Study(
        f"fair-3-{epsilon:g}",
        GAMMA,
        GAMMAS_3,
        lambda gamma: setting_3(SMALL_BUDGET, epsilon, gamma),
        [CRM, F_KUBE, KL_UCB, THOMPSON, CAUSAL_KL, CAUSAL_TS, FACTOR_UCB, *IN_3, *ours("experiment-3")],
        runs=100,
        measures=[CUMULATIVE_REGRET],
        value_name=lambda gamma: f"ε = {epsilon:g}, γ = {gamma:g}",
    )


def is_close(gamma: float) -> bool:
    """Where interventions are best, or nearly so. Where watching is best, causal-kl loses next to nothing."""
    return gamma in (*LOW_COSTS, *MEDIUM_COSTS)


def curve_3(policy: Policy, epsilon: float) -> Curve:
    return Curve(f"fair-3-{epsilon:g}", policy.label)


def describe(data: Data) -> list[str]:
    paragraphs = []
    for study in (f"fair-3-{epsilon:g}" for epsilon in EPSILONS):
        curves = data[study]
        regrets = "; ".join(
            f"{label}: " + ", ".join(short(mean, 3) for mean in curves.means(label))
            for label in curves.samples["cumulative_regret"]
        )
        gammas = ", ".join(f"{gamma:g}" for gamma in GAMMAS_3)
        paragraphs.append(
            f"Mean regrets in Experiment 3 at ε = {study[7:]}, B = {SMALL_BUDGET:,}, γ = {gammas}. {regrets}."
        )
    for study, title in (
        ("fair-worlds", "Regret per unit of the best reward in the random worlds"),
        ("fair-tables", "Regret on the random tables"),
        ("fair-1", "Simple regret in Experiment 1, over its points"),
        ("fair-2a", "Simple regret in Experiment 2a, over its points"),
        ("fair-find", "Simple regret in the random worlds"),
    ):
        curves = data[study]
        means = {label: curves.means(label) for label in curves.samples[curves.study.measures[0].name]}
        ranked = sorted(means.items(), key=lambda item: float(np.mean(item[1])))
        regrets = "; ".join(f"{label}: mean {short(m.mean(), 3)}, worst {short(m.max(), 3)}" for label, m in ranked)
        paragraphs.append(f"{title}, the best first. {regrets}.")
    return paragraphs


FAIR = Part(
    id="fair",
    title="A fair comparison",
    question="What is left of the advantage if every baseline has its best constant?",
    studies=[
        *(study_3(epsilon) for epsilon in EPSILONS),
        Study(
            "fair-worlds",
            AXIS,
            NUMBERS,
            random_world,
            [CRM, F_KUBE, PLAIN_UCB, KL_UCB, THOMPSON, *OURS, *IN_RANDOM, *ours("random")],
            runs=20,
            measures=[SHARE_LOST],
            rank=True,
        ),
        replace(
            nair2021.FOUR_TABLES.studies[0],
            id="fair-tables",
            policies=[C_UCB, TUNED_C_UCB, CAUSAL_UCB, TUNED_CAUSAL_UCB],
            measures=[CUMULATIVE_REGRET],
        ),
        *(
            replace(
                setting, id=f"fair-{name}", values=GRIDS[name], policies=FINDERS, runs=500, measures=[SIMPLE_REGRET]
            )
            for name, setting in (("1", simple_regret.STUDY_1), ("2a", simple_regret.STUDY_2A))
        ),
        Study(
            "fair-find",
            AXIS,
            NUMBERS,
            random_world,
            [OBS, GAMMA_NB, TUNED_GAMMA_NB, TOP_TWO, FACTOR_FIND],
            runs=100,
            measures=[SIMPLE_REGRET],
            rank=True,
        ),
    ],
    figures=[
        *(
            Figure(
                f"fair-3-{epsilon:g}",
                f"Cumulative regret in Experiment 3, ε = {epsilon:g}, B = {SMALL_BUDGET:,}, by the cost of an "
                "intervention. In brackets: the constant that is best on other worlds of this kind.",
                [Panel(f"fair-3-{epsilon:g}", curves=[*PLAIN, *OURS_DRAWN_3, *DRAWN_3])],
            )
            for epsilon in EPSILONS
        ),
        Figure(
            "fair-worlds",
            f"Regret divided by the best possible reward in {len(NUMBERS)} random no-backdoor worlds. "
            "For each policy the worlds are sorted by its regret.",
            [Panel("fair-worlds", curves=[*PLAIN, *(policy.label for policy in OURS), *DRAWN_RANDOM], log="y")],
        ),
    ],
    describe=describe,
    claims=[
        Claim(
            "T1",
            f"In Experiment 3, at costs up to 1.5, causal-kl loses at most {MARGIN:g} times what CRM-NB-ALG or F-KUBE "
            f"lose with their best constants, give or take {SMALL_LOSS:g}.",
            Within(
                [
                    Better(curve_3(CAUSAL_KL, epsilon), curve_3(other, epsilon), MARGIN, is_close, slack=SMALL_LOSS)
                    for epsilon in EPSILONS
                    for other in IN_3[:2]
                ]
            ),
        ),
        Claim(
            "T2",
            "The same against KL-UCB, which has causal-kl's index and no rule for watching.",
            Within(
                [
                    Better(curve_3(CAUSAL_KL, epsilon), curve_3(KL_UCB, epsilon), MARGIN, is_close, slack=SMALL_LOSS)
                    for epsilon in EPSILONS
                ]
            ),
        ),
        Claim(
            "T3",
            "On average over the random worlds causal-kl has a lower regret than every baseline with its best "
            "constant.",
            Every(
                [
                    OnAverage(Curve("fair-worlds", CAUSAL_KL.label), Curve("fair-worlds", other.label))
                    for other in IN_RANDOM
                ]
            ),
        ),
        Claim(
            "T4",
            "The same for causal-ts.",
            Every(
                [
                    OnAverage(Curve("fair-worlds", CAUSAL_TS.label), Curve("fair-worlds", other.label))
                    for other in IN_RANDOM
                ]
            ),
        ),
        Claim(
            "T5",
            "The same for causal-ucb-learned, with at most a third of their regret.",
            Every(
                [
                    OnAverage(Curve("fair-worlds", CAUSAL_UCB_LEARNED.label), Curve("fair-worlds", other.label), 1 / 3)
                    for other in IN_RANDOM
                ]
            ),
        ),
        Claim(
            "T6",
            "On the random tables causal-ucb loses less than C-UCB with its best constant, on average and at worst.",
            Every(
                [
                    OnAverage(Curve("fair-tables", CAUSAL_UCB.label), Curve("fair-tables", TUNED_C_UCB.label)),
                    AtWorst(Curve("fair-tables", CAUSAL_UCB.label), Curve("fair-tables", TUNED_C_UCB.label)),
                ]
            ),
        ),
        Claim(
            "T7",
            "On average over the random worlds top-two has at most half of the simple regret of γ-NB-ALG with its "
            "best share of watching.",
            Every([OnAverage(Curve("fair-find", TOP_TWO.label), Curve("fair-find", TUNED_GAMMA_NB.label), 0.5)]),
        ),
        Claim(
            "T8",
            f"In Experiment 3, at costs up to 1.5, factor-ucb loses at most {MARGIN:g} times what any baseline loses "
            f"with its best constant, give or take {SMALL_LOSS:g}.",
            Within(
                [
                    Better(curve_3(FACTOR_UCB, epsilon), curve_3(other, epsilon), MARGIN, is_close, slack=SMALL_LOSS)
                    for epsilon in EPSILONS
                    for other in IN_3
                ]
            ),
        ),
        Claim(
            "T9",
            "The same against KL-UCB as it is.",
            Within(
                [
                    Better(curve_3(FACTOR_UCB, epsilon), curve_3(KL_UCB, epsilon), MARGIN, is_close, slack=SMALL_LOSS)
                    for epsilon in EPSILONS
                ]
            ),
        ),
        Claim(
            "T10",
            "On average over the random worlds factor-ucb has a lower regret than every baseline with its best "
            "constant.",
            Every(
                [
                    OnAverage(Curve("fair-worlds", FACTOR_UCB.label), Curve("fair-worlds", other.label))
                    for other in IN_RANDOM
                ]
            ),
        ),
        Claim(
            "T11",
            "On average over the random worlds factor-find has at most half of the simple regret of γ-NB-ALG with its "
            "best share of watching.",
            Every([OnAverage(Curve("fair-find", FACTOR_FIND.label), Curve("fair-find", TUNED_GAMMA_NB.label), 0.5)]),
        ),
    ],
)
