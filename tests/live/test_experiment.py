"""Mistakes in live experiments: one sentence names the mistake and the remedy, and nothing changes."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causalbandits as cb

from ..files.texts import EXAMPLE

SEEN = {"Image": "small", "Description": "short", "Comparison": "none"}


def fresh(problem: cb.Problem | None = None, policy: cb.Policy | None = None) -> cb.Experiment:
    problem = problem or cb.worlds.marketing().problem(budget=60, cost=2)
    return cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "checkout", problem, policy=policy or cb.CRMNB())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"reward": 1, "values": {**SEEN, "Image": "huge"}}, "no value of Image 'huge'; choose from: small, large"),
        ({"reward": 1, "values": {**SEEN, "Imagee": "large"}}, "no variable 'Imagee'; did you mean 'Image'"),
        ({"reward": 1, "values": {**SEEN, "Season": "usual"}}, "Season is hidden"),
        (
            {"reward": 1, "values": {"Image": "small", "Description": "short"}},
            r"do\(\) must show Comparison, which is missing",
        ),
        ({"reward": 1, "values": None}, "must show Image, which is missing"),
        ({"reward": 1, "values": ["Image"]}, "The values must be a mapping"),
        ({"reward": 0.5, "values": SEEN}, "The reward is 1 for Purchase=yes and 0 otherwise, not 0.5"),
        ({"reward": 2, "values": SEEN}, "The reward is 1 for Purchase=yes"),
        ({"reward": float("nan"), "values": SEEN}, "must be a finite number, not nan"),
        ({"reward": "maybe", "values": SEEN}, "must be a number, not 'maybe'"),
        ({"reward": True, "values": {**SEEN, "Purchase": "no"}}, "told as True and as Purchase=no; tell one"),
        ({"reward": None, "values": SEEN}, "The reward is missing; tell reward=, or the value of Purchase"),
        ({"rows": [{"reward": 1, "value": SEEN}]}, "A row is"),
        ({"rows": []}, "has 1 rounds, but 0 were told"),
    ],
)
def test_an_impossible_outcome_is_refused(given: dict[str, Any], sentence: str) -> None:
    exp = fresh()
    number = exp.ask().number
    with pytest.raises(cb.InputError, match=sentence):
        exp.tell(number, **given)
    assert len(exp.history()) == 2
    exp.tell(number, reward="yes", values=SEEN)  # it can still be told


def test_a_value_that_contradicts_the_intervention_is_refused() -> None:
    exp = fresh(policy=cb.UCB())
    exp.ask()
    trial = exp.ask()
    ((name, value),) = trial.intervention.items()
    other = next(v for v in exp.problem.graph[name].values if v != value)
    with pytest.raises(cb.InputError, match=rf"The trial is do\({name}={value}\), but {name}={other} was told"):
        exp.tell(trial.number, reward=1, values={name: other})
    assert exp.tell(trial.number, reward=1).status == "told"  # an intervention needs no values


def test_a_policy_that_reads_configurations_needs_the_parents_in_every_round() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=20, observe=False, reveal_parents=True)
    exp = fresh(problem, cb.CUCB())
    trial = exp.ask()
    parents = world.graph[world.reward.variable].parents
    with pytest.raises(cb.InputError, match=f"must show {parents[0]}"):
        exp.tell(trial.number, reward=0.2)
    with pytest.raises(cb.InputError, match="finite"):
        exp.tell(trial.number, reward=float("inf"), values=dict.fromkeys(parents, "0"))
    with pytest.raises(cb.InputError, match="between -1e\\+15 and 1e\\+15"):  # twice 1e308 would be infinite
        exp.tell(trial.number, reward=1e308, values=dict.fromkeys(parents, "0"))
    exp.tell(trial.number, reward=0.2, values=dict.fromkeys(parents, "0"))
    assert exp.status().arms[problem.arm(trial.intervention)].mean == pytest.approx(0.2)
    assert "standard deviation is estimated" in exp.status().method
    with pytest.raises(cb.InputError, match="no observation"):
        exp.import_observations([{}])


def test_a_reward_outside_its_bounds_is_refused() -> None:
    graph = cb.Graph((cb.Variable("X", ("0", "1")), cb.Variable("Y", (), ("X",))))
    exp = fresh(cb.Problem(graph, "Y", bounds=(-1, 3), budget=10), cb.UCB())
    number = exp.ask().number
    for reward in (-1.5, 3.01):
        with pytest.raises(cb.InputError, match="outside its bounds, -1 to 3"):
            exp.tell(number, reward=reward, values={"X": 1})
    exp.tell(number, reward=3, values={"X": np.int64(1)})
    assert exp.status().arms[0].mean == 3


@pytest.mark.parametrize("number", [0, -1, 99, 2**70, "1", 1.0, None, True])
def test_an_unknown_trial_is_refused(number: Any) -> None:
    exp = fresh()
    exp.ask()
    with pytest.raises(cb.NotFound, match=r"number of a trial|named by its number"):
        exp.tell(number, reward=1, values=SEEN)
    with pytest.raises(cb.NotFound):
        exp.abandon(number)


@pytest.mark.parametrize("name", ["", " ", "a/b", "a b", ".hidden", "x" * 101, None, 7])
def test_a_name_of_an_experiment_with_other_signs_is_refused(name: Any) -> None:
    problem = cb.worlds.marketing().problem(budget=60, cost=2)
    with pytest.raises(cb.InputError, match="The name of an experiment is 1 to 100 letters, digits"):
        cb.Experiment.create("memory", name, problem, policy="crm-nb")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"policy": "crm"}, "no policy 'crm'; did you mean 'crm-nb'"),
        ({"policy": "obs"}, "backdoor path Promotion <- Season -> Purchase"),
        ({"policy": "c-ucb"}, "reveal_parents=True"),
        ({"seed": -1}, "The seed must be a whole number"),
        ({"lease": 0}, "The lease must be a number of seconds"),
        ({"lease": float("nan")}, "The lease must be a number of seconds"),
        ({"storage": "mysql://x/y"}, "A storage is"),
        ({"storage": "shop.db"}, "A storage is"),
    ],
)
def test_an_experiment_with_wrong_options_is_refused(options: dict[str, Any], sentence: str) -> None:
    problem = cb.worlds.marketing().problem(budget=60, cost=2)
    given = {"storage": f"memory:{uuid.uuid4().hex}", "policy": "crm-nb", **options}
    with pytest.raises(cb.InputError, match=sentence):
        cb.Experiment.create(given.pop("storage"), "x", problem, **given)


def test_a_policy_that_is_not_registered_is_refused() -> None:
    class Mine(cb.UCB):
        kind = "mine-and-nobody-elses"

    with pytest.raises(cb.InputError, match=r"register its class with cb\.register"):
        fresh(policy=Mine())


@pytest.mark.parametrize(
    "options",
    [{"count": 0}, {"count": 2.5}, {"count": True}, {"worker": ""}, {"request_id": "x" * 201}, {"request_id": "a\0b"}],
)
def test_an_ask_with_wrong_arguments_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(cb.InputError, match=f"The {next(iter(options))} (must be|is a text)"):
        fresh().ask(**options)


def test_a_policy_that_has_handed_out_more_than_it_needs_waits(memory: str) -> None:
    """Imported rows come on top of pending ones, so the count of gamma-nb falls below 0. It waits: no mistake."""
    world = cb.worlds.parallel(p=[0.3, 0.4], epsilon=0.2)
    experiment = cb.Experiment.create(memory, "many", world.problem(budget=20, cost=1), cb.GammaNB())
    trial = experiment.ask(count=100)
    experiment.import_observations([{"X1": 0, "X2": 1, "Y": 1}] * (trial.rounds - 1))
    with pytest.raises(cb.NothingYet, match="pending"):
        experiment.ask()
    rows = [{"reward": 1, "values": {"X1": 0, "X2": 1}}] * trial.rounds
    experiment.tell(trial.number, rows=rows)
    assert experiment.ask().rounds == 1


def test_an_experiment_begins_with_what_a_problem_file_states(memory: str, tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace("seed = 1\n", 'seed = 3\nlease = 60\npolicy = "crm-nb"\n')
    path = tmp_path / "shop.toml"
    path.write_text(text)
    setup = cb.read_problem(path)
    exp = cb.Experiment.create(memory, "file", setup)
    assert (exp.policy, exp.seed, exp.lease) == (cb.CRMNB(), 3, 60.0)
    assert exp.problem.arms == setup.problem.arms
    other = cb.Experiment.create(memory, "other", setup, "ucb", seed=0, lease=5)
    assert (other.policy, other.seed, other.lease) == (cb.UCB(), 0, 5)
    usual = cb.Experiment.create(memory, "usual", cb.read_problem(EXAMPLE))
    assert (usual.policy.kind, usual.seed, usual.lease) == ("factor-ucb", 1, 3600.0)
    for wrong in (EXAMPLE, str(EXAMPLE), None, 3):
        with pytest.raises(cb.InputError, match=r"needs a cb.Problem, or what cb.read_problem returns, not "):
            cb.Experiment.create(memory, "wrong", wrong)  # type: ignore[arg-type]
