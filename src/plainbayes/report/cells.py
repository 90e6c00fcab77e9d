"""Explanations of tables whose features print as column=value: what all features of one cell say is said together."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plainbayes.explain import Explanation

# What begins with ~ is about several columns.
_CELL = re.compile(r"(?!~)(.+?)(>=|<|=)(.+)", re.DOTALL)


def cells(rows: Sequence[Explanation]) -> list[Explanation]:
    """Return the same explanations with one share for each column, as a nomogram wants them.

    A cell may be in several ranges, coarse and fine; it goes by the name that the fewest rows have.
    """
    often = Counter(str(share.feature) for why in rows for share in why.shares)
    return [replace(why, shares=_joined(why.shares, often)) for why in rows]


def _joined(shares: Sequence[Any], often: Counter[str]) -> tuple[Any, ...]:
    own: dict[str, list[Any]] = {}
    others = []
    for share in shares:
        found = _CELL.fullmatch(str(share.feature))
        if found is None:
            others.append(share)
        else:
            own.setdefault(found[1], []).append(share)
    return (*(_cell(column, each, often) for column, each in own.items()), *others)


def _cell(column: str, shares: Sequence[Any], often: Counter[str]) -> Any:
    rarest = min((str(share.feature) for share in shares), key=lambda name: (often[name], name))
    value = rarest.removeprefix(column).removeprefix("=")
    nats = math.fsum(share.nats for share in shares)
    return shares[0]._replace(feature=column, value=value, nats=nats, counted=False)
