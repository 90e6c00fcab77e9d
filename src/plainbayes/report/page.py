"""The report: one page with everything, for anyone, readable without colours, scripts or a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from plainbayes.evidence import Label
from plainbayes.report import curves, verdict
from plainbayes.report.bars import bars
from plainbayes.report.costs import costs
from plainbayes.report.curves import Learned
from plainbayes.report.matrix import confusion
from plainbayes.report.nomogram import gathered, nomogram
from plainbayes.report.ranking import Ranking, rankings
from plainbayes.report.style import STYLE, fragment
from plainbayes.report.svg import percent, safe, shortened
from plainbayes.report.table import table

if TYPE_CHECKING:
    from plainbayes.evaluate import Evaluation
    from plainbayes.explain import Explanation
    from plainbayes.losses import Choice
    from plainbayes.posterior import Posterior

CURVES = 8  # classes that get a curve
SHOWN = 20  # classes that are listed; of more, all figures are folded away
LONG = 600  # characters of a mistaken text that are shown


class Telling(NamedTuple):
    """A word or a column that speaks for a class: its log ratio in nats, and how often it was counted there."""

    name: str
    nats: float
    times: float


class Mistake(NamedTuple):
    """A row that was judged wrong: what it says, what it is, and why it was taken for something else."""

    text: str
    truth: Label
    answer: Label
    probability: float  # of the truth
    why: Explanation | None


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a report is drawn from; a section whose data are missing is left out."""

    title: str
    truths: Sequence[Label]
    posterior: Posterior
    evaluation: Evaluation
    loss: Choice | None = None
    telling: Mapping[Label, Sequence[Telling]] = field(default_factory=dict)
    explained: Sequence[Explanation] = ()  # rows, all of one class against another, for the nomogram
    drawn: Callable[[Any], bool] = lambda feature: True  # whether a feature means something to a reader
    mistakes: Sequence[Mistake] = ()
    learned: Sequence[Learned] = ()


def page(found: Findings) -> str:
    """Return the report as one HTML file."""
    return whole(found.title, words(found.evaluation) + "\n" + figures(found.evaluation), sections(found))


