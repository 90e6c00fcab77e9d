"""The estimators among others: copies, pipelines, searches, frames, and what scikit-learn's do not have."""

import copy
import pickle

import array_api_strict
import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from plainbayes import Costs, InputError, LogLoss, Reject, Squared
from plainbayes.sklearn import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    KernelNB,
    MultinomialNB,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    PoissonNB,
)

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (60, 4))
Y = np.array(["a", "b", "c"])[RNG.integers(0, 3, 60)]
TEXTS = ["cheap pills now", "cheap watches", "buy pills", "meeting at noon", "lunch at noon", "notes of the meeting"]
KINDS = np.array(["spam", "spam", "spam", "ham", "ham", "ham"])
DROP_IN = [GaussianNB(), MultinomialNB(), ComplementNB(), BernoulliNB(), CategoricalNB()]
EVERY = [*DROP_IN, NaiveBayesClassifier("gaussian"), NaiveBayesClassifier("categorical"), PoissonNB(), KernelNB()]
COUNTS = ("class_count_", "feature_count_", "category_count_", "n_categories_", "feature_log_prob_")


def every(estimators=EVERY):
    return pytest.mark.parametrize("estimator", estimators, ids=repr)


def fitted(estimator, rows=slice(None)):
    return clone(estimator).fit(X[rows], Y[rows])


def assert_same(found, expected):
    """Lists of arrays, arrays and numbers, bit for bit."""
    found, expected = (one if isinstance(one, list) else [one] for one in (found, expected))
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, other)


# Copies


@every()
def test_a_copy_of_any_kind_answers_the_same_and_learns_on_its_own(estimator, tmp_path):
    model = fitted(estimator)
    joblib.dump(model, tmp_path / "model")
    expected = model.predict_proba(X)
    for twin in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model"), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.predict_proba(X), expected)
        twin.partial_fit(X[:7], Y[:7])
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        assert not np.array_equal(twin.predict_proba(X), expected)


@every()
def test_a_clone_has_the_parameters_and_has_learned_nothing(estimator):
    twin = clone(fitted(estimator))
    assert twin.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        twin.predict(X)


def test_parameters_set_later_are_believed_from_the_next_rows_on():
    model = MultinomialNB(alpha=1.0).fit(X, Y).set_params(alpha=0.25)
    model.partial_fit(X[:2], Y[:2])
    expected = MultinomialNB(alpha=0.25).fit(np.vstack([X, X[:2]]), np.append(Y, Y[:2]))
    np.testing.assert_array_equal(model.feature_log_prob_, expected.feature_log_prob_)


# Meta-estimators


@pytest.mark.parametrize("vectorizer", [CountVectorizer(), TfidfVectorizer()], ids=["counts", "tf-idf"])
@every([MultinomialNB(), ComplementNB(), BernoulliNB(), NaiveBayesClassifier("multinomial"), NaiveBayesClassifier()])
def test_text_goes_through_a_pipeline(vectorizer, estimator):
    model = make_pipeline(clone(vectorizer), clone(estimator)).fit(TEXTS, KINDS)
    np.testing.assert_array_equal(model.predict(["cheap pills", "lunch meeting"]), ["spam", "ham"])


def test_a_search_over_alpha_finds_what_trying_by_hand_finds():
    alphas = [0.01, 0.3, 10.0]
    search = GridSearchCV(MultinomialNB(), {"alpha": alphas}, cv=4, scoring="neg_log_loss").fit(X, Y)
    by_hand = [cross_validate(MultinomialNB(alpha=a), X, Y, cv=4, scoring="neg_log_loss")["test_score"] for a in alphas]
    assert search.best_params_ == {"alpha": alphas[int(np.argmax(np.mean(by_hand, axis=1)))]}


def test_probabilities_can_be_calibrated():
    model = CalibratedClassifierCV(GaussianNB(), cv=3).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert {type(each.estimator) for each in model.calibrated_classifiers_} == {GaussianNB}


