"""Print pip constraints for `make test-floors`: the lowest versions that pyproject.toml promises.

Tools of development promise nothing to users. They come in the versions of constraints.txt.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("dev", "bench")  # groups of extra packages that are not for users
REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[.*?\])?>=([0-9.]+)")


def floors() -> dict[str, str]:
    """The lowest version of every package that users install, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    promised = [line for group, lines in groups.items() if group not in TOOLS for line in lines]
    return dict(match.groups() for line in promised if (match := REQUIREMENT.match(line)))  # type: ignore[misc]


def tools() -> dict[str, str]:
    """The version of every tool of development that is not promised to users too, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    names = {match[1] for line in project["optional-dependencies"]["dev"] if (match := REQUIREMENT.match(line))}
    return {name: pinned[name] for name in sorted(names & pinned.keys() - floors().keys())}


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in {**floors(), **tools()}.items()))
