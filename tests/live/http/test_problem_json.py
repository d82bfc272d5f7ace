"""Refusals of the service: short, complete, and without secrets."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import text

import causalbandits as cb
from causalbandits.live import experiment

from .answers import ASK, is_problem
from .serving import SEEN, Served, outcome, problem, served


def test_an_answer_without_a_trial_says_when_to_ask_again(shop: Served) -> None:
    answers = [shop.write.post(ASK) for _ in range(15)]
    body_of_answer = is_problem(answers[-1], 409, "nothing-yet")
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 30
    assert body_of_answer["retry_after"] <= 30


def test_an_exhausted_budget_is_answered_with_the_recommendation(memory: str) -> None:
    with served(memory, budget=18) as shop:
        while (answer := shop.write.post(ASK)).status_code == 200:
            trial = answer.json()
            assert (
                shop.write.post(f"/experiments/checkout/trials/{trial['number']}/tell", json=outcome(trial)).status_code
                == 200
            )
        body_of_answer = is_problem(answer, 409, "budget-exhausted")
        assert body_of_answer["recommendation"] == shop.read.get("/experiments/checkout/recommendation").json()
        assert "retry-after" not in answer.headers


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 422),
        (b"", 422),
        (b"[1]", 422),
        (b"[" * 80_000, 400),
        (b"[" * 100_000, 413),
        (b'{"count": 1, "count": 2}', 422),
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
def test_a_bad_body_is_answered_with_a_short_problem_and_changes_nothing(
    lasting: Served, body: bytes, status: int
) -> None:
    answer = lasting.write.post(
        "/experiments/checkout/trials/1/tell", content=body, headers={"content-type": "application/json"}
    )
    is_problem(answer, status, "bad-input" if status == 422 else "about:blank")
    assert len(answer.content) < 5000
    assert lasting.read.get("/experiments/checkout/trials/1").json()["status"] == "pending"


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        (
            "trials/1/tell",
            "{",
            r"body: The body is not JSON \(Expecting property name .*, after 1 characters\); correct it",
        ),
        ("trials/1/tell", "", r"body: The request has no body; send JSON"),
        ("trials/1/tell", "[1]", r"body: This must be an object, in { }, not \[1\]"),
        ("trials/1/tell", '{"rewrd": 1}', r"body.rewrd: There is no key 'rewrd'; did you mean 'reward'"),
        ("trials/1/tell", '{"reward": true}', r"body.reward: This must be a number or a text, not true"),
        ("trials/1/tell", '{"reward": NaN}', r"body.reward: This must be a number or a text, not NaN"),
        ("trials/1/tell", '{"values": [1]}', r"body.values: This must be an object, in { }, not \[1\]"),
        (
            "trials/1/tell",
            '{"values": {"Image": null}}',
            "body.values.Image: This must be a text or a number or true or false, not null",
        ),
        (
            "trials/1/tell",
            '{"rows": [{"valus": {}}]}',
            r"body.rows.0.valus: There is no key 'valus'; did you mean 'values'",
        ),
        ("trials/x/tell", "{}", 'path.number: This must be a whole number, not "x"'),
        ("trials/0/tell", "{}", 'path.number: This must be at least 1, not "0"'),
        ("ask", '{"count": "3"}', 'body.count: This must be a whole number, not "3"'),
        ("ask", '{"count": 0}', "body.count: This must be at least 1, not 0"),
        ("ask", '{"worker": ""}', 'body.worker: This must be a text of at least 1 character, not ""'),
        ("ask", '{"request": "r"}', "body.request: There is no key 'request'; did you mean 'request_id'"),
        ("trials/1/abandon", '{"spent": "no"}', 'body.spent: This must be true or false, not "no"'),
        ("observations", "{}", "body.rows: The key rows is missing; add it"),
        ("observations", '{"rows": []}', r"body.rows: This must be a list with at least 1 entry, not \[\]"),
        ("observations", '{"rows": [1]}', "body.rows.0: This must be an object, in { }, not 1"),
    ],
)
def test_a_mistake_in_a_request_is_one_sentence_in_our_words(
    lasting: Served, path: str, body: str, detail: str
) -> None:
    headers = {"content-type": "application/json"}
    answer = lasting.write.post(f"/experiments/checkout/{path}", content=body, headers=headers)
    problem = is_problem(answer, 422, "bad-input")
    assert re.fullmatch(detail + "[.?]", problem["detail"])
    assert len(problem["errors"]) == 1
    assert problem["detail"] == f"{problem['errors'][0]['at']}: {problem['errors'][0]['message']}"
    assert not re.search("Input|input|valid|Field|String|Extra", answer.text.replace("bad-input", ""))


def test_a_body_that_is_not_sent_as_json_and_a_wrong_method_are_named(shop: Served) -> None:
    for content_type in ("text/plain", "application/x-www-form-urlencoded"):
        answer = shop.write.post(ASK, content=b'{"count": 1}', headers={"content-type": content_type})
        assert "send the header Content-Type: application/json" in is_problem(answer, 422, "bad-input")["detail"]
    assert is_problem(shop.write.delete("/experiments"), 405, "about:blank")["detail"] == (
        "This path does not take DELETE; it takes GET."
    )
    answer = shop.write.post(ASK, content=b"\xff", headers={"content-type": "application/json"})
    assert "send JSON in UTF-8" in is_problem(answer, 400, "about:blank")["detail"]
    query = shop.read.get("/experiments/checkout/history", params={"limt": 5})
    assert is_problem(query, 422, "bad-input")["detail"] == "query.limt: There is no key 'limt'; did you mean 'limit'?"


def test_an_unknown_path_or_name_is_answered_with_a_problem(shop: Served) -> None:
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


def test_a_storage_in_trouble_is_answered_with_503_and_without_secrets(shop: Served) -> None:
    shop.write.post(ASK)
    with shop.storage.transaction() as connection:
        connection.execute(text("ALTER TABLE causalbandits_events RENAME TO hidden_events"))
    answer = shop.write.post(ASK)
    body_of_answer = is_problem(answer, 503, "storage")
    assert int(answer.headers["retry-after"]) > 0
    assert "events" not in body_of_answer["detail"]
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


def test_an_error_in_our_code_is_answered_with_500_and_without_internals(
    shop: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: cb.Experiment) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(cb.Experiment, "recommend", broken)
    answer = shop.read.get("/experiments/checkout/recommendation")
    assert "secret" not in str(is_problem(answer, 500, "about:blank"))
    # the next request would meet a connection that is being closed, now and then
    assert answer.headers["connection"] == "close"
    assert shop.read.get("/experiments/checkout").status_code == 200
