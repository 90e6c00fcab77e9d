"""How far answers are off: how often by how much, and how much where the answer is small or great."""

from __future__ import annotations

import numpy as np

from plainbayes.numeric import Array
from plainbayes.report.curves import HEIGHT, WIDTH
from plainbayes.report.scatter import grouped, limits
from plainbayes.report.svg import Axes, Scale, amount, brief, percent, picture, tag, text
from plainbayes.report.table import figure, table

BARS = 40
GROUPS = 10


def misses(truths: Array, answers: Array) -> str:
    """Draw both side by side."""
    return f'<div class="pair">{histogram(truths - answers)}{by_answer(truths, answers)}</div>\n'


def histogram(errors: Array) -> str:
    """Draw how often the truth is how much above or below the answer."""
    least, greatest = limits(errors)
    reach = max(-least, greatest)
    edges = np.linspace(-reach, reach, BARS + 1)
    rows, _ = np.histogram(np.clip(errors, -reach, reach), edges)
    axes = Axes(
        Scale(-reach, reach, 70, WIDTH - 20),
        Scale(0, max(float(rows.max()) / len(errors), 0.01) * 1.05, HEIGHT - 45, 12),
        ("truth minus answer", "share of rows"),
        (brief, percent),
    )
    parts = [axes.drawn()]
    for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), rows.tolist(), strict=True):
        top = axes.y(count / len(errors))
        shape = {
            "x": axes.x(low) + 0.5,
            "y": top,
            "width": axes.x(high) - axes.x(low) - 1,
            "height": axes.y.start - top,
        }
        if count:
            parts.append(tag("rect", **shape, class_="for" if low >= 0 else "against"))
    parts.append(tag("line", x1=axes.x(0), x2=axes.x(0), y1=axes.y.start, y2=12, class_="axis"))
    shares = [float(np.mean(errors < 0)), float(np.mean(errors > 0))]
    for place, (kind, name) in enumerate((("against", "answer too high"), ("for", "answer too low"))):
        y = HEIGHT + 16 + 18 * place
        parts.append(tag("rect", x=axes.x.start, y=y - 10, width=34, height=12, class_=kind))
        parts.append(text(axes.x.start + 42, y, f"{name}: {percent(shares[place])}"))
    levels = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
    told = [
        (percent(level), amount(at)) for level, at in zip(levels, np.quantile(errors, levels).tolist(), strict=True)
    ]
    words = f"Too high in {percent(shares[0])}, too low in {percent(shares[1])}. " + "; ".join(
        f"{level} of truths minus answers are below {at}" for level, at in told
    )
    numbers = table("truth minus answer", ["share of rows", "below"], told)
    return figure(picture("How far off answers are", words, (WIDTH, HEIGHT + 48), *parts), "", numbers)


def by_answer(truths: Array, answers: Array) -> str:
    """Draw how far off half of the answers are, and nine of ten, by the size of the answer."""
    errors = np.abs(truths - answers)
    told = [
        (float(answers[rows].mean()), len(rows), *np.quantile(errors[rows], [0.5, 0.9]).tolist())
        for rows in grouped(answers, GROUPS)
    ]
    axes = Axes(
        Scale(*limits(np.array([each[0] for each in told])), 70, WIDTH - 20),
        Scale(0, 1.05 * max(each[-1] for each in told) or 1, HEIGHT - 45, 12),
        ("answer", "off by"),
        (brief, brief),
    )
    parts = [axes.drawn()]
    for place, name in ((2, "half are off by less"), (3, "nine of ten are off by less")):
        points = [(each[0], each[place]) for each in told]
        parts.append(axes.line(points, f"curve c{place - 2}"))
        kind = "for" if place == 2 else "against"
        parts += [tag("circle", cx=axes.x(x), cy=axes.y(y), r=3.5, class_=kind) for x, y in points]
        y = HEIGHT + 16 + 18 * (place - 2)
        parts.append(
            tag("line", x1=axes.x.start, x2=axes.x.start + 34, y1=y - 4, y2=y - 4, class_=f"curve c{place - 2}")
        )
        parts.append(text(axes.x.start + 42, y, name))
    rows = [(amount(answer), f"{count:,}", amount(half), amount(most)) for answer, count, half, most in told]
    words = "; ".join(f"answers around {row[0]}: half off by less than {row[2]}, nine of ten {row[3]}" for row in rows)
    drawn = picture("How far off, by the size of the answer", words, (WIDTH, HEIGHT + 48), *parts)
    return figure(
        drawn, "", table("how far off, by the size of the answer", ["answer", "rows", "half", "nine of ten"], rows)
    )
