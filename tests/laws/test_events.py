"""Laws that hold for every event, in every setting."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from samples import LABELS, NUMBERS, WORDS, columns, counted, likelihood, records, rows, size_of
from scipy import integrate

from plainbayes import Evidence, Model, Smoothed, leave_one_out
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import exact
from plainbayes.observations import labelled

CLOSE = 1e-9


def learned(event, sample):
    return Model(event, Smoothed()).learn(*columns(sample))


def observed(event, sample):
    return Model(event).observe(*columns(sample)) if sample else Evidence()


@given(data=st.data())
def test_evidence_of_parts_adds_up_to_the_evidence_of_all(event, data):
    sample = data.draw(rows(event))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sample)), max_size=3)))
    parts = [observed(event, sample[a:b]) for a, b in itertools.pairwise([0, *cuts, len(sample)])]
    assert sum(parts[1:], parts[0]).same(observed(event, sample), CLOSE)


@given(data=st.data())
def test_evidence_adds_in_any_order(event, data):
    one, two = data.draw(rows(event)), data.draw(rows(event))
    assert (observed(event, one) + observed(event, two)).same(observed(event, two) + observed(event, one), CLOSE)
    assert observed(event, data.draw(st.permutations(one))).same(observed(event, one), CLOSE)


@given(data=st.data())
def test_unlearning_restores_all_that_was_there_with_words_and_classes(event, data):
    one, two = data.draw(rows(event)), data.draw(rows(event))
    left = observed(event, one) + observed(event, two) - observed(event, two)
    assert left.same(observed(event, one), 1e-6)
    assert set(left.classes) == {label for _, label, weight in one if exact(weight) > 0}


@given(data=st.data())
def test_unlearning_a_row_restores_every_probability(event, data):
    sample, extra = data.draw(rows(event, least=2, weights=False)), data.draw(rows(event, weights=False))
    question = data.draw(records(event))
    model = learned(event, sample)
    before = model.posterior([question])
    model.learn(*columns(extra)).unlearn(*columns(extra))
    after = model.posterior([question])
    assert after.classes == before.classes
    np.testing.assert_allclose(after.probabilities, before.probabilities, atol=1e-5)


@given(data=st.data())
def test_unlearning_what_was_never_learned_is_refused_and_changes_nothing(event, data):
    sample = data.draw(rows(event))
    assume(any(exact(weight) > 0 for *_, weight in sample))
    model = learned(event, sample)
    before = model.evidence.copy()
    with pytest.raises(ValueError, match="never learned"):
        model.unlearn(*columns([*sample, *sample]))
    with pytest.raises(ValueError, match="never learned"):
        model.unlearn([sample[0][0]], ["nobody"])
    assert model.evidence == before


@given(data=st.data())
def test_a_weight_of_two_is_two_rows(event, data):
    sample = data.draw(rows(event, weights=False))
    doubled = [(row, label, 2.0) for row, label, _ in sample]
    assert observed(event, sample + sample).same(observed(event, doubled), CLOSE)


@given(data=st.data())
def test_soft_labels_that_are_sure_are_hard_labels(event, data):
    X, y, weight = columns(data.draw(rows(event)))
    model = Model(event)
    classes, hard = labelled(y, weight)
    table = np.zeros((len(y), len(classes)))
    table[np.arange(len(y)), hard.codes] = hard.weights
    soft = model.tally(model.blocks(X), classes, ClassWeights.soft(table))
    soft.forget()
    assert soft.same(model.observe(X, y, weight), CLOSE)


@given(data=st.data())
def test_posteriors_are_probabilities(event, data):
    model = learned(event, data.draw(rows(event)))
    assume(model.classes)
    p = model.posterior([data.draw(records(event)), {} if counted(event) else {"one": None, "two": None}]).probabilities
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


@given(data=st.data())
def test_a_row_that_says_nothing_leaves_the_prior_to_columns(event, data):
    if counted(event):
        return  # an empty text does speak where absence counts
    model = learned(event, data.draw(rows(event)))
    assume(model.classes)
    posterior = model.posterior([{"one": None, "two": None}])
    np.testing.assert_allclose(posterior.log_probabilities[0], model.log_prior, atol=1e-12)


@given(data=st.data())
def test_shares_with_the_prior_add_up_to_the_log_odds(event, data):
    model = learned(event, data.draw(rows(event)))
    assume(len(model.classes) > 1)
    question = data.draw(records(event))
    posterior = model.posterior([question])
    for label, against in itertools.permutations(model.classes, 2):
        why = model.explain([question], against=against, label=label)
        odds = posterior.log_prob([label]) - posterior.log_prob([against])
        size = sum(abs(share.nats) for share in why.shares) + size_of(model, question)
        assert why.total == pytest.approx(odds[0], abs=1e-13 * size, rel=1e-9)
        assert why.total == pytest.approx(why.prior + why.bias + sum(share.nats for share in why.shares))


@given(data=st.data())
def test_leave_one_out_equals_relearning_without_the_row(event, data):
    sample = data.draw(rows(event, least=3, most=8, weights=False))
    X, y, _ = columns(sample)
    assume(not counted(event) or len({frozenset(row.items()) for row in X}) > 1)
    judged = leave_one_out(Model(event, Smoothed()), X, y)
    for row, (question, label, _) in enumerate(sample):
        others = [one for one in sample if one[0] != question] if counted(event) else sample[:row] + sample[row + 1 :]
        fresh = learned(event, sample).frozen().learn(*columns(others)).posterior([question])
        places = [judged.posterior.classes.index(c) for c in fresh.classes]
        here = judged.posterior.probabilities[row]
        # What is left of rounding errors shows where a class has no variance but the floor.
        away = size_of(learned(event, sample).frozen().learn(*columns(others)), question)
        np.testing.assert_allclose(here[places], fresh.probabilities[0], atol=1e-6 + 1e-13 * away)
        assert here.sum() == pytest.approx(1)
        assert judged.alone[row] == (label not in fresh.classes)


@given(data=st.data())
def test_probabilities_sum_to_one_over_their_support(event, data):
    sample = data.draw(rows(event, least=4, missing=False, weights=False))
    model = learned(event, sample)
    if event.proper is None:
        return
    if event.proper == "draws" and event.support != "category":
        words = {word for row, *_ in sample for word in row}
        assume(words)
        each = [likelihood(model, {word: 1}) for word in words]
        np.testing.assert_allclose(sum(each), 1)
    elif event.proper == "draws":
        values = {row["one"] for row, *_ in sample}
        each = [likelihood(model, {"one": value, "two": None}) for value in values]
        np.testing.assert_allclose(sum(each), 1)
    elif event.proper == "presence":
        words = sorted({word for row, *_ in sample for word in row})
        each = [likelihood(model, dict.fromkeys(w, 1)) for n in range(6) for w in itertools.combinations(words, n)]
        np.testing.assert_allclose(sum(each), 1)
    else:
        # Two classes with some spread each: nobody can integrate over a spike.
        values = data.draw(st.lists(NUMBERS[event.support], min_size=8, max_size=20, unique=True))
        sample = [({"one": value, "two": value}, label, 1.0) for value, label in zip(values, itertools.cycle("ab"))]
        np.testing.assert_allclose(_mass(event, learned(event, sample), values), 1, atol=1e-3)


def _mass(event, model, values):
    """What the density of column 'one' sums or integrates to, per class."""

    def density(x):
        x = np.atleast_1d(x)
        blocks = model.blocks({"one": x, "two": np.full(len(x), np.nan)})
        (key, block), *_ = blocks.items()
        return np.exp(block.event.log_prob(model.parameters(key, block.event), block.X))

    low, high = min(values), max(values)
    if event.support == "count":
        return density(np.arange(0.0, 2000.0)).sum(axis=0)
    if event.proper == "range":
        edges = model.frozen().event.edges[0]
        grid = np.linspace(edges[0], edges[-1], 200_001)
        return density((grid[1:] + grid[:-1]) / 2).sum(axis=0) * (grid[1] - grid[0])
    start = -math.inf if event.support == "real" else 0.0
    places = sorted({low, *np.quantile(values, [0.25, 0.5, 0.75]), high} - {start})
    total = 0.0
    for a, b in itertools.pairwise([start, *places, math.inf]):
        total = total + integrate.quad_vec(lambda x: density(x)[0], a, b, epsabs=1e-4, limit=500)[0]
    return total


@given(data=st.data())
def test_far_origins_keep_their_spread(event, data):
    if event.support != "real":
        return
    sample = data.draw(rows(event, least=4, weights=False))
    question = data.draw(records(event))

    def moved(row):
        return {name: None if value is None else value + 2.0**30 for name, value in row.items()}

    here = learned(event, sample).posterior([question]).log_probabilities
    there = learned(event, [(moved(row), label, w) for row, label, w in sample]).posterior([moved(question)])
    np.testing.assert_allclose(there.log_probabilities, here, rtol=1e-5, atol=1e-5)


def test_one_row_and_one_class_behave(event):
    row = {"x": 2} if counted(event) else dict.fromkeys(("one", "two"), _typical(event))
    model = Model(event).learn([row], ["only"])
    assert model.decide([row]) == ["only"]
    np.testing.assert_allclose(model.posterior([row]).probabilities, [[1.0]])


def test_an_empty_vocabulary_behaves(event):
    nothing = {} if counted(event) else {"one": None, "two": None}
    model = Model(event).learn([nothing, nothing, nothing], ["a", "a", "b"])
    np.testing.assert_allclose(model.posterior([nothing]).probabilities, [[2 / 3, 1 / 3]])
    row = {"new": 1} if counted(event) else dict.fromkeys(("one", "two"), _typical(event))
    p = model.posterior([row]).probabilities
    assert np.isfinite(p).all() and p.sum() == pytest.approx(1)


def test_a_constant_column_says_nothing(event):
    if counted(event):
        return
    value = _typical(event)
    model = Model(event).learn([{"one": value}] * 6, ["a", "b"] * 3)
    np.testing.assert_allclose(model.posterior([{"one": value}]).probabilities, [[0.5, 0.5]], atol=1e-9)


def test_ten_thousand_classes_behave(event):
    row = {"x": 1, "y": 2} if counted(event) else {"one": _typical(event)}
    names = list(range(10_000))
    model = Model(event).learn([row] * 10_000, names)
    posterior = model.posterior([row, row])
    assert posterior.probabilities.shape == (2, 10_000)
    assert posterior.mode() == [0, 0]
    np.testing.assert_allclose(posterior.probabilities, 1e-4, rtol=1e-6)


def test_the_order_of_labels_does_not_matter(event):
    row = {"x": 1} if counted(event) else {"one": _typical(event)}
    one = Model(event).learn([row, row], ["b", "a"])
    two = Model(event).learn([row, row], ["a", "b"])
    assert one.classes == two.classes == ("a", "b")
    assert one.evidence == two.evidence


def _typical(event):
    return "red" if event.support == "category" else 1.0


def test_every_support_has_numbers(laws_events):
    assert {event.support for event in laws_events} <= set(NUMBERS)
    assert len(WORDS) == len(set(WORDS)) and len(LABELS) > 2
