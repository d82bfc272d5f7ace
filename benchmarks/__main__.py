"""Every measurement beside its target.

Run: make bench, or python -m benchmarks [ratios|slopes|feel ...] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from causalbandits.bench.measure import bench

from .factors import factors
from .feel import feel
from .ratios import ratios
from .slopes import slopes

SECTIONS = {
    "ratios": ("The engine against plain code: runs per second of processor time on one core", ratios),
    "factors": ("Learning from every round: counts by factor against counts by parents, and exact means", factors),
    "slopes": ("Slopes of log time on log size", slopes),
    "feel": ("What a user feels", feel),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Every measurement beside its target.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"only these: {', '.join(SECTIONS)}")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the results to a file, with the table of `causalbandits bench`"
    )
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"There is no section {', '.join(sorted(unknown))}; name some of {', '.join(SECTIONS)}.")
    results = {}
    for name in options.sections or SECTIONS:
        title, measure = SECTIONS[name]
        print(f"\n{title}", flush=True)
        results[name] = []
        for entry in measure():
            print(entry, flush=True)
            results[name].append(entry.to_json())
    if options.json:
        options.json.write_text(json.dumps({"engine": bench(), **results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
