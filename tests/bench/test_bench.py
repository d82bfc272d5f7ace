"""`causalbandits bench`: it names the machine and measures every row.

The shares of time are between 0 and 1, with and without wide vectors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.bench.machine import machine
from causalbandits.bench.rows import Row, rows
from causalbandits.engine.cpu.tables import node_names, tables_of


def bench(*words: str, **environment: str) -> str:
    code = "from causalbandits.cli import main; main()"
    settings = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, "bench", *words],
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
def test_the_table_names_the_machine_the_limit_and_every_row() -> None:
    printed = " ".join(bench(COLUMNS="200").split())
    about = machine()
    for words in (
        about["processor"],
        about["vectors"],
        f"numba {about['numba']}",
        "The limit:",
        "random words",
        *(row.name for row in rows().values()),
    ):
        assert words in printed
    assert printed.count("%") == sum(row.bulk for row in rows().values()) == 4


@pytest.mark.slow
def test_it_also_runs_without_wide_vectors() -> None:
    found = json.loads(bench("--json", NUMBA_CPU_NAME="generic"))
    assert found["machine"] == {**machine(), "vectors": found["machine"]["vectors"], "compiled for": "generic"}
    assert found["machine"]["vectors"] in {"SSE2", "NEON"}
    assert [row["name"] for row in found["rows"]] == [row.name for row in rows().values()]
    assert found["words_per_second"] > 1e6
    for row, of in zip(found["rows"], rows().values(), strict=True):
        assert row["rounds_per_second"] > 0
        assert ("share" in row) == of.bulk
        if of.bulk:
            assert 0 < row["share"] < 1
            assert row["node_rounds_per_second"] == pytest.approx(row["rounds_per_second"] * len(of.nodes))
            assert set(row) - {"name"} < set(found["units"])


def coin(p: float) -> float:
    return float(-p * np.log2(p) - (1 - p) * np.log2(1 - p))


def test_the_bits_of_a_round_are_its_entropy() -> None:
    row = rows()["parallel"]
    assert len(row.nodes) == 51
    assert row.bits == pytest.approx(2 * coin(0.02) + 48 + 0.02 * coin(0.8) + 0.98 * coin(row.world.mean("do(X1=0)")))
    world = cb.worlds.random_world(np.random.default_rng(1), variables=6, values=(2, 4))
    watching = Row("a small one", world, world.problem(budget=10, cost=1), cb.Observe(), 1)
    assert len(watching.nodes) == 7
    whole = world.marginal(watching.nodes, "do()").ravel()
    assert watching.bits == pytest.approx(-(whole * np.log2(whole)).sum())


def test_the_nodes_of_a_round_are_those_that_the_engine_draws() -> None:
    for row in rows().values():
        if row.bulk:
            tables = tables_of(row.world, row.problem, row.policy.reads)
            assert sorted(row.nodes) == sorted(node_names(row.world)[v] for v in tables.draw[: tables.draw_start[1]])
    assert len(rows()["coins"].nodes) < 40
