"""An event by itself: log probabilities of rows under what was tallied of others."""

import numpy as np
import pytest

from plainbayes.observations import labelled


@pytest.fixture
def log_prob():
    def score(event, X, y, rows, weight=None):
        X, rows = (np.asarray(data, dtype=np.float64) for data in (X, rows))
        return event.log_prob(event.estimate(event.tally(X, labelled(y, weight)[1])), rows)

    return score


@pytest.fixture
def counts():
    """Rows of counts, three classes of different sizes, weights."""
    rng = np.random.default_rng(11)
    y = np.concatenate([np.arange(3), rng.choice(3, 87, p=[0.6, 0.3, 0.1])])
    X = rng.poisson(rng.gamma(0.5, 2, size=(3, 12))[y])
    X[0] += 1  # every column is seen
    return X, y, rng.integers(1, 5, len(y)).astype(float)
