"""Fingerprints of code: whatever changes what a function does changes its fingerprint, and nothing else does."""

from __future__ import annotations

from causalbandits.engine.fingerprint import fingerprint


def test_the_fingerprint_sees_globals_callees_and_constants() -> None:
    def build(constant: int, callee: str) -> str:
        space: dict[str, object] = {}
        exec(
            f"LIMIT = {constant}\ndef helper(x):\n    return {callee}\ndef ask(x):\n    return helper(x) + LIMIT", space
        )
        return fingerprint(space["ask"])  # type: ignore[arg-type]

    assert build(1, "x") == build(1, "x")
    assert len({build(1, "x"), build(2, "x"), build(1, "x + 1")}) == 3
