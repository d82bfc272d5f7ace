"""A user's own policy: compiled if Numba can, cached between processes, never stale; plain Python otherwise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.fingerprint import fingerprint

SKELETON = re.search(r"```python\n(.*?)```", (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(), re.DOTALL)[1]  # type: ignore[index]


def process(folder: Path, code: str, **environment: str) -> str:
    """What a new Python process prints that runs this code in a folder, with a compile cache of that folder's own."""
    settings = {**os.environ, "CAUSALBANDITS_CACHE_DIR": str(folder / "cache"), **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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
def test_what_cannot_be_compiled_runs_in_plain_python_and_says_so_once(
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


def test_an_error_inside_a_policy_is_the_users_to_see(shop: tuple[cb.World, cb.Problem]) -> None:
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


def test_labels_tell_parameters_apart_to_the_last_digit() -> None:
    assert cb.CRMNB(exploration=8).label == "crm-nb(exploration=8)"
    assert cb.CRMNB(exploration=2.0000001).label != cb.CRMNB(exploration=2.0000002).label
    assert cb.CRMNB().label == "crm-nb"


MODULE = SKELETON.split("world = cb.worlds")[0] + "\nEXTRA = {extra}\n"
USE = """
import numba, causalbandits as cb
from mine import EpsilonGreedy
from causalbandits.engine.compile import code_of, compiled_loop
world = cb.worlds.marketing()
result = cb.simulate(world, world.problem(budget=60, cost=2), EpsilonGreedy(), runs=3, seed=1, threads=1)
stats = [compiled_loop(EpsilonGreedy, code_of(EpsilonGreedy), allocates=a).stats for a in (False, True)]
print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats), result.pulls["epsilon-greedy"].tolist())
"""


@pytest.mark.slow
def test_a_compiled_policy_is_loaded_from_disk_by_the_next_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    hits, misses, pulls = process(tmp_path, USE).split(maxsplit=2)
    assert (hits, misses > "0") == ("0", True)
    assert process(tmp_path, USE).split(maxsplit=2) == ["1", "0", pulls]


@pytest.mark.slow
def test_a_damaged_cache_is_compiled_over(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    pulls = process(tmp_path, USE).split(maxsplit=2)[2]
    for file in (tmp_path / "cache").glob("*.nbc"):
        file.write_bytes(b"damaged")
    assert process(tmp_path, USE).split(maxsplit=2)[1:] == ["1", pulls]


SUM = """from numba import njit
from constants import K
import helpers


@njit
def own():
    return 0


"""


@pytest.mark.slow
def test_no_edit_of_a_policy_or_of_what_it_uses_runs_stale_code(tmp_path: Path) -> None:
    """The arm is a sum of what stands in four places: each is edited in turn, and the next process plays the arm after the last."""
    policy = (
        MODULE.format(extra=1)
        .replace("< self.epsilon", "< 2.0")
        .replace("return cb.below(rng, problem.arms), 1", "return 1 + K + own() + helpers.f(), 1")
    )
    files = {
        "constants.py": "K = 0\n",
        "helpers.py": "from numba import njit\n\n\n@njit\ndef f():\n    return 0\n",
        "mine.py": SUM + policy,
    }
    edits = [
        ("mine.py", "return 1 + K", "return 2 + K"),  # the policy's own source
        ("constants.py", "K = 0", "K = 1"),  # a constant imported from another module
        ("mine.py", "return 0", "return 1"),  # a helper beside the policy
        ("helpers.py", "return 0", "return 1"),  # a helper in another file
    ]
    arms = []
    for name, old, new in [("mine.py", "", ""), *edits]:
        assert old in files[name]
        files[name] = files[name].replace(old, new)
        for file, text in files.items():
            (tmp_path / file).write_text(text)
        pulls = np.array(eval(process(tmp_path, USE, PYTHONDONTWRITEBYTECODE="1").split(maxsplit=2)[2]))
        arms.append(np.flatnonzero(pulls.sum(axis=(0, 1))).tolist())
    assert arms == [[1], [2], [3], [4], [5]]


@pytest.mark.slow
def test_no_edit_of_a_part_outside_of_the_engine_runs_stale_code_where_python_calls_it(tmp_path: Path) -> None:
    """Live policies are plain Python and call such parts: compiled alone and kept on disk, one must not outlive its source or what it uses."""
    text = "from causalbandits.engine.bridge.cache import lean\n\nK = 1\n\n\n@lean\ndef f(x):\n    return 2 * x + K\n"
    found = []
    for edited in (text, text.replace("2 * x", "5 * x"), text.replace("K = 1", "K = 3"), text):
        (tmp_path / "mine.py").write_text(edited)
        found.append(process(tmp_path, "from mine import f; print(f(10))", PYTHONDONTWRITEBYTECODE="1").strip())
    assert found == ["21", "51", "23", "21"]


@pytest.mark.slow
def test_a_helper_of_the_users_own_may_allocate(tmp_path: Path) -> None:
    """Numba remembers that the helper could not be compiled where nothing may be allocated, and would not try again where it may."""
    helper = "from numba import njit\n\n\n@njit\ndef top(values):\n    return values.max()\n\n\n"
    (tmp_path / "mine.py").write_text(
        helper + MODULE.format(extra=1).replace("< self.epsilon", "< self.epsilon + 0 * top(state.pulls)")
    )
    alone = process(tmp_path, USE.replace("EpsilonGreedy()", "EpsilonGreedy(), compiled=True"))
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    assert alone.split(maxsplit=2)[2] == process(tmp_path, USE).split(maxsplit=2)[2]


def test_the_fingerprint_sees_globals_callees_and_constants() -> None:
    def build(constant: int, callee: str) -> str:
        space: dict[str, object] = {}
        exec(
            f"LIMIT = {constant}\ndef helper(x):\n    return {callee}\ndef ask(x):\n    return helper(x) + LIMIT", space
        )
        return fingerprint(space["ask"])  # type: ignore[arg-type]

    assert build(1, "x") == build(1, "x")
    assert len({build(1, "x"), build(2, "x"), build(1, "x + 1")}) == 3


@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_written_costs_time_and_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    cost = "every process compiles anew, some seconds per policy; set CAUSALBANDITS_CACHE_DIR to a folder that can be written"
    code = (
        "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('always')\n    import causalbandits as cb\n"
        "    w = cb.worlds.marketing()\n    r = cb.simulate(w, w.problem(budget=20, cost=2), cb.UCB(), runs=1, threads=1)\n"
        f"print(len([s for s in seen if {cost!r} in str(s.message)]), int(r.pulls['ucb'].sum()) > 0)"
    )
    assert process(tmp_path, code, CAUSALBANDITS_CACHE_DIR=str(tmp_path / "file" / "cache")).split() == ["1", "True"]


@pytest.mark.slow
def test_a_disk_that_is_full_costs_time_alone(tmp_path: Path) -> None:
    """What cannot be kept is compiled anew by the next process."""
    full = """
import numba.core.caching as caching
def save(self, key, data):
    raise OSError(28, "No space left on device")
caching.IndexDataCacheFile.save = save
"""
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    assert process(tmp_path, full + USE).split(maxsplit=2)[2] == process(tmp_path, USE).split(maxsplit=2)[2]
