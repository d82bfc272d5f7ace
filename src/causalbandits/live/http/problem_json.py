"""Errors as HTTP answers: problem+json (RFC 9457). A problem says what the user can do; what is inside the server stays there."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ...errors import InputError
from ..errors import BudgetExhausted, Conflict, NotFound, NothingYet, PolicyChanged, StorageError
from ..status import plain

MEDIA_TYPE = "application/problem+json"
URN = "urn:causalbandits:"
LONGEST = 500  # signs of a detail: a mistake is quoted, not sent back whole
RETRY = 5  # seconds after which a storage that did not answer may do so again

log = logging.getLogger("causalbandits.service")


def problem(status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    """A problem of a kind, told in a sentence."""
    detail = detail if len(detail) <= LONGEST else detail[: LONGEST - 4] + " ..."
    said = {"type": kind, "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return Response(json.dumps(said), status, headers, MEDIA_TYPE)


def of_input(request: Request, error: Exception) -> Response:
    """What is wrong with what was said, or with when it was said."""
    for kind, status, name in (
        (NotFound, 404, "not-found"),
        (Conflict, 409, "conflict"),
        (PolicyChanged, 409, "policy-changed"),
    ):
        if isinstance(error, kind):
            return problem(status, URN + name, str(error))
    return problem(422, URN + "bad-input", str(error))


def of_nothing_yet(request: Request, error: Exception) -> Response:
    """Nothing before an outcome: come back later."""
    assert isinstance(error, NothingYet)
    return problem(
        409,
        URN + "nothing-yet",
        str(error),
        {"Retry-After": str(math.ceil(error.retry_after))},
        retry_after=error.retry_after,
    )


def of_budget(request: Request, error: Exception) -> Response:
    """Nothing more at all: the answer."""
    assert isinstance(error, BudgetExhausted)
    return problem(409, URN + "budget-exhausted", str(error), recommendation=plain(error.recommendation))


def of_storage(request: Request | None, error: Exception) -> Response:
    """The database does not do its work. Why is for the log."""
    log.warning("%s", error)
    said = "The storage does not answer as it should; what was not confirmed may be repeated: a tell, or an ask with the same request_id."
    return problem(503, URN + "storage", said, {"Retry-After": str(RETRY)})


def of_validation(request: Request, error: Exception) -> Response:
    """A body, path or query that is not what the schema says. Neither the input nor the validator's own words of it are sent back whole."""
    assert isinstance(error, RequestValidationError)
    errors = [{"at": _place(one["loc"]), "message": _message(one)} for one in error.errors()[:10]]
    first = errors[0]
    return problem(422, URN + "bad-input", f"{first['at']}: {first['message']}.", errors=errors)


def of_http(request: Request, error: Exception) -> Response:
    """Unknown paths and methods, bodies that are too large or no JSON."""
    assert isinstance(error, HTTPException)
    detail = {404: "There is nothing at this path; GET /openapi.json tells what there is."}.get(
        error.status_code, str(error.detail)
    )
    return problem(error.status_code, "about:blank", detail, error.headers)


def of_anything(request: Request, error: Exception) -> Response:
    """A mistake of ours; the server's log has it. The server closes the connection after it, so the client is told not to use it again."""
    said = "The server made a mistake; its log says which. What was not confirmed was not written."
    return problem(500, "about:blank", said, {"Connection": "close"})


HANDLERS = {
    InputError: of_input,
    NothingYet: of_nothing_yet,
    BudgetExhausted: of_budget,
    StorageError: of_storage,
    RequestValidationError: of_validation,
    HTTPException: of_http,
    Exception: of_anything,
}


def _message(error: Mapping[str, Any]) -> str:
    """The validator's words; of a body that is no JSON, the reader's."""
    why = f" ({error['ctx']['error']})" if error["type"] == "json_invalid" else ""
    return f"{error['msg']}{why}"[:LONGEST]


def _place(where: Sequence[Any]) -> str:
    return ".".join(str(part)[:LONGEST].encode("ascii", "backslashreplace").decode() for part in where)
