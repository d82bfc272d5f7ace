"""The experiments of a storage over HTTP: serialises and delegates."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Security
from fastapi.security import HTTPBearer

from ..errors import NotFound
from ..experiment import NAME, Experiment
from ..status import plain
from ..storage import Storage
from . import bodies
from .bodies import Json
from .gate import OPEN, Gate, Limit
from .problem_json import HANDLERS, MEDIA_TYPE

MAX_BODY = 2**20  # bytes
ABOUT = "Ask, act, tell: a live experiment that never overspends. Every path but /health needs a token: Authorization: Bearer TOKEN."


class Shelf:
    """The experiments that were opened; each keeps what its policy has learned, and catches up with the journal by itself."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._opened: dict[str, Experiment] = {}

    def experiment(self, name: str) -> Experiment:
        found = self._opened.get(name)
        if found is None:
            if not NAME.fullmatch(name):
                raise NotFound(f"There is no experiment {name!r}; GET /experiments lists them.")
            found = self._opened.setdefault(name, Experiment.open(self.storage, name))
        return found


def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


def _experiment(shelf: Annotated[Shelf, Depends(_shelf)], name: str) -> Experiment:
    return shelf.experiment(name)


Named = Annotated[Experiment, Depends(_experiment)]
Number = Annotated[int, Path(ge=1, lt=2**63, description="The number of a trial that ask returned.")]


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    said = {
        400: "Not a body that can be read.",
        401: "No token, an unknown one or a revoked one.",
        403: "A token that may only read.",
        404: "No such experiment or trial.",
        409: "Something else was said before (conflict), nothing to do yet (nothing-yet, with Retry-After), "
        "nothing more to do (budget-exhausted, with the recommendation), or another version of the policy (policy-changed).",
        413: "The body is too large.",
        422: "Not what is expected here; the detail says why.",
        503: "The storage does not answer as it should; repeat.",
    }
    return {status: {"model": bodies.Problem, "description": said[status]} for status in statuses}


LOOK, CHANGE = _errors(400, 401, 404, 409, 422, 503), _errors(400, 401, 403, 404, 409, 413, 422, 503)
bearer = HTTPBearer(auto_error=False, description="A token that causalbandits token create made.")
routes = APIRouter(dependencies=[Security(bearer)])  # for the schema: the gate has looked at the token already


@routes.get("/experiments", response_model=bodies.Experiments, responses=LOOK, summary="List the experiments")
def list_experiments(shelf: Annotated[Shelf, Depends(_shelf)]) -> Json:
    return {"experiments": Experiment.names(shelf.storage)}


@routes.get("/experiments/{name}", response_model=bodies.Status, responses=LOOK, summary="Where it stands")
def get_status(experiment: Named) -> Json:
    """Money, what the data say of every arm, and the pending trials."""
    return _plain(experiment.status())


@routes.get(
    "/experiments/{name}/recommendation",
    response_model=bodies.Recommendation,
    responses=LOOK,
    summary="The answer so far",
)
def get_recommendation(experiment: Named) -> Json:
    """The best intervention by what the policy has learned, with its interval and the runner-up."""
    return _plain(experiment.recommend())


@routes.get(
    "/experiments/{name}/history", response_model=bodies.History, responses=LOOK, summary="The journal, page by page"
)
def get_history(experiment: Named, page: Annotated[bodies.Page, Query()]) -> Json:
    found = experiment.history(page.after, page.limit + 1)
    events = found[: page.limit]
    return {"events": events, "next": events[-1]["number"] if len(found) > page.limit else None}


@routes.get(
    "/experiments/{name}/trials/{number}", response_model=bodies.Trial, responses=LOOK, summary="A trial as it stands"
)
def get_trial(experiment: Named, number: Number) -> Json:
    return _plain(experiment.trial(number))


@routes.post("/experiments/{name}/ask", response_model=bodies.Trial, responses=CHANGE, summary="What to do next")
def ask(experiment: Named, body: bodies.Ask | None = None) -> Json:
    """A trial to carry out; its cost is reserved."""
    said = body or bodies.Ask()
    return _plain(experiment.ask(worker=said.worker, request_id=said.request_id, count=said.count))


@routes.post(
    "/experiments/{name}/trials/{number}/tell",
    response_model=bodies.Trial,
    responses=CHANGE,
    summary="What a trial showed",
)
def tell(experiment: Named, number: Number, body: bodies.Tell) -> Json:
    """Its money is spent. The same outcome told again changes nothing; another one is a conflict."""
    rows = None if body.rows is None else [row.model_dump() for row in body.rows]
    return _plain(experiment.tell(number, body.reward, body.values, rows=rows))


@routes.post(
    "/experiments/{name}/trials/{number}/abandon",
    response_model=bodies.Trial,
    responses=CHANGE,
    summary="Give a trial up",
)
def abandon(experiment: Named, number: Number, body: bodies.Abandon | None = None) -> Json:
    """Its money comes back, unless `spent` says otherwise."""
    return _plain(experiment.abandon(number, spent=body is not None and body.spent))


@routes.post(
    "/experiments/{name}/observations",
    response_model=bodies.Imported,
    responses=CHANGE,
    summary="Import logged observations",
)
def import_observations(experiment: Named, body: bodies.Observations) -> Json:
    """They cost nothing, and teach about the arms that watching tells about. Said twice they count twice."""
    return {"observations": experiment.import_observations(body.rows)}


class Service(FastAPI):
    """An application whose schema names the media type of its errors."""

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
    place = Storage.of(storage)
    app = Service(
        title="causalbandits",
        version=version("causalbandits"),
        description=ABOUT,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.shelf = Shelf(place)

    @app.get(
        OPEN, response_model=bodies.Health, responses=_errors(503), summary="Whether the service and its storage answer"
    )
    def health() -> Json:
        place.check()
        return {"status": "ok"}

    app.include_router(routes)
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
    app.add_middleware(Limit, most=max_body)
    app.add_middleware(Gate, storage=place)  # the outermost: it sees every request first
    return app


def _plain(record: Any) -> Json:
    said: Json = plain(record)
    return said
