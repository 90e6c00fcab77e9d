"""Products of many small effects: log x is normal, p(x) = normal(log x | mean, variance) / x for x > 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plainbayes.event import Support
from plainbayes.events.gaussian import Gaussian, Normal
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import Array
from plainbayes.stats import Moments


@dataclass(frozen=True)
class LogNormal(Gaussian):
    """Incomes, sizes, durations: positive and skewed; statistic and estimate are the Gaussian's, of log x."""

    checks = False

    @property
    def support(self) -> Support:
        return "positive"

    @property
    def facts(self) -> str:
        return "moments of logarithms"

    def tally(self, X: Array, Y: ClassWeights) -> Moments:
        return super().tally(np.log(X, dtype=np.float64), Y)

    def log_density(self, theta: Normal, x: Array) -> Array:
        return super().log_density(theta, np.log(x)) - np.log(x)

    def log_prob(self, theta: Normal, X: Array) -> Array:
        logs = np.log(X, dtype=np.float64)
        return np.asarray(super().log_prob(theta, logs) - np.nansum(logs, axis=1, keepdims=True))
