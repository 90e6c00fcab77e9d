"""What the other classes say: score = -sum_i x_i log((W_i not c + alpha) / (L not c + alpha |V|))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plainbayes.event import CountEvent, Linear
from plainbayes.numeric import log_ratio, ratio


@dataclass(frozen=True)
class Complement(CountEvent):
    """Multinomial over all other classes together, taken with the opposite sign; for uneven classes.

    The statistic is the multinomial's. A score, no likelihood (after Rennie and others, 2003); with
    normalize=True the weights of each class are divided by their absolute sum.
    """

    normalize: bool = False

    proper = None

    def estimate(self, stats: Any) -> Linear:
        others = stats.count.sum(axis=0) - stats.count
        total = others.sum(axis=1) + self.alpha * self.size(stats.shape[1])
        weights = self.with_unknown(-log_ratio(others + self.alpha, total[:, None]), -log_ratio(self.alpha, total))
        # Without smoothing, a word that no other class has speaks for its class without bound:
        # as a weight that is the largest finite one, since infinite praise cannot be compared.
        weights = np.where(np.isposinf(weights), _LARGEST, weights)
        if self.normalize:
            weights = ratio(weights, np.abs(weights[:, :-1]).sum(axis=1, keepdims=True))
        return Linear.of(weights)


_LARGEST = -np.log(np.finfo(np.float64).tiny)
