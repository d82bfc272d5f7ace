"""Each clause of the contract can fail: a policy that breaks it is found, and a sentence names clause and case."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.testing import Case, Skipped, check_policy, clauses, elsewhere, random_case

from . import broken


@pytest.mark.parametrize(
    ("check", "policy", "sentence"),
    [
        (clauses.check_arms, broken.BeyondTheLastArm(), r"Every arm that is asked for .* chose arm \d"),
        (clauses.check_arms, broken.RecommendsNoArm(), "Every arm that is asked for .* chose arm -1"),
        (clauses.check_seed, broken.Remembers(), "The same seed .* two simulations with one seed differ"),
        (clauses.check_sharing, broken.Remembers(), "Neither threads nor chunks .* threads=5 gives other runs"),
        (clauses.check_trace, broken.Remembers(), "A trace is the run .* pull other arms"),
        (clauses.check_splits, broken.CountsTells(), "However the rounds .* told one by one"),
        (clauses.check_reading, broken.LearnsInAsk(), "Asking and recommending .* ask changed the state"),
        (clauses.check_reading, broken.LearnsInRecommend(), "Asking and recommending .* recommend changed the state"),
        (clauses.check_reading, broken.KeepsItsScratch(), "Asking and recommending .* the same question"),
        (clauses.check_reading, broken.ReadsItsScratch(), "Asking and recommending .* in scratch memory"),
        (clauses.check_reading, broken.ChangesTheView(), "Asking and recommending .* the view"),
        (elsewhere.check_live, broken.Remembers(), "A live experiment .* the simulation did not"),
        (elsewhere.check_process, broken.Hashes(), "A new process .* hashes other arms"),
        (elsewhere.check_process, broken.UsesAnObject(), "A new process .* no stable form"),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_a_broken_policy_is_found(check: Callable[[Case], None], policy: cb.Policy, sentence: str) -> None:
    case = replace(big_case(policy), compiled=False)
    with pytest.raises(AssertionError, match=f"^{policy.kind} breaks the contract, '{sentence}") as found:
        check(case)
    assert "in the case of seed 2:" in str(found.value)
    assert "\n" not in str(found.value)
    check(replace(case, policy=broken.Fine()))  # the same case with a policy that keeps the contract


def big_case(policy: cb.Policy) -> Case:
    """A case with enough rounds for everything that can differ to differ. Its seed makes blocks told one by one."""
    world = cb.worlds.parallel(p=[0.3, 0.4, 0.5], epsilon=0.2)
    return Case(world, world.problem(budget=90, cost=1.5), policy, seed=2)


def test_compiled_code_that_chooses_differently_is_found() -> None:
    with pytest.raises(
        AssertionError, match=r"'Plain Python chooses what compiled code chooses', .* choose differently"
    ):
        clauses.check_plain(big_case(broken.Overflows()))
    clauses.check_plain(big_case(broken.Fine()))


def test_a_class_inside_of_a_function_cannot_be_pickled() -> None:
    class Local(broken.Fine):
        kind = "local"

    with pytest.raises(AssertionError, match=r"'A policy can be pickled, .* top level of a module"):
        clauses.check_pickle(big_case(Local()))


@pytest.mark.parametrize("wrong", ["pulls", "left_over"])
def test_money_that_does_not_add_up_is_found(wrong: str) -> None:
    """The engine keeps the budget for every policy, so the result itself is changed here."""
    case = replace(big_case(broken.Fine()), compiled=False)
    result = clauses.play(case)
    clauses.demand_budget(case, result)
    changed = np.array(getattr(result, wrong)["fine"])
    changed[0] += 100
    with pytest.raises(clauses.Broken, match="spent" if wrong == "pulls" else "left over"):
        clauses.demand_budget(case, replace(result, **{wrong: {"fine": changed}}))


def test_an_error_of_the_policy_itself_is_shown_with_the_case() -> None:
    with pytest.raises(RuntimeError, match="the policy's own words") as found:
        check_policy(broken.Crashes(), compiled=False)
    assert "crashes was checked for the contract" in found.value.__notes__[0]


def test_the_report_lists_what_was_checked_and_what_was_skipped() -> None:
    report = check_policy(broken.Fine(), compiled=False, cases=3)
    assert set(report.checked) | set(report.skipped) == set(clauses.CLAUSES)
    assert list(report.skipped.values()) == ["compiled=False was asked for"]
    assert str(report).startswith("fine keeps the contract in 3 cases.")
    assert "fine" not in cb.policies.REGISTRY


def test_a_world_of_ones_own_is_played() -> None:
    world = cb.worlds.marketing()
    report = check_policy(broken.Fine(), world=world, problem=world.problem(budget=40, cost=2), cases=2, compiled=False)
    assert report.cases == 2
    with pytest.raises(cb.InputError, match="together"):
        check_policy(broken.Fine(), world=world)


def test_without_the_extra_the_live_clause_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "causalbandits.live", None)
    with pytest.raises(Skipped, match="live experiments need"):
        elsewhere.check_live(replace(big_case(broken.Fine()), compiled=False))


def test_a_policy_that_accepts_no_problem_says_why() -> None:
    class Refuses(broken.Fine):
        kind = "refuses"

        def check(self, problem: cb.Problem) -> None:
            raise cb.InputError("Not this one.")

    with pytest.raises(AssertionError, match=r"refuses accepts none of .* Not this one"):
        random_case(Refuses(), 0)


def test_a_class_in_place_of_a_policy_is_answered_in_one_sentence() -> None:
    with pytest.raises(cb.InputError, match="such as MyPolicy"):
        check_policy(broken.Fine)  # type: ignore[arg-type]
