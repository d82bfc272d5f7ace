"""Waiting times and memory that a user notices: importing, the first result of a policy, a million runs.

Each is measured in a new Python process. Times are wall-clock times from the first line of the program, so that the
start of the interpreter does not count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from causalbandits.policies import REGISTRY

from .clock import REPEATS, Entry

IMPORT = "import time; start = time.perf_counter(); import causalbandits as cb; print(time.perf_counter() - start)"
FIRST = """
import time
start = time.perf_counter()
import causalbandits as cb
policy = cb.policies.REGISTRY[{kind!r}]()
if policy.reads.name in ("parents", "both"):
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=1000, observe=False, reveal_parents=True)
else:
    world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    problem = world.problem(budget=3000, cost=2)
cb.simulate(world, problem, policy, runs=100, seed=1).summary()
print(time.perf_counter() - start)
"""
MILLION = """
import sys
from pathlib import Path
import causalbandits as cb
world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
cb.simulate(world, world.problem(budget=100, cost=60), "obs", runs=1_000_000, seed=1, keep="summary").summary()
status = Path("/proc/self/status")
if status.exists():  # because ru_maxrss includes the memory of the parent process
    print(next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1000)
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))
"""


def feel() -> Iterator[Entry]:
    """Every measurement, one after the other."""
    child(IMPORT)
    yield Entry(
        "importing the package",
        statistics.median(child(IMPORT) for _ in range(REPEATS)),
        "s",
        0.35,
        f"median of {REPEATS}",
    )
    for kind in REGISTRY:
        with tempfile.TemporaryDirectory() as folder:
            code = FIRST.format(kind=kind)
            cold = child(code, folder)
            warm = statistics.median(child(code, folder) for _ in range(3))
        yield Entry(f"first result of {kind}, from the disk cache", warm, "s", 0.8, "median of 3, importing included")
        yield Entry(f"first result of {kind}, nothing compiled yet", cold, "s", 4, "once, importing included")
    yield Entry("memory of a million runs of OBS-ALG, keep=summary", child(MILLION), "MB", 500, "most resident memory")


def child(code: str, cache: str | None = None) -> float:
    """The number that a new Python process prints. `cache` is a folder for compiled code, if it should have its own."""
    environment = {**os.environ, **({"CAUSALBANDITS_CACHE_DIR": cache} if cache else {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has bytecode
    process = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(process.stdout)
