"""Tables: any columns, exact learning and unlearning, trust, densities, files."""

import pickle
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plainbayes
from plainbayes import (
    Absolute,
    Costs,
    InputError,
    NeverLearnedError,
    NotLearnedError,
    Pinball,
    Squared,
    TableClassifier,
    TableRegressor,
    Uniform,
)
from plainbayes.regression import Density
from plainbayes.tables import TRIED, crps, estimates

RNG = np.random.default_rng(7)


def shop(rows=600, seed=1):
    """Visits to a shop: numbers, categories, dates, texts, cells missing; who buys is known but for some noise."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    device = rng.choice(["phone", "desktop"], rows)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, rows), "D")
    score = (age > 50) * 2.0 + (device == "desktop") * 1.5 + (day.day_of_week >= 5) * 1.5 - 2
    buys = rng.random(rows) < 1 / (1 + np.exp(-2 * score))
    words = np.where(buys, "what a lovely thing to have", "not what was wanted at all")
    return pd.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.1, np.nan, age),
            "device": np.where(rng.random(rows) < 0.1, None, device),
            "day": day,
            "number": np.arange(rows),
            "shop": "this one",
            "remark": [f"{text} {k}" for k, text in enumerate(words)],
            "bought": np.where(buys, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def frame():
    return shop()


@pytest.fixture(scope="module")
def model(frame):
    return TableClassifier().fit(frame.drop(columns="remark"), "bought")


def test_columns_of_all_kinds_speak(model, frame):
    kinds = {column.label: column.kind for column in model.layout.columns}
    assert kinds == {
        "age": "count",
        "device": "category",
        "day": "date",
        "day month": "date",
        "day weekday": "date",
        "number": "identifier",
        "shop": "constant",
    }
    assert model.target == "bought"
    assert model.trust.estimate.accuracy > 0.72
    assert model.score(shop(seed=2).drop(columns="remark"), "bought") > 0.75
    tells = {finding.name: finding.nats for finding in model.findings}
    assert tells["age"] > tells["day month"]
    notes = {finding.name: finding.note for finding in model.findings}
    assert notes["number"] == "names its row, left out"
    assert "missing" in notes["device"]
    assert repr(model).startswith("TableClassifier(")


def test_texts_are_evidence_among_others(frame):
    model = TableClassifier(effort="plain").fit(frame, "bought")
    assert model.trust is None
    why = model.explain({"age": 60, "device": None, "day": None, "remark": "what a lovely thing"})
    assert {"remark:lovely", "remark:a lovely"} <= {share.feature for share in why.shares}
    assert why.label == "yes"


def test_a_copy_of_the_target_is_left_out_unless_it_is_wished_for(frame):
    copied = frame[["age", "device", "bought"]].assign(copy=np.where(frame.bought == "yes", "Y", "N"))
    model = TableClassifier(effort="plain").fit(copied, "bought")
    assert [column.name for column in model.layout.used] == ["age", "device"]
    assert "a copy of the target? left out" in [finding.note for finding in model.findings]
    model = TableClassifier(effort="plain", kinds={"copy": "category"}).fit(copied, "bought")
    assert model.score(copied, "bought") > 0.99


def test_columns_that_add_up_to_the_target_are_left_out_unless_they_are_wished_for():
    rng = np.random.default_rng(5)
    riders = pd.DataFrame({"casual": rng.poisson(30, 300), "registered": rng.poisson(90, 300), "warm": rng.random(300)})
    count = riders.casual + riders.registered
    model = TableRegressor(effort="plain").fit(riders, count)
    assert [column.name for column in model.layout.used] == ["warm"]
    notes = {finding.name: finding.note for finding in model.findings}
    assert notes["casual"] == "adds up to the target with 'registered'? left out" and notes["warm"] == ""
    both = TableRegressor(effort="plain", kinds={"casual": "count"}).fit(riders, count)
    assert len(both.layout.used) == 3
    copied = TableRegressor(effort="plain").fit(riders.assign(cents=100 * count), count)
    assert "cents" not in [column.name for column in copied.layout.used]
    alone = TableRegressor(effort="plain").fit({"cents": 100 * count, "warm": riders.warm}, count)
    assert alone.findings[0].note == "a copy of the target? left out"


def test_the_event_of_each_column_is_found_where_it_is_looked_for():
    rng = np.random.default_rng(6)
    y = np.where(rng.random(200) < 0.5, "a", "b")
    bell, wait = rng.normal(np.where(y == "a", 0, 2)), rng.exponential(3, 200)
    data = {"bell": bell, "wait": wait, "kind": rng.choice(["p", "q"], 200)}
    model = TableClassifier(effort="plain").fit(data, y)
    found = {finding.name: finding.event for finding in model.suited(data, y)}
    assert found["bell"].name == "gaussian" and found["bell"].nats > found["bell"].ranges > 0.2
    assert found["wait"].name in ("exponential", "gamma") and found["wait"].nats < 0.02
    assert found["kind"] is None
    assert "gaussian, which would tell 0." in str(found["bell"]) and "ranges tell less" in str(found["bell"])
    assert "ranges tell more, 0.500" in str(replace(found["bell"], ranges=0.5))
    assert model.findings[0].event is None
    names = list(map(str, range(40)))
    few = TableClassifier(effort="plain").fit({"x": np.arange(40) * 0.5}, names)
    assert few.suited({"x": np.arange(40) * 0.5}, names)[0].event is None


def test_pairs_of_coarser_ranges_speak_where_that_helps():
    rng = np.random.default_rng(8)
    x = rng.random((600, 2))
    data = {"one": x[:, 0], "two": x[:, 1]}
    model = TableClassifier().fit(data, np.where(np.floor(5 * x).sum(axis=1) % 2 == 0, "even", "odd").tolist())
    assert all(len(column.coarse) == 4 for column in model.layout.columns)
    assert model.layout.pairs == ((0, 1),) and model.layout.analyzer.pairs == ((0, 1), (2, 3))
    assert model.trust.estimate.accuracy > 0.85


def test_explanations_add_up_to_the_log_odds(model, frame):
    row = frame.iloc[5].drop(["remark", "bought"]).to_dict()
    why = model.explain(row)
    posterior = model.posterior([row])
    odds = posterior.log_prob([why.label]) - posterior.log_prob([why.against])
    assert why.total == pytest.approx(odds[0])
    assert why == model.explain(frame.drop(columns="remark").iloc[5:6])
    with pytest.raises(InputError, match="explain takes one row, got 600"):
        model.explain(frame)


def test_answers_follow_costs(model, frame):
    answers = model.decide(frame, Costs("yes>no=1, no>yes=1, ask=0.2"))
    assert set(answers) == {"yes", "no", "ask"}
    assert model.decide(frame) == model.predict(frame)
    proba = model.predict_proba(frame)
    sure = proba.max(axis=1) > 0.8
    assert [answer != "ask" for answer in answers] == sure.tolist()


def test_frames_of_all_libraries_give_the_same(frame):
    plain = frame[["age", "device", "bought"]]
    want = TableClassifier(effort="plain").fit(plain, "bought").predict_proba(plain)
    rows = plain.astype(object).where(plain.notna(), None)
    relation = duckdb.sql("SELECT * FROM plain")
    others = [pl.from_pandas(plain), pa.Table.from_pandas(plain), rows.to_dict("records"), dict(rows), relation]
    for other in others:
        model = TableClassifier(effort="plain").fit(other, "bought")
        assert np.allclose(model.predict_proba(other), want)
    model = TableClassifier(effort="plain").fit(plain.drop(columns="bought"), list(plain["bought"]))
    assert np.allclose(model.predict_proba(plain.drop(columns="bought")), want)


# Laws

CELLS = st.fixed_dictionaries(
    {
        "n": st.none() | st.integers(0, 30),
        "x": st.none() | st.floats(-5, 5),
        "c": st.none() | st.sampled_from("abc"),
    }
)
ROWS = st.lists(st.tuples(CELLS, st.sampled_from(["yes", "no"])), min_size=1, max_size=30)


def parted(rows):
    return [cells for cells, _ in rows], [label for _, label in rows]


@pytest.fixture(scope="module")
def known():
    rng = np.random.default_rng(3)
    rows = [
        {"n": int(rng.integers(0, 30)), "x": float(rng.normal()), "c": str(rng.choice(list("abc")))} for _ in range(90)
    ]
    return TableClassifier().fit(rows, ["yes" if row["n"] > 15 else "no" for row in rows])


def same(one, other, rows):
    assert one.rows.counts.documents.tolist() == other.rows.counts.documents.tolist()
    assert np.array_equal(one.predict_proba(rows), other.predict_proba(rows))


@given(ROWS, ROWS)
def test_unlearning_restores_and_merging_is_learning_all(known, some, others):
    (rows, labels), (more, more_labels) = parted(some), parted(others)
    one = known.fresh().learn(rows, labels)
    two = known.fresh().learn(more, more_labels)
    whole = known.fresh().learn(rows + more, labels + more_labels)
    if one.classes and two.classes:
        same(one + two, whole, rows)
        same(two + one, whole, rows)
    if len(set(labels)) == 2:
        restored = known.fresh().learn(rows + more, labels + more_labels).unlearn(more, more_labels)
        same(restored, one, rows)


def test_unlearning_what_was_never_learned_is_refused(known):
    with pytest.raises(NeverLearnedError):
        known.fresh().learn([{"n": 1, "x": 0.5, "c": "a"}], ["yes"]).unlearn([{"n": 29, "x": 0.5, "c": "a"}], ["yes"])


def test_tables_that_are_cut_otherwise_are_not_merged(known, model):
    with pytest.raises(InputError, match="the same columns, cut alike"):
        known + model
    with pytest.raises(InputError, match="a TableClassifier was expected"):
        known + 3


def test_a_model_is_kept_in_a_file(model, frame, tmp_path):
    model.save(tmp_path / "m.bayes")
    again = plainbayes.load(tmp_path / "m.bayes")
    assert isinstance(again, TableClassifier)
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert again.layout == model.layout
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(frame), model.predict_proba(frame))
    again.learn(frame.drop(columns="remark"), "bought").refit(frame.drop(columns="remark"), "bought")
    assert again.trust.documents == 1200
    again.fresh().learn(frame[:20], "bought").refit(frame[:20], "bought")
    plain = (
        TableClassifier(effort="plain")
        .fit(frame[["age", "bought"]], "bought")
        .refit(frame[["age", "bought"]], "bought")
    )
    assert plain.trust is not None


def test_a_prior_is_believed_in_the_end(frame):
    some = frame[["age", "device", "bought"]]
    model = TableClassifier(effort="plain").fit(some, "bought")
    even = TableClassifier(effort="plain", prior=Uniform()).fit(some, "bought")
    shares = (some.bought == "no").mean(), (some.bought == "yes").mean()
    odds = np.log(model.predict_proba(some) / np.array(shares))
    assert np.allclose(odds[:, 1] - odds[:, 0], np.diff(np.log(even.predict_proba(some)), axis=1)[:, 0])


def test_few_rows_are_just_counted():
    rows = [{"c": "a"}, {"c": "b"}] * 6
    assert TableClassifier().fit(rows, ["x", "y"] * 6).predict([{"c": "a"}, {"c": "new"}, {"c": None}])[0] == "x"
    many = TableClassifier().fit([{"c": f"{k % 3}"} for k in range(120)], [f"class {k % 60}" for k in range(120)])
    assert many.trust is None


@pytest.mark.parametrize(
    ("data", "y", "message"),
    [
        ([{"a": 1}], "b", "no column is called 'b'"),
        ([{"a": 1, "b": None}], "b", "a label was expected, got none in row 0, column 'b'"),
        ({"a": [1, 2]}, ["x"], "columns of one length were expected, got lengths 1, 2"),
        ({"a": []}, [], "rows were expected, got none"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(data, y, message):
    with pytest.raises(InputError, match=message):
        TableClassifier().fit(data, y)


def test_wrong_use_is_told(frame):
    with pytest.raises(NotLearnedError, match="the model has learned nothing yet"):
        TableClassifier().predict([{"a": 1}])
    with pytest.raises(InputError, match="effort should be one of"):
        TableClassifier(effort="much")
    learned = TableClassifier(effort="plain").learn(frame[["age", "bought"]], "bought")
    with pytest.raises(InputError, match="column 'age' was expected, but it is missing"):
        learned.predict([{"old": 3}])


# Numbers


def line(rows=900, seed=5):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, rows))
    return pd.DataFrame({"x": x, "z": z, "y": 3 * x + z + rng.normal(size=rows) * 0.5})


@pytest.fixture(scope="module")
def regressor():
    return TableRegressor().fit(line(), "y")


def test_a_number_is_answered_with_a_density(regressor):
    new = line(seed=6)
    figures = estimates(new["y"].to_numpy(), regressor.posterior(new))
    assert figures["rmse"] < 1.1 < np.std(new["y"]) / 2
    assert 0.86 < figures["coverage_90"] < 0.94
    assert figures["crps"] < figures["mae"]
    assert regressor.expected["rmse"] == pytest.approx(figures["rmse"], abs=0.3)
    low, high = regressor.posterior(new).interval(0.5)
    assert 0.44 < np.mean((new["y"] >= low) & (new["y"] <= high)) < 0.56


@pytest.mark.parametrize("loss", [Squared(), Absolute(), Pinball(0.1), Pinball(0.9)])
def test_the_answer_for_a_loss_costs_less_than_those_for_others(loss):
    skewed = line(3000, seed=8)
    skewed["y"] += np.random.default_rng(1).exponential(3, len(skewed))
    regressor, new = TableRegressor().fit(skewed[::2], "y"), skewed[1::2]
    truth = new["y"].to_numpy()
    cost = {other: loss.costs(truth, regressor.predict(new, other)).mean() for other in OTHERS}
    assert loss.costs(truth, regressor.predict(new, loss)).mean() <= min(cost.values())


OTHERS = [Squared(), Absolute(), Pinball(0.1), Pinball(0.9)]


def test_a_number_is_learned_unlearned_and_kept(regressor, tmp_path):
    more = line(50, seed=9)
    regressor.save(tmp_path / "m.bayes")
    again = plainbayes.load(tmp_path / "m.bayes")
    assert isinstance(again, TableRegressor)
    assert np.array_equal(again.predict(more), regressor.predict(more))
    again.learn(more, "y").unlearn(more, "y")
    assert np.allclose(again.predict(more), regressor.predict(more))
    doubled = again.fresh().learn(more, "y") + again.fresh().learn(more, "y")
    assert doubled.rows.counts.documents.sum() == 2 * 16 * 50
    again.refit(line(), "y")
    assert again.expected["rows"] == 900


def test_a_number_is_explained_by_its_range(regressor):
    why = regressor.explain({"x": 1.0, "z": None})
    low, high = map(float, why.label.split(".."))
    assert low < 4 < high + 2
    assert why.total == pytest.approx(why.prior + why.bias + sum(share.nats for share in why.shares))


def test_whole_numbers_are_in_the_middle_of_their_cells():
    rows = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 4.5] * 30, "y": [1, 2, 3, 5, 5] * 30})
    model = TableRegressor(effort="plain").fit(rows, "y")
    assert model.edges.tolist() == [0.5, 1.5, 2.5, 4, 6]
    assert model.expected == {}
    assert abs(model.predict({"x": [1.0]})[0] - 1) < 0.7


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b", "c"], "regression needs numbers"),
        ([1.0, 1.0, 1.0], "regression needs three different numbers at least, got 1"),
        ([1.0, 2.0, np.inf], "finite numbers were expected, got inf in row 2"),
        (["1", "2", ""], "regression needs a number in every row, got none in row 2"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        TableRegressor().fit({"x": [1.0, 2.0, 3.0]}, y)
    with pytest.raises(InputError, match="weights of rows are for classes"):
        TableRegressor(effort="plain").fit({"x": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.0], weight=[1, 1, 1])


def test_crps_is_the_integral_it_stands_for():
    edges = np.array([0.0, 1.0, 3.0, 4.0])
    p = np.array([[0.2, 0.5, 0.3]] * 4)
    density = Density((0.5, 2.0, 3.5), np.log(p), np.zeros(4, bool), edges)
    truth = np.array([-1.0, 0.4, 2.0, 5.5])
    grid = np.linspace(-2, 7, 900_001)
    below = np.interp(grid, edges, [0, 0.2, 0.7, 1])
    for y, got in zip(truth, crps(truth, density), strict=True):
        assert got == pytest.approx(np.sum((below - (grid >= y)) ** 2) * (grid[1] - grid[0]), abs=1e-4)


def test_quantiles_stay_where_few_rows_say_otherwise():
    few = TableRegressor().fit(line(170), "y")
    assert few.levels.tolist() == pytest.approx(np.linspace(0, 1, 41).tolist())
    assert few.expected["rows"] == 170


def test_of_many_columns_those_that_say_most_make_pairs():
    rng = np.random.default_rng(4)
    cells = rng.integers(0, 3, (300, 70)).astype(str)
    frame = pd.DataFrame(cells, columns=[f"c{place}" for place in range(70)])
    model = TableClassifier().fit(frame, np.where(cells[:, 0] == cells[:, 1], "same", "not").tolist())
    assert model.trust is not None
    assert (0, 1) in model.layout.pairs or not model.layout.pairs


def test_a_file_with_another_table_in_it_is_refused(known, tmp_path):
    model = known.fresh().learn([{"n": 1, "x": 0.5, "c": "a"}, {"n": 2, "x": 0.5, "c": "a"}], ["yes", "no"])
    model.rows.about = {"kind": "table", "table": {"layout": {}}}
    model.save(tmp_path / "m.bayes")
    with pytest.raises(InputError, match="it does not hold what a model"):
        plainbayes.load(tmp_path / "m.bayes")


def test_it_makes_no_difference_in_which_order_rows_come():
    chance = np.random.default_rng(3)
    rows = [
        {"x": round(float(x), 2), "c": "abc"[int(c)], "y": "pq"[int(x + n > 0.5)]}
        for x, c, n in zip(chance.normal(size=300), chance.integers(0, 3, 300), chance.normal(size=300), strict=True)
    ]
    rows += rows[:40]
    mixed = [rows[place] for place in chance.permutation(len(rows))]
    one, other = TableClassifier().fit(rows, "y"), TableClassifier().fit(mixed, "y")
    assert one.layout == other.layout and one.trust.estimate == other.trust.estimate
    assert np.array_equal(one.predict_proba(rows), other.predict_proba(rows))


def test_candidates_are_judged_by_the_same_rows_in_any_order(monkeypatch):
    monkeypatch.setitem(TRIED, "quick", 120)
    chance = np.random.default_rng(4)
    rows = [{"x": float(x), "y": "pq"[int(x > 0)]} for x in chance.normal(size=300)]
    one, other = TableClassifier().fit(rows, "y"), TableClassifier().fit(rows[::-1], "y")
    assert one.layout == other.layout and one.trust.estimate == other.trust.estimate


def test_categories_stay_texts_where_some_rows_have_only_numbers():
    rows = [{"c": c, "y": y} for c, y in [("1.0", "a"), ("2.0", "b"), ("x", "a"), ("y", "b")] * 5]
    model = TableClassifier(effort="plain").fit(rows, "y")
    counts = dict(
        zip(model.rows.vocabulary, model.rows.model.evidence.parts[None].stats.count.sum(axis=0), strict=True)
    )
    model.learn([{"c": "1.0", "y": "a"}, {"c": "2.0", "y": "b"}], "y")
    after = dict(zip(model.rows.vocabulary, model.rows.model.evidence.parts[None].stats.count.sum(axis=0), strict=True))
    assert after == counts | {"c=1.0": counts["c=1.0"] + 1, "c=2.0": counts["c=2.0"] + 1}
    assert model.predict([{"c": "1.0"}, {"c": "2.0"}]) == ["a", "b"]
