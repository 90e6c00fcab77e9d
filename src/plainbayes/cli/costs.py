"""Costs in short form, or out of a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plainbayes.cli.terminal import note, plain
from plainbayes.errors import InputError
from plainbayes.losses import Costs


def costs(given: str, classes: Sequence[str]) -> Costs:
    """Return the costs: 'ham>spam=4, spam>ham=1, ask=0.3', or the path of a TOML file with a table [costs].

    Says which answers they make useless.
    """
    if not given.strip():
        raise InputError("costs were expected, got nothing", "as in 'ham>spam=4, spam>ham=1, ask=0.3'")
    if "=" not in given or (given.endswith(".toml") and Path(given).exists()):
        found = Costs(_pairs(_table(Path(given)), given, classes))
    elif any(">" in label for label in classes):
        items = [item.rpartition("=") for item in given.split(",")]
        try:
            found = Costs({_pair(name.strip(), classes): float(cost) for name, _, cost in items})
        except ValueError:
            found = Costs(given)  # which says what is wrong
    else:
        found = Costs(given)
    for answer in found.useless(classes):
        note(f"at these costs the answer {plain(str(answer))!r} is never the best: it will not be given")
    return found


def _pair(name: str, classes: Sequence[str]) -> Any:
    """Truth and answer, either of which may have a > in its name; or an answer that is no class."""
    cuts = [place for place, character in enumerate(name) if character == ">"]
    pairs = [(name[:cut].strip(), name[cut + 1 :].strip()) for cut in cuts]
    known = [pair for pair in pairs if set(pair) <= set(classes)]
    return known[0] if known else pairs[0] if pairs else name


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


def _pairs(table: Any, where: str, classes: Sequence[str]) -> dict[Any, float]:
    if not isinstance(table, dict) or not table:
        raise InputError(f"a table of costs was expected in {where}", '[costs]\n"ham>spam" = 4\nask = 0.3')
    pairs: dict[Any, float] = {}
    for name, cost in table.items():
        if isinstance(cost, bool) or not isinstance(cost, int | float):
            raise InputError(f"a cost is a number, got {cost!r} for {name!r} in {where}")
        pairs[_pair(name.strip(), classes)] = float(cost)
    return pairs
