"""The service: asking and telling over HTTP is asking and telling."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import causalbandits as cb

from .answers import ASK, is_problem
from .serving import SEEN, Served, outcome, problem, served

REWARD = problem().reward.variable
VALUES = {v.name: v.values for v in problem().graph.variables if v.name != REWARD and not v.hidden}


def test_asking_and_telling_over_http_is_the_same_as_in_python(url: str) -> None:
    with served(url) as shop:
        trial = shop.write.post(ASK, json={"worker": "web-3", "request_id": "visit-1"}).json()
        assert trial["status"] == "pending"
        assert shop.write.post(ASK, json={"request_id": "visit-1"}).json() == trial
        answer = shop.write.post(f"/experiments/checkout/trials/{trial['number']}/tell", json=outcome(trial))
        assert (
            answer.json()
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


def test_the_history_is_sent_page_by_page(shop: Served) -> None:
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


def test_a_page_of_the_history_ends_before_it_is_too_long(shop: Served) -> None:
    row = {**SEEN, "Purchase": "yes"}
    for _ in range(3):
        shop.write.post("/experiments/checkout/observations", json={"rows": [row] * 3000}).raise_for_status()
    pages, after = [], 0
    while after is not None:
        answer = shop.read.get("/experiments/checkout/history", params={"after": after, "limit": 1000})
        pages.append([event["number"] for event in answer.json()["events"]])
        assert len(pages[-1]) == 1 or len(answer.content) < 1_200_000
        after = answer.json()["next"]
    assert [number for page in pages for number in page] == [1, 2, 3, 4]
    assert len(pages) > 1


def test_a_storage_that_fails_makes_the_service_not_ready_but_it_lives(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    with served(f"sqlite:///{file}") as shop:
        for path in ("/live", "/ready", "/health"):
            assert shop.nobody.get(path).json() == {"status": "ok"}
        file.unlink()
        assert shop.nobody.get("/live").json() == {"status": "ok"}
        for path in ("/ready", "/health"):
            is_problem(shop.nobody.get(path), 503, "storage")


def test_a_trial_that_is_handed_out_is_never_too_long_to_be_told(memory: str) -> None:
    with served(memory, policy="pb", budget=200_000) as shop:
        trial = shop.write.post(ASK, json={"count": 1_000_000}).json()
        assert 1000 < trial["rounds"] < 100_000
        row = {"reward": 1, "values": {name: max(value, key=len) for name, value in VALUES.items()}}
        told = shop.write.post(
            f"/experiments/checkout/trials/{trial['number']}/tell", json={"rows": [row] * trial["rounds"]}
        )
        assert told.json()["status"] == "told", told.text


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
