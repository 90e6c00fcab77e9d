"""Curves: how sure against how often right, hits against false alarms, precision against recall, rows learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from plainbayes.report.interval import interval
from plainbayes.report.ranking import Ranking
from plainbayes.report.svg import Axes, Point, Scale, amount, percent, picture, shortened, tag, text
from plainbayes.report.table import figure, table

if TYPE_CHECKING:
    from plainbayes.evaluate import Bin

WIDTH, HEIGHT = 460, 360


class Filled(Protocol):
    """A range, and how many rows are in it."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def rows(self) -> int: ...


class Learned(NamedTuple):
    """How good a model is that has learned so many rows."""

    rows: int
    accuracy: float


class Neared(NamedTuple):
    """How far off a model of numbers is on average that has learned so many rows."""

    rows: int
    error: float


def field(names: tuple[str, str], height: float = HEIGHT, low: float = 0.0) -> Axes:
    """Axes from 0 to 1 both ways; `low` is where probabilities begin."""
    return Axes(Scale(low, 1, 70, WIDTH - 20), Scale(0, 1, height - 45, 12), names)


def reliability(bins: Sequence[Bin]) -> str:
    """Draw how often answers were right against how sure they were, and how many there are of each."""
    low = min(0.5, *(each.low for each in bins))
    axes = field(("how sure the answer was", "how often it was right"), low=low)
    most = max(each.rows for each in bins)
    parts = [axes.drawn(), axes.line([(low, low), (1, 1)], "chance")]
    for each in bins:
        x = axes.x(each.expected)
        least, greatest = interval(each.right * each.rows, each.rows)
        parts.append(tag("line", x1=x, x2=x, y1=axes.y(least), y2=axes.y(greatest), class_="whisker"))
    parts.append(axes.line([(each.expected, each.right) for each in bins], "curve c0"))
    parts += [
        tag(
            "circle", cx=axes.x(each.expected), cy=axes.y(each.right), r=3 + 5 * (each.rows / most) ** 0.5, class_="for"
        )
        for each in bins
    ]
    parts.append(counts(axes, bins, most))
    words = "; ".join(f"said {percent(each.expected)}, right {percent(each.right)}, {each.rows} rows" for each in bins)
    drawn = picture("Reliability curve", words, (WIDTH, HEIGHT + 90), *parts)
    numbers = table(
        "how sure, and how often right",
        ["from - to", "rows", "said on average", "right"],
        [
            (
                f"{percent(each.low)} - {percent(each.high)}",
                f"{each.rows:,}",
                percent(each.expected),
                percent(each.right),
            )
            for each in bins
        ],
    )
    said = (
        "On the dotted line, probabilities can be taken at their word; above it the model is better than it says, "
        "below it worse. The larger a dot, the more rows; thin lines show what chance alone may do. The bars below "
        "count the rows of each bin."
    )
    return figure(drawn, said, numbers, WIDTH)


def counts(axes: Axes, bins: Sequence[Filled], most: int) -> str:
    """Bars below the axes with the number of rows in each bin."""
    parts, floor = [], HEIGHT + 70
    for each in bins:
        start, end, height = axes.x(each.low), axes.x(each.high), 45 * each.rows / most
        shape = {"x": start + 1, "y": floor - height, "width": end - start - 2, "height": height}
        parts.append(tag("rect", **shape, class_="for", fill_opacity=0.4))
        parts.append(text((start + end) / 2, floor + 14, _brief(each.rows), "middle", class_="tick small"))
    parts.append(text(axes.x.start - 6, floor + 14, "rows", "end", class_="name"))
    return "".join(parts)


def _brief(count: int) -> str:
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 10_000 else f"{count / 1000:.0f}k"


def roc(ranks: Sequence[Ranking]) -> str:
    """Draw hits against false alarms, a curve for each class."""
    axes = field(("false alarms: share of the rest taken for it", "hits: share of the class found"))
    curves = [list(zip(each.alarms.tolist(), each.recall.tolist(), strict=True)) for each in ranks]
    named = [(f"{each.label}", each.auc) for each in ranks]
    chance = axes.line([(0, 0), (1, 1)], "chance")
    return _classes("ROC curves", "area under the curve", axes, chance, curves, named)


