from typing import Any

from plainbayes.numeric import Array, Integers

__all__ = [
    "best",
    "category_counts",
    "category_sizes",
    "counts",
    "gaussian",
    "likeliest",
    "linear",
    "moments",
    "offender",
    "sums",
]

_Weights = tuple[Integers, Array | None, Integers | None, int]

def counts(x: Any, labels: _Weights, support: str, first: bool, count: Array, present: Array) -> str | None: ...
def sums(x: Any, labels: _Weights, support: str, n: Array, s: Array) -> bool: ...
def moments(x: Any, labels: _Weights, n: Array, mean: Array, scatter: Array) -> bool: ...
def category_counts(x: Any, labels: _Weights, table: Array) -> bool: ...
def category_sizes(cells: Any, sizes: Integers) -> None: ...
def linear(x: object, bias: Array, table: Array, once: bool, support: str, scores: Array) -> bool: ...
def likeliest(
    x: Any,
    bias: Array,
    table: Array,
    coarse: Any,
    largest: float,
    once: bool,
    support: str,
    places: Integers,
) -> bool: ...
def gaussian(x: Any, mean: Array, half: Array, height: Array, scores: Array) -> None: ...
def best(scores: Array, classes: int, places: Integers) -> None: ...
def offender(x: Any, support: str, missing: bool) -> tuple[int, int] | None: ...
