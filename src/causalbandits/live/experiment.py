"""A live experiment: ask, act, tell. Many workers can use it at once, because every call is one transaction."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Row, insert, select
from sqlalchemy.exc import IntegrityError

from ..advice.recommend import recommend_policy
from ..errors import InputError, check_kind, check_truth, number_of, unknown
from ..files.json_forms import policy_from_json, policy_to_json, problem_from_json, problem_to_json
from ..files.toml.reading import Setup
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
from .schema import events, experiments
from .sheets import STATUS_NOTE
from .sources import is_same_source, source_of
from .status import (
    Recommendation,
    Status,
    Trial,
    arm_estimates,
    interval_method,
    moment,
    recommendation,
    units,
)
from .storage import Storage

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NAME_RULE = "letters, digits, dots, underscores and hyphens, of which the first is a letter or a digit"
LONGEST_TEXT = 200  # characters of a worker's name and of a request_id
MOST_ROUNDS = 1_000_000  # of one trial
PAGE = 1_000_000  # characters of the events of a page
LOOK_AGAIN = 0.25  # seconds after which a waiting ask looks whether something was told
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 30.0  # seconds that NothingYet may tell a worker to wait

_NAMES = select(experiments.c.name).order_by(experiments.c.name)


class Experiment:
    """A policy that learns from a journal of real outcomes. Make one with `create` or `open`.

    The journal is in a database. Many threads may use this object, and many processes may open the same experiment.
    """

    def __init__(self, storage: Storage, experiment: int, name: str, created: Mapping[str, Any]) -> None:
        self.storage, self.name = storage, name
        self.problem = problem_from_json(created["problem"])
        self.policy = policy_from_json(created["policy"], "experiment")
        self.seed, self.lease = created["seed"], created["lease"]
        self._id = experiment
        self._source = source_of(self.policy)
        self._learner = Learner(self.problem, self.policy, self.seed)
        self._turn = Lock()  # of the one thread that may write now
        self._lock = Lock()  # of the learner; it is taken after a transaction has begun

    def __repr__(self) -> str:
        return f"Experiment({self.name!r}, {self.policy.label}, {self.storage})"

    @classmethod
    def create(
        cls,
        storage: str | Storage,
        name: str,
        problem: Problem | Setup,
        policy: Policy | str | None = None,
        *,
        seed: int | None = None,
        lease: float | None = None,
    ) -> Experiment:
        """Begin an experiment. Given the same outcomes, it chooses like run 0 of a simulation with the same seed.

        `problem` may also be what `cb.read_problem` returns. Its policy, seed and lease then hold, unless others are
        given. By default the seed is 0, and the policy is the one that is recommended for the problem now.
        `lease` is how many seconds a trial may take, by default an hour. After that it counts as lost, and its money
        stays spent.
        """
        if isinstance(problem, Setup):
            policy = problem.policy if policy is None else policy
            seed = problem.seed if seed is None else seed
            lease = problem.lease if lease is None else lease
            problem = problem.problem
        if not isinstance(problem, Problem):
            raise InputError(f"An experiment needs a cb.Problem, or what cb.read_problem returns, not {problem!r}.")
        seed, lease = 0 if seed is None else seed, DEFAULT if lease is None else lease
        if policy is None:
            policy = recommend_policy(problem).policy
        chosen = policy_named(policy)() if isinstance(policy, str) else policy
        check_kind("The policy", chosen, Policy, "an instance such as GammaNB(), or a name such as 'gamma-nb'")
        check_kind("The problem", problem, Problem, "a cb.Problem, such as world.problem(budget=50)")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise InputError(f"The name of an experiment is 1 to 100 {NAME_RULE}, not {name!r}.")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InputError(f"The seed must be a whole number, at least 0, not {seed!r}.")
        if not is_lease(lease):
            raise InputError(f"{SENTENCE}, not {lease!r}.")
        if policies_by_kind().get(chosen.kind) is not type(chosen):
            raise InputError(
                f"The policy {chosen.kind} could not be found when the experiment is opened again; "
                "register its class with cb.register."
            )
        accept(chosen, problem)
        created = {
            "problem": problem_to_json(problem),
            "policy": policy_to_json(chosen),
            "source": source_of(chosen),
            "seed": seed,
            "lease": lease,
        }
        database = Storage.of(storage)
        database.prepare()
        try:
            with database.transaction() as connection:
                nothing = {"spent": 0, "reserved": 0, "events": 0, "trials": 0}
                account = {"name": name, "budget": problem.exact_budget, **nothing}
                number = connection.execute(insert(experiments).returning(experiments.c.id), account).scalar_one()
                book = Book(connection, number)
                book.add("created", None, created)
                book.write()
        except StorageError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise Conflict(f"There is an experiment {name!r} already; open it, or choose another name.") from None
            raise
        return cls(database, number, name, created)

    @classmethod
    def open(cls, storage: str | Storage, name: str, *, accept_policy: bool = False) -> Experiment:
        """Open an experiment that exists.

        If the source of its policy has changed, PolicyChanged is raised. With `accept_policy=True` the experiment
        continues with the changed policy, which learns again from the whole journal.
        """
        check_truth("accept_policy", accept_policy)
        experiment = cls.found(storage, name)
        if accept_policy:
            experiment._write(experiment._accept, checks_source=False)
        experiment._read(lambda book: None)
        return experiment

    @classmethod
    def found(cls, storage: str | Storage, name: str) -> Experiment:
        """An experiment that exists, before it has read its journal. Its first call reads it. Users take `open`."""
        database = Storage.of(storage)
        database.check()
        with database.reading() as connection:
            query = select(experiments.c.id).where(experiments.c.name == str(name))
            number = connection.execute(query).scalar_one_or_none()
            if number is None:
                names = connection.scalars(_NAMES)
                raise NotFound(str(unknown("experiment", name, names)))
            first = select(events.c.body).where(events.c.experiment == number, events.c.number == 1)
            body = connection.execute(first).scalar_one_or_none() or ""
        return cls(database, number, name, _created(name, body))

    @staticmethod
    def names(storage: str | Storage) -> list[str]:
        """The names of the experiments in a storage."""
        database = Storage.of(storage)
        database.check()
        with database.reading() as connection:
            return list(connection.scalars(_NAMES))

    def ask(
        self, *, worker: str | None = None, request_id: str | None = None, count: int = 1, wait: float = 0.0
    ) -> Trial:
        """The next trial: up to `count` rounds of one arm, as far as the policy has decided. Their cost is reserved.

        The same request_id gets the same trial. While the policy waits for pending trials, so does this call, for at
        most `wait` seconds. Then NothingYet is raised. At the end BudgetExhausted is raised.
        """
        end = time.monotonic() + number_of("wait", wait, 0.0)
        worker, request_id = _text("worker", worker), _text("request_id", request_id)
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_ROUNDS:
            raise InputError(f"The count must be a whole number between 1 and {MOST_ROUNDS}, not {count!r}.")

        def work(book: Book) -> Trial:
            earlier = None if request_id is None else book.request(request_id)
            if earlier is not None:
                return self._trial(earlier)
            choice = self._learner.choose(int(count))
            if choice is None:
                raise self._refusal(book)
            cost = choice.rounds * self.problem.exact_costs[choice.arm]
            return self._trial(book.hand_out(choice, cost, round(self.lease * 1000), worker, request_id))

        while True:
            try:
                return self._write(work)
            except NothingYet:
                left = end - time.monotonic()
                if left <= 0:
                    raise
                time.sleep(min(LOOK_AGAIN, left))

    def tell(
        self,
        number: int,
        reward: float | str | None = None,
        values: Mapping[str, Any] | None = None,
        *,
        rows: Iterable[Mapping[str, Any]] | None = None,
    ) -> Trial:
        """Tell the outcome of a trial. Telling the same outcome again changes nothing.

        For a trial of several rounds give `rows`, one {"reward": ..., "values": {...}} for each round.
        """
        if rows is not None and (reward is not None or values is not None):
            raise InputError("Tell either reward and values, or rows; not both.")
        row_list = None if rows is None else _row_list(rows)

        def work(book: Book) -> Trial:
            trial = book.trial(_number(number))
            outcome = to_json(self._outcomes(trial, reward, values, row_list))
            if trial.status == "abandoned":
                raise Conflict(f"Trial {number} was abandoned, so it cannot be told; ask for a new one.")
            if trial.status == "told":
                if trial.outcome != hash_of(outcome):
                    raise Conflict(f"Trial {number} was told with another outcome before; the first outcome counts.")
                return self._trial(trial)
            book.tell(trial, outcome, hash_of(outcome))
            return self._trial(book.trial(trial.number))

        return self._write(work)

    def abandon(self, number: int, *, spent: bool = False) -> Trial:
        """Give up a trial that nobody will tell. Its money comes back, unless `spent` is True."""
        if not isinstance(spent, bool):
            raise InputError(f"`spent` must be True or False, not {spent!r}.")

        def work(book: Book) -> Trial:
            trial = book.trial(_number(number))
            if trial.status == "told":
                raise Conflict(f"Trial {number} was told, so it cannot be abandoned; its outcome counts.")
            if trial.status == "abandoned":
                if trial.outcome != str(spent):
                    raise Conflict(
                        f"Trial {number} was abandoned with spent={trial.outcome} before; the first answer counts."
                    )
                return self._trial(trial)
            book.abandon(trial, spent)
            return self._trial(book.trial(trial.number))

        return self._write(work)

    def import_observations(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add logged rounds, which cost nothing, and return their number.

        A row is {variable: value, ...} and includes the reward's variable. It teaches about the same arms as a round
        of the observation does. If variables were set in it, it also has the key "do", such as "do(X=1)". Only
        policies that read factors take such rows; the intervention need not be an arm.
        """
        if not (self.problem.observes or self._learner.reader.columns.takes_others):
            raise InputError(
                "The problem has no observation, so logged observations teach it nothing; leave observe=True."
            )
        outcomes = _read_rows(_row_list(rows), self._learner.reader.logged)
        if not outcomes:
            raise InputError("There are no rows to import; give at least one.")
        self._write(lambda book: book.add("imported", None, to_json(outcomes)))
        return len(outcomes)

    def status(self) -> Status:
        """The money, the estimate of every arm, and the pending trials."""

        def work(book: Book) -> Status:
            return Status(
                name=self.name,
                policy=self.policy.label,
                budget=units(book.budget),
                spent=units(book.spent),
                reserved=units(book.reserved),
                left=units(book.budget - book.spent - book.reserved),
                trials=book.trials,
                observations_imported=self._learner.imported,
                arms=arm_estimates(self._learner),
                pending=tuple(self._trial(row) for row in book.pending()),
                method=interval_method(self.problem),
                note=STATUS_NOTE,
            )

        return self._read(work)

    def recommend(self) -> Recommendation:
        """The best intervention that the policy has found, with its interval and the runner-up."""
        return self._read(lambda book: recommendation(self._learner))

    def trial(self, number: int) -> Trial:
        """A trial with its present status."""
        return self._read(lambda book: self._trial(book.trial(_number(number))))

    def history(self, after: int = 0, limit: int | None = None) -> list[dict[str, Any]]:
        """The events after number `after`, in order, at most `limit` of them."""
        _check_after(after)
        if limit is not None:
            _check_most("limit", limit)
        return self._read(
            lambda book: [self._event(event) for event in book.after(after, limit)] if after < book.events else []
        )

    def page(self, after: int = 0, limit: int = 100, characters: int = PAGE) -> tuple[list[dict[str, Any]], int | None]:
        """A page of the history, and the `after` of the next page, or None if there are no more events yet.

        It has at most `limit` events, and together they have at most so many characters, unless it is one event.
        """
        _check_after(after)
        _check_most("limit", limit)
        _check_most("characters", characters)

        def work(book: Book) -> tuple[list[dict[str, Any]], int | None]:
            if after >= book.events:
                return [], None
            last = book.last_of_page(after, limit, characters)
            found = [self._event(event) for event in book.after(after, last - after)]
            return found, last if last < book.events else None

        return self._read(work)

    def _write(self, work: Callable[[Book], T], checks_source: bool = True) -> T:
        """Do some work in a transaction that may write, with the learner up to date.

        Overdue trials expire first, in a transaction of their own. While a writer waits for the database, it has its
        turn but not the learner, so that readers go on.
        """
        with self._turn:
            while True:
                with ExitStack() as stack:
                    with self.storage.transaction() as connection:
                        book = Book(connection, self._id)
                        stack.enter_context(self._lock)
                        self._catch_up(book, checks_source)
                        overdue = book.overdue()
                        for trial in overdue:
                            book.expire(trial)
                        result = None if overdue else work(book)
                        book.write()
                    self._fold(book.added)  # only now the transaction is confirmed
                if not overdue:
                    return result  # type: ignore[return-value]

    def _read(self, work: Callable[[Book], T]) -> T:
        """Do some work that only reads, with the learner up to date."""
        while True:
            known = self._learner.seen
            with self.storage.reading() as connection:
                book = Book(connection, self._id, writes=False)
                with self._lock:
                    if book.events < known or book.events >= self._learner.seen:
                        self._catch_up(book)
                        return work(book)
            # Since this state was read another thread has learned more. So it reads again.

    def _catch_up(self, book: Book, checks_source: bool = True) -> None:
        """Let the learner learn from the events that it has not seen."""
        if self._learner.seen > book.events:  # somebody restored an older copy of the database
            self._learner = Learner(self.problem, self.policy, self.seed)
        self._fold(book.after(self._learner.seen))
        if self._learner.left != book.budget - book.spent - book.reserved:
            raise StorageError(
                f"The journal of {self.name!r} and its account disagree; restore the database from a copy."
            )
        if checks_source and not is_same_source(self._learner.source, self._source, self.policy):
            raise PolicyChanged(
                f"The source of {self.policy.kind} differs from the source that {self.name!r} has used; "
                "install that version, or continue with this one, which learns again from the whole journal: "
                f"causalbandits accept {self.name}, or Experiment.open(..., accept_policy=True)."
            )

    def _fold(self, added: Iterable[Event]) -> None:
        """Learn from events of the journal. After an interruption the next call learns from the beginning."""
        try:
            self._learner.fold(added)
        except BaseException:
            self._learner = Learner(self.problem, self.policy, self.seed)  # the old one may know half of an event
            raise

    def _accept(self, book: Book) -> None:
        """Record that the user accepts the source of the policy that is installed here."""
        if not is_same_source(self._learner.source, self._source, self.policy):
            book.add("accepted", None, {"source": self._source})

    def _refusal(self, book: Book) -> Exception:
        """The error that says why there is no trial to hand out."""
        left, pending = self._learner.left, int(self._learner.pending.sum())
        if pending and left >= min(self.problem.exact_costs):
            wait = min(max(math.ceil((book.first_end() - book.now) / 1000), SHORTEST_WAIT), LONGEST_WAIT)
            rounds = "the pending round" if pending == 1 else f"one of {pending} pending rounds"
            return NothingYet(f"{self.policy.kind} decides nothing before {rounds} is told; ask again later.", wait)
        answer = recommendation(self._learner)
        why = "the budget is used up" if left < min(self.problem.exact_costs) else f"{self.policy.kind} is done"
        so_far = f" so far; {pending} pending rounds may change it" if pending else ""
        return BudgetExhausted(
            f"Nothing more is bought: {why}, {decimal_text(left)} left; the answer is {answer.intervention}{so_far}.",
            answer,
        )

    def _outcomes(
        self, trial: Row[Any], reward: Any, values: Any, rows: list[Mapping[str, Any]] | None
    ) -> list[Outcome]:
        """The outcomes of the rounds of a trial, checked."""
        if rows is None:
            rows = [{"reward": reward, "values": values}]
        if len(rows) != trial.rounds:
            raise InputError(
                f"Trial {trial.number} has {trial.rounds} rounds, but {len(rows)} were told; tell a row for each."
            )
        for row in rows:
            if not isinstance(row, Mapping) or not set(row) <= {"reward", "values"}:
                raise InputError(f'A row is {{"reward": ..., "values": {{...}}}}, not {row!r}.')
        read = self._learner.reader.outcome
        return _read_rows(rows, lambda row: read(trial.arm, row.get("reward"), row.get("values")))

    def _event(self, event: Event) -> dict[str, Any]:
        """An event for users: the intervention instead of the arm's number, money in units, time in seconds."""
        head = {"number": event.number, "kind": event.kind, **({} if event.trial is None else {"trial": event.trial})}
        body = json.loads(event.body)
        if event.kind == "asked":
            arm = self.problem.arms[body.pop("arm")]
            body = {"intervention": dict(arm), **body, "cost": units(body["cost"]), "lease": body["lease"] / 1000}
        return {**head, "at": moment(event.at).isoformat(), **body}

    def _trial(self, row: Row[Any]) -> Trial:
        lease_until = moment(row.lease_until)
        arm = self.problem.arms[row.arm]
        return Trial(row.number, arm, row.rounds, units(row.cost), lease_until, row.status, row.worker, row.request_id)


