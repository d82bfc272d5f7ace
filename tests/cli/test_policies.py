"""`causalbandits policies`: the list of policies, and advice for a problem."""

from __future__ import annotations

import json

import pytest

import causalbandits as cb

from ..files.texts import EXAMPLE
from .commands import output_of, run_command


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which no line is wrapped. test_widths.py looks at narrow ones."""
    monkeypatch.setenv("COLUMNS", "1000")


def test_the_policies_command_lists_the_registry_with_papers() -> None:
    rows = json.loads(run_command("policies", "--json").stdout)
    assert {row["name"]: row["class"] for row in rows} == {
        kind: policy.__name__ for kind, policy in cb.policies.REGISTRY.items()
    }
    assert all(row["paper"] and row["about"] for row in rows)
    table = run_command("policies").stdout
    assert all(kind in table for kind in cb.policies.REGISTRY)


def test_the_command_says_which_policy_and_why() -> None:
    problem = cb.read_problem(EXAMPLE).problem
    assert output_of("policies", "--for", EXAMPLE) == f"{cb.recommend_policy(problem)}\n"
    assert output_of("policies", "--for", EXAMPLE, "--objective", "find") == f"{cb.recommend_policy(problem, 'find')}\n"
    for words, objective in (([], "earn"), (["--objective", "find"], "find")):
        advice = cb.recommend_policy(problem, objective)
        advice_as_json = json.loads(output_of("policies", "--for", EXAMPLE, *words, "--json"))
        assert advice_as_json == {"policy": advice.policy.label, "objective": objective, "why": advice.why}


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["--objective", "find"], "An objective belongs to a problem; name the problem's file with --for"),
        (["--for", EXAMPLE, "--objective", "win"], 'The objective is "find"'),
        (["--for", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_the_command_answers_a_mistake_with_one_sentence(words: list[str], pattern: str) -> None:
    with pytest.raises(cb.InputError, match=pattern):
        output_of("policies", *words)
