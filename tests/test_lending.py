"""What events lend to the ranges of numbers: where it predicts better, honestly, and to every copy of the counts."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import plainbayes
from plainbayes import Model, TableClassifier, TableRegressor, lending, tables, weights
from plainbayes.columns import Column, Layout
from plainbayes.events import named
from plainbayes.priors import Empirical
from plainbayes.weights import Counts, Sparse


def bells(rows, seed, columns=8):
    """Three classes, each of whose columns are normal around means that hardly differ."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, rows)
    means = np.random.default_rng(1).normal(0, 0.7, (3, columns))
    values = rng.normal(means[truth])
    return pd.DataFrame({f"x{place}": column for place, column in enumerate(values.T)}), np.array(list("abc"))[truth]


def surprise(model, frame, truth):
    places = {label: place for place, label in enumerate(model.classes)}
    return -np.log(model.predict_proba(frame)[np.arange(len(truth)), [places[label] for label in truth]]).mean()


@pytest.fixture(scope="module")
def model():
    return TableClassifier().fit(*bells(200, 2))


def test_where_rows_are_few_events_lend_to_ranges_and_predict_better(model, monkeypatch):
    assert model.layout.lent > 0
    assert {column.event for column in model.layout.columns} <= {"gaussian", "student", "logistic", "laplace"}
    monkeypatch.setattr(tables, "LENT", ())
    alone = TableClassifier().fit(*bells(200, 2))
    assert alone.layout.lent == 0
    assert alone.layout.columns[0].event == ""
    new = bells(2000, 3)
    assert surprise(model, *new) < surprise(alone, *new) - 0.01


