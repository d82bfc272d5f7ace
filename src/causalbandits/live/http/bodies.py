"""What is said over HTTP: the bodies of requests, strict, and of answers. The OpenAPI schema is made of these."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..experiment import LONGEST_TEXT, MOST_ROUNDS

Number = Annotated[float, Field(allow_inf_nan=False)]
Value = str | int | Number | bool
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class Said(BaseModel):
    """What a client says: no key that we do not know, no value that only looks right."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Ask(Said):
    """What to do next? Repeated with the same request_id it gets the same trial."""

    worker: Text | None = Field(default=None, description="Who asks, for the record.")
    request_id: Text | None = Field(
        default=None, description="A text of your choice: asked again with it, you get the same trial, and pay once."
    )
    count: int = Field(
        default=1, ge=1, le=MOST_ROUNDS, description="At most so many rounds of one arm, as many as are settled."
    )


class Round(Said):
    """One round of a trial."""

    reward: Number | str | None = Field(default=None, description="A number, or the value of the reward's variable.")
    values: dict[str, Value] | None = Field(default=None, description="What was seen of the variables.")


class Tell(Round):
    """What a trial showed: reward and values, or rows with both where it has several rounds. The same again changes nothing."""

    rows: list[Round] | None = Field(default=None, description="One for each round of the trial.")


class Abandon(Said):
    """A trial that will never be told. The same again changes nothing."""

    spent: bool = Field(default=False, description="Whether its money is gone all the same.")


class Observations(Said):
    """Logged observations, each {variable: value, ...} with the reward's variable among them. Repeated, they count twice."""

    rows: list[dict[str, Value]] = Field(min_length=1)


class Page(BaseModel):
    """Which events of the history; from the query, where all is text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    after: int = Field(default=0, ge=0, lt=2**63, description="Only events that follow this number.")
    limit: int = Field(default=100, ge=1, le=1000, description="At most so many events.")


class Answer(BaseModel):
    """What we say. Keys that are not listed do not occur."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Health(Answer):
    status: Literal["ok"]


class Experiments(Answer):
    experiments: list[str]


class Trial(Answer):
    """Rounds of one arm to carry out and tell until `lease_until`. The intervention {} is watching. `cost` is that of all rounds."""

    number: int
    intervention: dict[str, str]
    rounds: int
    cost: float
    lease_until: datetime
    status: Literal["pending", "told", "expired", "abandoned"]
    worker: str | None
    request_id: str | None


class Estimate(Answer):
    """What all data say of an arm. `effective_pulls` counts own rounds, and observations that showed its assignment where these tell about it."""

    intervention: dict[str, str]
    pulls: int
    effective_pulls: int
    mean: float | None
    interval: Annotated[
        list[float | None], Field(min_length=2, max_length=2, description="Lower and upper end; null is without bound.")
    ]


class Recommendation(Answer):
    """The policy's answer, with what all data say of it and of the best other arm. `note` says where the two disagree."""

    policy: str
    best: Estimate
    runner_up: Estimate | None
    method: str = Field(description="How the intervals are made.")
    note: str


class Status(Answer):
    """Where an experiment stands. Money in units; with a horizon, rounds. `arms` pool the whole journal: see `note`."""

    name: str
    policy: str
    budget: float
    spent: float
    reserved: float
    left: float
    trials: int
    observations_imported: int
    arms: list[Estimate]
    pending: list[Trial]
    method: str
    note: str


class Event(BaseModel):
    """A line of the journal; what else it has depends on its kind. Money in units, leases in seconds."""

    model_config = ConfigDict(extra="allow", frozen=True)

    number: int
    kind: Literal["created", "asked", "told", "expired", "abandoned", "imported", "accepted"]
    at: datetime


class History(Answer):
    """Some events. `next` is the `after` of the next page, or null if there are no more yet."""

    events: list[Event]
    next: int | None


class Imported(Answer):
    observations: int


class Mistake(Answer):
    """What is wrong with a part of a request."""

    at: str
    message: str


class Problem(Answer):
    """An error (RFC 9457). By `type` programs tell errors apart."""

    type: str = Field(
        description="urn:causalbandits: and nothing-yet (ask again), budget-exhausted (with the recommendation), conflict, policy-changed, "
        "not-found, bad-input, unauthorized, read-only or storage; or about:blank."
    )
    title: str
    status: int
    detail: str
    errors: list[Mistake] = Field(default=[], description="With bad-input, where the schema is not met.")
    retry_after: float | None = Field(default=None, description="With nothing-yet: seconds.")
    recommendation: Recommendation | None = Field(default=None, description="With budget-exhausted.")


Json = dict[str, Any]
