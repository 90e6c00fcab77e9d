"""Log-sum-exp and every numerical guard: an epsilon anywhere else is a mistake."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

UNIT = 2.0**36
LEAST = 1e-300  # a variance, where nothing is added to none


def exact(values: npt.ArrayLike) -> Array:
    """Round to a multiple of 2^-36, so that sums come out the same in any order, as integers do.

    Whole numbers pass unchanged up to 2^53. Fractions add up without any rounding until a sum
    exceeds 2^17; beyond, they round as floating point does, in the last of 16 digits.
    """
    return np.asarray(np.rint(np.asarray(values, dtype=np.float64) * UNIT) / UNIT)


def log(x: npt.ArrayLike) -> Array:
    """Natural logarithm with log 0 = -inf and no warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x))


def ratio(s: npt.ArrayLike, n: npt.ArrayLike) -> Array:
    """s / n, and 0 where n is not above 0: nothing out of nothing is nothing."""
    s, n = np.asarray(s, dtype=np.float64), np.asarray(n, dtype=np.float64)
    return np.asarray(np.divide(s, n, out=np.zeros(np.broadcast(s, n).shape), where=n > 0))


def log_ratio(s: npt.ArrayLike, n: npt.ArrayLike) -> Array:
    """log(s / n), and -inf where n is not above 0; two logarithms, as s / n may underflow."""
    s, n = np.asarray(s, dtype=np.float64), np.asarray(n, dtype=np.float64)
    some = n > 0
    logs, less = log(s), np.log(np.where(some, n, 1.0))
    # In place, where the shape allows it: of many words there are many numbers.
    logs = np.subtract(logs, less, out=logs if logs.shape == np.broadcast_shapes(s.shape, n.shape) != () else None)
    return logs if some.all() else np.where(some, logs, -np.inf)


def difference(a: npt.ArrayLike, b: npt.ArrayLike) -> Array:
    """a - b, and 0 where both are the same infinity: two impossible things are equally so."""
    with np.errstate(invalid="ignore"):
        apart = np.subtract(a, b)
    return np.where(np.isnan(apart), 0.0, apart)


def log_normalised(q: Array) -> Array:
    """q - log(sum(exp(q))) along the last axis, right for scores of -1e6 and below.

    The greatest score is taken away first: near -1e10 the logarithm of the sum would be lost.
    """
    q = q - q.max(axis=-1, keepdims=True, initial=-np.inf)
    return np.asarray(q - np.log(np.exp(q).sum(axis=-1, keepdims=True)))


def logistic(x: float) -> float:
    """1 / (1 + e^-x), the probability that log odds of x stand for, without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def settled(difference: Array, size: Array) -> Array:
    """A difference of numbers of this size, and 0 where it is no larger than their rounding errors."""
    return np.where(np.abs(difference) > 16 * np.finfo(np.float64).eps * size, difference, 0.0)


def taken_away(whole: Array, part: Array) -> Array:
    """whole - part of sums: exact for whole numbers; what rounding may have left of fractions is nothing."""
    left = whole - part
    fractions = (whole != np.rint(whole)) | (part != np.rint(part))
    return np.where(fractions & (np.abs(left) <= 1e-12 * whole), 0.0, left)


def remainder(whole: Array, part: Array) -> Array:
    """whole - part of something that cannot be negative, and 0 where no more than rounding errors is left."""
    return np.maximum(settled(whole - part, whole), 0.0)


def log1mexp(x: npt.ArrayLike) -> Array:
    """log(1 - exp(x)) for x <= 0, with all its digits at both ends."""
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(divide="ignore"):
        near = np.log(-np.expm1(np.minimum(x, 0.0)))
        return np.asarray(np.where(x > -np.log(2.0), near, np.log1p(-np.exp(x))))


def lgamma(x: npt.ArrayLike) -> Array:
    """log Gamma(x) for x > 0: Stirling's series, from x + 10 down by the recurrence below 10."""
    x = np.asarray(x, dtype=np.float64)
    small = x < 10
    z = np.where(small, x + 10, x)
    t = 1 / (z * z)
    series = (1 / 12 + t * (-1 / 360 + t * (1 / 1260 + t * (-1 / 1680 + t * (1 / 1188))))) / z
    stirling = (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series
    steps = np.prod(np.where(small, x, 1.0)[..., None] + np.arange(10), axis=-1)
    return np.asarray(stirling - np.where(small, log(steps), 0.0))


def digamma(x: npt.ArrayLike) -> Array:
    """The derivative of log Gamma(x) for x > 0: asymptotic series from x + 10 down."""
    x = np.asarray(x, dtype=np.float64)
    z = x + 10
    t = 1 / (z * z)
    series = t * (1 / 12 - t * (1 / 120 - t * (1 / 252 - t * (1 / 240 - t * (1 / 132)))))
    return np.asarray(np.log(z) - 0.5 / z - series - (1 / (x[..., None] + np.arange(10))).sum(axis=-1))


def trigamma(x: npt.ArrayLike) -> Array:
    """The second derivative of log Gamma(x) for x > 0: asymptotic series from x + 10 down."""
    x = np.asarray(x, dtype=np.float64)
    z = x + 10
    t = 1 / (z * z)
    series = (1 + t * (1 / 6 - t * (1 / 30 - t * (1 / 42 - t / 30)))) / z
    return np.asarray(series + 0.5 * t + (1 / (x[..., None] + np.arange(10)) ** 2).sum(axis=-1))


def normal_cdf(z: npt.ArrayLike) -> Array:
    """Probability that a standard normal variable is below z."""
    z = np.asarray(z, dtype=np.float64) / -np.sqrt(2.0)
    return np.asarray(0.5 * np.vectorize(math.erfc, otypes=[np.float64])(z))


def weighted_median(values: Array, weights: Array) -> float:
    """The value with half of the weight on either side, halfway between two where it falls between; sorted."""
    below = np.cumsum(weights)
    half = below[-1] / 2
    place = int(np.searchsorted(below, half))
    between = below[place] == half and place + 1 < len(values)
    return float((values[place] + values[place + 1]) / 2 if between else values[place])


def floored(variance: Array, share: float, scale: npt.ArrayLike) -> Array:
    """A variance that can be divided by: plus a share of the column's own scale, or of 1 if it has none."""
    scale = np.asarray(scale, dtype=np.float64)
    return np.maximum(variance + share * np.where(scale > 0, scale, 1.0), LEAST)
