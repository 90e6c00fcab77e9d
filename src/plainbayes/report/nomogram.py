"""The picture of naive Bayes: a scale of points for every feature, and one that turns their sum into a probability."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from plainbayes.evidence import Label
from plainbayes.numeric import logistic
from plainbayes.report.svg import Scale, columns, percent, picture, safe, shortened, tag, text, ticks
from plainbayes.report.table import figure, table

if TYPE_CHECKING:
    from plainbayes.explain import Explanation

MOST = 15  # features drawn
RARE = 0.01  # the share of rows that a feature stands in at least
SAID = 4  # features of the row that is read as an example
VALUES = 6  # values of a column that are named
WIDTH, LEFT, ROW = 900, 210, 30
PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)


class Mark(NamedTuple):
    """A value of a feature and the nats it adds; the name of a word's presence is empty."""

    name: str
    nats: float


class Gauge(NamedTuple):
    """The scale of one feature: named values, the range of what they add, and whether they add it each time."""

    feature: str
    marks: tuple[Mark, ...]
    low: float
    high: float
    each: bool = False


class Example(NamedTuple):
    """A row read off the picture: what features drawn add, what all else adds, and the probability."""

    said: tuple[Mark, ...]
    rest: float
    probability: float


@dataclass(frozen=True)
class Nomogram:
    """Log odds of `label` against `against` = start + what the features drawn add + what all else adds, in nats."""

    label: Label
    against: Label
    start: float
    gauges: tuple[Gauge, ...]
    rest: tuple[float, float]  # what all else adds, in nine rows of ten
    odds: tuple[float, float]  # the log odds of nine rows of ten
    example: Example

    @property
    def unit(self) -> float:
        """The nats in a point: the strongest value drawn has 100."""
        return max(max(abs(each.low), abs(each.high)) for each in self.gauges) / 100

    def points(self, nats: float) -> float:
        """Return nats as points."""
        return nats / self.unit

    def probability(self, points: float) -> float:
        """Return the probability that a sum of points stands for."""
        return logistic(self.start + points * self.unit)

    @property
    def whole(self) -> bool:
        """Whether the features drawn say all that is said."""
        return all(abs(self.points(nats)) < 0.5 for nats in self.rest)

    @property
    def scale(self) -> Scale:
        """Where points of single features stand on the drawing."""
        low = min(0.0, *(self.points(each.low) for each in self.gauges))
        high = max(0.0, *(self.points(each.high) for each in self.gauges))
        room = (high - low) / 7
        return Scale(low - room, high + room, LEFT, WIDTH - 20)

    @property
    def sums(self) -> Scale:
        """Where sums of points stand: what nearly all rows have, but no further than is told apart."""
        low, high = max(min(self.odds[0], -4.7), -8.0), min(max(self.odds[1], 4.7), 8.0)
        return Scale(self.points(low - self.start), self.points(high - self.start), LEFT, WIDTH - 20)


def gathered(rows: Sequence[Explanation], drawn: Callable[[Any], bool] = lambda feature: True) -> Nomogram | None:
    """Make a nomogram of the explanations of many rows, all of one class against another.

    `drawn` says which features mean something to a reader. None where no feature says anything.
    """
    rows = [why for why in rows if not why.silent and _finite(why)]
    said: dict[Any, list[Any]] = {}
    for why in rows:
        for share in why.shares:
            if drawn(share.feature):
                said.setdefault(share.feature, []).append(share)
    # What stands in hardly any row is chance; where there are few rows, it is all there is.
    common = [feature for feature, shares in said.items() if len(shares) >= RARE * len(rows)]
    moved = {feature: _moved([share.nats for share in said[feature]], len(rows)) for feature in common}
    order = sorted(moved, key=lambda feature: (-moved[feature], str(feature)))
    gauges = {feature: gauge for feature in order[:MOST] if (gauge := _gauge(said[feature])) is not None}
    if not gauges:
        return None
    start = float(np.median([why.prior + why.bias for why in rows]))
    rest = [why.total - start - math.fsum(s.nats for s in why.shares if s.feature in gauges) for why in rows]
    odds = np.quantile([why.total for why in rows], (0.05, 0.95)).tolist()
    ends = np.quantile(rest, (0.05, 0.95)).tolist()
    # The row that shows best how to read: three features drawn, or nearly, and a sum that the scale has room for.
    shown = [sum(share.feature in gauges for share in why.shares) for why in rows]
    best = min(range(len(rows)), key=lambda row: (abs(rows[row].total) > 4, abs(shown[row] - 3)))
    example = _example(rows[best], gauges, start)
    return Nomogram(
        rows[0].label, rows[0].against, start, tuple(gauges.values()), (ends[0], ends[1]), (odds[0], odds[1]), example
    )


