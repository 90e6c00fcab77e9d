"""Texts in, classes out."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from plainbayes import (
    Costs,
    Given,
    InputError,
    NotLearnedError,
    TextClassifier,
    Uniform,
    ZeroOne,
    events,
    load,
    weights,
)
from plainbayes.events import Bernoulli, Categorical, Complement, Gaussian, Multinomial
from plainbayes.judge import store
from plainbayes.storage import file

TEXTS = ["предоставляю услуги бухгалтера", "спешите купить виагру", "надо купить молоко"]
LABELS = ["SPAM", "SPAM", "HAM"]


def test_one_text_needs_no_list():
    one = TextClassifier().learn("buy pills", "spam").learn("see you", "ham")
    assert one.model.evidence == TextClassifier().learn(["buy pills", "see you"], ["spam", "ham"]).model.evidence
    assert one.predict("pills") == ["spam"]
    np.testing.assert_array_equal(one.posterior("pills").probabilities, one.posterior(["pills"]).probabilities)
    assert one.leave_one_out(["buy pills", "see you"], ["spam", "ham"]).accuracy == 0


def test_texts_may_come_one_by_one():
    made = TextClassifier().fit((text for text in TEXTS), LABELS)
    assert made.model.evidence == TextClassifier().fit(TEXTS, LABELS).model.evidence


def test_unlearning_a_text_forgets_its_words():
    mail = TextClassifier().fit(TEXTS, LABELS)
    mail.unlearn(TEXTS[0], "SPAM")
    assert mail.model.evidence == TextClassifier().fit(TEXTS[1:], LABELS[1:]).model.evidence


def test_unlearning_a_text_that_was_never_learned_changes_nothing():
    mail = TextClassifier().fit(TEXTS, LABELS)
    before = mail.model.evidence.copy()
    with pytest.raises(InputError, match="cannot unlearn what was never learned: no feature 'сигареты'"):
        mail.unlearn("купить сигареты", "SPAM")
    assert mail.model.evidence == before


def test_fitting_forgets_and_learning_does_not():
    mail = TextClassifier(prior=Uniform()).fit(TEXTS, LABELS).fit(["a b"], ["other"], [2.0])
    assert mail.classes == ("other",)
    assert mail.model.prior == Uniform()
    mail.learn("c", "more", [0.5])
    assert mail.classes == ("more", "other")
    assert repr(mail).endswith("Evidence(2.5 observations, 2 classes, 3 features))")
    assert repr(mail).startswith("TextClassifier(Multinomial(alpha=1.0")


def test_classifiers_merge():
    one, two = TextClassifier().fit(TEXTS[:1], LABELS[:1]), TextClassifier().fit(TEXTS[1:], LABELS[1:])
    assert (one + two).model.evidence == TextClassifier().fit(TEXTS, LABELS).model.evidence
    assert one.classes == ("SPAM",)


def test_classifiers_that_read_texts_differently_do_not_merge():
    with pytest.raises(InputError, match="the other words and pairs of them") as error:
        TextClassifier(analyzer=str.split) + TextClassifier(ngrams=2)
    assert error.value.hint.startswith("let one read as the other does")


def test_an_explanation_names_the_words_of_the_text():
    why = TextClassifier().fit(TEXTS, LABELS).explain("Купить молоко", against="SPAM")
    assert (why.label, why.against) == ("HAM", "SPAM")
    assert [share.feature for share in why.shares] == ["молоко", "купить"]


def test_any_class_can_be_explained_against_any_other():
    mail = TextClassifier().fit(TEXTS, LABELS)
    ham, spam = (mail.explain("Купить молоко", label=label) for label in ("HAM", "SPAM"))
    assert (spam.label, spam.against) == ("SPAM", "HAM")
    assert spam.total == pytest.approx(-ham.total)


def test_leaving_texts_out_honours_groups():
    texts, labels = ["a b", "a c", "d e", "d f"], ["x", "x", "y", "y"]
    mail = TextClassifier()
    assert mail.leave_one_out(texts, labels).accuracy == 1
    assert mail.leave_one_out(texts, labels, groups=[1, 1, 2, 2]).alone.all()


@pytest.mark.parametrize("event", [Gaussian(), Categorical(), "poisson"])
def test_texts_need_an_event_over_counts(event):
    with pytest.raises(InputError, match="texts need an event over counts, got ") as error:
        TextClassifier(event)
    assert error.value.hint == "multinomial, bernoulli, complement"


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
def test_every_event_over_counts_reads_texts(event):
    mail = TextClassifier(event).fit(["buy pills now", "cheap pills", "see you at noon"], ["spam", "spam", "ham"])
    assert mail.predict(["pills now", "you at noon"]) == ["spam", "ham"]


def test_texts_are_decided_by_the_cost_of_a_wrong_answer():
    mail = TextClassifier().fit(TEXTS, LABELS)
    spam = mail.predict_proba(["купить виагру"])[0, mail.classes.index("SPAM")]
    assert 0.5 < spam < 0.8
    assert mail.decide(["купить виагру"]) == ["SPAM"]
    assert mail.decide(["купить виагру"], Costs("HAM>SPAM=4, SPAM>HAM=1")) == ["HAM"]


def test_no_texts_have_no_classes():
    assert TextClassifier().fit(["a b"], ["x"]).predict([]) == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([None], "a text was expected, got None in row 0"),
        (["fine", b"x"], "a text was expected, got b'x' in row 1"),
        (5, "texts were expected, got 5"),
    ],
)
def test_what_is_no_text_is_refused_by_row(texts, message):
    with pytest.raises(InputError, match=message):
        TextClassifier().fit(["a"], ["x"]).predict(texts)


def test_only_text_classifiers_are_merged_with_text_classifiers():
    with pytest.raises(InputError, match="a TextClassifier was expected, got 5"):
        _ = TextClassifier() + 5


def test_a_texts_own_weight_counts_it_so_often():
    twice = TextClassifier().fit(["a b", "a"], ["x", "y"], [2.0, 0.0])
    assert twice.model.evidence == TextClassifier().fit(["a b", "a b"], ["x", "x"]).model.evidence
    assert twice.unlearn("a b", "x", [2.0]).classes == ()


def test_fractions_of_texts_count_and_go_again():
    mail = TextClassifier().fit(["a b", "a c", "d"], ["x", "x", "y"], [0.5, 1.0, 0.25])
    count = dict(zip(mail.vocabulary, mail.model.evidence.parts[None].stats.count.T.tolist(), strict=True))
    assert count == {"a": [1.5, 0], "b": [0.5, 0], "c": [1, 0], "d": [0, 0.25]}
    assert (
        mail.unlearn("a b", "x", [0.5]).model.evidence
        == TextClassifier().fit(["a c", "d"], ["x", "y"], [1, 0.25]).model.evidence
    )
    with pytest.raises(InputError, match="cannot unlearn what was never learned: not so many texts of class 'x'"):
        mail.unlearn("a c", "x", [0.5])


def test_a_failed_fit_forgets_nothing():
    mail = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="a text was expected, got None in row 1"):
        mail.fit(["a", None], ["x", "y"])
    assert mail.classes == ("HAM", "SPAM")


def test_labels_of_any_kind_come_back_as_they_were(tmp_path):
    mail = TextClassifier().fit(["a", "b", "c", "d", "e"], [1, "one", 2.5, (1, 2), 7])
    assert set(mail.classes) == {1, "one", 2.5, (1, 2), 7}
    assert mail.predict(["d"]) == [(1, 2)]
    mail.save(tmp_path / "any.bayes")
    assert load(tmp_path / "any.bayes").classes == mail.classes
    numbers = TextClassifier().fit(["a", "b", "a"], np.array([3, 10, 3]))
    assert numbers.classes == (3, 10)
    assert all(type(label) is int for label in numbers.classes)
    numbers.save(tmp_path / "numbers.bayes")
    assert load(tmp_path / "numbers.bayes").predict(["a", "b"]) == [3, 10]


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement", Multinomial(alpha=0), Bernoulli(alpha=0)])
@pytest.mark.parametrize("unknown", ["ignore", "smooth"])
def test_compiled_answers_are_those_of_the_model(event, unknown):
    texts = ["a b c", "a a d", "b e", "e e f longer-than-a-block-of-bytes", "a"]
    labels = ["x", "y", "x", "z", "y"]
    mail = TextClassifier(event, unknown=unknown).fit(texts, labels)
    asked = [*texts, "", "a b e", "new new words", "longer than a block of bytes"]
    expected = mail.model.posterior(mail.bags(asked))
    np.testing.assert_allclose(mail.predict_log_proba(asked), expected.log_probabilities, rtol=1e-12, atol=1e-12)
    assert mail.predict(asked) == expected.mode()
    for text in asked:
        ours, theirs = mail.explain(text), mail.model.explain(mail.bags(text))
        assert (ours.label, ours.against, ours.silent) == (theirs.label, theirs.against, theirs.silent)
        shares = {share.feature: share.nats for share in theirs.shares}
        assert {share.feature: share.nats for share in ours.shares} == pytest.approx(shares)
        assert (ours.total, ours.bias) == (pytest.approx(theirs.total), pytest.approx(theirs.bias))


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("unknown", ["ignore", "smooth"])
@pytest.mark.parametrize("vocabulary", [None, "open"])
def test_many_classes_are_judged_by_what_differs(event, unknown, vocabulary, monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.5, 8) if word < 30) for _ in range(80)] + ["a b", "a b c"]
    labels = [f"c{place % 7}" for place in range(80)] + ["pair", "all"]
    asked = [*texts, "new words w1", ""]
    belief = replace(events.named(event), vocabulary=vocabulary)
    dense = TextClassifier(belief, unknown=unknown).fit(texts, labels)
    expected = dense.predict_log_proba(asked)
    monkeypatch.setattr(weights, "DENSE", 0)
    sparse = TextClassifier(belief, unknown=unknown).fit(texts, labels)
    assert isinstance(sparse._compiled[0], weights.Sparse)
    np.testing.assert_allclose(sparse.predict_log_proba(asked), expected, rtol=1e-10, atol=1e-10)
    sparse.save(tmp_path / "many.bayes")
    np.testing.assert_allclose(load(tmp_path / "many.bayes").predict_log_proba(asked), expected, rtol=1e-10, atol=1e-10)
    ours, theirs = sparse.explain("w1 w2 a new"), dense.explain("w1 w2 a new")
    nats = {share.feature: share.nats for share in theirs.shares}
    assert {share.feature: share.nats for share in ours.shares} == pytest.approx(nats)


def test_a_class_that_has_every_word_lacks_none(monkeypatch):
    monkeypatch.setattr(weights, "DENSE", 0)
    sparse = TextClassifier("bernoulli").fit(["a b", "a"], ["x", "y"])
    expected = sparse.model.posterior(sparse.bags(["a", "b", ""])).log_probabilities
    np.testing.assert_allclose(sparse.predict_log_proba(["a", "b", ""]), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            Complement(normalize=True),
            "complement weighs every word in every class, too many with 2 classes and 3 words",
        ),
        (Multinomial(alpha=0), "multinomial without smoothing calls things impossible, too many to keep"),
    ],
)
def test_what_cannot_be_kept_as_differences_is_refused(event, message, monkeypatch):
    monkeypatch.setattr(weights, "DENSE", 0)
    with pytest.raises(InputError, match=message):
        TextClassifier(event).fit(["a b", "c"], ["x", "y"]).predict("a")


def test_ten_thousand_classes_cost_what_their_words_cost():
    many = TextClassifier().fit(
        (f"word{place} common" for place in range(10_000)), [f"c{place}" for place in range(10_000)]
    )
    assert many.predict(["word17 common", "word9999"]) == ["c17", "c9999"]


def test_a_cut_vocabulary_keeps_the_words_of_most_texts():
    mail = TextClassifier(max_vocabulary=2).fit(["a b", "a c", "b d d d"], ["x", "y", "y"])
    assert sorted(mail.vocabulary) == ["a", "b"]
    with pytest.raises(InputError, match="a model whose vocabulary was cut cannot unlearn"):
        mail.unlearn("a b", "x")
    assert sorted(mail.learn("d d", "x").vocabulary) == ["a", "b"]
    assert sorted(TextClassifier(max_vocabulary=9).fit(["a b"], ["x"]).unlearn("a b", "x").vocabulary) == []


def test_a_saved_model_is_the_model(tmp_path):
    mail = TextClassifier("bernoulli", alpha=0.5, prior=Given({"SPAM": 0.3, "HAM": 0.7}), ngrams=2, unknown="smooth")
    mail.fit(TEXTS, LABELS, [1, 0.5, 2])
    mail.save(tmp_path / "mail.bayes", {"from": "nowhere"})
    same = load(tmp_path / "mail.bayes")
    asked = ["купить молоко", "новое слово", ""]
    np.testing.assert_array_equal(same.predict_proba(asked), mail.predict_proba(asked))
    assert same.classes == mail.classes
    assert str(same.explain(asked[0])) == str(mail.explain(asked[0]))
    assert same.model.evidence == mail.model.evidence
    assert repr(same) == repr(mail)
    same.learn("ещё", "HAM").unlearn("ещё", "HAM")
    assert same.model.evidence == mail.model.evidence
    same.save(tmp_path / "again.bayes", {"from": "nowhere"})
    assert (tmp_path / "again.bayes").read_bytes() == (tmp_path / "mail.bayes").read_bytes()
    assert (load(tmp_path / "mail.bayes") + mail).classes == mail.classes


def test_a_model_with_its_own_analyzer_stays_in_memory(tmp_path):
    mail = TextClassifier(analyzer=str.split).fit(["a-b c", "d"], ["x", "y"])
    assert sorted(mail.vocabulary) == ["a-b", "c", "d"]
    assert mail.predict(["a-b"]) == ["x"]
    with pytest.raises(InputError, match="a model with its own analyzer cannot be saved"):
        mail.save(tmp_path / "own.bayes")


def test_settings_that_cannot_be_are_refused():
    for settings, message in [
        ({"prior": 5}, "a prior was expected, got 5"),
        ({"effort": "great"}, "effort should be one of 'plain', 'quick', 'best', got 'great'"),
        ({"max_vocabulary": 0}, "max_vocabulary needs a number > 0 or None, got 0"),
        ({"analyzer": 5}, "an analyzer is called with a text, got 5"),
        ({"language": "xx"}, "no language is called 'xx'"),
        ({"alpha": -1}, "multinomial needs a finite alpha >= 0, got -1"),
    ]:
        with pytest.raises(InputError, match=message):
            TextClassifier(**settings)


def test_a_language_brings_its_stems():
    assert TextClassifier(language="ru").fit(["кошками", "собаки"], ["cat", "dog"]).predict("кошка") == ["cat"]
    assert TextClassifier(language="zh").fit(["猫", "狗"], ["cat", "dog"]).predict("猫") == ["cat"]


def test_nothing_learned_answers_nothing():
    with pytest.raises(NotLearnedError, match="the model has learned nothing yet"):
        TextClassifier().predict(["a"])
    assert TextClassifier().classes == ()


def test_explanations_take_one_text():
    with pytest.raises(InputError, match="explain takes one text, got 5"):
        TextClassifier().fit(["a", "b"], ["x", "y"]).explain(5)


def test_pickles_and_copies_are_the_same():
    mail = TextClassifier(max_vocabulary=99).fit(TEXTS, LABELS)
    for same in (pickle.loads(pickle.dumps(mail)), copy.deepcopy(mail)):
        assert same.model.evidence == mail.model.evidence
        assert same.get_params() == mail.get_params()
        assert same.predict(TEXTS) == LABELS


def test_settings_change_without_learning_again():
    mail = TextClassifier().fit(TEXTS, LABELS)
    other = TextClassifier("bernoulli", alpha=2.0).fit(TEXTS, LABELS)
    mail.set_params(event="bernoulli", alpha=2.0)
    np.testing.assert_array_equal(mail.predict_proba(TEXTS), other.predict_proba(TEXTS))
    assert mail.set_params(ngrams=2).classes == ()
    with pytest.raises(InputError, match="no setting is called colour"):
        mail.set_params(colour=1)


def test_texts_go_through_pipelines_and_searches():
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline

    texts, labels = ["good film", "bad film", "good play", "bad play"] * 5, ["+", "-", "+", "-"] * 5
    mail = TextClassifier()
    assert is_classifier(mail)
    assert clone(mail).get_params() == mail.get_params()
    assert cross_val_score(mail, texts, labels, cv=4).tolist() == [1.0] * 4
    search = GridSearchCV(
        make_pipeline(TextClassifier()), {"textclassifier__alpha": [0.1, 1.0]}, cv=2, scoring="neg_log_loss"
    )
    assert search.fit(texts, labels).predict(["good good"])[0] == "+"
    assert mail.partial_fit(texts, labels, classes=["+", "-"]).classes_.tolist() == ["+", "-"]
    assert mail.score(texts, labels, sample_weight=[1.0] * 20) == 1


def test_costs_and_plain_decisions_agree():
    mail = TextClassifier().fit(TEXTS, LABELS)
    assert mail.decide(TEXTS, ZeroOne()) == mail.predict(TEXTS)


def test_many_threads_answer_at_once():
    mail = TextClassifier().fit(TEXTS, LABELS)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(mail.predict, [TEXTS] * 50)) == [LABELS] * 50


def test_a_file_whose_numbers_point_nowhere_is_refused_when_they_are_needed(tmp_path):
    path = tmp_path / "mail.bayes"
    TextClassifier().fit(TEXTS, LABELS).save(path)
    for name, change in {
        "words.starts": lambda array: array[::-1],
        "counts.bags": lambda array: array + 7,
        "counts.cells": lambda array: array * 2,
        "counts.texts": lambda array: array[:-1],
    }.items():
        opened = file.open(path)
        tensors = {each: np.asarray(opened.tensor(each)).copy() for each in opened.names}
        tensors[name] = np.ascontiguousarray(change(tensors[name]))
        store(tmp_path / "odd.bayes", opened.metadata, tensors)
        odd = load(tmp_path / "odd.bayes")
        with pytest.raises(InputError, match="does not hold what a model for texts has"):
            odd.learn("more", "HAM")


@pytest.mark.parametrize("bags", [[[5, 1.0, 3]], [[0, 1.0, -1]]])
def test_a_file_whose_classes_are_none_is_refused(tmp_path, bags):
    path = tmp_path / "mail.bayes"
    TextClassifier().fit(TEXTS, LABELS).save(path)
    opened = file.open(path)
    tensors = {each: np.asarray(opened.tensor(each)) for each in opened.names}
    store(tmp_path / "odd.bayes", opened.metadata | {"bags": bags}, tensors)
    with pytest.raises(InputError, match="does not hold what a model for texts has"):
        load(tmp_path / "odd.bayes")
