"""A mistake in one's own policy is named with its file and line, and never ends the process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import causalbandits as cb
from causalbandits.engine.cpu.whole import NOT_WHOLE, whole
from causalbandits.policies.checks import accept

from . import mistakes

SOURCE = Path(mistakes.__file__)
WORLD = cb.worlds.parallel(p=[0.3, 0.4], epsilon=0.2)
PROBLEM = WORLD.problem(budget=100, cost=1)
PROGRAM = """
import json, sys
import causalbandits as cb
from tests.policies import mistakes

world = cb.worlds.parallel(p=[0.3, 0.4], epsilon=0.2)
problem = world.problem(budget=100, cost=1)
def tell(name, call):
    try:
        call()
    except (cb.InputError, AssertionError, IndexError) as error:
        print(json.dumps([name, str(error)]), flush=True)

for policy in (
    mistakes.FarIndex(), mistakes.DividesByZero(), mistakes.DividesForNothing(), mistakes.LateIndex(),
    mistakes.HelpersIndex(),
):
    tell(policy.kind, lambda: cb.simulate(world, problem, policy, runs=200, compiled=True, progress=False))
far = mistakes.FarIndex()
tell("plain", lambda: cb.simulate(world, problem, mistakes.HelpersIndex(), runs=1, compiled=False, progress=False))
tell("trace", lambda: cb.trace(world, problem, far, compiled=True))
tell("sweep", lambda: cb.sweep(world, far, budgets=[100], runs=2, progress=False))
tell("contract", lambda: cb.testing.check_policy(far, world=world, problem=problem, cases=1))
"""


def line_of(policy: type[cb.Policy]) -> int:
    """The line with the mistake of a policy."""
    lines = SOURCE.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(f"class {policy.__name__}("))
    return next(i for i in range(first, len(lines)) if lines[i].endswith("# the mistake")) + 1


def test_a_mistake_in_compiled_code_is_named_with_its_line_and_does_not_end_the_process() -> None:
    """In a process of its own, because it used to end with a segmentation fault. LateIndex fails in some runs only."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended by a signal, or an error: {done.stderr[-300:]}"
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    for policy, name, reason in (
        (mistakes.FarIndex, "tell", "IndexError"),
        (mistakes.DividesByZero, "ask", "ZeroDivisionError"),
        (mistakes.DividesForNothing, "ask", "ZeroDivisionError"),
        (mistakes.LateIndex, "recommend", "IndexError"),
    ):
        place = f"{policy.kind} failed in {name} at {SOURCE}, line {line_of(policy)} \\({reason}"
        assert re.match(place, found[policy.kind])
        assert "\n" not in found[policy.kind]
    line = SOURCE.read_text().splitlines().index("    return values[i]  # the mistake") + 1
    assert f"failed in ask at {SOURCE}, line {line} (IndexError" in found["helpers-index"]
    assert found["plain"] == "index is out of bounds"
    for way in ("trace", "sweep", "contract"):
        assert f"far-index failed in tell at {SOURCE}, line {line_of(mistakes.FarIndex)} (IndexError" in found[way]
    assert found["contract"].startswith("far-index breaks the contract")


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (mistakes.Answers(count=-1), "a count of -1, but a count is a whole number"),
        (mistakes.Answers(count=1.5), "a count of 1.5, but"),
        (mistakes.Answers(count=99), "a count of nan, but"),
        (mistakes.Answers(arm=1.5), "arm 1.5, but an arm is a whole number from 0 to 4"),
        (mistakes.Answers(huge=True), "arm inf, but an arm is"),
        (mistakes.Answers(arm=7), "arm 7, but the problem has arms 0 to 4"),
        (mistakes.Answers(recommended=-1), "arm -1, but the problem has"),
        (mistakes.Answers(recommended=0.5), "arm 0.5, but an arm is"),
        (mistakes.OneNumber(), "answered 3, but ask answers an arm and a count"),
    ],
)
def test_an_answer_that_is_not_possible_is_named_in_simulation_and_live(
    policy: cb.Policy, sentence: str, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "recommend" if policy.parameters.get("recommended") else "ask"
    wanted = re.escape(sentence) + f".* correct its {name}, {SOURCE}, line \\d+"
    with pytest.raises(cb.InputError, match=wanted):
        cb.simulate(WORLD, PROBLEM, policy, runs=1, compiled=False, progress=False)
    monkeypatch.setitem(cb.policies.REGISTRY, policy.kind, type(policy))
    experiment = cb.Experiment.create(memory, "live", PROBLEM, policy)
    with pytest.raises(cb.InputError, match=wanted):
        getattr(experiment, name)()


def test_compiled_code_names_the_same_answers() -> None:
    for policy, sentence in (
        (mistakes.Answers(arm=1.5), "arm 1.5, but"),
        (mistakes.Answers(huge=True), "arm inf, but"),
        (mistakes.Answers(count=-1), "a count of -1, but"),
        (mistakes.Answers(recommended=-1), "arm -1, but"),
    ):
        with pytest.raises(cb.InputError, match=sentence):
            cb.simulate(WORLD, PROBLEM, policy, runs=1, compiled=True, progress=False)
    whole_floats = cb.simulate(WORLD, PROBLEM, mistakes.Answers(arm=2.0), runs=1, compiled=True, progress=False)
    assert whole_floats.pulls["answers"][0, -1].tolist() == [0, 0, 100, 0, 0]


def test_plain_python_shows_the_error_as_it_is() -> None:
    """For a debugger."""
    with pytest.raises(IndexError):
        cb.simulate(WORLD, PROBLEM, mistakes.FarIndex(), runs=1, compiled=False, progress=False)


@pytest.mark.parametrize("answer", [0, 3, -2, np.int32(5), True, 2.0, -3.0])
def test_a_whole_number_is_what_it_is(answer: float) -> None:
    assert whole(answer) == njit(lambda x: whole(x))(answer) == answer


@pytest.mark.parametrize("answer", [1.5, float("nan"), float("inf"), -float("inf"), 1e300])
def test_what_is_not_whole_is_no_arm(answer: float) -> None:
    assert whole(answer) == njit(lambda x: whole(x))(answer) == NOT_WHOLE


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (mistakes.NumpyRandom, "np.random"),
        (mistakes.ImportedRandom, "randint"),
        (mistakes.PythonRandom, "random"),
        (mistakes.Generator, "RNG"),
        (mistakes.HelpersRandom, "np.random"),
    ],
)
def test_random_numbers_from_elsewhere_are_refused(policy: type[cb.Policy], name: str) -> None:
    line = line_of(policy) if policy is not mistakes.HelpersRandom else line_of(mistakes.Generator) + 4
    sentence = rf"{policy.kind} uses {re.escape(name)} at {SOURCE}, line {line}, .* cb.uniform\(rng\)"
    with pytest.raises(cb.InputError, match=sentence):
        cb.simulate(WORLD, PROBLEM, policy(), runs=1, compiled=False, progress=False)
    with pytest.raises(cb.InputError, match=sentence):
        accept(policy(), PROBLEM)  # an experiment asks the same


def test_our_own_policies_and_a_name_of_ones_own_are_not_refused() -> None:
    accept(mistakes.OtherRandom(), PROBLEM)
    for policy in (cb.UCB(), cb.CausalThompson(), cb.GammaNB(), cb.TopTwo()):
        accept(policy, PROBLEM)


def test_a_function_with_other_arguments_is_refused() -> None:
    with pytest.raises(cb.InputError, match=r"ask of FewArguments .* write def ask\(self, view, state, pending, left,"):
        accept(mistakes.FewArguments(), PROBLEM)
