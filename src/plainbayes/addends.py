"""Columns that add up to the target: y = a + b_1 x_1 + ... + b_k x_k without a rest; nothing is left to predict.

Casual and registered riders are all riders; net and tax are the price. Such columns are known only when the target is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from plainbayes.numeric import Array

REST = 1e-6  # of the target's spread: more than rounding leaves
LOOKED_AT = 2000  # rows, or four for each column: the others need only agree


def addends(columns: Mapping[str, Array], target: Array) -> list[tuple[str, ...]]:
    """Return the groups of columns that add up to the target, each group by itself.

    A row with a cell missing says nothing.

    >>> net, tax = np.arange(9.0), np.arange(9.0) % 4
    >>> addends({"tax": tax, "net": net}, net + tax)
    [('tax', 'net')]
    """
    left, found = dict(columns), []
    while group := _group(left, target):
        found.append(group)
        left = {name: cells for name, cells in left.items() if name not in group}
    return found


def _group(columns: Mapping[str, Array], target: Array) -> tuple[str, ...]:
    """The columns of which a sum with weights is the target in every row; none if there is no such sum."""
    names = list(columns)
    cells = np.array([columns[name] for name in names]).reshape(len(names), len(target)).T
    whole = ~np.isnan(cells).any(axis=1)
    cells, truth = cells[whole], target[whole]
    # With as many numbers to choose as rows, anything adds up.
    if len(truth) <= 2 * (len(names) + 1) or not truth.std():
        return ()
    centred, off = cells - cells.mean(axis=0), truth - truth.mean()
    scaled = centred / np.where(centred.std(axis=0) > 0, centred.std(axis=0), 1.0)
    some = slice(None, None, max(1, len(truth) // max(LOOKED_AT, 4 * len(names))))
    weights = np.linalg.lstsq(scaled[some], off[some], rcond=None)[0]
    if np.abs(off - scaled @ weights).max() > REST * off.std():
        return ()
    return tuple(name for name, weight in zip(names, weights, strict=True) if abs(weight) > REST * off.std())
