"""The door to Apache Spark: the same model, learned from and applied to data frames of any size.

Counts are whole numbers and add, so they are those of one machine to the bit, however many there are.
"""

from plainbayes.spark.estimator import NaiveBayesEstimator, NaiveBayesModel
from plainbayes.spark.learning import fit
from plainbayes.spark.mllib import Parameters, from_mllib, to_mllib
from plainbayes.spark.scoring import transform

__all__ = ["NaiveBayesEstimator", "NaiveBayesModel", "Parameters", "fit", "from_mllib", "to_mllib", "transform"]
