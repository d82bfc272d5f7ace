"""Results: saved, loaded and repeated; looked up by name; as tables."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.simulation.results import PerPolicy
from causalbandits.simulation.sketches import Sketch

from ..fixed import Fixed


def bounded_world() -> cb.World:
    """A reward of 0, 1 or 3, a hidden cause, and rows of probabilities that do not sum to 1 exactly in floats."""
    return cb.World(
        [
            cb.node("U", {"a": 0.1, "b": 0.2, "c": 0.7}, hidden=True),
            cb.node("X", ["low", "high"], given="U", table={"a": 0.7, "b": 0.1, "c": 0.6}),
            cb.node("Z", {0: 0.3, 1: 0.7}, intervenable=False),
            cb.node(
                "Y",
                [0, 1, 3],
                given=["X"],
                table={"low": [0.6, 0.3, 0.1], "high": [0.3, 0.6, 0.1]},
                parents=["X", "U", "Z"],
            ),
        ],
        reward="Y",
        reference="test",
    )


@cache
def case(name: str) -> cb.Result:
    """A small simulation of each sort; made once."""
    options = {"runs": 6, "seed": 12, "progress": False}
    if name == "budget":
        world = cb.worlds.parallel([0.02, 0.3], 0.3)
        return cb.simulate(
            world, world.problem(budget=60.5, cost=1.1), [cb.CRMNB(), cb.GammaNB()], checkpoints=[7, 60], **options
        )
    if name == "horizon":
        world = cb.worlds.confounded_chain()
        return cb.simulate(
            world, world.problem(horizon=40, observe=False, reveal_parents=True), [cb.CUCB(), cb.UCB()], **options
        )
    if name == "linear":
        nodes = [cb.node("A", {-1: 0.2, 0.5: 0.8}), cb.linear("Y", {"A": 0.7}, noise=0.3, intercept=1.5)]
        world = cb.World(nodes, reward="Y")
        return cb.simulate(world, world.problem(horizon=30), cb.UCB(), **options)
    if name == "costs":
        world = cb.worlds.marketing()
        problem = world.problem(
            budget=99, cost={"Image": 2.5, "Promotion": 0.000001}, arms=["Image", "do(Image=large, Promotion=no)"]
        )
        return cb.simulate(world, problem, [cb.FKube(exploration=0.1, name="bold"), cb.FKube()], **options)
    if name == "bounded":
        world = bounded_world()
        return cb.simulate(world, world.problem(budget=50, cost=[0.5, 1.5, 2]), cb.FKube(), **options)
    world = cb.worlds.random_world(np.random.default_rng(5), variables=4)
    return cb.simulate(world, world.problem(budget=80, cost=2.5), [cb.CRMNB(exploration=1), cb.UCB()], **options)


@pytest.fixture(params=["budget", "horizon", "linear", "costs", "bounded", "random"])
def result(request: pytest.FixtureRequest) -> cb.Result:
    return case(request.param)


def assert_same_arrays(one: cb.Result, other: cb.Result) -> None:
    for kind in ("pulls", "recommended", "left_over", "simple_regret", "cumulative_regret"):
        first, second = getattr(one, kind), getattr(other, kind)
        assert list(first) == list(second)
        for label in first:
            assert first[label].dtype == second[label].dtype
            np.testing.assert_array_equal(first[label], second[label], err_msg=f"{kind} of {label}")


def reloaded(result: cb.Result, folder: Path) -> cb.Result:
    result.save(folder / "result")
    return cb.load(folder / "result")


def test_a_loaded_result_has_the_arrays_that_were_saved(result: cb.Result, tmp_path: Path) -> None:
    loaded = reloaded(result, tmp_path)
    assert_same_arrays(result, loaded)
    np.testing.assert_array_equal(loaded.checkpoints, result.checkpoints)
    assert (loaded.runs, loaded.seed, loaded.versions) == (result.runs, result.seed, result.versions)
    assert str(loaded.summary()) == str(result.summary())


def test_a_loaded_result_has_the_world_the_problem_and_the_policies_that_were_saved(
    result: cb.Result, tmp_path: Path
) -> None:
    loaded = reloaded(result, tmp_path)
    assert loaded.world.graph == result.world.graph
    assert (loaded.world.reward, loaded.world.reference) == (result.world.reward, result.world.reference)
    for kind in ("arms", "costs", "budget", "horizon", "strict", "reward", "observes"):
        assert getattr(loaded.problem, kind) == getattr(result.problem, kind)
    np.testing.assert_array_equal(loaded.problem.parents, result.problem.parents)
    assert list(loaded.policies) == list(result.policies)


def test_a_loaded_world_has_the_saved_probabilities_to_the_last_bit(result: cb.Result, tmp_path: Path) -> None:
    loaded = reloaded(result, tmp_path)
    np.testing.assert_array_equal(loaded.means, result.means)
    for name, mechanism in result.world.mechanisms.items():
        if result.world.graph[name].values:
            np.testing.assert_array_equal(
                loaded.world.mechanisms[name].probabilities, mechanism.probabilities, err_msg=name
            )
        else:
            assert loaded.world.mechanisms[name] == mechanism


def test_simulating_again_what_was_loaded_gives_the_same_arrays(result: cb.Result, tmp_path: Path) -> None:
    loaded = reloaded(result, tmp_path)
    again = cb.simulate(
        loaded.world,
        loaded.problem,
        loaded.policies,
        runs=loaded.runs,
        seed=loaded.seed,
        checkpoints=loaded.checkpoints.tolist(),
        progress=False,
    )
    assert_same_arrays(result, again)


def test_a_saved_result_is_one_file_under_the_name_given(tmp_path: Path) -> None:
    case("budget").save(tmp_path / "my.result")
    assert [path.name for path in tmp_path.iterdir()] == ["my.result"]


def garbage(kind: str, path: Path) -> None:
    case("budget").save(path)
    whole = path.read_bytes()
    if kind == "text":
        path.write_text("regret: none")
    elif kind == "an empty file":
        path.write_bytes(b"")
    elif kind == "half a result":
        path.write_bytes(whole[: len(whole) // 2])
    elif kind == "a damaged result":
        path.write_bytes(whole[:200] + bytes(100) + whole[300:])
    elif kind == "another array":
        with path.open("wb") as file:
            np.save(file, np.arange(3))
    elif kind == "other arrays":
        with path.open("wb") as file:
            np.savez(file, pulls=np.arange(3))
    elif kind == "other JSON":
        with path.open("wb") as file:
            np.savez(file, about=np.frombuffer(b"{}", dtype=np.uint8))
    elif kind == "a folder":
        path.unlink()
        path.mkdir()


@pytest.mark.parametrize(
    "kind",
    [
        "text",
        "an empty file",
        "half a result",
        "a damaged result",
        "another array",
        "other arrays",
        "other JSON",
        "a folder",
    ],
)
def test_a_file_that_is_not_a_saved_result_is_refused_in_one_sentence(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "result"
    garbage(kind, path)
    with pytest.raises(cb.InputError, match=r"result' [^\n]*\.$"):
        cb.load(path)


def test_a_missing_file_is_named_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError, match=r"^There is no file '[^\n]*nothing-here'\.$"):
        cb.load(tmp_path / "nothing-here")


def test_a_loaded_policy_must_be_known(tmp_path: Path) -> None:
    world = cb.worlds.parallel([0.3], 0.1)
    cb.simulate(world, world.problem(horizon=5), Fixed(arm=1), runs=1, progress=False).save(tmp_path / "result")
    with pytest.raises(cb.InputError, match="policy 'fixed', which is not registered"):
        cb.load(tmp_path / "result")


def test_a_table_has_a_row_per_policy_run_and_checkpoint_with_the_right_numbers(result: cb.Result) -> None:
    pytest.importorskip("pandas", reason="pandas is an extra")
    table = result.to_pandas()
    assert len(table) == len(result.policies) * result.runs * len(result.checkpoints)
    rows = iter(table.to_dict("records"))
    for label in result.pulls:
        for run in range(result.runs):
            for i, checkpoint in enumerate(result.checkpoints):
                assert next(rows) == {
                    "policy": label,
                    "run": run,
                    "checkpoint": checkpoint,
                    "cumulative_regret": result.cumulative_regret[label][run, i],
                    "simple_regret": result.simple_regret[label][run],
                    "recommended": str(result.problem.arms[result.recommended[label][run]]),
                    "left_over": result.left_over[label][run],
                }


def test_a_summary_is_the_mean_over_runs_at_the_last_checkpoint(result: cb.Result) -> None:
    summary = result.summary()
    assert list(summary) == list(result.pulls)
    for label, row in summary.items():
        assert row.simple_regret.mean == np.mean(result.simple_regret[label])
        assert row.cumulative_regret.mean == np.mean(result.cumulative_regret[label][:, -1])
        assert row.cumulative_regret.standard_error == pytest.approx(
            np.std(result.cumulative_regret[label][:, -1], ddof=1) / np.sqrt(result.runs)
        )
        assert row.left_over == np.mean(result.left_over[label])
        assert label in str(summary)
        assert f"{row.cumulative_regret.mean:.4g}" in str(summary)


def two_of_a_kind(*policies: cb.Policy) -> cb.Result:
    world = cb.worlds.parallel([0.3, 0.4], 0.2)
    return cb.simulate(world, world.problem(budget=40, cost=1.5), policies, runs=3, seed=9, progress=False)


def test_a_kind_finds_the_only_policy_of_that_kind() -> None:
    result = two_of_a_kind(cb.FKube(exploration=0.5), cb.GammaNB())
    assert list(result.pulls) == ["f-kube(exploration=0.5)", "gamma-nb"]
    assert result.pulls["f-kube"] is result.pulls["f-kube(exploration=0.5)"]
    assert result.summary()["f-kube"] == result.summary()["f-kube(exploration=0.5)"]


def test_two_policies_of_a_kind_are_told_apart_by_their_parameters_or_names() -> None:
    result = two_of_a_kind(
        cb.FKube(exploration=0.01), cb.FKube(exploration=8), cb.FKube(), cb.FKube(exploration=0.01, name="calm")
    )
    assert list(result.pulls) == ["f-kube(exploration=0.01)", "f-kube(exploration=8)", "f-kube", "calm"]
    assert (result.pulls["f-kube(exploration=0.01)"] != result.pulls["f-kube(exploration=8)"]).any()
    # a name changes nothing else
    np.testing.assert_array_equal(result.pulls["calm"], result.pulls["f-kube(exploration=0.01)"])
    assert result.pulls["f-kube"] is not result.pulls["f-kube(exploration=8)"]


def test_an_ambiguous_kind_and_an_unknown_kind_are_refused_with_the_choices() -> None:
    result = two_of_a_kind(cb.FKube(exploration=0.01), cb.FKube(exploration=8))
    for name in ("f-kube", "ucb"):
        with pytest.raises(
            KeyError, match=r"did you mean|choose from: f-kube\(exploration=0.01\), f-kube\(exploration=8\)"
        ):
            result.pulls[name]


def test_a_kind_finds_a_policy_that_has_another_name() -> None:
    """As PerPolicy says: a kind alone will do where only one policy is of that kind."""
    result = two_of_a_kind(cb.FKube(name="ours"), cb.GammaNB(name="f-kube(not)"))
    assert result.pulls["f-kube"] is result.pulls["ours"]


def test_the_repr_of_a_result_and_of_a_trace_is_one_line() -> None:
    world = cb.worlds.marketing()
    problem = world.problem(budget=50, cost=2)
    assert (
        repr(cb.simulate(world, problem, "ucb", runs=3, progress=False))
        == "Result(ucb; 3 runs of Problem(9 arms, budget 50), seed 0)"
    )
    assert repr(cb.trace(world, problem, "ucb")).startswith("Trace(")
    assert len(repr(cb.trace(world, problem, "ucb"))) < 80


def test_a_summary_shows_no_regret_below_0_and_no_rounding_errors() -> None:
    """The band of a mean of 1/6 from one run of six would begin below 0."""
    result = case("budget")
    of_kind = result.pulls.kinds
    best, worst = int(result.means.argmax()), int(result.means.argmin())
    recommended = {label: np.full(6, worst) for label in of_kind}
    recommended["crm-nb"] = np.array([best] * 5 + [worst])
    changed = dataclasses.replace(result, recommended=PerPolicy(recommended, of_kind))
    summary = changed.summary()
    seldom, always = summary["crm-nb"].simple_regret, summary["gamma-nb"].simple_regret
    assert cb.regret.Estimate.of(changed.simple_regret["crm-nb"]).low < 0 == seldom.low < seldom.mean < seldom.high
    assert (always.standard_error, always.low, always.high) == (0, always.mean, always.mean)
    row = next(line for line in str(summary).splitlines() if line.startswith("gamma-nb"))
    assert f"{always.mean:.4g} ± 0 {always.mean:.4g} to {always.mean:.4g}" in " ".join(row.split())
    assert not re.search(r"e-\d|\[-| -\d", str(summary))


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7])
def test_the_same_value_in_all_runs_has_no_error(value: float) -> None:
    """numpy's standard deviation of 1000 times 0.1 is 1.4e-17."""
    sample = np.full(1000, value)
    assert np.std(np.full(1000, 0.1)) > 0
    assert cb.regret.Estimate.of(sample) == cb.regret.Estimate(value, 0.0, value, value)
    assert Sketch.of(sample).estimate.standard_error == 0
