"""Words drawn one by one: P(word i | c) = (W_ic + alpha) / (L_c + alpha |V|), L_c = sum_i W_ic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plainbayes.event import CountEvent, Linear
from plainbayes.numeric import log_ratio


@dataclass(frozen=True)
class Multinomial(CountEvent):
    """How often each word stands in documents of each class; for long text and sparse counts.

    The statistic is the count W of each word in each class; the estimate is the posterior mean under
    a Dirichlet prior. With distinct=True every distinct word of a document is scored once, whatever
    its count: better for short text.
    """

    distinct: bool = False

    proper = "draws"

    @property
    def once(self) -> bool:
        return self.distinct

    def estimate(self, stats: Any) -> Linear:
        total = stats.count.sum(axis=1) + self.alpha * self.size(stats.shape[1])
        known = log_ratio(stats.count + self.alpha, total[:, None])
        return Linear.of(self.with_unknown(known, log_ratio(self.alpha, total)))
