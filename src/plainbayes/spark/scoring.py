"""Answers for the rows of a data frame, batch or stream: the model is a file that every executor maps once."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql.functions import col, struct
from pyspark.sql.pandas.functions import arrow_udf

from plainbayes.documents import TextClassifier
from plainbayes.event import required
from plainbayes.losses import Choice
from plainbayes.model import Model
from plainbayes.spark import parts
from plainbayes.tables import TableRegressor, load, save

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from plainbayes.spark.learning import Learned

TYPES: dict[type, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
NAMES = {pa.bool_(): "boolean", pa.int64(): "bigint", pa.float64(): "double", pa.string(): "string"}
INTERVAL = 0.9


def transform(
    frame: DataFrame,
    model: Learned,
    *,
    text: str | None = None,
    features: str | None = None,
    loss: Choice | None = None,
    prediction: str = "prediction",
    probability: str | None = "probability",
    scores: str | None = None,
    decision: str = "decision",
) -> DataFrame:
    """Add answers to a data frame.

    Parameters
    ----------
    frame
        A data frame, or a stream of rows.
    model
        What `fit` or `plainbayes.load` returned.
    text, features
        The columns that the model reads, as for `fit`; neither: those of a table, by their names.
    loss
        Costs, whose cheapest answer is added as `decision`: Costs("ham>spam=4, spam>ham=1, ask=0.3").
    prediction, probability, scores, decision
        What the columns are called: the most probable class, the probabilities in the order of `model.classes`, their
        logarithms before they are made to sum to 1, and the cheapest answer; None: not added. For a number as the
        target, `prediction` is its mean, and `low` and `high` are the ends of the middle 90%.

    Examples
    --------
    >>> transform(mails, plainbayes.load("mails.bayes"), text="body")  # doctest: +SKIP
    """
    regression = isinstance(model, TableRegressor)
    required(loss is None or isinstance(loss, Choice), f"costs of answers were expected, got {loss!r}", "Costs(...)")
    if isinstance(model, TextClassifier):
        required(text is not None, "the column with the text was expected", 'as in text="body"')
    answer = prediction, None if regression else probability, None if regression else scores
    judged = Judged(shipped(frame, model), text, features, loss, answer, decision)
    given = [name for name in (text, features) if name is not None]
    wanted = given or _columns(frame, model)
    lacking = [name for name in wanted if name not in frame.columns]
    required(not lacking, f"no column is called {''.join(lacking[:1])!r}")
    kinds = judged.kinds(model)
    written = ", ".join(f"`{name}`: {NAMES.get(kind, 'array<double>')}" for name, kind in kinds.items())

    udf = cast(Any, arrow_udf)(judged.all, f"struct<{written}>")
    hidden = "__plainbayes"
    kept = [name for name in frame.columns if name not in kinds]
    return frame.withColumn(hidden, udf(struct(*wanted))).select(*kept, *(col(f"{hidden}.`{name}`") for name in kinds))


def _columns(frame: DataFrame, model: Learned) -> list[str]:
    """The columns of a table that a model reads."""
    if isinstance(model, Model):
        return [str(feature) for part in model.evidence.parts.values() for feature in part.features]
    names = [] if isinstance(model, TextClassifier) else model.layout.names
    return [name for name in names if name in frame.columns]


class Judged:
    """Answers to batches of rows, in an executor."""

    def __init__(
        self,
        name: str,
        text: str | None,
        features: str | None,
        loss: Choice | None,
        answer: tuple[str, str | None, str | None],
        decision: str,
    ) -> None:
        self.name, self.text, self.features, self.loss = name, text, features, loss
        self.prediction, self.probability, self.scores = answer
        self.decision = decision

    def kinds(self, model: Learned) -> dict[str, pa.DataType]:
        """Return the columns that are added and their types; lists of numbers are probabilities."""
        if isinstance(model, TableRegressor):
            return dict.fromkeys((self.prediction, "low", "high"), pa.float64())
        numbers = {name: pa.list_(pa.float64()) for name in (self.probability, self.scores) if name is not None}
        answers = [] if self.loss is None else self.loss.answers(model.classes)
        decided = {} if self.loss is None else {self.decision: _type(answers)}
        return {self.prediction: _type(model.classes), **numbers, **decided}

    def all(self, batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        """Judge batches."""
        return map(self, batches)

    def __call__(self, rows: pa.StructArray) -> pa.StructArray:
        """Judge rows."""
        model = opened(self.name)
        kinds = self.kinds(model)
        if isinstance(model, TableRegressor):
            density = model.posterior(_table(rows))
            values: list[Any] = [density.mean(), *density.interval(INTERVAL)]
            return _struct(kinds, [pa.array(numbers) for numbers in values])
        posterior = model.posterior(self.cells(rows, model))
        best = np.asarray(posterior.log_probabilities.argmax(axis=1))
        made = {self.prediction: pa.array(model.classes, kinds[self.prediction]).take(pa.array(best))}
        for name, numbers in ((self.probability, posterior.probabilities), (self.scores, posterior.log_probabilities)):
            if name is not None:
                made[name] = _lists(numbers)
        if self.loss is not None:
            made[self.decision] = pa.array(
                map(_as(kinds[self.decision]), self.loss.act(posterior)), kinds[self.decision]
            )
        return _struct(kinds, [made[name] for name in kinds])

    def cells(self, rows: pa.StructArray, model: Learned) -> Any:
        """Return what the model reads."""
        if self.text is not None:
            return pa.chunked_array([rows.field(self.text).fill_null("")])
        if self.features is not None and isinstance(model, Model):
            return parts.matrix(pa.chunked_array([rows.field(self.features)]), model)
        return _table(rows)


def _table(rows: pa.StructArray) -> pa.Table:
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows)])


def _struct(kinds: dict[str, pa.DataType], columns: list[pa.Array]) -> pa.StructArray:
    return pa.StructArray.from_arrays(columns, names=list(kinds))


def _lists(numbers: Any) -> pa.Array:
    rows, classes = numbers.shape
    starts = np.arange(rows + 1, dtype=np.int32) * classes
    return pa.ListArray.from_arrays(pa.array(starts), pa.array(np.ascontiguousarray(numbers).ravel()))


def _type(labels: Any) -> pa.DataType:
    """The type that all of these have, or text."""
    kinds = {type(label) for label in labels}
    return TYPES.get(kinds.pop(), pa.string()) if len(kinds) == 1 else pa.string()


def _as(kind: pa.DataType) -> Any:
    return str if kind == pa.string() else lambda label: label


@cache
def outbox() -> tempfile.TemporaryDirectory[str]:
    """A folder of the driver for models that were sent: executors fetch one when they first need it."""
    return tempfile.TemporaryDirectory(prefix="plainbayes-")


def shipped(frame: DataFrame, model: Learned) -> str:
    """Send a model to all executors as a file; return its name there."""
    new = Path(outbox().name) / "new"
    save(model, new)
    name = f"{sha256(new.read_bytes()).hexdigest()[:16]}.bayes"
    sent = new.replace(new.with_name(name))
    frame.sparkSession.sparkContext.addFile(str(sent))
    return name


@lru_cache(maxsize=4)
def opened(name: str) -> Learned:
    """Return the model that was sent: mapped, so that the workers of an executor share it."""
    return load(SparkFiles.get(name))
