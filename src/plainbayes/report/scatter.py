"""Answers against truths: points, or shaded cells where there are many, and the ranges that were promised."""

from __future__ import annotations

import numpy as np

from plainbayes.numeric import Array
from plainbayes.report.svg import Axes, Scale, amount, brief, percent, picture, tag
from plainbayes.report.table import figure, table

WIDTH, HEIGHT = 520, 500
POINTS = 2000  # rows that are drawn one by one
SIDE = 40  # shaded cells to a side, where there are more
GROUPS = 20  # of answers, of which the ranges are averaged
BEYOND = 0.005  # the share of rows at either end that may be moved to the edge, so that the others are told apart


def scatter(truths: Array, answers: Array, low: Array, high: Array) -> str:
    """Draw truths over answers; `low` and `high` are the ends of the ranges that should hold nine of ten."""
    ends = limits(np.concatenate([truths, answers]))
    axes = Axes(Scale(*ends, 70, WIDTH - 20), Scale(*ends, HEIGHT - 45, 12), ("answer", "truth"), (brief, brief))
    x, y = np.clip(answers, *ends), np.clip(truths, *ends)
    groups = grouped(answers)
    middles = [float(x[rows].mean()) for rows in groups]
    bounds = [(float(low[rows].mean()), float(high[rows].mean())) for rows in groups]
    parts = [axes.drawn(), _band(axes, middles, [tuple(np.clip(each, *ends).tolist()) for each in bounds])]
    parts.append(_points(axes, x, y) if len(x) <= POINTS else _shaded(axes, x, y))
    parts.append(axes.line([(ends[0], ends[0]), (ends[1], ends[1])], "exact"))
    held = [float(np.mean((truths[rows] >= low[rows]) & (truths[rows] <= high[rows]))) for rows in groups]
    rows = [
        (
            amount(float(answers[at].mean())),
            f"{len(at):,}",
            amount(float(truths[at].mean())),
            *map(amount, each),
            percent(share),
        )
        for at, each, share in zip(groups, bounds, held, strict=True)
    ]
    words = "; ".join(f"answers around {row[0]}: truths {row[2]} on average" for row in rows)
    moved = int(np.sum((x != answers) | (y != truths)))
    what = "Each point is a row." if len(x) <= POINTS else "The darker, the more rows."
    said = (
        f"{what} On the dashed line, answers are right; above it they are too low, below it too high. The grey band is "
        "the range that should hold nine of ten truths, averaged over rows with answers alike."
    )
    said += f" {moved:,} of {len(x):,} rows lie outside and are drawn at the edge." if moved else ""
    numbers = table(
        "answers, truths and ranges, by the size of the answer",
        ["answer", "rows", "truth", "range from", "range to", "held"],
        rows,
    )
    return figure(picture("Answers against truths", words, (WIDTH, HEIGHT), *parts), said, numbers, WIDTH)


def limits(values: Array) -> tuple[float, float]:
    """The ends of an axis for all values but the few that are far out; a bit more, where nothing is."""
    least, low, high, greatest = np.quantile(values, [0, BEYOND, 1 - BEYOND, 1]).tolist()
    room = 0.05 * (high - low) or 0.5
    return max(least, low - room) - room / 5, min(greatest, high + room) + room / 5


def grouped(answers: Array, most: int = GROUPS) -> list[Array]:
    """Places of rows, in groups of answers alike: about as many in each, equal answers together."""
    order = np.argsort(answers, kind="stable")
    ends = np.unique(answers[order][np.linspace(0, len(order) - 1, most + 1).round().astype(np.int64)[1:]])
    cuts = np.searchsorted(answers[order], ends[:-1], side="right")
    return np.split(order, cuts)


def _band(axes: Axes, middles: list[float], bounds: list[tuple[float, ...]]) -> str:
    """The ranges as one shape; of a single group, a line."""
    upper = [(axes.x(x), axes.y(high)) for x, (_, high) in zip(middles, bounds, strict=True)]
    lower = [(axes.x(x), axes.y(low)) for x, (low, _) in zip(middles, bounds, strict=True)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*upper, *reversed(lower)])
    return tag("polygon", points=points, class_="within")


def _points(axes: Axes, x: Array, y: Array) -> str:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return "".join(tag("circle", cx=axes.x(a), cy=axes.y(b), r=2.5, class_="dot") for a, b in pairs)


def _shaded(axes: Axes, x: Array, y: Array) -> str:
    across = np.linspace(axes.x.low, axes.x.high, SIDE + 1)
    rows, _, _ = np.histogram2d(x, y, [across, across])
    width, height = (axes.x.end - axes.x.start) / SIDE, (axes.y.start - axes.y.end) / SIDE
    parts = []
    for over, up in zip(*np.nonzero(rows), strict=True):
        # Roots, so that cells with few rows are seen at all beside those with many.
        depth = 0.08 + 0.92 * float(np.sqrt(rows[over, up] / rows.max()))
        place = {"x": axes.x(across[over]), "y": axes.y(across[up + 1]), "width": width, "height": height}
        parts.append(
            tag("rect", tag("title", f"{rows[over, up]:.0f}"), **place, class_="shade", style=f"--w:{depth:.2f}")
        )
    return "".join(parts)
