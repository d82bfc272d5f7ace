"""The cache of compiled code: loaded by the next process, never stale, and never in the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ..own_policy import MODULE, USE, process


@pytest.mark.slow
def test_a_compiled_policy_is_loaded_from_disk_by_the_next_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    hits, misses, pulls = process(tmp_path, USE).split(maxsplit=2)
    assert (hits, misses > "0") == ("0", True)
    assert process(tmp_path, USE).split(maxsplit=2) == ["1", "0", pulls]


@pytest.mark.slow
def test_a_damaged_cache_is_replaced_by_compiling_again(tmp_path: Path) -> None:
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
def test_an_edited_policy_is_never_stale_whatever_was_edited(tmp_path: Path) -> None:
    """The arm is the sum of numbers in four places.

    Each number is raised by one in turn, so every new process must play the next arm.
    """
    policy = (
        MODULE.format(extra=1)
        .replace("< self.epsilon", "< 2.0")
        .replace("return cb.below(rng, view.arms), 1", "return 1 + K + own() + helpers.f(), 1")
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
def test_an_edited_compiled_function_that_python_calls_is_never_stale(tmp_path: Path) -> None:
    """Live policies are plain Python. The functions that they call are compiled alone and kept on disk.

    A kept function must not be used after its source, or a value that it uses, has changed.
    """
    text = "from causalbandits.engine.bridge.cache import lean\n\nK = 1\n\n\n@lean\ndef f(x):\n    return 2 * x + K\n"
    found = []
    for edited in (text, text.replace("2 * x", "5 * x"), text.replace("K = 1", "K = 3"), text):
        (tmp_path / "mine.py").write_text(edited)
        found.append(process(tmp_path, "from mine import f; print(f(10))", PYTHONDONTWRITEBYTECODE="1").strip())
    assert found == ["21", "51", "23", "21"]


@pytest.mark.slow
def test_a_helper_of_the_user_may_allocate(tmp_path: Path) -> None:
    """The helper cannot be compiled where nothing may be allocated, and Numba remembers that.

    It must try again where allocation is allowed.
    """
    helper = "from numba import njit\n\n\n@njit\ndef top(values):\n    return values.max()\n\n\n"
    (tmp_path / "mine.py").write_text(
        helper + MODULE.format(extra=1).replace("< self.epsilon", "< self.epsilon + 0 * top(state.pulls)")
    )
    alone = process(tmp_path, USE.replace("EpsilonGreedy()", "EpsilonGreedy(), compiled=True"))
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    assert alone.split(maxsplit=2)[2] == process(tmp_path, USE).split(maxsplit=2)[2]


@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_written_costs_time_and_gives_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    cost = (
        "every process compiles anew, some seconds per policy; "
        "set CAUSALBANDITS_CACHE_DIR to a folder that can be written"
    )
    code = (
        "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n    import causalbandits as cb\n    w = cb.worlds.marketing()\n"
        "    r = cb.simulate(w, w.problem(budget=20, cost=2), cb.UCB(), runs=1, threads=1)\n"
        f"print(len([s for s in seen if {cost!r} in str(s.message)]), int(r.pulls['ucb'].sum()) > 0)"
    )
    assert process(tmp_path, code, CAUSALBANDITS_CACHE_DIR=str(tmp_path / "file" / "cache")).split() == ["1", "True"]


@pytest.mark.slow
def test_a_full_disk_costs_only_time(tmp_path: Path) -> None:
    """What cannot be kept is compiled anew by the next process."""
    full = """
import numba.core.caching as caching
def save(self, key, data):
    raise OSError(28, "No space left on device")
caching.IndexDataCacheFile.save = save
"""
    (tmp_path / "mine.py").write_text(MODULE.format(extra=1))
    assert process(tmp_path, full + USE).split(maxsplit=2)[2] == process(tmp_path, USE).split(maxsplit=2)[2]
