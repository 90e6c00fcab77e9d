"""Guards and special functions: right at both ends of the range, without a warning."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import special

from plainbayes.numeric import (
    difference,
    digamma,
    exact,
    floored,
    lgamma,
    log,
    log1mexp,
    log_normalised,
    log_ratio,
    logistic,
    normal_cdf,
    ratio,
    remainder,
    trigamma,
    weighted_median,
)


def test_exact_fractions_add_up_to_the_same_bits_in_any_order():
    rng = np.random.default_rng(1)
    values = exact(rng.random(2000) * 50)
    totals = {float(np.cumsum(rng.permutation(values))[-1]) for _ in range(20)}
    assert len(totals) == 1


def test_exact_keeps_whole_numbers_and_moves_others_by_less_than_the_unit():
    whole = np.array([0.0, 1.0, 3.0, 2.0**53, -7.0])
    assert exact(whole).tolist() == whole.tolist()
    values = np.random.default_rng(2).random(100)
    assert np.abs(exact(values) - values).max() <= 2.0**-37


def test_the_logarithm_of_zero_is_minus_infinity_without_a_warning():
    assert log([0.0, 1.0]).tolist() == [-np.inf, 0.0]


def test_nothing_out_of_nothing_is_nothing():
    assert ratio([0.0, 5.0, 6.0], [0.0, 0.0, 3.0]).tolist() == [0.0, 0.0, 2.0]
    assert log_ratio([0.0, 5.0, 0.0], [0.0, 0.0, 3.0]).tolist() == [-np.inf] * 3


def test_a_log_ratio_does_not_underflow_where_the_ratio_would():
    assert log_ratio(1e-300, 1e300) == pytest.approx(-600 * np.log(10), rel=1e-15)


def test_log_odds_of_any_size_are_a_probability():
    odds = [-1e4, -800.0, -1.0, 0.0, 1.0, 40.0, 1e4]
    assert [logistic(x) for x in odds] == pytest.approx(special.expit(odds).tolist(), rel=1e-15)


def test_two_impossible_things_do_not_differ():
    assert difference([-np.inf, -np.inf, 3.0, np.inf], [-np.inf, 1.0, -np.inf, np.inf]).tolist() == [
        0.0,
        -np.inf,
        np.inf,
        0.0,
    ]


@pytest.mark.parametrize("level", [0.0, -1e6, -1e10, 700.0])
def test_normalising_gives_the_same_at_any_level(level):
    """By hand: odds of 1 to 3 are log(1/4) and log(3/4), wherever the scores lie (SPEC, section 1)."""
    scores = np.array([[level, level + np.log(3)]])
    rounding = 2 * np.spacing(abs(level))
    np.testing.assert_allclose(log_normalised(scores), np.log([[0.25, 0.75]]), atol=max(rounding, 1e-15))


def test_normalising_agrees_with_scipy_and_keeps_the_impossible_impossible():
    scores = np.random.default_rng(3).normal(size=(50, 7)) * 100
    scores[:, 2] = -np.inf
    np.testing.assert_allclose(log_normalised(scores), special.log_softmax(scores, axis=1), rtol=1e-12, atol=1e-12)


def test_what_is_left_within_rounding_errors_is_nothing():
    whole, tiny = np.array([1.0, 1.0, 2.0, 1.0]), np.finfo(float).eps
    assert remainder(whole, np.array([1.0 - 2 * tiny, 1.0 + tiny, 0.5, 1.0 - 64 * tiny])).tolist() == [
        0.0,
        0.0,
        1.5,
        64 * tiny,
    ]


@pytest.mark.parametrize("x", [-1e-300, -1e-18, -1e-9, -0.1, -0.6931, -0.6932, -1.0, -30.0, -700.0])
def test_log1mexp_has_all_its_digits(x):
    """Against decimal arithmetic with 400 digits."""
    with localcontext(prec=400):
        expected = float((1 - Decimal(x).exp()).ln())
    assert log1mexp(x) == pytest.approx(expected, rel=1e-14, abs=0)


def test_log1mexp_at_the_ends():
    assert log1mexp([0.0, -np.inf]).tolist() == [-np.inf, 0.0]


def test_lgamma_agrees_with_scipy():
    x = np.concatenate([np.logspace(-300, 150, 5000), np.linspace(0.01, 30, 5000), np.arange(1.0, 400.0)])
    # Near 1 and 2 the value crosses zero, where only absolute digits can be had.
    np.testing.assert_allclose(lgamma(x), special.gammaln(x), rtol=1e-12, atol=3e-14)


def test_lgamma_takes_any_shape_and_zero_is_a_pole():
    x = np.arange(1.0, 7.0).reshape(2, 3)
    np.testing.assert_allclose(np.exp(lgamma(x)), [[1, 1, 2], [6, 24, 120]], rtol=1e-13)
    assert lgamma(0.0) == np.inf


def test_a_floored_variance_is_positive_and_scaled_to_its_column():
    assert floored(np.zeros((1, 3)), 1e-9, [0.0, 4.0, 100.0]).tolist() == [[1e-9, 4e-9, 1e-9 * 100]]


@pytest.mark.parametrize(("mine", "order"), [(digamma, 0), (trigamma, 1)], ids=["digamma", "trigamma"])
def test_the_derivatives_of_lgamma_agree_with_scipy(mine, order):
    x = np.concatenate([np.logspace(-100, 100, 3000), np.linspace(0.01, 30, 3000)])
    # The digamma function crosses zero near 1.46, where only absolute digits can be had.
    np.testing.assert_allclose(mine(x), special.polygamma(order, x), rtol=1e-12, atol=1e-14 if order == 0 else 0)


def test_the_normal_distribution_agrees_with_scipy_far_into_its_tails():
    z = np.linspace(-37, 9, 1000)
    np.testing.assert_allclose(normal_cdf(z), special.ndtr(z), rtol=1e-12)


def test_a_weighted_median_is_the_median_of_values_repeated():
    rng = np.random.default_rng(4)
    for size in range(1, 30):
        values, weights = np.sort(rng.normal(size=size)), rng.integers(1, 4, size)
        assert weighted_median(values, weights) == np.median(np.repeat(values, weights))
