"""P(c | d) as a distribution: modes, means and quantiles."""

import numpy as np
import pytest

from plainbayes import InputError, Posterior

NUMBERS = np.array([[0.2, 0.5, 0.3], [0.0, 0.0, 1.0], [1 / 3, 1 / 3, 1 / 3]])


def posterior(probabilities, classes):
    probabilities = np.array(probabilities, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return Posterior(tuple(classes), np.log(probabilities), np.zeros(len(probabilities), dtype=bool))


def test_bayes_rule_in_log_space():
    """By hand: joint 0.1 and 0.3 is a posterior of 1/4 and 3/4, also when both are e^-1000000 times that."""
    joint = np.log([[0.1, 0.3]])
    for level in (0.0, -1e6):
        found = Posterior.of(["a", "b"], joint + level, np.log([0.5, 0.5]))
        np.testing.assert_allclose(found.probabilities, [[0.25, 0.75]], rtol=1e-9)
        assert not found.silent.any()


def test_where_every_class_is_impossible_the_posterior_is_the_prior():
    log_prior = np.log([0.2, 0.8])
    joint = np.array([[-np.inf, -np.inf], [-np.inf, -3.0]])
    found = Posterior.of(["a", "b"], joint, log_prior)
    assert found.silent.tolist() == [True, False]
    np.testing.assert_allclose(found.probabilities, [[0.2, 0.8], [0.0, 1.0]])
    assert len(found) == 2


def test_ties_go_to_the_class_listed_first():
    assert posterior([[0.5, 0.5], [0.4, 0.6]], "ba").mode() == ["b", "a"]


def test_mean_median_and_quantiles_of_numbers_in_any_order():
    """By hand: values 10, 30, 20 with probabilities 0.2, 0.5, 0.3."""
    found = posterior(NUMBERS, [10, 30, 20])
    np.testing.assert_allclose(found.mean(), [0.2 * 10 + 0.5 * 30 + 0.3 * 20, 20, 20])
    assert found.median().tolist() == [20, 20, 20]
    assert found.quantile(0.19).tolist() == [10, 20, 10]
    assert found.quantile(0.51).tolist() == [30, 20, 20]
    assert found.quantile(0.99).tolist() == [30, 20, 30]


def test_the_outer_quantiles_are_the_least_and_greatest_possible_values():
    found = posterior([[0.0, 0.4, 0.6, 0.0], [0.1] * 3 + [0.7]], [1, 2, 3, 4])
    assert found.quantile(0).tolist() == [2, 1]
    assert found.quantile(1).tolist() == [3, 4]


@pytest.mark.parametrize("q", [-0.1, 1.1, float("nan")])
def test_a_quantile_lies_between_0_and_1(q):
    with pytest.raises(InputError, match=f"a quantile needs q from 0 to 1, got {q}"):
        posterior(NUMBERS, [1, 2, 3]).quantile(q)


@pytest.mark.parametrize("classes", [("ham", "spam", "eggs"), (("t", 1), 2, 3)])
def test_labels_have_no_mean(classes):
    with pytest.raises(InputError, match="means and quantiles need numbers as classes, got") as error:
        posterior(NUMBERS, classes).mean()
    assert repr(classes[0]) in error.value.message
    assert error.value.hint == "use a loss over labels, such as ZeroOne() or Costs(...)"


def test_the_log_probability_of_a_class_nobody_knows_is_minus_infinity():
    found = posterior(NUMBERS, "abc").log_prob(["b", "zebra", "a"])
    np.testing.assert_allclose(found, [np.log(0.5), -np.inf, np.log(1 / 3)])
