"""The published networks: which policies take them, and what the comparison says where they are not installed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.comparison import networks
from causalbandits.policies.checks import accept
from causalbandits.studies.report import claims_of, write_report
from causalbandits.studies.run import reproduce
from causalbandits.studies.study import SHARE_LOST, SIMPLE_REGRET, Paper, Wording

from .made_up import made_up, verdicts

for module in ("matplotlib", "jinja2", "scipy"):
    pytest.importorskip(module, reason="the extra [report] is not installed")


@pytest.fixture
def installed() -> None:
    if networks.folder() is None:
        reason = "pgmpy 1.0.0, whose wheel has the networks, is not installed"
        pytest.fail(reason) if os.environ.get("CAUSALBANDITS_CI") else pytest.skip(reason)


def paper(is_installed: bool) -> Paper:
    wording = Wording(verdicts={"reproduced": "holds", "not reproduced": "fails"})
    return Paper("made-up", "title", "reference", [networks.part(is_installed)], [], wording=wording)


@pytest.mark.usefixtures("installed")
def test_every_policy_that_takes_the_problems_takes_part() -> None:
    for network in networks.NETWORKS:
        for number in range(1, 5):
            _, problem = networks.setting(network, number)
            taken = set()
            for kind, policy in cb.policies.REGISTRY.items():
                if not policy.__module__.startswith("causalbandits."):
                    continue
                try:
                    accept(policy(), problem)
                except cb.InputError:
                    continue
                taken.add(kind)
            assert taken == set(networks.KINDS)
    assert len(set(networks.KINDS)) == len(networks.KINDS)


@pytest.mark.usefixtures("installed")
def test_the_rewards_are_far_downstream_and_the_arms_are_all_values_of_their_causes() -> None:
    arms = {}
    for network in networks.NETWORKS:
        world, problem = networks.setting(network, 4)
        assert problem.parents is None
        assert problem.observes
        assert (problem.costs[0], problem.costs[1], problem.budget) == (1, 5, 5000)
        arms[network.name] = len(problem.arms) - 1
        graph = world.graph
        network_of = graph.network
        causes = {name for arm in problem.arms[1:] for name, _ in arm.items()}
        assert all(not graph.d_separated([name], [network.reward]) for name in causes)
        assert set(network_of.predecessors(network.reward)) < causes  # some are not parents
        upstream = {edge[0] for name in (network.reward, *causes) for edge in network_of.in_edges(name)}
        assert upstream == causes
        assert len(problem.arms) - 1 == sum(len(graph[name].values) for name in causes)
        means = world.means(problem)
        assert np.ptp(means) > 0.1
    assert arms == {"asia": 12, "sachs": 15, "child": 23, "insurance": 64, "alarm": 63}


@pytest.mark.usefixtures("installed")
def test_the_four_cells_are_both_costs_and_both_budgets() -> None:
    problems = [networks.setting(networks.NETWORKS[0], number)[1] for number in range(1, 5)]
    assert [(p.costs[1], p.budget) for p in problems] == [(1, 500), (1, 5000), (5, 500), (5, 5000)]


def test_without_the_networks_nothing_is_run_and_the_claims_say_how_to_get_them(tmp_path: Path) -> None:
    claims = claims_of(write_report(paper(is_installed=False), tmp_path, runs=2))
    assert [(claim["id"], claim["verdict"]) for claim in claims] == [("N1", "not testable"), ("N2", "not testable")]
    for claim in claims:
        assert claim["evidence"]["summary"] == (
            "On the published networks it cannot be tested: the networks were not run, because pgmpy 1.0.0, whose "
            "wheel has them, is not installed; pip install --no-deps pgmpy==1.0.0."
        )
    assert "The networks were not run" in (tmp_path / "index.html").read_text()


def test_a_package_without_the_networks_is_no_installation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pgmpy/utils/example_models").mkdir(parents=True)
    (tmp_path / "pgmpy/__init__.py").write_text("raise AssertionError('it is not imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert networks.folder() is None
    for network in networks.NETWORKS:
        assert networks.folder() is None  # one is missing
        (tmp_path / f"pgmpy/utils/example_models/{network.name}.bif.gz").write_text("")
    assert networks.folder() == tmp_path / "pgmpy/utils/example_models"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("measure", "ours", "losses", "verdict"),
    [
        (SHARE_LOST, "factor-ucb", {"factor-ucb": 0.05}, "reproduced"),
        (SHARE_LOST, "factor-ucb", {"factor-ucb": 0.05, "kube": 0.04}, "not reproduced"),
        (SHARE_LOST, "factor-ucb", {"factor-ucb": 0.004, "kube": 0.002}, "reproduced"),
        (SHARE_LOST, "factor-ucb", {"factor-ucb": 0.007, "kube": 0.002}, "not reproduced"),
        (SHARE_LOST, "factor-ucb", {"factor-ucb": 0.05, "factor-find": 0.04}, "not reproduced"),
        (SIMPLE_REGRET, "factor-find", {"factor-find": 0.05}, "reproduced"),
        (SIMPLE_REGRET, "factor-find", {"factor-find": 0.003, "pb": 0.001}, "not reproduced"),
        (SIMPLE_REGRET, "factor-find", {"factor-find": 0.0015, "pb": 0.0}, "reproduced"),
    ],
)
def test_the_claims_fail_where_another_policy_is_better(measure, ours, losses, verdict) -> None:  # type: ignore[no-untyped-def]
    """In all cells of one network; everywhere else ours is the best."""
    part = networks.part(is_installed=True)
    claim = "N1" if measure is SHARE_LOST else "N2"
    for network in (networks.NETWORKS[0], networks.NETWORKS[-1]):
        data = made_up(part, {ours: 0.05}, 0.1, but={network.study: losses})
        assert verdicts(part, data)[claim] == verdict


@pytest.mark.usefixtures("installed")
def test_the_text_names_the_best_policies_of_a_network() -> None:
    part = networks.part(is_installed=True)
    asia = part.studies[0]
    made = Paper("made-up", "title", "reference", [type(part)("p", "t", "q", [asia], [], part.describe, [])], [])
    data = reproduce(made, runs=3, seed=2).data
    (text,) = part.describe(data)
    assert text.startswith("asia has 8 variables, and 13 arms with the observation.")
    means = {kind: data["networks-asia"].means(kind, "share_lost")[0] for kind in networks.KINDS}
    assert f"cost 1, budget 500: {min(means, key=lambda kind: means[kind])} " in text
