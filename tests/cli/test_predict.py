"""A line for every row, in order: label and probability, or JSON."""

import json
import math
import subprocess
import sys
import threading

import pytest

from plainbayes import TextClassifier, load

COSTS = "ham>spam=4, spam>ham=1, ask=0.3"


def test_a_text_is_an_argument(model, run):
    out, err = run("predict", model, "cheap pills")
    label, probability = out.removesuffix("\n").split("\t")
    expected = load(model).predict_proba("cheap pills")[0, 1]
    assert (label, float(probability)) == ("spam", pytest.approx(expected, abs=1e-4))
    assert err == ""


def test_several_texts_are_several_rows(model, run):
    out, _ = run("predict", model, "cheap pills", "see you at noon", "")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["spam", "ham", "ham"]
    assert run("predict", model, "--", "-cheap")[0].startswith("spam\t")


def test_lines_of_stdin_are_texts_and_empty_ones_count(model, run):
    out, _ = run("predict", model, stdin="cheap pills\n\nsee you at noon\n")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["spam", "ham", "ham"]
    assert run("predict", model, stdin="")[0] == ""
    assert run("predict", model, stdin="spam\tno label here\n")[0].count("\n") == 1


@pytest.mark.parametrize("name", ["lines.txt", "new.tsv", "mail.jsonl"])
def test_every_row_of_a_file_gets_a_line_whatever_its_format(name, model, run):
    more = ["--text", "body"] if name == "mail.jsonl" else []
    rows = (model.parent / name).read_text(encoding="utf-8").count("\n")
    out, _ = run("predict", model, "-i", name, *more)
    assert len(out.splitlines()) == rows
    answers = [json.loads(line) for line in run("predict", model, "-i", name, "--json", *more)[0].splitlines()]
    assert [answer["label"] for answer in answers] == [line.split("\t")[0] for line in out.splitlines()]


def test_labels_in_the_rows_change_nothing(model, run):
    (model.parent / "wrong.tsv").write_text("ham\tcheap pills\nspam\tsee you at noon\n")
    (model.parent / "right.txt").write_text("cheap pills\nsee you at noon\n")
    assert run("predict", model, "-i", "wrong.tsv") == run("predict", model, "-i", "right.txt")


def test_json_has_label_probabilities_and_scores(model, run):
    answer = json.loads(run("predict", model, "купить молоко", "--json")[0])
    assert set(answer) == {"label", "probabilities", "scores"}
    assert answer["label"] == "ham"
    assert math.fsum(answer["probabilities"].values()) == pytest.approx(1)
    assert list(answer["probabilities"]) == list(answer["scores"]) == ["ham", "spam"]
    odds = answer["scores"]["ham"] - answer["scores"]["spam"]
    assert odds == pytest.approx(math.log(answer["probabilities"]["ham"] / answer["probabilities"]["spam"]))
    assert answer["probabilities"]["ham"] == pytest.approx(load(model).predict_proba("купить молоко")[0, 0])


def test_the_best_few_stand_side_by_side(model, run):
    cells = run("predict", model, "cheap pills", "-k", "2")[0].split()
    assert [cells[0], cells[2]] == ["spam", "ham"]
    assert float(cells[1]) + float(cells[3]) == pytest.approx(1, abs=1e-3)
    assert run("predict", model, "cheap pills", "-k", "9")[0].split() == cells
    one = json.loads(run("predict", model, "cheap pills", "-k", "1", "--json")[0])
    assert list(one["probabilities"]) == list(one["scores"]) == ["spam"]


@pytest.mark.parametrize("costs", [COSTS, "costs.toml"])
def test_costs_decide(costs, model, run):
    unsure = "cheap lunch"
    answer = json.loads(run("predict", model, unsure, "--json", "--cost", costs)[0])
    p = answer["probabilities"]
    risks = {"ham": p["spam"], "spam": 4 * p["ham"], "ask": 0.3}
    assert answer["risk"] == pytest.approx(min(risks.values()))
    assert answer["answer"] == min(risks, key=risks.get)
    cells = run("predict", model, unsure, "--cost", costs)[0].split()
    assert cells == [answer["answer"], f"{answer['risk']:.4f}", answer["label"], f"{p[answer['label']]:.4f}"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.bayes", "text"], "nothing.bayes"),
        (["mail.tsv", "text"], "mail.tsv"),
        (["mail.bayes", "text", "-i", "new.tsv"], "texts or -i FILE were expected, got both"),
        (["mail.bayes", "-i", "nothing.tsv"], "nothing.tsv"),
        (["mail.bayes", "text", "--cost", "ham>eggs=1"], "the costs name 'eggs', but the classes are 'ham', 'spam'"),
        (["mail.bayes", "text", "--cost", "much"], "costs look like"),
        (["mail.bayes", "-i", "mail.jsonl", "--text", "nothing"], "body"),
        (["mail.bayes", "text", "-k", "0"], "a whole number above 0 was expected, got 0"),
    ],
)
def test_mistakes_are_sentences(arguments, message, model, run):
    out, err = run("predict", *arguments, code=2)
    assert out == "" and message in err and err.startswith("plainbayes: ")


