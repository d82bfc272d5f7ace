"""Check an answer that is a problem as RFC 9457 describes it."""

from __future__ import annotations

from typing import Any

import httpx

ASK = "/experiments/checkout/ask"


def is_problem(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    """The body of an answer that is a problem of a kind, whole and as RFC 9457 has it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["type"] == (kind if kind == "about:blank" else f"urn:causalbandits:{kind}")
    assert body["status"] == status
    assert body["title"]
    assert len(body["detail"]) > 5
    return body
