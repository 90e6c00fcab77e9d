"""What models have counted: shown, compared, added up and exported."""

import csv
import io
import json
import math
import sys

import pytest

from plainbayes import TextClassifier
from plainbayes.storage import file


def test_info_tells_what_was_learned_and_how(model, run):
    about = json.loads(run("info", model, "--json")[0])
    assert about["classes"] == {"ham": 6, "spam": 4} and about["texts"] == 10
    assert about["kind"] == "text" and about["bytes"] == model.stat().st_size
    assert about["event"]["name"] == "multinomial" and about["made"]["of"] == "mail.tsv"
    out, err = run("info", model)
    assert "texts     10 texts in 2 classes\n" in out and "\n  ham           6\n" in out and err == ""


def test_weights_count_in_info(folder, run):
    TextClassifier().fit(["a", "a", "b"], ["x", "x", "y"], [0.5, 2.0, 1.0]).save("w.bayes")
    assert json.loads(run("info", "w.bayes", "--json")[0])["classes"] == {"x": 2.5, "y": 1}


def test_the_most_telling_word_of_spam_is_cheap(model, run):
    found = json.loads(run("words", model, "spam", "-n", "2", "--json")[0])
    assert list(found) == ["spam"] and len(found["spam"]) == 2
    first = found["spam"][0]
    assert (first["word"], first["count"]) == ("cheap", 5)
    vocabulary = json.loads(run("info", model, "--json")[0])["vocabulary"]
    rows = [json.loads(line) for line in run("export", model, "--to", "json")[0].splitlines()]
    totals = {label: sum(row["count"] for row in rows if row["class"] == label) for label in ("ham", "spam")}
    expected = math.log(6 / (totals["spam"] + vocabulary)) - math.log(2 / (totals["ham"] + vocabulary))
    assert first["nats"] == pytest.approx(expected)


def test_words_of_all_classes_are_listed_one_after_the_other(model, run):
    out, _ = run("words", model, "-n", "1")
    lines = out.splitlines()
    assert (lines[0], lines[2], lines[3]) == ("ham", "", "spam")
    assert lines[4].split()[0] == "cheap"
    assert run("words", model, "spam", "-n", "1")[0].split()[0] == "cheap"
    assert "no class is called 'eggs'" in run("words", model, "eggs", code=2)[1]


def test_words_of_a_class_without_words_are_none(folder, run):
    TextClassifier().fit(["", "a"], ["x", "y"]).save("w.bayes")
    assert run("words", "w.bayes", "x")[0] == ""


def test_models_add_up(model, run):
    run("train", "test.tsv", "-o", "a.bayes")
    _, err = run("merge", model, "a.bayes", "-o", "sum.bayes")
    assert err == "merged 2 models: 2 classes\n"
    run("learn", model, "test.tsv")
    assert run("diff", model, "sum.bayes")[0] == "no difference\n"
    run("train", "test.tsv", "--ngrams", "2", "-o", "b.bayes")
    assert (
        "one reads words, the other words and pairs of them"
        in run("merge", model, "b.bayes", "-o", "sum.bayes", code=2)[1]
    )


def test_differences_are_told_class_by_class(model, run):
    run("learn", model, "more.tsv", "-o", "more.bayes")
    found = json.loads(run("diff", model, "more.bayes", "-n", "2", "--json")[0])
    assert not found["same"] and found["only_in_a"] == 0 and found["only_in_b"] > 0
    assert found["classes"]["ham"] == {"texts": [6, 6], "words": []}
    assert found["classes"]["spam"]["texts"] == [4, 5]
    assert found["classes"]["work"]["texts"] == [0, 1] and len(found["classes"]["work"]["words"]) == 2
    assert all(word["counts"][0] == 0 and word["nats"] > 0 for word in found["classes"]["work"]["words"])
    out, _ = run("diff", model, "more.bayes")
    assert "work: 0 and 1 text\n" in out and "only in B\n" in out


