"""Fingerprints of policies: the same in every process.

Experiments, compiled code and cells of sweeps are found by them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import causalbandits as cb
from causalbandits.engine.compile import code_of
from causalbandits.live.experiment import source_of


def fingerprints() -> dict[str, dict[str, str]]:
    """For every policy: the fingerprint that a journal records, and the one under which compiled code is kept."""
    return {
        kind: {"source": source_of(policy_class()), "code": code_of(policy_class)}
        for kind, policy_class in cb.policies.REGISTRY.items()
    }


def test_a_policy_has_the_same_fingerprints_in_another_process() -> None:
    """The other process has other hashes of texts, and other places in memory."""
    code = f"import json; from {__name__} import fingerprints; print(json.dumps(fingerprints()))"
    here = os.environ.get("PYTHONHASHSEED")
    environment = {**os.environ, "PYTHONHASHSEED": "1" if here != "1" else "2"}
    other = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(other.stdout) == fingerprints()


def test_policies_have_different_fingerprints() -> None:
    every = [hashes for found in fingerprints().values() for hashes in found.values()]
    assert len(set(every)) == len(every)
