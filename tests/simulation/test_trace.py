"""Samples and traces of a world."""

from __future__ import annotations

import numpy as np

import causalbandits as cb

from ..streams import QUANTILE


def test_a_sample_shows_visible_variables_and_follows_the_intervention() -> None:
    world = cb.worlds.marketing()
    log = cb.sample(world, 20_000, "do(Promotion=yes)", seed=3)
    assert set(log) == {v.name for v in world.graph.variables} - {"Season"}
    assert (log["Promotion"] == "yes").all()
    mean = world.mean("do(Promotion=yes)")
    assert abs((log["Purchase"] == "yes").mean() - mean) < QUANTILE * np.sqrt(mean * (1 - mean) / 20_000)
    chain = cb.sample(cb.worlds.confounded_chain(), 10, seed=1)
    assert chain["Y"].dtype == float
    np.testing.assert_array_equal(chain["Y"], cb.sample(cb.worlds.confounded_chain(), 10, seed=1)["Y"])
