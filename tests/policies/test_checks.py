"""A policy that reaches outside its problem is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("policy", "named"), [("Fixed(arm=99)", "99"), ("Careless()", "parents")])
def test_a_policy_that_reaches_outside_its_problem_is_refused_and_corrupts_no_memory(policy: str, named: str) -> None:
    """It runs in a process of its own, because it could end in a segmentation fault.

    Careless reads parents that the problem does not reveal.
    """
    program = f"""
import causalbandits as cb
from tests.fixed import Fixed, FixedByParents

class Careless(FixedByParents):
    kind = "careless"
    reads = "parents"

    def check(self, problem):
        pass

world = cb.worlds.confounded_chain()
cb.simulate(world, world.problem(horizon=1000), {policy}, runs=50, progress=False)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert answer.returncode == 1, "ended by a signal, or not at all"
    assert named in answer.stderr.strip().splitlines()[-1]
