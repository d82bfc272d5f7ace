"""`causalbandits check`: what a problem file holds, and whether its policy accepts it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import causalbandits as cb
from causalbandits.cli import app

from ..files.texts import CHAIN, EXAMPLE, changed, shop, without_probabilities
from .commands import output_of


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which no line is wrapped. test_widths.py looks at narrow ones."""
    monkeypatch.setenv("COLUMNS", "1000")


def test_check_prints_what_watching_tells_about_and_whether_the_policy_accepts(tmp_path: Path) -> None:
    summary = json.loads(output_of("check", EXAMPLE, "--json"))
    paths = {arm["arm"]: (arm["cost"], arm["watching_tells"], arm["backdoor_path"]) for arm in summary["arms"]}
    assert paths["do(Promotion=yes)"] == ("5.5", False, "Promotion <- Season -> Purchase")
    assert paths["do(Image=large)"] == ("2", True, None)
    assert (summary["budget"], summary["hidden"], summary["policy"], summary["refusal"], summary["is_world"]) == (
        "500",
        ["Season"],
        "factor-ucb",
        None,
        True,
    )
    advice = cb.recommend_policy(cb.read_problem(EXAMPLE).problem)
    assert (summary["objective"], summary["why"]) == ("earn", advice.why)
    lines = output_of("check", EXAMPLE).splitlines()
    assert lines[0] == "marketing: 9 arms, budget 500; the reward is Purchase (yes counts as 1)."
    sheets = "\n".join(lines).split("\n\n")
    assert re.fullmatch(r"do\(Promotion=yes\) +5.5  no: Promotion <- Season -> Purchase", sheets[1].splitlines()[-1])
    assert sheets[2] == "How each arm can be learned if every round counts:"
    learned = [re.split(" {2,}", line) for line in sheets[3].splitlines()]
    assert learned == [
        ["arm", "how it is learned", "which variable is to blame"],
        ["do()", "by watching"],
        ["do(Image=...)", "by watching"],
        ["do(Description=...)", "by watching"],
        ["do(Comparison=...)", "by watching"],
        ["do(Promotion=...)", "by other arms", "Purchase by other arms (Promotion <- Season -> Purchase)"],
    ]
    taught = {arm["arm"]: (arm["learned"], arm["not_by_watching"]) for arm in summary["arms"]}
    assert taught["do(Image=large)"] == ("by watching", [])
    assert taught["do(Promotion=yes)"] == (
        "by other arms",
        [
            {
                "variable": "Purchase",
                "conditions": ["Reviews", "Cart"],
                "learned": "by other arms",
                "hidden_path": "Promotion <- Season -> Purchase",
            }
        ],
    )
    assert lines[-4:] == [
        "",
        "The objective: earn.",
        f"The file names no policy; {advice}",
        "The file gives probabilities: it can be simulated.",
    ]
    named = json.loads(output_of("check", shop(tmp_path), "--json"))
    assert (named["objective"], named["policy"], named["why"]) == ("find", "crm-nb", None)
    assert output_of("check", shop(tmp_path)).splitlines()[-2] == "The policy crm-nb accepts it."
    unwatched = output_of("check", shop(tmp_path, "observe = false\n" + CHAIN)).splitlines()
    assert unwatched[0] == "shop: 2 arms, horizon 30 rounds; the reward is Y (a real number)."
    assert (
        unwatched[1] == "Policies take its standard deviation to be 1/2; if it is not about that, state reward_scale."
    )
    assert unwatched[2:13] == [
        "",
        "arm      cost  does watching tell about it?",
        "do(X=0)     1  no: watching is not an arm",
        "do(X=1)     1  no: watching is not an arm",
        "",
        "How each arm can be learned if every round counts:",
        "",
        "arm        how it is learned  which variable is to blame",
        "every arm  own rounds only    Y own rounds only",
        "",
        "The objective: find.",
    ]
    assert unwatched[13].startswith("The file names no policy; ")
    scaled = output_of("check", shop(tmp_path, "reward_scale = 20\nobserve = false\n" + CHAIN)).splitlines()
    assert scaled[1] == "Policies use the standard deviation 20 that the file states (reward_scale)."


def test_check_fails_where_the_policy_refuses_and_where_the_probabilities_are_wrong(tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["check", str(shop(tmp_path, changed("crm-nb", "c-ucb", without_probabilities())))])
    assert found.exit_code == 1
    assert (
        "The policy c-ucb refuses it: c-ucb must know P(parents of Buy | do(a)); "
        "make the problem with reveal_parents=True, or give [reward_parents]" in found.stdout
    )
    with pytest.raises(cb.InputError, match=r"sums to 0\.9"):
        output_of("check", shop(tmp_path, changed("small = 0.2", "small = [0.5, 0.4]")))
