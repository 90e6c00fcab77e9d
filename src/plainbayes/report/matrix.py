"""The confusion matrix as a heat map: truths down, answers across, darker where more of a truth's rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from plainbayes.evidence import Label
from plainbayes.numeric import Integers, ratio
from plainbayes.report.svg import columns, percent, picture, safe, shortened, tag, text
from plainbayes.report.table import figure, table

MOST = 20  # labels drawn; of more, those that are mistaken most
BESIDE = 600  # the width up to which there is room for words beside it


def confusion(labels: Sequence[Label], matrix: Integers) -> str:
    """Draw how often each truth got each answer."""
    some = most_mistaken(matrix)
    names, drawn = [labels[place] for place in some], matrix[np.ix_(some, some)]
    note = "" if len(some) == len(labels) else f" Of {len(labels)} labels, the {len(some)} that are mistaken most."
    words = (
        "Each row is a truth, each column an answer, each number how many rows it happened to. Blue is right, "
        f"orange is wrong; the darker, the larger the share of that truth.{note}"
    )
    numbers = table(
        "how often each truth (down) got each answer (across)",
        ["truth", *map(str, names)],
        [(name, *(f"{count:,}" for count in row)) for name, row in zip(names, drawn.tolist(), strict=True)],
    )
    drawing, width = heat(names, drawn, matrix.sum(axis=1)[some])
    return figure(drawing, words, numbers, width if width <= BESIDE else None)


def most_mistaken(matrix: Integers) -> list[int]:
    """Return the places of the labels to draw, in their order."""
    if len(matrix) <= MOST:
        return list(range(len(matrix)))
    wrong = matrix.sum(axis=0) + matrix.sum(axis=1) - 2 * matrix.diagonal()
    return sorted(np.argsort(-wrong, kind="stable")[:MOST].tolist())


def heat(names: Sequence[Label], matrix: Integers, rows: Integers) -> tuple[str, float]:
    """Draw the cells, and say how wide that is; `rows` says how many rows each truth has, drawn or not."""
    size = 96 if len(names) <= 4 else 60 if len(names) <= 8 else 38
    turned = size < 96
    longest = max(columns(shortened(name, 20)) for name in names)
    left, top = 30 + 7 * longest, 40 + 5 * min(longest, 14) if turned else 50
    shares = ratio(matrix, rows[:, None])
    parts = [text(left, 16, "answer", class_="name"), text(left - 10, top - 8, "truth", "end", class_="name")]
    for place, name in enumerate(names):
        middle = (place + 0.5) * size
        parts.append(text(left - 10, top + middle + 4, shortened(name, 20), "end"))
        across = {"transform": f"rotate(-40 {left + middle:g} {top - 8})"} if turned else {}
        side = "start" if turned else "middle"
        parts.append(text(left + middle, top - 8, shortened(name, 14), side, **across))
    for down, truth in enumerate(names):
        for over, answer in enumerate(names):
            count, share = int(matrix[down, over]), float(shares[down, over])
            box = {"x": left + over * size, "y": top + down * size, "width": size, "height": size}
            said = f"{truth} answered as {answer}: {count:,} ({percent(share)} of {truth})"
            kind = "cell for" if truth == answer else "cell against"
            parts.append(tag("rect", tag("title", safe(said)), **box, class_=kind, style=f"--w:{share:.3f}"))
            if count:
                parts.append(_count(box, size, count, share))
    right = "; ".join(f"{name}: {matrix[at, at]} of {rows[at]} right" for at, name in enumerate(names) if rows[at])
    width, height = left + len(names) * size + (70 if turned else 10), top + len(names) * size + 10
    return picture("Confusion matrix", right, (width, height), *parts), width


def _count(box: Mapping[str, float], size: float, count: int, share: float) -> str:
    x, y = box["x"] + size / 2, box["y"] + size / 2
    if size < 60:
        return text(x, y + 4, count if count < 10_000 else f"{count / 1000:.0f}k", "middle")
    number = text(x, y, f"{count:,}", "middle", class_="strong")
    return number + text(x, y + 16, percent(share), "middle")
