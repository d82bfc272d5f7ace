"""The worlds with backdoor paths and hidden variables are as the claims say, and no study counts a world wrongly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.comparison import factors, factors_earn, factors_find, general
from causalbandits.papers.nair2021.settings import random_table, setting_4
from causalbandits.policies.checks import accept
from causalbandits.studies.run import reproduce
from causalbandits.studies.study import Paper, Part

from .made_up import made_up, part_named, verdicts

for module in ("matplotlib", "jinja2", "scipy"):
    pytest.importorskip(module, reason="the extra [report] is not installed")

CONTESTS = {"earn": factors_earn.CONTEST, "find": factors_find.CONTEST}


@pytest.mark.parametrize("hidden", factors.HIDDEN)
def test_the_worlds_have_eight_variables_of_which_so_many_are_hidden(hidden: int) -> None:
    worlds = [factors.world_of(hidden, number) for number in factors.NUMBERS]
    assert len(worlds) == 100
    for world in worlds:
        causes = [variable for variable in world.graph.variables if variable.name != "Y"]
        assert (len(causes), sum(variable.hidden for variable in causes)) == (8, hidden)
    assert len({tuple(np.round(world.means(world.problem(horizon=1)), 12)) for world in worlds}) == 100
    problems = [world.problem(horizon=1) for world in worlds]
    assert sum(not problem.teaches.all() for problem in problems) > 90  # backdoor paths


def test_no_policy_was_tuned_on_these_worlds() -> None:
    """Development used the generators with the seeds 0 to 39."""

    def tables(world: cb.World) -> list[np.ndarray]:
        return [np.asarray(node.unchecked) for node in world.nodes]

    for hidden in factors.HIDDEN:
        for seed in range(40):
            rng = np.random.default_rng(seed)
            tuned = tables(cb.worlds.random_world(rng, variables=8, hidden=hidden, backdoors=True))
            for number in factors.NUMBERS:
                ours = tables(factors.world_of(hidden, number))
                assert any(a.shape != b.shape or not np.allclose(a, b) for a, b in zip(ours, tuned, strict=True))


@pytest.mark.parametrize("contest", CONTESTS.values(), ids=CONTESTS)
def test_a_policy_that_learns_by_parents_meets_all_worlds_that_it_takes(contest: factors.Contest) -> None:
    for hidden in factors.HIDDEN:
        taken = []
        for number in factors.NUMBERS:
            _, problem = factors.setting(hidden, factors.CELLS[0])(number)
            for policy in (contest.ours, *contest.rivals):
                accept(policy, problem)
            try:
                accept(contest.by_parents, problem)
            except cb.InputError:
                continue
            taken.append(number)
        assert list(factors.VisibleParents(hidden)) == taken
        assert len(factors.VisibleParents(hidden)) == len(taken) == {0: 100, 1: 63, 2: 31}[hidden]


@pytest.mark.parametrize("contest", CONTESTS.values(), ids=CONTESTS)
def test_nothing_is_revealed_but_to_the_one_that_is_told(contest: factors.Contest) -> None:
    part = part_named(contest.id)
    costs, budgets = set(), set()
    for study in part.studies:
        _, problem = study.setting(study.values[0])
        assert (problem.parents is not None) == study.id.endswith("-revealed")
        assert problem.observes
        assert problem.costs[0] == 1
        costs.add(problem.costs[1])
        budgets.add(problem.budget)
        cost, budget = study.id.removeprefix(f"{contest.id}-").split("-")[1:3]
        assert (float(cost), float(budget)) == (problem.costs[1], float(problem.budget or 0))
    assert (costs, budgets) == ({1, 3}, {300, 3000})
    cells = [study.id for study in part.studies if study.id.endswith("-revealed")]
    assert len(part.studies) == 4 + 2 * 2 * 4 + len(cells)
    assert len(cells) == (4 if contest.id == "factors-earn" else 0)


def failing(contest: factors.Contest, **losses: float) -> set[str]:
    """The claims that fail if policies lose so much, and the others 0.1. No claim is left open."""
    part = part_named(contest.id)
    found = verdicts(part, made_up(part, {label.replace("_", "-"): loss for label, loss in losses.items()}, 0.1))
    assert set(found.values()) <= {"reproduced", "not reproduced"}
    return {id for id, verdict in found.items() if verdict == "not reproduced"}


def test_the_claims_about_earning_fail_where_they_are_false() -> None:
    earn = factors_earn.CONTEST
    assert failing(earn, factor_ucb=0.044, causal_ucb=0.04) == set()
    assert failing(earn, factor_ucb=0.046, causal_ucb=0.045) == {"FE1"}
    assert failing(earn, factor_ucb=0.046, causal_ucb=0.045, causal_kl=0.2, causal_ts=0.2) == {"FE1"}
    assert failing(earn, factor_ucb=0.044, causal_ucb=0.038) == {"FE2"}
    assert failing(earn, factor_ucb=0.105, causal_ucb=0.1) == {"FE1", "FE3", "FE4"}
    assert failing(earn, factor_ucb=0.105, causal_ucb=0.1, causal_ucb_learned=0.2) == {"FE1", "FE4"}
    assert failing(earn, factor_ucb=0.16, causal_ucb=0.15) == {"FE1", "FE3", "FE4", "FE5"}


def test_the_claims_about_finding_fail_where_they_are_false() -> None:
    find = factors_find.CONTEST
    assert failing(find, factor_find=0.049) == set()
    assert failing(find, factor_find=0.055) == {"FF2"}
    assert failing(find, factor_find=0.065) == {"FF1", "FF2"}
    assert failing(find, factor_find=0.105) == {"FF1", "FF2", "FF3"}
    assert failing(find, factor_find=0.16) == {"FF1", "FF2", "FF3", "FF4"}


@pytest.mark.parametrize("rival", factors_find.CONTEST.everybody, ids=lambda policy: policy.kind)
def test_the_claims_are_about_each_of_the_rivals(rival: cb.Policy) -> None:
    assert failing(factors_find.CONTEST, factor_find=0.049, **{rival.label: 0.09}) == {"FF2"}
    assert failing(factors_find.CONTEST, factor_find=0.049, **{rival.label: 0.07}) == {"FF1", "FF2"}
    assert failing(factors_find.CONTEST, factor_find=0.049, **{rival.label: 0.045}) == {"FF1", "FF2", "FF3"}


@pytest.mark.parametrize(
    ("contest", "in_the_open", "where_hidden"),
    [(factors_earn.CONTEST, "FE1", "FE4"), (factors_find.CONTEST, "FF1", "FF3")],
    ids=CONTESTS,
)
@pytest.mark.parametrize("cell", factors.CELLS, ids=lambda cell: cell.id)
def test_a_claim_about_every_cell_fails_if_it_is_false_in_one(
    contest: factors.Contest, in_the_open: str, where_hidden: str, cell: factors.Cell
) -> None:
    for study, claim in (
        (f"0-{cell.id}", in_the_open),
        (f"1-{cell.id}", where_hidden),
        (f"2-{cell.id}", where_hidden),
        (f"1-{cell.id}-visible-parents", where_hidden),
        (f"2-{cell.id}-visible-parents", where_hidden),
    ):
        ours, part = contest.ours.label, part_named(contest.id)
        data = made_up(part, {ours: 0.02}, 0.1, but={f"{contest.id}-{study}": {ours: 0.12}})
        assert verdicts(part, data)[claim] == "not reproduced"


@pytest.mark.parametrize("contest", CONTESTS.values(), ids=CONTESTS)
def test_one_bad_world_of_one_cell_refutes_the_claim_about_all_worlds(contest: factors.Contest) -> None:
    for study in ("0-1-300", "1-3-3000", "2-1-3000-visible-parents"):
        part, id = part_named(contest.id), f"{contest.id}-{study}"
        data = made_up(part, {contest.ours.label: 0.03}, 0.1)
        data[id].samples[contest.measure.name][contest.ours.label][5] += 0.2
        found = verdicts(part, data)
        assert {claim for claim, verdict in found.items() if verdict != "reproduced"} == {list(found)[-1]}
        judged = part.claims[-1].test.judge(data)
        assert data[id].study.name_of(data[id].study.values[5]) in judged.reasons


def test_the_text_has_the_mean_of_every_policy_in_every_cell() -> None:
    contest = replace(factors_earn.CONTEST, runs={0: 2, 1: 2, 2: 2})
    studies = [replace(study, values=study.values[:2]) for study in contest.studies()]
    revealed = replace(factors_earn.REVEALED[0], values=factors_earn.REVEALED[0].values[:2], runs=2)
    part = Part("p", "title", "question", [*studies, revealed], [], contest.describe, [])
    data = reproduce(Paper("made-up", "title", "reference", [part], []), seed=3).data
    texts = contest.describe(data)
    assert len(texts) == 3
    for text, hidden in zip(texts, factors.HIDDEN.values(), strict=True):
        assert hidden in text
        assert text.count("factor-ucb") == (4 if hidden == "nothing hidden" else 8)
    assert texts[0].count("causal-ucb ") == 1
    mean = data["factors-earn-1-3-300"].means("causal-kl").mean()
    assert f"causal-kl {mean:.3g}" in texts[1].split("Cost 3, budget 300:")[1].split("Cost 3, budget 3,000")[0]


@pytest.mark.parametrize(("setting", "value"), [(setting_4, 50), (random_table, 3)])
def test_causal_ucb_learned_reads_nothing_that_is_revealed(setting, value) -> None:  # type: ignore[no-untyped-def]
    """So the studies of Experiment 4 that tell nothing are fair to it."""
    results = []
    for where in (setting, general.unrevealed(setting)):
        world, problem = where(value)
        results.append(cb.simulate(world, problem, general.UNREVEALED, runs=20, seed=1, progress=False))
    revealed, unrevealed = results
    assert revealed.problem.parents is not None
    assert unrevealed.problem.parents is None
    assert (revealed.problem.horizon, revealed.problem.observes) == (
        unrevealed.problem.horizon,
        unrevealed.problem.observes,
    )
    learned, factor_ucb = general.CAUSAL_UCB_LEARNED.label, general.FACTOR_UCB.label
    assert (revealed.pulls[learned] == unrevealed.pulls[learned]).all()
    assert (revealed.pulls[factor_ucb] != unrevealed.pulls[factor_ucb]).any()  # it does read it
