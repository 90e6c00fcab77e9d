"""Words drawn one by one: P(word i | c) = (W_ic + alpha) / (L_c + alpha |V|), L_c = sum_i W_ic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plainbayes.event import CountEvent
from plainbayes.numeric import Array, log_ratio


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

    def weights(self, stats: Any) -> tuple[Array, Array]:
        alpha, whole = self.smoothing(stats.shape[1])
        total = stats.count.sum(axis=1) + whole
        return log_ratio(stats.count + alpha, total[:, None]), log_ratio(alpha.mean(), total)
