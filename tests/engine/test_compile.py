"""A user's own policy: compiled if Numba can compile it, plain Python otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb

from .own_policy import SKELETON


@pytest.fixture
def shop() -> tuple[cb.World, cb.Problem]:
    world = cb.worlds.marketing()
    return world, world.problem(budget=60, cost=2)


def test_the_skeleton_of_contributing_runs_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "skeleton"}
    exec(compile(SKELETON, "CONTRIBUTING.md", "exec", dont_inherit=True), names)
    try:
        assert "epsilon-greedy(epsilon=0.2)" in capsys.readouterr().out
        policy = names["EpsilonGreedy"](epsilon=0.2)  # type: ignore[operator]
        again = [
            cb.simulate(names["world"], names["problem"], policy, runs=20, seed=1, compiled=how)
            for how in (True, False)
        ]  # type: ignore[arg-type]
        np.testing.assert_array_equal(again[0].pulls[policy.label], again[1].pulls[policy.label])
    finally:
        cb.policies.REGISTRY.pop("epsilon-greedy")


class Words(cb.Policy):
    """A policy that Numba cannot compile: its state holds text."""

    kind = "words"
    reads = "rewards"

    def init(self, problem):
        return {"arm": "1"}

    def ask(self, problem, state, pending, left, rng):
        return int(f"{state['arm']}"), 1

    def tell(self, problem, state, arm, tally):
        state["arm"] = str((arm + 1) % problem.arms)

    def recommend(self, problem, state, rng):
        return 0


@pytest.mark.slow
def test_a_policy_that_cannot_be_compiled_runs_in_plain_python_with_one_warning(
    shop: tuple[cb.World, cb.Problem], recwarn: pytest.WarningsRecorder
) -> None:
    with pytest.warns(RuntimeWarning, match="words cannot be compiled .* plain Python"):
        first = cb.simulate(*shop, Words(), runs=2, seed=1)
    second = cb.simulate(*shop, Words(), runs=2, seed=1)
    assert len(recwarn) == 0
    np.testing.assert_array_equal(first.pulls["words"], second.pulls["words"])
    assert first.pulls["words"].sum() > 40
    with pytest.raises(cb.InputError, match="words cannot be compiled"):
        cb.simulate(*shop, Words(), runs=2, compiled=True)


@cb.record
class Held:
    sums: np.ndarray


class Allocating(cb.Policy):
    """A policy whose ask and tell allocate arrays, which compiled code allows at a price."""

    kind = "allocating"
    reads = "rewards"

    def init(self, problem):
        return Held(np.zeros(problem.arms))

    def ask(self, problem, state, pending, left, rng):
        return np.argmax(state.sums + np.ones(problem.arms)), 1

    def tell(self, problem, state, arm, tally):
        new = state.sums.copy()
        new[arm] -= 1.0
        state.sums = new

    def recommend(self, problem, state, rng):
        return 0


def test_a_policy_that_allocates_is_compiled_too(shop: tuple[cb.World, cb.Problem]) -> None:
    fast = cb.simulate(*shop, Allocating(), runs=3, seed=1, compiled=True)
    slow = cb.simulate(*shop, Allocating(), runs=3, seed=1, compiled=False)
    np.testing.assert_array_equal(fast.pulls["allocating"], slow.pulls["allocating"])
    assert fast.pulls["allocating"].max() - fast.pulls["allocating"].min() <= 2


def test_the_user_sees_an_error_that_a_policy_raises(shop: tuple[cb.World, cb.Problem]) -> None:
    class Wrong(Words):
        kind = "wrong"

        def ask(self, problem, state, pending, left, rng):
            raise RuntimeError("the user's own words")

    with pytest.raises(RuntimeError, match="the user's own words"):
        cb.simulate(*shop, Wrong(), runs=1, compiled=False)


def test_a_compiled_policy_may_print_and_raise(
    shop: tuple[cb.World, cb.Problem], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="five is enough"):
        cb.simulate(*shop, Talking(), runs=1, compiled=True)
    assert "three 3" in capfd.readouterr().out


@cb.record
class Counter:
    rounds: int


class Talking(cb.Policy):
    """Prints after three rounds and gives up after five."""

    kind = "talking"
    reads = "rewards"

    def init(self, problem):
        return Counter(0)

    def ask(self, problem, state, pending, left, rng):
        if state.rounds == 3:
            print("three", state.rounds)
        if state.rounds == 5:
            raise ValueError("five is enough")
        return 0, 1

    def tell(self, problem, state, arm, tally):
        state.rounds += tally.rounds

    def recommend(self, problem, state, rng):
        return 0
