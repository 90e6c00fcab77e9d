"""Models of any event in a file: what comes back is the same, and goes on learning."""

import numpy as np
import pyarrow as pa
import pytest

import plainbayes
from plainbayes import Given, InputError, Model, Product, Smoothed, TextClassifier, events
from plainbayes.storage import file

CLASSES = [("low", 1), 2]
WHOLE = ("multinomial", "complement", "poisson", "categorical")


def rows(name):
    chance = np.random.default_rng(1)
    if name == "bernoulli":
        return chance.integers(0, 2, (40, 3)).astype(float)
    return chance.integers(1, 9, (40, 3)) + (0.0 if name in WHOLE else 0.25)


LABELS = [CLASSES[number % 2] for number in range(40)]


@pytest.mark.parametrize("name", events.names())
def test_every_event_comes_back(name, tmp_path):
    X = rows(name)
    model = Model(name, Given({CLASSES[0]: 0.3, CLASSES[1]: 0.7}), classes=CLASSES[::-1]).learn(X, LABELS)
    plainbayes.save(model, tmp_path / "m.bayes", {"by": "a test"})
    again = plainbayes.load(tmp_path / "m.bayes")
    assert again.evidence == model.evidence and again.event == model.event and again.prior == model.prior
    assert again.classes == model.classes == (2, ("low", 1))
    assert np.array_equal(again.posterior(X).log_probabilities, model.posterior(X).log_probabilities)
    again.learn(X[:5], LABELS[:5]).unlearn(X[:5], LABELS[:5])
    assert again.evidence.same(model.evidence, 1e-9)
    plainbayes.save(model.frozen(), tmp_path / "m.bayes")
    assert plainbayes.load(tmp_path / "m.bayes").event == model.frozen().event


def test_columns_of_different_kinds_come_back(tmp_path):
    data = {"city": ["Riga", "Oslo", "Riga", "Lima"], "height": [1.5, 1.7, np.nan, 1.6], "words": [3, 1, 0, 2]}
    design = Product({"city": events.Categorical(), "height": events.Gaussian(), "words": events.Poisson()})
    model = Model(design, Smoothed(2.0), missing="skip").learn(data, ["a", "b", "a", "b"])
    plainbayes.save(model, tmp_path / "m.bayes")
    again = plainbayes.load(tmp_path / "m.bayes")
    assert again.evidence == model.evidence and again.missing == "skip"
    assert np.array_equal(again.posterior(data).probabilities, model.posterior(data).probabilities)


def test_arrow_tables_are_read_by_their_columns():
    data = {"x": [1.0, 2.0, None, 4.0], "y": [2, 1, 3, 4]}
    learned = Model("gaussian").learn(pa.table(data), list("aabb"))
    assert learned.evidence == Model("gaussian").learn(data, list("aabb")).evidence


def test_a_model_of_texts_is_saved_by_the_same_name(tmp_path):
    model = TextClassifier(effort="plain").fit(["buy", "see"], ["spam", "ham"])
    plainbayes.save(model, tmp_path / "m.bayes")
    assert plainbayes.load(tmp_path / "m.bayes").predict(["buy"]) == ["spam"]


def test_what_no_file_can_hold_is_refused(tmp_path):
    model = Model("gaussian").learn([[1.0], [2.0]], [frozenset("a"), frozenset("b")])
    with pytest.raises(InputError, match="text, numbers and tuples"):
        plainbayes.save(model, tmp_path / "m.bayes")
    with_numpy = Model(events.Poisson(alpha=np.float32(0.5))).learn([[1.0], [2.0]], [np.int64(3), np.int64(4)])
    plainbayes.save(with_numpy, tmp_path / "m.bayes")
    assert plainbayes.load(tmp_path / "m.bayes").classes == (3, 4)


def test_a_file_that_lacks_something_is_called_damaged(tmp_path):
    file.write(tmp_path / "m.bayes", {"kind": "model", "event": {"event": "gaussian", "with": {}}}, {})
    with pytest.raises(InputError, match="damaged"):
        plainbayes.load(tmp_path / "m.bayes")


def test_commands_say_what_such_a_file_is(tmp_path, capsys):
    from plainbayes.cli import main

    plainbayes.save(Model("gaussian").learn([[1.0], [2.0]], ["a", "b"]), tmp_path / "m.bayes")
    for command in (["info"], ["predict"], ["words"], ["explain"]):
        words = [*command, str(tmp_path / "m.bayes"), *(["text"] if command != ["info"] else [])]
        assert main(words) == 2
        assert "a model for texts or tables was expected, got one for numbers" in capsys.readouterr().err
