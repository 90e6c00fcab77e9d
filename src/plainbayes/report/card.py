"""A model at a glance, for a notebook: what it answers, what it reads, how much it learned, what to expect of it."""

from __future__ import annotations

from collections.abc import Sequence

from plainbayes.report.page import SHOWN, boxes
from plainbayes.report.style import fragment
from plainbayes.report.svg import safe, shortened
from plainbayes.report.table import table


def card(name: str, facts: Sequence[tuple[str, str]], heads: tuple[str, str], rows: Sequence[tuple[str, str]]) -> str:
    """Show facts side by side, and two columns below, folded away if they are long."""
    listed = table(f"{heads[0]} and {heads[1]}", heads, rows, words=1)
    if len(rows) > SHOWN:
        listed = f"<details><summary>{len(rows):,} rows: {heads[0]} and {heads[1]}</summary>{listed}</details>"
    told = boxes([(fact, shortened(value, 40)) for fact, value in facts])
    return fragment(f"<h3>{safe(name)}</h3>", told, listed if rows else "")
