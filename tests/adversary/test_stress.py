"""The adversary finds a planted weakness, its files reproduce the finding, and the same seed finds the same."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.adversary.confirm import Case, Point
from causalbandits.adversary.recipe import Recipe
from causalbandits.adversary.report import problem_text, values_of, write
from causalbandits.adversary.score import Score, exponent, losses, measured, rivals_of, scored
from causalbandits.adversary.search import Limit, search
from causalbandits.adversary.stress import recommendable
from causalbandits.adversary.worlds import world_of
from causalbandits.regret import Estimate

from ..cli.commands import output_of
from .planted import Blinkered

EVALUATIONS = 8


@pytest.fixture(scope="module")
def found() -> cb.Stress:
    return cb.stress(Blinkered(), evaluations=EVALUATIONS, seed=4, cases=1)


def test_a_planted_weakness_is_found(found: cb.Stress) -> None:
    assert (found.evaluations, found.objective) == (EVALUATIONS, "earn")
    assert len(found.findings) >= 1
    worst = found.findings[0]
    assert worst.loss.mean > 0.05
    assert worst.loss.mean > 3 * worst.rival_loss.mean
    assert worst.recipe.is_judged
    assert worst.recipe.rare < 0.01
    usual = losses(replace(worst.recipe, rare=0.5), [Blinkered()], "earn", runs=100, seed=9)
    assert usual["blinkered"].mean() < worst.loss.mean / 3  # it is the rare arm that makes it fail
    with pytest.raises(FrozenInstanceError):
        found.seed = 4  # type: ignore[misc]


def test_the_file_of_a_finding_reproduces_it(found: cb.Stress, tmp_path: Path) -> None:
    case = found.findings[0]
    path = tmp_path / "world.toml"
    path.write_text(problem_text(case, found.seed))
    problem, world = cb.read_problem(path).problem, cb.read_world(path)
    result = cb.simulate(world, problem, [Blinkered(), case.rival], runs=1000, seed=77, progress=False)
    best = cb.regret.best_reward(problem, result.means, problem.budget)
    loss, rival = (result.cumulative_regret[name].mean() / best for name in ("blinkered", case.rival))
    assert loss > 0.05
    assert loss > 3 * rival
    assert loss == pytest.approx(case.loss.mean, abs=6 * math.sqrt(2) * case.loss.standard_error)  # false alarm < 1e-8
    printed = json.loads(output_of("simulate", path, "--policy", case.rival, "--runs", 2, "--json"))
    assert list(printed["policies"]) == [case.rival]


def test_the_folder_has_a_file_and_a_picture_for_each_case(found: cb.Stress, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    names = {path.name for path in write(found, tmp_path / "new")}
    assert names == {f"blinkered-earn-{i + 1}.{end}" for i in range(len(found.cases)) for end in ("toml", "svg")}
    assert all((tmp_path / "new" / name).stat().st_size > 0 for name in names)


@pytest.mark.slow
def test_the_same_seed_finds_the_same() -> None:
    one, again, other = (cb.stress(Blinkered(), evaluations=3, seed=seed, cases=1) for seed in (4, 4, 5))
    assert len(one.cases) == len(other.cases) == 1
    assert one == again
    assert one.cases != other.cases


def test_a_policy_without_the_weakness_passes_a_short_run() -> None:
    good = cb.stress("top-two", evaluations=10, seed=1, cases=1)
    assert good.objective == "find"
    assert good.findings == ()


def test_both_limits_and_the_least_budget_decide() -> None:
    def verdict(loss: float, rival: float, times: float = 20) -> str:
        both = [Estimate.from_moments(mean, 0.0) for mean in (loss, rival)]
        return Case(Recipe(times=times), "earn", "a", "b", *both, *both, ()).verdict

    assert verdict(0.06, 0.019) == "finding"
    assert verdict(0.06, 0.021) == "no finding"
    assert verdict(0.049, 0.0) == "no finding"
    assert verdict(0.06, 0.019, times=19.9) == "small budget"
    assert Score(0.06, "b", 0.019, 0.06, 0.019).severity > 1 > Score(0.06, "b", 0.021, 0.06, 0.021).severity
    assert Score(0.049, "b", 0.0, 0.049, 0.0).severity < 1
    assert Score(0.06).severity == 0


def test_what_is_lost_in_the_mirror_image_is_shown() -> None:
    losses = [Estimate.from_moments(mean, 0.001) for mean in (0.31, 0.02, 0.33, 0.44)]
    points = [Point(times, losses[0], losses[1]) for times in (25.0, 100.0)]
    case = Case(Recipe(), "earn", "ucb", "pb", *losses, tuple(points))
    stress = cb.Stress(cb.UCB(), "earn", 3, 1, (case,))
    assert "In the mirror image: 0.3300 ± 0.001 against 0.4400 ± 0.001." in str(stress)
    (values,) = values_of(stress)["cases"]
    means = [values[name]["mean"] for name in ("loss", "rival_loss", "mirror_loss", "rival_mirror_loss")]
    assert means == [0.31, 0.02, 0.33, 0.44]
    (line,) = [line for line in problem_text(case, 3).splitlines() if "mirror" in line]
    assert line == "# In the mirror image, with all effects reversed: 0.3300 ± 0.001 against 0.4400 ± 0.001"


def test_growth_is_the_exponent_of_regret() -> None:
    assert exponent([1, 4, 16], [0.1, 0.1, 0.1], "earn") == pytest.approx(1)  # a constant share: linear regret
    assert exponent([1, 4, 16], [0.4, 0.1, 0.025], "earn") == pytest.approx(0)
    assert exponent([1, 4], [0.2, 0.1], "find") == pytest.approx(-0.5)
    assert math.isnan(exponent([1, 4], [0.2, 0.0], "find"))


def test_watching_alone_is_no_rival_in_earn_and_the_policy_is_not_its_own() -> None:
    problem = world_of(Recipe(), "earn")[1]
    earn = {rival.kind for rival in rivals_of(cb.UCB(), problem, "earn")}
    find = {rival.kind for rival in rivals_of(cb.UCB(), problem, "find")}
    assert find - earn == {"obs"}
    assert "ucb" not in find
    assert {"causal-kl", "crm-nb", "f-kube", "causal-ts"} <= earn


def test_every_policy_that_may_be_recommended_is_stressed() -> None:
    from causalbandits.advice.recommend import REASONS

    assert {policy.kind for policy, _ in recommendable()} == set(REASONS)
    assert (cb.FactorFind(), "find") in recommendable()
    assert (cb.CausalThompson(), "earn") in recommendable()


@pytest.mark.slow
def test_a_recommended_policy_is_stressed_where_it_is_recommended() -> None:
    recipes: list[Recipe] = []
    limit = Limit(6, None)
    wanted = lambda recipe: bool(recipes.append(recipe)) or not recipe.observe  # noqa: E731
    tried = search(cb.CausalThompson(), "earn", limit, 4, lambda share, text: None, wanted)
    assert len(tried) == 6
    assert len(recipes) > 6
    assert not any(recipe.observe for recipe, _ in tried)
    for case in cb.stress("causal-ts", evaluations=4, seed=3).cases:
        assert cb.recommend_policy(world_of(case.recipe, "earn")[1]).policy == cb.CausalThompson()


@pytest.mark.slow
def test_what_a_policy_cannot_read_is_not_revealed_to_its_rivals() -> None:
    limit = Limit(12, None)

    def told(policy: cb.Policy) -> set[bool]:
        tried = search(policy, "earn", limit, 2, lambda share, text: None, lambda recipe: True)
        return {recipe.reveal for recipe, _ in tried}

    assert told(cb.CausalKL()) == {False}
    assert told(cb.CausalUCB()) == {True}


def test_a_rival_that_only_watches_is_no_rival_to_earn() -> None:
    """Watching is best here, and gamma-nb does nothing else."""
    recipe = Recipe(base=0.0, gap=0.2, watch=0.5, times=60)
    played = measured(recipe, [cb.GammaNB(), cb.CausalKL()], "earn", runs=8, seed=1)
    assert played.watchers == {"gamma-nb"}
    assert played.losses["gamma-nb"].max() < 0.01
    score = scored(cb.UCB(), recipe, "earn", 1)
    assert score is not None
    assert score.rival not in ("", "gamma-nb", "obs", "pb")


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["cusal-kl"], "did you mean 'causal-kl'"),
        (["nowhere.py:Mine"], "no file 'nowhere.py'"),
        (["ucb", "--seconds", 0], "seconds must be above 0"),
        (["ucb", "--evaluations", 0], "evaluations must be a whole number, at least 1"),
        (["ucb", "--seed", -1], "seed must be a whole number"),
        (["ucb", "--objective", "win"], "objective"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(words: list[object], pattern: str) -> None:
    with pytest.raises(cb.InputError, match=pattern):
        output_of("stress", *words)


def test_a_policy_of_ones_own_is_stressed_from_its_file(tmp_path: Path) -> None:
    path = Path(__file__).parent / "planted.py"
    words = ["stress", f"{path}:Blinkered", "--evaluations", 2, "--seed", 1, "--json"]
    values = json.loads(output_of(*words), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert (values["policy"], values["evaluations"], values["seed"]) == ("blinkered", 2, 1)
    with pytest.raises(cb.InputError, match="did you mean 'Blinkered'"):
        output_of("stress", f"{path}:Blinkerd", "--evaluations", 1)
