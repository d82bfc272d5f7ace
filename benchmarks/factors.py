"""What it costs to learn from every round: counts per factor against counts by parents, and the means of all arms."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import causalbandits as cb
from causalbandits.engine.bridge.cache import compiled
from causalbandits.policies.maths.circuit import fill_gradients, fill_means
from causalbandits.policies.model import model_of

from .clock import Entry, ratio

RUNS, ROUNDS = 40, 20_000
REPEATED = 200


@cb.record
class State:
    rounds: int


class ByParents(cb.Policy):
    """Pulls one arm in blocks of `count` rounds."""

    kind = "by-parents"
    reads = "parents"

    count: int = 1

    def init(self, view):
        return State(0)

    def ask(self, view, state, pending, left, rng):
        return 1, self.count

    def tell(self, view, state, arm, tally):
        state.rounds += tally.rounds

    def recommend(self, view, state, rng):
        return 1


class ByFactors(ByParents):
    """The same, but it reads factors."""

    kind = "by-factors"
    reads = "factors"


def factors() -> Iterator[Entry]:
    """Counting, and the exact means with their gradients."""
    worlds = {
        "8 variables": cb.worlds.random_world(np.random.default_rng(0), variables=8, values=(2, 3), parents=3),
        "256 configurations": cb.worlds.random_world(np.random.default_rng(5), variables=8, values=(2, 2), parents=8),
        "Experiment 4": cb.worlds.confounded_chain(),
    }
    for name, world in worlds.items():
        problem = world.problem(horizon=ROUNDS, reveal_parents=True)
        for count in (1, 20, 100, 1000):
            works = [
                lambda policy=policy, w=world, p=problem: cb.simulate(w, p, policy, runs=RUNS, seed=1)  # type: ignore[misc]
                for policy in (ByParents(count=count), ByFactors(count=count))
            ]
            parents, factors, gain = ratio(works[0], RUNS * ROUNDS, works[1], RUNS * ROUNDS)
            note = f"by parents {parents / 1e6:.3g}, by factors {factors / 1e6:.3g} M rounds/s"
            yield Entry(f"counts by factor, {name}, blocks of {count}", gain, "x", 0.7, note)
    yield means_and_gradients()


def network(variables: int = 37) -> cb.World:
    """A network of the size of ALARM: 37 variables of two to four values, each caused by up to three near ones."""
    rng, nodes = np.random.default_rng(37), []
    sizes = rng.integers(2, 5, variables)
    for i in range(variables):
        near = np.arange(max(0, i - 5), i)
        causes = sorted(rng.choice(near, min(len(near), int(rng.integers(1, 4))), replace=False).tolist())
        size = 2 if i == variables - 1 else int(sizes[i])
        table = rng.dirichlet(np.ones(size), [int(sizes[j]) for j in causes] or None)
        names = [f"V{j}" for j in causes]
        name = "Y" if i == variables - 1 else f"V{i}"
        values = dict(enumerate(table)) if not causes else list(range(size))
        nodes.append(cb.node(name, values, given=names, table=table) if causes else cb.node(name, values))
    return cb.World(nodes, reward="Y")


@compiled
def fill_both(circuit, cells, values, means, adjoints, gradients):
    fill_means(circuit, cells, values, means)
    fill_gradients(circuit, values, adjoints, gradients)


def means_and_gradients() -> Entry:
    """The means of 61 arms and their gradients, once."""
    world = network()
    arms = [f"do({v.name}={value})" for v in world.graph.variables[:-1] for value in v.values][-60:]
    problem = world.problem(budget=10**6, arms=arms)
    start = time.perf_counter()
    circuit = model_of(problem)
    built = time.perf_counter() - start
    cells, values, adjoints = np.random.default_rng(1).random(circuit.cells), *np.zeros((2, circuit.size))
    means, gradients = np.zeros(len(problem.arms)), np.zeros((len(problem.arms), circuit.cells))
    times = []
    for _ in range(REPEATED):
        start = time.process_time()
        fill_both(circuit, cells, values, means, adjoints, gradients)
        times.append(time.process_time() - start)
    note = f"{circuit.out.size:,} products, {circuit.cells:,} cells; {1000 * built:.0f} ms to build the circuit"
    return Entry("means and gradients of 61 arms, 37 variables", 1000 * float(np.median(times)), "ms", 2.0, note)
