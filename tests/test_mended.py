"""What was wrong once, and stays mended."""

import numpy as np
import pytest

from plainbayes import InputError, Model
from plainbayes.events import Gaussian, Kernel
from plainbayes.matrix import ClassWeights
from plainbayes.regression import Density, LinearGaussian, Regressor
from plainbayes.semi import learn_unlabelled


# More than 8 bandwidths out only the one nearest bin is added up
def test_joining_in_bins_costs_next_to_nothing_far_in_the_tail_too():
    x = np.append(-0.03 - np.linspace(0, 2, 2000), 0.0)[:, None]
    rows = np.linspace(0, 3, 50)[:, None]

    def said(event):
        return event.log_prob(event.estimate(event.tally(x, ClassWeights(np.zeros(2001, np.int64), 1))), rows)

    plain, joined = said(Kernel(exact=True)), said(Kernel())
    z = rows / 0.1339
    assert (np.abs(plain - joined) <= (z**2 + 1) / 3200).all()  # 0.28 nats off at 15 bandwidths


# Weights that are all zero keep words (Model.tally forgets only where a hard weight is 0)
def test_weight_zero_teaches_no_words():
    model = Model("multinomial").learn([{"x": 1, "y": 2}, {"y": 1}], ["a", "b"])
    assert learn_unlabelled(model, [{"z": 3, "x": 1}], weight=0).evidence == model.evidence


def test_a_declared_class_that_nothing_was_learned_of_stays_out_of_the_evidence():
    model = Model("gaussian", classes=["none"]).learn([[1.0], [2.0], [5.0], [6.0]], list("aabb"))
    assert list(learn_unlabelled(model, [[1.5], [5.5]]).evidence.classes) == ["a", "b"]


def test_a_weight_is_finite():
    model = Model("gaussian").learn([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(InputError):
        learn_unlabelled(model, [[0.5]], np.inf)


# Cells that weigh nothing come with learning and go with unlearning
def test_unlearning_restores_a_regressor():
    model = Regressor(Gaussian(), edges=np.linspace(0, 10, 21), width=0.25).learn(
        [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
    )
    before = model.evidence.copy()
    model.learn([[9.0]], [9.0]).unlearn([[9.0]], [9.0])
    assert model.evidence.same(before, 1e-9)


def test_what_was_learned_can_be_unlearned_after_something_else_was():
    model = Regressor(Gaussian(), edges=np.linspace(0, 10, 21), width=0.25).learn(
        [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
    )
    model.learn([[9.0]], [9.0]).unlearn([[9.0]], [9.0])
    model.unlearn([[3.0]], [3.0])  # InputError: no class 8, 9, ...


def test_fitting_again_chooses_again():
    x = np.linspace(-1, 1, 300)
    model = Regressor("histogram").fit(x[:, None], x).fit(x[:, None], 1000 * x)
    assert model.predict([[0.9]])[0] > 500  # 0.87: the cells of the first fit are kept as if given


def test_the_least_quantile_is_where_the_density_begins():
    with np.errstate(divide="ignore"):
        found = Density((0, 1, 2), np.log([[0.0, 0.0, 1.0]]), np.zeros(1, dtype=bool), np.array([0.0, 1.0, 2.0, 3.0]))
    assert found.quantile(0).tolist() == [2.0]  # 1.0


@pytest.mark.parametrize("y", [["a", "b", "c"], [[1], [2], [3]]], ids=["words", "two dimensions"])
@pytest.mark.parametrize("model", [lambda: Regressor("gaussian", [0, 1, 2], 1.0), LinearGaussian])
def test_a_y_that_is_no_column_of_numbers_is_refused_with_a_sentence(model, y):
    with pytest.raises(InputError):
        model().learn([[1.0], [2.0], [3.0]], y)


def test_no_rows_are_refused_with_a_sentence():
    with pytest.raises(InputError):
        Regressor("gaussian").fit(np.zeros((0, 1)), [])
    model = LinearGaussian().learn(np.zeros((0, 1)), [])
    with pytest.raises(Exception, match="nothing"):
        model.predict([[1.0]])  # nan


@pytest.mark.parametrize("beliefs", [{"edges": [0, 1, np.inf]}, {"width": np.inf}], ids=str)
def test_infinite_cells_and_widths_are_refused(beliefs):
    with pytest.raises(InputError):
        Regressor("gaussian", **beliefs)


def test_one_y_per_row_is_asked_for_by_log_prob():
    model = Regressor("gaussian", [0, 1, 2], 1.0).learn([[0.0], [1.0]], [0.5, 1.5])
    with pytest.raises(InputError):
        model.posterior([[0.0], [1.0]]).log_prob([1.0])


# np.log(X) of single precision is taken in single precision
@pytest.mark.parametrize("event", ["log_normal", "gamma"])
def test_single_precision_says_the_same_in_double(event):
    x = np.random.default_rng(0).lognormal(3, 1, (20, 1)).astype(np.float32)
    assert Model(event).observe(x, ["a"] * 20) == Model(event).observe(x.astype(np.float64), ["a"] * 20)


# "Got sums of n and sums of n" names no difference
def test_bins_of_different_numbers_are_told_apart_in_the_message():
    from plainbayes.events import Histogram

    one, two = (Model(Histogram(edges=(e,))).observe([[1.0]], ["a"]) for e in ((0.0, 1.0), (0.0, 1.0, 2.0)))
    with pytest.raises(InputError) as error:
        _ = one + two
    assert "sums of n and sums of n" not in error.value.message
