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
_PAIR = re.compile(r"~(.+?)(?:>=|<|=).*?&(.+?)(?:>=|<|=).*", re.DOTALL)


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


def columns(feature: object) -> list[str]:
    """Return the column, or the two, that a feature is about; words of a text stand behind the name of theirs.

    >>> columns("age=20..30"), columns("age<20"), columns("~city=Oslo&age>=40"), columns("notes:sea view")
    (['age'], ['age'], ['city', 'age'], ['notes'])
    """
    name = str(feature)
    pair, own = _PAIR.fullmatch(name), _CELL.fullmatch(name)
    if pair is not None:
        return [pair[1], pair[2]]
    return [name.partition(":")[0] if own is None else own[1]]


def strengths(rows: Sequence[Explanation]) -> list[tuple[str, float]]:
    """Return how much each column moves the log odds of a row, up or down, in the mean of all rows; most first.

    What two columns say together counts half for each.
    """
    moved: dict[str, float] = {}
    for why in rows:
        said: dict[str, float] = {}
        for share in why.shares:
            names = columns(share.feature)
            for name in names:
                said[name] = said.get(name, 0.0) + share.nats / len(names)
        for name, nats in said.items():
            moved[name] = moved.get(name, 0.0) + abs(nats) / len(rows)
    return sorted(moved.items(), key=lambda each: (-each[1], each[0]))
