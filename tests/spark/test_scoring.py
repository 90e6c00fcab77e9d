"""Answers for data frames and streams."""

import numpy as np
import pyarrow as pa
import pytest

import plainbayes
from plainbayes import Costs, InputError, Model, Squared, TableClassifier, TableRegressor, TextClassifier
from plainbayes.spark import fit, scoring, transform

from .data import table, texts

ROWS = texts()
TEXTS, LABELS = map(list, zip(*ROWS, strict=True))
MAIL = [("buy pills", "spam"), ("cheap pills", "spam"), ("see you", "ham"), ("at noon", "ham"), (None, "ham")]


def mails(spark):
    return spark.createDataFrame(MAIL, "body string, folder string")


def spam():
    return TextClassifier(effort="plain").fit(*map(list, zip(*MAIL[:4], strict=True)))


def test_texts_get_a_class_probabilities_and_a_decision(spark):
    costs = Costs("ham>spam=4, spam>ham=1, ask=0.3")
    rows = transform(mails(spark).repartition(2), spam(), text="body", loss=costs, scores="log").collect()
    model = spam()
    for row in rows:
        text = row.body or ""
        assert row.prediction == model.predict([text])[0] and row.decision == model.decide([text], costs)[0]
        assert row.probability == model.predict_proba([text])[0].tolist()
        assert np.allclose(row.log, model.predict_log_proba([text])[0])
    assert {row.decision for row in rows} == {"ask", "ham"}


def test_classes_keep_their_type_and_columns_can_be_left_out(spark):
    frame = spark.createDataFrame(ROWS, "text string, label int").repartition(3)
    model = fit(frame, text="text", label="label")
    made = transform(frame, model, text="text", probability=None, prediction="answer")
    assert made.schema["answer"].dataType.typeName() == "long" and "probability" not in made.columns
    rows = made.collect()
    assert [row.answer for row in rows] == model.predict([row.text for row in rows])
    again = transform(made, model, text="text", prediction="answer")
    assert again.columns.count("answer") == 1


def test_tables_and_numbers(spark):
    rows = table()
    frame = spark.createDataFrame(rows, "x double, n int, city string, bought string")
    model = TableClassifier(effort="plain").fit(rows, "bought")
    assert [row.prediction for row in transform(frame, model).collect()] == model.predict(rows)
    numeric = [{"x": row["x"], "city": row["city"], "y": row["n"] + 0.5} for row in rows]
    regressor = TableRegressor(effort="plain").fit(numeric, "y")
    made = transform(frame, regressor).collect()
    assert np.allclose([row.prediction for row in made], regressor.predict(numeric))
    assert all(row.low <= row.prediction <= row.high for row in made)


def test_models_of_any_event(spark):
    rows = [row for row in table() if row["x"] is not None]
    frame = spark.createDataFrame(rows, "x double, n int, city string, bought string")
    data = {name: [row[name] for row in rows] for name in ("x", "n")}
    model = Model("gaussian").learn(data, [row["bought"] for row in rows])
    assert [row.prediction for row in transform(frame, model).collect()] == model.decide(data)


def test_a_stream_of_files(spark, tmp_path):
    (tmp_path / "in").mkdir()
    mails(spark).coalesce(1).write.json(str(tmp_path / "in" / "first"))
    stream = spark.readStream.schema("body string, folder string").json(str(tmp_path / "in" / "*"))
    query = (
        transform(stream, spam(), text="body")
        .writeStream.format("memory")
        .queryName("answers")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(120)
    answers = {row.body: row.prediction for row in spark.sql("select * from answers").collect()}
    assert answers == {"buy pills": "spam", "cheap pills": "spam", "see you": "ham", "at noon": "ham", None: "ham"}


def test_mistakes_are_sentences(spark):
    with pytest.raises(InputError, match="the column with the text"):
        transform(mails(spark), spam())
    with pytest.raises(InputError, match="no column is called 'nothing'"):
        transform(mails(spark), spam(), text="nothing")
    with pytest.raises(InputError, match="costs of answers were expected"):
        transform(mails(spark), spam(), text="body", loss=Squared())


@pytest.mark.parametrize("answers", [[True, False], [1.0, 2.0], [1, "ask"]])
def test_answers_of_any_type(answers, monkeypatch):
    model = TextClassifier(effort="plain").fit(["a", "b"], answers[:1] + answers[1:] if answers[1] != "ask" else [1, 2])
    monkeypatch.setattr(scoring, "opened", lambda _: model)
    loss = Costs({(1, 2): 1.0, (2, 1): 1.0, "ask": 0.1}) if answers[1] == "ask" else None
    judged = scoring.Judged("m", "text", None, loss, ("prediction", None, None), "decision")
    rows = judged(pa.StructArray.from_arrays([pa.array(["a", "b", ""])], names=["text"])).to_pylist()
    assert [row["prediction"] for row in rows] == model.predict(["a", "b", ""])
    assert loss is None or [row["decision"] for row in rows][2] == "ask"


def test_executors_answer_as_the_driver_would(monkeypatch, tmp_path):
    """What executors do, done here: the model that was sent is opened, and batches are judged by it."""
    monkeypatch.setattr(scoring.SparkFiles, "get", lambda name: str(tmp_path / name))
    rows = [row for row in table() if row["x"] is not None]
    numbers = [{"x": row["x"], "y": row["n"] + 0.5} for row in rows]
    vector = [[row["x"], float(row["n"])] for row in rows]
    labels = [row["bought"] for row in rows]
    models = {
        "text": TextClassifier(effort="plain").fit(TEXTS, LABELS),
        "table": TableClassifier(effort="plain").fit(rows, "bought"),
        "number": TableRegressor(effort="plain").fit(numbers, "y"),
        "vector": Model("gaussian").learn(np.array(vector), labels),
    }
    batches = {
        "text": pa.array([{"text": text} for text in TEXTS]),
        "table": pa.array(rows),
        "number": pa.array(numbers),
        "vector": pa.array([{"f": row} for row in vector]),
    }
    for name, model in models.items():
        plainbayes.save(model, tmp_path / name)
        columns = ("text" if name == "text" else None), ("f" if name == "vector" else None)
        judged = scoring.Judged(name, *columns, None, ("prediction", "probability", "scores"), "decision")
        [made] = judged.all(iter([batches[name]]))
        if name == "number":
            assert np.allclose(made.field("prediction"), model.predict(numbers))
            continue
        posterior = model.posterior({"text": TEXTS, "table": rows, "vector": np.array(vector)}[name])
        assert np.allclose(made.field("probability").to_pylist(), posterior.probabilities)
        assert np.allclose(made.field("scores").to_pylist(), posterior.log_probabilities)
    scoring.opened.cache_clear()
