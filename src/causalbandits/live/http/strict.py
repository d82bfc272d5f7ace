"""Routes that refuse JSON in which a key is there twice: programs would read it in different ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from ...errors import RepeatedKeyError, unique_keys


class StrictRequest(Request):
    """A request in whose JSON no key is there twice."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body(), object_pairs_hook=unique_keys)
        return self._json


class StrictRoute(APIRoute):
    """A route that reads bodies strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            try:
                return await handler(StrictRequest(request.scope, request.receive))
            except HTTPException as error:
                if isinstance(error.__cause__, RepeatedKeyError):
                    raise error.__cause__ from None
                raise

        return strict
