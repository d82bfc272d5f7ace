"""A policy is one file: the one that CONTRIBUTING shows is put into a copy of the package, and is found everywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import causalbandits

ROOT = Path(__file__).parents[1]
EXAMPLE = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
FOUND = """
import json, runpy, sys
import causalbandits as cb
from causalbandits.testing import check_policy

world = cb.worlds.marketing()
result = cb.simulate(world, world.problem(budget=30, cost=2), "epsilon-greedy", runs=3, compiled=False, progress=False)
print(json.dumps({
    "file": cb.__file__,
    "class": f"{cb.EpsilonGreedy.__module__}.{cb.EpsilonGreedy.__name__}",
    "is listed": "EpsilonGreedy" in dir(cb) and "EpsilonGreedy" in cb.__all__,
    "is registered": cb.policies.REGISTRY["epsilon-greedy"] is cb.EpsilonGreedy,
    "pulls": int(result.pulls["epsilon-greedy"].sum()),
    "report": str(check_policy(cb.EpsilonGreedy(), compiled=False, cases=2)),
    "docs": runpy.run_path(sys.argv[1])["policy_table"](),
}))
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run Python with the copy of the package that has one more file."""
    assert EXAMPLE is not None
    folder = tmp_path_factory.mktemp("package")
    package = folder / "causalbandits"
    shutil.copytree(Path(causalbandits.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    policy = EXAMPLE[1].partition("\nworld = ")[0]  # what follows the class plays it
    (package / "policies" / "epsilon_greedy.py").write_text(policy.rstrip() + "\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
def test_it_is_exported_registered_simulated_checked_and_in_the_table(run: Run) -> None:
    done = run("-P", "-c", FOUND, str(ROOT / "docs" / "update.py"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["class"] == "causalbandits.policies.epsilon_greedy.EpsilonGreedy"
    assert found["file"] != causalbandits.__file__
    assert found["is listed"]
    assert found["is registered"]
    assert found["pulls"] > 0
    assert found["report"].startswith("epsilon-greedy keeps the contract")
    assert re.search(r"^\| `epsilon-greedy` \| `EpsilonGreedy` \|.*Sutton & Barto 2018", found["docs"], re.MULTILINE)


def test_the_command_line_lists_and_cites_it(run: Run) -> None:
    rows = json.loads(run("-P", "-m", "causalbandits", "policies", "--json").stdout)
    (row,) = [row for row in rows if row["name"] == "epsilon-greedy"]
    assert row["class"] == "EpsilonGreedy"
    cited = run("-P", "-m", "causalbandits", "cite", "epsilon-greedy").stdout
    assert "Barto" in cited
    assert "2018" in cited
    assert "@software{causalbandits" in cited


@pytest.mark.slow
def test_the_contract_and_oracle_tests_take_it_and_miss_its_oracle(run: Run) -> None:
    (oracles,) = (ROOT / "tests").rglob("test_oracles.py")
    suites = [str(ROOT / "tests" / "contracts" / "test_policies.py"), str(oracles)]
    collected = run("-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *suites).stdout
    for name in (
        "test_no_budget_is_exceeded_and_what_is_left_is_reported",
        "test_a_policy_chooses_what_its_oracle_chooses_on_random_problems",
    ):
        assert f"{name}[epsilon-greedy]" in collected
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(oracles), "-k", "every_policy_has_an_oracle")
    assert done.returncode == 1
    assert "epsilon-greedy" in done.stdout
