"""P(c) before anything is seen (SPEC, section 4)."""

import numpy as np
import pytest

from plainbayes import Empirical, Given, InputError, Model, Smoothed, Uniform

WEIGHT = np.array([3.0, 1.0, 0.0])
CLASSES = ("a", "b", "c")


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (Empirical(), [3 / 4, 1 / 4, 0]),
        (Smoothed(), [4 / 7, 2 / 7, 1 / 7]),
        (Smoothed(0.5), [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5]),
        (Uniform(), [1 / 3, 1 / 3, 1 / 3]),
        (Given({"c": 0.5, "b": 0.5, "a": 0}), [0, 0.5, 0.5]),
    ],
    ids=repr,
)
def test_priors_of_three_classes_by_hand(prior, expected):
    np.testing.assert_allclose(np.exp(prior.log_prior(CLASSES, WEIGHT)), expected, rtol=1e-15)


def test_an_empirical_prior_over_nothing_learned_is_uniform():
    np.testing.assert_allclose(np.exp(Empirical().log_prior(("a", "b"), np.zeros(2))), [0.5, 0.5], rtol=1e-15)


@pytest.mark.parametrize("strength", [0, -1, float("nan"), float("inf")])
def test_smoothing_needs_strength(strength):
    with pytest.raises(InputError, match=f"a smoothed prior needs strength > 0, got {strength}"):
        Smoothed(strength)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ({"a": 0.3, "b": 0.3}, "a prior needs probabilities that sum to 1, got {'a': 0.3, 'b': 0.3} with sum 0.6"),
        ({"a": 1.5, "b": -0.5}, "a prior needs probabilities >= 0, got {'a': 1.5, 'b': -0.5}"),
        ({"a": float("nan"), "b": 1}, "a prior needs probabilities >= 0, got {'a': nan, 'b': 1}"),
        ({}, "a prior needs probabilities that sum to 1, got {} with sum 0"),
    ],
    ids=["sum", "negative", "nan", "empty"],
)
def test_a_given_prior_is_a_distribution(probabilities, message):
    with pytest.raises(InputError) as error:
        Given(probabilities)
    assert error.value.message == message


def test_a_given_prior_may_be_rounded():
    assert Given({"a": 1 / 3 + 1e-9, "b": 1 / 3, "c": 1 / 3}).log_prior(CLASSES, WEIGHT) == pytest.approx(np.log(1 / 3))


def test_a_given_prior_names_every_class():
    model = Model("multinomial", Given({"a": 0.5, "b": 0.5})).learn([{"x": 1}] * 3, ["a", "c", "d"])
    with pytest.raises(InputError) as error:
        model.posterior([{"x": 1}])
    assert error.value.message == "the given prior lacks class 'c', 'd'"
    assert error.value.hint == "name every class, with 0 if it is impossible"


def test_changing_the_prior_adds_log_new_over_old_to_the_scores_and_touches_no_counts():
    model = Model("multinomial").learn([{"x": 2}, {"x": 1, "y": 3}, {"y": 1}], ["a", "b", "b"])
    other = model.with_beliefs(prior=Given({"a": 0.9, "b": 0.1}))
    assert other.evidence == model.evidence
    old, new = (m.posterior([{"x": 1, "y": 1}]).log_probabilities[0] for m in (model, other))
    moved = np.log([0.9 / (1 / 3), 0.1 / (2 / 3)])
    assert (new - old)[0] - (new - old)[1] == pytest.approx(moved[0] - moved[1], rel=1e-12)
