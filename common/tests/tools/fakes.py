"""Stand-ins for the programs of a build and for NVIDIA's tools: short scripts, so that recording can be tested without
a GPU. Each does what the first line of its arguments asks for; what goes wrong is chosen by files beside them."""

from __future__ import annotations

import json
import os
import stat
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from fixture import REPOSITORY

PRELUDE = """
import json, pathlib, sys, time
here = pathlib.Path(__file__).resolve().parent
name = pathlib.Path(__file__).name
arguments = sys.argv[1:]
with (here / "calls").open("a") as calls:
    calls.write(name + " " + " ".join(arguments) + "\\n")

def value(flag, default=""):
    return arguments[arguments.index(flag) + 1] if flag in arguments else default

def asked(what):  # a file of this name in the directory asks for a failure
    return (here / what).exists()
"""

CHAPTER = """
families = ("ldmatrix", "shared_load", "shared_store")
counts = {family: {"wavefronts": 1000, "ideal_wavefronts": 1000} for family in families}
result = {"chapter": int(name[-1]), "counters": counts, "instructions": {"mma": 1000}}
pathlib.Path(value("--json")).write_text(json.dumps(result))
"""

COMPARE = """
if asked("no_gpu"):
    sys.exit("compare: there is no GPU here")
if asked("slow"):
    time.sleep(60)
environment = {"gpu": "NVIDIA Fake", "sm": 90, "driver": "1.2", "runtime": "13.0", "before": {}, "after": {}}
verdict = {"message": "", "checked_rows": 4, "max_abs_error": 1e-4, "tolerance": 3e-4}
verdict |= {"relative_error": 1e-4, "relative_tolerance": 3e-4, "time_ms": {"median": 1}}
results = [{"chapter": c, "correct": True, **verdict, "environment": environment} for c in (1, 2)]
if asked("wrong") and value("--dtype") == "bf16":
    results[1] |= {"correct": False, "message": "row 3 is wrong"}
pathlib.Path(value("--json")).write_text(json.dumps(results))
sys.exit(0 if all(r["correct"] for r in results) else 1)
"""

BENCHMARK = """
out = next(a.split("=", 1)[1] for a in arguments if a.startswith("--benchmark_out="))
entries = [
    {"run_name": "chapter1/fp16/d128/q64_kv64_w4/b16_s512_h16/l2_warm/manual_time", "aggregate_name": aggregate,
     "real_time": 1.0, "TFLOP/s": 57.0, "family_index": 0}
    for aggregate in ("mean", "median", "stddev", "cv")
]
context = {"host_name": "secret", "date": "today"}
pathlib.Path(out).write_text(json.dumps({"context": context, "benchmarks": entries}))
"""

CHAPTER_TESTS = """
out = next(a.split(":", 1)[1] for a in arguments if a.startswith("--gtest_output="))
test = {"name": "AgreesWithTheSimulatorWithinTwoUnits/1", "value_param": "1", "result": "COMPLETED", "status": "RUN"}
test |= {"largest_distance_ulp": "1.25"}
if asked("skipped"):
    test["result"] = "SKIPPED"
if asked("disagrees"):
    test["failures"] = [{"failure": "3 units apart"}]
pathlib.Path(out).write_text(json.dumps({"testsuites": [{"testsuite": [test]}]}))
"""

NCU = """
if "--import" in arguments:
    print(pathlib.Path(value("--import")).read_text())
    sys.exit()
if "--export" in arguments:
    page = pathlib.Path(SOURCE_PAGE).read_text()
    if asked("waits_for_memory"):  # what waited at barriers
        page = page.replace('"stall_long_sb"', '"stall_"').replace('"stall_barrier"', '"stall_long_sb"')
    pathlib.Path(value("--export")).write_text(page)
    sys.exit()
log = pathlib.Path(value("--log-file"))
metrics = value("--metrics").split(",")
if asked("not_permitted"):
    log.write_text("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters\\n")
    sys.exit(1)
if asked("hangs_with_kill") and "--kill" in arguments:
    time.sleep(60)
unknown = "sm__inst_executed_pipe_tensor.sum"
if asked("unknown_metric") and unknown in metrics:
    log.write_text(f"==ERROR== Failed to find metric {unknown}\\n")
    sys.exit(1)
if asked("broken"):
    log.write_text("==ERROR== The device is on fire\\n")
    sys.exit(1)
off_by = 1 if asked("differs") else 0
names = ["Kernel Name", *metrics]
values = ["attention_forward", *(f"{1000 + off_by:,}" for _ in metrics)]
for reason, stall in (("long_scoreboard", "1.00"), ("wait", "3.00"), ("dispatch_stall", "1.00")):
    names.append(f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio")
    values.append(stall)
lines = [",".join('"' + cell + '"' for cell in row) for row in (names, [""] * len(names), values)]
log.write_text("==PROF== Connected\\n" + "\\n".join(lines) + "\\n")
"""

SANITIZER = """
summary = "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
if value("--tool") != "racecheck":
    summary = "ERROR SUMMARY: 1 error" if asked("leaks") else "ERROR SUMMARY: 0 errors"
print("========= COMPUTE-SANITIZER")
print("========= " + summary)
"""

CUOBJDUMP = """
if not asked("no_line_numbers"):
    pathlib.Path("chapter.1.sm_90.cubin").touch()
    pathlib.Path("chapter.2.sm_120.cubin").touch()  # newer than the GPU
"""

NVDISASM = """
print(pathlib.Path(DISASSEMBLY).read_text() if arguments[-1].endswith("sm_90.cubin") else "")
"""

NVIDIA_SMI = """
print("1980, 3201, 41, 690.5")
"""

PROGRAMS = {
    **dict.fromkeys(("chapter1", "chapter2", "chapter3"), CHAPTER),
    "compare": COMPARE,
    "benchmark": BENCHMARK,
    "chapter_tests": CHAPTER_TESTS,
}
SOURCE_PAGE = Path(__file__).parent / "data" / "ncu_source_chapter3_h200.csv"
DISASSEMBLY = SOURCE_PAGE.with_name("nvdisasm_chapter3_sm_90.txt")
TOOLS = {
    "ncu": f'SOURCE_PAGE = "{SOURCE_PAGE}"\n{NCU}',
    "compute-sanitizer": SANITIZER,
    "nvidia-smi": NVIDIA_SMI,
    "cuobjdump": CUOBJDUMP,
    "nvdisasm": f'DISASSEMBLY = "{DISASSEMBLY}"\n{NVDISASM}',
}


def write_scripts(directory: Path, scripts: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in scripts.items():
        file = directory / name
        file.write_text(f"#!{sys.executable} -ES\n{textwrap.dedent(PRELUDE)}{text}", encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)


def make_build(directory: Path) -> Path:
    write_scripts(directory / "build" / "bin", PROGRAMS)
    return directory / "build"


def make_tools(directory: Path, names: Sequence[str] = tuple(TOOLS)) -> Path:
    write_scripts(directory / "tools", {name: TOOLS[name] for name in names})
    return directory / "tools"


def calls(directory: Path) -> list[str]:
    file = directory / "calls"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def environment(tools: Path) -> dict[str, str]:
    """With these tools and none of the machine's own but those of the system."""
    return dict(os.environ) | {"PATH": f"{tools}:/usr/bin:/bin"}


def tool(name: str) -> str:
    return str(REPOSITORY / "common" / "tools" / name)


def load(path: Path) -> object:
    return json.loads(path.read_text(encoding="utf-8"))
