"""Errors as HTTP answers of the media type problem+json (RFC 9457).

An answer says what the user can do. It reveals nothing about the inside of the server.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ...errors import InputError
from ..errors import BudgetExhausted, Busy, Conflict, NotFound, NothingYet, PolicyChanged, StorageError
from ..status import json_values
from .mistakes import mistakes

MEDIA_TYPE = "application/problem+json"
URN = "urn:causalbandits:"
LONGEST = 500  # characters of a detail: a mistake is quoted, but not sent back whole
MOST_MISTAKES = 10  # of one request
SOON = 1  # seconds after which a turn may be free
RETRY = 5  # seconds after which a storage that failed may answer again

log = logging.getLogger("causalbandits.service")


def problem_answer(
    status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """An answer of the media type problem+json. `detail` is a sentence for people."""
    detail = detail if len(detail) <= LONGEST else detail[: LONGEST - 4] + " ..."
    body = {"type": kind, "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return Response(json.dumps(body), status, headers, MEDIA_TYPE)


def input_answer(request: Request, error: Exception) -> Response:
    """For a mistake in the request, or a request that comes too late."""
    for kind, status, name in (
        (NotFound, 404, "not-found"),
        (Conflict, 409, "conflict"),
        (PolicyChanged, 409, "policy-changed"),
    ):
        if isinstance(error, kind):
            return problem_answer(status, URN + name, str(error))
    return problem_answer(422, URN + "bad-input", str(error))


def nothing_yet_answer(request: Request, error: Exception) -> Response:
    """For an ask while the policy waits for an outcome: the client asks again later."""
    assert isinstance(error, NothingYet)
    headers = {"Retry-After": str(math.ceil(error.retry_after))}
    return problem_answer(409, URN + "nothing-yet", str(error), headers, retry_after=error.retry_after)


def budget_answer(request: Request, error: Exception) -> Response:
    """For an ask at the end of the experiment: it has the recommendation."""
    assert isinstance(error, BudgetExhausted)
    answer = json_values(error.recommendation)
    return problem_answer(409, URN + "budget-exhausted", str(error), recommendation=answer)


def storage_answer(request: Request | None, error: Exception) -> Response:
    """For a database that fails. Only the log says why."""
    log.warning("%s", error)
    sentence = (
        "The storage does not answer as it should; what was not confirmed may be repeated: "
        "a tell, or an ask with the same request_id."
    )
    return problem_answer(503, URN + "storage", sentence, {"Retry-After": str(RETRY)})


def busy_answer(request: Request, error: Exception) -> Response:
    """For a request that waited too long for others that write. Only the log says where."""
    log.warning("%s", error)
    sentence = "Others have been writing for too long, so nothing was written; repeat the request."
    return problem_answer(503, URN + "busy", sentence, {"Retry-After": str(SOON)})


def validation_answer(request: Request, error: Exception) -> Response:
    """For a body, path or query that breaks the schema. The input is not sent back whole, because it may be long."""
    assert isinstance(error, RequestValidationError)
    found = mistakes(error.errors(), request.scope["endpoint"])[:MOST_MISTAKES]
    return problem_answer(422, URN + "bad-input", f"{found[0]['at']}: {found[0]['message']}", errors=found)


def http_answer(request: Request, error: Exception) -> Response:
    """For unknown paths and methods, and for bodies that are too large or not JSON."""
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == 404:
        detail = "There is nothing at this path; GET /openapi.json lists the paths."
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        detail = f"This path does not take {request.method}; it takes {allowed}."
    if error.status_code == 400:
        detail = "The body cannot be read; send JSON in UTF-8, with numbers of a usual size and few levels of lists."
    kind = URN + "unauthorized" if error.status_code == 401 else "about:blank"
    return problem_answer(error.status_code, kind, detail, error.headers)


def bug_answer(request: Request, error: Exception) -> Response:
    """For a bug of ours, which is in the server's log.

    The server closes the connection afterwards, so the header tells the client not to use it again.
    """
    sentence = "The server made a mistake; its log says which. What was not confirmed was not written."
    return problem_answer(500, "about:blank", sentence, {"Connection": "close"})


HANDLERS = {
    InputError: input_answer,
    NothingYet: nothing_yet_answer,
    BudgetExhausted: budget_answer,
    Busy: busy_answer,
    StorageError: storage_answer,
    RequestValidationError: validation_answer,
    HTTPException: http_answer,
    Exception: bug_answer,
}
