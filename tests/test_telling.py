"""Which words tell things apart."""

import numpy as np

from plainbayes.telling import apart, log_odds, telling


def test_known_answers():
    own, others = np.array([7.0, 0.0, 1.0]), np.array([1.0, 3.0, 1.0])
    np.testing.assert_allclose(
        log_odds(own, others, 8.0, 5.0, 3), np.log([8 / 11 * 8 / 2, 1 / 11 * 8 / 4, 2 / 11 * 8 / 2])
    )
    np.testing.assert_allclose(
        telling(own, others, 8.0, 5.0, 3), [8 / 11 * np.log(32 / 11), 0.0, 2 / 11 * np.log(8 / 11)]
    )


def test_models_are_as_far_apart_both_ways():
    one, other = np.array([7.0, 0.0, 1.0]), np.array([1.0, 3.0, 1.0])
    there, back = apart(one, other, 8.0, 5.0, 3), apart(other, one, 5.0, 8.0, 3)
    np.testing.assert_allclose(there, back)
    assert (there > 0).all()
    np.testing.assert_array_equal(apart(one, one, 8.0, 8.0, 3), 0.0)
