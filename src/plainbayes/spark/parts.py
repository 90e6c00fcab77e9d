"""What is done with a part of a data frame, on whatever machine it lies: rows come as Arrow's batches, counts go out.

Every function takes the batches of one part and gives batches, as Spark's `mapInArrow` wants it, but nothing here
knows Spark. A part that is counted twice, by a task that was tried again or by two that raced, gives the same bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from plainbayes import sources
from plainbayes._core import Source, levels
from plainbayes.documents import Report, TextClassifier
from plainbayes.event import CountEvent
from plainbayes.evidence import Evidence
from plainbayes.model import Model
from plainbayes.pieces import Sum
from plainbayes.tables import TableClassifier, TableRegressor
from plainbayes.text.analyzer import Analyzer

Batches = Iterable[pa.RecordBatch]
Own = Callable[[str], Iterable[str]] | None  # a user's own function that makes words of a text

AT_ONCE = 64 << 20  # bytes of rows that are read at a time
PIECES = "range int, piece binary"
SIZES = "level int, bytes long"
REPORT = -1  # stands in place of a range where a piece says how many rows there were


class Learner(Protocol):
    """What learns rows in an executor."""

    def learn(self, rows: pa.Table) -> Report:
        """Learn rows."""

    def pieces(self, ranges: int) -> Iterable[tuple[int, bytes]]:
        """Give what was learned in pieces, each with the number of its range."""


class Texts:
    """Learns texts: columns `text`, `label` and, if there is one, `weight`."""

    def __init__(self, analyzer: Analyzer, own: Own) -> None:
        self.model, self.own = TextClassifier(analyzer=analyzer, effort="plain"), own

    def learn(self, rows: pa.Table) -> Report:
        """Learn rows; those without a text or label are skipped."""
        there = complete(rows)
        report = self.model.learn_from(labelled(there, self.own))
        return report._replace(skipped=len(rows) - len(there))

    def pieces(self, ranges: int) -> Iterable[tuple[int, bytes]]:
        """Give the counts by ranges of words."""
        return enumerate(self.model.counted.cut(ranges))


class Cells:
    """Learns rows of a table whose columns are known."""

    def __init__(self, model: TableClassifier | TableRegressor) -> None:
        self.model = model.fresh()

    def learn(self, rows: pa.Table) -> Report:
        """Learn rows; those without a label are skipped."""
        there = rows.filter(pc.is_valid(rows[self.model.target]))
        self.model.learn(there, self.model.target)
        return Report(len(there), len(rows) - len(there), 0)

    def pieces(self, ranges: int) -> Iterable[tuple[int, bytes]]:
        """Give the counts by ranges of words."""
        return enumerate(self.model.rows.counted.cut(ranges))


class Numbers:
    """Learns rows as a model of any event does."""

    def __init__(self, model: Model, label: str, weight: str | None, features: str | None) -> None:
        self.model, self.label, self.weight, self.features = model, label, weight, features
        self.evidence = Evidence()

    def learn(self, rows: pa.Table) -> Report:
        """Learn rows; those without a label are skipped."""
        there = rows.filter(pc.is_valid(rows[self.label]))
        weight = None if self.weight is None else there[self.weight].to_numpy()
        self.evidence += self.model.observe(self.cells(there), there[self.label].to_pylist(), weight)
        return Report(len(there), len(rows) - len(there), 0)

    def cells(self, rows: pa.Table) -> Any:
        """Return what is known of rows: a matrix of their features, or columns."""
        return matrix(rows[self.features], self.model) if self.features else rows.drop_columns(self.told)

    @property
    def told(self) -> list[str]:
        """The columns that are no evidence."""
        return [name for name in (self.label, self.weight) if name is not None]

    def pieces(self, ranges: int) -> Iterable[tuple[int, bytes]]:
        """Give the evidence as one piece, to be added to some of the others."""
        whole = pickle.dumps(self.evidence)
        return [(crc32(whole) % ranges, whole)]


class Vectors:
    """Sparse rows, as whoever asks for `tocsr` reads them."""

    ndim = 2
    has_canonical_format = True

    def __init__(self, values: Any, indices: Any, starts: Any, width: int) -> None:
        self.data, self.indices, self.indptr, self.shape = values, indices, starts, (len(starts) - 1, width)

    def tocsr(self) -> Vectors:
        """Return the same rows."""
        return self


def matrix(column: pa.ChunkedArray, model: Model) -> Any:
    """Return arrays of numbers, or Spark's vectors, as a matrix; of vectors, a model of counts takes sparse ones."""
    rows = column.to_pylist()
    if not pa.types.is_struct(column.type):
        return np.array(rows, dtype=np.float64)
    if not (isinstance(model.event, CountEvent) and model.event.support != "category"):
        return np.array(list(map(_dense, rows)))
    filled = [row if row["indices"] is not None else row | {"indices": range(len(row["values"]))} for row in rows]
    starts = np.cumsum([0, *(len(row["values"]) for row in filled)])
    values = np.array([cell for row in filled for cell in row["values"]], dtype=np.float64)
    indices = np.array([cell for row in filled for cell in row["indices"]], dtype=np.int64)
    return Vectors(values, indices, starts, rows[0]["size"] or len(rows[0]["values"]))