def test_counts_are_exported_as_a_table(model, run):
    rows = list(csv.DictReader(io.StringIO(run("export", model, "--to", "csv")[0])))
    cheap = {"word": "cheap", "class": "spam", "count": "5", "texts": "3"}
    assert cheap in rows
    lines = [json.loads(line) for line in run("export", model, "--to", "json")[0].splitlines()]
    assert [{name: str(value) for name, value in line.items()} for line in lines] == rows
    assert run("export", model, "--to", "csv", "-o", "words.csv") == ("", "")
    assert (model.parent / "words.csv").read_text(encoding="utf-8") == run("export", model, "--to", "csv")[0]


def test_fractions_are_exported_as_such(folder, run):
    TextClassifier().fit(["a", 'a "quoted", b'], ["x", "y"], [0.5, 1.0]).save("w.bayes")
    assert "a,x,0.5,0.5\n" in run("export", "w.bayes", "--to", "csv")[0]


def test_parquet_has_the_same_rows(model, run):
    duckdb = pytest.importorskip("duckdb")
    run("export", model, "--to", "parquet", "-o", "words.parquet")
    rows = duckdb.sql("SELECT * FROM 'words.parquet'").fetchall()
    lines = [json.loads(line) for line in run("export", model, "--to", "json")[0].splitlines()]
    assert sorted(rows) == sorted(tuple(line.values()) for line in lines)


def test_parquet_names_what_it_lacks(model, run, monkeypatch):
    assert "-o words.parquet" in run("export", model, "--to", "parquet", code=2)[1]
    monkeypatch.setitem(sys.modules, "duckdb", None)
    _, err = run("export", model, "--to", "parquet", "-o", "words.parquet", code=2)
    assert "pip install 'plainbayes[tables]'" in err


@pytest.mark.parametrize("command", ["info", "words", "predict", "explain", "evaluate", "learn"])
@pytest.mark.parametrize(
    "settings",
    [{}, {"kind": "text", "analyzer": {"rules": "nonsense"}, "names": 5, "prior": {"name": "np"}, "event": []}],
)
def test_a_file_that_only_looks_like_a_model_is_refused(command, settings, folder, run):
    file.write("forged.bayes", settings, {"words.starts": ("U32", (1,), b"\0\0\0\0")})
    before = (folder / "forged.bayes").read_bytes()
    out, err = run(command, "forged.bayes", *(["mail.tsv"] if command not in ("info", "words") else []), code=2)
    assert out == "" and "the model 'forged.bayes' is damaged: it does not hold what a model for texts has" in err
    assert (folder / "forged.bayes").read_bytes() == before


@pytest.mark.parametrize("command", ["info", "words", "predict", "explain", "evaluate", "learn", "export"])
def test_a_damaged_model_is_refused_by_every_command(command, model, run):
    more = {"export": ["--to", "csv"], "info": [], "words": []}.get(command, ["mail.tsv"])
    whole = model.read_bytes()
    for broken in (whole[:-1], whole[: len(whole) // 2], whole[:100] + b"?" + whole[101:], b"", b"nonsense" * 9):
        model.write_bytes(broken)
        out, err = run(command, model, *more, code=2)
        assert out == "" and err.startswith("plainbayes: ") and "should not have happened" not in err


def test_texts_and_tables_are_not_compared(model, run):
    run("train", "shop.csv", "--label", "bought", "--effort", "plain", "-o", "shop.bayes")
    assert "got one of each" in run("diff", model, "shop.bayes", code=2)[1]


def test_exports_and_sums_speak_json(model, run):
    assert run("export", model, "--json")[0] == run("export", model, "--to", "json")[0]
    assert "a format was expected" in run("export", model, code=2)[1]
    out, _ = run("merge", model, model, "-o", "sum.bayes", "--json")
    assert json.loads(out) == {"model": "sum.bayes", "classes": ["ham", "spam"], "texts": 20}


def test_where_a_model_comes_from_is_kept(model, run):
    run("learn", model, "more.tsv")
    assert json.loads(run("info", model, "--json")[0])["made"]["of"] == "mail.tsv"
    run("train", "test.tsv", "-o", "a.bayes")
    run("merge", model, "a.bayes", "-o", "sum.bayes")
    assert json.loads(run("info", "sum.bayes", "--json")[0])["made"]["of"] == "mail.tsv, test.tsv"
