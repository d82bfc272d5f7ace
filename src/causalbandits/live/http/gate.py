"""What a request must pass before anything is done for it: a token that opens the door, and a body of bounded size."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import StorageError
from ..storage import Storage
from .problem_json import URN, of_storage, problem
from .tokens import access_of

OPEN = "/health"
PAGES = ("/docs", "/openapi.json")  # for browsers, which cannot send a bearer token by themselves
PATIENCE = 16  # bodies of the largest size are read, and thrown away, of one that is too large
LOOKS = ("GET", "HEAD", "OPTIONS")


class Gate:
    """Nobody gets in without a token, but for the health check; with a token to read nobody changes anything."""

    def __init__(self, app: ASGIApp, storage: Storage) -> None:
        self._app, self._storage = app, storage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != OPEN:
            refusal = await run_in_threadpool(self._refusal, scope["method"], scope["path"], Headers(scope=scope))
            if refusal is not None:
                return await refusal(scope, receive, send)
        await self._app(scope, receive, send)

    def _refusal(self, method: str, path: str, headers: Headers) -> Response | None:
        is_page = method in LOOKS and path in PAGES
        token = _token(headers.get("authorization", ""), is_page)
        try:
            access = None if token is None else access_of(self._storage, token)
        except StorageError as error:
            return of_storage(None, error)
        if access is None:
            said = "Send a token, as in the header Authorization: Bearer TOKEN; causalbandits token create makes one."
            return problem(
                401, URN + "unauthorized", said, {"WWW-Authenticate": 'Basic realm="token"' if is_page else "Bearer"}
            )
        if access == "read" and method not in LOOKS:
            return problem(
                403,
                URN + "read-only",
                "The token is one to read; to ask, tell or abandon needs one made with --access write.",
            )
        return None


class Limit:
    """Bodies of at most so many bytes, counted as they arrive, whatever was announced."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                await self._discard(receive, message)
                raise HTTPException(413, self._sentence, {"Connection": "close"})
            return message

        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        if announced.isdecimal() and (len(announced) > 18 or int(announced) > self._most):
            if "expect" not in headers:  # who expects an answer before sending has sent nothing
                await self._discard(receive, {"more_body": True})
            return await problem(413, "about:blank", self._sentence, {"Connection": "close"})(scope, receive, send)
        await self._app(scope, counted, send)

    async def _discard(self, receive: Receive, last: Mapping[str, Any]) -> None:
        """Let a client finish that sends somewhat too much: it reads the answer only then. The rest of more than that is cut off."""
        discarded = 0
        while last.get("more_body", False) and discarded <= PATIENCE * self._most:
            last = await receive()
            discarded += len(last.get("body", b""))

    @property
    def _sentence(self) -> str:
        return f"The body has more than {self._most} bytes; send less at a time, or start the service with a larger --max-body."


def _token(authorization: str, is_page: bool) -> bytes | None:
    """The token of a request: by itself, or, where a browser asks for a page, as the password of any user."""
    scheme, _, said = authorization.partition(" ")
    said = said.strip()
    if scheme.lower() == "bearer" and said:
        return said.encode()
    if scheme.lower() == "basic" and is_page:
        try:
            return base64.b64decode(said, validate=True).partition(b":")[2] or None
        except (binascii.Error, ValueError):
            return None
    return None
