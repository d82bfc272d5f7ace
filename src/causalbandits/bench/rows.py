"""The rows of the table: what is simulated, how often, and how much chance a round of it holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ..mechanisms import Table
from ..policies.c_ucb_2 import CUCB2
from ..policies.contract import Policy
from ..policies.crm_nb import CRMNB
from ..policies.observe import Observe
from ..problem import Problem
from ..simulation.results import Result
from ..simulation.simulate import simulate
from ..world import World
from ..worlds import confounded_chain, parallel, random_world

P = [0.02, 0.02] + [0.5] * 48  # the causes of Experiments 2 and 3 of Nair, Patil & Sinha (2021)


@dataclass(frozen=True)
class Row:
    """A simulation to be timed. `bulk` rows only watch: their work is the drawing."""

    name: str
    world: World
    problem: Problem
    policy: Policy
    runs: int
    bulk: bool = False

    def run(self, threads: int = 1, times: int = 1) -> Result:
        """Simulate, `times` as many runs."""
        return simulate(
            self.world, self.problem, self.policy, runs=times * self.runs, seed=1, threads=threads, progress=False
        )

    @cached_property
    def nodes(self) -> list[str]:
        """What a round of watching draws, causes first: the reward, the variables that watching teaches about, and what these depend on."""
        taught = (
            name
            for arm, teaches in zip(self.problem.arms, self.problem.teaches, strict=True)
            if teaches
            for name in arm
        )
        return self.world.needed([self.world.reward.variable, *dict.fromkeys(taught)], self.problem.arms[0])

    @cached_property
    def bits(self) -> float:
        """The entropy of such a round: who draws every round needs that many random bits for each, on average, by whatever method."""
        return sum(_entropy(self.world, name) for name in self.nodes)


def _entropy(world: World, name: str) -> float:
    """H(variable | its causes) in bits, under the observation."""
    table = world.mechanisms[name]
    assert isinstance(table, Table), "only tables are watched here"
    p = table.probabilities
    surprise = -np.log2(p, out=np.zeros_like(p), where=p > 0)
    return float((world.marginal(table.given, "do()") * (p * surprise).sum(axis=-1)).sum())


@cache
def rows() -> dict[str, Row]:
    """All rows by a short name: 3000 rounds of watching, a budget of 10,000 for CRM-NB-ALG, 10,000 rounds of C-UCB-2."""
    return {
        "parallel": _watching("watching, 50 causes", parallel(p=P, epsilon=0.3), 24_000),
        "uneven": _watching("watching, 50 causes, all p_i = 0.3", parallel(p=[0.3] * 50, epsilon=0.3), 24_000),
        "coins": _watching("watching, random network of 40, two values", _network((2, 2)), 12_000),
        "values": _watching("watching, random network of 40, 3 to 5 values", _network((3, 5)), 4000),
        "crm-nb 1.1": _crm_nb("CRM-NB-ALG, 101 arms, gamma = 1.1", 1.1),
        "crm-nb 3": _crm_nb("CRM-NB-ALG, 101 arms, gamma = 3", 3),
        "c-ucb-2": _c_ucb_2("C-UCB-2, Experiment 4"),
    }


def _watching(name: str, world: World, runs: int) -> Row:
    """OBS-ALG, offered the arms that watching can judge."""
    every = world.problem(horizon=1)
    arms = [arm for arm, teaches in zip(every.arms, every.teaches, strict=True) if arm and teaches]
    return Row(name, world, world.problem(budget=3000, cost=60, arms=arms), Observe(), runs, bulk=True)


def _network(values: tuple[int, int]) -> World:
    """A random network of 40 variables with up to 3 causes each, the reward among them."""
    return random_world(np.random.default_rng(3), variables=39, values=values, parents=3)


def _crm_nb(name: str, gamma: float) -> Row:
    world = parallel(p=P, epsilon=0.5)
    return Row(name, world, world.problem(budget=10_000, cost=gamma), CRMNB(), 100)


def _c_ucb_2(name: str) -> Row:
    world = confounded_chain()
    return Row(name, world, world.problem(horizon=10_000, observe=False, reveal_parents=True), CUCB2(), 200)
