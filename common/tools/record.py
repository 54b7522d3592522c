#!/usr/bin/env python3
"""Measures everything on this machine's GPU and writes it where the documents look for it.

  python3 common/tools/record.py --build build --output docs/results/h200

adds the GPU: commit what it wrote, run tables.py and plot.py, and its columns appear. It takes about ten minutes on
an H200, half of them for the tiles. Each step is kept as soon as it is measured; run the same command again to go on
where it stopped, or choose steps with --steps.

  environment      GPU, driver, toolkit, compiler, flags; and for each step clocks and temperature before and after
  correctness      all chapters against float64: both types and head dimensions, six lengths
  benchmark        times of all chapters and references, in turn: lengths, types, head dimensions, cold L2, tiles
  profile          Nsight Compute: stalls, tensor cores, traffic
  long_scoreboard  Nsight Compute: at which instructions and source lines of chapters 2 and 3 warps wait for memory
  wavefronts       Nsight Compute's counts against the simulator's
  sanitizer        compute-sanitizer: memcheck, racecheck, initcheck, synccheck
  agreement        outputs of the GPU against those of the simulator
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from measuring.commands import run_main
from measuring.files import Failure, read_json, write_json
from measuring.machine import describe, gpu_state, now, programs
from measuring.profile_steps import LongScoreboard, Profile, Wavefronts
from measuring.profiler import NoCounters
from measuring.program_steps import Agreement, Benchmark, Correctness, Sanitizer
from measuring.step import Place, Result, Step

STEPS: tuple[type[Step], ...] = (Correctness, Benchmark, Profile, LongScoreboard, Wavefronts, Sanitizer, Agreement)


def say(text: str) -> None:
    print(text, flush=True)


class Environment:
    """environment.json: what the results were measured on, and how each step went."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._file = place.output / "environment.json"

    def begin(self) -> None:
        """Describes the machine, or makes sure that it and the programs are still those of the earlier results."""
        if not self._file.exists():
            write_json(self._file, {**describe(self._place.build), "date": now(), "steps": {}})
            return
        before = read_json(self._file)
        if before["programs"] != programs(self._place.build):
            raise Failure(
                f"{self._place.output} was recorded with other programs than those in {self._place.build}: results of "
                "two builds must not mix; --fresh deletes it and begins anew"
            )

    def keep(self, step: str, entry: dict[str, Any]) -> None:
        environment = read_json(self._file)
        environment["steps"].setdefault(step, []).append(entry)
        write_json(self._file, environment)


class Recorder:
    """Goes through the steps. `failures` has a sentence for all that is wrong or missing."""

    def __init__(self, place: Place, deadline: float) -> None:
        self._place = place
        self._deadline = deadline
        self._environment = Environment(place)
        self.failures: list[str] = []

    def begin(self) -> None:
        self._environment.begin()

    def _measure(self, step: Step, unit: str, number: str) -> None:
        begin = time.monotonic()
        try:
            result = step.measure(unit)
        except NoCounters:
            raise
        except Failure as failure:
            result = Result(f"nothing was measured: {failure}", good=False)
        if not result.good:
            self.failures.append(f"{step.name} {unit}: {result.text}")
        say(f"{step.name} {number} {unit}: {result.text} ({time.monotonic() - begin:.1f} s)")

    def _measure_all(self, step: Step, units: Sequence[str]) -> str:
        """Several at a time, if the step allows it. Returns why the step was given up, or nothing."""
        given_up: list[str] = []

        def work(unit: str, number: str) -> None:
            if given_up or time.monotonic() > self._deadline:
                return
            try:
                self._measure(step, unit, number)
            except NoCounters as reason:
                given_up.append(str(reason))

        numbers = [f"{i}/{len(units)}" for i in range(1, len(units) + 1)]
        with ThreadPoolExecutor(step.at_once) as pool:
            list(pool.map(work, units, numbers))
        return given_up[0] if given_up else ""

    def run(self, step: Step) -> None:
        missing = step.missing()
        if not missing:
            say(f"{step.name}: all is there")
            return
        begin, date, before = time.monotonic(), now(), gpu_state()
        note = self._measure_all(step, missing)
        left = len(step.missing())
        if note:
            self.failures.append(f"{step.name}: {note}")
        elif left and time.monotonic() > self._deadline:
            self.failures.append(f"{step.name}: {left} of {len(step.units())} were not begun, for the time was up")
        seconds = round(time.monotonic() - begin, 1)
        entry = {"date": date, "seconds": seconds, "before": before, "after": gpu_state(), "missing": left}
        self._environment.keep(step.name, entry | ({"note": note} if note else {}))


def parse_arguments() -> argparse.Namespace:
    names = [step.name for step in STEPS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="with the programs in its bin")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="docs/results/NAME")
    parser.add_argument("--steps", metavar="LIST", help=f"[{','.join(names)}]")
    parser.add_argument("--seconds", type=float, default=420, help="begin nothing new after this time [420]")
    parser.add_argument("--fresh", action="store_true", help="deletes the output directory first")
    return parser.parse_args()


def choose(names: str | None) -> Sequence[type[Step]]:
    if names is None:
        return STEPS
    known = {step.name: step for step in STEPS}
    wanted = [name for name in names.split(",") if name != "environment"]
    if unknown := [name for name in wanted if name not in known]:
        raise Failure(f"there is no step {unknown[0]}: there are environment, {', '.join(known)}")
    return [known[name] for name in wanted]


def main() -> int:
    arguments = parse_arguments()
    steps = choose(arguments.steps)
    place = Place(arguments.build.resolve(), arguments.output)
    programs(place.build)
    if arguments.fresh and place.output.exists():
        shutil.rmtree(place.output)
    recorder = Recorder(place, time.monotonic() + arguments.seconds)
    recorder.begin()
    for step in steps:
        recorder.run(step(place))
    for failure in recorder.failures:
        print(f"record: {failure}", file=sys.stderr)
    if recorder.failures:
        print("record: the same command goes on where this one stopped", file=sys.stderr)
    return 1 if recorder.failures else 0


if __name__ == "__main__":
    run_main("record", main)