def _created(name: str, body: str) -> dict[str, Any]:
    """The values of the first event, which say what experiment it is."""
    try:
        created = json.loads(body)
    except ValueError:
        created = None
    if not isinstance(created, dict) or not {"problem", "policy", "seed", "lease"} <= created.keys():
        raise StorageError(f"The first event of {name!r} cannot be read; restore the database from a copy.")
    return created


def _check_after(after: Any) -> None:
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < 2**63:
        raise InputError(f"`after` must be the number of an event, or 0, not {after!r}.")


def _check_most(name: str, most: Any) -> None:
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most < 2**63:
        raise InputError(f"`{name}` must be a whole number, at least 1, not {most!r}.")


def _number(number: Any) -> int:
    """The number of a trial, checked."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 < number < 2**63:
        raise NotFound(f"There is no trial {number!r}; give the number of a trial that ask returned.")
    return int(number)


def _row_list(rows: Any) -> list[Any]:
    """The rows as a list, checked."""
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise InputError(f"The rows must be a list with a mapping for each round, not {rows!r}.")
    return list(rows)


def _read_rows(rows: list[Any], read: Callable[[Any], Outcome]) -> list[Outcome]:
    """The outcomes of rows. If one of several rows has a mistake, the error names it; the first row is row 1."""
    outcomes = []
    for number, row in enumerate(rows, 1):
        try:
            outcomes.append(read(row))
        except InputError as error:
            raise error if len(rows) == 1 else InputError(f"Row {number}: {error}") from None
    return outcomes


def _text(name: str, text: str | None) -> str | None:
    """The text of an option such as worker, checked."""
    if text is not None and (not isinstance(text, str) or not 1 <= len(text) <= LONGEST_TEXT or not text.isprintable()):
        raise InputError(f"The {name} must be a text of 1 to {LONGEST_TEXT} printable characters, not {text!r}.")
    return text
