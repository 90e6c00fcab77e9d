from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any, ClassVar, Self, final

from plainbayes.numeric import Array, Integers

__all__ = [
    "Analyser",
    "Answers",
    "File",
    "Judge",
    "NotHeld",
    "Reader",
    "Source",
    "Table",
    "best",
    "category_counts",
    "category_sizes",
    "checksum",
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

@final
class Source(Iterator[tuple[Any, str, float]]):
    @property
    def skipped(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def replaced(self) -> int: ...
    @property
    def bytes_read(self) -> int: ...
    @property
    def total_bytes(self) -> int | None: ...
    @property
    def encoding(self) -> str: ...
    @property
    def labels(self) -> dict[str, Any]: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[Any, str, float]: ...
    @staticmethod
    def chain(sources: list[Source]) -> Source: ...
    @staticmethod
    def folder(files: list[tuple[str | None, str]], encoding: str | None, labelled: bool, strict: bool) -> Source: ...
    @staticmethod
    def rows_of(texts: Any, labels: Any, weights: Any, name: Callable[[Any, int], str]) -> Source: ...

@final
class Reader:
    def __new__(cls, paths: list[str], encoding: str | None = None) -> Self: ...
    @staticmethod
    def stream(read: Callable[[int], bytes | str], name: str, prompt: bool, encoding: str | None) -> Reader: ...
    @property
    def head(self) -> bytes: ...
    def rows(
        self,
        form: str,
        keys: tuple[str, str | None] | None = None,
        *,
        labelled: bool = True,
        strict: bool = False,
        header: bool = False,
    ) -> Source: ...

class Analyser:
    def __new__(
        cls,
        rules: str,
        unicode: str,
        ngrams: tuple[int, int],
        characters: tuple[int, int] | None,
        nfkc: bool,
        bare: bool,
        stemmer: str | None,
        stop: list[str],
    ) -> Analyser: ...
    def __call__(self, /, text: str) -> list[str]: ...
    def read(self, /, text: bytes) -> tuple[list[str], int]: ...

class NotHeld(ValueError): ...

@final
class Table:
    def __new__(cls) -> Self: ...
    @staticmethod
    def count(analyser: Analyser, source: Source) -> tuple[Table, int, int]: ...
    def merge(self, other: Table) -> None: ...
    def part(self, other: Table) -> None: ...
    def copy(self) -> Table: ...
    @property
    def bags(self) -> list[tuple[str, float, int]]: ...
    def arrays(self, order: list[tuple[str, float]], most: int) -> dict[str, bytes]: ...
    @staticmethod
    def of(
        names: list[tuple[str, float, int]],
        bytes: Any,
        starts: Any,
        cells: Any,
        bags: Any,
        counts: Any,
        texts: Any,
    ) -> Table: ...

@final
class Judge:
    def __new__(
        cls,
        analyser: Analyser,
        classes: list[str],
        words: tuple[Any, ...],
        table: Any,
        bias: Any,
        prior: Any,
        veto: tuple[Any, Any] | None,
        once: bool,
        unknown: bool,
    ) -> Self: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def prior(self) -> list[float]: ...
    def find(self, words: list[str]) -> list[int]: ...
    def answers(self, source: Source, full: bool) -> Answers | None: ...
    def lines(self, answers: Answers) -> bytes: ...

@final
class Answers:
    def __len__(self) -> int: ...
    @property
    def best(self) -> list[int]: ...
    @property
    def probabilities(self) -> list[float]: ...
    @property
    def scores(self) -> bytes: ...
    @property
    def log_probabilities(self) -> bytes: ...
    @property
    def replaced(self) -> int: ...

class File:
    FORMAT: ClassVar[int]
    LONGEST: ClassVar[int]
    metadata: str
    names: list[str]
    size: int
    def __new__(cls, path: str | PathLike[str], verify: bool | None = None) -> File: ...
    def tensor(self, name: str) -> memoryview: ...

def checksum(parts: Sequence[Any]) -> str: ...
