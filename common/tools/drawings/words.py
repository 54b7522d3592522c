"""The words in the drawings, in English and Chinese."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Translate = Callable[..., str]

LANGUAGES = ("en", "zh")
_CHINESE = Path(__file__).with_name("chinese.json")


class MissingWords(Exception):
    """A text of a drawing that has no translation."""


def translator(language: str) -> Translate:
    """A function from an English text to the same in `language`, with {names} filled in."""
    table = json.loads(_CHINESE.read_text(encoding="utf-8")) if language == "zh" else None

    def translate(text: str, **values: object) -> str:
        if table is not None:
            if text not in table:
                raise MissingWords(text)
            text = table[text]
        return text.format(**values) if values else text

    return translate
