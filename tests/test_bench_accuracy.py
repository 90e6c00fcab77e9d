"""The benchmark of accuracy, on tiny folders with all that real ones have: other labels, empty texts, new classes."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars
import pytest
from sklearn import metrics

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench import __main__, accuracy

SAID = {7: "cheap pills, buy now!", 8: "see you at noon for lunch", 9: "the match ended two to nil"}
QUALITY = ["accuracy", "macro_f1", "log_loss", "ece"]
TIMES = ["train_cpu_seconds", "predict_cpu_seconds"]


@pytest.fixture
def home(tmp_path):
    """Integers as labels, texts that are empty or missing, a class of one text, and one only the test set has."""
    train = [(label, f"{text} {number}") for number in range(20) for label, text in SAID.items()]
    write(
        tmp_path / "awkward",
        [*train, (7, None), (8, ""), (5, "alone")],
        [*SAID.items(), (6, "never learned"), (7, None)],
    )
    return tmp_path


def write(folder, train, test):
    folder.mkdir()
    for name, rows in {"train": train, "test": test}.items():
        polars.DataFrame(rows, schema=["label", "text"], orient="row").write_parquet(folder / f"{name}.parquet")


def bench(capsys, monkeypatch, *words):
    """What the command prints."""
    monkeypatch.setattr(sys, "argv", ["bench", "accuracy", *map(str, words)])
    __main__.main()
    return capsys.readouterr().out


@pytest.mark.parametrize("name", accuracy.SYSTEMS)
def test_every_system_copes_with_awkward_data(name, home):
    row = accuracy.attempt(name, home / "awkward", 1.0)
    if name == "fastText" and find_spec("fasttext") is None:
        assert "fasttext" in row["failed"]  # it is no part of the set-up, and its row says so
        return
    assert "failed" not in row
    assert row.keys() >= {*(QUALITY[:2] if "SVC" in name else QUALITY), *TIMES}
    assert ("log_loss" in row) == ("SVC" not in name)
    assert ("estimated_accuracy" in row) == (name in ("plainbayes quick", "plainbayes best"))
    assert 0.6 <= row["accuracy"] <= 0.8  # the one of five that nobody can know is wrong


def test_the_command_prints_flat_objects_that_make_tables(home, capsys, monkeypatch):
    names = ["plainbayes plain", "LinearSVC"]
    monkeypatch.setattr(accuracy, "SYSTEMS", {name: accuracy.SYSTEMS[name] for name in names})
    rows = json.loads(bench(capsys, monkeypatch, "--data", home, "--only", "awkward", "--json"))
    assert [(row["case"], row["system"]) for row in rows] == [("awkward", name) for name in names]
    assert rows[0].keys() >= {*QUALITY, *TIMES}
    printed = accuracy.report(rows)
    assert printed.startswith("awkward\n")
    assert "\nsummary\n" in printed
    assert all(name in printed for name in names)


def test_a_data_set_that_is_not_there_is_named(home, capsys, monkeypatch):
    with pytest.raises(SystemExit, match="2"):
        bench(capsys, monkeypatch, "--data", home, "--only", "nowhere")
    assert "nowhere" in capsys.readouterr().err


def test_no_data_is_no_table(tmp_path, capsys, monkeypatch):
    assert bench(capsys, monkeypatch, "--data", tmp_path).strip() == ""


def test_a_system_that_fails_says_why_and_comes_last(tmp_path):
    write(tmp_path / "one", [("a", "just one class")], [("a", "just one class")])
    rows = [
        {"case": "one", "system": name} | accuracy.attempt(name, tmp_path / "one", 1.0)
        for name in ("LogisticRegression", "MultinomialNB")
    ]
    assert "class" in rows[0]["failed"]
    assert [row["mean_rank"] for row in accuracy.summary(rows)] == [2, 1]
    assert rows[0]["failed"] in accuracy.report(rows)


def test_two_texts_leave_nothing_to_search(tmp_path):
    write(tmp_path / "two", [("a", "good day"), ("b", "bad night")], [("a", "good"), ("b", "bad")])
    row = accuracy.attempt("naive Bayes, best of grid", tmp_path / "two", 1.0)
    assert row["accuracy"] == 1
    assert row["setting"] == "MultinomialNB alpha=1, word (1, 1)"


def test_figures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(3), 200)
    classes, truths = ["a", "b", "c"], rng.choice(["a", "b", "c"], 200).tolist()
    answers = [classes[place] for place in chances.argmax(axis=1)]
    found = accuracy.judged(truths, classes, chances)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(truths, answers))
    assert found["macro_f1"] == pytest.approx(metrics.f1_score(truths, answers, average="macro"))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(truths, chances))


def test_rows_of_a_class_never_learned_are_wrong_and_have_no_log_loss():
    chances = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.1]])
    found = accuracy.judged(["a", "a", "b", "new"], ["a", "b"], chances)
    assert found["accuracy"] == 0.75
    assert found["log_loss"] == pytest.approx(-np.log(0.9))
    assert found["ece"] == pytest.approx(0.15)
    assert "log_loss" not in accuracy.judged(["new"], ["a", "b"], chances[:1])


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("明日は雨が降る", "char"),
        ("วันนี้อากาศดี", "char"),
        ("오늘 날씨가 좋다", "word"),
        ("сегодня дождь", "word"),
        ("", "word"),
    ],
)
def test_scripts_without_spaces_are_counted_by_characters(text, unit):
    assert accuracy.units([text, text]) == unit


def test_the_summary_has_means_ranks_and_the_largest_gap():
    figures = {
        "x": (("plainbayes quick", 0.8), ("this", 0.9), ("that", 0.7)),
        "y": (("plainbayes quick", 1.0), ("this", 0.5)),
    }
    rows = [{"case": c, "system": s, "accuracy": a, "ece": 0.1} for c, some in figures.items() for s, a in some]
    rows.append({"case": "y", "system": "that", "failed": "MemoryError"})
    ours, this, that = accuracy.summary(rows)
    expected = {"sets": 2, "mean_accuracy": 0.9, "mean_ece": 0.1, "largest_gap": 0.1, "gap_at": "x", "mean_rank": 1.5}
    assert ours == {"system": "plainbayes quick"} | expected
    assert (this["mean_rank"], this["largest_gap"]) == (1.5, 0)
    assert (that["sets"], that["mean_rank"]) == (1, 3)
