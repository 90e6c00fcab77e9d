"""Models of any event in a file: classes, features and beliefs as JSON, statistics as tables of numbers.

Like every model file it is plain data: nothing in it is ever executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from plainbayes import events, stats
from plainbayes.errors import InputError
from plainbayes.event import Event, Product
from plainbayes.evidence import Evidence, Index, Part
from plainbayes.judge import STRANGE
from plainbayes.model import Model
from plainbayes.priors import Prior
from plainbayes.storage import file

if TYPE_CHECKING:
    from os import PathLike

TABLES: tuple[type[stats.Table], ...] = (stats.Sums, stats.Moments, stats.JointMoments)
CELLS = ("classes", "features", "values", "weights")
PLAIN = (str, int, float, bool, type(None))


def save(model: Model, path: str | PathLike[str], made: Mapping[str, Any] | None = None) -> None:
    """Write a model to a file; `made` says what it was made of."""
    evidence, arrays = model.evidence, {"weight": model.evidence.weight.n}
    parts = []
    for number, (key, part) in enumerate(evidence.parts.items()):
        named = _arrays(part.stats)
        arrays |= {f"{number}.{name}": array for name, array in named.items()}
        features: Any = len(part.features) if part.features.numbered else _written(list(part.features))
        kind, shape = type(part.stats).__name__, list(part.stats.shape)
        about = {"stats": kind, "shape": shape, "arrays": list(named), "open": part.open, "facts": part.facts}
        parts.append({"key": _written(key), "features": features, **about})
    settings = {
        "kind": "model",
        "event": _written(model.event),
        "prior": _written(model.prior),
        "declared": _written(model.declared),
        "missing": model.missing,
        "classes": _written(list(evidence.classes)),
        "parts": parts,
        "made": dict(made or {}),
    }
    tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    file.write(path, settings, {name: (_kind(array), array.shape, array) for name, array in tensors.items()})


def of(opened: file.File) -> Model:
    """Return the model that a file holds."""
    try:
        about = opened.metadata
        model = Model(*(_read(about[name]) for name in ("event", "prior", "declared", "missing")))
        weight = stats.Sums(n=_array(opened, "weight"))
        model.evidence = Evidence(Index(_read(about["classes"])), weight)
        for number, part in enumerate(about["parts"]):
            arrays = {name: _array(opened, f"{number}.{name}") for name in part["arrays"]}
            names = part["features"]
            features = Index(range(names) if isinstance(names, int) else _read(names))
            held = _stats(part["stats"], (part["shape"][0], part["shape"][1]), arrays)
            model.evidence.parts[_read(part["key"])] = Part(features, held, part["open"], part["facts"])
        return model
    except (AttributeError, LookupError, TypeError, ValueError):
        raise opened.damaged(STRANGE) from None


def _arrays(held: stats.Stats) -> dict[str, Any]:
    if isinstance(held, stats.Bag):
        return dict(zip(CELLS, held.cells, strict=True))
    assert isinstance(held, stats.Table)
    return held.arrays


def _stats(kind: str, shape: tuple[int, int], arrays: Mapping[str, Any]) -> stats.Stats:
    if kind == "Bag":
        classes, features, values, weights = (arrays[name] for name in CELLS)
        return stats.Bag(shape, (classes, features, values, weights))
    return {table.__name__: table for table in TABLES}[kind](**arrays)


def _array(opened: file.File, name: str) -> Any:
    """A table of the file, as a copy that can be added to."""
    return np.array(opened.tensor(name))


def _kind(array: Any) -> str:
    return f"{array.dtype.kind.upper()}{8 * array.itemsize}"


def _written(value: Any) -> Any:
    """A belief or a label as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, list):
        return list(map(_written, value))
    if isinstance(value, tuple):
        return {"tuple": list(map(_written, value))}
    if isinstance(value, Mapping):
        return {"mapping": [[_written(key), _written(each)] for key, each in value.items()]}
    if isinstance(value, Product):
        return {"product": _written(list(value.events.items()))}
    if isinstance(value, Event | Prior):
        own = {field.name: _written(getattr(value, field.name)) for field in fields(cast(Any, value))}
        kind = "event" if isinstance(value, Event) else "prior"
        return {kind: value.name.replace(" ", "_") if isinstance(value, Event) else type(value).__name__, "with": own}
    raise InputError(f"text, numbers and tuples can be kept in a file, got {value!r:.60}")


def _read(value: Any) -> Any:
    """The same again."""
    match value:
        case list():
            return list(map(_read, value))
        case {"tuple": values}:
            return tuple(map(_read, values))
        case {"mapping": pairs}:
            return {_read(key): _read(each) for key, each in pairs}
        case {"product": pairs}:
            return Product(dict(_read(pairs)))
        case {"event": name, "with": own}:
            return events.named(name, **{key: _read(each) for key, each in own.items()})
        case {"prior": name, "with": own}:
            kinds = {kind.__name__: kind for kind in Prior.__subclasses__()}
            return kinds[name](**{key: _read(each) for key, each in own.items()})
    return value
