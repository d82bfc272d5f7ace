"""Tables for drawing: an alias table holds its distribution."""

from __future__ import annotations

import numpy as np
import pytest

from causalbandits.engine.cpu.tables import ONE, alias_tables


@pytest.mark.parametrize("size", [1, 2, 5, 64])
def test_an_alias_table_holds_the_distribution_that_it_was_made_from(size: int) -> None:
    rng = np.random.default_rng(size)
    table = rng.dirichlet(np.ones(size), size=3)
    table[0] = 0
    table[0, size // 2] = 1
    keep, other = alias_tables(table)
    stays = keep.astype(float) / ONE
    for row in range(3):
        held = stays[row] + np.bincount(other[row], weights=1 - stays[row], minlength=size)
        np.testing.assert_allclose(held / size, table[row], atol=1e-15)
