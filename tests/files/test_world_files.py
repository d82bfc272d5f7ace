"""World files: probabilities that are wrong are answered with their place, and the problem can still be read."""

from __future__ import annotations

from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.files import read

from .texts import CHAIN, changed, refused, shop, without_probabilities

WORLD_MISTAKES: list[tuple[str, str, str]] = [
    (
        "no probabilities",
        without_probabilities(),
        "shop.toml: The file has no probabilities, so it is a problem and not a world; give every variable",
    ),
    (
        "a row that does not sum to 1",
        changed("small = 0.2", "small = [0.5, 0.4]"),
        "line 19, variables.Cart.table.small: The distribution of Cart sums to 0.9",
    ),
    (
        "probabilities that do not sum to 1",
        changed("[0.9, 0.1]", "[0.9, 0.2]"),
        "line 11, variables.Image.probabilities: The distribution of Image sums to 1.1",
    ),
    (
        "three probabilities of two values",
        changed("[0.9, 0.1]", "[0.9, 0.1, 0]"),
        "line 11, variables.Image.probabilities: .* has 3 probabilities for 2 values",
    ),
    (
        "a negative probability",
        changed("small = 0.2", "small = -0.2"),
        "line 19, variables.Cart.table.small: .* negative",
    ),
    (
        "a probability that is not a number",
        changed("small = 0.2", "small = nan"),
        "line 19, variables.Cart.table.small: .* not a number",
    ),
    (
        "a row that leaves out a value",
        changed("small = 0.2", "small = { empty = 1 }"),
        r"line 19, variables.Cart.table.small: .* leaves out \['filled'\]",
    ),
    (
        "a missing row",
        changed("small = 0.2\n", ""),
        "line 18, variables.Cart.table: The table of Cart has no row for Image=small; add it",
    ),
    ("a negative noise", changed("noise = 0.1", "noise = -1", CHAIN), "line 8, variables.Y: .* the noise not negative"),
    (
        "a linear reward of names",
        changed("[0, 1]", '["a", "b"]', CHAIN),
        "shop.toml: The values .* must be finite numbers, for Y is linear in X",
    ),
    ("bounds of a Gaussian", "bounds = [0, 1]\n" + CHAIN, "shop.toml: Y has Gaussian noise and so no bounds"),
]


@pytest.mark.parametrize(
    ("text", "pattern"), [pytest.param(text, pattern, id=name) for name, text, pattern in WORLD_MISTAKES]
)
def test_a_mistake_in_a_world_is_reported_with_its_place_and_the_problem_can_still_be_read(
    text: str, pattern: str, tmp_path: Path
) -> None:
    path = shop(tmp_path, text)
    read(path)
    refused(path, pattern, cb.read_world)
