"""The report on answers that are numbers: the same page, drawn from densities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from plainbayes.numeric import Array
from plainbayes.report.bars import bars, lengths
from plainbayes.report.curves import Neared, nearing
from plainbayes.report.interval import interval
from plainbayes.report.misses import misses
from plainbayes.report.page import SHOWN, boxes, quoted, whole
from plainbayes.report.quantiles import quantiles
from plainbayes.report.scatter import scatter
from plainbayes.report.strip import strip
from plainbayes.report.svg import amount, percent, safe
from plainbayes.report.table import figure, table
from plainbayes.report.verdict import FEW, NEAR

if TYPE_CHECKING:
    from plainbayes.explain import Explanation
    from plainbayes.regression import Density

MEANINGS = {
    "mae": "How far off the answer is on average, if it is the middle of what is thought likely (the median).",
    "rmse": "The same for the mean, with great errors counting more: the root of the mean squared error.",
    "coverage_90": "The share of truths inside the range that should hold nine of ten.",
    "pinball": "How good both ends of that range are, in the unit of the target; narrow ranges that hold are best, 0.",
    "crps": "How far the whole density is from the truth, in the unit of the target; of a sure answer, its error.",
    "log_score": "The mean logarithm of the density at the truth: the greater, the less surprising truths are.",
}


class Miss(NamedTuple):
    """A row that was judged badly: its place among all rows, what its cells say, and why it was judged so."""

    row: int
    text: str
    why: Explanation | None


@dataclass(frozen=True, eq=False)
class Numbers:
    """All that a report on numbers is drawn from; a section whose data are missing is left out."""

    title: str
    truths: Array
    density: Density
    figures: Mapping[str, float]
    columns: Sequence[tuple[str, float]] = ()  # how much each moves the log odds of two ranges, most first
    ranges: Sequence[str] = ()  # those two, the low one first
    furthest: Sequence[Miss] = ()
    strangest: Sequence[Miss] = ()
    learned: Sequence[Neared] = ()


def page(found: Numbers) -> str:
    """Return the report as one HTML file."""
    answers = found.density.median()
    lead = f'<p class="verdict">{safe(" ".join(verdict(found, answers)))}</p>\n{_boxes(found.figures)}'
    return whole(found.title, lead, sections(found, answers))


def sections(found: Numbers, answers: Array) -> list[tuple[str, str, str]]:
    """Return name, title and content of every section; those without content have nothing to say."""
    truths, density = found.truths, found.density
    return [
        ("answers", "Answers and truths", scatter(truths, answers, *density.interval(0.9))),
        ("quantiles", "Can its ranges be believed?", quantiles(density.cumulated(truths))),
        ("errors", "How far off?", misses(truths, answers)),
        ("learning", "Would more data help?", nearing(found.learned, found.figures["mae"]) if found.learned else ""),
        ("columns", "What tells most", columns(found.columns, found.ranges)),
        ("furthest", "The answers furthest off, and why", _missed(found, found.furthest)),
        ("strangest", "The most surprising truths, and why", _missed(found, found.strangest)),
        ("figures", "What the figures mean", figures(found.figures)),
    ]


def verdict(found: Numbers, answers: Array) -> list[str]:
    """Return the verdict, a sentence or two at a time."""
    errors = np.abs(found.truths - answers)
    half, most = map(amount, np.quantile(errors, [0.5, 0.9]).tolist())
    said = [
        f"Off by {amount(float(errors.mean()))} on average; half of all answers are within {half} of the truth, "
        f"nine of ten within {most}.",
        without(found.truths, float(errors.mean())),
    ]
    if len(errors) < FEW:
        return [*said, f"There are too few rows to say whether its ranges can be trusted (at least {FEW} would do)."]
    return [*said, believed(found.figures["coverage_90"], len(errors)), leaning(found.truths - answers)]


def without(truths: Array, error: float) -> str:
    """Say how far off the best answer would be that is always the same."""
    middle = float(np.median(truths))
    always = float(np.abs(truths - middle).mean())
    if always == 0:
        return f"All truths are {amount(middle)}, so this says little about other numbers."
    said = f"always answering {amount(middle)}, the middle of all truths, would be off by {amount(always)}"
    if error > always:
        return f"That is worse than no model: {said}."
    return (
        f"That is hardly better than no model: {said}." if error > (1 - NEAR) * always else f"Without a model, {said}."
    )


def believed(held: float, rows: int) -> str:
    """Say whether ranges hold what they promise."""
    low, high = interval(held * rows, rows)
    said = f"of the ranges said to hold nine of ten truths, {percent(held)} did"
    if low <= 0.9 <= high or abs(held - 0.9) <= 0.02:
        return f"Its ranges can be taken at their word: {said}."
    return f"It is {'surer than it should be' if held < 0.9 else 'more careful than it need be'}: {said}."


def leaning(errors: Array) -> str:
    """Say whether answers are too high more often than too low."""
    above, under = int(np.sum(errors < 0)), int(np.sum(errors > 0))
    if above + under == 0:
        return "Every answer is right."
    low, high = interval(above, above + under)
    share = above / (above + under)
    if low <= 0.5 <= high or abs(share - 0.5) <= 0.02:
        return "Answers are too high as often as too low."
    return f"Answers are more often too {'high' if share > 0.5 else 'low'} ({percent(max(share, 1 - share))})."


def _boxes(given: Mapping[str, float]) -> str:
    return boxes(
        [
            ("rows", f"{given['rows']:,.0f}"),
            ("mean error", amount(given["mae"])),
            ("root mean square", amount(given["rmse"])),
            ("ranges that held", percent(given["coverage_90"])),
            ("CRPS", amount(given["crps"])),
        ]
    )


def figures(given: Mapping[str, float]) -> str:
    """Every figure with what it means."""
    rows = [
        (name, percent(given[name]) if name == "coverage_90" else amount(given[name]), said)
        for name, said in MEANINGS.items()
    ]
    return table("figures, as plainbayes evaluate prints them", ["figure", "", "what it means"], rows, words=1)


def columns(told: Sequence[tuple[str, float]], ranges: Sequence[str]) -> str:
    """Draw how much each column says."""
    if not told:
        return ""
    few = told[:SHOWN]
    some = f" The {len(few)} strongest of {len(told)} are drawn." if len(few) < len(told) else ""
    said = (
        f"How far each column moves the scales between a low number ({ranges[0]}) and a high one ({ranges[1]}), up or "
        "down, in the mean of a sample of these rows, in nats: 0.7 doubles or halves the odds. What two columns say "
        f"together counts half for each.{some}"
    )
    words = "; ".join(f"{name} {nats:.3f}" for name, nats in few)
    numbers = table("mean absolute share of the log odds", ["column", "nats"], [(n, f"{x:.4f}") for n, x in told])
    return figure(lengths("What tells most", words, few), said, numbers, 620)


def _missed(found: Numbers, misses: Sequence[Miss]) -> str:
    return "".join(_miss(found, place, each) for place, each in enumerate(misses, 1))


def _miss(found: Numbers, place: int, each: Miss) -> str:
    truth, density = float(found.truths[each.row]), found.density.row(each.row)
    answer, (low, high) = float(density.median()[0]), (float(end[0]) for end in density.interval(0.9))
    under = float(density.cumulated([truth])[0])
    chance, side = (under, "low") if truth < answer else (1 - under, "high")
    known = percent(chance) if chance >= 0.00005 else "less than 0.01%"
    why = ""
    if each.why is not None:
        why = f"<p class='soft'>Why {safe(each.why.label)} rather than {safe(each.why.against)}, in nats:</p>"
        why += bars(each.why)
    return (
        f"<article><h3>{place}. {amount(truth)} answered as {amount(answer)}</h3>\n"
        f"<p>Off by {amount(abs(truth - answer))}. Nine of ten were expected between {amount(low)} and {amount(high)}; "
        f"a truth so {side} had a probability of {known}.</p>\n"
        f"{quoted(each.text)}{strip(density, truth)}{why}</article>\n"
    )
