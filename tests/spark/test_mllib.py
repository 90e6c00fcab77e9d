"""Agreement with MLlib's naive Bayes on Spark's own sample files, and parameters both ways."""

from pathlib import Path

import numpy as np
import pyspark
import pytest

from plainbayes import Empirical, InputError, Model, Smoothed, TextClassifier
from plainbayes.events import Bernoulli, Complement, Gaussian, Multinomial
from plainbayes.spark import fit, from_mllib, to_mllib, transform

SAMPLES = Path(pyspark.__file__).parent / "data" / "mllib"
EVENTS = {
    "multinomial": Multinomial(alpha=1.0),
    "bernoulli": Bernoulli(alpha=1.0, binarize=0.0),
    "complement": Complement(alpha=1.0),
    "gaussian": Gaussian(floor=1e-9, scale="largest"),
}


@pytest.fixture(scope="module", params=EVENTS)
def both(request, spark):
    """Rows, MLlib's model, and ours of the same event."""
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import Binarizer

    name = "sample_multiclass_classification_data.txt" if request.param == "gaussian" else "sample_libsvm_data.txt"
    frame = spark.read.format("libsvm").load(str(SAMPLES / name))
    if request.param == "bernoulli":
        frame = Binarizer(threshold=0.5, inputCol="features", outputCol="ones").transform(frame)
        frame = frame.drop("features").withColumnRenamed("ones", "features")
    theirs = NaiveBayes(modelType=request.param).fit(frame)
    prior = Empirical() if request.param == "complement" else Smoothed(1.0)
    ours = fit(frame, label="label", features="features", model=Model(EVENTS[request.param], prior))
    return frame, theirs, ours


def probabilities(frame, model):
    return np.array([row[0].toArray() for row in model.transform(frame).select("probability").collect()])


def test_answers_agree(both):
    frame, theirs, ours = both
    rows = transform(frame, ours, features="features").collect()
    assert [row.prediction for row in rows] == [row.prediction for row in theirs.transform(frame).collect()]
    if theirs.getModelType() != "complement":
        assert np.allclose([row.probability for row in rows], probabilities(frame, theirs), rtol=0, atol=1e-12)


def test_parameters_agree(both):
    _, theirs, ours = both
    made = to_mllib(ours)
    assert made.kind == theirs.getModelType() and made.classes == ours.classes
    assert np.allclose(made.theta.toArray(), theirs.theta.toArray(), atol=1e-12)
    if made.kind != "complement":
        assert np.allclose(made.pi.toArray(), theirs.pi.toArray(), atol=1e-12)
    assert (made.sigma is None) == (made.kind != "gaussian")
    if made.sigma is not None:
        assert np.allclose(made.sigma.toArray(), theirs.sigma.toArray(), rtol=1e-9)


def test_an_imported_model_answers_as_mllib_does(both):
    frame, theirs, _ = both
    imported = from_mllib(theirs)
    X = np.array([row.features.toArray() for row in frame.select("features").collect()])
    assert np.allclose(imported.posterior(X).probabilities, probabilities(frame, theirs), atol=1e-9)


def test_complement_of_three_classes_and_small_counts(spark):
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.linalg import Vectors

    rows = [([3, 0, 1], 0.0), ([0, 2, 1], 1.0), ([1, 1, 4], 2.0), ([2, 0, 0], 0.0)]
    frame = spark.createDataFrame([(Vectors.dense(x), y) for x, y in rows], ["features", "label"])
    theirs = NaiveBayes(modelType="complement").fit(frame)
    imported = from_mllib(theirs, ["a", "b", "c"])
    X = np.array([x for x, _ in rows], dtype=float)
    assert np.allclose(imported.posterior(X).probabilities, probabilities(frame, theirs), atol=1e-12)
    assert imported.classes == ("a", "b", "c")
    with pytest.raises(InputError, match="3 classes were expected"):
        from_mllib(theirs, ["a"])


def test_texts_are_exported_if_they_are_plainly_counted():
    model = TextClassifier(effort="plain").fit(["buy pills", "see you"], ["spam", "ham"])
    made = to_mllib(model)
    assert made.theta.toArray().shape == (2, 4) and np.allclose(np.exp(made.theta.toArray()).sum(axis=1), 1)
    model.trust = object()
    with pytest.raises(InputError, match="no exponents"):
        to_mllib(model)
    with pytest.raises(InputError, match="an event that MLlib has"):
        to_mllib(Model("poisson").learn([[1], [2]], ["a", "b"]))
