"""Check an answer that is a problem as RFC 9457 describes it."""

from __future__ import annotations

from typing import Any

import httpx

ASK = "/experiments/checkout/ask"


def is_problem(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    """The body of an answer that is a problem of a kind, whole and as RFC 9457 has it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    said: dict[str, Any] = answer.json()
    assert said["type"] == (kind if kind == "about:blank" else f"urn:causalbandits:{kind}")
    assert said["status"] == status
    assert said["title"]
    assert len(said["detail"]) > 5
    return said
