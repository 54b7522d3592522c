"""Runs programs, with a limit on their time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from measuring.files import Failure

CUDA_DIRECTORIES = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer")


@dataclass(frozen=True)
class Outcome:
    status: int
    output: str
    errors: str
    timed_out: bool = False

    @property
    def text(self) -> str:
        return self.output + self.errors

    def last_line(self) -> str:
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def find_tool(name: str) -> str | None:
    """Looks in PATH, then where the CUDA Toolkit is usually installed."""
    path = os.pathsep.join([os.environ.get("PATH", ""), *CUDA_DIRECTORIES])
    return shutil.which(name, path=path)


def run(command: Iterable[str | Path], seconds: float, directory: Path | None = None) -> Outcome:
    """Runs a command. One that takes longer than `seconds` is ended, together with all that it started."""
    process = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        cwd=directory,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
        return Outcome(process.returncode, output, errors)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return Outcome(process.returncode, output, errors, timed_out=True)
    except BaseException:  # Ctrl-C, for one: the command is in a session of its own and would not see it
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def run_main(name: str, main: Callable[[], int]) -> None:
    """The status of main; a Failure becomes a sentence and status 1."""
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of the output, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
