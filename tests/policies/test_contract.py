"""The base class of policies: labels."""

from __future__ import annotations

import causalbandits as cb


def test_labels_distinguish_parameters_to_the_last_digit() -> None:
    assert cb.CRMNB(exploration=8).label == "crm-nb(exploration=8)"
    assert cb.CRMNB(exploration=2.0000001).label != cb.CRMNB(exploration=2.0000002).label
    assert cb.CRMNB().label == "crm-nb"
