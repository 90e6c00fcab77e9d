"""CPU time of rivals, interleaved, the best of several."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


def compare(case: str, systems: dict[str, Callable[[], Any]], repeat: int = 5) -> list[dict[str, Any]]:
    """Run every system in turn, several times; the ratio is to the first one, larger is faster."""
    best = dict.fromkeys(systems, float("inf"))
    for number in range(repeat):
        for name, job in systems.items():
            start = time.process_time()
            job()
            best[name] = min(best[name], time.process_time() - start)
        if sys.stderr.isatty():
            print(f"\r{case}: {number + 1} of {repeat}", end="\n" * (number + 1 == repeat), file=sys.stderr)
    first = next(iter(best.values()))
    return [
        {"case": case, "system": name, "cpu_seconds": round(seconds, 6), "ratio": round(first / seconds, 2)}
        for name, seconds in best.items()
    ]


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as a Markdown table."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(row.get(head, "")) for head in heads) + " |" for row in rows]
    return "\n".join(lines)
