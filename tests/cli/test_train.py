"""From rows in any format to a model file."""

import json
import os
import subprocess
import sys
from argparse import ArgumentTypeError

import numpy as np
import pytest

from plainbayes import Empirical, Given, InputError, Smoothed, TextClassifier, Uniform, load
from plainbayes.cli.commands.train import ngrams, prior


def rows(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def test_training_is_fitting(model):
    labels, texts = zip(*rows(model.parent / "mail.tsv"), strict=True)
    fitted = TextClassifier("multinomial", alpha=1.0).fit(texts, labels)
    np.testing.assert_array_equal(load(model).predict_proba(texts), fitted.predict_proba(texts))
    assert load(model).classes == ("ham", "spam")


@pytest.mark.parametrize(
    "data", [["mail.jsonl", "--text", "body", "--label", "folder"], ["letters", "--label-from", "^[a-z]+"], ["ma*.tsv"]]
)
def test_the_same_rows_in_another_format_give_the_same_model(data, model, run):
    out, err = run("train", *data, "-o", "other.bayes")
    assert out == "" and "learned 10 texts in 2 classes (ham, spam)" in err
    question = ["cheap lunch at noon"]
    np.testing.assert_array_equal(load("other.bayes").predict_proba(question), load(model).predict_proba(question))


def test_several_files_are_learned_together(folder, run):
    run("train", "mail.tsv", "more.tsv", "-o", "all.bayes")
    assert load("all.bayes").classes == ("ham", "spam", "work")


def test_settings_arrive_in_the_model(folder, run):
    settings = ["--event", "bernoulli", "--alpha", "0.5", "--prior", "ham=0.9, spam=0.1", "--ngrams", "1-2"]
    more = ["--rules", "sklearn", "--unknown", "ignore", "--effort", "plain", "--threads", "1", "--kind", "text"]
    out, _ = run("train", "mail.tsv", "-o", "b.bayes", *settings, *more, "--json")
    assert json.loads(out) == {"model": "b.bayes", "rows": 10, "skipped": 0, "replaced": 0, "classes": ["ham", "spam"]}
    about = json.loads(run("info", "b.bayes", "--json")[0])
    assert about["event"]["name"] == "bernoulli" and about["event"]["alpha"] == 0.5
    assert about["prior"] == {"name": "Given", "probabilities": {"ham": 0.9, "spam": 0.1}}
    assert about["analyzer"]["rules"] == "sklearn" and about["analyzer"]["ngrams"] in (2, [1, 2])
    assert os.environ.pop("PLAINBAYES_THREADS") == "1"


def test_too_many_classes_for_a_table_of_all_weights(model, run, monkeypatch):
    monkeypatch.setattr("plainbayes.plain.SMALL", 0)
    _, err = run("train", "mail.tsv", "-o", "many.bayes")
    assert err.startswith("learned 10 texts in 2 classes (ham, spam)\ntoo few different texts, ")
    assert run("diff", model, "many.bayes")[0] == "no difference\n"


def test_training_imports_no_numpy(folder):
    code = (
        "import sys; from plainbayes.cli import main;"
        "main(['train', 'mail.tsv', '--effort', 'plain', '-o', 'm.bayes']);"
        "print('numpy' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    assert out.stdout == "False\n"


def test_stems_and_stop_words_of_a_language(folder, run):
    run("train", "mail.tsv", "-o", "en.bayes", "--lang", "en", "--stop")
    words = load("en.bayes").vocabulary
    assert "watch" in words and "the" not in words
    assert "need a language" in run("train", "mail.tsv", "-o", "en.bayes", "--stop", code=2)[1]


def test_a_smaller_vocabulary_keeps_the_words_of_most_texts(folder, run):
    run("train", "mail.tsv", "-o", "small.bayes", "--max-vocabulary", "3")
    assert len(load("small.bayes").vocabulary) == 3
    assert "cannot unlearn" in run("info", "small.bayes")[0]
    _, err = run("unlearn", "small.bayes", "withdrawn.tsv", code=1)
    assert "cannot unlearn" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty.tsv"),
        (b"spam\tone\nspam\ttwo\n", "two classes at least were expected, got only 'spam' in empty.tsv"),
        (b"\x00\x01\x02\x03\xff\xfe\x00\x00" * 100, "empty.tsv"),
        (b"\n\n", "empty.tsv"),
        (b"\tone\n\ttwo\n", "no rows with a label and a text in empty.tsv"),
    ],
)
def test_what_gives_no_model_is_a_sentence(content, message, folder, run):
    (folder / "empty.tsv").write_bytes(content)
    out, err = run("train", "empty.tsv", "-o", "none.bayes", code=2)
    assert out == "" and message in err
    assert not (folder / "none.bayes").exists()