def test_a_person_at_the_terminal_is_told_what_is_awaited(model, run):
    out, err = run("predict", model, stdin="cheap pills\n", typed=True)
    assert out.startswith("spam")
    assert err == "reading texts from the terminal, one a line; end with ctrl-D\n"


def test_bytes_that_are_no_utf8_are_replaced(model, run):
    out, err = run("predict", model, "-i", "-", "--encoding", "utf-8", stdin=b"cheap \xff pills\nnoon\n")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["spam", "ham"]
    assert err == "1 stretch of invalid UTF-8 replaced\n"
    assert run("predict", model, b"cheap \xff".decode("utf-8", "surrogateescape"))[0].startswith("spam\t")


def test_labels_that_are_no_text_or_break_lines_are_written_plainly(folder, run):
    TextClassifier().fit(["one", "two", "three three"], [1, 2, "three\tor\nmore"]).save("odd.bayes")
    assert run("predict", "odd.bayes", "three three")[0].split("\t")[0] == "three\\tor\\nmore"
    assert run("predict", "odd.bayes", "one")[0].split("\t")[0] == "1"
    assert json.loads(run("predict", "odd.bayes", "three three", "--json")[0])["label"] == "three\tor\nmore"


def test_threads_change_nothing(model, run, monkeypatch):
    monkeypatch.setenv("PLAINBAYES_THREADS", "2")
    assert run("predict", model, "-i", "mail.tsv", "--threads", "1") == run("predict", model, "-i", "mail.tsv")


def test_a_cold_answer_imports_nothing_that_takes_time(model):
    code = (
        "import sys; from plainbayes.cli import main; main(['predict', 'mail.bayes', 'cheap pills']);"
        "print([name for name in ('numpy', 'argparse', 'typing', 'dataclasses', 'pathlib') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=model.parent)
    assert out.stdout.splitlines()[1] == "[]", out.stdout


def test_answers_come_as_texts_come(model):
    with subprocess.Popen(
        [sys.executable, "-m", "plainbayes", "predict", "mail.bayes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=model.parent,
    ) as judging:
        waiting = threading.Timer(20, judging.kill)
        waiting.start()
        for text, label in ((b"cheap pills\n", b"spam"), (b"see you at noon\n", b"ham")):
            judging.stdin.write(text)
            judging.stdin.flush()
            assert judging.stdout.readline().startswith(label)
        judging.stdin.close()
        assert judging.wait() == 0
        waiting.cancel()


def test_the_mix_of_classes_may_come_from_the_texts(model, run, folder):
    rows = [json.loads(line) for line in run("predict", model, "-i", "new.tsv", "--json")[0].splitlines()]
    out, err = run("predict", model, "-i", "new.tsv", "--shift", "--json")
    moved = [json.loads(line) for line in out.splitlines()]
    assert "these texts seem to be ham " in err
    odds = [row["scores"]["ham"] - row["scores"]["spam"] for row in rows]
    shift = [row["scores"]["ham"] - row["scores"]["spam"] - odd for row, odd in zip(moved, odds, strict=True)]
    assert shift == pytest.approx([shift[0]] * len(rows))
    mean = sum(row["probabilities"]["spam"] for row in moved) / len(moved)
    said = float(err.partition("spam ")[2].partition("%")[0]) / 100
    assert said == pytest.approx(mean, abs=0.02)
    assert len(run("predict", model, "-i", "new.tsv", "--shift")[0].splitlines()) == len(rows)
    (folder / "none.txt").write_text("")
    assert run("predict", model, "--shift", stdin="")[0] == ""


@pytest.mark.parametrize("option", [("--quantiles", "0.5"), ("--loss", "squared")])
def test_what_is_about_numbers_is_refused_for_classes(option, model, run):
    assert f"{option[0]} is about numbers" in run("predict", model, "cheap", *option, code=2)[1]


def test_costs_that_say_nothing_are_refused(model, run):
    assert "costs were expected, got nothing" in run("predict", model, "cheap", "--cost", "", code=2)[1]


def test_a_line_without_an_object_is_no_row(model, run):
    lines = '{"text": "cheap"}\n\n{"text": "noon"}\n'
    assert len(run("predict", model, "-i", "-", "--text", "text", stdin=lines)[0].splitlines()) == 2
