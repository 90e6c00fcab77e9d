"""Which event suits a column, and why."""

import re

import numpy as np
import pytest

from plainbayes import InputError, events
from plainbayes.choice import candidates, keeps_all, suit, told
from plainbayes.events import (
    Categorical,
    Exponential,
    Gamma,
    Gaussian,
    Histogram,
    Kernel,
    Laplace,
    LogNormal,
    Poisson,
    StudentT,
)


def drawn(seed):
    return np.random.default_rng(seed)


def two_peaks(n=600):
    return np.concatenate([drawn(7).normal(-5, 1, n // 2), drawn(8).normal(5, 1, n // 2)])


SAMPLES = {
    "exponential": (drawn(1).exponential(3.0, 800), {"exponential", "gamma"}),
    "poisson": (drawn(2).poisson(4.0, 800), {"poisson"}),
    "student t": (drawn(3).standard_t(3, 800) * 5, {"student t", "laplace"}),
    "log-normal": (drawn(5).lognormal(0.0, 1.0, 800), {"log normal"}),
    "gamma": (drawn(6).gamma(3.0, 2.0, 800), {"gamma"}),
    "normal": (drawn(9).normal(0.0, 1.0, 800), {"gaussian"}),
    "two peaks": (two_peaks(), {"kernel", "histogram"}),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_are_told_by_their_kind(sample):
    x, expected = SAMPLES[sample]
    assert suit(x).event.name in expected


def test_a_sharp_peak_with_even_tails_is_laplace_among_the_families_with_two_parameters():
    x = drawn(4).laplace(0.0, 1.0, 3000)
    assert suit(x, among=[Gaussian(), StudentT(df=30.0), Laplace()]).event == Laplace()


def test_every_figure_is_the_mean_log_density_of_values_left_out():
    """By definition: each value under the Gaussian of all the others."""
    x = drawn(10).normal(size=40)
    (one,) = suit(x, among=[Gaussian(floor=1e-12)]).tried
    expected = []
    for place in range(40):
        rest = np.delete(x, place)
        expected.append(-0.5 * np.log(2 * np.pi * rest.var()) - (x[place] - rest.mean()) ** 2 / (2 * rest.var()))
    assert one.log_density == pytest.approx(np.mean(expected), rel=1e-9)
    assert (one.behind, one.error, one.keeps) == (0, 0, False)


def test_the_likeliest_comes_first_with_how_far_the_others_are_behind():
    found = suit(two_peaks(), among=[Gaussian(), Laplace(), Kernel(), Histogram()])
    assert [one.log_density for one in found.tried] == sorted((one.log_density for one in found.tried), reverse=True)
    for one in found.tried:
        assert one.behind == pytest.approx(found.tried[0].log_density - one.log_density)
        assert one.keeps == (one.event != Gaussian())
    assert found.event == found.tried[0].event


def test_an_event_that_keeps_every_observation_has_to_be_better_by_more_than_the_error():
    """A Student t with very many degrees of freedom is the normal one to the third digit, but keeps all values."""
    x = drawn(4).standard_t(30, 300)
    found = suit(x, among=[StudentT(df=30.0), Gaussian()])
    first, second = found.tried
    assert first.event == StudentT(df=30.0) and second.behind <= second.error
    assert found.event == Gaussian()
    assert found.reason == (
        f"gaussian: 300 values, each judged by all the others, have a mean log density of {second.log_density:.3f}; "
        f"student t reaches {first.log_density:.3f}, within the error, but keeps every observation"
    )


def test_the_reason_is_a_sentence_with_both_figures():
    found = suit(drawn(6).gamma(3.0, 2.0, 500), among=[Gaussian(), Gamma()])
    first, second = found.tried
    assert found.reason == (
        f"gamma: 300 values, each judged by all the others, have a mean log density of {first.log_density:.3f}, "
        f"against {second.log_density:.3f} for gaussian"
    )


def test_one_candidate_is_chosen_without_a_rival():
    found = suit([1.0, 2.0, 4.0], among=[Exponential()])
    assert found.event == Exponential()
    sentence = r"exponential: 3 values, each judged by all the others, have a mean log density of -\d\.\d{3}"
    assert re.fullmatch(sentence, found.reason)


def test_labels_change_the_choice():
    x, y = two_peaks(), ["left"] * 300 + ["right"] * 300
    among = [Gaussian(), Kernel(), Histogram()]
    assert suit(x, among=among).event != Gaussian()
    assert suit(x, y, among).event == Gaussian()


def test_missing_cells_are_left_out():
    x = drawn(5).lognormal(0.0, 1.0, 200)
    holed = np.insert(x, [0, 50, 200], np.nan)
    among = [LogNormal(), Gamma(), Gaussian()]
    assert suit(holed, among=among) == suit(x, among=among)
    y = drawn(11).integers(0, 2, 200)
    assert suit(holed, np.insert(y, [0, 50, 200], 1), among) == suit(x, y, among)


def test_values_alone_in_their_class_are_not_judged():
    found = suit([1.0, 2.0, 3.0, 9.0], ["a", "a", "a", "b"], among=[Gaussian()])
    assert found.reason.startswith("gaussian: 3 values")


def test_only_events_whose_support_holds_the_values_are_tried():
    def names(x):
        return {event.name for event in candidates(np.array(x))}

    real = {"gaussian", "histogram", "kernel", "laplace", "student t"}
    assert real <= names([-1.5, 2.0]) and not names([-1.5, 2.0]) & {"poisson", "exponential", "gamma", "log normal"}
    assert names([0.0, 2.5]) - names([-1.5, 2.0]) == {"exponential"}
    assert {"gamma", "log normal", "exponential"} <= names([0.5, 2.5])
    assert {"poisson"} <= names([0.0, 2.0]) and not names([0.0, 2.0]) & {"gamma", "log normal"}
    assert not names([1.0]) & {"multinomial", "bernoulli", "complement", "multivariate normal"}
    assert names([np.nan, 1.0, 2.5]) == names([1.0, 2.5])


def test_whole_numbers_are_judged_by_the_room_around_them():
    """A kernel or bars with a peak on every whole number are no better for it than the counts' own family."""
    x = drawn(12).poisson(3.0, 600)
    for other in (Kernel("loo"), Histogram(bins=40, alpha=0.01), Gaussian()):
        found = suit(x, among=[other, Poisson()])
        assert found.event == Poisson()
    positive = drawn(13).poisson(50.0, 300)
    assert np.isfinite([one.log_density for one in suit(positive, among=[Gamma(), LogNormal()]).tried]).all()


def test_a_value_that_an_event_calls_impossible_is_very_unlikely_but_not_infinitely_so():
    found = suit(np.append(drawn(14).normal(size=50), 1e6), among=[Gaussian(), StudentT()])
    assert np.isfinite([one.log_density for one in found.tried]).all()
    assert found.event == StudentT()


@pytest.mark.parametrize(
    ("x", "y", "among", "message"),
    [
        ([1.0, 2.0], ["a"], None, "one label per value was expected, got 1 for 2"),
        ([1.0], None, None, "two values at least are needed to choose an event, got 1"),
        ([1.0, np.nan], None, None, "two values at least are needed to choose an event, got 1"),
        ([1.0, 2.0], None, [], "no event was given to choose from"),
        ([1.0, 2.0], ["a", "b"], None, "every class has a single row: nothing is left to judge by"),
        ([1.0, -2.0], None, [Gamma()], "gamma needs finite numbers > 0, got -2 in row 1, column 0"),
    ],
    ids=["labels", "one value", "one value there", "nothing to try", "classes", "support"],
)
def test_what_cannot_be_judged_is_refused(x, y, among, message):
    with pytest.raises(InputError) as error:
        suit(x, y, among)
    assert error.value.message == message


def test_where_there_is_nothing_to_choose_from_the_events_are_named():
    with pytest.raises(InputError) as error:
        suit([1.0, 2.0], among=[])
    assert error.value.hint == f"there are {', '.join(map(repr, events.names()))}"


def test_events_tell_the_class_of_rows_left_out():
    chance = np.random.default_rng(5)
    y = np.arange(900) % 3
    near, far = chance.normal(size=900), chance.normal(4.0 * y)
    for x, least, most in ((near, -0.05, 0.02), (far, 0.85, np.log(3))):
        best, other = told(x, y, [Histogram(bins=3), Gaussian()])
        assert best.event == Gaussian() and best.log_density > other.log_density
        assert least < best.nats < most
    # By hand: two rows of each class; without itself each has half the prior of the other class.
    x, y = np.array([0.0, 0.0, 1.0, 1.0]), np.array(["a", "a", "b", "b"])
    (one,) = told(x, y, [Categorical()])
    # P(0 | a) = 2/3 and P(0 | b) = 1/4 with one more of each, P(a) = 1/3 and P(b) = 2/3 without the row.
    assert one.nats == pytest.approx(np.log((2 / 9) / (2 / 9 + 2 / 12) / (1 / 3)))


def test_events_that_keep_every_observation_are_known():
    assert [keeps_all(event) for event in (Gaussian(), Histogram(), Histogram(edges=((0.0, 1.0),)))] == [
        False,
        True,
        False,
    ]