def test_where_an_event_would_mislead_ranges_speak():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 40, 1500).astype(float)
    frame = pd.DataFrame({"x": x, "noise": rng.normal(size=1500)})
    truth = np.where(rng.random(1500) < 0.9, x // 5 % 2, 1 - x // 5 % 2)
    model = TableClassifier().fit(frame, truth)
    assert model.layout.lent <= 100
    assert model.score(frame, truth) > 0.8


@pytest.mark.parametrize("name", ["gaussian", "poisson"])
def test_a_class_at_a_value_is_expected_as_if_one_row_of_it_had_not_been_there(name):
    values = np.array([1.0, 2.0, 4.0, 7.0])
    seen = np.array([[5.0, 1.0, 0.0], [4.0, 2.0, 0.0], [1.0, 4.0, 0.0], [0.0, 3.0, 1.0]])
    event = named(name)

    def answers(table, at):
        rows, classes = np.nonzero(table)
        model = Model(event, Empirical()).learn(values[rows, None], classes, table[rows, classes])
        found = np.zeros(3)
        found[list(model.classes)] = model.posterior(values[at, None, None]).probabilities[0]
        return found

    shares = np.array([answers(seen, at) for at in range(4)])
    for at, label in np.argwhere(seen):
        left = seen.copy()
        left[at, label] -= 1
        shares[at, label] = answers(left, at)[label]
    shares *= seen.sum(axis=1, keepdims=True)
    assert lending.expected(event, values, seen) == pytest.approx(shares / np.maximum(shares.sum(axis=0), 1e-300))


def test_cells_are_left_out_some_at_a_time(monkeypatch):
    rng = np.random.default_rng(5)
    values, seen = np.arange(9.0), rng.integers(0, 5, (9, 4)).astype(float)
    at_once = lending.expected(named("gaussian"), values, seen)
    monkeypatch.setattr(lending, "TOGETHER", 4)
    assert lending.expected(named("gaussian"), values, seen) == pytest.approx(at_once, abs=1e-12)


def test_every_class_is_lent_the_same_number_of_rows_by_each_column(model):
    counts = model.rows.counts
    lent = lending.lent(model.layout, model.rows._vocabulary, counts)
    more = lent.dense().present.sum(axis=1) - counts.dense().present.sum(axis=1)
    assert more == pytest.approx(np.full(3, 8 * model.layout.lent))
    assert lending.lent(replace(model.layout, lent=0.0), model.rows._vocabulary, counts) is counts


def test_what_is_lent_follows_the_counts(model, tmp_path):
    frame, truth = bells(100, 6)
    before = model.predict_proba(frame)
    model.save(tmp_path / "bells.bayes")
    for copy in (plainbayes.load(tmp_path / "bells.bayes"), pickle.loads(pickle.dumps(model))):
        assert copy.predict_proba(frame) == pytest.approx(before, abs=1e-12)
        copy.learn(frame, truth)
        assert np.abs(copy.predict_proba(frame) - before).max() > 1e-3
        copy.unlearn(frame, truth)
        assert copy.predict_proba(frame) == pytest.approx(before, abs=1e-9)
    both = (model.fresh().learn(*bells(200, 2)) + model.fresh().learn(frame, truth)).predict_proba(frame)
    every = pd.concat([bells(200, 2)[0], frame]), np.append(bells(200, 2)[1], truth)
    assert both == pytest.approx(model.fresh().learn(*every).predict_proba(frame), abs=1e-12)


def test_explanations_still_add_up(model):
    frame, _ = bells(20, 7)
    for place, log_odds in enumerate(model.posterior(frame).log_probabilities):
        why = model.explain(frame.iloc[[place]])
        top, second = np.sort(log_odds)[::-1][:2]
        assert why.total == pytest.approx(top - second, abs=1e-9)


def test_rows_left_out_are_judged_by_what_is_lent_too(model):
    frame, truth = bells(200, 2)
    left = model.rows.leave_one_out(model.texts(frame), list(truth))
    assert np.mean(left.posterior.log_probabilities != model.posterior(frame).log_probabilities) > 0.9
    assert left.posterior.probabilities == pytest.approx(model.predict_proba(frame), abs=0.4)


def test_sparse_weights_say_the_same(monkeypatch):
    frame, truth = bells(400, 8)
    layout = lending.suited(*cut(frame, truth))
    model = TableClassifier().fit(frame, truth)
    model.layout = replace(layout, lent=50.0)
    model.rows.about = {"kind": "table", "table": model._about()}
    model.refit(frame, truth)
    leaning = np.linspace(-1, 1, len(model.rows.counts.word))
    model.rows.trust = model.rows.trust.leaning_by(model.rows.counts, model.rows._names, leaning)
    model.rows._changed()
    dense = model.predict_proba(frame)
    monkeypatch.setattr(weights, "DENSE", 0)
    model.rows._changed()
    assert isinstance(model.rows._compiled[0], Sparse)
    assert model.predict_proba(frame) == pytest.approx(dense, abs=1e-9)


def cut(frame, truth):
    """A layout of sixteen ranges, the columns, and the classes as numbers."""
    columns = {name: frame[name].to_numpy() for name in frame}
    layout = Layout(tuple(Column(name, "real") for name in columns)).cut(columns, 16)
    return layout, columns, np.unique(truth, return_inverse=True)[1]


def test_events_are_the_same_in_whatever_order_rows_come():
    frame, truth = bells(300, 9)
    order = np.random.default_rng(10).permutation(300)
    assert lending.suited(*cut(frame, truth)) == lending.suited(*cut(frame.iloc[order], truth[order]))


def test_a_column_that_nothing_can_be_said_of_has_no_event():
    layout = Layout((Column("x", "real", (0.5,)), Column("y", "real"), Column("city", "category")))
    columns = {"x": np.arange(3.0), "y": np.arange(3.0), "city": np.array(["Riga", "Lima", "Oslo"], dtype=object)}
    assert lending.suited(layout, columns, np.arange(3)) == layout


def test_numbers_as_targets_are_lent_to_as_well(monkeypatch):
    rng = np.random.default_rng(11)
    y = rng.normal(size=150)
    frame = pd.DataFrame({f"x{place}": y + rng.normal(0, 1, 150) for place in range(3)})
    monkeypatch.setattr(tables, "LENT", (20.0,))
    monkeypatch.setattr(tables, "_loss", lambda sample, manner, origin: -float(sample.lent.present.sum()))
    model = TableRegressor().fit(frame, y)
    assert (model.layout.lent, model.layout.unit) == (20.0, 16.0)
    assert np.corrcoef(model.predict(frame), y)[0, 1] > 0.7


def test_more_in_some_cells():
    counts = Counts(
        np.ones(2), 3, np.array([0, 2]), np.array([0, 1, 1, 2]), np.array([1, 0]), np.array([2.0, 3.0]), np.ones(2)
    )
    more = counts.plus(np.array([0, 1, 0]), np.array([1, 0, 0]), np.array([0.5, 0.25, 4.0]))
    assert more.dense().count.tolist() == [[4.0, 0.25, 3.0], [2.5, 0.0, 0.0]]
    assert more.dense().present.tolist() == [[4.0, 0.25, 1.0], [1.5, 0.0, 0.0]]
    assert more.starts.tolist() == [0, 2, 3, 4]
