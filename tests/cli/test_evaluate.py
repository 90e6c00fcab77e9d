"""A model measured on rows with labels."""

import json

import numpy as np
import pytest
from sklearn import metrics

from plainbayes import Costs, load
from plainbayes.cli.commands import evaluate


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
    assert run("evaluate", model, "odd.tsv", "--json")[1] == "1 row without label skipped\n"
    (model.parent / "none.tsv").write_text("\tnobody\n\tnothing\n")
    assert "none.tsv" in run("evaluate", model, "none.tsv", code=2)[1]
