"""What was thought of one row: its density, the answer and its range, and where the truth was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plainbayes.report.svg import Scale, amount, brief, percent, picture, tag, text, ticks
from plainbayes.report.table import figure, table

if TYPE_CHECKING:
    from plainbayes.regression import Density

WIDTH, FLOOR = 620, 90
THIN = 60  # parts of the drawing, one of which a cell has at least, as far as heights go
TAIL = 0.005  # of the probability at either end is not drawn


def strip(density: Density, truth: float) -> str:
    """Draw the density of the only row."""
    first, low, middle, high, last = (float(density.quantile(q)[0]) for q in (TAIL, 0.05, 0.5, 0.95, 1 - TAIL))
    start, end = min(first, truth), max(last, truth)
    room = 0.03 * (end - start) or 0.5
    scale = Scale(start - room, end + room, 10, WIDTH - 10)
    edges, shares = np.clip(density.edges, start - room, end + room), density.probabilities[0]
    # A number that is a cell of its own would tower over all others.
    heights = shares / np.maximum(np.diff(density.edges), (end - start + 2 * room) / THIN)
    seen = np.flatnonzero(np.diff(edges) > 0)
    tall = float(heights[seen].max()) or 1.0
    points = [f"{scale(edges[seen[0]]):.1f},{FLOOR}"]
    for cell in seen.tolist():
        top = FLOOR - 66 * heights[cell] / tall
        points += [f"{scale(edges[cell]):.1f},{top:.1f}", f"{scale(edges[cell + 1]):.1f},{top:.1f}"]
    points.append(f"{scale(edges[seen[-1] + 1]):.1f},{FLOOR}")
    parts = [tag("rect", x=scale(low), y=20, width=scale(high) - scale(low), height=FLOOR - 20, class_="within")]
    parts.append(tag("polygon", points=" ".join(points), class_="area"))
    for value in ticks(scale.low, scale.high, 8):
        parts.append(text(scale(value), FLOOR + 16, brief(value), "middle", class_="tick"))
    parts.append(tag("line", x1=10, x2=WIDTH - 10, y1=FLOOR, y2=FLOOR, class_="axis"))
    parts.append(tag("line", x1=scale(middle), x2=scale(middle), y1=16, y2=FLOOR, class_="axis"))
    parts.append(tag("line", x1=scale(truth), x2=scale(truth), y1=16, y2=FLOOR, class_="mark"))
    parts += [_named(scale, middle, "answer", middle > truth), _named(scale, truth, "truth", truth >= middle)]
    words = f"Answer {amount(middle)}, nine of ten between {amount(low)} and {amount(high)}, truth {amount(truth)}."
    cells = zip(density.edges[:-1].tolist(), density.edges[1:].tolist(), shares.tolist(), strict=True)
    rows = [(f"{amount(a)} to {amount(b)}", percent(share)) for a, b, share in cells if share >= 0.0005]
    numbers = table("probability of each range", ["range", "probability"], rows)
    return figure(picture("What was thought of it", words, (WIDTH, FLOOR + 24), *parts), "", numbers)


def _named(scale: Scale, value: float, name: str, right: bool) -> str:
    """A name above a line, on the side where there is room."""
    place = scale(value)
    right = (right or place < 60) and place < WIDTH - 60
    return text(place + (4 if right else -4), 12, name, "start" if right else "end", class_="name")
