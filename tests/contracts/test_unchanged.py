"""Results stay the same from version to version: see `unchanged.py`, which also records them anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from . import unchanged

RECORD = json.loads(unchanged.RECORD.read_text())
SITUATIONS = {name: (world, problem) for name, world, problem in unchanged.situations()}


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_every_policy_chooses_as_it_did(name: str) -> None:
    world, problem = SITUATIONS[name]
    recorded = RECORD["choices"][name]
    assert {kind: unchanged.choices(world, problem, kind) for kind in recorded} == recorded


def test_every_policy_was_recorded_where_it_plays() -> None:
    played = {
        kind for by_kind in RECORD["choices"].values() for kind, choices in by_kind.items() if choices is not None
    }
    assert played >= set(unchanged.cb.policies.REGISTRY) - {"fixed"}


@pytest.mark.slow
def test_the_paper_is_found_as_it_was(tmp_path: Path) -> None:
    assert unchanged.findings(tmp_path / "report") == RECORD["findings"]
