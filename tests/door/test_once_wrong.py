"""What once went wrong behind the scikit-learn door, and must not again."""

import numpy as np
import pytest
from sklearn import naive_bayes

from plainbayes import InputError
from plainbayes.sklearn import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
)

X, Y = [[1, 2], [3, 4], [1, 1]], [0, 1, 1]


@pytest.mark.parametrize("bad", [{"class_prior": [1.0]}, {"alpha": -1.0}])
def test_unlearning_with_parameters_that_make_no_sense_changes_nothing(bad):
    model = MultinomialNB().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match=r"priors|alpha"):
        model.set_params(**bad).unlearn([[1, 2]], [0])
    assert model.class_count_.tolist() == [1, 2]
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("verb", ["unlearn", "partial_fit"])
def test_another_threshold_is_refused_and_the_model_answers_as_before(verb):
    model = BernoulliNB().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(InputError, match="facts of one kind"):
        getattr(model.set_params(binarize=1.0), verb)(X[:1], Y[:1])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_attributes_are_those_of_the_fit_whatever_the_parameters_become():
    model = CategoricalNB().fit([[0], [1], [1]], Y).set_params(min_categories=50)
    assert model.n_categories_.tolist() == [2]
    assert model.feature_log_prob_[0].shape == (2, 2)
    assert "plainbayes" in model._repr_html_()
    complement = ComplementNB().fit(X, Y)
    before = complement.class_log_prior_
    assert complement.set_params(class_prior=[0.9, 0.1]).class_log_prior_.tolist() == before.tolist()


def test_the_largest_category_of_all_is_learned_and_judged():
    model = CategoricalNB().fit([[2**63 - 1], [1]], [0, 1])
    assert model.n_categories_.tolist() == [2**63 - 1]
    assert model.predict([[2**63 - 1], [1]]).tolist() == [0, 1]


@pytest.mark.parametrize("labels", [np.array(["a", "bb"], dtype=object), np.array(["a", "b"], dtype="<U21")])
@pytest.mark.parametrize("name", ["MultinomialNB", "GaussianNB"])
def test_text_labels_have_the_dtype_that_scikit_learn_gives_them(labels, name):
    home = {MultinomialNB: naive_bayes.MultinomialNB, GaussianNB: naive_bayes.GaussianNB}
    ours = {"MultinomialNB": MultinomialNB, "GaussianNB": GaussianNB}[name]
    theirs = home[ours]().fit([[1.0], [2.0]], labels)
    model = ours().fit([[1.0], [2.0]], labels)
    assert model.classes_.tolist() == theirs.classes_.tolist()
    assert model.predict([[1.0]]).tolist() == theirs.predict([[1.0]]).tolist()
    if labels.dtype == object:
        assert model.classes_.dtype == "<U2"


def test_what_was_learned_cannot_be_written_to_but_the_prior_can_be_set():
    model = MultinomialNB().fit(X, Y)
    with pytest.raises(ValueError, match="read-only"):
        model.feature_count_[:] = 5
    with pytest.raises(ValueError, match="read-only"):
        GaussianNB().fit(X, Y).theta_[:] = 5
    model.class_log_prior_ = np.log([0.9, 0.1])
    theirs = naive_bayes.MultinomialNB(class_prior=[0.9, 0.1]).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


def test_weights_that_would_vanish_are_refused():
    with pytest.raises(InputError, match=r"multiples of 2\^-36, but 1e-20 in row 0") as error:
        MultinomialNB().fit(X, Y, sample_weight=[1e-20] * 3)
    assert "multiply" in error.value.hint


def test_models_are_summed_and_another_name_is_no_other_thing():
    parts = [MultinomialNB().fit(X[:2], Y[:2]), MultinomialNB().fit(X[1:], Y[1:])]
    assert sum(parts).class_count_.tolist() == [1, 3]
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = 5 + parts[0]
    both = NaiveBayesClassifier("poisson").fit(X, Y) + MixedNB("poisson").fit(X, Y)
    assert both.predict(X).tolist() == NaiveBayesClassifier("poisson").fit(X, Y).predict(X).tolist()


def test_regressors_with_the_same_cells_are_merged():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 2))
    settings = {"edges": np.linspace(-4, 4, 9), "width": 0.5}
    parts = [NaiveBayesRegressor("gaussian", **settings).fit(half, half[:, 0]) for half in (rows[:40], rows[40:])]
    whole = NaiveBayesRegressor("gaussian", **settings).fit(rows, rows[:, 0])
    np.testing.assert_allclose((parts[0] + parts[1]).predict(rows), whole.predict(rows), rtol=1e-9)


def test_no_rows_no_labels_and_classes_of_the_wrong_shape_are_refused_in_a_sentence():
    with pytest.raises(InputError, match="rows were expected, got none"):
        NaiveBayesClassifier("poisson").fit({"a": []}, [])
    with pytest.raises(InputError, match="a label was expected, got None in row 1"):
        NaiveBayesClassifier("poisson").fit([[1], [2]], np.array(["a", None], dtype=object))
    with pytest.raises(ValueError, match="1d array"):
        MultinomialNB().partial_fit(X, Y, classes=[[0, 1]] * 2)


def test_an_alpha_without_dimensions_is_a_number():
    found = MultinomialNB(alpha=np.array(0.5)).fit(X, Y).feature_log_prob_
    np.testing.assert_array_equal(found, MultinomialNB(alpha=0.5).fit(X, Y).feature_log_prob_)
