"""What the other classes say: score = -sum_i x_i log((W_i not c + alpha) / (L not c + alpha |V|))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plainbayes.event import CountEvent
from plainbayes.numeric import Array, log_ratio, ratio


@dataclass(frozen=True)
class Complement(CountEvent):
    """Multinomial over all other classes together, taken with the opposite sign; for uneven classes.

    The statistic is the multinomial's. A score, no likelihood (after Rennie and others, 2003); with
    normalize=True the weights of each class are divided by their absolute sum.
    """

    normalize: bool = False

    proper = None
    apart = False

    def weights(self, stats: Any) -> tuple[Array, Array]:
        alpha, whole = self.smoothing(stats.shape[1])
        others = stats.count.sum(axis=0) - stats.count
        total = others.sum(axis=1) + whole
        # Without smoothing, a word that no other class has speaks for its class without bound:
        # as a weight that is the largest finite one, since infinite praise cannot be compared.
        known = np.minimum(-log_ratio(others + alpha, total[:, None]), _LARGEST)
        unknown = np.minimum(-log_ratio(alpha.mean(), total), _LARGEST)
        if self.normalize:
            whole = np.abs(known).sum(axis=1)
            return ratio(known, whole[:, None]), ratio(unknown, whole)
        return known, unknown


_LARGEST = -np.log(np.finfo(np.float64).tiny)
