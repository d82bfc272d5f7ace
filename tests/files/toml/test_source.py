"""The lines of a TOML file: each key is found where it stands."""

from __future__ import annotations

from causalbandits.files.toml.source import lines_of


def test_lines_are_found_for_quoted_dotted_and_sectioned_keys() -> None:
    text = 'a = 1\n[b."c.d"]\n"do(X=1)" = 2\ne.f = 3\n\n[[g]]\nh = { i = 1 }\n'
    assert lines_of(text) == {
        ("a",): 1,
        ("b", "c.d"): 2,
        ("b", "c.d", "do(X=1)"): 3,
        ("b", "c.d", "e", "f"): 4,
        ("g",): 6,
        ("g", "h"): 7,
    }
