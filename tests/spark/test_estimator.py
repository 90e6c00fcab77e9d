"""pyspark.ml's conventions: parameters, pipelines, searches, saving and loading."""

import numpy as np
import pytest

import plainbayes
from plainbayes import TextClassifier
from plainbayes.spark import NaiveBayesEstimator, NaiveBayesModel

from .data import equal, table, texts

ROWS = texts()


@pytest.fixture(scope="module")
def corpus(spark):
    return spark.createDataFrame([(text, float(label)) for text, label in ROWS], "text string, label double").cache()


def test_a_pipeline_learns_answers_and_comes_back(spark, corpus, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel

    estimator = NaiveBayesEstimator(textCol="text", effort="plain", alpha=0.5)
    assert estimator.getOrDefault("effort") == "plain" and "smoothing" in estimator.explainParams()
    fitted = Pipeline(stages=[estimator]).fit(corpus)
    made = fitted.transform(corpus)
    assert made.schema["probability"].dataType.typeName() == made.schema["rawPrediction"].dataType.typeName() != "array"
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert again.transform(corpus).collect() == made.collect()
    [model] = [stage for stage in again.stages if isinstance(stage, NaiveBayesModel)]
    assert model.uid == fitted.stages[0].uid and model.classes == (0.0, 1.0, 2.0)


def test_the_file_is_the_one_of_one_machine_both_ways(spark, corpus, tmp_path):
    model = NaiveBayesEstimator(textCol="text", effort="plain").fit(corpus)
    model.save(str(tmp_path / "model"))
    [path] = (tmp_path / "model").glob("*.bayes")
    alone = plainbayes.load(path)
    assert equal(alone, TextClassifier(effort="plain").fit([row[0] for row in ROWS], [float(row[1]) for row in ROWS]))
    back = NaiveBayesModel.of(str(path), textCol="text", costs="ask=-1")
    assert {row.decision for row in back.transform(corpus).collect()} == {"ask"}


def test_an_estimator_comes_back(tmp_path, spark):
    estimator = NaiveBayesEstimator(textCol="body").setParams(event="bernoulli", alpha=2.0, ngrams=2)
    estimator.save(str(tmp_path / "estimator"))
    again = NaiveBayesEstimator.load(str(tmp_path / "estimator"))
    assert {p.name: v for p, v in again.extractParamMap().items()} == {
        p.name: v for p, v in estimator.extractParamMap().items()
    }


@pytest.mark.filterwarnings("ignore:unclosed running multiprocessing pool:ResourceWarning")  # CrossValidator's own
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_search_finds_the_better_smoothing(corpus):
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    estimator = NaiveBayesEstimator(textCol="text", effort="plain")
    grid = ParamGridBuilder().addGrid(estimator.alpha, [1000.0, 0.3]).build()
    judge = MulticlassClassificationEvaluator(metricName="logLoss")
    found = CrossValidator(estimator=estimator, estimatorParamMaps=grid, evaluator=judge, numFolds=2, seed=1).fit(
        corpus
    )
    assert found.bestModel.learned.get_params()["alpha"] == 0.3
    assert found.avgMetrics[1] < found.avgMetrics[0]


def test_tables_vectors_and_weights(spark):
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.feature import VectorAssembler

    rows = [{**row, "label": float(row["bought"] == "yes"), "w": 2.0} for row in table() if row["x"] is not None]
    frame = spark.createDataFrame(rows, "x double, n int, city string, bought string, label double, w double")
    tabled = NaiveBayesEstimator(inputCols=["x", "n", "city"]).fit(frame)
    assert tabled.learned.layout.names == ["x", "n", "city"]
    assert BinaryClassificationEvaluator().evaluate(tabled.transform(frame)) > 0.7
    vectors = VectorAssembler(inputCols=["x", "n"], outputCol="features").transform(frame)
    gaussian = NaiveBayesEstimator(event="gaussian", featuresCol="features", weightCol="w").fit(vectors)
    assert gaussian.learned.evidence.weight.n.sum() == 2 * len(rows)
    assert BinaryClassificationEvaluator().evaluate(gaussian.transform(vectors)) > 0.7
    counts = VectorAssembler(inputCols=["n"], outputCol="features").transform(frame)
    plain = NaiveBayesEstimator(featuresCol="features", alpha=2.0).fit(counts)
    assert plain.learned.event == plainbayes.events.Multinomial(alpha=2.0)


def test_a_number_as_the_target(spark):
    rows = [(row["city"], row["n"] + 0.5) for row in table()]
    frame = spark.createDataFrame(rows, "city string, label double")
    model = NaiveBayesEstimator().fit(frame)
    made = model.transform(frame).collect()
    assert model.classes == () and np.corrcoef([r.label for r in made], [r.prediction for r in made])[0, 1] > 0.4