def _example(why: Explanation, gauges: Collection[Any], start: float) -> Example:
    """A row to read, by what says most in it."""
    marks = sorted((Mark(str(s), s.nats) for s in why.shares if s.feature in gauges), key=lambda mark: -abs(mark.nats))
    said = tuple(marks[:SAID])
    return Example(said, why.total - start - math.fsum(mark.nats for mark in said), logistic(why.total))


def _finite(why: Explanation) -> bool:
    return all(map(math.isfinite, (why.prior, why.bias, *(share.nats for share in why.shares))))


def _moved(nats: Sequence[float], rows: int) -> float:
    """How much a feature moves the odds from row to row; where it is absent it adds nothing."""
    return math.fsum(x * x for x in nats) / rows - (math.fsum(nats) / rows) ** 2


def _gauge(shares: Sequence[Any]) -> Gauge | None:
    """The scale of a feature, if it says anything: of a word its presence, of a column its values."""
    made = _presence(shares) if shares[0].counted else _values(shares)
    return made if made.marks and (made.low or made.high) else None


def _presence(shares: Sequence[Any]) -> Gauge:
    """What a word adds each time, where that is always the same; else what it adds to a text, in nine of ten."""
    name, nats = str(shares[0].feature), np.array([share.nats for share in shares])
    times = np.array([share.value for share in shares])
    rates = nats / times
    if np.ptp(rates) <= 1e-9 * np.abs(rates).max():
        return Gauge(name, (Mark("", float(rates[0])),), float(rates[0]), float(rates[0]), bool((times != 1).any()))
    low, high = np.quantile(nats, (0.05, 0.95)).tolist()
    return Gauge(name, (Mark("", float(nats.mean())),), low, high)


def _values(shares: Sequence[Any]) -> Gauge:
    """What each value of a column adds; of many, some from the least to the most."""
    by_value: dict[str, list[float]] = {}
    for share in shares:
        if share.value is not None and share.value == share.value:
            by_value.setdefault(_named(share.value), []).append(share.nats)
    marks = sorted((Mark(value, math.fsum(n) / len(n)) for value, n in by_value.items()), key=lambda mark: mark.nats)
    few = {round(place) for place in np.linspace(0, len(marks) - 1, VALUES)} if marks else set()
    nats = [mark.nats for mark in marks] or [0.0]
    return Gauge(str(shares[0].feature), tuple(marks[place] for place in sorted(few)), nats[0], nats[-1])


