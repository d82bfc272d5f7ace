"""The commands of live experiments: what they print, what they exit with."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import causalbandits as cb
from causalbandits import cli
from causalbandits.live import Storage, experiment, storage
from causalbandits.live.http import tokens

from ..files.texts import EXAMPLE as FILE
from ..live.http.serving import SEEN

WATCHED = [word for name, value in SEEN.items() for word in ("--value", f"{name}={value}")]


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command as the shell would, with a storage that is not there yet."""
    monkeypatch.setenv("CAUSALBANDITS_STORAGE", f"sqlite:///{tmp_path / 'experiments.db'}")
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.chdir(tmp_path)

    def run(*words: str | int) -> Answer:
        monkeypatch.setattr(sys, "argv", ["causalbandits", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        answer = capsys.readouterr()
        code = ended.value.code
        # as Python does
        return (
            Answer(1, answer.out, f"{answer.err}{code}")
            if isinstance(code, str)
            else Answer(code or 0, answer.out, answer.err)
        )

    return run


def test_commands_run_an_experiment_from_its_file_to_the_recommendation(command: Command) -> None:
    made = command("create", FILE, "--name", "checkout", "--policy", "crm-nb", "--lease", 60, "--json").json
    assert made == {"name": "checkout", "policy": "crm-nb", "why": None, "seed": 1, "lease": 60.0}
    first = command("ask", "checkout", "--worker", "[me]", "--request-id", "r1", "--json").json
    assert first == command("ask", "checkout", "--request-id", "r1", "--json").json
    answer = command("tell", "checkout", 1, "--reward", "yes", *WATCHED)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == "Trial 1: do() (watch), 1 round, cost 1, told.\n"
    assert command("ask", "checkout", "--worker", "[me]").out.startswith(
        "Trial 2: do(Image=small), 1 round, cost 2, pending, until 20"
    )
    assert command("ask", "checkout").code == 0
    assert command("abandon", "checkout", 3, "--spent", "--json").json["status"] == "abandoned"
    status = command("status", "checkout", "--json").json
    assert (status["spent"], status["reserved"], status["left"]) == (3, 2, 495)
    table = command("status", "checkout").out
    assert "Budget 500: 3 spent, 2 reserved, 495 left." in table
    assert re.search(r"^do\(Image=small\) +0 +1 +1  0\.\d+ to 1$", table, re.MULTILINE)
    assert re.search(r"^ +2  do\(Image=small\) +1 +2  20.* UTC  \[me\]$", table, re.MULTILINE)
    assert "may differ" in table
    answer = command("recommend", "checkout", "--json").json
    text = command("recommend", "checkout").out
    assert str(cb.Intervention(answer["best"]["intervention"])) in text
    assert "may differ" in text or "pooled data" in text
    events = command("history", "checkout", "--json").json
    assert [event["kind"] for event in events] == ["created", "asked", "told", "asked", "asked", "abandoned"]
    assert command("history", "checkout", "--after", 2, "--limit", 1, "--json").json == events[2:3]
    lines = command("history", "checkout").out.splitlines()
    assert len(lines) == 6
    assert "asked trial 2 intervention=do(Image=small) rounds=1 settled=1 cost=2 lease=60s worker=[me]" in lines[3]
    assert {"intervention": {"Image": "small"}, "cost": 2.0, "lease": 60.0}.items() <= events[3].items()
    assert command("experiments", "--json").json == ["checkout"] == command("experiments").out.split()


def test_create_without_a_policy_takes_the_recommended_one_and_prints_why(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    advice = cb.recommend_policy(cb.read_problem(FILE).problem)
    made = command("create", FILE, "--json").json
    assert (made["policy"], made["why"]) == (advice.policy.label, advice.why)
    answer = command("create", FILE, "--name", "again").out.splitlines()
    assert answer[0] == str(advice)
    assert answer[1].startswith(f"Experiment again begins: {advice.policy.label}, 9 arms")
    # another rule, later
    monkeypatch.setattr("causalbandits.advice.recommend.suited", lambda problem, objective: ("causal-ts",))
    assert cb.recommend_policy(cb.read_problem(FILE).problem).policy == cb.CausalThompson()
    assert command("status", "again", "--json").json["policy"] == advice.policy.label != "causal-ts"


def test_money_is_printed_with_all_its_decimals(command: Command, tmp_path: Path) -> None:
    text = (
        FILE.read_text()
        .replace("budget = 500 ", "budget = 1234567.678901 ")
        .replace("Image = 2\n", 'Image = 2\n"do()" = 0.100001\n')
    )
    (tmp_path / "costly.toml").write_text(text)
    assert command("create", "costly.toml", "--name", "costly").code == 0
    assert "cost 0.100001, pending" in command("ask", "costly").out
    table = command("status", "costly").out
    assert "Budget 1234567.678901: 0 spent, 0.100001 reserved, 1234567.5789 left." in table
    assert re.search(r" 1  do\(\) \(watch\) +1  0\.100001  ", table)


def test_rows_can_be_told_and_imported_from_files(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("create", FILE, "--policy", "pb")
    assert command("ask", "marketing", "--count", 2, "--json").json["rounds"] == 2
    rows = "\n".join(json.dumps({"reward": reward, "values": SEEN}) for reward in (1, 0))
    (tmp_path / "rows.jsonl").write_text(rows + "\n\n")
    assert command("tell", "marketing", 1, "--rows", "rows.jsonl").code == 0
    (tmp_path / "log.csv").write_text(
        "Image,Description,Comparison,Purchase\nsmall,short,none,yes\nlarge,long,none,no\nlarge,long,none,no\n"
    )
    assert command("import", "marketing", "log.csv").out == "3 observations imported.\n"
    (tmp_path / "log.jsonl").write_text(json.dumps({**SEEN, "Purchase": "yes"}))
    assert command("import", "marketing", "log.jsonl", "--json").json == {"observations": 1}
    status = command("status", "marketing", "--json").json
    assert status["observations_imported"] == 4
    assert (status["arms"][0]["effective_pulls"], status["arms"][0]["mean"]) == (6, 0.5)
    for content, name, sentence in (
        ("Image,Image\nsmall,small\n", "twice.csv", "named twice"),
        ("Image,Purchase\nsmall\n", "short.csv", "short.csv, line 2: 1 values for the 2 columns"),
        ('{"a": 1, "b": 2, "a": 3}', "twice.jsonl", "twice.jsonl, line 1: The key 'a' is there twice; give it once"),
        ("{}\n[1]\n", "list.jsonl", "list.jsonl, line 2: a row is one JSON object"),
        ("{", "broken.jsonl", "line 1"),
        (
            "Image;Purchase\nsmall;yes\n",
            "excel.csv",
            "excel.csv, line 1: the columns are separated by semicolons; save",
        ),
        ("Image\tPurchase\nsmall\tyes\n", "tabs.csv", "tabs.csv, line 1: the columns are separated by tabs; save"),
        ("PK\x03\x04\0\0", "log.xlsx", "log.xlsx is a spreadsheet and not a text file; save it as CSV (UTF-8, with"),
        (
            "Image,Purchase\nsmall,yes\n",
            "log.txt",
            "line 1: a row is one JSON object on one line; the name of a CSV file",
        ),
        ("", "empty.csv", "no rows"),
    ):
        (tmp_path / name).write_text(content)
        answer = command("import", "marketing", name)
        assert answer.code == 1
        assert sentence in answer.err
    assert "cannot be read" in command("import", "marketing", "missing.csv").err
    assert command("status", "marketing", "--json").json["observations_imported"] == 4


def test_waiting_and_an_exhausted_budget_have_their_own_exit_codes(command: Command) -> None:
    command("create", FILE)
    answer = command("ask", "marketing")
    while answer.code == 0:
        answer = command("ask", "marketing")
    assert (answer.code, answer.out) == (75, "")
    assert "decides nothing before" in answer.err
    assert command("ask", "marketing", "--json").json["retry_after"] >= 1
    cb.Experiment.create(
        os.environ["CAUSALBANDITS_STORAGE"], "small", cb.worlds.marketing().problem(budget=3, cost=2), "pb"
    )
    while (end := command("ask", "small", "--json")).code == 0:
        assert (
            command(
                "tell", "small", end.json["number"], "--reward", 1, *([] if end.json["intervention"] else WATCHED)
            ).code
            == 0
        )
    assert end.code == 3
    assert end.json == command("recommend", "small", "--json").json
    assert "Nothing more is bought" in end.err
    assert "recommends" in command("ask", "small").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ask", "checkuot"], "did you mean 'checkout'?"),
        (["tell", "checkout", 7, "--reward", 1], "There is no trial 7"),
        (["tell", "checkout", 1, "--reward", 1, "--value", "Image"], "Variable=value, not 'Image'"),
        (["tell", "checkout", 1, "--value", "Image=a", "--value", "Image=b"], "told twice"),
        (["create", FILE, "--name", "checkout"], "There is an experiment 'checkout' already"),
        (["create", FILE, "--name", ""], "not ''"),
        (["create", "missing.toml"], "missing.toml"),
        (["status", "checkout", "--storage", "memory"], "ends with this command"),
        (["status", "checkout", "--storage", ""], "Give --storage or set CAUSALBANDITS_STORAGE"),
        (["status", "checkout", "--storage", "mysql://x"], "A storage is"),
        (["serve", "--port", 70000], "A port is a number"),
        (["serve", "--max-body", 0], "at least 1 byte"),
        (["token", "create", "me", "--access", "admin"], "choose from: read, write"),
        (["token", "revoke", "me"], "There is no token 'me'"),
    ],
    ids=lambda value: " ".join(str(word) for word in value[:4] if word != FILE) if isinstance(value, list) else "",
)
def test_a_mistake_is_a_sentence_and_exit_code_1(command: Command, words: list[str | int], sentence: str) -> None:
    cb.Experiment.create(
        os.environ["CAUSALBANDITS_STORAGE"], "checkout", cb.worlds.marketing().problem(budget=60, cost=2), "crm-nb"
    )
    answer = command(*words)
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err
    assert answer.err.startswith("causalbandits: ")


def test_a_storage_in_trouble_has_exit_code_69(command: Command, tmp_path: Path) -> None:
    (tmp_path / "page.db").write_text("This is no database. " * 100)
    assert command("status", "checkout", "--storage", f"sqlite:///{tmp_path / 'page.db'}").code == 69


def test_a_missing_storage_and_one_of_another_version_are_refused_with_the_remedy(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To repeat the command, as 69 asks for, would not help."""
    answer = command("status", "checkout")
    assert (answer.code, answer.out) == (1, "")
    assert "create one first" in answer.err
    command("create", FILE, "--name", "checkout")
    monkeypatch.setattr(storage, "REVISION", "0002")
    answer = command("status", "checkout")
    assert answer.code == 1
    assert "run: causalbandits upgrade" in answer.err


def test_the_exit_codes_are_in_the_help(command: Command) -> None:
    for name in (
        "create",
        "ask",
        "tell",
        "abandon",
        "status",
        "recommend",
        "history",
        "import",
        "experiments",
        "accept",
        "upgrade",
        "serve",
    ):
        answer = command(name, "--help")
        words = " ".join(answer.out.split())
        assert "75 nothing yet" in words, name
        assert "--json" in words
        assert "CAUSALBANDITS_STORAGE" in words


def test_a_command_accepts_a_changed_policy(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(experiment, "source_of", lambda policy: "another")
        command("create", FILE, "--policy", "crm-nb")
    answer = command("ask", "marketing")
    assert answer.code == 1
    assert "source of crm-nb" in answer.err
    assert "causalbandits accept marketing" in answer.err
    assert command("accept", "marketing").code == 0
    assert command("ask", "marketing").code == 0


def test_upgrade_creates_the_tables_once(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("upgrade", "--json").json == {"before": None, "now": storage.REVISION}
    assert command("upgrade", "--json").json == {"before": storage.REVISION, "now": storage.REVISION}
    assert command("experiments", "--json").json == []


def test_commands_create_list_and_revoke_tokens(command: Command) -> None:
    token = command("token", "create", "shop", "--access", "write").out.strip()
    place = Storage(os.environ["CAUSALBANDITS_STORAGE"])
    assert tokens.access_of(place, token.encode()) == "write"
    other = command("token", "create", "page", "--access", "read", "--json").json["token"]
    assert tokens.access_of(place, other.encode()) == "read"
    assert command("token", "revoke", "shop").code == 0
    assert tokens.access_of(place, token.encode()) is None
    listed = command("token", "list", "--json")
    assert [(row["name"], row["access"], row["revoked_at"] is None) for row in listed.json] == [
        ("shop", "write", False),
        ("page", "read", True),
    ]
    for answer in (listed.out, command("token", "list").out):
        assert token not in answer
        assert "shop" in answer


@pytest.mark.parametrize(
    ("module", "words", "extra"), [("uvicorn", ["serve"], "serve"), ("sqlalchemy", ["ask", "checkout"], "live")]
)
def test_a_missing_extra_is_named(module: str, words: list[str], extra: str) -> None:
    code = f"import sys; sys.modules['{module}'] = None; from causalbandits.cli import main; main()"
    answer = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr == f'causalbandits: This command needs {module}; pip install "causalbandits[{extra}]".\n'


def test_serve_serves_until_ctrl_c(command: Command) -> None:
    command("create", FILE)
    token = command("token", "create", "shop", "--access", "write").out.strip()
    start = [sys.executable, "-c", "from causalbandits.cli import main; main()", "serve", "--port", "0", "--json"]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            assert running.stderr is not None
            url = json.loads("".join(running.stdout.readline() for _ in range(3)))["url"]
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
            with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
                assert client.get("/health").json() == {"status": "ok"}
                assert client.post("/experiments/marketing/ask").status_code == 401
                trial = client.post("/experiments/marketing/ask", headers={"Authorization": f"Bearer {token}"})
                assert trial.json()["number"] == 1
            running.send_signal(signal.SIGINT)
            assert running.wait(20) == 0
            assert running.stderr.read() == "causalbandits: stopped.\n"
        finally:
            running.kill()
    assert command("status", "marketing", "--json").json["trials"] == 1


def test_serving_beyond_this_machine_warns_about_tokens(command: Command) -> None:
    answer = command("serve", "--host", "192.0.2.1")  # an address for documents, which no machine has
    assert answer.code == 1
    assert "tokens travel unencrypted" in answer.err
    assert "Cannot listen on" in answer.err
