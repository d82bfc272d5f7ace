"""The workloads that are timed: what is simulated, how often, and how many random bits a round needs."""

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
class Workload:
    """A simulation to be timed. A `bulk` workload only observes, so it spends its time on drawing rounds."""

    name: str
    world: World
    problem: Problem
    policy: Policy
    runs: int
    bulk: bool = False

    def run(self, threads: int = 1, times: int = 1) -> Result:
        """Simulate `times` times the usual number of runs."""
        return simulate(
            self.world, self.problem, self.policy, runs=times * self.runs, seed=1, threads=threads, progress=False
        )

    @cached_property
    def nodes(self) -> list[str]:
        """The variables that a round of OBS-ALG draws: the reward, those it learns about, and all their causes."""
        taught = (
            name
            for arm, teaches in zip(self.problem.arms, self.problem.teaches, strict=True)
            if teaches
            for name in arm
        )
        return self.world.needed([self.world.reward.variable, *dict.fromkeys(taught)], self.problem.arms[0])

    @cached_property
    def bits(self) -> float:
        """The entropy of such a round: no method can draw rounds with fewer random bits on average."""
        return sum(_entropy(self.world, name) for name in self.nodes)


def _entropy(world: World, name: str) -> float:
    """H(variable | its causes) in bits, under the observation."""
    table = world.mechanisms[name]
    assert isinstance(table, Table), "the bulk workloads have tables only"
    p = table.probabilities
    surprise = -np.log2(p, out=np.zeros_like(p), where=p > 0)
    return float((world.marginal(table.given, "do()") * (p * surprise).sum(axis=-1)).sum())


@cache
def workloads() -> dict[str, Workload]:
    """All workloads by a short name."""
    return {
        "parallel": _observing("watching, 50 causes", parallel(p=P, epsilon=0.3), 24_000),
        "uneven": _observing("watching, 50 causes, all p_i = 0.3", parallel(p=[0.3] * 50, epsilon=0.3), 24_000),
        "coins": _observing("watching, random network of 40, two values", _network((2, 2)), 12_000),
        "values": _observing("watching, random network of 40, 3 to 5 values", _network((3, 5)), 4000),
        "crm-nb 1.1": _crm_nb("CRM-NB-ALG, 101 arms, gamma = 1.1", 1.1),
        "crm-nb 3": _crm_nb("CRM-NB-ALG, 101 arms, gamma = 3", 3),
        "c-ucb-2": _c_ucb_2("C-UCB-2, Experiment 4"),
    }


def _observing(name: str, world: World, runs: int) -> Workload:
    """3000 rounds of OBS-ALG with the arms that can be learned by observing."""
    every = world.problem(horizon=1)
    arms = [arm for arm, teaches in zip(every.arms, every.teaches, strict=True) if arm and teaches]
    return Workload(name, world, world.problem(budget=3000, cost=60, arms=arms), Observe(), runs, bulk=True)


def _network(values: tuple[int, int]) -> World:
    """A random network of 40 variables with up to 3 causes each, the reward among them."""
    return random_world(np.random.default_rng(3), variables=39, values=values, parents=3)


def _crm_nb(name: str, gamma: float) -> Workload:
    """CRM-NB-ALG with a budget of 10,000."""
    world = parallel(p=P, epsilon=0.5)
    return Workload(name, world, world.problem(budget=10_000, cost=gamma), CRMNB(), 100)


def _c_ucb_2(name: str) -> Workload:
    """10,000 rounds of C-UCB-2."""
    world = confounded_chain()
    return Workload(name, world, world.problem(horizon=10_000, observe=False, reveal_parents=True), CUCB2(), 200)
