"""A model ready to judge texts: words and weights as arrays, in memory or straight from a file.

Nothing here needs NumPy, so that an answer from the command line costs little more than starting Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from plainbayes._core import Answers, Judge, Source
from plainbayes.text.analyzer import Analyzer

if TYPE_CHECKING:
    from plainbayes.storage.file import File

WORDS = ("bytes", "starts", "keys", "index")
CELLS = ("cells", "bags", "counts", "texts")
SPARSE = ("background", "unknown", "cells", "classes", "differences")


def judge(analyzer: Any, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Judge:
    """Make a judge of arrays and of `names`, `once` and `unknown`."""
    sparse = "weights.background" in arrays
    table = tuple(arrays[f"weights.{name}"] for name in SPARSE) if sparse else arrays["weights.table"]
    veto = (arrays["veto.bias"], arrays["veto.table"]) if "veto.bias" in arrays else None
    words = tuple(arrays[f"words.{name}"] for name in WORDS)
    bias, manner = (arrays["weights.bias"], arrays["weights.prior"]), (settings["once"], settings["unknown"])
    return Judge(analyzer, settings["names"], words, table, bias, veto, manner)


def stored(file: File) -> Judge:
    """Return the judge that a model file holds; its arrays stay in the file."""
    arrays = {name: file.tensor(name) for name in file.names}
    return judge(Analyzer(**file.metadata["analyzer"]).core, file.metadata, arrays)


def answers(judge: Judge, source: Source, full: bool = False) -> Iterator[Answers]:
    """Judge all rows of a source, some at a time; with `full`, all scores are kept."""
    while (some := judge.answers(source, full)) is not None:
        yield some
