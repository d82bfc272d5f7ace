"""The first three sentences of the report: what is reproduced, what depends on a reading, what is not reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...studies.claims import Verdict
from ...studies.study import Part


def front(verdicts: Mapping[str, Verdict], parts: Sequence[Part]) -> list[str]:
    """Three sentences about the verdicts, by claim.

    The claims F... compare with the published figures, the others with the text.
    """
    claims = [claim.id for part in parts for claim in part.claims if claim.id in verdicts]

    def chosen(is_figure: bool, *wanted: Verdict) -> list[str]:
        return [id for id in claims if id.startswith("F") is is_figure and verdicts[id] in wanted]

    holds, meets = chosen(False, "reproduced"), chosen(True, "reproduced")
    depends, fails, misses = (
        chosen(False, "depends"),
        chosen(False, "not reproduced"),
        chosen(True, "not reproduced"),
    )
    undecided = [id for id in claims if verdicts[id] in ("inconclusive", "not testable")]
    return [
        f"Reproduced: {_listed(holds, 'claim')} of the text, under every reading of it, and "
        f"{_listed(meets, 'curve')} of the "
        "published figures, by the reading that each claim names.",
        f"Depends: {_listed(depends, 'claim')} of the text; the readings of the constants, of the cap in line "
        "13 and of the "
        "budget answer them differently, or they hold at some points of their axis only.",
        f"Not reproduced: {_listed(fails, 'claim')} of the text, and {_listed(misses, 'curve')} of the "
        "published figures by "
        f"the reading that each claim names; undecided: {_listed(undecided, 'claim')}.",
    ]


def _listed(ids: Sequence[str], what: str) -> str:
    """For example "2 claims (E1a, E1b)"."""
    names = f" ({', '.join(ids)})" if ids else ""
    return f"{len(ids) or 'no'} {what}{'' if len(ids) == 1 else 's'}{names}"
