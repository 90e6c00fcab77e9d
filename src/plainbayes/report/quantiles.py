"""Are quantiles kept? The share of truths below each quantile that was stated, against what it should be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plainbayes.numeric import Array
from plainbayes.report.curves import HEIGHT, WIDTH, counts, field
from plainbayes.report.interval import interval
from plainbayes.report.svg import percent, picture, tag
from plainbayes.report.table import figure, table

LEVELS = tuple(step / 20 for step in range(1, 20))


class Tenth(NamedTuple):
    """From one quantile to the next, and the rows whose truth lies there."""

    low: float
    high: float
    rows: int


def below(places: Array) -> list[tuple[float, int]]:
    """Return each level and how many truths lie below that quantile; a place is what lies below its truth."""
    return [(level, int(np.count_nonzero(places <= level))) for level in LEVELS]


def tenths(places: Array) -> list[Tenth]:
    """Return how many truths lie in each tenth of what was thought of them."""
    rows, ends = np.histogram(places, np.linspace(0, 1, 11))
    return [Tenth(*each) for each in zip(ends[:-1].tolist(), ends[1:].tolist(), rows.tolist(), strict=True)]


def quantiles(places: Array) -> str:
    """Draw it; a truth's place is the probability that was given to all below it."""
    axes, every = field(("should lie below", "lie below")), len(places)
    told = [(level, count / every, *interval(count, every)) for level, count in below(places)]
    parts = [axes.drawn(), axes.line([(0, 0), (1, 1)], "chance")]
    for level, _, least, greatest in told:
        x = axes.x(level)
        parts.append(tag("line", x1=x, x2=x, y1=axes.y(least), y2=axes.y(greatest), class_="whisker"))
    parts.append(axes.line([(0, 0), *((level, share) for level, share, *_ in told), (1, 1)], "curve c0"))
    parts += [tag("circle", cx=axes.x(level), cy=axes.y(share), r=3.5, class_="for") for level, share, *_ in told]
    bars = tenths(places)
    parts.append(counts(axes, bars, max(each.rows for each in bars)))
    words = "; ".join(f"{percent(level)} should lie below, {percent(share)} do" for level, share, *_ in told)
    said = (
        "Of every row the model says below which number the truth lies with 5%, 10%, ... 95%. On the dotted line it "
        "keeps its word. Thin lines show what chance alone may do. The bars below count the truths in each tenth: all "
        "alike is best; high at both ends means too sure, high in the middle too careful."
    )
    numbers = table(
        "share of truths below each quantile",
        ["should lie below", "lie below", "by chance from", "to"],
        [tuple(map(percent, each)) for each in told],
    )
    return figure(picture("Are quantiles kept?", words, (WIDTH, HEIGHT + 90), *parts), said, numbers, WIDTH)