def test_columns_are_encoded_before():
    frame = pd.DataFrame({"city": ["Riga", "Lima", "Riga", "Lima"], "size": ["S", "M", "L", "S"]})
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=9)
    model = make_pipeline(ColumnTransformer([("code", encoder, ["city", "size"])]), CategoricalNB())
    model.fit(frame, [0, 1, 0, 1])
    strange = pd.DataFrame({"city": ["Riga", "Oslo"], "size": ["XL", "M"]})
    np.testing.assert_array_equal(model.predict(strange), [0, 1])


def test_votes_are_counted():
    voters = [("g", GaussianNB()), ("m", MultinomialNB()), ("b", NaiveBayesClassifier("categorical"))]
    votes = VotingClassifier(voters, voting="soft").fit(X, Y)
    expected = np.mean([fitted(one).predict_proba(X) for _, one in voters], axis=0)
    np.testing.assert_allclose(votes.predict_proba(X), expected, rtol=1e-12)


@every([GaussianNB(), MultinomialNB(), NaiveBayesClassifier("gaussian")])
def test_weights_are_routed_where_they_are_asked_for(estimator):
    weight = np.arange(60.0)
    with config_context(enable_metadata_routing=True):
        asked = make_pipeline(clone(estimator).set_fit_request(sample_weight=True)).fit(X, Y, sample_weight=weight)
        with pytest.raises(ValueError, match="sample_weight"):
            make_pipeline(clone(estimator)).fit(X, Y, sample_weight=weight)
    direct = clone(estimator).fit(X, Y, weight)
    np.testing.assert_array_equal(asked.predict_proba(X), direct.predict_proba(X))
    assert not np.array_equal(direct.predict_proba(X), fitted(estimator).predict_proba(X))


# Frames


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
@every()
def test_frames_are_read_and_their_columns_known_by_name(estimator, library):
    frame = library.DataFrame({name: X[:, j] for j, name in enumerate(("u", "v", "w", "x"))})
    model = clone(estimator).fit(frame, Y)
    np.testing.assert_array_equal(model.feature_names_in_, ["u", "v", "w", "x"])
    np.testing.assert_allclose(model.predict_proba(frame), fitted(estimator).predict_proba(X), rtol=1e-12)
    turned = library.DataFrame({name: frame[name] for name in ("v", "u", "w", "x")})
    with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
        model.predict(turned)


@every(DROP_IN)
def test_names_that_come_or_go_are_warned_of(estimator):
    frame = pd.DataFrame(X, columns=list("uvwx"))
    with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without feature names"):
        fitted(estimator).predict(frame)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but .* was fitted with feature names"):
        clone(estimator).fit(frame, Y).predict(X)


