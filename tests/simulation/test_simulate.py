"""Simulations: stopped at once, and refused where the arrays would not fit."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import causalbandits as cb

WORLD = cb.worlds.marketing()


def test_arrays_that_do_not_fit_are_refused() -> None:
    problem = WORLD.problem(budget=300, cost=2)
    with pytest.raises(cb.InputError, match='use keep="summary"'):
        cb.simulate(WORLD, problem, "ucb", runs=10**12)
    with pytest.raises(cb.InputError, match='"arrays" or "summary"'):
        cb.simulate(WORLD, problem, "ucb", runs=10, keep="mean")  # type: ignore[call-overload]
    with pytest.raises(cb.InputError, match="from 0 to 1"):
        cb.simulate(WORLD, problem, "ucb", runs=10, keep="summary").simple_regret["ucb"].quantile(2)


@pytest.mark.parametrize(("policy", "budget"), [("crm-nb", 50_000_000), ("obs", 9_000_000_000)])
def test_an_interrupted_simulation_stops_at_once(policy: str, budget: int) -> None:
    world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    cb.simulate(world, world.problem(budget=1000, cost=2), policy, runs=2)  # compiled before the clock runs
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        cb.simulate(world, world.problem(budget=budget, cost=2), policy, runs=4)
    # it would take minutes; a second is what it takes when the machine is free
    assert time.perf_counter() - start < 1.0 + 5.0
