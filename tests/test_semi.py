"""Learning from rows without labels."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from plainbayes import InputError, Model, NotLearnedError, Smoothed
from plainbayes.events import Gaussian, Multinomial
from plainbayes.evidence import Index
from plainbayes.matrix import ClassWeights
from plainbayes.semi import learn_unlabelled


def gaussians(seed=1, few=3, many=200):
    """Two classes that overlap, a few rows with labels and many without."""
    rng = np.random.default_rng(seed)
    y = np.arange(2 * few) % 2
    hidden = rng.integers(0, 2, many)
    X, rest = (rng.normal(size=(len(c), 3)) + 1.6 * c[:, None] * [1, 1, -1] for c in (y, hidden))
    return X, y, rest, hidden


def texts(seed=2, few=3, many=600):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(40, 3.0), 2)
    y, hidden = np.arange(2 * few) % 2, rng.integers(0, 2, many)
    X, rest = (np.array([rng.multinomial(25, topics[c]) for c in codes]) for codes in (y, hidden))
    return X, y, rest, hidden


def normal_joint(model, X):
    """log P(c) + log p(x | c) from means and variances of the evidence, with scipy."""
    part, weight = model.evidence.parts[None].stats, model.evidence.weight.n
    spread = np.sqrt(part.scatter / part.n)
    return np.log(weight / weight.sum()) + stats.norm.logpdf(X[:, None], part.mean, spread).sum(axis=2)


def multinomial_joint(model, X):
    """log P(c) + sum of counts times log of the smoothed shares; and the log of the Dirichlet prior, alpha 1."""
    counts, weight = model.evidence.parts[None].stats.count, model.evidence.weight.n
    shares = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    return np.log(weight / weight.sum()) + X @ np.log(shares).T, np.log(shares).sum()


def test_every_round_raises_the_likelihood_of_all_rows_under_gaussians():
    """EM: sum of log P(x, y) over rows with labels and of log P(x) over those without never falls."""
    X, y, rest, _ = gaussians()
    model = Model(Gaussian(floor=1e-14)).learn(X, y)
    likelihoods = []
    for rounds in range(1, 15):
        new = learn_unlabelled(model, rest, rounds=rounds, tolerance=0)
        labelled = normal_joint(new, X)[np.arange(len(y)), y].sum()
        likelihoods.append(labelled + logsumexp(normal_joint(new, rest), axis=1).sum())
    assert (np.diff(likelihoods) > 0).all()


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_every_round_raises_the_posterior_of_the_multinomial_parameters(weight):
    """With alpha 1 the estimate is the maximum of likelihood times a Dirichlet prior, so that is what rises."""
    X, y, rest, _ = texts()
    model = Model("multinomial").learn(X, y)
    heights = []
    for rounds in range(1, 15):
        new = learn_unlabelled(model, rest, weight, rounds, tolerance=0)
        labelled, prior = multinomial_joint(new, X)
        unlabelled, _ = multinomial_joint(new, rest)
        told = labelled[np.arange(len(y)), y].sum()
        heights.append(told + weight * logsumexp(unlabelled, axis=1).sum() + prior)
    assert (np.diff(heights) > 0).all()


@pytest.mark.parametrize("made", [gaussians, texts], ids=["gaussian", "multinomial"])
def test_rows_without_labels_improve_what_few_labels_taught(made):
    X, y, rest, hidden = made()
    model = Model("gaussian" if made is gaussians else Multinomial()).learn(X, y)
    before = np.mean(np.array(model.decide(rest)) == hidden)
    after = np.mean(np.array(learn_unlabelled(model, rest).decide(rest)) == hidden)
    assert after > before + 0.03


def test_the_result_is_the_evidence_with_labels_plus_that_of_the_last_soft_labels():
    X, y, rest, _ = gaussians()
    model = Model("gaussian").learn(X, y)
    before = model.evidence.copy()
    once = learn_unlabelled(model, rest, 0.5, rounds=1)
    soft = ClassWeights.soft(0.5 * model.posterior(rest).probabilities)
    assert once.evidence == before + model.tally(model.blocks(rest), Index(model.classes), soft)
    twice = learn_unlabelled(model, rest, 0.5, rounds=2, tolerance=0)
    soft = ClassWeights.soft(0.5 * once.posterior(rest).probabilities)
    assert twice.evidence == before + model.tally(model.blocks(rest), Index(model.classes), soft)
    assert model.evidence == before


def test_what_was_learned_without_labels_is_evidence_like_any_other():
    X, y, rest, _ = gaussians()
    model = Model("gaussian", Smoothed()).learn(X, y)
    more = learn_unlabelled(model, rest)
    assert more.prior == Smoothed()
    assert more.evidence.weight.n.sum() == pytest.approx(len(y) + len(rest), abs=1e-6)
    more.unlearn(X, y)
    assert more.evidence.weight.n.sum() == pytest.approx(len(rest), abs=1e-6)
    assert (more + model).evidence.same(learn_unlabelled(model, rest).evidence, 1e-9)


def test_without_weight_or_rounds_nothing_changes():
    X, y, rest, _ = gaussians()
    model = Model("gaussian").learn(X, y)
    assert learn_unlabelled(model, rest, weight=0).evidence == model.evidence
    assert learn_unlabelled(model, rest, rounds=0).evidence == model.evidence
    assert learn_unlabelled(model, rest[:0]).evidence == model.evidence


def test_rounds_end_when_no_probability_moves_by_more_than_the_tolerance():
    X, y, rest, _ = gaussians()
    model = Model("gaussian").learn(X, y)
    long, short = learn_unlabelled(model, rest, rounds=2000, tolerance=1e-9), learn_unlabelled(model, rest, rounds=1)
    soft = ClassWeights.soft(long.posterior(rest).probabilities)
    again = model + model.tally(model.blocks(rest), Index(model.classes), soft)
    np.testing.assert_allclose(again.posterior(rest).probabilities, long.posterior(rest).probabilities, atol=1e-7)
    assert np.abs(short.posterior(rest).probabilities - long.posterior(rest).probabilities).max() > 1e-3
    assert learn_unlabelled(model, rest, tolerance=1.0).evidence == short.evidence


def test_words_that_only_texts_without_labels_hold_are_learned_too():
    model = Model("multinomial").learn([{"goal": 2, "team": 1}, {"bank": 2, "loan": 1}], ["sport", "money"])
    more = learn_unlabelled(model, [{"goal": 1, "referee": 1}, {"bank": 1, "interest": 1}])
    assert model.posterior([{"referee": 1}]).probabilities.tolist() == [[0.5, 0.5]]
    assert more.decide([{"referee": 1}, {"interest": 1}]) == ["sport", "money"]


@pytest.mark.parametrize("weight", [-1, float("nan")])
def test_a_weight_below_zero_is_refused(weight):
    model = Model("gaussian").learn([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(InputError, match=f"unlabelled rows need a weight from 0 to 1e\\+15, got {weight}"):
        learn_unlabelled(model, [[0.5]], weight)


def test_without_any_labels_there_is_nothing_to_start_from():
    with pytest.raises(NotLearnedError, match="the model has learned nothing yet"):
        learn_unlabelled(Model("gaussian"), [[0.5]])
