"""Worlds and measurements that tests of several policies share."""

from __future__ import annotations

import numpy as np

import causalbandits as cb
from causalbandits.papers.nair2021.settings import random_table

KNOWN = [cb.CausalUCB(), cb.CUCB(), cb.CUCB2(), cb.Greedy(), cb.CTS()]

TWO = {(0, 0): 0.1, (0, 1): 0.4, (1, 0): 0.6, (1, 1): 0.8}


def regret(world: cb.World, problem: cb.Problem, policies: list[cb.Policy], runs: int = 30) -> dict[str, float]:
    result = cb.simulate(world, problem, policies, runs=runs, seed=1)
    return {label: float(regrets[:, -1].mean()) for label, regrets in result.cumulative_regret.items()}


def on_tables(numbers: range, runs: int) -> dict[str, np.ndarray]:
    found = [regret(*random_table(number), KNOWN, runs) for number in numbers]
    return {label: np.array([one[label] for one in found]) for label in found[0]}


def kinds_of_worlds() -> dict[str, cb.World]:
    coin, table = {"0": 0.5, "1": 0.5}, {"0": 0.2, "1": 1.0}
    return {
        "equal": cb.World(
            [
                cb.node("X", coin),
                cb.node("W", ["0", "1"], given="X", table={"0": 0.3, "1": 0.8}),
                cb.node("Y", ["0", "1"], given="W", table={"0": 0.6, "1": 0.6}),
            ],
            reward="Y",
        ),
        "sure": cb.World([cb.node("X", coin), cb.node("Y", ["0", "1"], given="X", table=table)], reward="Y"),
        "impossible": cb.World(
            [
                cb.node("X", {"0": 1.0, "1": 0.0}),
                cb.node("W", ["0", "1", "2"], given="X", table={"0": [0.5, 0.5, 0.0], "1": [0.0, 0.0, 1.0]}),
                cb.node("Y", ["0", "1"], given="W", table={"0": 0.3, "1": 0.5, "2": 0.9}),
            ],
            reward="Y",
        ),
        "rare": cb.World(
            [
                cb.node("X", coin),
                cb.node("W", ["0", "1"], given="X", table={"0": 1e-6, "1": 0.0}),
                cb.node(
                    "Y",
                    ["0", "1"],
                    given=["W", "X"],
                    table={("0", "0"): 0.3, ("0", "1"): 0.5, ("1", "0"): 0.9, ("1", "1"): 0.9},
                ),
            ],
            reward="Y",
        ),
        "levels": cb.World(
            [
                cb.node("X", {"a": 0.3, "b": 0.7}),
                cb.node("Y", ["-1", "0", "3"], given="X", table={"a": [0.2, 0.5, 0.3], "b": [0.5, 0.3, 0.2]}),
            ],
            reward="Y",
        ),
        "real": cb.World([cb.node("X", coin), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=0.2)], reward="Y"),
        "far from 0": cb.World([cb.node("X", coin), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=-900)], reward="Y"),
        "real and rare": cb.World(
            [
                cb.node("X", coin),
                cb.node("W", ["0", "1"], given="X", table={"0": 1e-6, "1": 0.0}),
                cb.linear("Y", {"X": 0.5, "W": 1.0}, noise=0.2),
            ],
            reward="Y",
        ),
        "no parents": cb.World([cb.node("X", coin), cb.node("Y", coin)], reward="Y"),
    }
