"""What Spark counts is what one machine counts, to the bit, however the rows are parted."""

import numpy as np
import pytest

import plainbayes
from plainbayes import InputError, Model, Product, TableClassifier, TableRegressor, TextClassifier, documents, events
from plainbayes.spark import fit, learning
from plainbayes.spark import parts as executor

from .data import equal, table, texts

ROWS = texts()
TEXTS, LABELS = map(list, zip(*ROWS, strict=True))


@pytest.fixture(scope="module")
def corpus(spark):
    return spark.createDataFrame(ROWS, "body string, folder int").cache()


@pytest.mark.parametrize("parts", [1, 2, 7, 64])
def test_counts_of_texts_are_those_of_one_machine(corpus, parts, tmp_path):
    here = TextClassifier(effort="plain").fit(TEXTS, LABELS)
    there = fit(corpus.repartition(parts), text="body", label="folder", model=TextClassifier(effort="plain"))
    assert equal(here, there) and there.classes == (0, 1, 2)
    here.save(tmp_path / "here.bayes")
    there.save(tmp_path / "there.bayes")
    assert (tmp_path / "here.bayes").read_bytes() == (tmp_path / "there.bayes").read_bytes()


@pytest.mark.parametrize("parts", [1, 7])
def test_beliefs_are_those_of_one_machine(corpus, parts):
    said = []
    here = TextClassifier().fit(TEXTS, LABELS)
    there = fit(corpus.repartition(parts), text="body", label="folder", told=said.append)
    assert equal(here, there) and here.trust.estimate == there.trust.estimate
    assert np.array_equal(here.predict_proba(TEXTS), there.predict_proba(TEXTS))
    assert "counting" in said and "weighing words" in said


def test_of_more_than_is_kept_the_same_share_is_looked_at(corpus, monkeypatch):
    monkeypatch.setattr(documents, "KEPT", 6000)
    here = TextClassifier().fit(TEXTS, LABELS)
    there = fit(corpus.repartition(5), text="body", label="folder")
    assert here.trust.share == there.trust.share < 1
    assert np.array_equal(here.predict_proba(TEXTS), there.predict_proba(TEXTS))


def test_skew_empty_parts_missing_cells_and_new_classes_change_nothing(spark):
    rows = [*ROWS, (None, 1), ("no label", None)] + [(f"rare{number}", 7) for number in range(9)]
    frame = spark.createDataFrame(rows, "text string, label int")
    skewed = frame.repartition(16, "label")  # most parts are empty, and each class is alone in one
    complete = [row for row in rows if None not in row]
    here = TextClassifier(effort="plain").fit(*map(list, zip(*complete, strict=True)))
    model, report = learning.learned(skewed, text="text", label="label", model=TextClassifier(effort="plain"))
    assert equal(here, model) and report.rows == len(complete) and report.skipped == 2


def test_weights_own_analysers_and_a_cut_vocabulary(spark):
    weights = [(1.0, 2.0, 0.5, 0.0)[place % 4] for place in range(len(ROWS))]
    frame = spark.createDataFrame(
        [(*row, weight) for row, weight in zip(ROWS, weights, strict=True)], "text string, label int, w double"
    ).repartition(3)
    here = TextClassifier().fit(TEXTS, LABELS, weights)
    there = fit(frame, text="text", label="label", weight="w")
    assert equal(here, there) and np.array_equal(here.predict_proba(TEXTS), there.predict_proba(TEXTS))
    own = TextClassifier(analyzer=str.split)
    assert equal(
        TextClassifier(analyzer=str.split).fit(TEXTS, LABELS), fit(frame, text="text", label="label", model=own)
    )
    few = TextClassifier(effort="plain", max_vocabulary=30)
    cut = fit(frame, text="text", label="label", model=few)
    assert sorted(cut.vocabulary) == sorted(
        TextClassifier(effort="plain", max_vocabulary=30).fit(TEXTS, LABELS).vocabulary
    )


@pytest.mark.parametrize("event", ["bernoulli", "complement"])
def test_every_event_of_texts(corpus, event):
    there = fit(corpus.repartition(2), text="body", label="folder", model=TextClassifier(event))
    here = TextClassifier(event).fit(TEXTS, LABELS)
    assert equal(here, there) and np.array_equal(here.predict_proba(TEXTS), there.predict_proba(TEXTS))


@pytest.mark.parametrize("parts", [1, 2, 7, 64])
def test_tables_are_those_of_one_machine(spark, parts):
    rows = table()
    frame = spark.createDataFrame(rows, "x double, n int, city string, bought string").repartition(parts)
    effort = "quick" if parts == 7 else "plain"
    here = TableClassifier(effort=effort).fit(rows, "bought")
    there = fit(frame, label="bought", model=TableClassifier(effort=effort))
    assert equal(here.rows, there.rows) and here.layout == there.layout
    assert here.predict(rows) == there.predict(rows)
    if effort == "quick":
        assert here.trust.estimate == there.trust.estimate
        assert np.array_equal(here.predict_proba(rows), there.predict_proba(rows))


