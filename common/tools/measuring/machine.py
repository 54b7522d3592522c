"""What a result was measured on and with."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import tempfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from measuring.commands import find_tool, run
from measuring.files import NOT_AVAILABLE, REPOSITORY, Failure, read_json
from measuring.kernels import chapter_of, natural_key

# Column of nvidia-smi, and its name here.
_STATE = {
    "clocks.sm": "sm_mhz",
    "clocks.mem": "memory_mhz",
    "temperature.gpu": "temperature_celsius",
    "power.draw": "power_watts",
}
_LIMITS = {"clocks.max.sm": "sm_mhz", "clocks.max.mem": "memory_mhz", "power.limit": "power_watts"}


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _query(columns: Mapping[str, str]) -> dict[str, float] | None:
    """Of the first GPU; none where there is no nvidia-smi. What it does not tell is left out."""
    tool = find_tool("nvidia-smi")
    if tool is None:
        return None
    outcome = run([tool, f"--query-gpu={','.join(columns)}", "--format=csv,noheader,nounits", "--id=0"], 20)
    values = {}
    for name, text in zip(columns.values(), outcome.output.strip().split(","), strict=False):
        try:
            values[name] = float(text)
        except ValueError:
            continue
    return values or None


def gpu_state() -> dict[str, float] | None:
    """Clocks, temperature and power at this moment."""
    return _query(_STATE)


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def programs(build: Path) -> dict[str, str]:
    """The programs that are measured, each with a digest, so that no result mixes two builds."""
    names = [
        path
        for path in sorted((build / "bin").glob("*"))
        if re.fullmatch(r"chapter\d+|chapter_tests|compare|benchmark", path.name)
    ]
    if not names:
        raise Failure(f"{build}/bin has no programs: build them, or name the build directory with --build")
    return {path.name: digest(path) for path in names}


def chapters(build: Path) -> list[str]:
    """The chapters that are built."""
    names = [path.name for path in (build / "bin").glob("*") if re.fullmatch(r"chapter\d+", path.name)]
    if not names:
        raise Failure(f"{build}/bin has no chapter: build them, or name the build directory with --build")
    return [chapter_of(name) for name in sorted(names, key=natural_key)]


def sources() -> str:
    """A digest of the kernels' sources, for machines that have the files but not their history."""
    patterns = ("chapter*/*.cu*", "common/device/*")
    files = sorted(path for pattern in patterns for path in REPOSITORY.glob(pattern))
    text = "".join(f"{path.relative_to(REPOSITORY)} {digest(path)}\n" for path in files)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def compiler_flags(build: Path) -> list[str]:
    """The options with which the first chapter was compiled for the GPU; none if only the programs are here."""
    file = build / "compile_commands.json"
    if not file.exists():
        return []
    for entry in read_json(file):
        if entry["file"].endswith("chapter1/chapter.cu"):
            words = shlex.split(entry["command"])
            kept = [w for w in words if w.startswith("-") and not re.match(r"-(I|isystem|o$|c$|x$|M)", w)]
            return [without_directories(word) for word in kept]
    return []


def without_directories(text: str) -> str:
    """ "-ccbin=/usr/bin/g++" as "-ccbin=g++": where the tools of a machine lie says nothing of the results."""
    return re.sub(r"(?<![^\s=,:])/(?:[^\s=,:]*/)?(?=[^\s=,:/])", "", text)


def toolkit_of(build: Path) -> str:
    """The version of the nvcc that CMake found."""
    for file in build.glob("CMakeFiles/*/CMakeCUDACompiler.cmake"):
        if match := re.search(r'CMAKE_CUDA_COMPILER_VERSION "([\d.]+)"', file.read_text(encoding="utf-8")):
            return match[1]
    return NOT_AVAILABLE


def commit() -> str:
    """Of the sources here, with a "+" if they were changed since."""
    git = find_tool("git")
    outcome = run([git, "rev-parse", "HEAD"], 20, REPOSITORY) if git else None
    if git is None or outcome is None or outcome.status != 0:
        return NOT_AVAILABLE
    changed = run([git, "status", "--porcelain", "--", "common/device", "chapter*"], 20, REPOSITORY).output
    return outcome.output.strip() + ("+" if changed.strip() else "")


def run_json(command: list[str], seconds: float) -> tuple[Any, str]:
    """What a program writes with --json, none if it writes nothing, and the last thing that it says."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "result.json"
        outcome = run([*command, "--json", file], seconds)
        said = "it took too long" if outcome.timed_out else outcome.last_line()
        try:
            return json.loads(file.read_text(encoding="utf-8")), said
        except (OSError, json.JSONDecodeError):
            return None, said


def describe(build: Path) -> dict[str, Any]:
    """Everything about the machine and the build that does not change while results are recorded."""
    problem = ["--batch", "1", "--heads", "1", "--seq-len", "512", "--device", "gpu"]
    results, said = run_json([str(build / "bin" / "compare"), *problem], 120)
    if not results:
        raise Failure(f"{build}/bin/compare does not run on a GPU: {said}")
    found = results[0]["environment"]
    doctor = build / "bin" / "doctor"
    return {
        **{key: value for key, value in found.items() if key not in ("before", "after")},
        "nvcc": toolkit_of(build),
        "flags": compiler_flags(build),
        "commit": commit(),
        "sources": sources(),
        "limits": _query(_LIMITS),
        "doctor": [without_directories(line) for line in run([doctor], 60).output.splitlines()]
        if doctor.exists()
        else [],
        "programs": programs(build),
    }
