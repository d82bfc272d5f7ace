"""The experiments of a storage over HTTP. It only translates: experiments do the work."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Security
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from ...problem import Problem
from ..errors import NotFound
from ..experiment import NAME, Experiment
from ..status import Trial, json_values
from ..storage import Storage
from . import bodies
from .bodies import Json
from .gate import UNKNOWN_TOKEN, Gate, Limit, token_in
from .problem_json import HANDLERS, MEDIA_TYPE
from .strict import StrictRoute
from .tokens import access_of
from .turns import Turns

MAX_BODY = 2**20  # bytes
LONGEST_NUMBER = "-1.2345678901234567e-300"
ABOUT = (
    "Ask, act, tell: a live experiment that never overspends. "
    "Every path except /live, /ready and /health needs a token: Authorization: Bearer TOKEN."
)


class Shelf:
    """The open experiments. Each keeps what its policy has learned, and reads new events by itself.

    All requests share one copy, also of an experiment that refuses because its policy has changed.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._opened: dict[str, Experiment] = {}
        self._lock = Lock()

    def experiment(self, name: str) -> Experiment:
        """The experiment with this name; it is opened if needed."""
        found = self._opened.get(name)
        if found is None:
            if not NAME.fullmatch(name):
                raise NotFound(f"There is no experiment {name!r}; GET /experiments lists them.")
            with self._lock:
                found = self._opened.get(name) or Experiment.found(self.storage, name)
                self._opened[name] = found
        return found


def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


def _experiment(shelf: Annotated[Shelf, Depends(_shelf)], name: str) -> Experiment:
    return shelf.experiment(name)


class Writer:
    """Does work for an experiment when it is its turn, and answers with the values of what the work returns.

    The token is checked once more: while the body arrived or the request waited, it may have been revoked.
    """

    def __init__(self, request: Request, shelf: Annotated[Shelf, Depends(_shelf)], name: str) -> None:
        self._turns: Turns = request.app.state.turns
        self._token = token_in(request.headers.get("authorization", ""))
        self._shelf, self._name = shelf, name

    async def __call__(self, work: Callable[[Experiment], Any]) -> Any:
        return await self._turns.write(self._name, lambda: json_values(self._checked(work)))

    def _checked(self, work: Callable[[Experiment], Any]) -> Any:
        if self._token is None or access_of(self._shelf.storage, self._token) != "write":
            raise HTTPException(401, UNKNOWN_TOKEN, {"WWW-Authenticate": "Bearer"})
        return work(self._shelf.experiment(self._name))