def test_numbers_as_targets(spark):
    rows = [{"x": row["x"], "city": row["city"], "y": row["n"] + 0.5} for row in table()]
    frame = spark.createDataFrame(rows, "x double, city string, y double").repartition(4)
    here, there = (
        TableRegressor(effort="plain").fit(rows, "y"),
        fit(frame, label="y", model=TableRegressor(effort="plain")),
    )
    assert equal(here.rows, there.rows) and np.allclose(here.predict(rows), there.predict(rows), atol=1e-12)
    assert isinstance(fit(frame, label="y"), TableRegressor)
    assert isinstance(fit(frame.drop("y"), label="city"), TableClassifier)


def test_of_a_large_table_some_rows_are_looked_at_and_all_are_counted(spark, monkeypatch):
    monkeypatch.setattr(learning, "ROWS", 120)
    rows = table(400)
    frame = spark.createDataFrame(rows, "x double, n int, city string, bought string")
    one, other = (fit(frame.repartition(parts), label="bought") for parts in (1, 5))
    assert one.rows.learned == len(rows) and equal(one.rows, other.rows)
    assert one.score(rows, "bought") > 0.65


@pytest.mark.parametrize("name", events.names())
def test_every_event_of_numbers(spark, name):
    chance = np.random.default_rng(5)
    X = chance.integers(0, 2, (90, 3)) if name == "bernoulli" else chance.integers(1, 9, (90, 3))
    X = X + (0.0 if name in ("bernoulli", "multinomial", "complement", "poisson", "categorical") else 0.25)
    labels = ["ab"[int(row.sum() > X.sum(axis=1).mean())] for row in X]
    rows = [(*map(float, row), label) for row, label in zip(X, labels, strict=True)]
    frame = spark.createDataFrame(rows, "a double, b double, c double, y string").repartition(5)
    here = Model(name).learn(dict(zip("abc", X.T, strict=True)), labels)
    there = fit(frame, label="y", model=Model(name))
    assert there.evidence.same(here.evidence, 1e-12)
    assert there.decide(dict(zip("abc", X.T, strict=True))) == here.decide(dict(zip("abc", X.T, strict=True)))


def test_columns_side_by_side_with_weights_and_arrays(spark):
    design = Product({"city": events.Categorical(), "n": events.Poisson(), "x": events.Gaussian()})
    rows = [(row["city"], row["n"], row["x"], row["bought"], 1.0 + row["n"] % 2) for row in table()]
    frame = spark.createDataFrame(rows, "city string, n int, x double, bought string, w double").repartition(3)
    data = {name: [row[place] for row in rows] for place, name in enumerate(("city", "n", "x"))}
    here = Model(design).learn(data, [row[3] for row in rows], [row[4] for row in rows])
    assert fit(frame, label="bought", weight="w", model=Model(design)).evidence.same(here.evidence, 1e-12)
    arrays = spark.createDataFrame([([float(row[1]), 1.0], row[3]) for row in rows], "f array<double>, y string")
    counted = fit(arrays, label="y", features="f", model=Model("poisson"))
    assert counted.evidence.same(
        Model("poisson").learn([[row[1], 1] for row in rows], [row[3] for row in rows]).evidence
    )


def test_mistakes_are_sentences(spark, corpus):
    frame = spark.createDataFrame(table(), "x double, n int, city string, bought string")
    with pytest.raises(InputError, match="no column is called 'nothing'"):
        fit(corpus, text="nothing", label="folder")
    with pytest.raises(InputError, match="the column with the text"):
        fit(corpus, label="folder", model=TextClassifier())
    with pytest.raises(InputError, match="rows of tables all weigh the same"):
        fit(frame, label="bought", weight="n")
    with pytest.raises(InputError, match="a model was expected"):
        fit(frame, label="bought", model="gaussian")
    with pytest.raises(InputError, match="rows with a label were expected"):
        fit(corpus.where("folder < 0"), text="body", label="folder", model=TextClassifier(effort="plain"))
    negative = spark.createDataFrame([(-1.0, "a"), (1.0, "b")], "x double, y string")
    with pytest.raises(InputError, match="poisson needs"):
        fit(negative, label="y", model=Model("poisson"))
    with pytest.raises(Exception, match=r"(?i)divide"):
        learning.asked(spark.sql("select 1 / cast(0 as int) as x").collect)


def test_large_parts_are_read_some_at_a_time(monkeypatch):
    import pyarrow as pa

    monkeypatch.setattr(executor, "AT_ONCE", 200)
    rows = pa.table({"text": TEXTS[:40], "label": LABELS[:40]})
    learner = executor.Texts(plainbayes.Analyzer(), None)
    empty = rows.slice(0, 0).to_batches() or [
        pa.record_batch({"text": pa.array([], pa.string()), "label": pa.array([], pa.int64())})
    ]
    pieces = list(executor.counted([*empty, *rows.to_batches(max_chunksize=3)], learner, 2))
    assert len(pieces) == 3 and learner.model.learned == 40
    assert list(executor.counted(empty, executor.Texts(plainbayes.Analyzer(), None), 2)) == []
    gone = pa.table({"text": ["a"], "label": pa.array([None], pa.string())})
    assert len(list(executor.counted(gone.to_batches(), executor.Texts(plainbayes.Analyzer(), None), 2))) == 1
