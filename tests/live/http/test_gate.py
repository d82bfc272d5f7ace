"""Who is let in: tokens, and bodies that are too large."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections.abc import Iterator

import httpx

from causalbandits.live.http import tokens
from causalbandits.live.http.gate import OPEN

from .answers import ASK, is_problem
from .serving import Served, served


def test_without_a_token_nothing_is_served_but_the_health_check(shop: Served) -> None:
    for path in OPEN:
        assert shop.nobody.get(path).json() == {"status": "ok"}
    operations = [
        (method, path)
        for path, methods in shop.app.openapi()["paths"].items()
        for method in methods
        if path not in OPEN
    ]
    assert len(operations) == 9
    others = [
        ("get", "/openapi.json"),
        ("get", "/docs"),
        ("get", "/nothing"),
        ("get", "/health/"),
        ("post", "/health/../experiments"),
    ]
    before = shop.read.get("/experiments/checkout").json()
    stranger = {"Authorization": "Bearer cb_" + "x" * 43}
    basic = {"Authorization": "Basic " + base64.b64encode(f"me:{shop.token}".encode()).decode()}
    for method, path in operations + others:
        at = path.format(name="checkout", number=1)
        for headers in (
            {},
            stranger,
            {"Authorization": shop.token},
            {"Authorization": "Bearer"},
            *([] if path in ("/openapi.json", "/docs") else [basic]),
        ):
            answer = shop.nobody.request(method, at, headers=headers, content=b"{}")
            detail = is_problem(answer, 401, "unauthorized")["detail"]
            begins = "This token is unknown" if headers == stranger else "The header" if headers else "Send a token"
            assert detail.startswith(begins)
            assert "www-authenticate" in answer.headers
    assert shop.read.get("/experiments/checkout").json() == before


def test_a_token_to_read_changes_nothing(shop: Served) -> None:
    operations = [(method, path) for path, methods in shop.app.openapi()["paths"].items() for method in methods]
    for method, path in operations:
        answer = shop.read.request(method, path.format(name="checkout", number=1), content=b"{}")
        if method == "get":
            assert answer.status_code == (404 if "trials" in path else 200), path
        else:
            is_problem(answer, 403, "read-only")
    assert shop.read.get("/experiments/checkout").json()["trials"] == 0


def test_a_revoked_token_opens_nothing_from_then_on(shop: Served) -> None:
    assert shop.write.post(ASK).status_code == 200
    tokens.revoke(shop.storage, "writer")
    assert (
        "or it was revoked; causalbandits token list" in is_problem(shop.write.post(ASK), 401, "unauthorized")["detail"]
    )
    is_problem(shop.write.get("/experiments"), 401, "unauthorized")
    assert shop.read.get("/experiments/checkout").json()["trials"] == 1


def test_a_browser_opens_only_the_documentation_with_the_token_as_password(shop: Served) -> None:
    assert shop.nobody.get("/docs").headers["www-authenticate"].startswith("Basic")
    for path in ("/docs", "/openapi.json"):
        assert shop.nobody.get(path, auth=("anyone", shop.token)).status_code == 200
        assert shop.nobody.get(path, auth=("anyone", shop.token[:-1])).status_code == 401
    is_problem(shop.nobody.get("/experiments", auth=("anyone", shop.token)), 401, "unauthorized")


def test_a_large_body_is_refused_with_and_without_its_length_in_the_header(memory: str) -> None:
    with served(memory, max_body=10_000) as shop:
        fits = json.dumps({"worker": "me"}).encode().ljust(10_000)
        as_json = {"content-type": "application/json"}
        assert shop.write.post(ASK, content=fits, headers=as_json).status_code == 200
        assert shop.write.post(ASK, content=iter([fits[:5000], fits[5000:]]), headers=as_json).status_code == 200
        is_problem(shop.write.post(ASK, content=fits + b" ", headers=as_json), 413, "about:blank")
        is_problem(shop.write.post(ASK, content=iter([fits, b" "]), headers=as_json), 413, "about:blank")
        sent = 0

        def endless() -> Iterator[bytes]:
            nonlocal sent
            for _ in range(10_000):
                sent += 10_000
                yield b" " * 10_000

        try:
            answer = shop.write.post(ASK, content=endless(), headers=as_json)
        except httpx.TransportError:  # cut off
            pass
        else:
            is_problem(answer, 413, "about:blank")
        assert sent < 50_000_000  # the socket's buffers apart, not read on
        assert shop.read.get("/experiments/checkout").json()["trials"] == 2


def test_a_client_that_announces_a_large_body_is_refused_before_it_sends_it(shop: Served) -> None:
    host, port = shop.url.removeprefix("http://").split(":")
    lines = [
        f"POST {ASK} HTTP/1.1",
        f"Host: {host}",
        f"Authorization: Bearer {shop.token}",
        f"Content-Length: {10**9}",
        "Expect: 100-continue",
    ]
    head = "\r\n".join([*lines, "", ""])
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_token_that_is_revoked_while_the_body_arrives_writes_nothing(shop: Served) -> None:
    body = b'{"request_id": "late"}'
    head = f"POST {ASK} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {shop.token}\r\nConnection: close\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    host, port = shop.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head.encode() + body[:5])
        time.sleep(0.3)  # the token was looked at
        tokens.revoke(shop.storage, "writer")
        connection.sendall(body[5:])
        received = b""
        while part := connection.recv(10_000):
            received += part
    assert received.startswith(b"HTTP/1.1 401")
    assert b"urn:causalbandits:unauthorized" in received
    assert shop.read.get("/experiments/checkout").json()["trials"] == 0
