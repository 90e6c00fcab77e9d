"""scikit-learn's own tests and its checks of every estimator, from the installed scikit-learn, on our classes."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from plainbayes.sklearn import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    PoissonNB,
)

HERE = Path(__file__).parent


def test_scikit_learns_own_tests_of_naive_bayes_pass_on_our_classes(tmp_path):
    """91 tests in scikit-learn 1.9.1 without further array libraries, more with them."""
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "peer_plugin", "-p", "no:cacheprovider", "-W", "ignore"]
    settings = {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "SCIPY_ARRAY_API": "1"}
    settings |= {"SKLEARN_RUN_FLOAT32_TESTS": "1", "SKLEARN_SKIP_NETWORK_TESTS": "1"}
    done = subprocess.run(
        [*command, f"--junitxml={report}", "--pyargs", "sklearn.tests.test_naive_bayes"],
        cwd=tmp_path,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    suite = ElementTree.parse(report).find("testsuite")
    tests, failed, broken, left_out = (int(suite.get(k)) for k in ("tests", "failures", "errors", "skipped"))
    assert (failed, broken) == (0, 0)
    assert tests - left_out >= 91


class WholeNB(PoissonNB):
    """The checks draw fractions and negative numbers: here they become counts."""

    def _read(self, X, y, first):
        X, y = super()._read(X, y, first)
        return whole(X), y

    def _checked(self, X):
        return whole(super()._checked(X))


def whole(X):
    return np.rint(np.abs(X)) if getattr(X, "dtype", np.dtype(object)).kind in "fiu" else X


OBJECTS = "columns of objects are read, as numbers or as categories; what cannot be is named in an InputError"
OURS = {"check_dtype_object": OBJECTS}
REGRESSION = "regression needs three different values of y"
EXPECTED = {
    GaussianNB: {
        "check_array_api_same_namespace": "arrays of any library are judged, whatever the model was fitted on"
    },
    NaiveBayesClassifier: OURS,
    WholeNB: OURS,
    NaiveBayesRegressor: OURS
    | dict.fromkeys(
        (
            "check_estimators_dtypes",
            "check_sample_weights_pandas_series",
            "check_sample_weights_not_an_array",
            "check_sample_weights_shape",
            "check_sample_weights_not_overwritten",
            "check_pipeline_consistency",
            "check_estimators_pickle",
            "check_fit2d_1sample",
            "check_fit2d_1feature",
            "check_estimators_nan_inf",
            "check_array_api_input",
        ),
        REGRESSION,
    )
    | {"check_sample_weight_equivalence_on_dense_data": "the cells of y are cut by rows, whatever they weigh"},
}


CHECKS = parametrize_with_checks(
    [
        GaussianNB(),
        GaussianNB(var_smoothing=1e-3),
        MultinomialNB(),
        MultinomialNB(alpha=0.1, fit_prior=False),
        ComplementNB(),
        ComplementNB(norm=True),
        BernoulliNB(),
        BernoulliNB(binarize=0.5, fit_prior=False),
        CategoricalNB(),
        CategoricalNB(min_categories=5),
        NaiveBayesClassifier("gaussian"),
        NaiveBayesClassifier("kernel"),
        NaiveBayesClassifier("gaussian", missing="skip"),
        WholeNB(),
        NaiveBayesRegressor("gaussian"),
    ],
    expected_failed_checks=lambda estimator: EXPECTED.get(type(estimator), {}),
)


def can_run(case):
    """Checks with arrays of other libraries run on those that need no gigabytes and no hardware of their own."""
    _, check = getattr(case, "values", case)
    return not any(library in str(getattr(check, "keywords", "")).lower() for library in ("torch", "cupy", "dpnp"))


@pytest.mark.parametrize(CHECKS.args[0], list(filter(can_run, CHECKS.args[1])), **CHECKS.kwargs)
@pytest.mark.filterwarnings("ignore")
def test_an_estimator_passes_scikit_learns_checks(estimator, check):
    check(estimator)
