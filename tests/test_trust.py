"""Exponents of words: fitted to texts left out exactly, judged by texts that took no part, kept with the counts."""

import pickle
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plainbayes
from plainbayes import (
    Empirical,
    Given,
    InputError,
    TextClassifier,
    Uniform,
    documents,
    reading,
    sources,
    trust,
    weights,
)
from plainbayes._core import Kept, Rows
from plainbayes.descent import lowest
from plainbayes.events import Bernoulli
from plainbayes.reading import sample_of
from plainbayes.semi import proportions
from plainbayes.text.analyzer import Analyzer
from plainbayes.trust import Fit, Folds, Manner, values

TOPICS = {
    "food": "soup bread salt fish plate",
    "sea": "fish boat salt wave sail",
    "town": "street tram tower bridge fish",
}


def corpus(size, seed=0):
    """Texts whose words come in pairs that say the same twice, which naive Bayes believes too much."""
    draw = random.Random(seed)
    texts, labels = [], []
    for _ in range(size):
        label = draw.choice(sorted(TOPICS))
        own, other = (TOPICS[each].split() for each in (label, draw.choice(sorted(TOPICS))))
        words = [draw.choice(own if draw.random() < 0.6 else other) for _ in range(draw.randint(2, 6))]
        words += [f"{word}s" for word in words] + [f"name{draw.randint(0, 400)}"]
        texts.append(" ".join(words))
        labels.append(label)
    return texts, labels


WAYS = [("multinomial", None), ("multinomial", 1.0), ("bernoulli", 1.0), ("complement", None), ("complement", 1.0)]


@pytest.fixture(scope="module", params=WAYS, ids=[f"{event}, leanings {leaning}" for event, leaning in WAYS])
def fitted(request):
    event, leaning = request.param
    model = TextClassifier().fit(*corpus(400))
    model.believe(kept(*corpus(400)), replace(model.trust.manner, event=event, leaning=leaning))
    return model


def kept(texts, labels):
    return Kept.start(sources.texts(texts, labels), 1 << 30)[0]


def distinct(texts):
    """The texts in the order of the rows of a sample: each is given a label of its own."""
    names = sorted(set(texts))
    sample = sample_of(kept(names, [f"{place:04}" for place in range(len(names))]), Analyzer())
    return [names[place] for _, place in sorted(zip(sample.row.tolist(), sample.truth.tolist(), strict=True))]


def spelled(words):
    """The words of a vocabulary, as an array."""
    text, starts = words[0].tobytes(), words[1].tolist()
    return np.array([text[start:end].decode() for start, end in pairwise(starts)])


def by_the_book(event, texts, labels, names, once, alpha):
    """What a word says of each class after learning texts, or nothing if it is unknown; and the words of each class."""
    bag = {name: [] for name in names}
    for text, label in zip(texts, labels, strict=True):
        bag[label] += sorted(set(text.split())) if once else text.split()
    whole = [word for every in bag.values() for word in every]
    size = len(set(whole))

    def says(word, name):
        if word not in whole:
            return 0.0
        if event == "bernoulli":
            p = (bag[name].count(word) + alpha) / (labels.count(name) + 2 * alpha)
            return np.log(p / (1 - p))
        if event == "complement":
            others = whole.count(word) - bag[name].count(word)
            return -np.log((others + alpha) / (len(whole) - len(bag[name]) + alpha * size))
        return np.log((bag[name].count(word) + alpha) / (len(bag[name]) + alpha * size))

    return says, bag


def learned(event, texts, labels, names, words, manner, leanings):
    """The scores of words after learning texts, by the book; a leaning counts where the class has the word."""
    says, bag = by_the_book(event, texts, labels, names, manner.once, manner.alpha)
    said = sorted(set(words)) if manner.values == "presence" else words
    return [
        sum(says(word, name) + (leanings[word, name] if word in bag[name] else 0.0) for word in said) for name in names
    ]


texts_with_labels = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map(" ".join), st.sampled_from("xyz")),
    min_size=3,
    max_size=12,
)


