"""The properties of the machine that matter for speed."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import llvmlite.binding as llvm
import numba

from ..simulation.results import versions_here
from ..simulation.simulate import cores

# The names of vector units by their names in LLVM, the widest first.
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX", "sve": "SVE", "neon": "NEON"}
BASELINE = {"x86_64": "SSE2", "aarch64": "NEON", "arm64": "NEON"}  # every processor of the family has these


def machine() -> dict[str, str]:
    """The processor, the usable cores, the vectors that the compiler uses, and the versions."""
    name, features = _compiled_for()
    vectors = next((label for feature, label in VECTORS.items() if feature in features), None)
    versions = versions_here()
    return {
        "processor": _processor(),
        "cores": str(cores()),
        "vectors": vectors or BASELINE.get(platform.machine(), "none known"),
        "compiled for": name,
        **{package: versions[package] for package in ("causalbandits", "python", "numpy", "numba")},
    }


def _compiled_for() -> tuple[str, set[str]]:
    """The processor that Numba compiles for, and its features: this one, unless NUMBA_CPU_NAME names another."""
    if numba.config.CPU_NAME:
        listed = (numba.config.CPU_FEATURES or "").split(",")
        return numba.config.CPU_NAME, {feature[1:] for feature in listed if feature.startswith("+")}
    return llvm.get_host_cpu_name(), {feature for feature, is_there in llvm.get_host_cpu_features().items() if is_there}


def _processor() -> str:
    """The name of the processor, if the system knows it."""
    file = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*: (.+)$", file.read_text(), re.MULTILINE) if file.exists() else None
    return named[1].strip() if named else platform.processor() or platform.machine()
