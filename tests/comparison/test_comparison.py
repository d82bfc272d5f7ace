"""The comparison of our policies with the paper's: its worlds are what they are said to be, and its claims hold."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.comparison import cases, find, worlds
from causalbandits.papers import OURS, paper_named
from causalbandits.regret import best_reward
from causalbandits.studies.report import claims_of, write_report
from causalbandits.studies.run import reproduce, select
from causalbandits.studies.study import LEFT, LOST, LOST_IN_THE_END, Axis, Paper, Part, Study

for module in ("matplotlib", "jinja2", "scipy"):
    pytest.importorskip(module, reason="the extra [report] is not installed")

ROOT = Path(__file__).parents[2]
VERDICTS = {"holds", "fails", "inconclusive", "not testable"}
NOT_REACHED = {
    "A2",
    "B2",
}  # 0.7 of γ-NB-ALG's simple regret where hardly anything can be learned: docs/policies/top-two.md says why


def compare(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "causalbandits", "compare", *words], capture_output=True, text=True, check=False
    )


def test_its_claims_hold_or_fail_and_are_not_reproduced(tmp_path: Path) -> None:
    done = write_report(select(paper_named(OURS), ["cases"]), tmp_path, runs=3)
    assert {claim["verdict"] for claim in claims_of(done)} <= VERDICTS
    page = (tmp_path / "index.html").read_text()
    assert "reproduced" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    assert "the best arm is never seen by watching" in page


@pytest.mark.slow
def test_the_command_writes_a_report_of_claims_that_hold_or_fail(tmp_path: Path) -> None:
    answer = compare("--only", "cases", "--runs", "20", "--seed", "2", "--out", str(tmp_path / "a"), "--json")
    assert answer.returncode == 0, answer.stderr
    claims = json.loads(answer.stdout)
    assert [claim["id"] for claim in claims] == ["R1", "R2", "R3"]
    assert {claim["verdict"] for claim in claims} <= VERDICTS
    assert (
        json.loads((tmp_path / "a" / "report.json").read_text())["command"]
        == "causalbandits compare --only cases --runs 20 --seed 2"
    )
    again = compare("--only", "R1", "--runs", "20", "--seed", "2", "--out", str(tmp_path / "b"))
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "a" / "data" / "cases.csv").read_bytes() == (tmp_path / "b" / "data" / "cases.csv").read_bytes()


def test_a_part_that_is_not_there_is_answered_with_one_sentence(tmp_path: Path) -> None:
    answer = compare("--only", "5", "--out", str(tmp_path / "a"))
    assert answer.returncode != 0
    assert "worlds-earn" in answer.stderr
    assert answer.stderr.count("\n") == 1
    paper = subprocess.run(
        [sys.executable, "-m", "causalbandits", "paper", OURS], capture_output=True, text=True, check=False
    )
    assert paper.returncode != 0  # it is not a paper
    assert "nair2021" in paper.stderr


def test_random_worlds_are_those_of_the_claim() -> None:
    numbers, times, costs, sizes, values = worlds.NUMBERS, [], [], [], []
    for number in numbers:
        world, problem = worlds.random_world(number)
        assert problem.teaches.all()
        assert problem.budget >= sum(problem.costs)
        times.append(problem.budget / sum(problem.costs))
        costs += [cost / 1e6 for cost in problem.costs[1:]]
        sizes.append(len(world.graph.variables) - 1)
        values += [len(variable.values) for variable in world.graph.variables if variable.name != "Y"]
    assert len(numbers) == 100
    assert (min(sizes), max(sizes)) == (3, 30)
    assert (min(values), max(values)) == (2, 4)
    assert 1 <= min(costs) < 1.1
    assert 18 < max(costs) <= 20
    assert min(times) < 1.3
    assert 80 < max(times) <= 101


def test_one_who_knows_the_two_rare_arms_errs_as_often_as_a_simulation_says() -> None:
    rng = np.random.default_rng(1)
    runs, budget = 200_000, 400
    n1, n2 = rng.binomial(budget, 0.02, runs), rng.binomial(budget, 0.02, runs)
    s1, s2 = rng.binomial(n1, 0.8), rng.binomial(n2, 0.5)
    ratio = (s1 - s2) * np.log(0.8 / 0.5) + (n1 - s1 - n2 + s2) * np.log(0.2 / 0.5)
    lost = 0.3 * ((ratio < -1e-9) + 0.5 * (abs(ratio) <= 1e-9))
    assert find.knowing(budget) == pytest.approx(lost.mean(), abs=5 * lost.std() / runs**0.5)


def test_shares_of_money_in_several_worlds_are_averages_over_runs() -> None:
    study = Study("s", Axis("share", "share"), [0.5, 1.0], cases.case, [cb.CausalKL()], 5, [LOST], worlds=[2, 4, 5])
    part = Part("p", "title", "question", [study], [], lambda data: [], [])
    curves = reproduce(Paper("made-up", "title", "reference", [part], []), seed=3).data["s"]
    assert curves.runs == 3
    assert curves.samples["share_lost"]["causal-kl"].shape == (2, 3)
    for i, number in enumerate(study.worlds):
        world, problem = cases.case(number)
        result = cb.simulate(world, problem, cb.CausalKL(), runs=5, seed=3, checkpoints=[1000, 2000])
        best = best_reward(problem, result.means, problem.budget)
        expected = result.cumulative_regret["causal-kl"].mean(axis=0) / best
        assert curves.samples["share_lost"]["causal-kl"][:, i] == pytest.approx(expected, abs=1e-12)
        assert LOST_IN_THE_END.of(result)["causal-kl"].mean() == pytest.approx(expected[-1])


def test_money_that_could_buy_something_is_told_from_money_that_could_not() -> None:
    world = cb.worlds.parallel(p=[0.3], epsilon=0.2)
    whole, dear = world.problem(budget=100, cost=1), world.problem(budget="100.5", cost=1)
    for problem in (whole, dear):
        result = cb.simulate(world, problem, cb.CausalKL(), runs=4, seed=1)
        assert (LEFT.of(result)["causal-kl"] == 0).all()
    stops = cb.simulate(
        world, world.problem(budget=100, cost=30), cb.ParallelBandit(), runs=4, seed=1
    )  # it leaves what whole rounds cannot use
    assert (stops.left_over["pb"] >= 1).any()
    assert (LEFT.of(stops)["pb"] == (stops.left_over["pb"] >= 1)).all()


@pytest.mark.slow
def test_our_claims_hold_and_the_documents_show_them(tmp_path: Path) -> None:
    assert compare("--out", str(tmp_path)).returncode == 0
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert {claim["id"] for claim in claims if claim["verdict"] == "fails"} <= NOT_REACHED
    assert sum(claim["verdict"] == "holds" for claim in claims) >= len(claims) - len(NOT_REACHED) - 2
    update = runpy.run_path(str(ROOT / "docs" / "update.py"))
    assert update["verdicts"](tmp_path, "we claim") in (ROOT / "docs" / "comparison.md").read_text()
    assert update["summary"](tmp_path) in (ROOT / "docs" / "comparison.md").read_text()
