"""P(c) before anything is seen: empirical, smoothed, uniform, or given from outside.

Changing the prior later touches no counts: it adds log(new / old) to the scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plainbayes.errors import InputError, listed
from plainbayes.evidence import Label
from plainbayes.numeric import Array, log, log_ratio


class Prior(ABC):
    """How likely each class is before the data speak."""

    @abstractmethod
    def log_prior(self, classes: Sequence[Label], weight: Array) -> Array:
        """Log P(c) for these classes, which have been seen with these weights."""


@dataclass(frozen=True)
class Empirical(Prior):
    """D_c / D: as often as in the training data."""

    def log_prior(self, classes: Sequence[Label], weight: Array) -> Array:
        if weight.sum() == 0:  # declared, but nothing learned: no class is more likely than another
            return Uniform().log_prior(classes, weight)
        return log_ratio(weight, weight.sum())


@dataclass(frozen=True)
class Smoothed(Prior):
    """(D_c + strength) / (D + C strength): as in the training data, but no class is impossible."""

    strength: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.strength < np.inf:
            raise InputError(f"a smoothed prior needs strength > 0, got {self.strength!r}")

    def log_prior(self, classes: Sequence[Label], weight: Array) -> Array:
        total = weight.sum() + len(classes) * self.strength
        return np.asarray(np.log(weight + self.strength) - np.log(total))


@dataclass(frozen=True)
class Uniform(Prior):
    """1 / C: every class as likely as any other."""

    def log_prior(self, classes: Sequence[Label], weight: Array) -> Array:
        return np.full(len(classes), -np.log(len(classes)))


@dataclass(frozen=True)
class Given(Prior):
    """Probabilities by label, from outside: when the training data lack the proportions of the world."""

    probabilities: Mapping[Label, float]

    def __post_init__(self) -> None:
        values = list(self.probabilities.values())
        if not all(p >= 0 for p in values):
            raise InputError(f"a prior needs probabilities >= 0, got {dict(self.probabilities)}")
        if abs(sum(values) - 1) > 1e-6:
            raise InputError(
                f"a prior needs probabilities that sum to 1, got {dict(self.probabilities)} with sum {sum(values):g}"
            )

    def log_prior(self, classes: Sequence[Label], weight: Array) -> Array:
        lacking = [c for c in classes if c not in self.probabilities]
        if lacking:
            raise InputError(
                f"the given prior lacks class {listed(lacking)}",
                "name every class, with 0 if it is impossible",
            )
        given = [self.probabilities[c] for c in classes]
        if not any(given):
            raise InputError(f"the given prior calls every class learned impossible: {listed(classes)}")
        return log(given)