Writes = Annotated[Writer, Depends()]
Named = Annotated[Experiment, Depends(_experiment)]
Number = Annotated[int, Path(ge=1, lt=2**63, description="The number of a trial that ask returned.")]


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of an operation, for the schema."""
    descriptions = {
        400: "The body cannot be read.",
        401: "No token, an unknown token or a revoked one.",
        403: "The token may only read.",
        404: "There is no such experiment or trial.",
        409: "The request contradicts an earlier one (conflict); nothing to do yet (nothing-yet, with Retry-After); "
        "nothing more to do (budget-exhausted, with the recommendation); or the policy's source has changed "
        "(policy-changed).",
        413: "The body is too large.",
        422: "The request has a mistake; the detail says which.",
        503: "The storage does not answer as it should, or too many requests wait for the experiment (busy); "
        "repeat the request, with Retry-After.",
    }
    return {status: {"model": bodies.ErrorAnswer, "description": descriptions[status]} for status in statuses}


READ_ERRORS = _errors(400, 401, 404, 409, 422, 503)
WRITE_ERRORS = _errors(400, 401, 403, 404, 409, 413, 422, 503)
bearer = HTTPBearer(auto_error=False, description="A token that causalbandits token create made.")
routes = APIRouter(
    dependencies=[Security(bearer)], route_class=StrictRoute
)  # only for the schema: the gate has already checked the token


@routes.get("/experiments", response_model=bodies.Experiments, responses=READ_ERRORS, summary="List the experiments")
def list_experiments(shelf: Annotated[Shelf, Depends(_shelf)]) -> Json:
    return {"experiments": Experiment.names(shelf.storage)}


@routes.get(
    "/experiments/{name}", response_model=bodies.Status, responses=READ_ERRORS, summary="The state of an experiment"
)
def get_status(experiment: Named) -> Json:
    """The money, the estimate of every arm, and the pending trials."""
    return _values(experiment.status())


@routes.get(
    "/experiments/{name}/recommendation",
    response_model=bodies.Recommendation,
    responses=READ_ERRORS,
    summary="The answer so far",
)
def get_recommendation(experiment: Named) -> Json:
    """The best intervention that the policy has found, with its interval and the runner-up."""
    return _values(experiment.recommend())


@routes.get(
    "/experiments/{name}/history",
    response_model=bodies.History,
    responses=READ_ERRORS,
    summary="The journal, page by page",
)
def get_history(experiment: Named, page: Annotated[bodies.Page, Query()]) -> Json:
    """A page ends earlier if its events are long."""
    events, following = experiment.page(page.after, page.limit)
    return {"events": events, "next": following}


@routes.get(
    "/experiments/{name}/trials/{number}",
    response_model=bodies.Trial,
    responses=READ_ERRORS,
    summary="A trial with its present status",
)
def get_trial(experiment: Named, number: Number) -> Json:
    return _values(experiment.trial(number))


@routes.post(
    "/experiments/{name}/ask", response_model=bodies.Trial, responses=WRITE_ERRORS, summary="Get the next trial"
)
async def ask(request: Request, write: Writes, body: bodies.Ask | None = None) -> Json:
    """Carry the trial out, then tell its outcome. Its cost is reserved."""
    asked, most = body or bodies.Ask(), request.app.state.max_body

    def work(experiment: Experiment) -> Trial:
        count = min(asked.count, most_rounds(experiment.problem, most))
        return experiment.ask(worker=asked.worker, request_id=asked.request_id, count=count)

    answer: Json = await write(work)
    return answer


@routes.post(
    "/experiments/{name}/trials/{number}/tell",
    response_model=bodies.Trial,
    responses=WRITE_ERRORS,
    summary="Tell the outcome of a trial",
)
async def tell(write: Writes, number: Number, body: bodies.Tell) -> Json:
    """Its money is spent. Telling the same outcome again changes nothing; another outcome is a conflict."""

    def work(experiment: Experiment) -> Trial:
        rows = None if body.rows is None else [row.model_dump() for row in body.rows]
        return experiment.tell(number, body.reward, body.values, rows=rows)

    answer: Json = await write(work)
    return answer


@routes.post(
    "/experiments/{name}/trials/{number}/abandon",
    response_model=bodies.Trial,
    responses=WRITE_ERRORS,
    summary="Give up a trial",
)
async def abandon(write: Writes, number: Number, body: bodies.Abandon | None = None) -> Json:
    """Its money comes back, unless `spent` is true."""
    spent = body is not None and body.spent
    answer: Json = await write(lambda experiment: experiment.abandon(number, spent=spent))
    return answer


@routes.post(
    "/experiments/{name}/observations",
    response_model=bodies.Imported,
    responses=WRITE_ERRORS,
    summary="Import logged observations",
)
async def import_observations(write: Writes, body: bodies.Observations) -> Json:
    """They cost nothing, and teach about the same arms as observing does. If sent twice, they count twice."""
    return {"observations": await write(lambda experiment: experiment.import_observations(body.rows))}


def most_rounds(problem: Problem, max_body: int) -> int:
    """For how many rounds the outcomes fit into one body, whatever they are."""
    values = {v.name: max(v.values, key=len) if v.values else LONGEST_NUMBER for v in problem.graph.variables}
    row = {"reward": float(LONGEST_NUMBER), "values": values}
    return max(max_body // (len(json.dumps(row)) + 2), 1)


class Service(FastAPI):
    """An application whose OpenAPI schema names the media type of its errors."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            for path in super().openapi()["paths"].values():
                for operation in path.values():
                    for status, answer in operation["responses"].items():
                        if int(status) >= 400:
                            answer["content"] = {MEDIA_TYPE: answer["content"]["application/json"]}
        assert self.openapi_schema is not None
        return self.openapi_schema


def service(storage: str | Storage, max_body: int = MAX_BODY) -> FastAPI:
    """The application, for any ASGI server."""
    database = Storage.of(storage)
    app = Service(
        title="causalbandits",
        version=version("causalbandits"),
        description=ABOUT,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.shelf = Shelf(database)
    app.state.turns = Turns()
    app.state.max_body = max_body

    @app.get("/live", response_model=bodies.Health, summary="Whether the service answers")
    async def live() -> Json:
        """It looks at nothing else: if the storage fails, a new start of the service does not help."""
        return {"status": "ok"}

    def is_ready() -> Json:
        database.check()
        return {"status": "ok"}

    for path in ("/ready", "/health"):
        summary = "Whether the service and its storage answer"
        app.get(path, response_model=bodies.Health, responses=_errors(503), summary=summary)(is_ready)

    app.include_router(routes)
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
    app.add_middleware(Limit, max_bytes=max_body)
    app.add_middleware(Gate, storage=database)  # added last, so it sees every request first
    return app


def _values(record: Any) -> Json:
    values: Json = json_values(record)
    return values
