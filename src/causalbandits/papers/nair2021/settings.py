"""The settings of the paper's experiments: axes, policies, worlds and problems.

Symbols: gamma the cost of an intervention, p the least probability that watching shows one, m(p) the number of rare
ones, M the number of variables.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from ... import bounds, worlds
from ...mechanisms import node
from ...policies.c_ucb import CUCB
from ...policies.c_ucb_2 import CUCB2
from ...policies.crm_nb import CRMNB
from ...policies.f_kube import FKube
from ...policies.gamma_nb import GammaNB
from ...policies.greedy import Greedy
from ...policies.observe import Observe
from ...policies.parallel_bandit import ParallelBandit
from ...problem import Problem
from ...studies.study import Axis, Floats
from ...world import World
from .readings import CUCB2WithLastRound, GammaNBWithSetSize

BUDGET = Axis("budget", "budget B")
GAMMA = Axis("gamma", "cost γ of an intervention")
HORIZON = Axis("T", "rounds T")
LEAST_PROBABILITY = Axis("p", "least probability p")

OBS = Observe(name="OBS-ALG")
PB = ParallelBandit(name="PB-ALG")
GAMMA_NB = GammaNB(name="γ-NB-ALG")
GAMMA_NB_SET_SIZE = GammaNBWithSetSize(name="γ-NB-ALG, |A| and 0")
# By the constant in the radius. It is 8 in the paper's algorithm and 2 in its proof.
CRM = {c: CRMNB(exploration=c, name=f"CRM-NB-ALG ({c})") for c in (2, 8)}
CRM_NO_CAP = {c: CRMNB(exploration=c, cap=False, name=f"CRM-NB-ALG ({c}, no cap)") for c in (2, 8)}
KUBE = {c: FKube(exploration=c, name=f"F-KUBE ({c})") for c in (2, 8)}
C_UCB, C_UCB_2, GREEDY = CUCB(name="C-UCB"), CUCB2(name="C-UCB-2"), Greedy(name="Greedy")
C_UCB_8 = CUCB(exploration=8, name="C-UCB (8)")  # C-UCB has 4 log T under the root
C_UCB_2_LAST_ROUND = CUCB2WithLastRound(name="C-UCB-2, one round of line 1")

# Experiments 1 to 3: parallel worlds

VARIABLES = 50  # M
RARE = 0.02  # p_1 = p_2 in Experiments 2 and 3
P_1 = [round(0.02 + 0.28 * i / 49, 4) for i in range(50)]  # 50 values from 0.02 to 0.3, as in the published figure
BUDGETS_2A = range(100, 2951, 50)  # as in the published figure
GAMMAS_2B = range(1, 76)
BUDGET_2B = 1000  # the only budget that gives PB-ALG's published curve; the text has none
LATE_BUDGET_2B = 3000  # near the last budget of part a, for comparison
# as in the published figures; the text does not say how far the budget goes
BUDGETS_3 = (
    1000,
    *range(10_000, 90_001, 10_000),
    110_000,
    *range(125_000, 200_001, 15_000),
    *range(212_000, 296_001, 12_000),
)
SETTINGS_3 = {  # epsilon and gamma by study
    "3-gamma-1": (0.5, 1.0),
    "3-gamma-1.1": (0.5, 1.1),
    "3-gamma-1.5": (0.5, 1.5),
    "3-epsilon-0.3": (0.3, 1.1),
}


@cache
def rare_pair(p: float, epsilon: float, variables: int = VARIABLES) -> World:
    """The parallel world of Experiments 1 to 3.

    X_1 and X_2 are 1 with probability p, the others with probability 1/2. Only X_1 changes the reward.
    """
    return worlds.parallel(p=[p, p] + [0.5] * (variables - 2), epsilon=epsilon)


def probabilities(p: float, variables: int = VARIABLES) -> Floats:
    """For every do(X_i = x) of this world, the probability that watching shows X_i = x."""
    return np.array([1 - p, p] * 2 + [0.5] * (2 * variables - 4))


THRESHOLD = bounds.threshold(probabilities(RARE))  # 1 / (p m(p)), here 25


def setting_1(p: float) -> tuple[World, Problem]:
    world = rare_pair(p, epsilon=0.3)
    return world, world.problem(budget=100, cost=1)


def setting_2a(budget: float) -> tuple[World, Problem]:
    world = rare_pair(RARE, epsilon=0.3)
    return world, world.problem(budget=int(budget), cost=60)


def setting_2b(gamma: float, budget: int = BUDGET_2B) -> tuple[World, Problem]:
    world = rare_pair(RARE, epsilon=0.3)
    return world, world.problem(budget=budget, cost=int(gamma))


def setting_3(budget: float, epsilon: float, gamma: float) -> tuple[World, Problem]:
    world = rare_pair(RARE, epsilon)
    return world, world.problem(budget=int(budget), cost=gamma)


@cache
def estimated_thresholds(budget: int, draws: int = 10_000) -> Floats:
    """1 / (p̂ m(p̂)) as γ-NB-ALG estimates it from B / 2 observations, drawn many times and sorted.

    The seed only fixes the mark in the figure.
    """
    half = budget // 2
    ones = np.random.default_rng(2021).binomial(half, probabilities(RARE)[1::2], size=(draws, VARIABLES)) / half
    return np.sort([bounds.threshold(np.concatenate([row, 1 - row])) for row in ones])


# Experiment 4: a graph with a backdoor path, and random tables for the same graph

HORIZONS_4 = range(5, 101, 5)
TABLES = range(1, 201)
HORIZON_TABLES = 1000


def setting_4(horizon: float) -> tuple[World, Problem]:
    world = worlds.confounded_chain()
    return world, world.problem(horizon=int(horizon), observe=False, reveal_parents=True)


def random_table(number: float) -> tuple[World, Problem]:
    """The graph of Experiment 4 with a binary reward and every probability uniform on [0, 1].

    The same number always gives the same table.
    """
    rng = np.random.default_rng([2021, int(number)])
    world = World(
        [
            node("X1", [0, 1], table=rng.random()),
            node("X2", [0, 1], given="X1", table=dict(enumerate(rng.random(2)))),
            node("W1", [0, 1], given="X1", table=dict(enumerate(rng.random(2))), intervenable=False),
            node("W2", [0, 1], given="X2", table=dict(enumerate(rng.random(2))), intervenable=False),
            node(
                "Y",
                [0, 1],
                given=["W1", "W2"],
                table=dict(zip(itertools.product([0, 1], [0, 1]), rng.random(4), strict=True)),
            ),
        ],
        reward="Y",
        reference=f"random table {int(number)} for the graph of Nair, Patil & Sinha 2021, Experiment 4",
    )
    return world, world.problem(horizon=HORIZON_TABLES, observe=False, reveal_parents=True)


def zeta(problem: Problem) -> Floats:
    """For every arm a the factor of its radius in C-UCB-2.

    zeta_a = sum_y P(y | do(a)) / min_b P(y | do(b)), with y the configurations of the reward's parents.
    """
    parents = problem.parents
    assert parents is not None, "Experiment 4 reveals the parents"
    return np.asarray((parents / parents.min(axis=0)).sum(axis=1))
