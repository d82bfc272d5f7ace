"""A live experiment: ask, act, tell. Many workers drive it at once; every call is one transaction."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from threading import RLock
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Row, insert, select
from sqlalchemy.exc import IntegrityError

from ..advice.recommend import recommend_policy
from ..errors import InputError, unknown
from ..files.json_forms import policy_from_json, policy_to_json, problem_from_json, problem_to_json
from ..lease import DEFAULT, SENTENCE, is_lease
from ..money import decimal_text
from ..policies.checks import accept
from ..policies.contract import Policy
from ..policies.registry import policies_by_kind, policy_named
from ..problem import Problem
from .book import Book
from .errors import BudgetExhausted, Conflict, NotFound, NothingYet, PolicyChanged, StorageError
from .learner import Event, Learner
from .outcomes import Outcome, hash_of, to_json
from .report import STATUS_NOTE, Recommendation, Status, Trial, estimates, method, moment, recommendation, units
from .schema import events, experiments
from .sources import is_same_source, source_of
from .storage import Storage

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
LONGEST_TEXT = 200  # of a worker's name and of a request_id
MOST_ROUNDS = 1_000_000  # of one trial
SOON, LATE = 1.0, 30.0  # seconds: the bounds of what NothingYet advises to wait


class Experiment:
    """A policy that learns from a journal of real outcomes. Make one with `create` or `open`.

    The journal is in a database; this object may be used by many threads, and many processes may open the same experiment.
    """

    def __init__(self, storage: Storage, experiment: int, name: str, created: Mapping[str, Any]) -> None:
        self.storage, self.name = storage, name
        self.problem = problem_from_json(created["problem"])
        self.policy = policy_from_json(created["policy"], "experiment")
        self.seed, self.lease = created["seed"], created["lease"]
        self._id = experiment
        self._source = source_of(self.policy)
        self._learner = Learner(self.problem, self.policy, self.seed)
        self._lock = RLock()

    def __repr__(self) -> str:
        return f"Experiment({self.name!r}, {self.policy.label}, {self.storage})"

    @classmethod
    def create(
        cls,
        storage: str | Storage,
        name: str,
        problem: Problem,
        policy: Policy | str | None = None,
        *,
        seed: int = 0,
        lease: float = DEFAULT,
    ) -> Experiment:
        """Begin an experiment: with the seed s its choices are those of run 0 of a simulation with that seed, given the same outcomes.

        By default with the policy that is recommended for the problem, now: the experiment keeps it, whatever is recommended later.
        `lease`: seconds after which a trial that was not told counts as lost; its money stays spent.
        """
        if policy is None:
            policy = recommend_policy(problem).policy
        chosen = policy_named(policy)() if isinstance(policy, str) else policy
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise InputError(
                f"An experiment is called by letters, digits and . _ - with at most 100 of them, not {name!r}."
            )
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InputError(f"The seed must be a whole number, at least 0, not {seed!r}.")
        if not is_lease(lease):
            raise InputError(f"{SENTENCE}, not {lease!r}.")
        if policies_by_kind().get(chosen.kind) is not type(chosen):
            raise InputError(
                f"The policy {chosen.kind} could not be found again when the experiment is opened; register its class with cb.register."
            )
        accept(chosen, problem)
        created = {
            "problem": problem_to_json(problem),
            "policy": policy_to_json(chosen),
            "source": source_of(chosen),
            "seed": seed,
            "lease": lease,
        }
        place = Storage.of(storage)
        place.prepare()
        try:
            with place.transaction() as connection:
                account = {"name": name, "budget": problem.budget, "spent": 0, "reserved": 0, "events": 0, "trials": 0}
                number = connection.execute(insert(experiments).returning(experiments.c.id), account).scalar_one()
                book = Book(connection, number)
                book.add("created", None, created)
                book.write()
        except StorageError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise Conflict(f"There is an experiment {name!r} already; open it, or choose another name.") from None
            raise
        return cls(place, number, name, created)

    @classmethod
    def open(cls, storage: str | Storage, name: str, *, accept_policy: bool = False) -> Experiment:
        """Go on with an experiment, in this process too.

        If the source of its policy has changed since, PolicyChanged says so; `accept_policy=True` decides to go on with the changed one, which
        then learns from the whole journal anew.
        """
        place = Storage.of(storage)
        place.check()
        with place.reading() as connection:
            found = connection.execute(
                select(experiments.c.id).where(experiments.c.name == str(name))
            ).scalar_one_or_none()
            if found is None:
                raise NotFound(
                    str(
                        unknown(
                            "experiment",
                            name,
                            connection.scalars(select(experiments.c.name).order_by(experiments.c.name)),
                        )
                    )
                )
            first = select(events.c.body).where(events.c.experiment == found, events.c.number == 1)
            created = json.loads(connection.execute(first).scalar_one())
        experiment = cls(place, found, name, created)
        if accept_policy:
            experiment._within(lambda book: experiment._accept(book), checks=False)
        experiment._look(lambda book: None)
        return experiment

    @staticmethod
    def names(storage: str | Storage) -> list[str]:
        """The experiments in a storage."""
        place = Storage.of(storage)
        place.check()
        with place.reading() as connection:
            return list(connection.scalars(select(experiments.c.name).order_by(experiments.c.name)))

    def ask(self, *, worker: str | None = None, request_id: str | None = None, count: int = 1) -> Trial:
        """What to do next: up to `count` rounds of one arm, as many as are settled. Their cost is reserved.

        The same request_id gets the same trial. Raises NothingYet where the policy waits for pending trials, and BudgetExhausted at the end.
        """
        worker, request_id = _text("worker", worker), _text("request_id", request_id)
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_ROUNDS:
            raise InputError(f"The count must be a whole number between 1 and {MOST_ROUNDS}, not {count!r}.")

        def work(book: Book) -> Trial:
            known = None if request_id is None else book.request(request_id)
            if known is not None:
                return self._trial(known)
            choice = self._learner.choose(int(count))
            if choice is None:
                raise self._refusal(book)
            cost = choice.rounds * self.problem.costs[choice.arm]
            return self._trial(book.hand_out(choice, cost, round(self.lease * 1000), worker, request_id))

        return self._within(work)

    def tell(
        self,
        number: int,
        reward: float | str | None = None,
        values: Mapping[str, Any] | None = None,
        *,
        rows: Iterable[Mapping[str, Any]] | None = None,
    ) -> Trial:
        """What a trial showed; for one of several rounds, `rows` with {"reward": ..., "values": {...}} each. The same again changes nothing."""
        if rows is not None and (reward is not None or values is not None):
            raise InputError("Tell either reward and values, or rows that have them; not both.")
        given = None if rows is None else _listed(rows)

        def work(book: Book) -> Trial:
            trial = book.trial(_number(number))
            told = to_json(self._outcomes(trial, reward, values, given))
            if trial.status == "abandoned":
                raise Conflict(f"Trial {number} was abandoned, so it cannot be told; ask for a new one.")
            if trial.status == "told":
                if trial.outcome != hash_of(told):
                    raise Conflict(f"Trial {number} was told with another outcome before; what was told first stands.")
                return self._trial(trial)
            book.tell(trial, told, hash_of(told))
            return self._trial(book.trial(trial.number))

        return self._within(work)

    def abandon(self, number: int, *, spent: bool = False) -> Trial:
        """A trial that will never be told. It never happened, and its money comes back, unless `spent` says otherwise."""
        if not isinstance(spent, bool):
            raise InputError(f"spent is True or False, not {spent!r}.")

        def work(book: Book) -> Trial:
            trial = book.trial(_number(number))
            if trial.status == "told":
                raise Conflict(f"Trial {number} was told, so it cannot be abandoned; its outcome stands.")
            if trial.status == "abandoned":
                if trial.outcome != str(spent):
                    raise Conflict(f"Trial {number} was abandoned with spent={trial.outcome} before; that stands.")
                return self._trial(trial)
            book.abandon(trial, spent)
            return self._trial(book.trial(trial.number))

        return self._within(work)

    def import_observations(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Count logged observations as rounds of the observation that cost nothing. Returns how many.

        A row is {variable: value, ...} with the reward's variable among them. Arms that watching cannot tell about learn nothing from it.
        """
        if not self.problem.observes:
            raise InputError(
                "The problem has no observation, so logged observations teach it nothing; leave observe=True."
            )
        outcomes = _each(_listed(rows), self._learner.reader.logged)
        if not outcomes:
            raise InputError("There are no rows to import; give at least one.")
        self._within(lambda book: book.add("imported", None, to_json(outcomes)))
        return len(outcomes)

    def status(self) -> Status:
        """Money, what the data say of every arm, and the pending trials."""

        def work(book: Book) -> Status:
            return Status(
                self.name,
                self.policy.label,
                units(book.budget),
                units(book.spent),
                units(book.reserved),
                units(book.budget - book.spent - book.reserved),
                book.trials,
                self._learner.imported,
                estimates(self._learner),
                tuple(self._trial(row) for row in book.pending()),
                method(self.problem),
                STATUS_NOTE,
            )

        return self._look(work)

    def recommend(self) -> Recommendation:
        """The best intervention by what the policy has learned, with its interval and the runner-up."""
        return self._look(lambda book: recommendation(self._learner))

    def trial(self, number: int) -> Trial:
        """A trial as it stands."""
        return self._look(lambda book: self._trial(book.trial(_number(number))))

    def history(self, after: int = 0, limit: int | None = None) -> list[dict[str, Any]]:
        """Every event in order, or those that follow event number `after`, or the first `limit` of these."""
        if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < 2**63:
            raise InputError(f"`after` is the number of an event, or 0, not {after!r}.")
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit < 2**63):
            raise InputError(f"`limit` is a number of events, at least 1, not {limit!r}.")
        return self._look(
            lambda book: [self._described(event) for event in book.after(after, limit)] if after < book.events else []
        )

    def _within(self, work: Callable[[Book], T], checks: bool = True) -> T:
        """Do some work in a transaction, with the learner up to date. What is overdue expires first, in a transaction of its own."""
        with self._lock:
            while True:
                with self.storage.transaction() as connection:
                    book = Book(connection, self._id)
                    self._catch_up(book, checks)
                    overdue = book.overdue()
                    for trial in overdue:
                        book.expire(trial)
                    result = None if overdue else work(book)
                    book.write()
                self._fold(book.added)  # only now it is certain
                if not overdue:
                    return result  # type: ignore[return-value]

    def _look(self, work: Callable[[Book], T]) -> T:
        """Do some work that only reads, with the learner up to date."""
        with self._lock, self.storage.reading() as connection:
            book = Book(connection, self._id, writes=False)
            self._catch_up(book)
            return work(book)

    def _catch_up(self, book: Book, checks: bool = True) -> None:
        """Bring the learner to the journal's end."""
        if self._learner.seen > book.events:  # an older copy of the database was put in place
            self._learner = Learner(self.problem, self.policy, self.seed)
        self._fold(book.after(self._learner.seen))
        if self._learner.left != book.budget - book.spent - book.reserved:
            raise StorageError(
                f"The journal of {self.name!r} and its account disagree; restore the database from a copy."
            )
        if checks and not is_same_source(self._learner.source, self.policy):
            raise PolicyChanged(
                f"The source of {self.policy.kind} is not the one that {self.name!r} was run with; install that version, "
                f"or go on with this one, which learns from the whole journal anew: causalbandits accept {self.name}, "
                "or Experiment.open(..., accept_policy=True)."
            )

    def _fold(self, found: Iterable[Event]) -> None:
        """Learn from events that are in the journal; interrupted in one of them, from the beginning at the next call."""
        try:
            self._learner.fold(found)
        except BaseException:
            self._learner = Learner(self.problem, self.policy, self.seed)  # half of an event may be in the old one
            raise

    def _accept(self, book: Book) -> None:
        if not is_same_source(self._learner.source, self.policy):
            book.add("accepted", None, {"source": self._source})

    def _refusal(self, book: Book) -> Exception:
        """Why there is nothing to hand out."""
        left, pending = self._learner.left, int(self._learner.pending.sum())
        if pending and left >= min(self.problem.costs):
            first = min(row.lease_until for row in book.pending())
            wait = min(max(math.ceil((first - book.now) / 1000), SOON), LATE)
            return NothingYet(
                f"{self.policy.kind} decides nothing before one of {pending} pending rounds is told; ask again later.",
                wait,
            )
        answer = recommendation(self._learner)
        why = "the budget is used up" if left < min(self.problem.costs) else f"{self.policy.kind} is done"
        so_far = f" so far, for {pending} pending rounds may change it" if pending else ""
        return BudgetExhausted(
            f"Nothing more is bought: {why}, {decimal_text(left)} left; the answer is {answer.intervention}{so_far}.",
            answer,
        )

    def _outcomes(
        self, trial: Row[Any], reward: Any, values: Any, rows: list[Mapping[str, Any]] | None
    ) -> list[Outcome]:
        if rows is None:
            rows = [{"reward": reward, "values": values}]
        if len(rows) != trial.rounds:
            raise InputError(
                f"Trial {trial.number} has {trial.rounds} rounds, but {len(rows)} were told; tell one row for each."
            )
        for row in rows:
            if not isinstance(row, Mapping) or not set(row) <= {"reward", "values"}:
                raise InputError(f'A row is {{"reward": ..., "values": {{...}}}}, not {row!r}.')
        return _each(rows, lambda row: self._learner.reader.outcome(trial.arm, row.get("reward"), row.get("values")))

    def _described(self, event: Event) -> dict[str, Any]:
        """An event as users count: the intervention for the arm's number, money in units, time in seconds."""
        said = {"number": event.number, "kind": event.kind, **({} if event.trial is None else {"trial": event.trial})}
        body = json.loads(event.body)
        if event.kind == "asked":
            arm = self.problem.arms[body.pop("arm")]
            body = {"intervention": dict(arm), **body, "cost": units(body["cost"]), "lease": body["lease"] / 1000}
        return {**said, "at": moment(event.at).isoformat(), **body}

    def _trial(self, row: Row[Any]) -> Trial:
        lease_until = moment(row.lease_until)
        arm = self.problem.arms[row.arm]
        return Trial(row.number, arm, row.rounds, units(row.cost), lease_until, row.status, row.worker, row.request_id)


def _number(said: Any) -> int:
    if isinstance(said, bool) or not isinstance(said, int | np.integer) or not 0 < said < 2**63:
        raise NotFound(f"A trial is named by its number, which ask returned, not by {said!r}.")
    return int(said)


def _listed(rows: Any) -> list[Any]:
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise InputError(f"The rows are a list with a mapping for each round, not {rows!r}.")
    return list(rows)


def _each(rows: list[Any], read: Callable[[Any], Outcome]) -> list[Outcome]:
    """The outcomes of rows; of several, the one with a mistake is named, counted from 1."""
    outcomes = []
    for number, row in enumerate(rows, 1):
        try:
            outcomes.append(read(row))
        except InputError as error:
            raise error if len(rows) == 1 else InputError(f"Row {number}: {error}") from None
    return outcomes


def _text(what: str, said: str | None) -> str | None:
    if said is not None and (not isinstance(said, str) or not 1 <= len(said) <= LONGEST_TEXT or not said.isprintable()):
        raise InputError(f"The {what} is a text of 1 to {LONGEST_TEXT} printable signs, not {said!r}.")
    return said