def test_what_is_odd_about_the_rows_is_said(folder, run):
    (folder / "odd.tsv").write_bytes("spam\tкупить\n\tnobody\nham\tмолоко\n".encode("windows-1251") * 50)
    _, err = run("train", "odd.tsv", "--encoding", "windows-1251", "-o", "odd.bayes")
    assert "read as windows-1251\n50 rows without label or text skipped\nlearned 100 texts" in err
    assert "молоко" in load("odd.bayes").vocabulary
    (folder / "broken.tsv").write_bytes(b"spam\tcheap \xff\nham\tnoon\n")
    _, err = run("train", "broken.tsv", "--encoding", "utf-8", "-o", "broken.bayes")
    assert "1 stretch of invalid UTF-8 replaced" in err
    _, err = run("train", "odd.tsv", "--encoding", "windows-1251", "--strict", "-o", "strict.bayes", code=2)
    assert not (folder / "strict.bayes").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.tsv", "-o", "x"], "nothing.tsv"),
        (["mail.tsv"], "the following arguments are required: -o/--output"),
        (["mail.tsv", "-o", "no/such/folder/x"], "no/such/folder/x"),
        (["mail.tsv", "-o", "x", "--event", "gaussian"], "texts need an event over counts"),
        (["mail.tsv", "-o", "x", "--event", "nothing"], "nothing"),
        (["mail.tsv", "-o", "x", "--alpha", "-1"], "-1"),
        (["mail.tsv", "-o", "x", "--lang", "xx"], "xx"),
        (["mail.tsv", "-o", "x", "--kind", "table"], "the column to predict was expected"),
        (["mail.jsonl", "-o", "x", "--text", "nothing", "--label", "folder"], "body"),
        (["mail.tsv", "-o", "x", "--prior", "ham=1"], "the given prior lacks class 'spam'"),
        (["mail.tsv", "-o", "x", "--effort", "much"], "--effort"),
        (["mail.csv", "-o", "x", "--groups", "sender", "--label", "folder"], "--groups needs files"),
        (
            ["mail.csv", "-o", "x", "--groups", "sender", "--text", "body", "--effort", "plain"],
            "just counted",
        ),
    ],
)
def test_mistakes_are_sentences(arguments, message, folder, run):
    out, err = run("train", *arguments, code=2)
    assert out == "" and message in err and err.startswith("plainbayes: ")
    assert "this should not have happened" not in err
    assert not (folder / "x").exists()


def test_a_full_disk_leaves_the_old_model(model, run, monkeypatch):
    before = model.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    _, err = run("train", "more.tsv", "-o", model, code=2)
    assert "no space left on device" in err
    assert model.read_bytes() == before


def test_priors_have_names_or_probabilities():
    assert [prior(name) for name in ("empirical", "smoothed", "uniform")] == [Empirical(), Smoothed(), Uniform()]
    assert prior("ham = 0.25, a=b=0.75") == Given({"ham": 0.25, "a=b": 0.75})
    for wrong in ("flat", "ham=much", "ham=0.5, spam"):
        with pytest.raises(InputError, match="a prior was expected, got"):
            prior(wrong)
    with pytest.raises(InputError, match="sum to 1"):
        prior("ham=0.25")


def test_ngrams_are_a_number_or_a_range():
    assert (ngrams("2"), ngrams("2-3")) == (2, (2, 3))
    for wrong in ("0", "3-2", "1-2-3", "-1", "two", ""):
        with pytest.raises(ArgumentTypeError, match="N or LO-HI was expected"):
            ngrams(wrong)


def test_a_table_is_told_from_texts(folder, run):
    (folder / "table.csv").write_text("label,age,city\nx,31,Oslo\ny,28,Lima\n")
    assert "learned 2 rows: label from 2 columns" in run("train", "table.csv", "-o", "t.bayes")[1]
    assert sorted(load("t.bayes").rows.vocabulary) == ["age=28", "age=31", "city=Lima", "city=Oslo"]
    run("train", "table.csv", "-o", "t.bayes", "--text", "city")
    assert sorted(load("t.bayes").vocabulary) == ["lima", "oslo"]


def test_a_model_reads_like_another(folder, run):
    run("train", "mail.tsv", "--ngrams", "2", "-o", "pairs.bayes")
    run("train", "more.tsv", "--like", "pairs.bayes", "-o", "like.bayes")
    assert load("like.bayes").analysis == load("pairs.bayes").analysis
    run("merge", "pairs.bayes", "like.bayes", "-o", "both.bayes")


def test_a_header_that_was_learned_is_suspected(folder, run):
    (folder / "odd.tsv").write_text("kind\tmessage\n" + "".join(f"{'ab'[n % 2]}\tword{n}\n" for n in range(30)))
    _, err = run("train", "odd.tsv", "-o", "odd.bayes", "--effort", "plain")
    assert "with one text only: kind; if the first line is a header, --text and --label name its columns" in err


def test_texts_in_the_place_of_labels_are_suspected(folder, run):
    (folder / "odd.tsv").write_text("".join(f"text {n}\t{'ab'[n % 2]}\n" for n in range(30)))
    _, err = run("train", "odd.tsv", "-o", "odd.bayes", "--effort", "plain")
    assert "nearly every text has a class of its own" in err


def test_json_that_is_no_lines_is_refused(folder, run):
    (folder / "mail.json").write_text('[{"label": "ham", "text": "a"}]')
    _, err = run("train", "mail.json", "-o", "m.bayes", code=2)
    assert "got a JSON array" in err and "jq -c" in err