@given(
    texts_with_labels,
    st.sampled_from(trust.EVENTS),
    st.sampled_from(["count", "presence"]),
    st.sampled_from([1.0, 0.3]),
    st.sampled_from([None, 0, 1, 2]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_leaving_a_text_out_with_its_copies_is_learning_without_them(pairs, event, form, alpha, fold, dealt):
    texts, labels = zip(*pairs, strict=True)
    names, order = sorted(set(labels)), distinct(texts)
    folds = Folds(np.frombuffer(kept(texts, labels).hashes(), np.uint64), np.arange(len(order)) // 2 % 3)
    sample = sample_of(kept(texts, labels), Analyzer(), folds=folds if dealt else None)
    manner = Manner(form, short=False, alpha=alpha, event=event)
    sample.lean(np.arange(len(sample.counts.word)))
    leanings = np.random.default_rng(0).normal(size=len(sample.cells))
    words, classes = spelled(sample.words)[sample.counts.word[sample.cells]], sample.counts.classes[sample.cells]
    leaning = dict(zip(zip(words, [names[place] for place in classes], strict=True), leanings, strict=True))
    ones = Fit(np.append(np.ones(len(sample.order)), leanings), np.zeros(sample.classes))
    scores = sample.scores(sample.scoring(manner, fold), ones)
    inside = sample.scores(sample.scoring(manner, fold, inside=True), ones)
    out = {
        text for place, text in enumerate(order) if fold is not None and (place // 2 if dealt else place) % 3 == fold
    }
    for text, alone, together in zip(order, scores, inside, strict=True):
        rest = [pair for pair in pairs if pair[0] not in out | {text}]
        rest_texts, rest_labels = zip(*rest, strict=True) if rest else ((), ())
        expected = learned(event, rest_texts, rest_labels, names, text.split(), manner, leaning)
        np.testing.assert_allclose(together if text in out else alone, expected, atol=1e-4)


@pytest.mark.parametrize("event", trust.EVENTS)
@pytest.mark.parametrize("leaning", [False, True])
def test_the_slope_is_that_of_the_loss(leaning, event):
    texts, labels = corpus(60)
    sample = sample_of(kept([*texts, texts[0]], [*labels, "sea"]), Analyzer(beside=(2, 3)))
    manner = Manner("log", rare=True, event=event)
    by, draw = sample.scoring(manner), np.random.default_rng(0)
    at, bias = draw.uniform(0.5, 1.5, len(sample.order)), draw.normal(size=3)
    if leaning:
        at = np.append(at, draw.normal(size=len(sample.cells)))

    def loss(exponents, bias):
        scores = sample.scores(by, Fit(exponents, bias))
        return float(sample.weight @ sample.surprise(scores))

    single = at.astype(np.float32), bias.astype(np.float32)
    value, slope, classes = sample.rows.slope(by, *single)
    slope, curvature = (np.frombuffer(each, np.float32) for each in (slope, sample.rows.curvature(by, *single)))
    assert value == pytest.approx(loss(at, bias), rel=1e-4)
    for word in range(0, len(at), 7):
        step = np.zeros(len(at))
        step[word] = 0.05
        ahead, behind = loss(at + step, bias), loss(at - step, bias)
        assert slope[word] == pytest.approx((ahead - behind) / 0.1, abs=2e-3)
        assert curvature[word] == pytest.approx((ahead - 2 * value + behind) / 0.0025, abs=0.5, rel=0.5)
    for place in range(3):
        step = np.eye(3)[place] * 0.05
        assert classes[place] == pytest.approx((loss(at, bias + step) - loss(at, bias - step)) / 0.1, abs=1e-2)


@pytest.mark.parametrize("classes", [2, 3, 7, 11, 20, 30])
def test_any_number_of_classes_is_scored_alike(classes):
    draw = random.Random(classes)
    texts = [" ".join(draw.choice("abcdefgh") for _ in range(6)) + f" t{place}" for place in range(90)]
    labels = [f"{place % classes:02}" for place in range(90)]
    sample = sample_of(kept(texts, labels), Analyzer())
    one = trust.start(sample, Manner())
    by = sample.scoring(Manner())
    single = one.exponents.astype(np.float32), one.bias.astype(np.float32)
    loss = sample.rows.slope(by, *single)[0]
    assert loss == pytest.approx(sample.surprise(sample.scores(by, Fit(one.exponents, one.bias))).sum(), rel=1e-4)


def test_descent_ends_where_so_many_steps_led():
    steps = [
        float(lowest(lambda x: (float(x @ x) ** 2, 4 * float(x @ x) * x), np.ones(1), most)[0]) for most in (1, 3, 9)
    ]
    assert 1 > steps[0] > steps[1] > steps[2] > 0


def test_a_text_of_two_classes_may_have_no_word_that_others_have():
    texts, labels = corpus(60)
    sample = sample_of(kept([*texts, "lonely", "lonely"], [*labels, "sea", "town"]), Analyzer())
    fit = trust.fitted(sample, Manner(), trust.start(sample, Manner()))
    assert np.isfinite(fit.exponents).all()


def test_triples_of_long_texts_may_seem_a_little_worse_where_more_texts_are_to_come(monkeypatch):
    texts, labels = corpus(400)
    chosen = []
    for rows, dense in ((400, 9.0), (100, 9.0), (100, 0.01)):
        monkeypatch.setattr(reading, "LONG", 1)
        monkeypatch.setattr(reading, "WORSE", 9.0)
        effort = replace(reading.EFFORTS["quick"], rows=rows, dense=dense)
        monkeypatch.setitem(reading.EFFORTS, "quick", effort)
        chosen.append(reading.choose(kept(texts, labels), Analyzer(), True, "quick").analyzer.ngrams)
    assert chosen == [2, 3, 2]


def test_threads_change_nothing(monkeypatch):
    texts, labels = corpus(3000)
    found = []
    for threads in "123":
        monkeypatch.setenv("PLAINBAYES_THREADS", threads)
        model = TextClassifier(ngrams=1).fit(texts, labels)
        found.append(model.predict_proba(texts[:50]))
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def test_exponents_mend_what_plain_counting_believes_too_much(fitted):
    texts, labels = corpus(2000, seed=1)
    plain = TextClassifier(effort="plain").fit(*corpus(400))

    def loss(model):
        probabilities = model.predict_proba(texts)
        return -np.mean(np.log(probabilities[np.arange(len(texts)), [model.classes.index(one) for one in labels]]))

    estimate = fitted.trust.estimate
    assert loss(fitted) < loss(plain) - 0.1
    assert abs(loss(fitted) - estimate.log_loss) < 2 * estimate.log_loss_error
    assert abs(fitted.score(texts, labels) - estimate.accuracy) < 2 * estimate.accuracy_error


def test_labels_that_mean_nothing_are_not_believed():
    texts, labels = corpus(400)
    random.Random(5).shuffle(labels)
    model = TextClassifier().fit(texts, labels)
    assert model.trust.estimate.accuracy < 0.45
    assert model.predict_proba(texts).max() < 0.75


def test_answers_are_what_exponents_were_fitted_with(fitted):
    texts, labels = corpus(400)
    model, manner, names = TextClassifier(ngrams=1, effort="plain").fit(texts, labels), fitted.trust.manner, TOPICS
    model.believe(kept(texts, labels), manner)
    exponents = dict(zip(model.vocabulary, model.trust.exponents, strict=True))
    leanings = model_leanings(model)
    says, _ = by_the_book(manner.event, texts, labels, names, manner.once, manner.alpha)
    for text in [*texts[:20], "fish unheard of"]:
        words = sorted(set(text.split()))
        scores = [
            np.log(labels.count(name) / 400)
            + model.trust.bias[name]
            + sum(
                exponents[word] * says(word, name) + leanings.get((word, name), 0)
                for word in words
                if word in exponents
            )
            / len(words) ** 0.5
            for name in model.classes
        ]
        scores = np.array(scores)
        expected = scores - np.log(np.exp(scores).sum())
        np.testing.assert_allclose(model.posterior(text).log_probabilities[0], expected, atol=1e-9)


def test_an_explanation_adds_up(fitted):
    why = fitted.explain("fish and salt and soup fish never-heard-of")
    log_p = fitted.posterior("fish and salt and soup fish never-heard-of").log_probabilities[0]
    odds = log_p[fitted.classes.index(why.label)] - log_p[fitted.classes.index(why.against)]
    assert why.total == pytest.approx(odds)
    assert why.bias != 0
    assert [share.nats for share in why.shares if share.feature == "never-heard-of"] in ([], [0.0])


def test_few_or_many_weights_judge_alike(fitted, monkeypatch):
    dense = fitted.predict_proba(corpus(50, seed=2)[0])
    why = fitted.explain("fish salt bridge")
    monkeypatch.setattr(weights, "DENSE", 0)
    sparse = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_allclose(sparse.predict_proba(corpus(50, seed=2)[0]), dense, atol=1e-9)
    assert sparse.explain("fish salt bridge").total == pytest.approx(why.total)


def test_beliefs_are_kept_in_the_file_and_by_pickle(fitted, tmp_path):
    texts = corpus(50, seed=3)[0]
    fitted.save(tmp_path / "m.bayes")
    loaded = plainbayes.load(tmp_path / "m.bayes")
    for again in (loaded, pickle.loads(pickle.dumps(fitted)), pickle.loads(pickle.dumps(loaded))):
        assert (again.predict_proba(texts) == fitted.predict_proba(texts)).all()
        assert again.trust.estimate == fitted.trust.estimate
    loaded.save(tmp_path / "n.bayes")
    assert (tmp_path / "n.bayes").read_bytes() == (tmp_path / "m.bayes").read_bytes()


def test_learning_and_unlearning_keep_beliefs(fitted):
    model, texts = pickle.loads(pickle.dumps(fitted)), corpus(50, seed=4)[0]
    before = model.predict_proba(texts)
    model.learn("an entirely new sentence of fish", "sea")
    assert model.trust is not None
    assert (model.predict_proba(texts) != before).any()
    vocabulary = model.vocabulary
    exponents = dict(zip(vocabulary, model.trust.at(model._vocabulary, model.counts.texts), strict=True))
    old = dict(zip(fitted.vocabulary, fitted.trust.exponents, strict=True))
    assert all(exponents[word] == old[word] for word in old)
    assert exponents["entirely"] == model.trust.common[0] or model.trust.manner.rare
    model.unlearn("an entirely new sentence of fish", "sea")
    np.testing.assert_allclose(model.predict_proba(texts), before, atol=1e-12)


def test_beliefs_of_a_sum_are_those_of_the_larger_part(fitted):
    other = TextClassifier(analyzer=fitted.analysis).fit(*corpus(100, seed=7))
    for whole in (fitted + other, other + fitted):
        assert whole.trust is fitted.trust
        assert float(whole.counts.documents.sum()) == 500


def test_a_prior_given_later_shifts_the_log_odds(fitted):
    model, texts = pickle.loads(pickle.dumps(fitted)), corpus(20, seed=8)[0]
    before = model.posterior(texts).log_probabilities
    counts = np.log(model.counts.documents / model.counts.documents.sum())
    model.set_params(prior=Uniform())
    moved = model.posterior(texts).log_probabilities - before
    np.testing.assert_allclose(moved - moved[:, :1], np.tile(counts[0] - counts, (20, 1)), atol=1e-9)


def test_refitting_renews(fitted):
    model, (texts, labels) = pickle.loads(pickle.dumps(fitted)), corpus(300, seed=9)
    model.learn(texts, labels)
    model.refit([*corpus(400)[0], *texts], [*corpus(400)[1], *labels])
    assert model.trust.documents == 700
    before = model.trust
    with pytest.raises(InputError, match="got others: not so many texts of class 'work'"):
        model.refit(["the report is late"], ["work"])
    with pytest.raises(InputError, match="got others: no feature"):
        model.refit(corpus(300, seed=10)[0], labels)
    with pytest.raises(InputError, match="50 texts at least, and 5 for each class, were expected"):
        model.refit(texts[:5], labels[:5])
    assert model.trust is before


def test_a_model_that_was_cut_is_refitted_to_what_it_is_told_to_be_the_same():
    texts, labels = corpus(300)
    model = TextClassifier(max_vocabulary=20).fit(texts, labels)
    assert model.refit(texts, labels).trust.documents == 300


def test_what_to_expect_under_a_given_prior_is_what_texts_mixed_so_give():
    texts, labels = corpus(400)
    plain = TextClassifier().fit(texts, labels).trust.estimate
    same = TextClassifier(prior=Empirical()).fit(texts, labels).trust.estimate
    mix = dict.fromkeys(labels, 0.01)
    mix[labels[0]] = 1 - 0.01 * (len(mix) - 1)
    one_sided = TextClassifier(prior=Given(mix)).fit(texts, labels).trust.estimate
    assert same == plain
    assert one_sided.log_loss < plain.log_loss / 2
    assert one_sided.accuracy >= plain.accuracy


@pytest.mark.parametrize("size", [0, 1, 30])
def test_too_few_texts_are_just_counted(size):
    texts, labels = corpus(size)
    model = TextClassifier().fit(texts, labels)
    assert model.trust is None
    assert model.counts.documents.sum() == size


def uneven(size):
    """Texts of many classes, most of them in few, in which it says more whether a word is there than how often."""
    draw, texts, labels = random.Random(3), [], []
    for place in range(size):
        number = min(int(draw.expovariate(0.35)), 7)
        own = [f"w{(number * 5 + draw.randint(0, 7)) % 40}" for _ in range(8)]
        said = [word if draw.random() < 0.5 else f"w{draw.randint(0, 39)}" for word in own[: draw.randint(2, 8)]]
        texts.append(" ".join([*said, f"t{place}"]))
        labels.append(f"c{number}")
    return texts, labels


def losses(tried, what):
    return {one.value: one.loss for one in tried if one.what == what}


def test_the_event_is_chosen_by_texts_left_out():
    texts, labels = uneven(900)
    best = reading.choose(kept(texts, labels), Analyzer(), False, "quick")
    assert best.manner.event == "bernoulli"
    assert losses(best.tried, "reading")["words"] == losses(best.tried, "exponents")["multinomial"]
    assert losses(best.tried, "event").keys() == set(trust.EVENTS)
    for what in ("event", "exponents"):
        found = losses(best.tried, what)
        assert min(found, key=found.get) == "bernoulli"
    usual = reading.choose(kept(texts, labels), Analyzer(), False, "quick", events=["multinomial"])
    assert usual.manner.event == "multinomial"
    assert best.loss < usual.loss
    model = TextClassifier(ngrams=1).fit(texts, labels)
    assert model.model.event == Bernoulli(alpha=model.trust.manner.alpha)
    assert model.trust.tried == best.tried


def test_another_event_is_taken_only_if_exponents_do_not_make_up_for_it():
    texts, labels = corpus(400)
    best = reading.choose(kept(texts, labels), Analyzer(), False, "quick", events=["complement", "multinomial"])
    found = losses(best.tried, "exponents")
    assert not found or best.manner.event == min(found, key=found.get)


def test_complement_is_tried_where_it_differs_and_has_room(monkeypatch):
    texts, labels = corpus(100)
    sample = sample_of(kept(texts, labels), Analyzer())
    assert reading.possible(trust.EVENTS, sample, 1.0) == list(trust.EVENTS)
    assert reading.possible(trust.EVENTS, sample, 1e5) == ["multinomial", "bernoulli"]
    assert reading.possible(["complement"], sample, 1e5) == ["complement"]
    two = [(text, label) for text, label in zip(texts, labels, strict=True) if label != "sea"]
    sample = sample_of(kept(*zip(*two, strict=True)), Analyzer())
    assert reading.possible(trust.EVENTS, sample, 1.0) == ["multinomial", "bernoulli"]


def test_refitting_keeps_to_an_event_that_was_given():
    texts, labels = corpus(200)
    model = TextClassifier("complement").fit(texts, labels)
    assert model.refit(texts, labels).trust.manner.event == "complement"
    assert {one.value for one in model.trust.tried if one.what == "event"} == {"complement"}
    model.refit(texts, labels)
    assert {one.value for one in model.trust.tried if one.what == "event"} == set(trust.EVENTS)


def test_a_file_without_an_event_among_beliefs_is_multinomial(fitted):
    belief = fitted.trust.belief()
    old = belief | {"manner": {name: value for name, value in belief["manner"].items() if name != "event"}}
    del old["tried"]
    again = trust.Trust.of(old, fitted._vocabulary, fitted.trust.exponents)
    assert again.manner == replace(fitted.trust.manner, event="multinomial")
    assert again.tried == ()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 20)), min_size=1, max_size=60))
