"""A policy that learns from the journal. The same events in the same order give the same state in every process.

An experiment with seed s uses the random streams of run 0 of a simulation with seed s.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..engine.streams import ASKS, KEYS, POLICY, RECOMMENDATION, RNG, SEED, key_of, start_run, start_stream
from ..intervention import Intervention
from ..policies.answers import checked_answer, checked_recommendation
from ..policies.columns import ARMS, NO_ARM, columns_named
from ..policies.contract import Policy
from ..problem import Problem
from .errors import StorageError
from .outcomes import Counter, Outcome, Reader, from_json


class Event(NamedTuple):
    """An event of the journal. `at` is the database's time in milliseconds since 1970; `body` is JSON."""

    number: int
    kind: str  # created, asked, told, abandoned, expired, imported or accepted
    trial: int | None
    at: int
    body: str


class Choice(NamedTuple):
    """The rounds of an arm to hand out next.

    The policy decides on blocks of rounds. `settled` is the length of a block that starts here, or 0 within a block.
    """

    arm: int
    rounds: int
    settled: int


class Given(NamedTuple):
    """A trial that was handed out, and whose outcome may still be told."""

    arm: int
    rounds: int
    cost: int
    is_pending: bool


BODIES: dict[str, set[str]] = {  # the keys that the body of an event has at least, by kind
    "created": {"source"},
    "accepted": {"source"},
    "asked": {"arm", "rounds", "settled", "cost"},
    "told": {"rows"},
    "expired": set(),
    "abandoned": {"spent"},
    "imported": {"rows"},
}
ENDS = ("told", "expired", "abandoned")  # of a trial that was handed out
SHORT = 1000  # characters; longer bodies are seldom equal to another one


@lru_cache(4096)
def _short_body(body: str) -> Any:
    """The JSON values of a short body. Many bodies are equal, so they are kept; nobody may change them."""
    return json.loads(body)


