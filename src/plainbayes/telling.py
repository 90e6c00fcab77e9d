"""Which words tell classes, or models, apart: differences of log shares, and how much they matter."""

from __future__ import annotations

import numpy as np

from plainbayes.numeric import Array

Total = float | Array


def log_odds(own: Array, others: Array, own_total: Total, others_total: Total, size: int) -> Array:
    """The logarithm of a word's share here to its share there, smoothed by one out of `size` words."""
    return np.log(own + 1) - np.log(own_total + size) - np.log(others + 1) + np.log(others_total + size)


def telling(own: Array, others: Array, own_total: Total, others_total: Total, size: int) -> Array:
    """How much each word says for a class: its share there times its log odds; nothing if it never stood there.

    A word that is only rare says little, however one-sided it is; so does one that is common everywhere.
    """
    share = (own + 1) / (own_total + size)
    return np.where(own > 0, share * log_odds(own, others, own_total, others_total, size), 0.0)


def apart(one: Array, other: Array, one_total: Total, other_total: Total, size: int) -> Array:
    """How far apart two counts of each word are: its part of Jeffreys' divergence, which is the same both ways."""
    first, second = (one + 1) / (one_total + size), (other + 1) / (other_total + size)
    return np.asarray((first - second) * log_odds(one, other, one_total, other_total, size))