def test_texts_of_a_group_are_in_one_fold(pairs):
    texts, groups = ([pair[place] for pair in pairs] for place in (0, 1))
    try:
        folds = Folds.dealt(np.array(texts, dtype=np.uint64), groups)
    except InputError as error:
        assert "texts of 3 groups at least were expected, got " in str(error)
        return
    fold = dict(zip(folds.hashes.tolist(), folds.folds.tolist(), strict=True))
    assert len({(group, fold[text]) for text, group in pairs}) == len(set(groups))
    assert set(fold.values()) == {0, 1, 2}


def test_folds_are_about_equal():
    folds = Folds.dealt(np.arange(90, dtype=np.uint64), [place // 5 for place in range(90)])
    assert np.bincount(folds.folds).tolist() == [30, 30, 30]


def test_with_groups_what_is_expected_holds_for_new_groups():
    """Authors who keep to one topic each, and give themselves away by a word of their own."""
    draw = random.Random(4)

    def written(authors):
        texts, labels, groups = [], [], []
        for author in authors:
            label = draw.choice(sorted(TOPICS))
            for _ in range(5):
                words = [draw.choice(TOPICS[draw.choice([label, label, *TOPICS])].split()) for _ in range(5)]
                texts.append(" ".join([*words, f"author{author}", f"text{author}x{len(texts)}"]))
                labels.append(label)
                groups.append(author)
        return texts, labels, groups

    texts, labels, groups = written(range(120))
    model = TextClassifier(ngrams=1).fit(iter(texts), labels, groups=groups)
    careless = TextClassifier(ngrams=1).fit(texts, labels)
    expected, new = model.trust.estimate, written(range(200, 400))
    assert abs(model.score(*new[:2]) - expected.accuracy) < 2 * expected.accuracy_error
    assert careless.trust.estimate.accuracy > careless.score(*new[:2]) + 0.2
    assert (model.counts.count == careless.counts.count).all()
    careless.refit(iter(texts), labels, groups=np.array(groups))
    assert careless.trust.estimate == expected
    with pytest.raises(InputError, match="one group for each of 600 rows was expected, got 2"):
        model.fit(texts, labels, groups=[1, 2])
    with pytest.raises(InputError, match="texts of 3 groups at least were expected, got 2"):
        model.fit(texts, labels, groups=[place % 2 for place in range(600)])


def test_settings_that_are_given_are_taken():
    texts, labels = corpus(200)
    assert TextClassifier(alpha=0.7).fit(texts, labels).trust.manner.alpha == 0.7
    assert TextClassifier(ngrams=3).fit(texts, labels).analysis == Analyzer(ngrams=3)
    assert TextClassifier(event="bernoulli").fit(texts, labels).trust is None
    assert TextClassifier(unknown="smooth").fit(texts, labels).trust is None
    own = TextClassifier(analyzer=str.split).fit(texts, labels)
    assert own.trust is not None
    assert own.score(texts, labels) > 0.7
    cut = TextClassifier(max_vocabulary=30).fit(texts, labels)
    assert len(cut.vocabulary) == 30
    assert cut.score(texts, labels) > 0.7


def test_weights_of_texts_and_labels_of_any_kind():
    texts, labels = corpus(200)
    numbers = [sorted(TOPICS).index(label) for label in labels]
    model = TextClassifier(ngrams=1).fit(texts, numbers, [2.0] * 199 + [0.5])
    assert model.predict(texts[:1])[0] in (0, 1, 2)
    assert model.trust.documents == 398.5


def test_the_best_effort_tries_more(monkeypatch):
    told = []
    monkeypatch.setitem(reading.EFFORTS, "best", replace(reading.EFFORTS["best"], strengths=(1.0, 3.0)))
    TextClassifier(effort="best").fit_to(sources.texts(*corpus(80)), told.append)
    assert {one for one in told if "triples" in one}
    assert told[-2:] == ["counting", "weighing words"]


def test_more_texts_than_are_kept_are_counted_all_and_weighed_in_part(monkeypatch):
    texts, labels = corpus(600)
    monkeypatch.setattr(documents, "KEPT", sum(map(len, texts)) // 2)
    model = TextClassifier().fit(iter(texts), iter(labels))
    assert model.counts.documents.sum() == 600
    assert model.analysis == Analyzer(ngrams=2)
    assert model.trust.share in (0.5, 0.25)
    plain = TextClassifier(effort="plain", ngrams=2).fit(texts, labels)
    assert (model.counts.count == plain.counts.count).all()


def test_long_texts_are_read_by_words_alone():
    texts, labels = corpus(100)
    long = [" ".join([text] * 60) for text in texts]
    assert TextClassifier().fit(long, labels).analysis == Analyzer(ngrams=2)


def test_what_is_read_is_said_in_words():
    assert str(Analyzer()) == "words"
    assert str(Analyzer(ngrams=2, beside=(2, 5))) == "words and pairs of them, and runs of 2 to 5 characters"
    assert str(Analyzer(ngrams=(2, 4))) == "groups of (2, 4) words"
    assert str(Analyzer(characters=(1, 3))) == "runs of 1 to 3 characters"


def test_the_values_of_words_are_those_of_the_core():
    times, beside = np.array([1.0, 3.0, 2.0]), np.array([False, False, True])
    assert values(times, beside, "count", False).tolist() == [1, 3, 2]
    assert values(times, beside, "presence", True).tolist() == pytest.approx([0.5**0.5, 0.5**0.5, 1])
    assert values(times, beside, "log", True)[2] == 1


def test_wrong_arrays_are_refused():
    texts, labels = corpus(20)
    sample = sample_of(kept(texts, labels), Analyzer())
    with pytest.raises(ValueError, match="counts come first"):
        sample.rows.scoring(("count", False), ("multinomial", True, 1.0), ([1.0], 1.0), None)
    with pytest.raises(ValueError, match="count, presence or log"):
        sample.rows.scoring(("loud", False), ("multinomial", True, 1.0), ([1.0] * 3, 1.0), None)
    with pytest.raises(ValueError, match="multinomial, bernoulli or complement"):
        sample.rows.scoring(("count", False), ("poisson", True, 1.0), ([1.0] * 3, 1.0), None)
    with pytest.raises(ValueError, match="a fold for each row"):
        sample.rows.deal(np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="a total for each word"):
        sample.rows.counted(np.zeros(1, np.float32), (np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.zeros(0)))
    by = sample.scoring(Manner())
    with pytest.raises(ValueError, match="an exponent for each word"):
        sample.rows.scores(by, np.zeros(1, np.float32), np.zeros(3, np.float32))
    for starts in (np.zeros(1, np.uint32), np.ones(len(sample.order) + 1, np.uint32)):
        with pytest.raises(ValueError, match="a start for each word, and classes"):
            sample.rows.lean(starts, np.zeros(1, np.uint32))
    with pytest.raises(ValueError, match="a number and a total for each word"):
        Rows(kept(texts, labels), Analyzer().core, sample.words, np.zeros(1, np.uint32), np.zeros(1), ([0], 1))
    with pytest.raises(ValueError, match="none of a vocabulary"):
        broken = (*sample.words[:4], np.zeros(4, np.uint64))
        Rows(kept(texts, labels), Analyzer().core, broken, np.zeros(1, np.uint32), np.zeros(1), ([0], 1))


def test_the_bottom_of_a_valley_is_found():
    scale = np.arange(1.0, 6.0)
    found = lowest(lambda x: (float(scale @ (x - 2) ** 4), 4 * scale * (x - 2) ** 3), np.zeros(5), 200)
    np.testing.assert_allclose(found, 2, atol=0.1)
    assert lowest(lambda x: (float(x @ x), 2 * x), np.zeros(2), 9).tolist() == [0, 0]
    assert lowest(lambda x: (float(x @ x), -x), np.ones(2), 9).tolist() == [1, 1]


def test_leaving_out_with_exponents_is_learning_without_the_text(fitted):
    texts, labels = corpus(400)
    judged = fitted.leave_one_out(texts, labels)
    for place in range(0, 400, 40):
        rest = [other for other in range(400) if texts[other] != texts[place]]
        without = pickle.loads(pickle.dumps(fitted))
        gone = [other for other in range(400) if texts[other] == texts[place]]
        without.unlearn([texts[other] for other in gone], [labels[other] for other in gone])
        assert len(rest) + len(gone) == 400
        expected = without.posterior(texts[place]).log_probabilities[0]
        np.testing.assert_allclose(judged.posterior.log_probabilities[place], expected, atol=1e-4)
    assert judged.accuracy > 0.7
    assert not judged.alone.any()


def test_leaving_a_group_out_with_exponents_is_learning_without_it(fitted):
    texts, labels = corpus(400)
    groups = [place % 7 for place in range(400)]
    judged = fitted.leave_one_out(texts, labels, groups)
    without = pickle.loads(pickle.dumps(fitted))
    without.unlearn(texts[3::7], labels[3::7])
    expected = without.posterior(texts[3::7]).log_probabilities
    np.testing.assert_allclose(judged.posterior.log_probabilities[3::7], expected, atol=1e-12)
    assert judged.accuracy > 0.7
    assert fitted.leave_one_out(texts, labels, labels).alone.all()
    with pytest.raises(InputError, match="rows of more than one group"):
        fitted.leave_one_out(texts, labels, [0] * 400)
    with pytest.raises(InputError, match="one group for each of 400 rows was expected, got 1"):
        fitted.leave_one_out(texts, labels, [0])


def test_the_shares_of_classes_among_new_texts_are_found(fitted):
    texts, labels = corpus(3000, seed=11)
    chosen = [place for place, label in enumerate(labels) if label != "sea" or place % 10 == 0]
    truth = np.array([np.mean([labels[place] == name for place in chosen]) for name in fitted.classes])
    found = np.array(list(fitted.proportions([texts[place] for place in chosen]).values()))
    naive = fitted.predict_proba([texts[place] for place in chosen]).mean(axis=0)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - truth).max() < 0.05 < np.abs(naive - truth).max()
    with pytest.raises(InputError, match="texts were expected, got none"):
        fitted.proportions([])


def test_rare_words_may_start_louder(monkeypatch):
    texts, labels = corpus(200)
    monkeypatch.setattr(trust, "ALPHAS", (0.5,))
    sample = sample_of(kept(texts, labels), Analyzer())
    manner, origin = trust.smoothed(sample, Manner(rare=True), 0.5)
    assert manner.alpha == 0.5
    made = trust.trusted(sample, manner, origin, sorted(TOPICS), np.log(np.ones(3) / 3), 1.0)
    exponents = made.at(tuple(map(np.copy, sample.words)), sample.total)
    assert (exponents == made.exponents).all()
    rarest, commonest = sample.total.argmin(), sample.total.argmax()
    assert origin.exponents.min() == pytest.approx(origin.exponents[np.flatnonzero(sample.order == commonest)[0]])
    assert exponents[rarest] == pytest.approx(made.common[0] * np.log(201 / sample.total[rarest]) / made.loudness)


def test_leanings_go_with_their_words_and_classes(fitted):
    model = pickle.loads(pickle.dumps(fitted))
    model.learn(["an entirely new sentence of fish", "soup for a new class"], ["sea", "a"])
    found, old = (model_leanings(one) for one in (model, fitted))
    assert {cell: leaning for cell, leaning in found.items() if leaning} == {
        cell: leaning for cell, leaning in old.items() if leaning
    }
    assert bool(found) == (fitted.trust.manner.leaning is not None)


@pytest.mark.parametrize("keep", ["file", "pickle"])
def test_a_class_learned_and_unlearned_leaves_no_trace_in_beliefs(fitted, tmp_path, keep):
    def kept_once_more(model):
        if keep == "pickle":
            return pickle.loads(pickle.dumps(model))
        model.save(tmp_path / "model.bayes")
        return plainbayes.load(tmp_path / "model.bayes")

    texts = corpus(40, seed=3)[0]
    model = kept_once_more(fitted)
    model.learn("soup for a new class", "a")
    model = kept_once_more(model)
    model.learn("more soup", "a")
    model = kept_once_more(model).unlearn(["soup for a new class", "more soup"], ["a", "a"])
    assert model.predict_proba(texts) == pytest.approx(fitted.predict_proba(texts), abs=1e-12)


def model_leanings(model):
    """Leanings by word and class."""
    counts, leanings = model.counts, model.trust.leaning(model._vocabulary, model.counts, model._names)
    if leanings is None:
        return {}
    vocabulary = model.vocabulary
    words = [vocabulary[place] for place in counts.word]
    return dict(zip(zip(words, [model.classes[place] for place in counts.classes], strict=True), leanings, strict=True))


def test_words_lean_where_one_exponent_does_not_do(monkeypatch):
    """Words that say the same together in one class, and each its own in the others."""
    draw, texts, labels, chance = random.Random(2), [], [], {"b": 0.5, "c": 0.2}
    for place in range(900):
        label, together = "abc"[place % 3], draw.random() < 0.5
        said = [f"w{word}" for word in range(6) if (together if label == "a" else draw.random() < chance[label])]
        texts.append(" ".join([*said, f"t{place}"]))
        labels.append(label)
    model = TextClassifier(ngrams=1).fit(texts, labels)
    monkeypatch.setitem(reading.EFFORTS, "quick", replace(reading.EFFORTS["quick"], leanings=()))
    plain = TextClassifier(ngrams=1).fit(texts, labels)
    assert model.trust.manner.leaning is not None
    assert plain.trust.manner.leaning is None
    assert model.trust.estimate.log_loss < plain.trust.estimate.log_loss - 0.003


def test_shares_are_what_they_are_when_time_is_up(fitted):
    posterior = fitted.posterior(corpus(30)[0])
    once = proportions(posterior, np.log(np.ones(3) / 3), rounds=1)
    assert once.sum() == pytest.approx(1)