def precision_recall(ranks: Sequence[Ranking]) -> str:
    """Draw precision against recall in steps, a curve for each class."""
    axes = field(("recall: share of the class found", "precision: share of finds that are right"))
    curves = [_steps(each) for each in ranks]
    named = [(f"{each.label}", each.average_precision) for each in ranks]
    return _classes("Precision-recall curves", "average precision", axes, "", curves, named)


def _steps(each: Ranking) -> list[Point]:
    points: list[Point] = []
    recall = 0.0
    for found, precision in zip(each.recall[1:].tolist(), each.precision[1:].tolist(), strict=True):
        points += [(recall, precision), (found, precision)]
        recall = found
    return points


def _classes(
    title: str, what: str, axes: Axes, under: str, curves: Sequence[Sequence[Point]], named: Sequence[tuple[str, float]]
) -> str:
    parts = [axes.drawn(), under]
    parts += [axes.line(points, f"curve c{place}") for place, points in enumerate(curves)]
    for place, (name, area) in enumerate(named):
        y = HEIGHT + 16 + 18 * place
        parts.append(tag("line", x1=axes.x.start, x2=axes.x.start + 34, y1=y - 4, y2=y - 4, class_=f"curve c{place}"))
        parts.append(text(axes.x.start + 42, y, f"{area:.3f}  {shortened(name, 36)}"))
    words = f"{what.capitalize()}: " + "; ".join(f"{name} {area:.3f}" for name, area in named)
    drawn = picture(title, words, (WIDTH, HEIGHT + 12 + 18 * len(named)), *parts)
    return figure(drawn, "", table(what, ["class", what], [(name, f"{area:.4f}") for name, area in named]))


def learning(learned: Sequence[Learned], own: float) -> str:
    """Draw accuracy against rows learned (each step doubles them), and that of the model itself."""
    floor = max(min(own, *(each.accuracy for each in learned)) - 0.1, 0.0)
    gain = learned[-1].accuracy - learned[-2].accuracy if len(learned) > 1 else 0.0
    said = f"The last doubling brought {100 * gain:+.1f} points: {_advice(gain > 0.01)}."
    return _learned(learned, own, Scale(floor, 1, HEIGHT - 45, 24), ("right answers", "right"), percent, said)


def nearing(learned: Sequence[Neared], own: float) -> str:
    """Draw the mean error of numbers against rows learned (each step doubles them), and that of the model itself."""
    most = max(own, *(each.error for each in learned)) or 1.0
    before = learned[-2].error if len(learned) > 1 else 0.0
    change = learned[-1].error / before - 1 if before else 0.0
    said = f"The last doubling changed it by {100 * change:+.1f}%: {_advice(change < -0.02)}."
    scale = Scale(0, 1.1 * most, HEIGHT - 45, 24)
    return _learned(learned, own, scale, ("mean error", "off by"), lambda error: amount(float(error)), said)


def _advice(helps: bool) -> str:
    return "more rows like these should help" if helps else "more rows of the same kind would change little"


def _learned(
    learned: Sequence[tuple[int, float]],
    own: float,
    scale: Scale,
    names: tuple[str, str],
    shown: Callable[[float], str],
    said: str,
) -> str:
    """Draw a figure of models that have learned ever more rows; `names` what it is on the axis, and before a number."""
    axis, head = names
    marks = [rows for rows, _ in learned]
    spread = Scale(0, max(len(learned) - 1, 1), 70, WIDTH - 30)
    written = (lambda place: f"{marks[int(place)]:,}", shown)
    axes = Axes(spread, scale, ("rows learned", axis), written, range(len(marks)))
    points = [(float(place), each) for place, (_, each) in enumerate(learned)]
    parts = [axes.drawn(), axes.line([(0, own), (axes.x.high, own)], "chance"), axes.line(points, "curve c0")]
    parts += [tag("circle", cx=axes.x(x), cy=axes.y(y), r=4, class_="for") for x, y in points]
    parts.append(text(axes.x.start + 6, axes.y(own) - 7, f"this model {shown(own)}", class_="tick"))
    words = "; ".join(f"{rows} rows learned, {head} {shown(each)}" for rows, each in learned)
    drawn = picture("Learning curve", words, (WIDTH, HEIGHT), *parts)
    counted = f"Plain counts of {marks[0]:,} to {marks[-1]:,} rows, judged on the rows of this report. "
    rows = [(f"{rows:,}", shown(each)) for rows, each in learned]
    return figure(drawn, counted + said, table(f"rows learned, and {axis}", ["rows", head], rows), WIDTH)
