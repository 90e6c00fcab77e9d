"""JSON on one line, readable by any parser."""

from __future__ import annotations

from json import dumps
from typing import Any


def written(value: Any) -> str:
    """Return a value as JSON. Infinities are written 1e999, which is JSON, and read as infinite.

    >>> written({"label": "спам", "scores": [0.5, -float("inf")], "ask": None})
    '{"label": "спам", "scores": [0.5, -1e999], "ask": null}'
    """
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{dumps(str(key), ensure_ascii=False)}: {written(each)}" for key, each in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    return number(value) if isinstance(value, float) else dumps(value, ensure_ascii=False)


def number(value: float) -> str:
    """Return a number as JSON knows it."""
    return repr(value).replace("inf", "1e999")
