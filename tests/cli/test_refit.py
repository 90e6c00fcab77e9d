"""Training says what to expect of words that are weighed, info when that is old, refit renews it."""

import json

import pytest

from plainbayes.cli.commands.train import chosen
from plainbayes.demo import sample
from plainbayes.trust import Manner


@pytest.fixture
def messages(folder):
    rows = [(row["label"], row["text"]) for row in sample("messages.tsv")]
    for name, some in (("all.tsv", rows), ("half.tsv", rows[::2])):
        (folder / name).write_text("".join(f"{label}\t{text}\n" for label, text in some), encoding="utf-8")
    return rows


def test_training_says_what_was_chosen_and_what_to_expect(messages, run):
    out, err = run("train", "all.tsv", "-o", "m.bayes", "--json")
    about = json.loads(out)
    assert about["reading"].startswith("words and pairs of them")
    assert 0.7 < about["estimate"]["accuracy"] < 1
    assert f"expect {about['estimate']['accuracy']:.1%} right" in err
    assert f"{about['estimate']['texts']} texts, each judged by what the others taught" in err
    first, second = (one["loss"] for one in about["tried"][:2])
    assert f"reading chosen by the log loss of texts left out: {about['reading']} {first:.3f} rather than " in err
    assert f" {second:.3f}" in err
    assert {one["value"] for one in about["tried"] if one["what"] == "event"} == {"multinomial", "bernoulli"}
    assert f"a word counts once a text, texts are scaled to one length; smoothing {about['manner']['alpha']:g}; " in err
    assert "a bias for every class in place of the prior" in err
    assert "chosen by the log loss of texts left out" in run("info", "m.bayes")[0]
    assert "~" not in run("words", "m.bayes")[0]
    assert json.loads(run("evaluate", "m.bayes", "all.tsv", "--json")[0])["accuracy"] > 0.9
    assert json.loads(run("explain", "m.bayes", messages[0][1], "--json")[0])["label"] == messages[0][0]


def test_refitting_renews_what_learning_made_old(messages, run):
    run("train", "half.tsv", "-o", "m.bayes")
    assert "stale" not in run("info", "m.bayes")[0]
    run("learn", "m.bayes", "half.tsv")
    out, _ = run("info", "m.bayes")
    assert f"fitted to {len(messages[::2])} texts" in out
    assert "stale: the texts have changed since; plainbayes refit renews it" in out
    _, err = run("refit", "m.bayes", "half.tsv", "-o", "fresh.bayes")
    assert "expect " in err
    assert "stale" not in run("info", "fresh.bayes")[0]
    assert json.loads(run("info", "m.bayes", "--json")[0])["stale"]
    out, err = run("refit", "fresh.bayes", "half.tsv", "--json")
    assert json.loads(out)["estimate"]["texts"] > 100


def test_texts_of_a_group_are_left_out_together(folder, messages, run):
    """Threads, each about one thing: a message is easy to judge by the others of its thread, and only by them."""
    rows = [
        {"label": messages[thread][0], "text": f"thread{thread} message{number}", "thread": thread if thread else None}
        for thread in range(80)
        for number in range(4)
    ]
    (folder / "threads.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    names = ("--text", "text", "--label", "label", "--json")
    careless = json.loads(run("train", "threads.jsonl", "-o", "t.bayes", *names)[0])
    careful = json.loads(run("train", "threads.jsonl", "-o", "t.bayes", *names, "--groups", "thread")[0])
    assert careless["estimate"]["accuracy"] > 0.9 > 0.8 > careful["estimate"]["accuracy"]
    again = json.loads(run("refit", "t.bayes", "threads.jsonl", *names, "--groups", "thread")[0])
    assert again["estimate"]["accuracy"] == careful["estimate"]["accuracy"]


def test_choices_are_said_in_words():
    manner = vars(Manner("log", short=False, rare=True, alpha=0.3, strength=1.0, leaning=3.0))
    tried = [("reading", "words", 0.5), ("event", "multinomial", 0.4), ("event", "bernoulli", 0.41234)]
    assert chosen([], manner, True) == []
    assert chosen(tried, manner, False) == [
        "reading chosen by the log loss of texts left out: words 0.500",
        "event chosen by the log loss of texts left out: multinomial 0.400 rather than bernoulli 0.412",
        "chosen in the same way: a word counts by the logarithm of how often it stands; smoothing 0.3; rare words "
        "start louder; an exponent for every word, held to the common one with strength 1; words lean to classes, "
        "held back with strength 3",
    ]
    weighed = [("exponents", "bernoulli", 0.3), ("exponents", "multinomial", 0.4)]
    assert chosen([*tried, *weighed], manner, True)[1].endswith(
        "left out: bernoulli 0.300 rather than multinomial 0.400"
    )
    quiet = manner | {"rare": False, "leaning": None}
    assert chosen(tried, quiet, True)[2].endswith("with strength 1; a bias for every class in place of the prior")


def test_more_than_is_kept_is_said(messages, run, monkeypatch):
    monkeypatch.setattr("plainbayes.documents.KEPT", 15_000)
    _, err = run("train", "all.tsv", "-o", "m.bayes")
    assert "all texts were counted, " in err
    assert "% of them weighed" in err


def test_settings_that_are_given_leave_less_to_choose(messages, run):
    out, _ = run("train", "all.tsv", "--ngrams", "1", "--alpha", "0.4", "--prior", "uniform", "-o", "m.bayes", "--json")
    assert json.loads(out)["reading"] == "words"
    assert json.loads(out)["manner"]["alpha"] == 0.4
    assert json.loads(out)["prior"] == "given"
    assert (
        json.loads(run("train", "all.tsv", "--event", "bernoulli", "-o", "m.bayes", "--json")[0]).get("estimate")
        is None
    )


def test_too_few_texts_are_said(model, run):
    before = model.read_bytes()
    assert "were expected to fit anything to, got 10" in run("refit", "mail.bayes", "mail.tsv", code=2)[1]
    assert model.read_bytes() == before
