"""The numbers of SPEC.md section 9, which must come out."""

import math

import numpy as np
import pytest

from plainbayes import Costs, Model, Smoothed, TextClassifier
from plainbayes.events import Bernoulli, Categorical, Multinomial

TEXTS = ["предоставляю услуги бухгалтера", "спешите купить виагру", "надо купить молоко"]
LABELS = ["SPAM", "SPAM", "HAM"]


def test_the_russian_example():
    mail = TextClassifier(Multinomial(alpha=1, unknown="smooth")).fit(TEXTS, LABELS)
    evidence = mail.model.evidence
    stats = evidence.parts[None].stats
    spam, ham = evidence.classes.find(["SPAM", "HAM"])
    assert evidence.weight.n[[spam, ham]].tolist() == [2, 1]
    assert stats.count.sum(axis=1)[[spam, ham]].tolist() == [6, 3]
    assert stats.shape[1] == 8
    (buy,) = evidence.parts[None].features.find(["купить"])
    assert stats.count[[spam, ham], buy].tolist() == [1, 1]

    question = "надо купить сигареты"
    block = mail.model.blocks(mail.bags(question))[None]
    X = block.aligned(evidence.parts[None].features)
    joint = mail.model.log_prior + block.event.log_prob(mail.model.parameters(None, block.event), X)[0]
    scores = dict(zip(mail.classes, joint, strict=True))
    assert scores["SPAM"] == pytest.approx(math.log(2 / 3) + math.log(1 / 14) + math.log(2 / 14) + math.log(1 / 14))
    assert scores["HAM"] == pytest.approx(math.log(1 / 3) + math.log(2 / 11) + math.log(2 / 11) + math.log(1 / 11))
    assert scores["SPAM"] == pytest.approx(-7.629, abs=5e-4)
    assert scores["HAM"] == pytest.approx(-6.906, abs=5e-4)
    assert math.exp(mail.posterior(question).log_prob(["SPAM"])[0]) == pytest.approx(0.327, abs=5e-4)
    assert mail.predict(question) == ["HAM"]
    assert mail.decide(question, Costs("HAM>SPAM=4, SPAM>HAM=1")) == ["HAM"]


def test_the_chinese_vectors():
    vocabulary = ["2014", "年", "巴西", "世界杯", "足球赛", "举行", "是", "第", "20", "届", "球队"]
    document = "2014 年 巴西 世界杯 足球赛 是 第 20 届 世界杯 足球赛"
    mail = TextClassifier(analyzer=str.split).fit([document, " ".join(vocabulary)], ["one", "all"])
    part = mail.model.evidence.parts[None]
    (one,) = mail.model.evidence.classes.find(["one"])
    columns = part.features.find(vocabulary)
    assert part.stats.present[one, columns].tolist() == [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0]
    assert part.stats.count[one, columns].tolist() == [1, 1, 1, 2, 2, 0, 1, 1, 1, 1, 0]


def test_the_four_names():
    names = ["Вася"] * 3 + ["Петя"] * 2 + ["Женя"]
    event = Categorical(alpha=1, vocabulary=4)
    model = Model(event).learn([[name] for name in names], ["person"] * 6)
    asked = [["Вася"], ["Петя"], ["Женя"], ["Миша"]]
    p = np.exp(model.log_likelihood(model.blocks(asked)))
    np.testing.assert_allclose(p[:, 0], [0.4, 0.3, 0.2, 0.1])


def mllib(event, counted):
    """MLlib's pi and theta, lambda = 1, by its formulas on counts of its own."""
    X = np.random.default_rng(5).poisson(0.7, size=(60, 9)).astype(float)
    X[:, 4] = 0  # a column that is zero everywhere counts in n all the same
    if event.support == "binary":
        X = (X > 0).astype(float)
    y = np.arange(60) % 4
    model = Model(event, Smoothed(1.0)).learn(X, y)
    D = np.bincount(y)
    pi = np.log(D + 1) - np.log(60 + 4)
    W = np.array([X[y == c].sum(axis=0) for c in range(4)])
    total = np.log(W.sum(axis=1) + 9) if counted == "words" else np.log(D + 2.0)
    return model, X, pi, np.log(W + 1) - total[:, None]


def test_mllib_multinomial_parameters():
    model, _, pi, theta = mllib(Multinomial(alpha=1), "words")
    np.testing.assert_allclose(model.log_prior, pi, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.parameters(None, model.event).table[:9].T, theta, rtol=0, atol=1e-12)


def test_mllib_bernoulli_scores():
    model, X, pi, theta = mllib(Bernoulli(alpha=1), "documents")
    np.testing.assert_allclose(model.log_prior, pi, rtol=0, atol=1e-12)
    joint = X @ theta.T + (1 - X) @ np.log1p(-np.exp(theta)).T + pi
    found = model.event.log_prob(model.parameters(None, model.event), X) + model.log_prior
    np.testing.assert_allclose(found, joint, rtol=1e-12, atol=1e-12)
