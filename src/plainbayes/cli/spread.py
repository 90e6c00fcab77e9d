"""An explanation laid back over the text: what each piece of it says, in nats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from plainbayes.explain import Explanation

# Scripts written without spaces are coloured character by character (marks stay with what they are on).
_PIECE = re.compile(
    r"\s+|[\u0e00-\u0e7f\u1100-\u11ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
    r"[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a]*"
    r"|[^\s\u0e00-\u0e7f\u1100-\u11ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)


class Piece(NamedTuple):
    """A stretch of the text and what it adds to the log odds."""

    text: str
    nats: float


def spread(text: str, why: Explanation, analyse: Callable[[str], Iterable[str]], reach: int = 2) -> list[Piece]:
    """Cut a text into pieces that together make it up again, each with its share.

    What only several neighbours say together (up to `reach` of them: pairs of characters or words) is divided
    evenly between them. Tokens carry no place in the text, so they are found by analysing the pieces.
    """
    pieces = _PIECE.findall(text)
    said = [0.0] * len(pieces)
    whole = Counter(analyse(text))
    each = {share.feature: share.nats / whole[share.feature] for share in why.shares if whole[share.feature]}
    words = [place for place, piece in enumerate(pieces) if not piece.isspace()]
    bags: list[list[Counter[str]]] = [[Counter() for _ in range(len(words) + 1)]]
    for size in range(1, reach + 1):
        bags.append([])
        for at in range(len(words) - size + 1):
            own = words[at : at + size]
            bag = Counter(analyse("".join(pieces[own[0] : own[-1] + 1])))
            bags[size].append(bag)
            new = Counter(bag)
            if size > 1:  # what is in the parts was theirs already; what both parts share was taken twice
                new.subtract(bags[size - 1][at])
                new.subtract(bags[size - 1][at + 1])
                new.update(bags[size - 2][at + 1])
            nats = sum(each.get(token, 0.0) * count for token, count in new.items() if count > 0)
            for place in own:
                said[place] += nats / size
    return [Piece(piece, 0.0 if math.isnan(nats) else nats) for piece, nats in zip(pieces, said, strict=True)]


def loudest(pieces: Iterable[Piece]) -> float:
    """Return the largest share, whichever way; 1 if there is none."""
    return max((abs(nats) for _, nats in pieces if math.isfinite(nats)), default=0.0) or 1.0


def named(feature: object) -> str:
    """Return a feature to be read: a run of characters between marks, with its spaces to be seen; a pair of cells.

    >>> named("now"), named("~now "), named("~sex=female&age=30..35")
    ('now', '‹now␣›', 'sex=female&age=30..35')
    """
    name = str(feature)
    if not name.startswith("~") or "=" in name:
        return name.removeprefix("~")
    return f"‹{name[1:].replace(' ', '␣')}›"
