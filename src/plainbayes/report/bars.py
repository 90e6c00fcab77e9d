"""An explanation as bars: what was known before, then what each feature adds to the log odds, to the sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from plainbayes.report.svg import Scale, percent, picture, shortened, tag, text
from plainbayes.report.table import figure, table

if TYPE_CHECKING:
    from plainbayes.explain import Explanation

WIDTH, ROW = 620, 22


class Term(NamedTuple):
    """A name, and what it adds to the log odds."""

    name: str
    nats: float


def terms(why: Explanation, most: int, drawn: Callable[[Any], bool] = lambda feature: True) -> list[Term]:
    """Return what adds up to the log odds: the prior, the bias, the strongest shares drawn, and all others as one."""
    given = [Term("known before", why.prior), Term("in any case", why.bias)]
    found = [term for term in given if term.nats]
    shares = sorted(why.shares, key=lambda share: (not (share.nats and drawn(share.feature)), -abs(share.nats)))
    few = min(most, sum(bool(share.nats and drawn(share.feature)) for share in shares))
    found += [Term(str(share), share.nats) for share in shares[:few]]
    rest = [share.nats for share in shares[few:]]
    return found + ([Term(f"{len(rest)} more", _sum(rest))] if rest else [])


def _sum(nats: list[float]) -> float:
    return math.fsum(nats) if all(map(math.isfinite, nats)) else sum(nats)


def bars(why: Explanation, most: int = 12, drawn: Callable[[Any], bool] = lambda feature: True) -> str:
    """Draw the shares of an explanation, blue for the answer, orange and dashed against it."""
    said = terms(why, most, drawn)
    rows = [*said, Term("sum: the log odds", why.total)]
    loud = max((abs(term.nats) for term in said if math.isfinite(term.nats)), default=0.0) or 1.0
    scale = Scale(-loud, loud, 190, WIDTH - 80)
    floor = ROW * len(rows)
    parts = [tag("line", x1=scale(0), x2=scale(0), y1=0, y2=floor - ROW, class_="axis")]
    parts.append(tag("line", x1=0, x2=WIDTH, y1=floor - ROW + 1, y2=floor - ROW + 1, class_="grid"))
    for place, term in enumerate(rows):
        strong = {"class_": "strong"} if place == len(said) else {}
        parts.append(text(180, place * ROW + 16, shortened(term.name, 24), "end", **strong))
        parts.append(text(WIDTH - 4, place * ROW + 16, f"{term.nats:+.3f}", "end", **strong))
    parts += [_bar(scale, term.nats, place * ROW, loud) for place, term in enumerate(said)]
    words = f"Log odds of {why.label} against {why.against}: " + "; ".join(f"{name} {nats:+.3f}" for name, nats in rows)
    title = f"Why {why.label} with probability {percent(why.probability)}"
    numbers = table("shares of the log odds, in nats", ["feature", "nats"], [(n, f"{x:+.4f}") for n, x in rows])
    note = (
        "Every class calls this impossible: the data say nothing, what was known before decides." if why.silent else ""
    )
    return figure(picture(title, words, (WIDTH, floor), *parts), note, numbers)


def _bar(scale: Scale, nats: float, top: float, loud: float) -> str:
    end = scale(max(min(nats, loud), -loud))
    shape = {"x": min(end, scale(0)), "y": top + 4, "width": abs(end - scale(0)), "height": ROW - 8}
    return tag("rect", **shape, class_="for" if nats >= 0 else "against")


def lengths(title: str, words: str, told: Sequence[tuple[str, float]]) -> str:
    """Draw a bar for each name, as long as its number."""
    low, high = min(0.0, *(value for _, value in told)), max(0.0, *(value for _, value in told))
    scale = Scale(low, high if high > low else low + 1, 240, WIDTH - 80)
    parts = []
    for place, (name, value) in enumerate(told):
        top, ends = 26 * place, sorted((scale(0), scale(value)))
        parts.append(text(230, top + 18, shortened(name, 36), "end"))
        parts.append(tag("rect", x=ends[0], y=top + 5, width=ends[1] - ends[0], height=18, class_="for"))
        parts.append(text(ends[1] + 6, top + 18, f"{value:.4g}"))
    return picture(title, words, (WIDTH, 26 * len(told) + 4), *parts)
