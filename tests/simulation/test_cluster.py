"""The same chunks on a cluster: a real one, of two processes of Dask on this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import causalbandits as cb

distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, about its ports and dying workers

WORLD = cb.worlds.marketing()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    options: dict[str, Any] = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": None,
        "silence_logs": 50,
    }
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as connected:
        yield connected


@pytest.mark.xdist_group("cluster")
def test_a_cluster_gives_exactly_the_results_of_threads(client: Any) -> None:
    problem = WORLD.problem(budget=2000, cost=2)
    policies = [cb.CRMNB(), cb.GammaNB()]
    here = cb.simulate(WORLD, problem, policies, runs=40, seed=3, checkpoints=[500, 2000])
    there = cb.simulate(
        WORLD, problem, policies, runs=40, seed=3, checkpoints=[500, 2000], executor=client.get_executor(pure=False)
    )
    for label in here.pulls:
        np.testing.assert_array_equal(here.pulls[label], there.pulls[label])
        np.testing.assert_array_equal(here.recommended[label], there.recommended[label])
        np.testing.assert_array_equal(here.left_over[label], there.left_over[label])
    digest = cb.simulate(
        WORLD, problem, policies, runs=40, seed=3, keep="summary", executor=client.get_executor(pure=False)
    )
    assert digest.summary()["crm-nb"].simple_regret.mean == pytest.approx(here.summary()["crm-nb"].simple_regret.mean)


@pytest.mark.xdist_group("cluster")
def test_a_worker_that_dies_changes_no_result(client: Any) -> None:
    problem = WORLD.problem(budget=200_000, cost=2)
    here = cb.simulate(WORLD, problem, "crm-nb", runs=48, seed=3)
    victim = next(iter(client.run(os.getpid).values()))
    threading.Timer(0.3, lambda: os.kill(victim, signal.SIGKILL)).start()
    there = cb.simulate(WORLD, problem, "crm-nb", runs=48, seed=3, chunk=4, executor=client.get_executor(pure=False))
    np.testing.assert_array_equal(here.pulls["crm-nb"], there.pulls["crm-nb"])
    assert victim not in client.run(os.getpid).values()  # it did die


@pytest.mark.xdist_group("cluster")
def test_a_whole_sweep_can_run_on_a_cluster(client: Any) -> None:
    here = cb.sweep(WORLD, "ucb", budgets=[100, 200], costs=[1, 2], runs=10, seed=3)
    there = cb.sweep(
        WORLD, "ucb", budgets=[100, 200], costs=[1, 2], runs=10, seed=3, executor=client.get_executor(pure=False)
    )
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one.result.pulls["ucb"], other.result.pulls["ucb"])
