"""Explanations add up and can be read."""

import math

import numpy as np
import pytest
from scipy import sparse

from plainbayes import Explanation, Given, InputError, Model, Product
from plainbayes.events import Bernoulli, Categorical, Gaussian, Multinomial
from plainbayes.explain import Share


def test_the_total_is_the_exact_sum():
    why = Explanation("a", "b", 0.9, 1e16, 1.0, (Share("x", 1, -1e16), Share("y", 1, 1.0)))
    assert why.total == 2.0


def test_an_infinite_share_makes_the_total_infinite():
    assert Explanation("a", "b", 1.0, 0.5, 0.0, (Share("x", 1, math.inf),)).total == math.inf


def test_an_explanation_reads_as_a_table_with_bars():
    why = Explanation("spam", "ham", 0.8765, 0.5, 0.0, (Share("pills", 2.0, 2.0, True), Share("noon", 1.0, -1.0, True)))
    assert str(why).splitlines() == [
        "spam with probability 0.876",
        "log odds spam : ham = +1.500",
        "  prior       +0.500  █████",
        "  pills x 2   +2.000  ████████████████████",
        "  noon        -1.000  ░░░░░░░░░░",
    ]


def test_a_bias_is_shown_where_there_is_one_and_infinite_shares_fill_their_bar():
    lines = str(Explanation("a", "b", 1.0, 0.0, -1.0, (Share("x", None, math.inf), Share("y", 3, -0.5)))).splitlines()
    assert lines[2:] == [
        "  prior   +0.000  ",
        "  bias    -1.000  ░░░░░░░░░░░░░░░░░░░░",
        "  x         +inf  ████████████████████",
        "  y = 3   -0.500  ░░░░░░░░░░",
    ]


def test_a_row_that_says_nothing_can_be_shown():
    assert str(Explanation("a", "b", 0.5, 0.0, 0.0, ())).endswith("  prior   +0.000  ")


def test_the_shares_of_words_by_hand():
    """Counts a: x 2, y 1; b: y 1; alpha 1, |V| 2: P(x|a) = 3/5, P(x|b) = 1/3, P(y|a) = 2/5, P(y|b) = 2/3."""
    model = Model("multinomial").learn([{"x": 2, "y": 1}, {"y": 1}], ["a", "b"])
    why = model.explain([{"y": 1, "x": 3, "never seen": 1}])
    assert (why.label, why.against, why.prior, why.bias, why.silent) == ("a", "b", 0.0, 0.0, False)
    assert [(share.feature, share.value) for share in why.shares] == [("x", 3.0), ("y", 1.0), ("never seen", 1.0)]
    expected = [3 * np.log(9 / 5), np.log(3 / 5), 0.0]
    np.testing.assert_allclose([share.nats for share in why.shares], expected, rtol=1e-12)
    assert why.probability == pytest.approx(1 / (1 + np.exp(-sum(expected))))


def test_in_the_bernoulli_model_the_bias_is_the_absence_of_all_words():
    """P(x|a) = 2/3, P(x|b) = 1/3, P(y|a) = 1/3, P(y|b) = 2/3."""
    model = Model("bernoulli").learn([[1, 0], [0, 1]], ["a", "b"])
    why = model.explain([[1, 0]])
    assert why.bias == pytest.approx(0.0, abs=1e-15)
    assert [(share.feature, share.value) for share in why.shares] == [(0, 1.0)]
    assert why.total == pytest.approx(np.log(4))
    spam = Model(Bernoulli(absence=False)).learn([[1, 0], [0, 1]], ["a", "b"]).explain([[1, 0]])
    assert spam.bias == 0 and spam.total == pytest.approx(np.log(2))


def test_a_product_names_column_and_category_and_missing_cells_say_nothing():
    model = Model(Product({"city": Categorical(), ("height", "weight"): Gaussian()}))
    model.learn(
        {"city": ["Rome", "Oslo", "Oslo", "Rome"], "height": [1, 2, 5, 6], "weight": [1, 2, 3, 2]},
        ["a", "a", "b", "b"],
    )
    why = model.explain([{"city": "Rome", "height": 2, "weight": None}])
    found = {share.feature: share for share in why.shares}
    assert set(found) == {"city", "height", "weight"}
    assert found["city"].value == "Rome"
    assert found["weight"].nats == 0 and math.isnan(found["weight"].value)
    assert "city = Rome" in str(why) and "height = 2.0" in str(why)


def test_an_unsmoothed_word_that_all_call_impossible_leaves_the_prior_and_the_explanation_says_so():
    """SPEC, section 1."""
    prior = Given({"a": 0.25, "b": 0.75})
    model = Model(Multinomial(alpha=0, unknown="smooth"), prior).learn([{"x": 1}, {"x": 1}], ["a", "b"])
    question = [{"x": 2, "never seen": 1}]
    posterior = model.posterior(question)
    assert posterior.silent.all()
    np.testing.assert_allclose(posterior.probabilities, [[0.25, 0.75]])
    why = model.explain(question)
    assert why.silent and why.label == "b"
    assert why.total == pytest.approx(np.log(3))
    assert "every class calls this impossible: the data say nothing, the prior decides" in str(why)
    assert not model.explain([{"x": 1}]).silent
    assert "impossible" not in str(model.explain([{"x": 1}]))


def test_an_unsmoothed_word_that_one_class_calls_impossible_decides_without_bound():
    model = Model(Multinomial(alpha=0)).learn([{"x": 1}, {"y": 1}], ["a", "b"])
    why = model.explain([{"y": 2}])
    assert (why.label, why.probability, why.total, why.silent) == ("b", 1.0, math.inf, False)
    absent = Model(Bernoulli(alpha=0)).learn([[1], [0]], ["a", "b"]).explain([[0]])
    assert (absent.label, absent.bias, absent.total) == ("b", math.inf, math.inf)


def test_the_total_is_no_nan_where_classes_are_impossible_for_different_reasons():
    why = Model(Multinomial(alpha=0)).learn([{"x": 1}, {"y": 1}], ["a", "b"]).explain([{"x": 1, "y": 1}])
    assert why.silent and why.total == 0
    assert Explanation("a", "b", 0.5, 0.0, -math.inf, (Share("x", 1, math.inf),)).total == 0


def test_a_word_that_counts_zero_has_no_share():
    model = Model("bernoulli").learn([{"x": 1}, {"y": 1}], ["a", "b"])
    why = model.explain([{"x": 0, "y": 1}])
    assert [share.feature for share in why.shares] == ["y"]
    assert why.total == pytest.approx(model.explain([{"y": 1}]).total)
    zeros = sparse.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert Model(Multinomial(alpha=0)).learn([[1, 0], [0, 1]], ["a", "b"]).explain(zeros).total == math.inf


def test_a_cell_is_shown_with_its_value_and_a_word_with_its_count():
    numbers = Model("gaussian").learn({"h": [1.0, 2.0, 5.0, 6.0]}, list("aabb"))
    assert "  h = 1.0  " in str(numbers.explain({"h": [1.0]}))
    words = Model("multinomial").learn([{"x": 1}, {"y": 1}], ["a", "b"])
    assert "  x x 3  " in str(words.explain([{"x": 3, "y": 1}])) and "  y  " in str(words.explain([{"x": 3, "y": 1}]))


def test_a_class_is_not_compared_with_itself():
    model = Model("multinomial").learn([{"x": 1}, {"y": 1}], ["a", "b"])
    with pytest.raises(InputError, match="an explanation compares two classes, got 'a' twice"):
        model.explain([{"x": 1}], against="a")
