"""Costs in short form, or out of a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from plainbayes.errors import InputError
from plainbayes.losses import Costs


def costs(given: str) -> Costs:
    """Return the costs: 'ham>spam=4, spam>ham=1, ask=0.3', or the path of a TOML file with a table [costs]."""
    if "=" not in given or (given.endswith(".toml") and Path(given).exists()):
        return Costs(_pairs(_table(Path(given)), given))
    return Costs(given)


def _table(path: Path) -> Any:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"costs look like 'ham>spam=4, spam>ham=1, ask=0.3' or are a TOML file, got {str(path)!r}",
            "true class > answer = cost; an answer that is no class has one cost for all",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no TOML file: {error}") from None
    return content.get("costs", content)


def _pairs(table: Any, where: str) -> dict[Any, float]:
    if not isinstance(table, dict) or not table:
        raise InputError(f"a table of costs was expected in {where}", '[costs]\n"ham>spam" = 4\nask = 0.3')
    pairs: dict[Any, float] = {}
    for name, cost in table.items():
        if isinstance(cost, bool) or not isinstance(cost, int | float):
            raise InputError(f"a cost is a number, got {cost!r} for {name!r} in {where}")
        truth, arrow, answer = (part.strip() for part in name.partition(">"))
        pairs[(truth, answer) if arrow else truth] = float(cost)
    return pairs
