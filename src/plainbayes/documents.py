"""Texts: an analyser, exact counts of words by class, and an event to believe them by."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, cast

import numpy as np

from plainbayes import events, loo, reading, semi, sources, weights
from plainbayes._core import Analyser, Judge, Kept, NotHeldError, Source, Table, labelled_hashes
from plainbayes.errors import NeverLearnedError, NotLearnedError, listed
from plainbayes.event import CountEvent, Linear, required
from plainbayes.evidence import Evidence, Index, Label, Part, in_order
from plainbayes.explain import Explanation
from plainbayes.judge import CELLS, STRANGE, WORDS, answers, judge, of_texts, store, stored, words
from plainbayes.losses import Loss, ZeroOne
from plainbayes.model import Model, chosen, compared
from plainbayes.numeric import Array, Integers
from plainbayes.pieces import Counted, table
from plainbayes.plain import EVERY_WORD
from plainbayes.posterior import Posterior
from plainbayes.priors import Empirical, Prior
from plainbayes.reading import NUMBERS, arrays_of
from plainbayes.stats import Sums
from plainbayes.storage import file
from plainbayes.text.analyzer import Analyzer
from plainbayes.trust import EVENTS, Fit, Folds, Manner, Sample, Tried, Trust, start, trusted, values

if TYPE_CHECKING:
    from os import PathLike

Texts = Any  # a text, or many: a list, a generator, an array, a series, anything that speaks Arrow

KEPT = 256 << 20  # bytes of texts that are kept to fit beliefs to; of more, a share chosen by hash
FEW, EACH = 50, 5  # texts, and texts for each class, below which nothing is fitted
MANY = 500  # classes above which nothing is fitted


class Report(NamedTuple):
    """How many rows were read, how many of them had no label, how many stretches of bytes were no UTF-8."""

    rows: int
    skipped: int
    replaced: int


class Corpus(Protocol):
    """Texts to learn from, wherever they are; `kept` are those to look at twice."""

    kept: Kept

    def look(self, most: int) -> bool:
        """Keep texts up to so many bytes, and say whether these are all."""

    def count(self, analyzer: Analyzer, most: int) -> tuple[Table | Counted, Mapping[str, Label], Report]:
        """Count all texts; classes that are no text by their names. With `most`, keep so many bytes, chosen by hash."""


class Here:
    """Texts that come from a source, once."""

    kept: Kept

    def __init__(self, source: Source) -> None:
        self.source, self.rest = source, source

    def look(self, most: int) -> bool:
        """Keep the first ones."""
        self.kept, whole = Kept.start(self.source, most)
        self.rest = Source.chain([self.kept.again(), self.source])
        return whole

    def count(self, analyzer: Analyzer, most: int) -> tuple[Table, Mapping[str, Label], Report]:
        """Count those that were looked at and the others."""
        table, kept, rows, replaced = Table.count_and_keep(analyzer.core, self.rest, most)
        if most:
            self.kept = kept
        return table, self.source.labels, Report(rows, self.source.skipped, replaced)


class TextClassifier:
    """Naive Bayes for texts in any language.

    Parameters
    ----------
    event
        A count event or its name: "multinomial", "bernoulli", "complement", just counted; "auto" is that of the three
        by which texts left out are least surprising, with an exponent for every word, and of few texts multinomial.
    alpha
        Smoothing: added to every count; "auto" is what leave-one-out chooses, or, for a given event, what it has.
    prior
        Empirical(), Smoothed(), Uniform() or Given({...}).
    ngrams, rules
        How texts become words: see Analyzer; None: what predicts best of words, pairs and runs of characters.
    language
        Whose stems are taken for words, such as "ru"; None: words as they are, of any language.
    unknown
        What a word that was never learned says: nothing ("ignore") or what a count of zero says ("smooth").
    analyzer
        An Analyzer, or anything that turns a text into words, in place of the three above.
    max_vocabulary
        How many words are kept, those that stand in most texts; such a model reads single words and cannot unlearn.
    effort
        How long `fit` may search: "quick" or "best"; "plain" just counts with the settings given.

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
        event: CountEvent | str = "auto",
        alpha: float | Literal["auto"] = "auto",
        prior: Prior | None = None,
        ngrams: int | tuple[int, int] | None = None,
        language: str | None = None,
        rules: Literal["words", "sklearn"] = "words",
        unknown: Literal["ignore", "smooth"] | None = None,
        analyzer: Callable[[str], Iterable[str]] | None = None,
        max_vocabulary: int | None = None,
        effort: Literal["plain", "quick", "best"] = "quick",
    ) -> None:
        self.event, self.alpha, self.prior, self.unknown = event, alpha, prior, unknown
        self.ngrams, self.language, self.rules, self.analyzer = ngrams, language, rules, analyzer
        self.max_vocabulary, self.effort = max_vocabulary, effort
        self._settle()
        self._forget()

    def _settle(self) -> None:
        """Turn settings into an analyser, an event and a prior, and refuse what cannot be."""
        name = "multinomial" if self.event == "auto" else self.event
        event = events.named(name) if isinstance(name, str) else name
        counts = isinstance(event, CountEvent) and event.support != "category"
        required(counts, f"texts need an event over counts, got {event!r}", "multinomial, bernoulli, complement")
        own: dict[str, Any] = {"alpha": self.alpha, "unknown": self.unknown}
        chosen = {name: value for name, value in own.items() if value not in ("auto", None)}
        self._event = replace(cast(CountEvent, event), **chosen)
        self._prior = Empirical() if self.prior is None else self.prior
        required(isinstance(self._prior, Prior), f"a prior was expected, got {self.prior!r}", "as in Uniform()")
        efforts = ("plain", *reading.EFFORTS)
        required(self.effort in efforts, f"effort should be one of {listed(efforts)}, got {self.effort!r}")
        most = self.max_vocabulary
        fits = most is None or (isinstance(most, int) and most > 0)
        required(fits, f"max_vocabulary needs a number > 0 or None, got {most!r}")
        given = self.analyzer
        plain = Analyzer.speaking(self.language, rules=self.rules, ngrams=1 if self.ngrams is None else self.ngrams)
        self._analyzer = plain if given is None else given
        required(callable(self._analyzer), f"an analyzer is called with a text, got {given!r}", "as in Analyzer()")

    @property
    def _words(self) -> Analyser:
        return self.analysis.core

    def _forget(self) -> None:
        self._held: Table | Counted | file.File = Table()
        self._labels: dict[str, Label] = {}
        self._pruned = False
        self.trust: Trust | None = None
        self.about: dict[str, Any] = {}  # what a file says of a table, whose rows are written as texts
        self.made: dict[str, Any] = {}  # what it was made of, by what and when, as its file says
        self._changed()

    def _changed(self) -> None:
        """Drop what was made of the counts."""
        for made in ("_arrays", "_compiled", "model", "classes", "judge"):
            self.__dict__.pop(made, None)

    def __repr__(self) -> str:
        return f"TextClassifier({self._event!r}, {self.model.evidence!r})"

    def _repr_html_(self) -> str:
        from plainbayes.report.card import card, right
        from plainbayes.report.svg import amount

        facts = [
            ("texts learned", amount(self.learned)),
            ("words", f"{len(self._vocabulary[1]) - 1:,}"),
            *right(self.trust),
        ]
        each = self.counts.documents.tolist() if self.classes else []
        rows = [(str(label), amount(texts)) for label, texts in zip(self.classes, each, strict=True)]
        return card("TextClassifier", facts, "texts of each class", ("class", "texts"), rows)

    @property
    def learned(self) -> float:
        """How many texts were learned, by their weight."""
        return sum(weight * texts for _, weight, texts in self._bags)

    @property
    def sizes(self) -> list[float]:
        """How many texts each class has, by their weight."""
        return [float(size) for size in self.counts.documents]

    # Learning

    def fit(self, texts: Texts, labels: Any, weight: Any = None, groups: Any = None) -> Self:
        """Forget everything, then learn; if the texts cannot be learned, nothing is forgotten.

        With `groups`, one label for each text (its author, say), texts of a group are left out together wherever
        beliefs are judged, calibrated and estimated, so that what is promised holds for new groups. While exponents
        are fitted, and smoothing is chosen, single texts are left out all the same; and the errors of estimates are
        those of texts that have nothing to do with each other.
        """
        fresh = type(self)(**self.get_params())
        texts = list(texts) if isinstance(texts, Iterator) else texts
        fresh.fit_to(self._source(texts, labels, weight), folds=self._folds(texts, groups))
        self.__dict__.update(fresh.__dict__)
        return self

    def fit_to(
        self, source: Source, told: Callable[[str], None] = lambda _: None, folds: Folds | None = None
    ) -> Report:
        """Learn a source from scratch and, unless the effort is plain, fit what is believed of words to it.

        `told` is called with what is being done.
        """
        return self.fit_corpus(Here(source), told, folds)

    def fit_corpus(
        self, corpus: Corpus, told: Callable[[str], None] = lambda _: None, folds: Folds | None = None
    ) -> Report:
        """Do the same with texts that are elsewhere."""
        self._forget()
        if self.effort == "plain" or self.event != "auto" or self.unknown == "smooth":
            return self.learn_all(corpus)
        whole = corpus.look(KEPT)
        # Of few words, those that say something are single ones.
        free = self.analyzer is None and self.ngrams is None and self.max_vocabulary is None
        best = None
        if whole and enough(corpus.kept):
            best = reading.choose(corpus.kept, self.analysis, free, self.effort, told, folds=folds)
            self._analyzer = best.analyzer if free else self._analyzer
        elif free and not whole:
            self._analyzer = replace(self.analysis, ngrams=2)
        told("counting")
        report = self.learn_all(corpus, 0 if whole else KEPT)
        kept = corpus.kept
        if enough(kept):
            # What came first need not be like the rest: of more than is kept, all is counted before anything is chosen.
            best = best or reading.choose(kept, self.analysis, False, self.effort, told, folds=folds)
            told("weighing words")
            self.believe(kept, best.manner, tried=best.tried, folds=folds)
        return report

    def refit(self, texts: Texts, labels: Any, weight: Any = None, groups: Any = None) -> Self:
        """Fit anew what is believed of words, to texts that have been learned; the counts stay as they are.

        Texts of one of `groups` are left out together, as in `fit`.
        """
        texts = list(texts) if isinstance(texts, Iterator) else texts
        self.refit_to(self._source(texts, labels, weight), folds=self._folds(texts, groups))
        return self

    def refit_to(self, source: Source, told: Callable[[str], None] = lambda _: None, folds: Folds | None = None) -> int:
        """Do the same with a source; return how many texts there were."""
        kept, _ = Kept.start(source, KEPT)
        counted, rows, _ = Table.count(self._words, kept.again())
        lacking = self._lacking(counted)
        hint = "learn comes first"
        required(lacking is None, f"texts that were learned were expected, got others: {lacking}", hint)
        few = f"{FEW} texts at least, and {EACH} for each class, were expected to fit anything to, got {len(kept)}"
        required(enough(kept), few, "what was believed before still is")
        effort = "quick" if self.effort == "plain" else self.effort
        free = self.event == "auto" or self.trust is not None
        own = EVENTS if free else [event for event in EVENTS if event == self._event.name] or EVENTS
        best = reading.choose(kept, self.analysis, False, effort, told, own, folds)
        self.believe(kept, best.manner, tried=best.tried, folds=folds)
        return rows

    def _lacking(self, counted: Table) -> str | None:
        """What was not learned of texts that were counted; nobody can tell where the vocabulary was cut."""
        if self._pruned:
            return None
        try:
            self._table.copy().part(counted)
        except NotHeldError as error:
            return _never(*error.args)
        return None

    @property
    def analysis(self) -> Analyzer:
        """How texts are read, as given or chosen; what a user's own function has cut is only taken apart."""
        return self._analyzer if isinstance(self._analyzer, Analyzer) else Analyzer("tokens")

    @property
    def own(self) -> Callable[[str], Iterable[str]] | None:
        """The user's own function that makes words of a text, if there is one."""
        return None if isinstance(self._analyzer, Analyzer) else self._analyzer

    def learn_all(self, corpus: Corpus, most: int = 0) -> Report:
        """Count all texts; with `most`, so many bytes of them are kept."""
        counted, labels, report = corpus.count(self.analysis, most)
        self.learn_counted(counted, labels)
        return report

    def believe(
        self,
        kept: Kept,
        manner: Manner,
        unit: float = 1.0,
        truth: tuple[Integers, Integers] | None = None,
        tried: tuple[Tried, ...] = (),
        folds: Folds | None = None,
    ) -> Sample:
        """Fit exponents of all words to texts that were learned, which are returned; a text weighs `unit`.

        With `truth`, the rows and classes of texts, calibration and estimate go by these instead of the labels. `tried`
        is what the manner was chosen from; texts of one of `folds` are left out together.
        """
        lent = self._lent(self._vocabulary, self.counts)
        sample = Sample(kept, self._words, self._vocabulary, self.counts, self._names, unit, folds, lent)
        if truth is not None:
            sample.judge_by(*truth)
        if self.alpha != "auto":
            manner = replace(manner, alpha=self.alpha)
        origin = start(sample, manner)
        log_prior, given = (
            prior.log_prior(self.classes, self.counts.documents) for prior in (Empirical(), self._prior)
        )
        trust = trusted(sample, manner, origin, self._names, log_prior, kept.share, given - log_prior)
        self.trust = replace(trust, tried=tried)
        event = events.named(manner.event, alpha=manner.alpha, unknown=self._event.unknown)
        self._event = cast(CountEvent, event)
        self._held = self._table
        self._changed()
        return sample

    def learn(self, texts: Texts, labels: Any, weight: Any = None) -> Self:
        """Learn one text or many; classes and words may be new."""
        self.learn_from(self._source(texts, labels, weight))
        return self

    def partial_fit(self, texts: Texts, labels: Any, classes: Any = None, weight: Any = None) -> Self:
        """Learn, as scikit-learn spells it; classes need not be declared."""
        return self.learn(texts, labels, weight)

    def unlearn(self, texts: Texts, labels: Any, weight: Any = None) -> Self:
        """Unlearn texts that were learned, exactly, with the weights they were learned with."""
        self.unlearn_from(self._source(texts, labels, weight))
        return self

    def learn_from(self, source: Source) -> Report:
        """Learn all rows of a source."""
        return self.learn_all(Here(source))

    def learn_counted(self, counted: Table | Counted, labels: Mapping[str, Label]) -> None:
        """Learn what was counted already; labels that are no text by their names."""
        if self._table.bags:
            self._table.merge(counted if isinstance(counted, Table) else counted.table)
        else:
            self._held = counted
        self._labels |= {name: labels.get(name, name) for name, _, _ in counted.bags}
        self._changed()
        self._prune()

    def unlearn_from(self, source: Source) -> Report:
        """Unlearn all rows of a source; refused, with nothing changed, if they cannot have been learned."""
        hint = "learn again with all words"
        if self._pruned:
            raise NeverLearnedError("a model whose vocabulary was cut cannot unlearn", hint)
        counted, rows, replaced = Table.count(self._words, source)
        try:
            self._table.part(counted)
        except NotHeldError as error:
            raise NeverLearnedError(f"cannot unlearn what was never learned: {_never(*error.args)}") from None
        self._changed()
        return Report(rows, source.skipped, replaced)

    def _source(self, texts: Texts, labels: Any = None, weight: Any = None) -> Source:
        if isinstance(texts, str):
            texts, labels = [texts], None if labels is None else [labels]
        if self.own is not None:
            texts = _analysed(self.own, texts)
        return sources.texts(texts, labels, weight)

    def _folds(self, texts: Texts, groups: Any) -> Folds | None:
        """Deal the texts of groups to folds, if there are any."""
        if groups is None:
            return None
        hashes, _ = labelled_hashes(self._source(texts))
        return Folds.dealt(np.frombuffer(hashes, np.uint64), list(groups))

    def _prune(self) -> None:
        """Keep the words of most texts, if there are too many."""
        if self.max_vocabulary is not None and len(self._arrays["starts"]) - 1 > self.max_vocabulary:
            arrays = self._sorted(self.max_vocabulary)
            self._held = table(self._bags, arrays)
            self._changed()
            self._pruned = True

    def __add__(self, other: TextClassifier) -> TextClassifier:
        required(isinstance(other, TextClassifier), f"a TextClassifier was expected, got {other!r:.60}")
        hint = "models can be merged that read texts in the same way"
        required(
            _shape(self.about) == _shape(other.about), "models of the same columns, cut alike, were expected", hint
        )
        required(
            self._analyzer == other._analyzer,
            f"models that read texts alike were expected: one reads {self._analyzer}, the other {other._analyzer}",
            "let one read as the other does: analyzer=other.analysis, or --like on the command line",
        )
        larger = max(self, other, key=lambda one: float(one.counts.documents.sum()))
        new = self._like(larger)
        new._held = self._table.copy()
        new._table.merge(other._table)
        new._labels, new._pruned = self._labels | other._labels, self._pruned or other._pruned
        made = [one.made["of"] for one in (self, other) if "of" in one.made]
        new.made = larger.made | ({"of": ", ".join(made)} if made else {})
        return new

    def _like(self, other: TextClassifier) -> Self:
        """Return a model with these settings that believes what another does, and has learned nothing."""
        new = type(self)(**self.get_params())
        new._analyzer, new._event, new.trust, new.about = other._analyzer, other._event, other.trust, other.about
        return new

    # What was counted

    @property
    def _table(self) -> Table:
        if not isinstance(self._held, Table):
            self._held = table(self._bags, self._arrays)
        return self._held

    @property
    def counted(self) -> Counted:
        """What was counted, as it travels."""
        return Counted(self._bags, self._arrays, self._labels)

    @property
    def _bags(self) -> list[tuple[str, float, int]]:
        """Name, weight and number of texts of every bag, in the order of the classes."""
        names = self._names
        if isinstance(self._held, file.File):
            return [(names[place], weight, texts) for place, weight, texts in self._held.metadata["bags"]]
        places = {name: place for place, name in enumerate(names)}
        return sorted(self._held.bags, key=lambda bag: (places[bag[0]], bag[1]))

    @property
    def _names(self) -> list[str]:
        """The names of the classes in the table."""
        if isinstance(self._held, file.File):
            return list(self._held.metadata["names"])
        labels = {self._labels[name]: name for name, _, _ in self._held.bags}
        return [labels[label] for label in in_order(labels)]

    @cached_property
    def classes(self) -> tuple[Label, ...]:
        """The classes learned, sorted."""
        return tuple(self._labels[name] for name in self._names)

    @property
    def classes_(self) -> Any:
        """The classes as an array, as scikit-learn has them."""
        return np.array(self.classes)

    @cached_property
    def _arrays(self) -> dict[str, Any]:
        """Words in the order of their hashes, and their counts; see the core's `table`."""
        if isinstance(self._held, file.File):
            counts = {f"counts.{name}": self._held.tensor(f"counts.{name}") for name in CELLS}
            arrays = {name.partition(".")[2]: np.asarray(array) for name, array in (words(self._held) | counts).items()}
            if not sound(arrays, len(self._held.metadata["bags"])):
                raise self._held.damaged(STRANGE)
            return arrays
        if isinstance(self._held, Counted):
            return dict(self._held.arrays)
        return self._sorted(EVERY_WORD)

    def _sorted(self, most: int) -> dict[str, Any]:
        return arrays_of(self._table, self._bags, most)

    @property
    def _vocabulary(self) -> tuple[Any, ...]:
        return tuple(self._arrays[name] for name in WORDS)

    @property
    def vocabulary(self) -> list[str]:
        """All words, in the order of the arrays."""
        text, starts = self._arrays["bytes"].tobytes(), self._arrays["starts"].tolist()
        return [text[start:end].decode() for start, end in itertools.pairwise(starts)]

    @property
    def counts(self) -> weights.Counts:
        """What was counted: words, by their place in the vocabulary, classes, counts and numbers of texts."""
        return weights.Counts.of(self._bags, self._names, self._arrays)

    @cached_property
    def model(self) -> Model:
        """The same counts as a Model, for what is not done at the speed of memory."""
        model, counts = Model(self._event, self._prior), self.counts
        if self.classes:
            model.evidence = Evidence(Index(self.classes), Sums(n=counts.documents.copy()))
            stats, facts = counts.dense(), self._event.facts
            model.evidence.parts[None] = Part(Index(self.vocabulary), stats, open=True, facts=facts)
        return model

    # Answers

    @cached_property
    def _compiled(self) -> tuple[Linear | weights.Sparse, Array]:
        """What words say, and the prior."""
        if not self.classes:
            raise NotLearnedError("the model has learned nothing yet", "learn(texts, labels) comes first")
        log_prior = self._prior.log_prior(self.classes, self.counts.documents)
        if (trust := self.trust) is None:
            return weights.estimated(self._event, self.counts), log_prior
        counts = self.counts
        once = self._lent(self._vocabulary, counts)
        once = replace(once, count=once.present) if trust.manner.once else once
        theta = weights.raised(weights.estimated(self._event, once), trust.at(self._vocabulary, counts.texts))
        if (leanings := self._leanings) is not None:
            theta = weights.leaning(theta, counts, leanings)
        # In place of what the absence of all words says under Bernoulli; of other events it says nothing.
        return replace(theta, bias=np.array([trust.bias.get(name, 0.0) for name in self._names])), log_prior

    def _lent(self, words: Sequence[Any], counts: weights.Counts) -> weights.Counts:
        """Counts with what events lend to the ranges of a table's numbers; those of texts are what they are."""
        if "table" not in self.about:
            return counts
        from plainbayes.columns import Layout
        from plainbayes.lending import lent

        return lent(Layout.of(self.about["table"]["layout"]), words, counts)

    @property
    def _leanings(self) -> Array | None:
        """How words lean to classes, in the cells of the counts; None if they do not."""
        if self.trust is None or self.trust.leanings is None:
            return None
        return self.trust.leaning(self._vocabulary, self.counts, self._names)

    @cached_property
    def judge(self) -> Judge:
        """Words and weights, compiled to answer at the speed of memory."""
        if isinstance(self._held, file.File):
            return stored(self._held)
        return judge(self._words, self._settings(), self._tensors())

    def _settings(self) -> dict[str, Any]:
        values, short = ("presence" if self._event.once else "count"), False
        if self.trust is not None:
            values, short = self.trust.manner.values, self.trust.manner.short
        return {"names": self._names, "values": values, "short": short, "unknown": self._event.unknown == "smooth"}

    def _tensors(self) -> dict[str, Any]:
        """Every array of the model by its name in the file."""
        theta, log_prior = self._compiled
        words = {f"words.{name}": self._arrays[name] for name in WORDS}
        counts = {f"counts.{name}": self._arrays[name] for name in CELLS}
        made = words | counts | weights.tensors(theta, log_prior)
        if self.trust is not None:
            made["trust.exponents"] = self.trust.at(self._vocabulary, self.counts.texts)
        if (leanings := self._leanings) is not None:
            made["trust.leanings"] = leanings
        return made

    def posterior(self, texts: Texts) -> Posterior:
        """P(class | text) for every text."""
        some = list(answers(self.judge, self._source(texts), full=True))
        joint = np.concatenate([np.zeros(0), *(np.frombuffer(one.scores) for one in some)])
        return Posterior.of(self.classes, joint.reshape(-1, len(self.classes)), np.array(self.judge.prior))

    def predict(self, texts: Texts) -> list[Label]:
        """Return the most probable class of every text."""
        classes = self.classes
        return [classes[place] for some in answers(self.judge, self._source(texts)) for place in some.best]

    def predict_proba(self, texts: Texts) -> Array:
        """Probabilities (texts, classes)."""
        return self.posterior(texts).probabilities

    def predict_log_proba(self, texts: Texts) -> Array:
        """Logarithms of probabilities (texts, classes)."""
        return self.posterior(texts).log_probabilities

    def decide(self, texts: Texts, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every text."""
        loss = chosen(loss, ZeroOne())
        return self.predict(texts) if isinstance(loss, ZeroOne) else loss.act(self.posterior(texts))

    def score(self, texts: Texts, labels: Any, sample_weight: Any = None) -> float:
        """Return the share of texts whose most probable class is the label."""
        right = [answer == label for answer, label in zip(self.predict(texts), labels, strict=True)]
        return float(np.average(right, weights=sample_weight))

    def bags(self, texts: Texts) -> list[Counter[str]]:
        """Return the words of each text with their counts."""
        return [Counter(self._analyzer(text)) for _, text, _ in sources.texts(texts)]

    def explain(self, text: str, against: Label | None = None, label: Label | None = None) -> Explanation:
        """Say, word by word, why the most probable class (or `label`) is, against its rival (or `against`)."""
        required(isinstance(text, str), f"explain takes one text, got {text!r:.60}")
        counts = self.bags(text)[0]
        theta, log_prior = self._compiled
        numbers = np.array(self.judge.find(list(counts)), dtype=np.int64)
        times = np.array(list(counts.values()), dtype=np.float64)
        settings = self._settings()
        beside = np.array([word.startswith("~") for word in counts], dtype=bool)
        own, shares = theta.shares(numbers, values(times, beside, settings["values"], settings["short"]))
        each = zip(counts, times.tolist(), shares.T, strict=True)
        return compared(self.posterior(text), log_prior, [(own, each, True)], against, label)

    def proportions(self, texts: Texts) -> dict[Label, float]:
        """Estimate how often each class stands among texts without labels; `Given(...)` makes a prior of it.

        >>> mail = TextClassifier().fit(["buy pills", "cheap pills", "see you", "at noon"], ["spam"] * 2 + ["ham"] * 2)
        >>> shares = mail.proportions(["buy pills now", "buy cheap pills", "cheap pills pills", "see you"])
        >>> shares["spam"] > 0.7
        True
        """
        posterior, (_, log_prior) = self.posterior(texts), self._compiled
        required(len(posterior) > 0, "texts were expected, got none")
        return dict(zip(self.classes, semi.proportions(posterior, log_prior).tolist(), strict=True))

    def leave_one_out(self, texts: Texts, labels: Any, groups: Any = None) -> loo.Judged:
        """Judge each text by what is learned from all the others; exponents, leanings and bias stay what they are.

        With `groups`, one label for each text, by what is learned from all other groups.
        """
        texts, labels = ([texts], [labels]) if isinstance(texts, str) else (texts, list(labels))
        if self.trust is None:
            return loo.leave_one_out(self.model, self.bags(texts), labels, groups=groups)
        if groups is not None:
            return self._leave_group_out(list(texts), labels, groups)
        source = self._source(texts, labels)
        kept, _ = Kept.start(source, EVERY_WORD)
        names = sorted(kept.labels)
        sample = reading.sample_of(kept, self.analysis, lent=self._lent)
        exponents = self.trust.at(sample.words, sample.total)[sample.order]
        if (leanings := self.trust.leaning(sample.words, sample.counts, names)) is not None:
            sample.lean(np.flatnonzero(leanings))
            exponents = np.append(exponents, leanings[sample.cells])
        bias = np.array([self.trust.bias.get(name, 0.0) for name in names])
        scores = sample.scores(sample.scoring(self.trust.manner), Fit(exponents, bias))
        own = np.zeros_like(scores)
        np.add.at(own, (sample.row, sample.truth), sample.weight)
        left = sample.counts.documents - own
        classes = tuple(source.labels.get(name, name) for name in names)
        each, which = np.unique(left, axis=0, return_inverse=True)
        priors = np.array([self._prior.log_prior(classes, one) for one in each])[which.ravel()]
        order = np.frombuffer(kept.order(), np.uint32)
        truth = [str(label) if isinstance(label, str) else label for label in labels]
        alone = np.array([left[row, classes.index(label)] <= 0 for row, label in zip(order, truth, strict=True)])
        return loo.Judged(Posterior.of(classes, (scores + priors)[order], np.zeros(len(classes))), tuple(truth), alone)

    def _leave_group_out(self, texts: list[str], labels: list[Label], groups: Any) -> loo.Judged:
        """Unlearn each group, judge its texts, and learn it again."""
        model = self._like(self)
        classes = model.learn(texts, labels).classes
        log_probabilities, alone = np.full((len(texts), len(classes)), -np.inf), np.zeros(len(texts), dtype=bool)
        for rows in loo.together(groups, len(texts)):
            some, truth = [texts[row] for row in rows], [labels[row] for row in rows]
            model.unlearn(some, truth)
            required(bool(model.classes), loo.ONE_GROUP)
            without = model.posterior(some)
            places = [classes.index(label) for label in without.classes]
            log_probabilities[rows[:, None], places] = without.log_probabilities
            alone[rows] = [label not in without.classes for label in truth]
            model.learn(some, truth)
        return loo.Judged(Posterior(classes, log_probabilities, np.zeros(len(texts), dtype=bool)), tuple(labels), alone)

    # Keeping

    def save(self, path: str | PathLike[str], made: Mapping[str, Any] | None = None) -> None:
        """Write the model to a file; `made` says what it was made of."""
        analyzer = self._analyzer
        required(isinstance(analyzer, Analyzer), f"a model with its own analyzer cannot be saved, got {analyzer!r}")
        places = {name: place for place, name in enumerate(self._names)}
        settings = (
            self._settings()
            | {
                "classes": list(self.classes),
                "bags": [(places[name], weight, texts) for name, weight, texts in self._bags],
                "analyzer": asdict(cast(Analyzer, analyzer)),
                "event": _written(self._event),
                "prior": _written(self._prior),
                "max_vocabulary": self.max_vocabulary,
                "pruned": self._pruned,
                "made": dict(self.made if made is None else made),
            }
            | self.about
            | ({} if self.trust is None else {"trust": self.trust.belief()})
        )
        store(path, settings, {name: np.ascontiguousarray(array) for name, array in self._tensors().items()})

    @classmethod
    def of(cls, opened: file.File) -> Self:
        """Return the model that a file holds."""
        metadata = opened.metadata
        new = cls(
            event=cast(CountEvent, events.named(**metadata["event"])),
            prior=_prior(**metadata["prior"]),
            analyzer=Analyzer(**metadata["analyzer"]),
            max_vocabulary=metadata["max_vocabulary"],
        )
        new._held, new._pruned = opened, metadata["pruned"]
        if metadata["kind"] == "table":
            new.about = {"kind": "table", "table": metadata["table"]}
        new._labels = dict(zip(metadata["names"], map(_label, metadata["classes"]), strict=True))
        new.made = dict(metadata["made"])
        sizes = [(int(place), float(weight), int(texts)) for place, weight, texts in metadata["bags"]]
        if not all(0 <= place < len(new._labels) and texts >= 0 for place, _, texts in sizes):
            raise ValueError("bags of no class")
        if "trust" in metadata:
            exponents = np.asarray(opened.tensor("trust.exponents"))
            new.trust = Trust.of(metadata["trust"], new._vocabulary, exponents)
            if new.trust.manner.leaning is not None:
                new.trust = new.trust.leaning_by(new.counts, new._names, np.asarray(opened.tensor("trust.leanings")))
        return new

    def __getstate__(self) -> dict[str, Any]:
        arrays = {name: array.tobytes() for name, array in self._arrays.items()}
        trust = None
        if self.trust is not None:
            trust = self.trust.belief(), self.trust.at(self._vocabulary, self.counts.texts).tobytes(), self._leanings
        believed = self._analyzer, self._event, trust, self.about
        return self.get_params() | {"_state": (self._bags, arrays, self._labels, self._pruned, believed)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        bags, arrays, labels, pruned, (analyzer, event, trust, about) = state.pop("_state")
        type(self).__init__(self, **state)
        numbers = {name: np.frombuffer(array, NUMBERS.get(name, np.uint32)) for name, array in arrays.items()}
        self._held, self._labels, self._pruned = table(bags, numbers), labels, pruned
        self._analyzer, self._event, self.about = analyzer, event, about
        if trust is not None:
            belief, exponents, leanings = trust
            self.trust = Trust.of(belief, self._vocabulary, np.frombuffer(exponents))
            if leanings is not None:
                self.trust = self.trust.leaning_by(self.counts, self._names, leanings)

    # What scikit-learn's pipelines and searches ask for

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change settings; what was learned stays, unless texts are read in another way now."""
        known = self.get_params()
        strange = sorted(params.keys() - known.keys())
        required(not strange, f"no setting is called {', '.join(strange)}", f"there are {', '.join(known)}")
        changed = {name for name, value in params.items() if known[name] is not value and known[name] != value}
        for name, value in params.items():
            setattr(self, name, value)
        before = self._analyzer, self._event, self.trust
        self._settle()
        if changed & {"analyzer", "ngrams", "language", "rules"}:
            self._forget()
            return self
        self._held = self._table
        self._analyzer, event, self.trust = before
        if changed & {"event", "alpha", "unknown"}:
            self.trust = None
        else:
            self._event = event
        self._changed()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self.classes)

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn asks of an estimator: this one reads texts and names classes."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )


