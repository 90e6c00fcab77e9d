"""Learning from a data frame: every part is counted where it lies, and counts are added up on their way to the driver.

Parts send their counts cut by the words' hashes. Pieces of the same words meet at one executor, which adds them up; the
driver only puts the sums together.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql.functions import col, lit, pmod, xxhash64

from plainbayes._core import Kept
from plainbayes.documents import Report, TextClassifier
from plainbayes.errors import InputError, listed
from plainbayes.event import required
from plainbayes.evidence import Label
from plainbayes.model import Model
from plainbayes.pieces import Counted, joined
from plainbayes.plain import EVERY_WORD
from plainbayes.spark import parts
from plainbayes.tables import TableClassifier, TableRegressor
from plainbayes.text.analyzer import Analyzer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Learned = TextClassifier | TableClassifier | TableRegressor | Model
T = TypeVar("T")

MOST_RANGES = 1024
ROWS = 250_000  # of a table that are looked at; of more, a share chosen by hash
NUMERIC = ("double", "float", "decimal")


def fit(
    frame: DataFrame,
    *,
    label: str = "label",
    text: str | None = None,
    features: str | None = None,
    weight: str | None = None,
    model: Learned | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Learned:
    """Learn a data frame.

    Parameters
    ----------
    frame
        A data frame. Rows without a label are skipped.
    label
        The column with the label, of any type.
    text
        The column with the text; None: it is a table, and all other columns speak.
    features
        A column of vectors or arrays, for a Model of any event.
    weight
        A column that says what each row counts.
    model
        Settings: a TextClassifier, TableClassifier, TableRegressor or Model, which stays as it is. None: the first
        where there is a text, else what the label asks for.
    told
        Called with what is being done.

    Returns
    -------
    A model of the same kind, as if it had learned all rows on one machine.

    Examples
    --------
    >>> fit(mails, text="body", label="folder").save("mails.bayes")  # doctest: +SKIP
    """
    return learned(frame, label=label, text=text, features=features, weight=weight, model=model, told=told)[0]


def learned(
    frame: DataFrame,
    *,
    label: str,
    text: str | None = None,
    features: str | None = None,
    weight: str | None = None,
    model: Learned | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> tuple[Learned, Report]:
    """Do the same, and say how many rows there were."""
    named = {"label": label, "text": text, "features": features, "weight": weight}
    lacking = [name for name in named.values() if name is not None and name not in frame.columns]
    required(not lacking, f"no column is called {''.join(lacking[:1])!r}", f"there are {listed(frame.columns, 20)}")
    if model is None:
        model = TextClassifier() if text is not None else _table(frame, label)
    if isinstance(model, TextClassifier):
        if text is None:
            raise InputError("the column with the text was expected", 'as in text="body"')
        columns = {"text": text, "label": label} | ({} if weight is None else {"weight": weight})
        return _text(frame.select(*(col(name).alias(role) for role, name in columns.items())), model, told)
    if isinstance(model, TableClassifier | TableRegressor):
        required(weight is None, "rows of tables all weigh the same on Spark", "leave out weight")
        return _rows(frame, label, model, told)
    required(isinstance(model, Model), f"a model was expected, got {model!r:.60}", "as in TextClassifier()")
    return _numbers(frame, parts.Numbers(model, label, weight, features), told)


def _table(frame: DataFrame, label: str) -> TableClassifier | TableRegressor:
    """What a target asks for: regression if it is a number that can have a fraction, and there are more than two."""
    kind = frame.schema[label].dataType.typeName()
    number = kind in NUMERIC and frame.select(label).distinct().limit(3).count() > 2
    return TableRegressor() if number else TableClassifier()


def _text(frame: DataFrame, model: TextClassifier, told: Callable[[str], None]) -> tuple[TextClassifier, Report]:
    new = TextClassifier(**model.get_params())
    return new, new.fit_corpus(There(frame, new.own), told)


def _rows(
    frame: DataFrame, label: str, model: TableClassifier | TableRegressor, told: Callable[[str], None]
) -> tuple[TableClassifier | TableRegressor, Report]:
    new = type(model)(**model.get_params())
    every, frame = asked(frame.count), frame.where(col(label).isNotNull())
    rows = asked(frame.count)
    looked_at = frame
    if rows > ROWS:
        # A share of the rows, by what stands in them: the same ones whatever the parts are.
        share = pmod(xxhash64(*frame.columns), lit(1 << 32)) < int(ROWS / rows * (1 << 32))
        looked_at = frame.where(share)
    columns, target, values = new.parted(asked(looked_at.toArrow), label)

    def elsewhere(settled: TableClassifier | TableRegressor) -> There:
        return There(frame, learner=parts.Cells(settled))

    new.fit_to(columns, target, values, told=told, elsewhere=elsewhere)
    return new, Report(rows, every - rows, 0)


def _numbers(frame: DataFrame, learner: parts.Numbers, told: Callable[[str], None]) -> tuple[Model, Report]:
    told("counting")
    if learner.features:
        frame = frame.select(learner.features, *learner.told)
    pieces, report = collected(frame, learner)
    new = learner.model.with_beliefs()
    new.evidence = type(new.evidence)()
    for piece in pieces:
        new += pickle.loads(piece)
    return new, report


class There:
    """Rows of a data frame, to be looked at and counted where they are."""

    kept: Kept

    def __init__(self, frame: DataFrame, own: parts.Own = None, learner: parts.Learner | None = None) -> None:
        self.frame, self.own, self.learner = frame, own, learner

    def look(self, most: int) -> bool:
        """Bring texts to the driver: all, or those with small hashes."""
        sized = self.frame.mapInArrow(partial(parts.sizes, own=self.own), parts.SIZES)
        sizes = dict.fromkeys(range(65), 0)
        for level, size in asked(sized.groupBy("level").sum("bytes").collect):
            sizes[level] = size
        halved = 0
        while halved < 63 and sum(size for level, size in sizes.items() if level >= halved) > most:
            halved += 1
        some = self.frame
        if halved:
            some = some.mapInArrow(partial(parts.sampled, halved=halved, own=self.own), some.schema)
        rows = parts.complete(asked(some.toArrow))
        self.kept, _ = Kept.start(parts.labelled(rows, self.own), EVERY_WORD, halved)
        return sum(sizes.values()) < most

    def count(self, analyzer: Analyzer, most: int) -> tuple[Counted, Mapping[str, Label], Report]:
        """Count every part, and add up."""
        pieces, report = collected(self.frame, self.learner or parts.Texts(analyzer, self.own))
        counted = joined(pieces)
        return counted, counted.labels, report


def collected(frame: DataFrame, learner: parts.Learner) -> tuple[list[bytes], Report]:
    """Let every part be counted; return the pieces, and how many rows there were."""
    ranges = 1 << (min(MOST_RANGES, frame.sparkSession.sparkContext.defaultParallelism) - 1).bit_length()
    counted = frame.mapInArrow(partial(parts.counted, learner=learner, ranges=ranges), parts.PIECES)
    summed = counted.repartition(ranges, "range").mapInArrow(
        partial(parts.added, kind=parts.SUMS[type(learner)]), parts.PIECES
    )
    found = asked(summed.toArrow)
    rows = list(zip(found["range"].to_pylist(), found["piece"].to_pylist(), strict=True))
    del found  # of many words there is not room for all twice
    pa.default_memory_pool().release_unused()
    pieces = [piece for number, piece in rows if number != parts.REPORT]
    required(bool(pieces), "rows with a label were expected, got none")
    return pieces, parts.total(pickle.loads(piece) for number, piece in rows if number == parts.REPORT)


def asked(question: Callable[[], T]) -> T:
    """Ask Spark; what an executor refused is said in its own sentence."""
    try:
        return question()
    except PySparkException as error:
        mark = f"{InputError.__module__}.{InputError.__qualname__}: "
        said = [line.partition(mark)[2] for line in str(error).splitlines() if mark in line]
        if not said:
            raise
        raise InputError(said[-1]) from None
