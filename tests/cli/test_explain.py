"""Why, word by word."""

import json
import math

import pytest

from plainbayes import TextClassifier, load
from plainbayes.cli.commands import explain


def test_json_adds_up_and_is_the_models(model, run):
    text = "cheap cheap молоко at noon, strange"
    answer = json.loads(run("explain", model, text, "--json")[0])
    why = load(model).explain(text)
    assert {"label", "against", "prior", "bias", "shares", "total"} <= set(answer)
    assert (answer["label"], answer["against"]) == (why.label, why.against)
    assert {"feature": "cheap", "count": 2, "nats": pytest.approx(why.shares[0].nats)} in answer["shares"]
    nats = [answer["prior"], answer["bias"], *(share["nats"] for share in answer["shares"])]
    assert math.fsum(nats) == pytest.approx(answer["total"]) == pytest.approx(why.total)


def test_any_two_classes_are_compared(model, run):
    answer = json.loads(run("explain", model, "cheap", "--against", "ham", "--json")[0])
    assert (answer["label"], answer["against"]) == ("spam", "ham")
    _, err = run("explain", model, "cheap", "--against", "eggs", code=2)
    assert err == "plainbayes: no class is called 'eggs'\nhint: there are 'ham', 'spam'\n"
    assert "twice" in run("explain", model, "cheap", "--against", "spam", code=2)[1]


def test_a_table_shows_what_said_most(model, run):
    out, _ = run("explain", model, "-n", "1", stdin="cheap lunch\nat noon")
    lines = out.splitlines()
    assert lines[0].startswith("ham with probability 0.")
    assert lines[1].startswith("log odds ham : spam = +")
    assert lines[2].startswith("  prior ")
    assert len(lines) == 5 and lines[-1].startswith("  3 more ")


def test_colours_show_on_a_terminal(model, run, monkeypatch):
    monkeypatch.setattr(explain, "colourful", lambda stream: True)
    monkeypatch.setattr(explain, "painted", lambda text, style, stream: f"<{style} {text}>")
    out, _ = run("explain", model, "cheap cheap\nmilk strange")
    assert out.splitlines()[:2] == ["<bold <for cheap>> <bold <for cheap>>", "<against milk> strange"]


def test_the_absence_of_words_and_silence_are_told(folder, run):
    run("train", "mail.tsv", "--event", "bernoulli", "-o", "b.bayes")
    assert "\n  bias " in run("explain", "b.bayes", "cheap")[0]
    TextClassifier(alpha=0.0).fit(["a", "b"], ["x", "y"]).save("sure.bayes")
    out, _ = run("explain", "sure.bayes", "a b")
    assert "every class calls this impossible" in out
    assert "inf" in run("explain", "sure.bayes", "a")[0]
    assert json.loads(run("explain", "sure.bayes", "a", "--json")[0])["total"] == math.inf


def test_a_page_goes_to_a_file_or_to_stdout(model, run):
    out, _ = run("explain", model, "<b>cheap</b> milk", "--html")
    assert out.startswith("<!doctype html>") and "&lt;b&gt;cheap&lt;/b&gt;" in out
    assert run("explain", model, "<b>cheap</b> milk", "--html", "-o", "why.html") == ("", "")
    assert (model.parent / "why.html").read_text(encoding="utf-8") == out


def test_a_page_that_cannot_be_written_is_a_sentence(model, run):
    assert (
        "could not write the file 'no/why.html': no such"
        in run("explain", model, "cheap", "-o", "no/why.html", code=2)[1]
    )


def test_a_row_of_a_file_is_explained(model, run):
    lines = (model.parent / "lines.txt").read_text().splitlines()
    for row, line in enumerate(lines):
        assert run("explain", model, "-i", "lines.txt", "--row", row)[0] == run("explain", model, line)[0]
    assert (
        "a row from 0 to 2 was expected, got --row 3" in run("explain", model, "-i", "lines.txt", "--row", 3, code=2)[1]
    )
    assert "got both" in run("explain", model, "cheap", "-i", "lines.txt", code=2)[1]
