"""The scikit-learn door: change the import, keep the program.

    from plainbayes.sklearn import MultinomialNB

Drop-in: GaussianNB, MultinomialNB, ComplementNB, BernoulliNB, CategoricalNB. Ours: NaiveBayesClassifier for columns of
any kind, NaiveBayesRegressor, and PoissonNB, KernelNB, MixedNB, which are short for it. docs/sklearn.md says what is
better and what differs.
"""

from plainbayes.sklearn.drop_in import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from plainbayes.sklearn.estimators import KernelNB, MixedNB, NaiveBayesClassifier, NaiveBayesRegressor, PoissonNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "KernelNB",
    "MixedNB",
    "MultinomialNB",
    "NaiveBayesClassifier",
    "NaiveBayesRegressor",
    "PoissonNB",
]
