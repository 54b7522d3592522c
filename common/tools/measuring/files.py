"""Where things lie, and files that are either old or new but never half-written."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
RESULTS = REPOSITORY / "docs" / "results"
NOT_AVAILABLE = "n/a"

Row = dict[str, str]


class Failure(Exception):
    """Ends a tool with one sentence."""


def write_text(path: Path, text: str) -> None:
    """Writes beside the file and renames, so that a reader, or a later run, never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise Failure(f"{path} is not JSON: {error}") from error


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    write_text(path, csv_text(columns, rows))


def read_csv(path: Path) -> list[Row]:
    """The rows of a file, none if it is not there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def from_repository(path: Path) -> str:
    """The path as a message shows it."""
    resolved = path.resolve()
    return str(resolved.relative_to(REPOSITORY)) if resolved.is_relative_to(REPOSITORY) else str(path)
