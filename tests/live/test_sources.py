"""Experiments that were begun with version 0.1 go on: the hashes of their policies are recognised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.live import experiment, sources

from .policy_of_0_1 import Mine

EARLIER = json.loads(Path(sources.__file__).with_suffix(".json").read_text())["policies"]
CAUSAL_KL_OF_0_1 = "90414ca24413d7eeb09dc386e2429eef6a254b8c9ac3b101f5bb546b43bc1b7e"
HASH_OF_MINE = "3e8b81630e29880233130dc44977fd0079e01d834037e3502fa64d63e9edd4ff"  # as version 0.1 computed it


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cb.policies.REGISTRY, "mine", Mine)


def begun_with(source: str, policy: cb.Policy, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The storage of an experiment whose journal records this source."""
    url = f"sqlite:///{folder}/journal.db"
    world, options = cb.worlds.marketing(), {}
    if policy.reads.name == "parents":
        world, options = cb.worlds.confounded_chain(), {"reveal_parents": True}
    with monkeypatch.context() as earlier:
        earlier.setattr(experiment, "source_of", lambda policy: source)
        cb.Experiment.create(url, "begun", world.problem(budget=500, cost=2, observe=True, **options), policy)
    return url


@pytest.mark.parametrize("kind", sorted(EARLIER))
def test_the_recorded_hash_of_a_policy_is_its_hash_now(kind: str) -> None:
    """If it fails: see tests/contracts/sources.py."""
    assert EARLIER[kind]["now"] == sources.source_of(cb.policies.REGISTRY[kind]())


@pytest.mark.parametrize(
    ("kind", "earlier"),
    [(kind, hash) for kind in ("c-ts", "c-ucb", "ucb", "kube", "top-two", "f-kube") for hash in EARLIER[kind]["then"]],
)
def test_an_experiment_that_records_an_earlier_hash_opens_without_being_accepted(
    kind: str, earlier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = begun_with(earlier, cb.policies.REGISTRY[kind](), tmp_path, monkeypatch)
    assert cb.Experiment.open(url, "begun").ask().number == 1


def test_importance_sampling_had_no_stable_hash_and_opens_by_its_name() -> None:
    policy = cb.ImportanceSampling()
    assert sources.is_same_source("0" * 64, sources.source_of(policy), policy)
    assert not sources.is_same_source(sources.PREFIX + "0" * 64, sources.source_of(policy), policy)


def test_a_users_own_policy_of_version_0_1_opens_without_being_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = begun_with(HASH_OF_MINE, Mine(), tmp_path, monkeypatch)
    assert cb.Experiment.open(url, "begun").ask().number == 1


@pytest.mark.parametrize("policy", [cb.CRMNB(), Mine()])
def test_any_other_hash_is_refused(policy: cb.Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = begun_with("f" * 64, policy, tmp_path, monkeypatch)
    with pytest.raises(cb.PolicyChanged):
        cb.Experiment.open(url, "begun")


def test_a_policy_of_ours_that_changed_since_then_must_be_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = begun_with(CAUSAL_KL_OF_0_1, cb.CausalKL(), tmp_path, monkeypatch)
    with pytest.raises(cb.PolicyChanged):
        cb.Experiment.open(url, "begun")
