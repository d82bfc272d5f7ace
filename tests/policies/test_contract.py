"""The base class of policies: labels, and the names of random streams."""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.streams import key_of
from causalbandits.policies.contract import added_later


def test_labels_distinguish_parameters_to_the_last_digit() -> None:
    assert cb.CRMNB(exploration=8).label == "crm-nb(exploration=8)"
    assert cb.CRMNB(exploration=2.0000001).label != cb.CRMNB(exploration=2.0000002).label
    assert cb.CRMNB(cap=False).label == "crm-nb(cap=False)"
    assert cb.CRMNB().label == "crm-nb"


def test_a_parameter_that_was_added_later_leaves_the_streams_of_its_default() -> None:
    class First(cb.Policy):
        kind = "grown"
        reads = "rewards"
        width: float = 1.0

    class Second(cb.Policy):
        kind = "grown"
        reads = "rewards"
        width: float = 1.0
        patient: bool = added_later(default=False)

    assert np.array_equal(First().key, Second().key)
    assert not np.array_equal(First().key, Second(patient=True).key)
    assert not np.array_equal(Second(width=2).key, Second().key)


@pytest.mark.parametrize(
    ("policy", "name"),
    [(cb.CRMNB(), "crm-nb [('exploration', 2.0)]"), (cb.CUCB(), "c-ucb []")],
    ids=["crm-nb", "c-ucb"],
)
def test_new_parameters_leave_the_streams_of_version_0_1(policy: cb.Policy, name: str) -> None:
    assert np.array_equal(policy.key, key_of(name))
