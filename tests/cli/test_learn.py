"""Learning into a model file and unlearning from it, alone and many at once."""

import json
import subprocess
import sys

import pytest

from plainbayes import load


def same(one, other, run):
    return json.loads(run("diff", one, other, "--json")[0])["same"]


def test_learning_more_is_learning_all_at_once(model, run):
    _, err = run("learn", model, "more.tsv")
    assert err == "learned 2 texts\n"
    run("train", "mail.tsv", "more.tsv", "-o", "all.bayes")
    assert same(model, "all.bayes", run)
    assert load(model).classes == ("ham", "spam", "work")


def test_one_text_with_its_label(model, run):
    out, _ = run("learn", model, "--label", "spam", "win a prize", "-o", "more.bayes", "--json")
    assert json.loads(out) == {"model": "more.bayes", "rows": 1, "skipped": 0}
    run("learn", model, "--label", "spam", stdin="win a\nprize")
    assert same(model, "more.bayes", run)


def test_what_is_learned_can_be_unlearned(model, run):
    before = model.read_bytes()
    run("learn", model, "more.tsv")
    assert model.read_bytes() != before
    _, err = run("unlearn", model, "more.tsv")
    assert err == "unlearned 2 texts\n"
    run("train", "mail.tsv", "-o", "again.bayes")
    assert same(model, "again.bayes", run)
    assert load(model).classes == ("ham", "spam")


@pytest.mark.parametrize(
    "arguments",
    [["more.tsv"], ["--label", "ham", "cheap pills"], ["--label", "eggs", "noon"], ["mail.tsv", "mail.tsv"]],
)
def test_what_was_never_learned_is_refused_and_nothing_changes(arguments, model, run):
    before = model.read_bytes()
    out, err = run("unlearn", model, *arguments, code=1)
    assert out == "" and err.startswith("plainbayes: cannot unlearn what was never learned")
    assert model.read_bytes() == before


@pytest.mark.parametrize("verb", ["learn", "unlearn"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mail.bayes"], "rows, or a --label with a text, were expected"),
        (["nothing.bayes", "more.tsv"], "nothing.bayes"),
        (["mail.bayes", "nothing.tsv"], "nothing.tsv"),
        (["mail.bayes", "mail.jsonl", "--text-column", "nothing", "--label-column", "folder"], "body"),
    ],
)
def test_mistakes_are_sentences_and_change_nothing(verb, arguments, message, model, run):
    before = model.read_bytes()
    out, err = run(verb, *arguments, code=2)
    assert out == "" and message in err
    assert model.read_bytes() == before


def test_columns_can_be_named(model, run):
    run("learn", model, "mail.jsonl", "--text-column", "body", "--label-column", "folder")
    run("unlearn", model, "mail.tsv")
    run("train", "mail.tsv", "-o", "again.bayes")
    assert same(model, "again.bayes", run)


def test_many_who_learn_at_once_lose_nothing(model, run):
    start = [sys.executable, "-m", "plainbayes", "learn", "mail.bayes", "--label"]
    learning = [
        subprocess.Popen([*start, label, f"word{number} cheap"], cwd=model.parent, stderr=subprocess.DEVNULL)
        for number in range(4)
        for label in ("spam", "ham")
    ]
    assert [each.wait() for each in learning] == [0] * 8
    for number in range(4):
        for label in ("spam", "ham"):
            run("unlearn", model, "--label", label, f"word{number} cheap")
    run("train", "mail.tsv", "-o", "again.bayes")
    assert same(model, "again.bayes", run)


def test_unlearning_all_there_is_is_refused(model, run):
    before = model.read_bytes()
    assert "unlearn all there is" in run("unlearn", model, "mail.tsv", code=2)[1]
    assert model.read_bytes() == before


def test_a_text_without_anything_is_refused(model, run):
    assert "a text was expected, got nothing" in run("learn", model, "--label", "spam", stdin="\n", code=2)[1]


def test_a_text_that_is_the_name_of_a_file_may_be_a_mistake(model, run):
    _, err = run("learn", model, "--label", "spam", "more.tsv")
    assert "more.tsv is taken for a text, though there is such a file" in err
