"""The machine, as far as it matters for speed."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import llvmlite.binding as llvm

from ..simulation.results import versions_here
from ..simulation.simulate import cores

VECTORS = {
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "avx": "AVX",
    "sve": "SVE",
    "neon": "NEON",
}  # by LLVM's name, widest first
BASELINE = {"x86_64": "SSE2", "aarch64": "NEON", "arm64": "NEON"}  # what every processor of a family has


def machine() -> dict[str, str]:
    """Processor, cores that may be used, vectors that the compiler uses, and versions."""
    name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    vectors = next((label for feature, label in VECTORS.items() if features.get(feature)), None)
    versions = versions_here()
    return {
        "processor": _processor(),
        "cores": str(cores()),
        "vectors": vectors or BASELINE.get(platform.machine(), "none known"),
        "compiled for": name,
        **{package: versions[package] for package in ("causalbandits", "python", "numpy", "numba")},
    }


def _processor() -> str:
    """The processor's name, where the system tells it."""
    about = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*: (.+)$", about.read_text(), re.MULTILINE) if about.exists() else None
    return named[1].strip() if named else platform.processor() or platform.machine()