def _named(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def nomogram(made: Nomogram, two: bool = True) -> str:
    """Draw a nomogram; not `two` where there are more classes than the two that it compares."""
    scale, top = made.scale, 46
    bottom = top + ROW * len(made.gauges)
    below = bottom + (0 if made.whole else 40)
    parts = [_ruler(scale, 30, "points", "strong")]
    for value in ticks(scale.low, scale.high, 8):
        kind = "axis" if value == 0 else "grid"
        parts.append(tag("line", x1=scale(value), x2=scale(value), y1=36, y2=bottom, class_=kind))
    parts += [_gauge_drawn(made, each, top + ROW * place) for place, each in enumerate(made.gauges)]
    parts.append(_totals(made, below))
    title = f"Nomogram: {made.label} against {made.against}"
    rows = [(_of(each, mark), f"{made.points(mark.nats):+.0f}") for each in made.gauges for mark in each.marks]
    words = "Points: " + "; ".join(f"{name} {points}" for name, points in rows)
    low, high = (made.sums.low, made.sums.high)
    steps = [(f"{points:g} points", percent(made.probability(points))) for points in ticks(low, high, 10)]
    numbers = table("points of each feature", ["feature", "points"], rows) + table(
        f"from the sum of points to the probability of {made.label}", ["sum", "probability"], steps
    )
    times = " A word counts each time it stands there." if any(each.each for each in made.gauges) else ""
    among = "" if two else f" The probability is that of “{made.label}” if it is one of the two."
    said = (
        f"Every feature gives points: to the right for “{made.label}”, to the left for “{made.against}”. Where it says "
        "more in one row than in another, a band shows nine of ten, and a dot the mean. Add the points"
        f"{'' if made.whole else ', and those of all else'}; the probability stands under the sum.{times}{among} "
        f"{read(made)}"
    )
    return figure(picture(title, words, (WIDTH, below + 120), *parts), said, numbers)


def _of(gauge: Gauge, mark: Mark) -> str:
    return f"{gauge.feature} = {mark.name}" if mark.name else gauge.feature


def read(made: Nomogram) -> str:
    """Say how one row is read off the picture; the points said add up to the sum said."""
    said = [(f"“{mark.name}”", round(made.points(mark.nats))) for mark in made.example.said]
    rest = round(made.points(made.example.rest))
    said += [("all else", rest)] if rest or not made.whole else []
    parts, total = [f"{name} {points:+d}" for name, points in said], sum(points for _, points in said)
    return f"For example: {', '.join(parts)}, together {total:+d} points, are {percent(made.example.probability)}."


def _ruler(scale: Scale, y: float, name: str, kind: str = "name") -> str:
    parts = [text(LEFT - 24, y, name, "end", class_=kind)]
    parts += [text(scale(value), y, f"{value:g}", "middle", class_="tick") for value in ticks(scale.low, scale.high, 8)]
    return "".join(parts)


def _gauge_drawn(made: Nomogram, gauge: Gauge, top: float) -> str:
    scale, y = made.scale, top + ROW / 2
    start, end = scale(made.points(gauge.low)), scale(made.points(gauge.high))
    side = "for" if gauge.low + gauge.high >= 0 else "against"
    parts = [text(LEFT - 24, y + 4, shortened(gauge.feature, 26), "end")]
    if len(gauge.marks) == 1 and not gauge.marks[0].name:
        x = scale(made.points(gauge.marks[0].nats))
        ends = {"x1": scale(0), "x2": x, "y1": y, "y2": y}
        parts.append(tag("line", **ends, class_=side))
        parts.append(tag("line", x1=start, x2=end, y1=y, y2=y, class_=f"range {side}"))
        title = tag("title", safe(f"{gauge.feature}: {made.points(gauge.marks[0].nats):+.0f} points"))
        return "".join([*parts, tag("circle", title, cx=x, cy=y, r=5, class_=side)])
    parts.append(tag("line", x1=start, x2=end, y1=y + 3, y2=y + 3, class_="axis"))
    for mark in gauge.marks:
        title = tag("title", safe(f"{_of(gauge, mark)}: {made.points(mark.nats):+.0f} points"))
        side = "for" if mark.nats >= 0 else "against"
        parts.append(tag("circle", title, cx=scale(made.points(mark.nats)), cy=y + 3, r=3.5, class_=side))
    return "".join(parts) + _names([(scale(made.points(mark.nats)), mark.name) for mark in gauge.marks], y)


def _names(marks: Sequence[tuple[float, str]], y: float) -> str:
    """The names of values: the first and the last beside the line, between them those that find room above it."""
    *others, (end, last) = [(x, shortened(name, 12)) for x, name in marks]
    parts = [text(end + 8, y + 7, last, class_="tick")]
    if others:
        start, first = others[0]
        parts.append(text(start - 8, y + 7, first, "end", class_="tick"))
    taken = -math.inf
    for x, name in others[1:]:
        half = 3.5 * columns(name)
        if x - half > taken:
            parts.append(text(x, y - 5, name, "middle", class_="tick"))
            taken = x + half + 4
    return "".join(parts)


def _totals(made: Nomogram, y: float) -> str:
    """What all else adds, the scale of sums and, aligned with it, that of probabilities."""
    sums, parts = made.sums, []
    if not made.whole:
        start, end = (sums(min(max(made.points(nats), sums.low), sums.high)) for nats in made.rest)
        parts.append(text(LEFT - 24, y + 4, "all else, in 9 of 10 rows", "end"))
        parts.append(tag("line", x1=start, x2=end, y1=y, y2=y, class_="range rest"))
    parts += [
        tag("line", x1=sums.start, x2=sums.end, y1=y + 50, y2=y + 50, class_="axis"),
        _ruler(sums, y + 42, "sum of points", "strong"),
        tag("line", x1=sums.start, x2=sums.end, y1=y + 90, y2=y + 90, class_="axis"),
        text(LEFT - 24, y + 94, f"probability of {shortened(made.label, 12)}", "end", class_="strong"),
    ]
    parts += [_notch(sums(value), y + 50) for value in ticks(sums.low, sums.high, 8)]
    wide = (sums.high - sums.low) * made.unit > 12
    for share in PROBABILITIES:
        points = made.points(math.log(share / (1 - share)) - made.start)
        if sums.low <= points <= sums.high and not (wide and share in (0.05, 0.95)):
            parts.append(_notch(sums(points), y + 90))
            parts.append(text(sums(points), y + 108, percent(share), "middle", class_="probability"))
    return "".join(parts)


def _notch(x: float, y: float) -> str:
    return tag("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="axis")
