"""A service for one test, and one that several tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .answers import ASK
from .serving import Served, served


@pytest.fixture
def shop(memory: str) -> Iterator[Served]:
    with served(memory) as running:
        yield running


@pytest.fixture(scope="module")
def lasting() -> Iterator[Served]:
    """One for many tests, with a pending trial."""
    with served("memory:lasting") as running:
        running.write.post(ASK)
        yield running