def sound(arrays: Mapping[str, Any], bags: int) -> bool:
    """Whether arrays of a file are those of words and of their sums in so many bags, whatever numbers they hold."""
    words = len(arrays["starts"]) - 1
    cells = len(arrays["counts"])
    places = ((arrays["starts"], len(arrays["bytes"])), (arrays["cells"], cells))
    return (
        all(len(ends) == words + 1 and ends[0] == 0 and ends[-1] == last for ends, last in places)
        and all(bool((ends[1:] >= ends[:-1]).all()) for ends, _ in places)
        and len(arrays["bags"]) == len(arrays["texts"]) == cells
        and int(arrays["bags"].max(initial=0)) < max(bags, 1)
    )


def enough(kept: Kept) -> bool:
    """Whether there are texts enough to fit beliefs to."""
    classes = len(kept.labels)
    return 2 <= classes <= MANY and len(kept) >= max(FEW, EACH * classes)


def _never(name: str, word: str) -> str:
    """Say what was never learned: a word of a class, or so many texts of it."""
    return f"no feature {word!r} in class {name!r}" if word else f"not so many texts of class {name!r}"


def _shape(about: Mapping[str, Any]) -> list[Any]:
    """What has to be the same in models of tables that are added up."""
    return [about.get("table", {}).get(what) for what in ("layout", "target", "edges")]


def _analysed(analyzer: Callable[[str], Iterable[str]], texts: Texts) -> Iterator[str]:
    """Texts as the words that a user's own function makes of them, for the rules "tokens"."""
    for _, text, _ in sources.texts(texts):
        yield "\0".join(analyzer(text))


def _written(belief: Any) -> dict[str, Any]:
    """An event or a prior by name, with its settings."""
    name = belief.name.replace(" ", "_") if isinstance(belief, CountEvent) else type(belief).__name__
    settings = {field.name: getattr(belief, field.name) for field in fields(belief)}
    return {"name": name} | settings


def _prior(name: str, **settings: Any) -> Prior:
    kinds = {kind.__name__: kind for kind in Prior.__subclasses__()}
    return kinds[name](**settings)


def _label(written: Any) -> Label:
    """A label as it was: JSON has no tuples."""
    return tuple(map(_label, written)) if isinstance(written, list) else written


def load(path: str | PathLike[str]) -> TextClassifier:
    """Open a saved model; its arrays stay in the file until they are needed."""
    opened = of_texts(file.open(path))
    try:
        return TextClassifier.of(opened)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise opened.damaged(STRANGE) from None
