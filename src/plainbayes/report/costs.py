"""What answers cost: against the threshold of one of two classes, or, with more classes, by the way of deciding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plainbayes.evidence import Label
from plainbayes.numeric import Array, Integers, Mask
from plainbayes.report.bars import lengths
from plainbayes.report.ranking import places
from plainbayes.report.svg import Axes, Scale, percent, picture, shortened, tag, text
from plainbayes.report.table import figure, table

if TYPE_CHECKING:
    from plainbayes.losses import Choice
    from plainbayes.posterior import Posterior

WIDTH, HEIGHT = 620, 330
STEPS = 400  # thresholds tried


@dataclass(frozen=True, eq=False)
class Prices:
    """A cost for every truth and answer; the classes are the first answers, after them those that are no class."""

    classes: Sequence[Label]
    others: Sequence[Label]
    table: Array
    assumed: bool

    @classmethod
    def of(cls, classes: Sequence[Label], loss: Choice | None) -> Prices:
        """Take the prices from a loss; without one every mistake costs 1."""
        if loss is None:
            return cls(classes, (), 1.0 - np.eye(len(classes)), True)
        others = [answer for answer in loss.answers(classes) if answer not in classes]
        answers = [*classes, *others]
        costs = [[loss.cost(truth, answer) for answer in answers] for truth in classes]
        return cls(classes, others, np.array(costs, dtype=np.float64), False)

    def threshold(self, one: int) -> float:
        """The probability of a class of two from which on answering it is the cheaper of both."""
        other = 1 - one
        alarm = self.table[other, one] - self.table[other, other]
        miss = self.table[one, other] - self.table[one, one]
        start, end = _above(-alarm, miss)
        return float(start if start < end else 1.0)

    def asking(self, one: int) -> tuple[float, float] | None:
        """The probabilities of a class of two between which an answer that is no class is the cheapest of all."""
        bands = []
        for answer in range(len(self.classes), self.table.shape[1]):
            gains = [self.table[:, own] - self.table[:, answer] for own in (0, 1)]
            ends = [_above(float(gain[1 - one]), float(gain[one])) for gain in gains]
            bands.append((max(start for start, _ in ends), min(end for _, end in ends)))
        start, end = max(bands, key=lambda band: band[1] - band[0], default=(1.0, 0.0))
        return (start, end) if start < end else None


def _above(none: float, all_: float) -> tuple[float, float]:
    """Where a straight line from `none` at 0 to `all_` at 1 is above zero; nowhere is from 1 to 0."""
    if none <= 0 and all_ <= 0:
        return 1.0, 0.0
    if none >= 0 and all_ >= 0:
        return 0.0, 1.0
    root = none / (none - all_)
    return (0.0, root) if none > 0 else (root, 1.0)


def by_threshold(prices: Prices, truth: Integers, probability: Array, one: int, thresholds: Array) -> Array:
    """Mean cost when class `one` of two is answered from each threshold on, and the other below."""
    other, cost = 1 - one, prices.table
    total = np.zeros(len(thresholds))
    for own in (0, 1):
        ranked = np.sort(probability[truth == own])
        above = len(ranked) - np.searchsorted(ranked, thresholds, side="left")
        total += above * cost[own, one] + (len(ranked) - above) * cost[own, other]
    return total / len(truth)


def ways(prices: Prices, truth: Integers, posterior: Posterior) -> list[tuple[str, float]]:
    """Mean cost of each way to decide, truths known."""
    table, size = prices.table, len(prices.classes)
    likeliest = posterior.log_probabilities.argmax(axis=1)
    expected = posterior.probabilities @ table
    costs = [("always the most probable class", float(table[truth, likeliest].mean()))]
    if not prices.assumed:
        if prices.others:
            cheapest = expected[:, :size].argmin(axis=1)
            costs.append(("the class of least expected cost", float(table[truth, cheapest].mean())))
        costs.append(("the answer of least expected cost", float(table[truth, expected.argmin(axis=1)].mean())))
    each = table[truth].mean(axis=0)
    best = int(each[:size].argmin())
    costs.append((f"always “{prices.classes[best]}”", float(each[best])))
    return costs + [(f"always “{name}”", float(each[size + at])) for at, name in enumerate(prices.others)]


def costs(truths: Sequence[Label], posterior: Posterior, loss: Choice | None, one: Label) -> str:
    """Draw what answers cost; `one` is the class whose threshold is looked at where there are two."""
    prices = Prices.of(posterior.classes, loss)
    truth = places(truths, posterior.classes)
    known = truth >= 0
    if not known.any():
        return ""
    some = _rows(posterior, known)
    told = ways(prices, truth[known], some)
    drawn = curve(prices, truth[known], some, one) if len(prices.classes) == 2 else ""
    return drawn + bars(told, "" if drawn else assumption(prices))


def _rows(posterior: Posterior, known: Mask) -> Posterior:
    return type(posterior)(posterior.classes, posterior.log_probabilities[known], posterior.silent[known])


def assumption(prices: Prices) -> str:
    """Say where the costs come from."""
    return "No costs were given, so every mistake costs 1. " if prices.assumed else ""


def curve(prices: Prices, truth: Integers, posterior: Posterior, label: Label) -> str:
    """Draw mean cost against the threshold, with the threshold and the band of asking that the costs imply."""
    one = prices.classes.index(label)
    thresholds = np.linspace(0, 1, STEPS + 1)
    mean = by_threshold(prices, truth, posterior.probabilities[:, one], one, thresholds)
    implied, band = prices.threshold(one), prices.asking(one)
    here = float(by_threshold(prices, truth, posterior.probabilities[:, one], one, np.array([implied]))[0])
    # A threshold that costs much more than always giving the cheaper answer is of no interest to anybody.
    low, high = min(float(mean.min()), 0.0), max(min(mean[0], mean[-1]), here, float(mean.min()))
    high = low + 1.25 * (high - low) if high > low else low + 1
    field = Axes(
        Scale(0, 1, 70, WIDTH - 20),
        Scale(low, high, HEIGHT - 45, 12),
        (f"answer “{shortened(label, 24)}” from this probability on", "mean cost of a row"),
        (percent, lambda cost: f"{cost:g}"),
    )
    parts = [field.drawn()]
    if band is not None:
        start, end = field.x(band[0]), field.x(band[1])
        shape = {"x": start, "y": 12, "width": end - start, "height": HEIGHT - 57}
        parts.append(tag("rect", tag("title", "asking is cheapest"), **shape, class_="band"))
        parts.append(text((start + end) / 2, 42, "ask", "middle", class_="name"))
    seen = mean <= high
    parts.append(field.line(zip(thresholds[seen].tolist(), mean[seen].tolist(), strict=True), "curve c0"))
    place, side = field.x(implied), 1 if implied < 0.6 else -1
    parts.append(tag("line", x1=place, x2=place, y1=12, y2=HEIGHT - 45, class_="mark"))
    parts.append(tag("circle", cx=place, cy=field.y(here), r=4, class_="against"))
    parts.append(text(place + 6 * side, 24, f"threshold {percent(implied)}", "start" if side > 0 else "end"))
    words = (
        f"{assumption(prices)}The costs say: answer “{label}” from a probability of {percent(implied)} on. "
        f"That costs {here:.3g} a row here; no threshold would have cost less than {min(float(mean.min()), here):.3g}."
    )
    if band is not None:
        words += f" Between {percent(band[0])} and {percent(band[1])}, asking is cheaper than either class."
    numbers = table(
        "mean cost by threshold",
        ["threshold", "mean cost"],
        [(percent(float(at)), f"{cost:.4f}") for at, cost in list(zip(thresholds, mean, strict=True))[:: STEPS // 20]],
    )
    return figure(picture("Cost curve", words, (WIDTH, HEIGHT), *parts), words, numbers, WIDTH)


def bars(told: Sequence[tuple[str, float]], assumed: str) -> str:
    """Draw the mean cost of each way to decide."""
    words = f"{assumed}Mean cost of a row: " + "; ".join(f"{name} {cost:.4g}" for name, cost in told) + "."
    drawn = lengths("Mean cost by way of deciding", words, told)
    numbers = table("mean cost of a row", ["way of deciding", "mean cost"], [(n, f"{cost:.4f}") for n, cost in told])
    return figure(drawn, f"{assumed}What a row costs on average, by the way of deciding.", numbers, WIDTH)
