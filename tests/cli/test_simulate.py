"""`causalbandits simulate`: the numbers of the library, printed as a table or as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb

from ..files.texts import EXAMPLE, SHOP, changed, shop, without_probabilities
from .commands import output_of


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which no line is wrapped. test_widths.py looks at narrow ones."""
    monkeypatch.setenv("COLUMNS", "1000")


def test_simulate_gives_what_the_library_gives(tmp_path: Path) -> None:
    path, out = shop(tmp_path, "seed = 9\n" + SHOP), tmp_path / "result.npz"
    world, problem = cb.read_world(path), cb.read_problem(path).problem
    wanted = cb.simulate(world, problem, ["crm-nb", "f-kube"], runs=20, seed=9, checkpoints=[20, 50.5])
    printed = output_of(
        "simulate",
        path,
        "--runs",
        20,
        "--policy",
        "crm-nb",
        "--policy",
        "f-kube",
        "--checkpoints",
        "20,50.5",
        "--out",
        out,
        "--json",
    )
    found = json.loads(printed)
    assert (found["runs"], found["seed"], found["checkpoints"]) == (20, 9, [20, 50.5])
    for label, row in wanted.summary().items():
        assert found["policies"][label]["simple_regret"]["mean"] == row.simple_regret.mean
        assert [e["mean"] for e in found["policies"][label]["cumulative_regret"]] == pytest.approx(
            wanted.cumulative_regret[label].mean(axis=0)
        )
    np.testing.assert_array_equal(cb.load(out).pulls["f-kube"], wanted.pulls["f-kube"])
    table = output_of(
        "simulate", path, "--runs", 20, "--policy", "crm-nb", "--policy", "f-kube", "--checkpoints", "20,50.5"
    )
    assert table.replace("\n\n", "\n").startswith(str(wanted.summary()))
    assert [line.split()[0] for line in table.splitlines()[-3:]] == ["checkpoint", "20", "50.5"]


def test_simulate_takes_the_seed_and_the_policy_of_the_file_unless_options_replace_them(tmp_path: Path) -> None:
    def seed_and_policies(path: Path, *words: str) -> tuple[int, list[str]]:
        found = json.loads(output_of("simulate", path, "--runs", 2, "--json", *words))
        return found["seed"], list(found["policies"])

    plain = shop(tmp_path)
    assert seed_and_policies(plain) == (1, ["crm-nb"])
    with_options = shop(tmp_path, "seed = 0\n" + changed('"crm-nb"', '{ kind = "crm-nb", exploration = 8 }'))
    assert seed_and_policies(with_options) == (0, ["crm-nb(exploration=8)"])
    assert seed_and_policies(with_options, "--seed", "4", "--policy", "crm-nb", "--policy", "ucb") == (
        4,
        ["crm-nb(exploration=8)", "ucb"],
    )


def test_one_run_has_no_standard_error_and_is_still_json(tmp_path: Path) -> None:
    found = json.loads(
        output_of("simulate", shop(tmp_path), "--runs", 1, "--json"),
        parse_constant=lambda name: pytest.fail(f"{name} is not JSON"),
    )
    assert found["policies"]["crm-nb"]["simple_regret"]["standard_error"] is None


@pytest.mark.parametrize(
    ("text", "words", "pattern"),
    [
        (without_probabilities(), [], "shop.toml: The file has no probabilities"),
        (SHOP, ["--policy", "crm"], "There is no policy 'crm'; did you mean"),
        (SHOP, ["--policy", "c-ucb"], "shop.toml: c-ucb must know P"),
        (SHOP, ["--checkpoints", "10,lots"], "checkpoint must be a number, not 'lots'"),
        (SHOP, ["--out", "nowhere/result.npz"], "There is no folder 'nowhere' for the result"),
        (SHOP, ["--out", "."], "'.' is a folder; name a file in it"),
    ],
)
def test_simulate_answers_a_mistake_with_one_sentence(
    text: str, words: list[str], pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cb.InputError, match=pattern):
        output_of("simulate", shop(tmp_path, text), "--runs", 2, *words)


def test_simulate_prints_the_recommended_policy_if_the_file_names_none(tmp_path: Path) -> None:
    advice = cb.recommend_policy(cb.read_problem(EXAMPLE).problem)
    assert output_of("simulate", EXAMPLE, "--runs", 2).startswith(f"{advice}\n\npolicy ")
    # the reason is on stderr
    assert list(json.loads(output_of("simulate", EXAMPLE, "--runs", 2, "--json"))["policies"]) == [advice.policy.label]
    assert "recommended" not in output_of("simulate", EXAMPLE, "--runs", 2, "--policy", "ucb")
