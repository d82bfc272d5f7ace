"""Without Numba's internals the library is slower, with the same pulls and one warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from causalbandits.engine.bridge import internals

from ...contracts import unchanged

ROOT = Path(__file__).parents[3]
RECORD = json.loads(unchanged.RECORD.read_text())["choices"]
KINDS = ("ucb", "crm-nb", "c-ucb", "causal-ucb-learned")  # they read rewards, arms, parents, and both
WATCHED = "Experiment 4, watched"  # every policy accepts it
IN_BULK = "rare pair"  # settled blocks of many rounds
USE = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from tests.contracts import unchanged
    situations = {name: (world, problem) for name, world, problem in unchanged.situations()}
    asked = json.loads(sys.argv[1])
    choices = {}
    for name, kinds in asked.items():
        choices[name] = {kind: unchanged.choices(*situations[name], kind) for kind in kinds}
bridge = "causalbandits.engine.bridge."
private = [name for name in ("disk", "parts", "fields") if bridge + name in sys.modules]
print(json.dumps([choices, [str(warning.message) for warning in caught], private]))
"""


def play(asked: dict[str, list[str]], before: str = "", **environment: str) -> tuple[Any, list[str], list[str]]:
    """Choices, warnings and the modules with internals that were loaded, of a new process that runs `before` first."""
    done = subprocess.run(
        [sys.executable, "-c", before + USE, json.dumps(asked)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    choices, warnings, private = json.loads(done.stdout)
    return choices, warnings, private


def recorded(asked: dict[str, list[str]]) -> dict[str, dict[str, str | None]]:
    """The choices that were recorded with internals in use."""
    return {name: {kind: RECORD[name][kind] for kind in kinds} for name, kinds in asked.items()}


def test_a_numba_that_is_too_new_gives_the_same_pulls_and_one_warning() -> None:
    asked = {WATCHED: ["ucb"]}
    choices, warnings, private = play(asked, "import numba\nnumba.__version__ = '99.1.0'\n")
    assert choices == recorded(asked)
    assert warnings == [
        "Policies compile anew in every process and run slower, with the same results, because Numba 99.1.0 "
        f"is newer than the newest tested one; install numba<={internals.NEWEST_TESTED} to avoid that."
    ]
    assert private == []


@pytest.mark.slow
def test_hidden_internals_give_the_same_pulls_for_every_kind_of_tally() -> None:
    """One name is hidden that Numba itself does without."""
    hide = "import numba.core.caching\ndel numba.core.caching._CacheLocator\n"
    asked = {WATCHED: list(KINDS), IN_BULK: ["ucb", "crm-nb"]}
    choices, warnings, private = play(asked, hide)
    assert choices == recorded(asked)
    assert len(warnings) == 1
    assert "has no numba.core." in warnings[0]
    assert private == []


@pytest.mark.slow
def test_every_policy_chooses_the_same_with_public_numba_alone() -> None:
    asked = {WATCHED: sorted(RECORD[WATCHED]), IN_BULK: sorted(RECORD[IN_BULK])}
    choices, warnings, private = play(asked, CAUSALBANDITS_PUBLIC_NUMBA="1")
    assert choices == recorded(asked)
    assert (len(warnings), private) == (1, [])


@pytest.mark.slow
def test_python_can_call_the_parts_of_a_policy_with_public_numba_alone() -> None:
    code = """
import causalbandits as cb
world = cb.worlds.confounded_chain()
problem = world.problem(budget=60, cost="1.7", reveal_parents=True)
for kind in ("crm-nb", "c-ucb"):
    runs = [cb.simulate(world, problem, kind, runs=2, seed=1, compiled=how).pulls[kind] for how in (True, False)]
    print((runs[0] == runs[1]).all())
"""
    environment = {**os.environ, "CAUSALBANDITS_PUBLIC_NUMBA": "1"}
    command = [sys.executable, "-W", "ignore", "-c", code]
    assert subprocess.run(command, env=environment, capture_output=True, text=True).stdout.split() == ["True", "True"]
