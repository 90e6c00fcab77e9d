"""The door to Apache Spark: the same model, learned from and applied to data frames of any size.

Counts are whole numbers and add, so they are those of one machine to the bit, however many there are. What belongs to
pyspark.ml, which takes most of a second to import, is loaded on first use: executors never need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plainbayes.spark.estimator import NaiveBayesEstimator, NaiveBayesModel
    from plainbayes.spark.learning import fit
    from plainbayes.spark.mllib import Parameters, from_mllib, to_mllib
    from plainbayes.spark.scoring import transform

__all__ = ["NaiveBayesEstimator", "NaiveBayesModel", "Parameters", "fit", "from_mllib", "to_mllib", "transform"]

_HOME = {"NaiveBayesEstimator": "estimator", "NaiveBayesModel": "estimator", "fit": "learning", "transform": "scoring"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'plainbayes.spark' has no attribute {name!r}")
    return getattr(import_module(f"plainbayes.spark.{_HOME.get(name, 'mllib')}"), name)
