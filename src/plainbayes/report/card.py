"""A model at a glance, for a notebook: what it answers, what it reads, how much it learned, what to expect of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from plainbayes.report.page import SHOWN, boxes
from plainbayes.report.style import fragment
from plainbayes.report.svg import amount, percent, safe, shortened
from plainbayes.report.table import table

if TYPE_CHECKING:
    from plainbayes.trust import Trust

Facts = Sequence[tuple[str, str]]


def card(name: str, facts: Facts, caption: str, heads: tuple[str, str], rows: Facts) -> str:
    """Show facts side by side, and a table below, folded away if it is long."""
    listed = table(caption, heads, rows, words=1) if rows else ""
    if len(rows) > SHOWN:
        listed = f"<details><summary>{caption} ({len(rows):,})</summary>{listed}</details>"
    told = boxes([(fact, shortened(value, 40)) for fact, value in facts])
    return fragment(f"<h3>{safe(name)}</h3>", told, listed)


def right(trust: Trust | None) -> Facts:
    """Say how often answers are expected to be right, where that was found out."""
    if trust is None:
        return []
    told = trust.estimate
    return [("expected right", f"{percent(told.accuracy)} ± {percent(told.accuracy_error)}")]


def near(figures: Mapping[str, float]) -> Facts:
    """Say the same of numbers: how far off they are expected to be, and how often their ranges hold."""
    if not figures:
        return []
    return [("expected error", amount(figures["mae"])), ("90% ranges that hold", percent(figures["coverage_90"]))]
