"""For pytest -p: scikit-learn's own naive Bayes tests, with our classes in place of scikit-learn's.

What scikit-learn's classes would do themselves is forbidden, so that nothing is done by them behind our name.
"""

import pytest
import sklearn.naive_bayes as theirs

import plainbayes.sklearn as ours

NAMES = ("GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB")
VERBS = ("fit", "partial_fit", "predict", "_joint_log_likelihood", "_count", "_partial_fit")


def forbidden(*_, **__):
    raise AssertionError("one of scikit-learn's own classes was asked")


def pytest_configure():
    families = {base for name in NAMES for base in getattr(theirs, name).__mro__ if base.__module__ == theirs.__name__}
    for family in families:
        for verb in VERBS:
            if verb in vars(family):
                setattr(family, verb, forbidden)
    for name in NAMES:
        setattr(theirs, name, getattr(ours, name))


def pytest_collection_finish(session):
    for module in {item.module for item in session.items}:
        for name in NAMES:
            if getattr(module, name, None) is not getattr(ours, name):
                raise pytest.UsageError(f"{module.__name__} tests another {name} than ours")
