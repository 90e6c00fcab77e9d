"""Texts in, classes out."""

import numpy as np
import pytest

from plainbayes import Costs, InputError, TextClassifier, Uniform
from plainbayes.events import Categorical, Gaussian

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
    with pytest.raises(InputError, match="one analyzer was expected, got Analyzer") as error:
        TextClassifier(analyzer=str.split) + TextClassifier()
    assert error.value.hint == "models can be merged that read texts in the same way"


def test_an_explanation_names_the_words_of_the_text():
    why = TextClassifier().fit(TEXTS, LABELS).explain("Купить молоко", against="SPAM")
    assert (why.label, why.against) == ("HAM", "SPAM")
    assert [share.feature for share in why.shares] == ["молоко", "купить"]


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
