"""Problem files as texts, for tests that read them whole, changed or broken."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import causalbandits as cb

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "src" / "causalbandits" / "examples" / "marketing.toml"

SHOP = """\
reward = "Buy"
success = "yes"
budget = 50.5
policy = "crm-nb"

[cost]
Image = 2

[variables.Image]
values = ["small", "large"]
probabilities = [0.9, 0.1]

[variables.Cart]
values = ["empty", "filled"]
parents = ["Image"]
intervenable = false

[variables.Cart.table]
small = 0.2
large = 0.5

[variables.Buy]
values = ["no", "yes"]
parents = ["Image", "Cart"]

[variables.Buy.table]
"small, empty" = 0.1
"small, filled" = 0.6
"large, empty" = 0.2
"large, filled" = 0.7
"""

CHAIN = """\
reward = "Y"
horizon = 30

[variables.X]
values = [0, 1]
probabilities = 0.3

[variables.Y]
values = "real"
weights = { X = 0.5 }
noise = 0.1
"""

REVEALED = (
    CHAIN
    + """
[reward_parents]
"do()" = [0.7, 0.3]
"do(X=0)" = { 0 = 1, 1 = 0 }
"do(X=1)" = [0, 1]
"""
)


def shop(folder: Path, text: str = SHOP) -> Path:
    path = folder / "shop.toml"
    path.write_text(text)
    return path


def changed(old: str, new: str, text: str = SHOP) -> str:
    assert text.count(old) == 1, f"{old!r} must be there once"
    return text.replace(old, new)


def without_probabilities(text: str = SHOP) -> str:
    """The file as a problem only."""
    sections = [section for section in text.split("\n\n") if ".table]" not in section]
    return "\n".join(line for line in "\n\n".join(sections).split("\n") if not line.startswith("probabilities")) + "\n"


def refused(path: Path, pattern: str, reader: Any) -> None:
    with pytest.raises(cb.InputError, match=pattern) as caught:
        reader(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    assert text.count(str(path)) == 1
    assert re.search(r"[.?]$", text)
    assert not re.search(r"pydantic|https?:|Input should|validation|Decimal", text)
