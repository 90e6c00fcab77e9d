"""P(c | d): a finite distribution over classes for every row, normalised in log space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, cast

import numpy as np

from plainbayes.errors import InputError
from plainbayes.evidence import Label
from plainbayes.numeric import Array, Mask, log_normalised


class Predictive(Protocol):
    """A distribution over numbers for every row, in whatever form."""

    def mean(self) -> Array: ...
    def median(self) -> Array: ...
    def quantile(self, q: float) -> Array: ...


@dataclass(frozen=True, eq=False)
class Posterior:
    """Log probabilities of the classes, row by row.

    `silent` marks rows that every class calls impossible (without smoothing that can be): there the
    data say nothing, and the posterior is the prior.
    """

    classes: tuple[Label, ...]
    log_probabilities: Array
    silent: Mask

    @classmethod
    def of(cls, classes: Sequence[Label], joint: Array, log_prior: Array) -> Posterior:
        """Bayes' rule from log P(c) + log P(d | c)."""
        silent: Mask = np.all(np.isneginf(joint), axis=1)
        joint = np.where(silent[:, None], log_prior, joint)
        return cls(tuple(classes), log_normalised(joint), silent)

    def __len__(self) -> int:
        return len(self.log_probabilities)

    @cached_property
    def probabilities(self) -> Array:
        """Probabilities (rows, classes): in [0, 1], summing to 1."""
        return np.exp(self.log_probabilities)

    @cached_property
    def values(self) -> Array:
        """The classes as numbers, for means and quantiles."""
        try:
            return np.array([float(cast(float, c)) for c in self.classes])
        except (TypeError, ValueError):
            raise InputError(
                f"means and quantiles need numbers as classes, got {self.classes[0]!r}",
                "use a loss over labels, such as ZeroOne() or Costs(...)",
            ) from None

    def mode(self) -> list[Label]:
        """Return the most probable class of each row; ties go to the class listed first."""
        return [self.classes[place] for place in self.log_probabilities.argmax(axis=1)]

    def mean(self) -> Array:
        """Return the expected value of each row."""
        return self.probabilities @ self.values

    def quantile(self, q: float) -> Array:
        """Return the least value that is not exceeded with probability q."""
        if not 0 <= q <= 1:
            raise InputError(f"a quantile needs q from 0 to 1, got {q!r}")
        order = np.argsort(self.values)
        below = np.cumsum(self.probabilities[:, order], axis=1)
        reached = below >= np.minimum(q, below[:, -1:])
        # q = 0 asks for the least value that is possible at all.
        reached &= below > 0
        return np.asarray(self.values[order][reached.argmax(axis=1)])

    def median(self) -> Array:
        """Return the value with half of the probability on either side."""
        return self.quantile(0.5)

    def log_prob(self, labels: Sequence[Label]) -> Array:
        """Log probability of one class per row; -inf for a class nobody knows."""
        places = {c: place for place, c in enumerate(self.classes)}
        known = np.array([places.get(label, -1) for label in labels], dtype=np.int64)
        return np.where(known < 0, -np.inf, self.log_probabilities[np.arange(len(known)), known])
