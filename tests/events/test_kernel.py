"""A small bell on every observation."""

import numpy as np
import pytest
from scipy import stats

from plainbayes import InputError, Model, Smoothed
from plainbayes.events import Kernel
from plainbayes.events.kernel import FACTORS

RNG = np.random.default_rng(26)
X = np.column_stack([RNG.normal(size=90), RNG.gamma(1.5, 30.0, 90) + 1e4, RNG.standard_t(2, 90) * 1e-3])
Y = np.array(["a", "b", "b"] * 30)
ROWS = X[:12] + RNG.normal(size=(12, 3)) * [2.0, 60.0, 4e-3]


def two_peaks(n=400):
    rng = np.random.default_rng(27)
    return np.concatenate([rng.normal(-10, 0.5, n // 2), rng.normal(10, 0.5, n - n // 2)])


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_scipy_agrees(log_prob, rule):
    for own in X.T:
        rows = np.concatenate([own, np.linspace(*np.quantile(own, [0.1, 0.9]), 50)])
        found = log_prob(Kernel(rule, exact=True), own[:, None], ["a"] * 90, rows[:, None])
        np.testing.assert_allclose(found[:, 0], stats.gaussian_kde(own, rule).logpdf(rows), atol=1e-9, rtol=0)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_scipy_agrees_for_every_class_and_far_in_the_tails(log_prob, rule):
    found = log_prob(Kernel(rule, exact=True), X, Y, ROWS)
    for place, label in enumerate("ab"):
        own = X[Y == label]
        theirs = [stats.gaussian_kde(own[:, column], rule).logpdf(ROWS[:, column]) for column in range(3)]
        # The floor of a billionth in every variance shows far in the tails.
        np.testing.assert_allclose(found[:, place], np.sum(theirs, axis=0), rtol=1e-8)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_the_bandwidth_is_that_of_scipy(rule):
    model = Model(Kernel(rule)).learn(X, Y)
    for place, label in enumerate("ab"):
        own = X[Y == label]
        expected = [np.sqrt(stats.gaussian_kde(own[:, column], rule).covariance[0, 0]) for column in range(3)]
        np.testing.assert_allclose(model.parameters(None, model.event).bandwidth[place], expected, rtol=1e-8)


SAMPLES = {
    "normal": np.random.default_rng(1).normal(size=3000),
    "far from the origin": np.random.default_rng(2).normal(1e6, 1.0, 1000),
    "two peaks": two_peaks(),
    "duplicates": np.round(np.random.default_rng(3).normal(0, 3, 2000)),
    "heavy tails": np.random.default_rng(4).standard_t(1.5, 500),
    "two values": np.array([0.0, 1.0]),
    "one outlier": np.append(np.random.default_rng(5).normal(size=300), 1e4),
}


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_joining_in_bins_costs_next_to_nothing(log_prob, sample, weighted):
    """In theory: moving a bell by up to h / 40 costs up to (z^2 + 1) / 3200 nats at z bandwidths from it."""
    x = np.sort(SAMPLES[sample])
    weight = np.random.default_rng(6).integers(1, 9, len(x)) / 4 if weighted else None
    reach = np.ptp(x)
    rows = np.concatenate([np.linspace(x[0] - reach, x[-1] + reach, 300), [x[-1] + 1e3 * reach], x[::7]])
    plain, joined = (
        log_prob(Kernel(exact=exact), x[:, None], ["a"] * len(x), rows[:, None], weight)[:, 0]
        for exact in (True, False)
    )
    model = Model("kernel").learn(x[:, None], ["a"] * len(x), weight)
    z = np.abs(rows[:, None] - x) / model.parameters(None, model.event).bandwidth[0, 0]
    near = z.min(axis=1) < 5
    terms = -0.5 * z**2 + (0 if weight is None else np.log(weight))
    shares = np.exp(terms - terms.max(axis=1, keepdims=True))
    typical = (shares * z**2).sum(axis=1) / shares.sum(axis=1)
    assert (np.abs(joined - plain)[near] <= (typical[near] + 1) / 3200).all()
    assert (np.abs(joined - plain)[typical < 1] <= 3e-4).all() and (typical < 1).any()
    np.testing.assert_allclose(joined, plain, atol=3e-4, rtol=0.02)


def test_weights_are_repeated_rows(log_prob):
    weight = RNG.integers(1, 5, 90)
    mine = log_prob(Kernel(exact=True), X, Y, ROWS, weight)
    repeated = log_prob(Kernel(exact=True), np.repeat(X, weight, axis=0), np.repeat(Y, weight), ROWS)
    np.testing.assert_allclose(mine, repeated, rtol=1e-9)


def left_out(x, h):
    """Log likelihood of every value under the bells on all the others, by definition."""
    bells = stats.norm.pdf((x[:, None] - x) / h) / h
    np.fill_diagonal(bells, 0.0)
    return np.log(np.maximum(bells.sum(axis=1) / (len(x) - 1), np.finfo(float).tiny)).sum()


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "joined"])
def test_by_leave_one_out_the_factor_is_the_likeliest_of_all_and_small_for_two_peaks(exact):
    x = two_peaks()
    rule = Model(Kernel(exact=exact)).learn(x[:, None], ["a"] * len(x))
    silverman = rule.parameters(None, rule.event).bandwidth[0, 0]
    model = Model(Kernel("loo", exact=exact)).learn(x[:, None], ["a"] * len(x))
    (factor,) = model.frozen().event.factor
    likelihoods = {f: left_out(x, silverman * f) for f in FACTORS.tolist()}
    assert factor < 1
    assert likelihoods[factor] == max(likelihoods.values())
    assert model.parameters(None, model.event).bandwidth[0, 0] == pytest.approx(factor * silverman)


def test_by_leave_one_out_the_factor_is_one_for_each_column_over_all_classes():
    normal = np.random.default_rng(28).normal(size=400)
    table, labels = np.column_stack([two_peaks(), normal]), ["a", "b"] * 200
    peaks, plain = Model(Kernel("loo")).learn(table, labels).frozen().event.factor
    assert peaks < 0.3 < plain


def test_a_value_with_no_other_near_does_not_silence_the_rest():
    x = np.append(np.random.default_rng(29).normal(size=60), 1e8)
    model = Model(Kernel("loo")).learn(x[:, None], ["a"] * 61)
    assert np.isfinite(model.parameters(None, model.event).bandwidth).all()
    assert np.isfinite(model.event.log_prob(model.parameters(None, model.event), x[:, None])).all()


def test_a_frozen_factor_is_kept_whatever_is_learned_after():
    model = Model(Kernel("loo")).learn(two_peaks()[:, None], ["a"] * 400)
    frozen = model.frozen()
    before = frozen.event.factor
    frozen.learn(RNG.normal(size=(50, 1)), ["a"] * 50)
    assert frozen.frozen().event.factor == before
    assert Model("kernel").learn(X, Y).frozen().event.factor == (1.0, 1.0, 1.0)


def test_a_hundred_thousand_rows_are_scored_by_a_hundred_thousand(log_prob):
    x = np.random.default_rng(30).normal(3.0, 2.0, 100_000)
    found = log_prob(Kernel(), x[:, None], ["a"] * len(x), x[:, None])
    # A kernel estimate of so many rows is the normal density but for the bandwidth.
    widened = stats.norm.logpdf(x, 3.0, np.hypot(2.0, 2.0 * (0.75e5) ** -0.2))
    middle = np.abs(x - 3.0) < 4
    np.testing.assert_allclose(found[middle, 0], widened[middle], atol=0.1)


def test_one_observation_gets_the_pooled_spread_of_the_others():
    """By hand: unbiased variances 2 and 2 pooled to 2; n = 1: (3/4)^(-1/5)."""
    model = Model("kernel").learn([[1.0], [3.0], [7.0], [9.0], [50.0]], list("aabbc"))
    bandwidth = model.parameters(None, model.event).bandwidth[:, 0]
    np.testing.assert_allclose(bandwidth, np.sqrt(2) * np.array([1.5, 1.5, 0.75]) ** -0.2, rtol=1e-7)
    assert model.decide([[49.0], [2.0]]) == ["c", "a"]
    alone = Model(Kernel("loo")).learn([[1.0], [9.0]], list("ab"))
    assert alone.decide([[2.0], [8.0]]) == ["a", "b"]


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "joined"])
def test_a_class_that_never_saw_a_column_is_like_all_the_others_together(exact):
    table = {"x": [1.0, 3.0, 7.0, None], "z": [0.0, 1.0, 2.0, 9.0]}
    model = Model(Kernel(exact=exact), Smoothed()).learn(table, list("aabc"))
    theta = model.parameters(None, model.event)
    assert model.classes == ("a", "b", "c")
    centres, weights = theta.centres[2, 0]
    np.testing.assert_allclose(centres, [1.0, 3.0, 7.0])
    assert weights.tolist() == [1, 1, 1]


def test_equal_observations_have_a_narrow_bell_around_them():
    model = Model("kernel").learn([[2.0], [2.0], [5.0], [5.0]], list("aabb"))
    assert model.decide([[2.0], [5.0], [3.0]]) == ["a", "b", "a"]


def test_a_rule_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match="kernel needs bandwidth 'silverman', 'scott' or 'loo', got 'wide'"):
        Kernel("wide")
