"""plainbayes: naive Bayes, from a word count to a decision you can trust.

Every public name is loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

# As type checkers know it; importing typing would take as long as all else that a command starts with.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plainbayes import events as events
    from plainbayes.choice import suit as suit
    from plainbayes.documents import TextClassifier as TextClassifier
    from plainbayes.errors import InputError as InputError
    from plainbayes.errors import NeverLearnedError as NeverLearnedError
    from plainbayes.errors import NotLearnedError as NotLearnedError
    from plainbayes.errors import PlainbayesError as PlainbayesError
    from plainbayes.event import Product as Product
    from plainbayes.evidence import Evidence as Evidence
    from plainbayes.explain import Explanation as Explanation
    from plainbayes.loo import choose as choose
    from plainbayes.loo import leave_one_out as leave_one_out
    from plainbayes.loo import smoothings as smoothings
    from plainbayes.losses import Absolute as Absolute
    from plainbayes.losses import Costs as Costs
    from plainbayes.losses import Custom as Custom
    from plainbayes.losses import LogLoss as LogLoss
    from plainbayes.losses import Pinball as Pinball
    from plainbayes.losses import Reject as Reject
    from plainbayes.losses import Squared as Squared
    from plainbayes.losses import ZeroOne as ZeroOne
    from plainbayes.model import Model as Model
    from plainbayes.posterior import Posterior as Posterior
    from plainbayes.priors import Empirical as Empirical
    from plainbayes.priors import Given as Given
    from plainbayes.priors import Smoothed as Smoothed
    from plainbayes.priors import Uniform as Uniform
    from plainbayes.regression import LinearGaussian as LinearGaussian
    from plainbayes.regression import Regressor as Regressor
    from plainbayes.semi import learn_unlabelled as learn_unlabelled
    from plainbayes.tables import TableClassifier as TableClassifier
    from plainbayes.tables import TableRegressor as TableRegressor
    from plainbayes.tables import load as load
    from plainbayes.tables import save as save
    from plainbayes.text.analyzer import Analyzer as Analyzer

__version__ = "0.1.0"

_HOME = {
    "choice": ("suit",),
    "documents": ("TextClassifier",),
    "errors": ("InputError", "NeverLearnedError", "NotLearnedError", "PlainbayesError"),
    "event": ("Product",),
    "evidence": ("Evidence",),
    "explain": ("Explanation",),
    "loo": ("choose", "leave_one_out", "smoothings"),
    "losses": ("Absolute", "Costs", "Custom", "LogLoss", "Pinball", "Reject", "Squared", "ZeroOne"),
    "model": ("Model",),
    "posterior": ("Posterior",),
    "priors": ("Empirical", "Given", "Smoothed", "Uniform"),
    "regression": ("LinearGaussian", "Regressor"),
    "semi": ("learn_unlabelled",),
    "tables": ("TableClassifier", "TableRegressor", "load", "save"),
    "text.analyzer": ("Analyzer",),
}
_NAMES = {name: home for home, names in _HOME.items() for name in names}
__all__ = [*_NAMES, "events"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "events":
        return import_module("plainbayes.events")
    if name not in _NAMES:
        raise AttributeError(f"module 'plainbayes' has no attribute {name!r}")
    return getattr(import_module(f"plainbayes.{_NAMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
