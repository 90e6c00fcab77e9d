"""A model ready to judge texts: words and weights as arrays, in memory or in a file.

Nothing here needs NumPy, so that an answer from the command line costs little more than starting Python.
"""

from __future__ import annotations

from plainbayes._core import Judge, indexed
from plainbayes.errors import InputError
from plainbayes.storage import file
from plainbayes.text import compiled

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from plainbayes._core import Analyser, Answers, Source

WORDS = ("bytes", "starts", "eights", "fifteens", "longs")
CELLS = ("cells", "bags", "counts", "texts")
# Classes times words up to which every weight has a cell: 128 MB of them.
DENSE = 1 << 24
SPARSE = ("background", "unknown", "cells", "classes", "differences")
# Where the differences are those of the counts, they stand in the same cells.
SHARED = {"weights.cells": "counts.cells", "weights.classes": "counts.bags"}
# What the numbers of an array are, where they are not 32 bits.
KINDS = {"words.bytes": "U8", "counts.counts": "U64", "veto.bias": "F64", "veto.table": "F64"}
KINDS |= {f"words.{name}": "U64" for name in WORDS[2:]}
KINDS |= {
    f"weights.{name}": "F64" for name in ("bias", "prior", "table", "background", "unknown", "differences", "exponents")
}
KINDS |= {"trust.exponents": "F64", "trust.leanings": "F64"}
STRANGE = "it does not hold what a model for texts has"
BYTES = {"U8": 1, "U32": 4, "U64": 8, "F64": 8}


def judge(analyser: Analyser, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Judge:
    """Make a judge of arrays and of `names`, `values`, `short` and `unknown`."""
    sparse = "weights.background" in arrays
    names = [f"weights.{name}" for name in SPARSE]
    names = [name if name in arrays else SHARED.get(name, name) for name in names]
    table = arrays["weights.table"] if not sparse else tuple(arrays[name] for name in names)
    table = (*table, arrays.get("weights.exponents")) if sparse else table
    veto = (arrays["veto.bias"], arrays["veto.table"]) if "veto.bias" in arrays else None
    vocabulary = tuple(arrays[f"words.{name}"] for name in WORDS)
    bias = arrays["weights.bias"], arrays["weights.prior"]
    manner = settings["values"], settings["short"], settings["unknown"]
    return Judge(analyser, settings["names"], vocabulary, table, bias, veto, manner)


def stored(opened: file.File) -> Judge:
    """Return the judge that a model file holds; its arrays stay in the file."""
    arrays = {name: of_texts(opened).tensor(name) for name in opened.names}
    try:
        return judge(compiled.analyser(**opened.metadata["analyzer"]), opened.metadata, arrays | words(opened))
    except (AttributeError, ImportError, LookupError, TypeError, ValueError):
        raise opened.damaged(STRANGE) from None


def words(opened: file.File) -> dict[str, Any]:
    """Return the arrays of a file's words; files of format 1 had another index."""
    index = [f"words.{name}" for name in WORDS[2:]]
    found = {f"words.{name}": opened.tensor(f"words.{name}") for name in WORDS[:2]}
    if "words.keys" not in opened.names:
        return found | {name: opened.tensor(name) for name in index}
    spelled, sums = tuple(found.values()), (opened.tensor("counts.cells"), opened.tensor("counts.texts"))
    try:
        return found | dict(zip(index, indexed(spelled, sums), strict=True))
    except (TypeError, ValueError):
        raise opened.damaged(STRANGE) from None


def of_texts(opened: file.File) -> file.File:
    """Refuse a model that reads neither texts nor tables."""
    if opened.metadata.get("kind") == "model":
        raise InputError(
            f"a model for texts or tables was expected, got one for numbers: {opened.path!r}",
            "plainbayes.load opens it in Python",
        )
    return opened


def store(path: Any, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a judge and all that it was made of to a file."""
    tensors = {}
    for name, array in arrays.items():
        kind, view = KINDS.get(name, "U32"), memoryview(array)
        tensors[name] = kind, (view.nbytes // BYTES[kind],), view
    file.write(path, {"kind": "text", **settings}, tensors)


def answers(judge: Judge, source: Source, full: bool = False) -> Iterator[Answers]:
    """Judge all rows of a source, some at a time; with `full`, all scores are kept."""
    while (some := judge.answers(source, full)) is not None:
        yield some
