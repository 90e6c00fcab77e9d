"""The same as an Estimator and a Model of pyspark.ml, for pipelines and searches; what is saved is a model file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pyspark import SparkContext, keyword_only
from pyspark.ml import Estimator
from pyspark.ml import Model as Transformed
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
)
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql.functions import col

from plainbayes import events
from plainbayes.documents import TextClassifier
from plainbayes.losses import Costs
from plainbayes.model import Model
from plainbayes.spark.learning import Learned, fit
from plainbayes.spark.scoring import transform
from plainbayes.tables import TableRegressor, load, save

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILE = "model.bayes"


class _Columns(
    HasLabelCol,
    HasFeaturesCol,
    HasInputCols,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
    Params,
):
    """The columns, as pyspark.ml calls them, and what wrong answers cost."""

    textCol: Param[str] = Param(Params._dummy(), "textCol", "the column with the text", TypeConverters.toString)
    costs: Param[str] = Param(
        Params._dummy(), "costs", "what wrong answers cost: 'ham>spam=4, ask=0.3'", TypeConverters.toString
    )
    decisionCol: Param[str] = Param(
        Params._dummy(), "decisionCol", "the cheapest answer, where there are costs", TypeConverters.toString
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(decisionCol="decision")

    def given(self, name: str) -> Any:
        """Return a parameter, or None where it is not set."""
        return self.getOrDefault(name) if self.isDefined(name) else None

    def chosen(self, name: str) -> Any:
        """Return a parameter that somebody has set, not its default."""
        return self.getOrDefault(name) if self.isSet(name) else None


class NaiveBayesEstimator(_Columns, Estimator[Any], DefaultParamsReadable[Any], DefaultParamsWritable):
    """Naive Bayes for Spark's pipelines.

    With `textCol` it learns texts; with `featuresCol`, vectors or arrays by any event; with neither, a table: the
    columns that `inputCols` names, or all but the label's.

    >>> NaiveBayesEstimator(textCol="body", labelCol="folder").fit(mails)  # doctest: +SKIP
    """

    effort: Param[str] = Param(Params._dummy(), "effort", "plain (just count), quick or best", TypeConverters.toString)
    event: Param[str] = Param(
        Params._dummy(), "event", f"auto, or one of {', '.join(events.names())}", TypeConverters.toString
    )
    alpha: Param[float] = Param(Params._dummy(), "alpha", "smoothing; not set: chosen", TypeConverters.toFloat)
    ngrams: Param[int] = Param(
        Params._dummy(), "ngrams", "groups of up to so many words; not set: chosen", TypeConverters.toInt
    )
    language: Param[str] = Param(
        Params._dummy(), "language", "whose stems are taken for words", TypeConverters.toString
    )
    maxVocabulary: Param[int] = Param(Params._dummy(), "maxVocabulary", "how many words are kept", TypeConverters.toInt)

    @keyword_only
    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._setDefault(effort="quick", event="auto")
        self._set(**given)

    def setParams(self, **given: Any) -> Self:
        """Set parameters."""
        self._set(**given)
        return self

    def _fit(self, dataset: DataFrame) -> NaiveBayesModel:
        features = self.chosen("featuresCol")
        text = self.given("textCol")
        columns = self.given("inputCols")
        learned = fit(
            dataset if columns is None else dataset.select(*columns, self.getLabelCol()),
            label=self.getLabelCol(),
            text=text,
            features=features,
            weight=self.given("weightCol"),
            model=self._settings(text, features),
        )
        made: NaiveBayesModel = self._copyValues(NaiveBayesModel(learned))
        return made

    def _settings(self, text: str | None, features: str | None) -> Learned | None:
        """The model that the parameters speak of; None: what a table asks for."""
        effort, event, alpha = (self.given(name) for name in ("effort", "event", "alpha"))
        if text is not None:
            return TextClassifier(
                event,
                alpha="auto" if alpha is None else alpha,
                ngrams=self.given("ngrams"),
                language=self.given("language"),
                max_vocabulary=self.given("maxVocabulary"),
                effort=effort,
            )
        if features is not None:
            name = "multinomial" if event == "auto" else event
            return Model(events.named(name) if alpha is None else events.named(name, alpha=alpha))
        return None


class NaiveBayesModel(_Columns, Transformed, MLReadable[Any], MLWritable):
    """What a NaiveBayesEstimator has learned; `learned` is the model itself, that explains, learns and saves."""

    def __init__(self, learned: Learned) -> None:
        super().__init__()
        self.learned = learned

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the probabilities."""
        return () if isinstance(self.learned, TableRegressor) else self.learned.classes

    def _transform(self, dataset: DataFrame) -> DataFrame:
        costs = self.given("costs")
        made = transform(
            dataset,
            self.learned,
            text=self.given("textCol"),
            features=self.chosen("featuresCol"),
            loss=None if costs is None else Costs(costs),
            prediction=self.getPredictionCol(),
            probability=self.getProbabilityCol(),
            scores=self.getRawPredictionCol(),
            decision=self.given("decisionCol"),
        )
        if isinstance(self.learned, TableRegressor):
            return made
        vectors = {name: array_to_vector(col(name)) for name in (self.getProbabilityCol(), self.getRawPredictionCol())}
        return made.withColumns(vectors)

    def write(self) -> MLWriter:
        """Return what saves it: a folder with the parameters and the model file."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        """Return what loads it."""
        return _Reader()

    @classmethod
    def of(cls, path: str, **columns: Any) -> NaiveBayesModel:
        """Return the model in a file that any machine has written; `columns` as in textCol="body"."""
        made = cls(load(path))
        made._set(**columns)
        return made


class _Writer(MLWriter):
    def __init__(self, instance: NaiveBayesModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        """Write to any file system that Spark knows."""
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession)
        with tempfile.TemporaryDirectory() as folder:
            save(self.instance.learned, Path(folder) / FILE)
            places = [_path(Path(folder, FILE).as_uri()), _path(f"{path}/{FILE}")]
            _files(places[1]).copyFromLocalFile(*places)


class _Reader(MLReader[Any]):
    def load(self, path: str) -> NaiveBayesModel:
        """Read the same again."""
        with tempfile.TemporaryDirectory() as folder:
            places = [_path(f"{path}/{FILE}"), _path(Path(folder, FILE).as_uri())]
            _files(places[0]).copyToLocalFile(*places)
            made = NaiveBayesModel(load(Path(folder) / FILE))
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        made._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(made, metadata)
        return made


def _context() -> Any:
    return SparkContext._active_spark_context


def _path(place: str) -> Any:
    """A path as Hadoop has it: on this machine, HDFS, or wherever Spark reads and writes."""
    return _context()._jvm.org.apache.hadoop.fs.Path(place)


def _files(path: Any) -> Any:
    return path.getFileSystem(_context()._jsc.hadoopConfiguration())