def _dense(vector: dict[str, Any]) -> Any:
    if vector["indices"] is None:
        return vector["values"]
    row = np.zeros(vector["size"])
    row[vector["indices"]] = vector["values"]
    return row


def complete(rows: pa.Table) -> pa.Table:
    """Return the rows that have a text and a label."""
    if not rows["text"].null_count and not rows["label"].null_count:
        return rows
    return rows.filter(pc.and_(pc.is_valid(rows["text"]), pc.is_valid(rows["label"])))


def labelled(rows: pa.Table, own: Own = None) -> Source:
    """Return texts with their labels, read without making Python's strings of them."""
    weight = rows["weight"] if "weight" in rows.column_names else None
    return sources.texts(words(rows["text"], own), rows["label"], weight)


def words(texts: pa.ChunkedArray, own: Own) -> pa.ChunkedArray:
    """Return texts as they are counted: as they are, or as the words that a user's own function makes of them."""
    if own is None:
        return texts
    return pa.chunked_array([["\0".join(own(text)) for text in texts.to_pylist()]], pa.string())


def some(batches: Batches) -> Iterator[pa.Table]:
    """Return batches as tables of some size: few enough to add up, small enough to hold."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(one.nbytes for one in held) >= AT_ONCE:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def counted(batches: Batches, learner: Learner, ranges: int) -> Iterator[pa.RecordBatch]:
    """Count the rows of a part; a part without rows says nothing."""
    reports = [learner.learn(rows) for rows in some(batches)]
    if not reports:
        return
    yield piece(REPORT, pickle.dumps(total(reports)))
    if total(reports).rows:
        for number, one in learner.pieces(ranges):
            yield piece(number, one)


def added(batches: Batches, kind: Callable[[], Any]) -> Iterator[pa.RecordBatch]:
    """Add up pieces that have come together, range by range."""
    sums: dict[int, Any] = {}
    reports = []
    for batch in batches:
        for number, one in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if number == REPORT:
                reports.append(pickle.loads(one))
            else:
                sums.setdefault(number, kind()).add(one)
    if reports:
        yield piece(REPORT, pickle.dumps(total(reports)))
    for number, whole in sums.items():
        yield piece(number, whole.piece())


class EvidenceSum:
    """Evidence added up as it comes."""

    def __init__(self) -> None:
        self.evidence = Evidence()

    def add(self, piece: bytes) -> None:
        """Add evidence."""
        self.evidence += pickle.loads(piece)

    def piece(self) -> bytes:
        """Return the sum."""
        return pickle.dumps(self.evidence)


SUMS = {Texts: Sum, Cells: Sum, Numbers: EvidenceSum}


def piece(number: int, one: bytes) -> pa.RecordBatch:
    """Return a piece as a batch of one row."""
    return pa.record_batch([pa.array([number], pa.int32()), pa.array([one], pa.binary())], ["range", "piece"])


def total(reports: Iterable[Report]) -> Report:
    """Add up how many rows there were."""
    return Report(*map(sum, zip(*reports, strict=True)))


def sizes(batches: Batches, own: Own = None) -> Iterator[pa.RecordBatch]:
    """Say how many bytes of texts there are, by how often their share of hashes can be halved."""
    whole = np.zeros(65)
    for rows in map(complete, some(batches)):
        texts = words(rows["text"], own)
        lengths = pc.binary_length(texts).to_numpy().astype(np.float64)
        if "weight" in rows.column_names:
            lengths[rows["weight"].to_numpy() == 0] = 0
        whole += np.bincount(np.frombuffer(levels(sources.texts(texts)), np.uint8), lengths, minlength=65)
    yield pa.record_batch([pa.array(range(65), pa.int32()), pa.array(whole.astype(np.int64))], ["level", "bytes"])


def sampled(batches: Batches, halved: int, own: Own = None) -> Iterator[pa.RecordBatch]:
    """Return the rows whose texts stay when the share of hashes is halved so often."""
    for rows in map(complete, some(batches)):
        level = np.frombuffer(levels(sources.texts(words(rows["text"], own))), np.uint8)
        yield from rows.filter(pa.array(level >= halved)).to_batches()