class Learner:
    """A policy that has seen the journal up to event `seen`."""

    def __init__(self, problem: Problem, policy: Policy, seed: int) -> None:
        self.problem, self.policy = problem, policy
        columns = columns_named(policy.reads)
        self.reader = Reader(problem, columns)
        self._counter, self._pooled = Counter(problem, columns), Counter(problem, ARMS)
        self.view = policy.view(problem)
        self.state = policy.init(self.view)
        arms = len(problem.arms)
        self.left = problem.exact_budget  # the money that is neither spent nor reserved
        self.pending = np.zeros(arms, np.int64)
        self.given: dict[int, Given] = {}
        self.asks = 0
        self.block = Choice(0, 0, 0)  # the rounds that are left of the present block
        self.pulls = np.zeros(arms, np.int64)  # rounds that were told; the next two arrays pool all data
        self.samples = np.zeros(arms, np.int64)
        self.reward = np.zeros(arms)
        self.squares = np.zeros(arms)  # the sum of squared differences from the mean, of a real reward
        self.imported = 0
        self.source = ""  # the hash of the policy's source that the journal recorded last
        self.seen = 0
        self._keys = np.zeros(KEYS, np.uint64)
        self._keys[SEED] = key_of(f"seed {seed}")
        self._keys[POLICY] = policy.key
        start_run(self._keys, 0)
        self._rng = np.zeros(RNG, np.uint64)

    def choose(self, most: int) -> Choice | None:
        """What the policy wants next, at most `most` rounds, or None if it wants nothing now. Changes nothing."""
        if self.block.rounds > 0:
            return Choice(self.block.arm, min(most, self.block.rounds), 0)
        if self.left < min(self.problem.exact_costs):
            return None
        start_stream(self._rng, self._keys, ASKS, np.int64(self.asks))
        answer = self.policy.ask(self.view, self.state, self.pending, np.int64(self.left), self._rng)
        arm, settled = checked_answer(self.policy, answer, len(self.problem.arms), bool(self.pending.any()))
        settled = min(settled, self.left // self.problem.exact_costs[arm])
        return Choice(arm, min(most, settled), settled) if settled > 0 else None

    def recommend(self) -> int:
        """The arm that the policy recommends now. Changes nothing."""
        start_stream(self._rng, self._keys, RECOMMENDATION, np.int64(0))
        answer = self.policy.recommend(self.view, self.state, self._rng)
        return checked_recommendation(self.policy, answer, len(self.problem.arms))

    def fold(self, events: Iterable[Event]) -> None:
        """Learn from the events that follow the last one seen."""
        for event in events:
            body = self._body(event)
            getattr(self, f"_{event.kind}")(event.trial, body)
            self.seen = event.number

    def _body(self, event: Event) -> dict[str, Any]:
        """The values of an event, which must be the next one."""
        try:
            body = _short_body(event.body) if len(event.body) < SHORT else json.loads(event.body)
        except ValueError:
            body = None
        is_known = event.kind in BODIES and isinstance(body, dict) and BODIES[event.kind] <= body.keys()
        is_given = event.kind not in ENDS or event.trial in self.given
        if not (event.number == self.seen + 1 and is_known and is_given):
            raise StorageError(
                f"The journal is damaged: event {event.number} cannot follow event {self.seen}, or cannot be read; "
                "restore the database from a copy."
            )
        return body  # type: ignore[no-any-return]

    def _created(self, trial: None, body: dict[str, Any]) -> None:
        self.source = body["source"]

    _accepted = _created  # the user accepted a changed policy

    def _asked(self, trial: int, body: dict[str, Any]) -> None:
        arm, rounds, settled, cost = body["arm"], body["rounds"], body["settled"], body["cost"]
        if settled:
            self.asks += 1
        self.block = Choice(arm, (settled or self.block.rounds) - rounds, 0)
        self.given[trial] = Given(arm, rounds, cost, True)
        self.pending[arm] += rounds
        self.left -= cost

    def _told(self, trial: int, body: dict[str, Any]) -> None:
        given = self._settle(trial)
        self._learn(given.arm, from_json(body["rows"]))
        self.pulls[given.arm] += given.rounds

    def _expired(self, trial: int, body: dict[str, Any]) -> None:
        self.given[trial] = self._settle(trial)._replace(is_pending=False)  # it may be told late, or abandoned

    def _abandoned(self, trial: int, body: dict[str, Any]) -> None:
        given = self._settle(trial)
        if not body["spent"]:
            self.left += given.cost

    def _imported(self, trial: None, body: dict[str, Any]) -> None:
        by_intervention: dict[Intervention, list[Outcome]] = {}
        for outcome in from_json(body["rows"]):
            by_intervention.setdefault(outcome.do, []).append(outcome)
        for intervention, outcomes in by_intervention.items():
            if intervention in self.problem.arms:
                self._learn(self.problem.arms.index(intervention), outcomes)
            else:
                tally = self._counter.count_other(intervention, outcomes)
                self.policy.tell(self.view, self.state, NO_ARM, tally)
        self.imported += len(body["rows"])
        self.block = Choice(0, 0, 0)  # the policy decides again, because more watching may not be worth its cost now

    def _settle(self, trial: int) -> Given:
        given = self.given.pop(trial)
        if given.is_pending:
            self.pending[given.arm] -= given.rounds
        return given

    def _learn(self, arm: int, outcomes: list[Outcome]) -> None:
        if self.problem.reward.kind == "real":
            self._add_squares(arm, outcomes)
        tally = self._counter.count(arm, outcomes)
        if arm == 0 and self.problem.observes:
            pooled = self._pooled.count(arm, outcomes)
            self.samples += pooled.shown
            self.reward += pooled.shown_reward
        else:
            self.samples[arm] += tally.rounds
            self.reward[arm] += tally.reward
        self.policy.tell(self.view, self.state, arm, tally)

    def _add_squares(self, arm: int, outcomes: list[Outcome]) -> None:
        """Add to the squares of all arms that the rounds count for, one round after another (Welford 1962)."""
        samples, reward = self.samples.copy(), self.reward.copy()
        for outcome in outcomes:
            for a in self._arms_of(arm, outcome):
                if samples[a] > 0:
                    gap = outcome.reward - reward[a] / samples[a]
                    self.squares[a] += gap * gap * samples[a] / (samples[a] + 1)
                samples[a] += 1
                reward[a] += outcome.reward

    def _arms_of(self, arm: int, outcome: Outcome) -> list[int]:
        """The arms that a round of an arm counts for."""
        if not (arm == 0 and self.problem.observes):
            return [arm]
        return [int(a) for a in np.flatnonzero(self._pooled.count(arm, [outcome]).shown)]
