"""A model measured on rows with labels."""

import json
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
from sklearn import metrics

from plainbayes import Costs, TableRegressor, TextClassifier, load, sources
from plainbayes.cli import findings, learning, misjudged
from plainbayes.cli.commands import evaluate
from plainbayes.evaluate import evaluate as measured
from plainbayes.posterior import Posterior


def rows(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("some", [1, 4096])
def test_figures_are_those_of_scikit_learn(some, model, run, monkeypatch):
    monkeypatch.setattr(evaluate, "SOME", some)
    figures = json.loads(run("evaluate", model, "test.tsv", "--json")[0])
    truths, texts = zip(*rows(model.parent / "test.tsv"), strict=True)
    answers, probabilities = load(model).predict(texts), load(model).predict_proba(texts)
    assert figures["rows"] == 4
    assert figures["accuracy"] == metrics.accuracy_score(truths, answers)
    assert figures["macro_f1"] == pytest.approx(metrics.f1_score(truths, answers, average="macro"))
    assert figures["log_loss"] == pytest.approx(metrics.log_loss(truths, probabilities))
    assert figures["brier"] == pytest.approx(
        ((probabilities - np.eye(2)[[int(t == "spam") for t in truths]]) ** 2).sum() / 4
    )
    assert figures["confusion"]["labels"] == ["ham", "spam"]
    assert figures["confusion"]["matrix"] == metrics.confusion_matrix(truths, answers).tolist()
    assert 0 <= figures["ece"] <= 1


def test_a_mean_cost_is_told_where_costs_are(model, run):
    truths, texts = zip(*rows(model.parent / "test.tsv"), strict=True)
    loss = Costs("ham>spam=4, spam>ham=1, ask=0.3")
    figures = json.loads(run("evaluate", model, "test.tsv", "--json", "--cost", "costs.toml")[0])
    assert figures["mean_cost"] == pytest.approx(loss.mean(truths, load(model).decide(texts, loss)))
    assert figures["cost_saved"] == pytest.approx(figures["mean_cost_of_labels"] - figures["mean_cost"])
    assert figures["asked"] == load(model).decide(texts, loss).count("ask") / 4
    assert "mean cost" in run("evaluate", model, "test.tsv", "--cost", "costs.toml")[0]


def test_a_table_is_read_by_people(model, run):
    out, err = run("evaluate", model, "test.tsv")
    assert out.startswith("rows                  4\naccuracy ") and err == ""


def test_classes_never_learned_are_wrong_but_no_mistake(model, run):
    figures = json.loads(run("evaluate", model, "more.tsv", "--json")[0])
    assert figures["confusion"]["labels"] == ["ham", "spam", "work"]
    assert figures["log_loss"] == float("inf")


def test_rows_without_labels_are_told_and_no_rows_a_mistake(model, run):
    (model.parent / "odd.tsv").write_text("spam\tcheap\n\tnobody\n")
    assert run("evaluate", model, "odd.tsv", "--json")[1] == "1 row without label or text skipped\n"
    (model.parent / "none.tsv").write_text("\tnobody\n\tnothing\n")
    assert "none.tsv" in run("evaluate", model, "none.tsv", code=2)[1]


def test_a_report_is_one_page_and_the_figures_are_told_as_ever(model, run):
    plain = run("evaluate", model, "test.tsv")[0]
    out, err = run("evaluate", model, "test.tsv", "--report", "report.html")
    page = (model.parent / "report.html").read_text(encoding="utf-8")
    assert out == plain and err == "report in report.html\n"
    assert "<h1>mail.bayes on test.tsv</h1>" in page and "Right in " in page
    assert 'id="learning"' not in page
    json.loads(run("evaluate", model, "test.tsv", "--report", "report.html", "--json", "--cost", "costs.toml")[0])
    costly = (model.parent / "report.html").read_text(encoding="utf-8")
    assert "threshold 80%" in costly and "<dt>cost saved</dt>" in costly


@pytest.mark.parametrize("some", [1, 4096])
def test_a_report_does_not_depend_on_how_many_rows_are_judged_at_a_time(some, model, run, monkeypatch):
    run("evaluate", model, "mail.tsv", "--report", "whole.html")
    monkeypatch.setattr(evaluate, "SOME", some)
    run("evaluate", model, "mail.tsv", "--report", "parts.html")
    whole, parts = ((model.parent / f"{name}.html").read_text(encoding="utf-8") for name in ("whole", "parts"))
    assert whole == parts


def test_the_worst_mistakes_are_shown_with_their_explanation(model, run, monkeypatch):
    monkeypatch.setattr(findings, "WORST", 2)
    odd = [("ham", "cheap pills"), ("spam", "see you at noon"), ("work", "cheap <script>"), ("ham", "lunch")]
    (model.parent / "odd.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in odd))
    run("evaluate", model, "odd.tsv", "--report", "odd.html")
    page = (model.parent / "odd.html").read_text(encoding="utf-8")
    assert page.count("<article>") == 2
    # A class that nobody knows had no probability at all.
    assert page.index("cheap &lt;script&gt;</blockquote>") < page.index("</article>")
    assert "<script" not in page


def test_a_learning_curve_needs_rows_to_learn_from(model, run):
    (model.parent / "many.tsv").write_text((model.parent / "mail.tsv").read_text(encoding="utf-8") * 5, "utf-8")
    run("evaluate", model, "test.tsv", "--report", "report.html", "--train", "many.tsv")
    page = (model.parent / "report.html").read_text(encoding="utf-8")
    assert 'id="learning"' in page and "to 50 rows" in page
    assert "add --report" in run("evaluate", model, "test.tsv", "--train", "mail.tsv", code=2)[1]
    (model.parent / "none.tsv").write_text("\tnobody\n\tnothing\n")
    none = run("evaluate", model, "test.tsv", "--report", "r.html", "--train", "none.tsv", code=2)[1]
    assert "no rows with a label to learn from" in none


@pytest.mark.parametrize("some", [3, 4096])
def test_a_learning_curve_ends_with_all_rows_counted_plainly(some, model, monkeypatch):
    monkeypatch.setattr(learning, "SOME", some)
    truths, texts = zip(*rows(model.parent / "mail.tsv"), strict=True)
    learners = learning.Learners(load(model), sources.texts(list(texts), list(truths)))
    for at in (0, 5):
        learners.judge(truths[at : at + 5], texts[at : at + 5])
    last = learners.learned[-1]
    plain = TextClassifier("multinomial", effort="plain").fit(texts, truths)
    assert (last.rows, last.accuracy) == (10, plain.score(texts, truths))
    assert [each.rows for each in learners.learned] == sorted({each.rows for each in learners.learned})


def test_a_report_of_too_many_rows_is_refused_with_a_hint(model, run, monkeypatch):
    monkeypatch.setattr(findings, "CELLS", 7)
    err = run("evaluate", model, "test.tsv", "--report", "report.html", code=2)[1]
    assert "up to 7, got at least 8" in err and "plainbayes split" in err
    assert not (model.parent / "report.html").exists()


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_judged(model, run):
    out, err = run("evaluate", model, "test.tsv", "--report", "nowhere/report.html", code=2)
    assert out == "" and "a folder that is there, got 'nowhere/report.html'" in err


def test_a_report_is_there_even_if_nobody_reads_the_figures(model, folder):
    command = [sys.executable, "-u", "-m", "plainbayes", "evaluate", "mail.bayes", "test.tsv", "--report", "r.html"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder) as process:
        process.stdout.close()
    assert process.returncode == 0 and (folder / "r.html").exists()


@pytest.fixture
def shop(folder):
    text = resources.files("plainbayes").joinpath("samples", "shop.csv").read_text(encoding="utf-8")
    (folder / "shop.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_report_of_a_table_speaks_of_its_columns(shop, run):
    run("train", "shop.csv", "--label", "bought", "--effort", "plain", "-o", "shop.bayes")
    run("evaluate", "shop.bayes", "shop.csv", "--report", "shop.html", "--train", "shop.csv")
    page = (shop / "shop.html").read_text(encoding="utf-8")
    assert "<title>referral = ad: -" in page and "<title>device = phone: -" in page
    assert "to 240 rows" in page
    assert ", device=" in page and "\ufffd" not in page


@pytest.fixture
def seconds(shop, run):
    run("train", "shop.csv", "--label", "seconds", "--effort", "plain", "-o", "seconds.bayes")
    return shop


def test_a_report_on_numbers_is_one_page_and_the_figures_are_told_as_ever(seconds, run):
    plain = run("evaluate", "seconds.bayes", "shop.csv")[0]
    out, err = run("evaluate", "seconds.bayes", "shop.csv", "--report", "r.html")
    page = (seconds / "r.html").read_text(encoding="utf-8")
    assert out == plain and err == "report in r.html\n"
    assert "<h1>seconds.bayes on shop.csv</h1>" in page and "Off by " in page
    assert page.count("<article>") == 2 * misjudged.WORST
    assert 'id="columns"' in page and "device=" in page and "seconds=" not in page


def test_a_report_on_numbers_has_a_learning_curve_too(seconds, run):
    several = ("evaluate", "seconds.bayes", "shop.csv", "--report", "r.html")
    run(*several, "--train", "shop.csv")
    page = (seconds / "r.html").read_text(encoding="utf-8")
    assert 'id="learning"' in page and "rows, judged on the rows of this report" in page
    (seconds / "none.csv").write_text("device,seconds\nphone,\n", encoding="utf-8")
    assert "to learn from were found" in run(*several, "--train", "none.csv", code=2)[1]


def test_a_learning_curve_of_numbers_ends_with_all_rows_counted_plainly():
    x = np.arange(800) % 40.0
    columns, values = {"x": x}, 3 * x + np.arange(800) % 3
    model = TableRegressor(effort="plain").fit(columns, values)
    curve = learning.NumberLearners(model, columns, values).judge(values, model.texts(columns))
    assert [each.rows for each in curve] == sorted(each.rows for each in curve) and len(curve) == 5
    assert curve[-1].rows == 800 and 30 < curve[0].rows < 70
    assert curve[-1].error == pytest.approx(np.abs(model.posterior(columns).median() - values).mean(), rel=0.02)
    assert curve[-1].error < curve[0].error
    few = {"x": x[:3]}
    assert (
        sum(each.rows == 3 for each in learning.NumberLearners(model, few, values[:3]).judge(values[:3], ["", "", ""]))
        == 1
    )


def test_a_report_on_numbers_has_a_limit(seconds, run, monkeypatch):
    several = ("evaluate", "seconds.bayes", "shop.csv", "--report", "r.html")
    monkeypatch.setattr(findings, "CELLS", 7)
    assert "up to 7, got at least" in run(*several, code=2)[1]
    assert not (seconds / "r.html").exists()


def test_every_text_has_the_same_chance_to_be_explained(monkeypatch):
    monkeypatch.setattr(findings, "SOME", 5)
    kept = [0] * 20
    for seed in range(400):
        gathering = findings.Gathering(None)
        gathering.chance.seed(seed)
        for row in range(20):
            gathering._sample(row, str(row))
        for text in gathering.texts:
            kept[int(text)] += 1
    assert sum(kept) == 400 * 5 and all(60 < count < 140 for count in kept)


def test_of_many_classes_those_most_often_mistaken_are_compared():
    table = Posterior(tuple("abc"), np.log([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.7, 0.1]]), np.zeros(3, bool))
    assert findings.rivals(measured(["a", "b", "c"], table)) == ("c", "b")
    assert findings.rivals(measured(["a", "b", "b"], table)) == ("a", "b"), "the two commonest"
    assert findings.rivals(measured(["a", "new", "new"], table))[0] != "new"


def test_a_model_of_one_class_has_a_report_without_explanations(model, run):
    ham = [line for line in (model.parent / "mail.tsv").read_text(encoding="utf-8").splitlines(True) if line[0] == "h"]
    (model.parent / "ham.tsv").write_text("".join(ham), encoding="utf-8")
    run("unlearn", model, "ham.tsv")
    (model.parent / "two.tsv").write_text("spam\tcheap\nham\tnoon\n")
    run("evaluate", model, "two.tsv", "--report", "report.html")
    page = (model.parent / "report.html").read_text(encoding="utf-8")
    assert 'id="nomogram"' not in page and page.count("<article>") == 1


def test_without_a_report_nothing_of_it_is_imported(model, folder):
    code = (
        "import sys; from plainbayes.cli import main; main(['evaluate', 'mail.bayes', 'test.tsv']);"
        "print([name for name in sys.modules if 'report' in name or 'findings' in name])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    assert out.stdout.splitlines()[-1] == "[]"
