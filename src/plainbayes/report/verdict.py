"""What an evaluation means, in sentences for people who do not know what a confusion matrix is."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from plainbayes.evidence import Label
from plainbayes.report.interval import interval
from plainbayes.report.svg import percent

if TYPE_CHECKING:
    from plainbayes.evaluate import Bin, Evaluation

FEW = 50  # rows below which nothing is said of probabilities
NEAR = 0.05  # a gain over the commonest class that is not worth much


def verdict(result: Evaluation) -> list[str]:
    """Return the verdict, a sentence or two at a time."""
    said = [right(result), commonest(result), trusted(result), mistaken(result)]
    return [*said, spent(result)] if result.costs is not None else said


def right(result: Evaluation) -> str:
    """Say how often it is right, and what more rows may show."""
    hits = round(result.accuracy * result.rows)
    low, high = interval(hits, result.rows)
    return (
        f"Right in {hits:,} of {result.rows:,} cases ({percent(result.accuracy)}; on more cases like these, between "
        f"{percent(low)} and {percent(high)})."
    )


def commonest(result: Evaluation) -> str:
    """Say what always giving the same answer would have been worth."""
    truths = Counter[Label]()
    for (truth, _), count in result.pairs.items():
        truths[truth] += count
    label, count = max(truths.items(), key=lambda each: (each[1], str(each[0])))
    share = count / result.rows
    said = f"always answering “{label}” would be right in {percent(share)}"
    if len(truths) == 1:
        return f"All cases are “{label}”, so this says little about other classes."
    if result.accuracy < share:
        return f"That is worse than no model: {said}."
    if result.accuracy - share < NEAR:
        return f"That is hardly better than no model: {said}."
    return f"Without a model, {said}."


def trusted(result: Evaluation) -> str:
    """Say whether probabilities can be taken at their word."""
    if result.rows < FEW:
        return f"There are too few cases to say whether its probabilities can be trusted (at least {FEW} would do)."
    bins = result.reliability
    # What bins of so many rows are off by chance alone.
    chance = sum(math.sqrt(each.rows * each.expected * (1 - each.expected)) for each in bins) / result.rows
    if result.ece <= 0.02:
        return f"Its probabilities can be taken at their word: {_sure(_near(bins))}."
    if result.ece <= 1.5 * chance:
        return f"As far as so few cases can tell, its probabilities can be taken at their word: {_sure(_near(bins))}."
    off = sum(each.rows * (each.expected - each.right) for each in bins)
    worst = max(bins, key=lambda each: math.copysign(1, off) * each.rows * (each.expected - each.right))
    return f"It is {'surer than it should be' if off > 0 else 'better than it says'}: {_sure(worst)}."


def _sure(each: Bin) -> str:
    digits = 2 if each.expected < 0.99 else 3
    said, right = (percent(round(share, digits)) for share in (each.expected, each.right))
    return f"when it says {said}, it is right {right} of the time"


def _near(bins: list[Bin]) -> Bin:
    """The bin nearest to 90% that has rows enough to speak for."""
    most = max(each.rows for each in bins)
    return min((each for each in bins if each.rows >= most / 10), key=lambda each: abs(each.expected - 0.9))


def mistaken(result: Evaluation) -> str:
    """Say which mistake is the commonest."""
    wrong = {pair: count for pair, count in result.pairs.items() if pair[0] != pair[1]}
    if not wrong:
        return "It made no mistake here."
    (truth, answer), count = max(wrong.items(), key=lambda each: (each[1], str(each[0])))
    times = "once" if count == 1 else f"{count:,} times"
    return f"It most often takes “{truth}” for “{answer}” ({times})."


def spent(result: Evaluation) -> str:
    """Say what deciding by cost is worth."""
    saved = result.cost_saved or 0.0
    change = f"which saves {saved:.3g}" if saved >= 0 else f"which is {-saved:.3g} more"
    asked = f", with a person asked in {percent(result.asked)} of cases" if result.asked else ""
    return (
        f"Deciding by cost, a case costs {result.mean_cost:.3g} instead of {result.mean_cost_of_labels:.3g} for the "
        f"most probable class, {change}{asked}."
    )
