"""A value out of K: P(value k | c) = (n_kc + alpha) / (n_c + alpha K)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from plainbayes.event import Event, Support
from plainbayes.events.multinomial import Multinomial
from plainbayes.evidence import Label


@dataclass(frozen=True)
class Categorical(Multinomial):
    """How often each category stands in a column; for nominal columns.

    A column is a document of one word: the statistic and the estimate are the multinomial's, column by
    column, with K (`vocabulary`) the categories seen. Categories may be any labels and appear at any
    time; one never learned gets the estimate of a count of zero.
    """

    unknown: Literal["ignore", "smooth"] = "smooth"

    @property
    def support(self) -> Support:
        return "category"

    def split(self, columns: Sequence[Label]) -> dict[Label, tuple[Event, Sequence[Label]]]:
        return {column: (self, [column]) for column in columns}