def test_array_api_input_gives_array_api_answers(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    cells, labels = array_api_strict.asarray(X.astype(np.float64)), array_api_strict.asarray(np.arange(60) % 2)
    with config_context(array_api_dispatch=True):
        model = GaussianNB().fit(cells, labels)
        plain = GaussianNB().fit(X.astype(np.float64), np.arange(60) % 2)
        for name in ("theta_", "var_", "class_prior_", "class_count_", "classes_"):
            found = getattr(model, name)
            assert type(found) is type(cells)
            np.testing.assert_array_equal(np.asarray(found), getattr(plain, name))
        for method in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"):
            found = getattr(model, method)(cells)
            assert type(found) is type(cells)
            np.testing.assert_array_equal(np.asarray(found), getattr(plain, method)(X.astype(np.float64)))
        single = array_api_strict.asarray(X.astype(np.float32))
        assert GaussianNB().fit(single, labels).predict_proba(single).dtype == array_api_strict.float32
        model.partial_fit(cells, labels, classes=labels[:2])
        np.testing.assert_array_equal(np.asarray(model.class_count_), [60, 60])
        model.unlearn(cells, labels)
        np.testing.assert_array_equal(np.asarray((model + model).class_count_), [60, 60])


# Unlearning and merging


@every()
def test_unlearning_rows_restores_every_attribute(estimator):
    few, all_rows = fitted(estimator, slice(0, 40)), fitted(estimator)
    expected = few.predict_proba(X)
    all_rows.unlearn(X[40:], Y[40:])
    np.testing.assert_allclose(all_rows.predict_proba(X), expected, rtol=1e-9)
    for name in COUNTS:
        if hasattr(few, name):
            assert_same(getattr(all_rows, name), getattr(few, name))
    for name in ("theta_", "var_", "epsilon_"):
        if hasattr(few, name):
            np.testing.assert_allclose(getattr(all_rows, name), getattr(few, name), rtol=1e-9)


@every()
def test_models_of_two_halves_add_up_to_the_model_of_all(estimator):
    one, two, whole = fitted(estimator, slice(0, 25)), fitted(estimator, slice(25, 60)), fitted(estimator)
    before = one.predict_proba(X), two.predict_proba(X)
    both = one + two
    np.testing.assert_allclose(both.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(both.classes_, whole.classes_)
    for name in COUNTS:
        if hasattr(whole, name):
            assert_same(getattr(both, name), getattr(whole, name))
    np.testing.assert_array_equal(one.predict_proba(X), before[0])
    np.testing.assert_array_equal(two.predict_proba(X), before[1])


@every(DROP_IN)
def test_models_of_different_classes_add_up_to_the_classes_of_both(estimator):
    one, two = (clone(estimator).fit(X[Y == c], Y[Y == c]) for c in "ac")
    known = Y != "b"
    np.testing.assert_array_equal((two + one).classes_, ["a", "c"])
    expected = clone(estimator).fit(X[known], Y[known]).predict_proba(X)
    np.testing.assert_allclose((two + one).predict_proba(X), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (5, "a fitted MultinomialNB was expected, got 5"),
        (BernoulliNB().fit(X, Y), r"a fitted MultinomialNB was expected, got BernoulliNB\(\)"),
        (MultinomialNB().fit(X[:, :3], Y), "facts about the same columns were expected, got 0, 1, 2, 3 and 0, 1, 2"),
        (MultinomialNB().fit(pd.DataFrame(X, columns=list("uvwx")), Y), "the same columns were expected, got"),
        (MultinomialNB().fit(X, np.arange(60) % 2), "classes of one type were expected, got 'a', 'b', 'c', 0, 1"),
    ],
    ids=["number", "class", "width", "names", "labels"],
)
def test_what_does_not_fit_together_is_not_added(other, message):
    with pytest.raises(InputError, match=message):
        MultinomialNB().fit(X, Y) + other


@every()
def test_what_was_never_learned_cannot_be_unlearned_and_nothing_is_lost(estimator):
    model = fitted(estimator)
    expected = model.predict_proba(X)
    with pytest.raises(InputError, match="cannot unlearn what was never learned"):
        model.unlearn(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
    with pytest.raises(InputError, match="cannot unlearn what was never learned: no class 'z'"):
        model.unlearn(X[:1], ["z"])
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        model.unlearn(X[:1, :3], Y[:1])
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_unlearned_weights_are_those_that_were_learned():
    weight = np.linspace(0.5, 2.0, 60)
    model = MultinomialNB().fit(X, Y, weight).unlearn(X[50:], Y[50:], weight[50:])
    expected = MultinomialNB().fit(X[:50], Y[:50], weight[:50])
    np.testing.assert_array_equal(model.feature_count_, expected.feature_count_)
    np.testing.assert_array_equal(model.class_count_, expected.class_count_)


# Failure


@every()
def test_a_refused_fit_leaves_the_fitted_model_as_it_was(estimator):
    frame = pd.DataFrame(X, columns=list("uvwx"))
    model = clone(estimator).fit(frame, Y)
    expected = model.predict_proba(frame)
    cells = X[:, :3].astype(np.float64)
    cells[5, 1] = np.nan
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=r"nan|NaN|feature"):
            learn(pd.DataFrame(cells, columns=list("abc")) if learn == model.partial_fit else cells, Y)
    wrong = pd.DataFrame(X.astype(np.float64), columns=list("uvwx"))
    wrong.loc[5, "v"] = np.inf
    if estimator.get_params().get("event") != "categorical":
        with pytest.raises(ValueError, match=r"inf"):
            model.partial_fit(wrong, Y)
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.feature_names_in_, list("uvwx"))
    np.testing.assert_array_equal(model.predict_proba(frame), expected)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"])
