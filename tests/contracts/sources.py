"""Records in live/sources.json the hashes of our policies: `python -m tests.contracts.sources`.

Do so after code was rearranged without changing a choice (test_unchanged.py holds that). The hash before is kept, so
that experiments which record it continue. A policy that does change loses its entry: its running experiments must be
accepted.
"""

from __future__ import annotations

import json

import causalbandits as cb
from causalbandits.live import sources
from causalbandits.live.sources import source_of


def main() -> None:
    path = sources.Path(sources.__file__).with_suffix(".json")
    document = json.loads(path.read_text())
    for kind, hashes in document["policies"].items():
        hash_now = source_of(cb.policies.REGISTRY[kind]())
        if hash_now != hashes["now"]:
            hashes["then"].append(hashes["now"])
        hashes["now"] = hash_now
    path.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
