"""CPU time and memory of rivals, interleaved, the best of several."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any


def compare(case: str, systems: dict[str, Callable[[], Any]], repeat: int = 5, number: int = 1) -> list[dict[str, Any]]:
    """Run every system in turn, several times (of `number` calls each); the ratio is to the first, larger is faster."""
    best = dict.fromkeys(systems, float("inf"))
    for turn in range(repeat):
        for name, job in systems.items():
            start = time.process_time()
            for _ in range(number):
                job()
            best[name] = min(best[name], (time.process_time() - start) / number)
        progress(case, turn + 1, repeat)
    return ratios(case, best, "cpu_seconds")


def compare_programs(case: str, programs: dict[str, str], figure: str, repeat: int = 5) -> list[dict[str, Any]]:
    """Run every program in a Python of its own; the figure is "cpu_seconds" or "peak_mb", the most memory held."""
    best = dict.fromkeys(programs, float("inf"))
    for turn in range(repeat):
        for name, program in programs.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([sys.executable, "-c", program + PEAK], check=True, capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best[name] = min(best[name], spent if figure == "cpu_seconds" else float(done.stdout.split()[-1]))
        progress(case, turn + 1, repeat)
    return ratios(case, best, figure)


# What getrusage says of a child includes its parent's memory.
PEAK = "\nprint(next(int(l.split()[1]) / 1024 for l in open('/proc/self/status') if l.startswith('VmHWM')))"


def ratios(case: str, best: dict[str, float], figure: str) -> list[dict[str, Any]]:
    """Return one row for each system, with the ratio of the first one's figure to its own."""
    first = next(iter(best.values()))
    return [
        {"case": case, "system": name, figure: float(f"{value:.4g}"), "ratio": round(first / value, 2)}
        for name, value in best.items()
    ]


def progress(case: str, turn: int, of: int) -> None:
    """Say on a terminal how far a case is."""
    if sys.stderr.isatty():
        print(f"\r{case}: {turn} of {of}", end="\n" * (turn == of), file=sys.stderr)


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as a Markdown table."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(row.get(head, "")) for head in heads) + " |" for row in rows]
    return "\n".join(lines)
