"""Tables for those who read numbers, or have them read out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plainbayes.report.svg import safe


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]], words: int = 0) -> str:
    """A table whose first column names the rows, whose last ones are `words`, and whose others are numbers."""
    first, *others = heads
    kinds = [' class="number"'] * (len(others) - words) + [""] * words
    head = f'<th scope="col">{safe(first)}</th>' + "".join(
        f'<th scope="col"{kind}>{safe(name)}</th>' for name, kind in zip(others, kinds, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row"><bdi>{safe(name)}</bdi></th>'
        + "".join(f"<td{kind}>{safe(cell)}</td>" for cell, kind in zip(cells, kinds, strict=True))
        + "</tr>\n"
        for name, *cells in rows
    )
    return (
        f'<div class="wide" role="region" aria-label="{safe(caption)}" tabindex="0"><table><caption>{safe(caption)}'
        f"</caption><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def figure(drawing: str, words: str, numbers: str, width: float | None = None) -> str:
    """A drawing, what it says in words (beside it, if its width is given), and its numbers, folded away."""
    side = "" if width is None else f' class="side" style="--width:{width:g}px"'
    said = f"<p>{safe(words)}</p>" if words else ""
    folded = f"<details><summary>the numbers</summary>{numbers}</details>"
    return f'<figure{side}><div class="wide">{drawing}</div><figcaption>{said}{folded}</figcaption></figure>\n'