@every()
def test_an_answer_needs_a_fit(estimator, method):
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        getattr(clone(estimator), method)(X)


@every()
def test_decisions_explanations_unlearning_and_merging_need_a_fit(estimator):
    for ask in (
        lambda one: one.decide(X, Reject(0.1)),
        lambda one: one.explain(X[:1]),
        lambda one: one.unlearn(X, Y),
        lambda one: one + one,
    ):
        with pytest.raises(NotFittedError, match="instance is not fitted yet"):
            ask(clone(estimator))


def test_the_regressor_needs_a_fit():
    for ask in (
        lambda one: one.predict(X),
        lambda one: one.predict_quantile(X, 0.5),
        lambda one: one.predict_interval(X),
        lambda one: one.unlearn(X, Y),
        lambda one: one + one,
    ):
        with pytest.raises(NotFittedError, match="instance is not fitted yet"):
            ask(NaiveBayesRegressor("gaussian"))


@every(DROP_IN)
def test_the_first_batch_names_the_classes_and_later_ones_do_not_change_them(estimator):
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        clone(estimator).partial_fit(X, Y)
    model = clone(estimator).partial_fit(X, Y, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        model.partial_fit(X, Y, classes=["a", "b"])


# Explanations and decisions


@every()
def test_the_shares_of_an_explanation_add_up_to_the_log_odds(estimator):
    model = fitted(estimator)
    for row in range(0, 60, 7):
        why = model.explain(X[row : row + 1])
        joint = model.predict_joint_log_proba(X[row : row + 1])[0]
        places = [list(model.classes_).index(c) for c in (why.label, why.against)]
        assert why.label == model.predict(X[row : row + 1])[0]
        odds = joint[places[0]] - joint[places[1]]
        assert why.prior + why.bias + sum(share.nats for share in why.shares) == pytest.approx(odds, abs=1e-9)
    chosen = model.explain(X[:1], label="b", against="c")
    assert (chosen.label, chosen.against) == ("b", "c")


@every()
def test_an_explanation_names_the_columns_of_a_frame(estimator):
    frame = pd.DataFrame(X + 1, columns=list("uvwx"))
    model = clone(estimator).fit(frame, Y)
    assert {share.feature for share in model.explain(frame[:1]).shares} == set("uvwx")
    plain = clone(estimator).fit(X + 1, Y)
    assert {share.feature for share in plain.explain(X[:1] + 1).shares} == {0, 1, 2, 3}


def test_decisions_follow_the_costs():
    model = GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    np.testing.assert_array_equal(model.decide([[1.2], [5.0], [8.8]], Reject(0.1)), ["low", "ask", "high"])
    rows = [[1.2], [4.5], [4.9]]
    np.testing.assert_array_equal(model.predict(rows), ["low", "low", "low"])
    np.testing.assert_array_equal(model.decide(rows, Costs("high>low=1e9, low>high=1")), ["low", "high", "high"])
    sure = model.decide(rows, LogLoss())
    assert [each["low"] for each in sure] == model.predict_proba(rows)[:, 1].tolist()
    numbered = GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], [0, 0, 10, 10])
    np.testing.assert_allclose(numbered.decide(rows, Squared()), 10 * numbered.predict_proba(rows)[:, 1], rtol=1e-12)
    with pytest.raises(InputError, match="a loss was expected, got 'zero'"):
        model.decide([[1.0]], "zero")


def test_sparse_rows_are_learned_unlearned_and_explained():
    rows = sparse.csr_array(X)
    model = MultinomialNB().fit(rows, Y).unlearn(rows[40:], Y[40:])
    np.testing.assert_array_equal(model.feature_count_, fitted(MultinomialNB(), slice(0, 40)).feature_count_)
    shares = {share.feature: share.value for share in model.explain(rows[[3]]).shares}
    assert shares == {j: value for j, value in enumerate(X[3].tolist()) if value}
