"""A slow, plain twin of the Rust core: the same results by the shortest code."""

import math
from fractions import Fraction


def exact(value):
    """A multiple of 2^-36."""
    return round(value * 2**36) / 2**36 if abs(value * 2**36) < 2**52 else value


def entries(Y, rows):
    """Row, class and weight of every entry of the class weights."""
    starts = range(rows + 1) if Y.starts is None else Y.starts
    for row in range(rows):
        for e in range(starts[row], starts[row + 1]):
            yield row, int(Y.codes[e]), 1.0 if Y.weights is None else float(Y.weights[e])


def counts(X, Y, width):
    """X is a list of rows, each a list of (column, value)."""
    count = [[0.0] * width for _ in range(Y.classes)]
    present = [[0.0] * width for _ in range(Y.classes)]
    for row, c, w in entries(Y, len(X)):
        for column, value in X[row]:
            count[c][column] += exact(w * value)
            present[c][column] += w * (value > 0)
    return count, present


def sums(X, Y, width):
    n = [[0.0] * width for _ in range(Y.classes)]
    s = [[0.0] * width for _ in range(Y.classes)]
    for row, c, w in entries(Y, len(X)):
        for column, value in enumerate(X[row]):
            if not math.isnan(value):
                n[c][column] += w
                s[c][column] += exact(w * value)
    return n, s


def moments(X, Y, width):
    """Number, mean and scatter by the definition, in exact fractions."""
    cells = {}
    for row, c, w in entries(Y, len(X)):
        for column, value in enumerate(X[row]):
            if not math.isnan(value) and w > 0:
                cells.setdefault((c, column), []).append((value, w))
    n, mean, scatter = ([[0.0] * width for _ in range(Y.classes)] for _ in range(3))
    for (c, column), pairs in cells.items():
        total = sum(Fraction(w) for _, w in pairs)
        centre = sum(Fraction(w) * Fraction(v) for v, w in pairs) / total
        n[c][column], mean[c][column] = float(total), float(centre)
        scatter[c][column] = float(sum(Fraction(w) * (Fraction(v) - centre) ** 2 for v, w in pairs))
    return n, mean, scatter


def categories(X, Y, sizes):
    """Weight of each category per class, the columns' categories one after another."""
    table = [[0.0] * sum(sizes) for _ in range(Y.classes)]
    for row, c, w in entries(Y, len(X)):
        for column, code in enumerate(X[row]):
            if code >= 0:
                table[c][sum(sizes[:column]) + code] += w
    return table


def listed(X, sizes):
    """Rows of categories as lists of (row of the table, 1): unknown ones have the last place of their column."""
    starts = [sum(sizes[:j]) + j for j in range(len(sizes))]
    return [[(starts[j] + min(v, sizes[j]), 1.0) for j, v in enumerate(row) if v >= 0] for row in X]


def best(scores):
    """The first of the greatest; NaN never is."""
    return [max(range(len(row)), key=lambda c: (-math.inf if math.isnan(row[c]) else row[c], -c)) for row in scores]


def linear(X, bias, table, once):
    """X is a list of rows, each a list of (column, value); the table is columns by classes."""

    def score(row, c):
        return bias[c] + math.fsum((1.0 if once else v) * table[i][c] for i, v in row if (v > 0 if once else v))

    return [[score(row, c) for c in range(len(bias))] for row in X]


def gaussian(X, mean, variance):
    def density(x, m, v):
        return 0.0 if math.isnan(x) else -0.5 * ((x - m) ** 2 / v + math.log(2 * math.pi * v))

    return [[math.fsum(map(density, row, m, v)) for m, v in zip(mean, variance, strict=True)] for row in X]


SUPPORTS = {
    "binary": lambda x: x in (0, 1),
    "count": lambda x: x >= 0 and x == math.floor(x),
    "nonnegative": lambda x: x >= 0,
    "positive": lambda x: x > 0,
    "real": lambda x: True,
}


def offender(X, support, missing):
    for r, row in enumerate(X):
        for c, x in enumerate(row):
            if math.isnan(x):
                if not missing:
                    return r, c
            elif abs(x) > 1e150 or not SUPPORTS[support](x):
                return r, c
    return None