def whole(title: str, lead: str, parts: Sequence[tuple[str, str, str]]) -> str:
    """Return a page: what comes first, then every section that has something to say, with links to them."""
    made = [part for part in parts if part[-1]]
    links = "".join(f'<li><a href="#{name}">{safe(head)}</a></li>' for name, head, _ in made)
    body = "".join(
        f'<section id="{name}" aria-labelledby="{name}-title" tabindex="0">\n<h2 id="{name}-title">{safe(head)}</h2>\n'
        f"{inside}</section>\n"
        for name, head, inside in made
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{safe(title)}</title>
<style>body {{ margin: 0 0 4rem; }}{STYLE}</style>
</head>
<body class="plainbayes">
<a class="skip" href="#report">to the report</a>
<main id="report" tabindex="-1">
<h1>{safe(title)}</h1>
{lead}
<nav aria-label="sections"><ul>{links}</ul></nav>
{body}</main>
</body>
</html>
"""


def sections(found: Findings) -> list[tuple[str, str, str]]:
    """Return name, title and content of every section; those without content have nothing to say."""
    result = found.evaluation
    ranks = rankings(found.truths, found.posterior)
    return [
        ("confusion", "What was taken for what", confusion(result.labels, result.confusion)),
        ("classes", "Class by class", by_class(result)),
        ("reliability", "Can its probabilities be believed?", curves.reliability(result.reliability)),
        ("ranking", "Telling classes apart at every threshold", ranked(ranks)),
        ("costs", "What mistakes cost", costs(found.truths, found.posterior, found.loss, rarer(result))),
        ("learning", "Would more data help?", learning(found)),
        ("telling", "What speaks for each class", telling(found.telling, len(result.classes))),
        ("nomogram", "How evidence adds up", points(found)),
        ("mistakes", "The worst mistakes, and why", mistakes(found.mistakes, found.drawn)),
    ]


def words(result: Evaluation) -> str:
    """The verdict as a paragraph."""
    return f'<p class="verdict">{safe(" ".join(verdict.verdict(result)))}</p>'


def figures(result: Evaluation) -> str:
    """The main figures side by side."""
    told = [
        ("right", percent(result.accuracy)),
        ("macro F1", f"{result.macro_f1:.3f}"),
        ("log loss", f"{result.log_loss:.3f}"),
        ("Brier score", f"{result.brier:.3f}"),
        ("calibration error", f"{result.ece:.3f}"),
    ]
    if result.mean_cost is not None:
        told += [("mean cost", f"{result.mean_cost:.3g}"), ("cost saved", f"{result.cost_saved:.3g}")]
        told += [("asked", percent(result.asked or 0.0))]
    return boxes(told)


def boxes(told: Sequence[tuple[str, object]]) -> str:
    """Names and what they are, side by side."""
    shape = f'class="figures" style="--n:{5 if len(told) == 5 else 4}"'
    each = (f"<div><dt>{safe(name)}</dt><dd>{safe(value)}</dd></div>" for name, value in told)
    return f"<dl {shape}>{''.join(each)}</dl>"


def by_class(result: Evaluation) -> str:
    """Precision, recall and F1 of every class that has rows or answers; of many, first those that fare worst."""
    scores = {label: score for label, score in result.by_class.items() if score.rows or score.precision}
    heads = ["class", "precision", "recall", "F1", "rows"]
    rows = [
        (label, percent(score.precision), percent(score.recall), f"{score.f1:.3f}", f"{score.rows:,}")
        for label, score in scores.items()
    ]
    said = (
        "<p class='soft'>Precision: of what was called so, the share that was so. Recall: of what was so, the share "
        "that was called so. F1: the harmonic mean of both.</p>\n"
    )
    everything = table("precision, recall and F1 of each class", heads, rows)
    if len(rows) <= SHOWN:
        return said + everything
    worst = sorted(rows, key=lambda row: scores[row[0]].f1)[:SHOWN]
    folded = f"<details><summary>all {len(rows)} classes</summary>{everything}</details>\n"
    return said + table(f"the {SHOWN} classes with the lowest F1", heads, worst) + folded


def rarer(result: Evaluation) -> Label:
    """The class of two that is looked for: the one with fewer rows."""
    scores = result.by_class
    return min(reversed(result.classes), key=lambda label: scores[label].rows)


def ranked(ranks: Sequence[Ranking]) -> str:
    """ROC and precision-recall side by side, each class against the rest."""
    if not ranks:
        return ""
    few = ranks[:CURVES]
    means = [float(np.mean(each)) for each in ([r.auc for r in ranks], [r.average_precision for r in ranks])]
    some = f"; the {CURVES} commonest of {len(ranks)} are drawn" if len(ranks) > CURVES else ""
    said = (
        f"Each class against the rest{some}. Mean over classes: area under the ROC curve {means[0]:.3f} (0.5 is "
        f"chance, 1 perfect), average precision {means[1]:.3f}."
    )
    return f'<p>{said}</p>\n<div class="pair">{curves.roc(few)}{curves.precision_recall(few)}</div>\n'


def learning(found: Findings) -> str:
    """The learning curve, where rows to learn from were given."""
    return curves.learning(found.learned, found.evaluation.accuracy) if found.learned else ""


def telling(found: Mapping[Label, Sequence[Telling]], classes: int) -> str:
    """What speaks most for each class, of so many."""
    if not any(found.values()):
        return ""
    few = list(found.items())[:SHOWN]
    note = f"<p class='soft'>{len(few)} of {classes} classes.</p>\n" if len(few) < classes else ""
    tables = "".join(
        f"<div><h3><bdi>{safe(label)}</bdi></h3>"
        + table(
            f"what speaks for {label}",
            ["", "nats", "count"],
            [(shortened(each.name, 40), f"{each.nats:+.2f}", f"{each.times:,g}") for each in rows],
        )
        + "</div>"
        for label, rows in few
    )
    said = "<p class='soft'>Nats: the logarithm of its share in the class to its share in all others.</p>\n"
    return f'{said}{note}<div class="words">{tables}</div>\n'


def points(found: Findings) -> str:
    """The nomogram, where there are rows explained and something in them says something."""
    made = gathered(found.explained, found.drawn)
    return "" if made is None else nomogram(made, len(found.posterior.classes) == 2)


def mistakes(found: Sequence[Mistake], drawn: Callable[[Any], bool]) -> str:
    """The rows whose truth had the least probability, each with its explanation."""
    return "".join(_mistake(place, each, drawn) for place, each in enumerate(found, 1))


def _mistake(place: int, each: Mistake, drawn: Callable[[Any], bool]) -> str:
    why = ""
    if each.why is not None:
        why = f"<p class='soft'>Why “{safe(each.why.label)}” rather than “{safe(each.why.against)}”, in nats:</p>"
        why += bars(each.why, drawn=drawn)
    known = percent(each.probability) if each.probability >= 0.00005 else "less than 0.01%"
    return (
        f"<article><h3>{place}. <bdi>{safe(each.truth)}</bdi> taken for <bdi>{safe(each.answer)}</bdi></h3>\n"
        f"<p>Its truth had a probability of {known}.</p>\n"
        f"{quoted(each.text)}{why}</article>\n"
    )


def quoted(text: str) -> str:
    """What a row says, or its beginning."""
    short = text if len(text) <= LONG else text[:LONG].rstrip() + "…"
    return f'<blockquote dir="auto">{safe(short)}</blockquote>\n'


def evaluation(result: Evaluation) -> str:
    """An evaluation in a notebook: the verdict, the figures, and what sums alone can draw."""
    drawn = confusion(result.labels, result.confusion) + curves.reliability(result.reliability)
    return fragment(words(result), figures(result), drawn, by_class(result))


def explanation(why: Explanation) -> str:
    """An explanation in a notebook."""
    said = f"<strong>{safe(why.label)}</strong> with probability {percent(why.probability)}"
    return fragment(f"<p>{said}, against {safe(why.against)}</p>", bars(why, 20))
