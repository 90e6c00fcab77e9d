"""Texts: an analyser and a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Self

from plainbayes import events, loo
from plainbayes.event import CountEvent, required
from plainbayes.evidence import Label
from plainbayes.explain import Explanation
from plainbayes.losses import Loss
from plainbayes.model import Model
from plainbayes.numeric import Array
from plainbayes.posterior import Posterior
from plainbayes.priors import Prior
from plainbayes.text.analyzer import Analyzer

Texts = str | Iterable[str]


class TextClassifier:
    """Naive Bayes for texts in any language.

    Parameters
    ----------
    event
        A count event or its name: "multinomial", "bernoulli", "complement".
    prior
        Empirical(), Smoothed(), Uniform() or Given({...}).
    analyzer
        Anything that turns a text into words; None: Analyzer().

    Examples
    --------
    >>> spam = TextClassifier().fit(["buy pills now", "cheap pills", "see you at noon"], ["spam", "spam", "ham"])
    >>> spam.predict(["see you at the pharmacy", "cheap cheap pills"])
    ['ham', 'spam']
    >>> spam.learn("pills at the doctor's at noon", "ham").unlearn("cheap pills", "spam").classes
    ('ham', 'spam')
    """

    def __init__(
        self,
        event: CountEvent | str = "multinomial",
        prior: Prior | None = None,
        analyzer: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        chosen = events.named(event) if isinstance(event, str) else event
        counts = isinstance(chosen, CountEvent) and chosen.support != "category"
        required(counts, f"texts need an event over counts, got {chosen!r}", "multinomial, bernoulli, complement")
        self.analyzer = Analyzer() if analyzer is None else analyzer
        self.model = Model(chosen, prior)

    def __repr__(self) -> str:
        return f"TextClassifier({self.model.event!r}, {self.model.evidence!r})"

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes learned, sorted."""
        return self.model.classes

    def bags(self, texts: Texts) -> list[Mapping[Label, float]]:
        """Return the words of each text with their counts."""
        required(hasattr(texts, "__iter__"), f"texts were expected, got {texts!r:.60}")
        bags: list[Mapping[Label, float]] = []
        for row, text in enumerate([texts] if isinstance(texts, str) else texts):
            required(isinstance(text, str), f"a text was expected, got {text!r:.60} in row {row}")
            bags.append(Counter(self.analyzer(text)))
        return bags

    def fit(self, texts: Texts, labels: Any, weight: Any = None) -> Self:
        """Forget everything, then learn."""
        fresh = Model(self.model.event, self.model.prior)
        self.model = fresh.learn(self.bags(texts), _each(texts, labels), weight)
        return self

    def learn(self, texts: Texts, labels: Any, weight: Any = None) -> Self:
        """Learn one text or many; classes and words may be new."""
        self.model.learn(self.bags(texts), _each(texts, labels), weight)
        return self

    def unlearn(self, texts: Texts, labels: Any, weight: Any = None) -> Self:
        """Unlearn texts that were learned, exactly."""
        self.model.unlearn(self.bags(texts), _each(texts, labels), weight)
        return self

    def __add__(self, other: TextClassifier) -> TextClassifier:
        required(isinstance(other, TextClassifier), f"a TextClassifier was expected, got {other!r:.60}")
        new = copy(self)
        new.model = self.model + other.model
        return new

    def posterior(self, texts: Texts) -> Posterior:
        """P(class | text) for every text."""
        return self.model.posterior(self.bags(texts))

    def predict(self, texts: Texts) -> list[Label]:
        """Return the most probable class of every text."""
        return self.posterior(texts).mode()

    def predict_proba(self, texts: Texts) -> Array:
        """Probabilities (texts, classes)."""
        return self.posterior(texts).probabilities

    def decide(self, texts: Texts, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every text."""
        return self.model.decide(self.bags(texts), loss)

    def explain(self, text: str, against: Label | None = None) -> Explanation:
        """Say, word by word, why the most probable class is."""
        return self.model.explain(self.bags(text), against)

    def leave_one_out(self, texts: Texts, labels: Any, groups: Any = None) -> loo.Judged:
        """Judge each text by what was learned from all the others."""
        return loo.leave_one_out(self.model, self.bags(texts), _each(texts, labels), groups=groups)


def _each(texts: Texts, labels: Any) -> Any:
    return [labels] if isinstance(texts, str) else labels
