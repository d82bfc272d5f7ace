"""The user's own policy of CONTRIBUTING.md, as a module that a new process can import."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SKELETON = re.search(r"```python\n(.*?)```", (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(), re.DOTALL)[1]  # type: ignore[index]


def process(folder: Path, code: str, **environment: str) -> str:
    """The output of a new Python process that runs this code in a folder. Compiled code is kept in that folder."""
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


MODULE = SKELETON.split("world = cb.worlds")[0] + "\nEXTRA = {extra}\n"
USE = """
import numba, causalbandits as cb
from mine import EpsilonGreedy
from causalbandits.engine.compile import code_of, compiled_loop
world = cb.worlds.marketing()
result = cb.simulate(world, world.problem(budget=60, cost=2), EpsilonGreedy(), runs=3, seed=1, threads=1)
stats = [compiled_loop(EpsilonGreedy, code_of(EpsilonGreedy), allocates=a).stats for a in (False, True)]
hits = sum(sum(s.cache_hits.values()) for s in stats)
misses = sum(sum(s.cache_misses.values()) for s in stats)
print(hits, misses, result.pulls["epsilon-greedy"].tolist())
"""
