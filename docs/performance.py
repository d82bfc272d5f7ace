"""Bring the tables of docs/performance.md up to date with docs/performance.json: `make docs`.

`python -m benchmarks --json docs/performance.json` makes that file. Run it on a machine that does nothing else.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOUND = json.loads((ROOT / "docs/performance.json").read_text())


def table(heads, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows])


def measurements(section):
    return table(
        ["work", "measured", "target", "from"],
        [[e["name"], e["measured_in_words"], e["target_in_words"], e["note"]] for e in FOUND[section]],
    )


def machine():
    about = FOUND["engine"]["machine"]
    versions = ", ".join(f"{name} {about[name]}" for name in ("causalbandits", "python", "numpy", "numba"))
    vectors = f"vectors: {about['vectors']}, compiled for {about['compiled for']}"
    return f"{about['processor']}, cores: {about['cores']}, {vectors};\n{versions}."


def limit():
    rows = []
    for row in FOUND["engine"]["rows"]:
        bulk = (
            [f"{row['node_rounds_per_second'] / 1e9:.3g} G", f"{row['bits']:.1f}", f"{row['share']:.1%}"]
            if "share" in row
            else ["", "", ""]
        )
        rows.append([row["name"], f"{row['rounds_per_second'] / 1e6:.3g} M", *bulk])
    heads = ["work", "rounds/s", "node-rounds/s", "bits/round", "share"]
    return (
        f"The limit: {FOUND['engine']['words_per_second'] / 1e9:.3g} G random words per second.\n\n{table(heads, rows)}"
    )


def first_result():
    cold, warm = (
        sorted(entry["measured"] for entry in FOUND["feel"] if entry["name"].endswith(end))
        for end in ("nothing compiled yet", "from the disk cache")
    )
    return (
        f"The first result of a policy takes {cold[0]:.1f} to {cold[-1]:.1f} s while it is compiled.\n"
        f"From then on it takes {warm[0]:.1f} to {warm[-1]:.1f} s, in any process."
    )


BLOCKS = {
    "docs/performance.md": {
        "machine": machine(),
        "ratios": measurements("ratios"),
        "limit": limit(),
        "factors": measurements("factors"),
        "slopes": measurements("slopes"),
        "first result": first_result(),
        "feel": measurements("feel"),
    },
}


def written(text, blocks):
    """A document with its blocks, between <!-- name --> and <!-- end -->, replaced."""
    for name, block in blocks.items():
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda match, new=block: f"{match[1]}{new}\n{match[2]}",
            text,
            flags=re.DOTALL,
        )
    return text


if __name__ == "__main__":
    for path, blocks in BLOCKS.items():
        (ROOT / path).write_text(written((ROOT / path).read_text(), blocks))
