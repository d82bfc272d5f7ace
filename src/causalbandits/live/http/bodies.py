"""The bodies of HTTP requests and answers. The OpenAPI schema is made from these classes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..experiment import LONGEST_TEXT, MOST_ROUNDS

MOST_KEYS = 100  # of a request's body, which has at most a few
Number = Annotated[float, Field(allow_inf_nan=False)]
Value = str | int | Number | bool
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class RequestBody(BaseModel):
    """The body of a request. Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _few_keys(cls, given: Any) -> Any:
        """Refuse many keys at once. Otherwise there is a mistake for each."""
        if isinstance(given, dict) and len(given) > MOST_KEYS:
            raise ValueError(f"at most {MOST_KEYS} keys")
        return given


class Ask(RequestBody):
    """Ask for the next trial. A request with the same request_id gets the same trial."""

    worker: Text | None = Field(default=None, description="Who asks, for the record.")
    request_id: Text | None = Field(
        default=None,
        description="A text of your choice. If you ask again with the same text, you get the same trial and pay once.",
    )
    count: int = Field(
        default=1, ge=1, le=MOST_ROUNDS, description="At most this many rounds of one arm; it may be fewer."
    )


class Round(RequestBody):
    """One round of a trial."""

    reward: Number | str | None = Field(default=None, description="A number, or the value of the reward's variable.")
    values: dict[str, Value] | None = Field(default=None, description="The values of the variables that were seen.")


class Tell(Round):
    """The outcome of a trial: reward and values, or rows if the trial has several rounds.

    Telling the same outcome again changes nothing.
    """

    rows: list[Round] | None = Field(default=None, fail_fast=True, description="One row for each round of the trial.")


class Abandon(RequestBody):
    """Give up a trial that nobody will tell. Repeating the request changes nothing."""

    spent: bool = Field(default=False, description="Whether the money is spent anyway.")


class Observations(RequestBody):
    """Logged observations, each {variable: value, ...} with the reward's variable. If sent twice, they count twice."""

    rows: list[dict[str, Value]] = Field(min_length=1, fail_fast=True)


class Page(BaseModel):
    """Which events of the history to send. It is not strict, because the values of a query are text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    after: int = Field(default=0, ge=0, lt=2**63, description="Only events after this number.")
    limit: int = Field(default=100, ge=1, le=1000, description="At most this many events.")


class Answer(BaseModel):
    """The body of an answer. It has no other keys than those listed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Health(Answer):
    """The service and its storage answer."""

    status: Literal["ok"]


class Experiments(Answer):
    """The names of the experiments."""

    experiments: list[str]


class Trial(Answer):
    """Rounds of one arm. Carry them out and tell them before `lease_until`.

    The intervention {} means: set nothing, only watch. `cost` is the cost of all rounds.
    """

    number: int
    intervention: dict[str, str]
    rounds: int
    cost: float
    lease_until: datetime
    status: Literal["pending", "told", "expired", "abandoned"]
    worker: str | None
    request_id: str | None


class ArmEstimate(Answer):
    """The estimate of an arm from all data.

    `effective_pulls` counts the arm's own rounds and the observations that teach about it.
    """

    intervention: dict[str, str]
    pulls: int
    effective_pulls: int
    mean: float | None
    interval: Annotated[
        list[float | None],
        Field(min_length=2, max_length=2, description="The lower and the upper end; null means unbounded."),
    ]


class Recommendation(Answer):
    """The policy's answer, and the best other arm by the pooled data. `note` says where the two disagree."""

    policy: str
    best: ArmEstimate
    runner_up: ArmEstimate | None
    method: str = Field(description="How the intervals are computed.")
    note: str


class Status(Answer):
    """The state of an experiment. Money is in units; for a problem with a horizon it is rounds.

    The estimates in `arms` pool the whole journal: see `note`.
    """

    name: str
    policy: str
    budget: float
    spent: float
    reserved: float
    left: float
    trials: int
    observations_imported: int
    arms: list[ArmEstimate]
    pending: list[Trial]
    method: str
    note: str


class Event(BaseModel):
    """An event of the journal. Its other keys depend on its kind. Money is in units, a lease in seconds."""

    model_config = ConfigDict(extra="allow", frozen=True)

    number: int
    kind: Literal["created", "asked", "told", "expired", "abandoned", "imported", "accepted"]
    at: datetime


class History(Answer):
    """A page of events. `next` is the `after` of the next page, or null if there are no more events yet."""

    events: list[Event]
    next: int | None


class Imported(Answer):
    """How many observations were imported."""

    observations: int


class Mistake(Answer):
    """A mistake in one part of a request."""

    at: str
    message: str


class ErrorAnswer(Answer):
    """An error as problem+json (RFC 9457). Programs look at `type` to know which error it is."""

    type: str = Field(
        description="about:blank, or urn:causalbandits: and then nothing-yet (ask again), busy (repeat), "
        "budget-exhausted (with the recommendation), conflict, policy-changed, not-found, bad-input, unauthorized, "
        "read-only or storage."
    )
    title: str
    status: int
    detail: str
    errors: list[Mistake] = Field(default=[], description="With bad-input: where the request breaks the schema.")
    retry_after: float | None = Field(default=None, description="With nothing-yet: seconds to wait.")
    recommendation: Recommendation | None = Field(default=None, description="With budget-exhausted: the answer.")


Json = dict[str, Any]
