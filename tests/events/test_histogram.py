"""Bars."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from plainbayes import InputError, Model
from plainbayes.events import Histogram
from plainbayes.stats import Bag, Sums


def test_bars_of_equal_width_are_those_of_numpy_but_smoothed(log_prob):
    rng = np.random.default_rng(3)
    X, y, rows = rng.normal(size=(100, 1)), ["a", "b"] * 50, rng.uniform(-2, 2, size=(20, 1))
    edges = np.histogram_bin_edges(X, 7)
    found = log_prob(Histogram(alpha=0.5, bins=7, by="width"), X, y, rows)
    places = np.digitize(rows[:, 0], edges[1:-1])
    for place, own in enumerate((X[::2], X[1::2])):
        counts, _ = np.histogram(own, edges)
        heights = (counts + 0.5) / (50 + 0.5 * 7) / np.diff(edges)
        np.testing.assert_allclose(found[:, place], np.log(heights)[places], rtol=1e-9)


def outer(values):
    """The outer edges: half a gap beyond the outermost values."""
    first, second, *_, third, last = np.unique(values)
    return first - (second - first) / 2, last + (last - third) / 2


def test_bars_by_quantile_hold_equal_shares_and_lie_halfway_between_values():
    model = Model(Histogram(bins=3)).learn([[v] for v in (1.0, 2.0, 4.0, 5.0, 10.0, 20.0)], ["a", "b"] * 3)
    assert model.frozen().event.edges == ((0.5, 3.0, 7.5, 25.0),)


def test_quantiles_are_those_of_all_rows_with_their_weights():
    model = Model(Histogram(bins=2)).learn([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"], [5, 1, 1, 1])
    assert model.frozen().event.edges == ((0.5, 1.5, 4.5),)


def entropy(labels):
    _, counts = np.unique(labels, return_counts=True)
    p = counts / counts.sum()
    return -(p * np.log2(p)).sum()


def fayyad_irani(values, labels):
    """The cuts of Fayyad and Irani (1993), written down as in the article: recursive, one cut at a time."""
    best = None
    for cut in np.unique(values)[:-1]:
        left, right = labels[values <= cut], labels[values > cut]
        after = (len(left) * entropy(left) + len(right) * entropy(right)) / len(labels)
        if best is None or after < best[0] - 1e-12:
            best = after, cut, left, right
    if best is None:
        return []
    after, cut, left, right = best
    n, k, k1, k2 = len(labels), *(len(set(part)) for part in (labels, left, right))
    delta = np.log2(3.0**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(labels) - after <= (np.log2(n - 1) + delta) / n:
        return []
    halfway = (values[values <= cut].max() + values[values > cut].min()) / 2
    sides = (values <= cut, values > cut)
    return sorted([halfway, *(found for side in sides for found in fayyad_irani(values[side], labels[side]))])


@pytest.mark.parametrize("seed", range(12))
def test_bars_by_description_length_are_those_of_fayyad_and_irani(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 150)
    values = np.round(rng.normal(size=150) + labels * rng.uniform(0, 4), 1)
    edges = Model(Histogram(by="mdlp")).learn(values[:, None], labels).frozen().event.edges[0]
    low, high = outer(values)
    np.testing.assert_allclose(edges, [low, *fayyad_irani(values, labels), high], rtol=1e-12)


def test_bars_by_description_length_are_as_many_as_tell_the_classes_apart():
    values = np.arange(40.0)[:, None]
    two = Model(Histogram(by="mdlp")).learn(values, ["a"] * 20 + ["b"] * 20)
    assert two.frozen().event.edges == ((-0.5, 19.5, 39.5),)
    none = Model(Histogram(by="mdlp")).learn(values, ["a", "b"] * 20)
    assert none.frozen().event.edges == ((-0.5, 39.5),)
    flag = Model(Histogram(by="mdlp")).learn([[0.0]] * 20 + [[1.0]] * 20, ["a"] * 20 + ["b"] * 20)
    assert flag.frozen().event.edges == ((-0.5, 0.5, 1.5),)


@pytest.mark.parametrize("by", ["width", "quantile", "mdlp"])
def test_a_column_with_one_value_gets_one_bin_of_width_1_around_it(by):
    model = Model(Histogram(by=by)).learn({"x": [3.0, 3.0], "empty": [None, None]}, ["a", "b"])
    assert model.frozen().event.edges == ((2.5, 3.5), (-0.5, 0.5))
    far = Model(Histogram(by=by)).learn([[1e20], [1e20]], ["a", "b"]).frozen().event.edges[0]
    assert far[0] < 1e20 < far[1]


@pytest.mark.parametrize("by", ["width", "quantile"])
def test_values_beyond_the_outer_edges_belong_to_the_outer_bins(by, log_prob):
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    found = log_prob(Histogram(bins=2, by=by), X, y, [[-100.0], [1.0], [4.0], [1e9]])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[2], found[3])
    assert found[0, 0] > found[0, 1] and found[3, 0] < found[3, 1]


def test_given_edges_keep_counts_of_bins_and_say_what_the_observations_would():
    rng = np.random.default_rng(6)
    X, y, rows = rng.normal(size=(60, 2)), ["a", "b", "b"] * 20, rng.normal(size=(9, 2))
    free = Model(Histogram(bins=5)).learn(X, y)
    fixed = free.frozen().learn(X, y)
    assert isinstance(free.evidence.parts[None].stats, Bag)
    assert isinstance(fixed.evidence.parts[None].stats, Sums)
    np.testing.assert_array_equal(fixed.posterior(rows).probabilities, free.posterior(rows).probabilities)
    assert fixed.frozen().event == fixed.event


def test_columns_may_have_different_numbers_of_bins():
    """By hand: column 0 has one bin, column 1 three with 2, 0, 0 of a; alpha 1."""
    event = Histogram(edges=((0.0, 2.0), (0.0, 1.0, 2.0, 4.0)))
    model = Model(event).learn([[1.0, 0.5], [1.5, 0.25], [0.5, 3.0]], ["a", "a", "b"])
    theta = model.parameters(None, event)
    np.testing.assert_allclose(np.exp(theta.heights[0]), [[0.5], [0.5]])
    np.testing.assert_allclose(np.exp(theta.heights[1]), [[3 / 5, 1 / 5, 1 / 10], [1 / 4, 1 / 4, 1 / 4]])


def test_edges_are_given_for_every_column():
    with pytest.raises(InputError, match="histogram has edges for 1 columns, got 2 columns"):
        Model(Histogram(edges=((0.0, 1.0),))).learn([[1.0, 2.0]], ["a"])


@pytest.mark.parametrize(
    ("settings", "expected", "came"),
    [
        ({"alpha": 0}, "alpha > 0", "0"),
        ({"alpha": np.inf}, "alpha > 0", "inf"),
        ({"bins": 0}, "bins > 0", "0"),
        ({"by": "height"}, "by 'width', .*", "'height'"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings, expected, came):
    with pytest.raises(InputError, match=f"^histogram needs {expected}, got {came}$"):
        Histogram(**settings)


@pytest.mark.parametrize("edges", [((0.0,),), ((3.0, 1.0, 2.0),), ((np.nan, 1.0),), ((0.0, 1.0), (1.0, 1.0))], ids=str)
def test_edges_that_are_no_bins_are_refused(edges):
    with pytest.raises(InputError) as error:
        Histogram(edges=edges)
    assert error.value.message == f"histogram needs two rising edges or more for each column, got {edges!r}"


def test_the_cuts_of_the_iris_data_are_those_of_the_package_discretization():
    """R package 'discretization', mdlp(iris)$cutp: 5.55 6.15 / 2.95 3.35 / 2.45 4.75 / 0.80 1.75."""
    X, y = load_iris(return_X_y=True)
    edges = Model(Histogram(by="mdlp")).learn(X, y).frozen().event.edges
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.80, 1.75]]
    np.testing.assert_allclose([column[1:-1] for column in edges], expected, rtol=1e-12)
    np.testing.assert_allclose([[column[0], column[-1]] for column in edges], [outer(column) for column in X.T])
