"""Random problem files: the answer is always a world or one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.files.world_files import world_of

from .texts import REVEALED, shop


def complaint(path: Path) -> str | None:
    """The sentence that refuses a file, or None if the file is a world."""
    try:
        world_of(path)
    except cb.InputError as error:
        return str(error)
    return None


KEYS = st.sampled_from(
    [
        "reward",
        "success",
        "bounds",
        "budget",
        "horizon",
        "cost",
        "arms",
        "observe",
        "strict",
        "objective",
        "policy",
        "seed",
        "lease",
        "name",
        "reward_parents",
    ]
)
SECTION_KEYS = st.sampled_from(
    ["values", "parents", "hidden", "intervenable", "given", "probabilities", "table", "weights", "noise", "intercept"]
)
SCALARS = st.sampled_from(
    [
        '"X"',
        '"Y"',
        '"do(X=1)"',
        '"do("',
        '"real"',
        '""',
        '"0, 1"',
        "0",
        "1",
        "-3",
        "0.5",
        "inf",
        "nan",
        "1e300",
        "true",
        "1979-05-27",
        "1" + "0" * 400,
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(
            st.sampled_from(["X", "0", "1", "kind", '"do()"', '"do(X=0)"', '"0, 1"']), inner, max_size=3
        ).map(lambda items: "{ " + ", ".join(f"{key} = {value}" for key, value in items.items()) + " }")
    ),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(
    top=st.dictionaries(KEYS, VALUES, max_size=2),
    inside=st.dictionaries(st.tuples(st.sampled_from("XY"), SECTION_KEYS), VALUES, max_size=2),
    dropped=st.integers(0, 30),
)
def test_every_file_is_answered_with_a_world_or_one_sentence(
    top: dict[str, str], inside: dict[tuple[str, str], str], dropped: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [f"{key} = {value}" for key, value in top.items()]
    section = ""
    for line in (line for number, line in enumerate(REVEALED.splitlines()) if number != dropped):
        key = line.split(" = ")[0]
        section = line.strip("[]").removeprefix("variables.") if line.startswith("[") else section
        if (
            (key in top and not section)
            or (section, key) in inside
            or (key == "[reward_parents]" and "reward_parents" in top)
        ):
            continue
        if "reward_parents" in top and section == "reward_parents":
            continue
        lines += [line, *(f"{key} = {value}" for (name, key), value in inside.items() if line == f"[variables.{name}]")]
    path = shop(tmp_path_factory.mktemp("files"), "\n".join(lines) + "\n")
    sentence = complaint(path)
    if sentence is not None:
        assert re.fullmatch(r"[^\n]*[.?]", sentence)
        assert sentence.count(str(path)) == 1
