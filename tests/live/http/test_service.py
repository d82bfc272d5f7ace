"""The service: what it answers, to whom, and how it says no."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

import causalbandits as cb
from causalbandits.live import experiment
from causalbandits.live.http import tokens
from causalbandits.live.http.server import listen

from .serving import SEEN, Served, outcome, problem, served

ASK = "/experiments/checkout/ask"


@pytest.fixture
def shop(memory: str) -> Iterator[Served]:
    with served(memory) as running:
        yield running


@pytest.fixture(scope="module")
def lasting() -> Iterator[Served]:
    """One for many tests, with a pending trial."""
    with served("memory:lasting") as running:
        running.write.post(ASK)
        yield running


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


def test_ask_act_tell_over_http_is_ask_act_tell(url: str) -> None:
    with served(url) as shop:
        trial = shop.write.post(ASK, json={"worker": "web-3", "request_id": "visit-1"}).json()
        assert trial["status"] == "pending"
        assert shop.write.post(ASK, json={"request_id": "visit-1"}).json() == trial
        told = shop.write.post(f"/experiments/checkout/trials/{trial['number']}/tell", json=outcome(trial))
        assert (
            told.json()
            == {**trial, "status": "told"}
            == shop.read.get(f"/experiments/checkout/trials/{trial['number']}").json()
        )
        other = shop.write.post(ASK).json()
        assert (
            shop.write.post(f"/experiments/checkout/trials/{other['number']}/abandon", json={"spent": True}).json()[
                "status"
            ]
            == "abandoned"
        )
        row = {**SEEN, "Purchase": "yes"}
        assert shop.write.post("/experiments/checkout/observations", json={"rows": [row, row]}).json() == {
            "observations": 2
        }
        status = shop.read.get("/experiments/checkout").json()
        assert (status["spent"], status["left"], status["observations_imported"]) == (
            1 + other["cost"],
            59 - other["cost"],
            2,
        )
        assert shop.read.get("/experiments").json() == {"experiments": ["checkout"]}
        exp = cb.Experiment.open(shop.storage, "checkout")
        assert shop.read.get("/experiments/checkout/recommendation").json()["best"]["intervention"] == dict(
            exp.recommend().intervention
        )
        assert status["arms"][0]["interval"] == list(exp.status().arms[0].interval)


def test_rounds_of_one_arm_are_told_as_rows(memory: str) -> None:
    with served(memory, policy="pb") as shop:
        trial = shop.write.post(ASK, json={"count": 3}).json()
        assert trial["rounds"] == 3
        tell = f"/experiments/checkout/trials/{trial['number']}/tell"
        is_problem(shop.write.post(tell, json=outcome(trial)), 422, "bad-input")
        assert (
            shop.write.post(tell, json={"rows": [outcome(trial, 1), outcome(trial, 0), outcome(trial, 1)]}).json()[
                "status"
            ]
            == "told"
        )
        assert shop.read.get("/experiments/checkout").json()["arms"][0]["mean"] == pytest.approx(2 / 3)


def test_without_a_token_nothing_is_served_but_the_health_check(shop: Served) -> None:
    assert shop.nobody.get("/health").json() == {"status": "ok"}
    operations = [
        (method, path)
        for path, methods in shop.app.openapi()["paths"].items()
        for method in methods
        if path != "/health"
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
            is_problem(answer, 401, "unauthorized")
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
    is_problem(shop.write.post(ASK), 401, "unauthorized")
    is_problem(shop.write.get("/experiments"), 401, "unauthorized")
    assert shop.read.get("/experiments/checkout").json()["trials"] == 1


def test_a_browser_gets_to_the_page_with_the_token_as_password_and_nowhere_else(shop: Served) -> None:
    assert shop.nobody.get("/docs").headers["www-authenticate"].startswith("Basic")
    for path in ("/docs", "/openapi.json"):
        assert shop.nobody.get(path, auth=("anyone", shop.token)).status_code == 200
        assert shop.nobody.get(path, auth=("anyone", shop.token[:-1])).status_code == 401
    is_problem(shop.nobody.get("/experiments", auth=("anyone", shop.token)), 401, "unauthorized")


def test_nothing_yet_says_when_to_come_back(shop: Served) -> None:
    answers = [shop.write.post(ASK) for _ in range(15)]
    said = is_problem(answers[-1], 409, "nothing-yet")
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 30
    assert said["retry_after"] <= 30


def test_an_exhausted_budget_is_answered_with_the_recommendation(memory: str) -> None:
    with served(memory, budget=18) as shop:
        while (answer := shop.write.post(ASK)).status_code == 200:
            trial = answer.json()
            assert (
                shop.write.post(f"/experiments/checkout/trials/{trial['number']}/tell", json=outcome(trial)).status_code
                == 200
            )
        said = is_problem(answer, 409, "budget-exhausted")
        assert said["recommendation"] == shop.read.get("/experiments/checkout/recommendation").json()
        assert "retry-after" not in answer.headers


def test_two_experiments_do_not_see_each_others_trials(shop: Served) -> None:
    cb.Experiment.create(shop.storage, "landing", problem(), "crm-nb", seed=1)
    for _ in range(3):
        shop.write.post(ASK)
    mine = shop.write.post("/experiments/landing/ask").json()
    assert mine["number"] == 1
    before = shop.read.get("/experiments/checkout").json()
    for number in (2, 3):
        trials = f"/experiments/landing/trials/{number}"
        is_problem(shop.write.get(trials), 404, "not-found")
        is_problem(shop.write.post(f"{trials}/tell", json=outcome({"intervention": {}})), 404, "not-found")
        is_problem(shop.write.post(f"{trials}/abandon"), 404, "not-found")
    assert shop.write.post("/experiments/landing/trials/1/abandon").status_code == 200
    assert shop.read.get("/experiments/checkout").json() == before
    assert [event["kind"] for event in shop.read.get("/experiments/landing/history").json()["events"]] == [
        "created",
        "asked",
        "abandoned",
    ]


def test_the_history_comes_page_by_page(shop: Served) -> None:
    for _ in range(4):
        shop.write.post(ASK)
    whole = shop.read.get("/experiments/checkout/history").json()
    assert [event["number"] for event in whole["events"]] == [1, 2, 3, 4, 5]
    assert whole["next"] is None
    paged, after = [], 0
    while after is not None:
        page = shop.read.get("/experiments/checkout/history", params={"after": after, "limit": 2}).json()
        assert len(page["events"]) <= 2
        paged, after = paged + page["events"], page["next"]
    assert paged == whole["events"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 422),
        (b"", 422),
        (b"[1]", 422),
        (b"[" * 100_000, 400),
        (b"\xff", 400),
        (b'{"reward": 1, "extra": 1}', 422),
        (b'{"reward": NaN}', 422),
        (b'{"reward": 1e999}', 422),
        (b'{"reward": true}', 422),
        (b'{"reward": ' + b"9" * 400 + b"}", 422),
        (b'{"reward": ' + b"9" * 5000 + b"}", 400),
        (json.dumps({"values": {**SEEN, "Purchase": 10**400}}).encode(), 422),
        (b'{"reward": 1, "values": {"Image": "\\ud800"}}', 422),
        (b'{"reward": 1, "values": {"\\ud800": "small"}}', 422),
        (b'{"reward": 1, "values": {"Image": "\\u0000"}}', 422),
        (b'{"reward": 1, "values": {"Season": "usual"}}', 422),
        (b'{"reward": 2}', 422),
        (json.dumps({"reward": "x" * 100_000}).encode(), 422),
    ],
    ids=lambda value: repr(value[:50]) if isinstance(value, bytes) else str(value),
)
def test_a_bad_body_is_a_short_problem_and_changes_nothing(lasting: Served, body: bytes, status: int) -> None:
    answer = lasting.write.post(
        "/experiments/checkout/trials/1/tell", content=body, headers={"content-type": "application/json"}
    )
    is_problem(answer, status, "bad-input" if status == 422 else "about:blank")
    assert len(answer.content) < 5000
    assert lasting.read.get("/experiments/checkout/trials/1").json()["status"] == "pending"


def test_what_is_not_there_is_a_problem_too(shop: Served) -> None:
    is_problem(shop.read.get("/nothing"), 404, "about:blank")
    wrong = shop.write.delete("/experiments")
    is_problem(wrong, 405, "about:blank")
    assert wrong.headers["allow"] == "GET"
    for name in ("chekout", "a%00b", "%ff", "x" * 5000, "..%2F"):
        assert shop.read.get(f"/experiments/{name}").status_code == 404
    assert "did you mean 'checkout'" in is_problem(shop.read.get("/experiments/chekout"), 404, "not-found")["detail"]
    for number in ("0", "-1", "x", "1.5", str(2**63), "9" * 5000):
        is_problem(shop.read.get(f"/experiments/checkout/trials/{number}"), 422, "bad-input")
    for query in ({"limit": 1001}, {"limit": 0}, {"after": -1}, {"limt": 5}):
        is_problem(shop.read.get("/experiments/checkout/history", params=query), 422, "bad-input")


def test_a_large_body_is_refused_announced_or_not(memory: str) -> None:
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


def test_who_waits_to_be_let_in_with_a_large_body_is_refused_before_sending_it(shop: Served) -> None:
    host, port = shop.url.removeprefix("http://").split(":")
    head = f"POST {ASK} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {shop.token}\r\nContent-Length: {10**9}\r\nExpect: 100-continue\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_many_clients_at_once_do_not_overspend(tmp_path: Path) -> None:
    with served(f"sqlite:///{tmp_path / 'journal.db'}", policy="pb", budget=60) as shop:

        def work(worker: int) -> list[tuple[int, float]]:
            done = []
            while True:
                answer = shop.write.post(ASK, json={"worker": f"w{worker}"})
                trial = answer.json()
                if answer.status_code == 200:
                    assert (
                        shop.write.post(
                            f"/experiments/checkout/trials/{trial['number']}/tell", json=outcome(trial)
                        ).status_code
                        == 200
                    )
                    done.append((trial["number"], trial["cost"]))
                elif trial["type"] == "urn:causalbandits:budget-exhausted":
                    return done
                else:
                    is_problem(answer, 409, "nothing-yet")

        with ThreadPoolExecutor(6) as pool:
            done = [trial for trials in pool.map(work, range(6)) for trial in trials]
        status = shop.read.get("/experiments/checkout").json()
        assert sorted(number for number, _ in done) == list(range(1, status["trials"] + 1))
        assert sum(cost for _, cost in done) == status["spent"] <= 60
        assert status["reserved"] == 0


def test_answers_are_sent_without_delay() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert (
                accepted.proto == socket.IPPROTO_TCP
            )  # what asyncio looks at before it turns the delay (Nagle's algorithm) off


def test_a_told_trial_and_a_changed_policy_are_conflicts(shop: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = shop.write.post(ASK).json()
    tell = f"/experiments/checkout/trials/{trial['number']}/tell"
    for _ in range(2):
        assert shop.write.post(tell, json=outcome(trial, 1)).status_code == 200
    is_problem(shop.write.post(tell, json=outcome(trial, 0)), 409, "conflict")
    with monkeypatch.context() as earlier:
        earlier.setattr(experiment, "source_of", lambda policy: "another")
        cb.Experiment.create(shop.storage, "older", problem(), "crm-nb")
    is_problem(shop.write.post("/experiments/older/ask"), 409, "policy-changed")
    cb.Experiment.open(shop.storage, "older", accept_policy=True)
    assert shop.write.post("/experiments/older/ask").status_code == 200


def test_a_storage_in_trouble_is_503_without_its_secrets(shop: Served) -> None:
    shop.write.post(ASK)
    with shop.storage.transaction() as connection:
        connection.execute(text("ALTER TABLE causalbandits_events RENAME TO hidden_events"))
    answer = shop.write.post(ASK)
    said = is_problem(answer, 503, "storage")
    assert int(answer.headers["retry-after"]) > 0
    assert "events" not in said["detail"]
    with shop.storage.transaction() as connection:
        connection.execute(text("ALTER TABLE hidden_events RENAME TO causalbandits_events"))
        connection.execute(text("ALTER TABLE causalbandits_tokens RENAME TO hidden_tokens"))
    is_problem(shop.write.post(ASK), 503, "storage")
    with shop.storage.transaction() as connection:
        connection.execute(text("ALTER TABLE hidden_tokens RENAME TO causalbandits_tokens"))
    assert shop.write.post(ASK).status_code == 200
    with shop.storage.transaction() as connection:
        connection.execute(text("UPDATE causalbandits_version SET version_num = '0000'"))
    is_problem(shop.nobody.get("/health"), 503, "storage")


def test_a_mistake_of_ours_is_500_without_internals(shop: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: cb.Experiment) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(cb.Experiment, "recommend", broken)
    answer = shop.read.get("/experiments/checkout/recommendation")
    assert "secret" not in str(is_problem(answer, 500, "about:blank"))
    assert (
        answer.headers["connection"] == "close"
    )  # the next request would meet a connection that is being closed, now and then
    assert shop.read.get("/experiments/checkout").status_code == 200
