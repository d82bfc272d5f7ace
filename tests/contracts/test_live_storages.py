"""One suite for all storages: what create, ask, tell, abandon and the rest promise."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

import causalbandits as cb
from causalbandits.live import Experiment, Trial
from causalbandits.live.learner import Learner

SEEN = {"Image": "small", "Description": "short", "Comparison": "none", "Promotion": "no"}


def shop(
    url: str, name: str = "checkout", budget: float = 60, policy: cb.Policy | None = None, **options: Any
) -> Experiment:
    problem = cb.worlds.marketing().problem(budget=budget, cost=2)
    return cb.Experiment.create(url, name, problem, policy=policy or cb.CRMNB(), seed=7, **options)


def tell(exp: Experiment, trial: Trial, reward: float = 1) -> Trial:
    return exp.tell(trial.number, reward=reward, values={**SEEN, **trial.intervention})


def money(exp: Experiment) -> tuple[float, float, float]:
    status = exp.status()
    assert status.spent + status.reserved + status.left == status.budget
    return status.spent, status.reserved, status.left


def kinds(exp: Experiment) -> list[str]:
    return [event["kind"] for event in exp.history()]


def test_an_ask_reserves_and_a_tell_spends(url: str) -> None:
    exp = shop(url)
    trial = exp.ask(worker="web-3", request_id="visit-1")
    assert (trial.number, trial.status, trial.worker, trial.request_id, trial.rounds) == (
        1,
        "pending",
        "web-3",
        "visit-1",
        1,
    )
    assert money(exp) == (0.0, trial.cost, 60.0 - trial.cost)
    assert tell(exp, trial).status == "told"
    assert money(exp) == (trial.cost, 0.0, 60.0 - trial.cost)
    assert kinds(exp) == ["created", "asked", "told"]
    assert [event["number"] for event in exp.history(after=1)] == [2, 3]


def test_the_same_request_gets_the_same_trial_whatever_its_status(url: str) -> None:
    exp = shop(url)
    trial = exp.ask(request_id="visit-1")
    assert cb.Experiment.open(url, "checkout").ask(request_id="visit-1") == trial
    tell(exp, trial)
    again = exp.ask(request_id="visit-1")
    assert (again.number, again.status) == (trial.number, "told")
    assert exp.ask(request_id="visit-2").number == 2
    assert kinds(exp).count("asked") == 2


def test_a_repeated_tell_counts_once_and_a_different_tell_is_a_conflict(url: str) -> None:
    exp = shop(url)
    trial = exp.ask()
    tell(exp, trial, 1)
    tell(exp, trial, 1)
    exp.tell(trial.number, values={**SEEN, **trial.intervention, "Purchase": "yes"})  # the same in other words
    with pytest.raises(cb.Conflict, match="another outcome"):
        tell(exp, trial, 0)
    with pytest.raises(cb.Conflict, match="cannot be abandoned"):
        exp.abandon(trial.number)
    assert kinds(exp) == ["created", "asked", "told"]
    assert exp.status().arms[0].pulls == 1


def test_an_abandoned_trial_that_was_not_spent_costs_nothing(url: str) -> None:
    exp = shop(url)
    trial = exp.ask()
    assert exp.abandon(trial.number, spent=False).status == "abandoned"
    exp.abandon(trial.number)
    assert money(exp) == (0.0, 0.0, 60.0)
    with pytest.raises(cb.Conflict, match="abandoned"):
        tell(exp, trial)
    with pytest.raises(cb.Conflict, match="spent=False"):
        exp.abandon(trial.number, spent=True)
    lost = exp.ask()
    exp.abandon(lost.number, spent=True)
    assert money(exp) == (lost.cost, 0.0, 60.0 - lost.cost)
    assert exp.status().pending == ()


def test_an_expired_lease_is_an_event_and_its_money_stays_spent(url: str) -> None:
    exp = shop(url, lease=1.5)  # long enough for three asks on a busy machine
    first, second, third = exp.ask(), exp.ask(), exp.ask()
    time.sleep(1.6)
    exp.lease = 3600.0
    assert {event["kind"] for event in exp.history()} == {"created", "asked"}  # looking changes nothing
    fourth = exp.ask()
    assert kinds(exp).count("expired") == 3
    assert money(exp) == (
        first.cost + second.cost + third.cost,
        fourth.cost,
        60.0 - sum(t.cost for t in (first, second, third, fourth)),
    )
    assert [trial.number for trial in exp.status().pending] == [fourth.number]
    before = exp.status()
    assert tell(exp, second).status == "told"  # late, and it counts once
    tell(exp, second)
    assert exp.abandon(third.number).status == "abandoned"  # it never happened: the money comes back
    after = exp.status()
    assert before.spent - after.spent == third.cost
    assert sum(estimate.pulls for estimate in after.arms) == 1
    assert kinds(exp)[-2:] == ["told", "abandoned"]
    with pytest.raises(cb.Conflict):
        tell(exp, third)


def test_a_lease_is_an_hour_by_default_on_the_clock_of_the_database(url: str) -> None:
    trial = shop(url).ask()
    assert 3590 < trial.lease_until.timestamp() - time.time() < 3610


def test_every_ask_in_the_first_phase_is_another_arm(url: str) -> None:
    exp = shop(url, policy=cb.UCB())
    arms = [exp.ask().intervention for _ in range(9)]
    assert len(set(arms)) == 9 == len(exp.problem.arms)
    with pytest.raises(cb.NothingYet) as waiting:
        exp.ask()
    assert 1 <= waiting.value.retry_after <= 30
    assert "pending" in str(waiting.value)
    tell(exp, exp.status().pending[0])  # eight of nine are still to come
    with pytest.raises(cb.NothingYet):
        exp.ask()


def test_a_waiting_ucb_policy_gives_workers_different_arms(url: str) -> None:
    exp = shop(url, policy=cb.UCB(), budget=500)
    for _ in range(9):
        tell(exp, exp.ask(), reward=0)
    assert max(Counter(exp.ask().intervention for _ in range(90)).values()) <= 20


def test_a_block_is_handed_out_in_parts_and_not_decided_again(url: str) -> None:
    exp = shop(url, policy=cb.GammaNB())  # half of the money is for watching
    first = exp.ask(count=500)
    assert (first.rounds, first.intervention, first.cost) == (30, {}, 30.0)
    with pytest.raises(cb.NothingYet):
        exp.ask()
    exp.abandon(first.number)
    trials = [exp.ask(count=count) for count in (7, 7, 500)]
    assert [trial.rounds for trial in trials] == [7, 7, 16]
    with pytest.raises(cb.InputError, match="has 7 rounds, but 6 were told"):
        exp.tell(trials[0].number, rows=[{"reward": 1, "values": SEEN}] * 6)
    for trial in reversed(trials):
        cb.Experiment.open(url, "checkout").tell(trial.number, rows=[{"reward": 1, "values": SEEN}] * trial.rounds)
    assert exp.ask().intervention != {}
    assert exp.status().arms[0].pulls == 30


def test_the_error_for_an_exhausted_budget_has_the_recommendation(url: str) -> None:
    exp = shop(url, budget=17)
    for _ in range(9):  # each arm once
        tell(exp, exp.ask(), reward=0)
    with pytest.raises(cb.BudgetExhausted, match="used up, 0 left") as exhausted:
        exp.ask()
    assert exhausted.value.recommendation == exp.recommend()
    assert money(exp) == (17.0, 0.0, 0.0)


def test_with_all_money_reserved_the_budget_is_exhausted_until_some_is_given_back(url: str) -> None:
    exp = shop(url, budget=17)
    trials = [exp.ask() for _ in range(9)]
    with pytest.raises(cb.BudgetExhausted, match="so far; 9 pending rounds may change it"):
        exp.ask()
    exp.abandon(trials[4].number)
    assert exp.ask().intervention == trials[4].intervention


def test_two_experiments_know_nothing_of_each_other(url: str) -> None:
    first, second = shop(url, "first"), shop(url, "second")
    trial = first.ask()
    for call in (lambda: tell(second, trial), lambda: second.abandon(trial.number)):
        with pytest.raises(cb.NotFound, match="no trial 1 in 'second'"):
            call()
    other = second.ask()
    assert other.number == 1
    tell(second, other)
    assert first.status().pending == (trial,)
    assert cb.Experiment.names(url) == ["first", "second"]


def test_a_name_that_exists_is_not_created_again_and_an_unknown_name_is_refused(url: str) -> None:
    with pytest.raises(cb.StorageError, match="create one first"):
        cb.Experiment.open(url, "checkout")
    shop(url)
    with pytest.raises(cb.Conflict, match="already"):
        shop(url)
    with pytest.raises(cb.NotFound, match="did you mean 'checkout'"):
        cb.Experiment.open(url, "chekout")
    assert kinds(cb.Experiment.open(url, "checkout")) == ["created"]


def test_logged_observations_teach_without_cost(url: str) -> None:
    world = cb.worlds.marketing()
    log = cb.sample(world, 400, seed=3)
    rows = [{name: values[r] for name, values in log.items()} for r in range(400)]
    exp = shop(url)
    assert exp.import_observations(rows) == 400
    status = cb.Experiment.open(url, "checkout").status()
    assert (status.spent, status.trials, status.observations_imported) == (0.0, 0, 400)
    by_arm = {str(estimate.intervention): estimate for estimate in status.arms}
    large = log["Image"] == "large"
    assert by_arm["do(Image=large)"].effective_pulls == large.sum() > 0
    assert by_arm["do(Image=large)"].mean == pytest.approx((log["Purchase"][large] == "yes").mean())
    assert by_arm["do()"].effective_pulls == 400
    assert by_arm["do(Promotion=yes)"].effective_pulls == 0  # a backdoor path: the graph does not allow it
    assert all(estimate.pulls == 0 for estimate in status.arms)
    with pytest.raises(cb.InputError, match="must show Image"):
        exp.import_observations([{"Description": "long", "Comparison": "none", "Purchase": "yes"}])
    with pytest.raises(cb.InputError, match="at least one"):
        exp.import_observations([])
    assert kinds(exp) == ["created", "imported"]


def test_gamma_nb_counts_logged_observations_as_watching(url: str) -> None:
    exp = shop(url, policy=cb.GammaNB())
    exp.import_observations([{**SEEN, "Purchase": "yes"}] * 25)
    assert exp.ask(count=500).rounds == 5  # of the 30 that half of the money pays


def test_an_import_ends_a_block_that_was_decided_before(url: str) -> None:
    exp = shop(url, policy=cb.GammaNB())
    first = exp.ask(count=3)  # of 30 that half of the money pays
    exp.import_observations([{**SEEN, "Purchase": "yes"}] * 25)
    assert cb.Experiment.open(url, "checkout").ask(count=500).rounds == 2
    with pytest.raises(cb.NothingYet):
        exp.ask()
    exp.tell(first.number, rows=[{"reward": 1, "values": SEEN}] * 3)


def test_status_pools_the_journal_and_recommend_says_where_it_differs(url: str) -> None:
    """gamma-NB-ALG replaces observations of an arm by its own pulls. The pooled data lead to another answer."""
    exp = shop(url, policy=cb.GammaNB())
    watch = exp.ask(count=30)
    exp.tell(
        watch.number,
        rows=[{"reward": int(i < 20), "values": {**SEEN, "Image": "large" if i < 20 else "small"}} for i in range(30)],
    )
    while True:
        try:
            trial = exp.ask()
        except cb.BudgetExhausted:
            break
        tell(exp, trial, reward=0)
    status, answer = exp.status(), exp.recommend()
    best = max((e for e in status.arms if e.mean is not None), key=lambda e: e.mean or 0)
    assert "may differ" in status.note
    assert (answer.note == "") == (best.mean == answer.best.mean)
    assert answer.runner_up is not None
    assert answer.runner_up.intervention != answer.intervention
    assert all(low <= e.mean <= high for e in status.arms if e.mean is not None for low, high in [e.interval])


def test_a_policy_whose_source_has_changed_must_be_accepted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exp = shop(url)
    for _ in range(3):
        tell(exp, exp.ask())

    def recommend(self: Any, problem: Any, state: Any, rng: Any) -> int:
        return 5

    monkeypatch.setattr(cb.CRMNB, "recommend", recommend)
    with pytest.raises(cb.PolicyChanged, match="accept_policy=True"):
        cb.Experiment.open(url, "checkout")
    changed = cb.Experiment.open(url, "checkout", accept_policy=True)
    assert changed.recommend().intervention == changed.problem.arms[5]
    assert kinds(changed)[-1] == "accepted"
    assert kinds(cb.Experiment.open(url, "checkout")) == kinds(changed)  # once is enough
    monkeypatch.undo()
    with pytest.raises(cb.PolicyChanged):  # a process that still runs the old source is refused at its next call
        exp.ask()


def test_an_interrupted_tell_is_learned_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after the outcome is in the journal, while the policy learns from it."""
    exp = shop(url)
    trial = exp.ask()
    learn = Learner._learn

    def interrupted(*arguments: Any) -> None:
        learn(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "_learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tell(exp, trial)
    assert exp.status() == cb.Experiment.open(url, "checkout").status()
    assert exp.status().arms[0].pulls == 1


def test_a_trial_of_one_round_may_be_told_with_or_without_a_list_of_rows(url: str) -> None:
    exp = shop(url)
    trial = exp.ask()
    exp.tell(trial.number, rows=[{"reward": 1, "values": {**SEEN, **trial.intervention}}])
    tell(exp, trial, 1)
    with pytest.raises(cb.InputError, match="either reward and values, or rows"):
        exp.tell(trial.number, reward=1, rows=[])
