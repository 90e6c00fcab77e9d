"""How much the evidence of each word is worth: P(c | text) ~ P(c) prod_w (P(w | c)^(t_w) exp(l_wc))^(x_w).

Plain naive Bayes counts twice what two words say together. Here every word has an exponent t_w, shared by all classes,
fitted on the probability of the true classes and pulled towards a common one. P(w | c) stands for what the event says:
the share of a word in the class, the odds of its presence, or one over its share in all other classes. What a word
says of one class may be worth more than what it says of another: where that helps, it also leans by l_wc, pulled
towards 0, to the classes in which two texts have it. While all this is fitted, every text is scored by counts without
it (exact leave-one-out: see rust/rows.rs), so a word is judged by texts it was not learned from.

What an exponent is worth is judged by texts that took no part in it at all: those of a fold, which are left out of
the counts as well. Leaving them out of the loss alone is not enough. The counts by which the other texts are scored
would know their labels, and an exponent is high where two texts agree that share a rare word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from plainbayes._core import Analyser, Kept, Rows, Scoring, Source, labelled_hashes, places
from plainbayes.descent import lowest
from plainbayes.event import required
from plainbayes.numeric import Array, Integers, Mask, log_normalised
from plainbayes.weights import Counts

EVENTS = ("multinomial", "bernoulli", "complement")
QUESTIONS = ("reading", "event", "exponents")
FOLDS = 3
STEPS = 15
CLOSE = 5e-4  # of the loss: a step that gains less is the last
ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01)
SAME = 1e-6  # nats: a smoothing that gains less is no better
ENOUGH = 3000  # texts to judge by
SMALL = 1 << 20  # words of all texts, each counted once in a text, up to which fits take twice the steps
LONG, FEW = 300, 200  # words in a text, each counted once, above which fewer texts are enough to judge by
BOUND = 1e-4  # a pull on the logarithms of common exponents and temperature: where classes part, they would not end
FAR = 20.0  # where a step may lead that goes too far, before it is taken back
MARK = ord("~")
NOWHERE = 0xFFFFFFFF
CELLS = 1 << 26  # words times classes that can have exponents: the rarest words are left out above
LEANINGS = 1 << 18  # the most there are, those of words in most texts of a class


@dataclass(frozen=True)
class Manner:
    """How texts speak before any exponent: values of words, event, smoothing, whether rare words start louder.

    `values` is "count", "presence" or "log"; with `short`, the words of a text, and the n-grams of characters beside
    them, are each scaled to length 1. `rare` starts every exponent at the logarithm of how rare the word is. `strength`
    is the pull towards the common exponent, `leaning` that of leanings towards 0; without it there are none. `event`
    says how a class speaks of a word. Of "bernoulli" it is the log odds of presence: what the absence of all words says
    is the same for every text, and the bias, which is fitted, stands for it.
    """

    values: str = "presence"
    short: bool = True
    rare: bool = False
    alpha: float = 1.0
    strength: float = 3.0
    leaning: float | None = None
    event: str = "multinomial"

    @property
    def once(self) -> bool:
        """Whether a text counts a word once."""
        return self.values != "count" or self.event != "multinomial"


class Tried(NamedTuple):
    """One of the answers to a question that was decided, and the mean log loss of texts left out by it.

    "reading" is what is read; "event" how a class speaks, with a common exponent for all words, and "exponents" the
    same with an exponent for each, which is asked if the multinomial was not the best.
    """

    what: str
    value: str
    loss: float


def values(times: Array, beside: Mask, form: str, short: bool) -> Array:
    """What the words of one text are worth that stand there so many times; with a twin in rust/form.rs."""
    forms = {"count": times, "presence": np.ones_like(times), "log": 1 + np.log(times)}
    worth = forms[form]
    if not short:
        return worth
    lengths = [np.sqrt(np.square(worth[view]).sum()) for view in (~beside, beside)]
    return np.asarray(worth / np.where(beside, lengths[1], lengths[0]))


@dataclass(frozen=True, eq=False)
class Fit:
    """Exponents of the words that take part, perhaps with their leanings behind them, and a bias for each class."""

    exponents: Array
    bias: Array


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold that each text belongs to, by the hashes of texts, which are sorted."""

    hashes: Any
    folds: Integers

    @classmethod
    def dealt(cls, hashes: Any, groups: Sequence[Any]) -> Folds:
        """Deal texts to folds of about the same size, group by group; groups that share a text are one."""
        got = f"one group for each of {len(hashes)} rows was expected, got {len(groups)}"
        required(len(groups) == len(hashes), got)
        texts, text = np.unique(hashes, return_inverse=True)
        numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        group = np.array([numbers[each] for each in groups], dtype=np.int64)
        # The number of a group becomes the lowest of those it shares texts with, until none falls any more.
        own, before = np.arange(len(numbers)), np.zeros(0, dtype=np.int64)
        joined = np.full(len(texts), len(numbers))
        while not np.array_equal(own, before):
            before = own.copy()
            np.minimum.at(joined, text, own[group])
            np.minimum.at(own, group, joined[text])
        apart, sizes = np.unique(joined, return_counts=True)
        fewest = f"texts of {FOLDS} groups at least were expected, got {len(apart)}"
        required(len(apart) >= FOLDS, fewest, "groups that share a text count as one")
        fold, dealt = np.zeros(len(numbers), dtype=np.int64), np.zeros(FOLDS)
        for place in np.argsort(-sizes, kind="stable"):
            fold[apart[place]] = dealt.argmin()
            dealt[dealt.argmin()] += sizes[place]
        return cls(texts, fold[joined])

    @classmethod
    def grouped(cls, source: Source) -> Folds:
        """Deal the texts of a source whose labels are the groups."""
        hashes, groups = labelled_hashes(source)
        return cls.dealt(np.frombuffer(hashes, np.uint64), np.frombuffer(groups, np.uint32).tolist())

    def of(self, kept: Kept) -> Integers:
        """The folds of the rows of texts; one that has no group is on its own."""
        hashes = np.frombuffer(kept.hashes(), np.uint64)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        alone = (hashes % FOLDS).astype(np.int64)
        return np.where(self.hashes[places] == hashes, self.folds[places], alone)


class Sample:
    """Texts that were counted, to be judged as if they had not been; each weighs `unit`.

    Rows of one of `folds` are left out together when fits are judged; without, each third row is in the same.
    `lent` are the counts that they are judged by, if these are more than what was counted.
    """

    def __init__(
        self,
        kept: Kept,
        analyser: Analyser,
        words: Sequence[Any],
        counts: Counts,
        names: Sequence[str],
        unit: float = 1.0,
        folds: Folds | None = None,
        lent: Counts | None = None,
    ) -> None:
        texts, starts = words[:2]
        self.words, self.counts, self.classes = tuple(words), counts, len(names)
        self.lent = counts if lent is None else lent
        self.total, self.unit = counts.texts, unit
        characters = texts[starts[:-1]] == MARK if counts.words else np.zeros(0, dtype=bool)
        shared = np.flatnonzero(self.total > unit)
        order = shared[np.argsort(-self.total[shared], kind="stable")][: CELLS // self.classes]
        numbers = np.full(counts.words, NOWHERE, dtype=np.uint32)
        numbers[order] = np.arange(len(order), dtype=np.uint32)
        places = {name: place for place, name in enumerate(names)}
        labels = [places.get(label, 0) for label in kept.labels]  # one that is missing has no text left
        self.rows = Rows(kept, analyser, self.words, numbers, self.total, (labels, self.classes))
        self.order, self.numbers, self.characters = order, numbers, characters[order]
        self.grouped = folds is not None
        self.folds = np.arange(len(self.rows)) % FOLDS if folds is None else folds.of(kept)
        self.rows.deal(self.folds.astype(np.uint8))
        # One text of a class is not enough for a leaning: without the text there would be none.
        self.lean(np.flatnonzero(counts.present > unit))
        row, place, weight = self.rows.parts()
        self.row, self.truth = (np.frombuffer(each, np.uint32).astype(np.int64) for each in (row, place))
        self.weight = np.frombuffer(weight, np.float32).astype(np.float64)
        self.crossed = np.zeros((0, self.classes))  # calibrated scores by exponents fitted without them
        self._counted: bool | None = None
        self._scorings: dict[tuple[Any, ...], Scoring] = {}

    def lean(self, cells: Integers) -> None:
        """Let words lean in some cells of the counts."""
        cells = cells[self.numbers[self.counts.word[cells]] != NOWHERE]
        cells = cells[np.argsort(-self.counts.present[cells], kind="stable")][:LEANINGS]
        numbers = self.numbers[self.counts.word[cells]]
        by_word = np.argsort(numbers, kind="stable")
        self.cells, starts = cells[by_word], np.searchsorted(numbers[by_word], np.arange(len(self.order) + 1))
        self.rows.lean(starts.astype(np.uint32), self.counts.classes[self.cells].astype(np.uint32))
        self._scorings = {}

    def judge_by(self, row: Integers, truth: Integers) -> None:
        """Judge by the true class of each of these rows, whatever other classes they were counted for."""
        self.row, self.truth, self.weight = row, truth, np.ones(len(row))

    @property
    def entries(self) -> int:
        """How many words all texts have that others have too, each counted once in a text."""
        return int(self.total[self.order].sum() / self.unit)

    @property
    def long(self) -> bool:
        """Whether texts are long."""
        return self.entries > LONG * len(self.rows)

    @property
    def views(self) -> list[Mask]:
        """Which words are n-grams of characters, and which are not; one view if there are none."""
        return [~self.characters, self.characters] if self.characters.any() else [~self.characters]

    def scoring(self, manner: Manner, fold: int | None = None, inside: bool = False) -> Scoring:
        """Counts without each text, and without a fold; those of the manner that was asked for last are kept.

        With `inside`, to score the texts of the fold itself.
        """
        manner = replace(manner, rare=False, strength=0.0, leaning=None)
        if (manner, fold, inside) not in self._scorings:
            self._scorings = {key: one for key, one in self._scorings.items() if key[0] == manner}
            self._scorings[manner, fold, inside] = self._scoring(manner, None if fold is None else (fold, inside))
        return self._scorings[manner, fold, inside]

    def crossed_by(self, manner: Manner, fold: int) -> Scoring:
        """What the texts of a fold are judged by: all counts but their own or, with groups, but those of the fold."""
        return self.scoring(manner, fold, inside=True) if self.grouped else self.scoring(manner)

    def _scoring(self, manner: Manner, fold: tuple[int, bool] | None) -> Scoring:
        once = manner.once
        counts = self.lent
        cells = counts.present if once else counts.count
        if self._counted is not once:
            some = (self.numbers[counts.word], counts.classes.astype(np.uint32), cells)
            self.rows.counted(self.total[self.order].astype(np.float32), some)
            self._counted = once
        sums = counts.documents
        if manner.event != "bernoulli":
            sums = np.bincount(counts.classes, cells, minlength=self.classes).astype(np.float64)
        event = manner.event, once, manner.alpha
        return self.rows.scoring((manner.values, manner.short), event, (sums.tolist(), float(self.counts.words)), fold)

    def scores(self, by: Scoring, fit: Fit) -> Array:
        """Scores (texts, classes)."""
        scores = self.rows.scores(by, fit.exponents.astype(np.float32), fit.bias.astype(np.float32))
        return np.frombuffer(scores, np.float32).reshape(-1, self.classes).astype(np.float64)

    def surprise(self, scores: Array) -> Array:
        """-log P(truth) of each pair of a text and a label it has."""
        return -log_normalised(scores)[self.row, self.truth]

    def rarity(self, manner: Manner) -> Array:
        """Where exponents start, but for what is common to all: at 1, or at how rare each word is, 1 on average."""
        if not manner.rare:
            return np.ones(len(self.order))
        return np.asarray(self._rare / self.loudness)

    @cached_property
    def _rare(self) -> Array:
        return np.asarray(np.log((self.counts.documents.sum() + 1) / self.total[self.order]))

    @property
    def loudness(self) -> float:
        """How rare words are on average."""
        return float(self._rare.mean()) if len(self._rare) else 1.0


@dataclass(frozen=True, eq=False)
class Start:
    """What exponents are pulled to: one common exponent for each view, times how rare a word is; and a bias."""

    common: tuple[float, ...]
    exponents: Array
    bias: Array
    loss: float


def start(sample: Sample, manner: Manner) -> Start:
    """Find the common exponents and the bias by which the texts, each left out, are least surprising."""
    by, rarity, views = sample.scoring(manner), sample.rarity(manner), sample.views
    zero = np.zeros(sample.classes)
    scores = [sample.scores(by, Fit(np.where(view, rarity, 0.0), zero)) for view in views]
    truth = np.zeros_like(scores[0])
    np.add.at(truth, (sample.row, sample.truth), sample.weight)
    whole = truth.sum(axis=1, keepdims=True)
    all_weight = float(whole.sum())

    def height(x: Array) -> tuple[float, Array]:
        common, bias = np.exp(np.minimum(x[: len(views)], FAR)), x[len(views) :]
        log_p = log_normalised(sum(each * one for each, one in zip(common, scores, strict=True)) + bias)
        off = np.exp(log_p) * whole - truth
        slopes = [each * np.einsum("ij,ij", off, one) for each, one in zip(common, scores, strict=True)]
        slope = np.concatenate([slopes, off.sum(axis=0)]) / all_weight
        slope[: len(views)] += 2 * BOUND * x[: len(views)]
        loss = -float(np.einsum("ij,ij", truth, log_p)) / all_weight
        return loss + BOUND * float(x[: len(views)] @ x[: len(views)]), slope

    found = lowest(height, np.concatenate([np.full(len(views), -1.0), zero]), 2 * STEPS)
    common = np.exp(found[: len(views)])
    exponents = sum(np.where(view, each * rarity, 0.0) for each, view in zip(common, views, strict=True))
    return Start(tuple(common.tolist()), np.asarray(exponents), found[len(views) :], height(found)[0])


def fitted(
    sample: Sample,
    manner: Manner,
    origin: Start,
    fold: int | None = None,
    steps: int = STEPS,
    near: Fit | None = None,
) -> Fit:
    """Fit exponents and bias to the texts, or to those outside a fold, as if it were not there; begin `near` by."""
    by, size = sample.scoring(manner, fold), len(sample.order)
    # A view that says little as a whole may have words that say much.
    spread = np.maximum(origin.common, max(origin.common) / 4)
    common = np.select(sample.views, list(spread))
    pull = 0.2 * manner.strength * sample.unit / common**2
    beginning = origin.exponents
    if manner.leaning is not None:
        size += len(sample.cells)
        pull = np.append(pull, np.full(len(sample.cells), manner.leaning * sample.unit))
        beginning = np.append(beginning, np.zeros(len(sample.cells)))
    # In single precision steps take half the time; the loss itself is added up in double.
    single: tuple[Any, ...] = tuple(each.astype(np.float32) for each in (pull, beginning, origin.bias))
    pull, beginning, origin_bias = single

    # Steps are measured in what they would cost: a word that stands everywhere moves little.
    curvature = np.frombuffer(sample.rows.curvature(by, beginning, origin_bias), np.float32)
    each_class = np.full(sample.classes, sample.unit * sample.weight.sum() / sample.classes, dtype=np.float32)
    unit = 1 / np.sqrt(np.concatenate([curvature + pull, each_class]))

    def height(x: Array) -> tuple[float, Array]:
        moved = x * unit
        off, bias = moved[:size], origin_bias + moved[size:]
        loss, each, classes = sample.rows.slope(by, beginning + off, bias)
        pulled = pull * off
        slope = np.append(np.frombuffer(each, np.float32) + pulled, np.array(classes, dtype=np.float32))
        slope *= unit
        pulled *= off
        return loss + 0.5 * float(pulled.sum(dtype=np.float64)), slope

    begin = np.zeros(size + sample.classes, dtype=np.float32)
    if near is not None:
        begin[: len(near.exponents)] = near.exponents - beginning[: len(near.exponents)]
        begin[size:] = near.bias - origin.bias
        begin /= unit
    # Of few short texts the log loss still fell when it was nearly flat (sms_spam 0.0393 to 0.0358).
    fine = not sample.long and sample.entries <= SMALL
    moved = (lowest(height, begin, 2 * steps) if fine else lowest(height, begin, steps, CLOSE)) * unit
    return Fit((beginning + moved[:size]).astype(np.float64), (origin_bias + moved[size:]).astype(np.float64))


def cross_fitted(
    sample: Sample,
    manner: Manner,
    origin: Start,
    enough: int = ENOUGH,
    steps: int = STEPS,
    near: Sequence[Fit | None] = (None,) * FOLDS,
) -> tuple[Array, list[Fit]]:
    """Scores of texts by exponents that were fitted without them and their fold, and by counts without them.

    With groups, by counts without their fold: others of their group must not speak for them. Also these fits, which
    begin `near` others of the same folds. NaN where a text's fold was not fitted: as soon as there are `enough` texts,
    the other folds are left.
    """
    scores = np.full((len(sample.rows), sample.classes), np.nan)
    folds = min(FOLDS, -(-FOLDS * (FEW if sample.long else enough) // len(sample.rows)))
    fits = [fitted(sample, manner, origin, fold, steps, near[fold]) for fold in range(folds)]
    for fold, fit in enumerate(fits):
        own = sample.folds == fold
        scores[own] = sample.scores(sample.crossed_by(manner, fold), fit)[own]
    return scores, fits


@dataclass(frozen=True)
class Estimate:
    """What cross-fitted texts say of texts to come: means with the half width of their 95% intervals."""

    texts: int
    accuracy: float
    accuracy_error: float
    log_loss: float
    log_loss_error: float


def estimate(sample: Sample, scores: Array, shift: Array | float = 0.0) -> Estimate:
    """Measure cross-fitted scores, of texts whose classes are so much likelier than in the sample (in nats)."""
    there = ~np.isnan(scores[:, 0])
    some = there[sample.row]
    scores = scores + shift
    right = np.argmax(np.where(there[:, None], scores, 0.0), axis=1)[sample.row] == sample.truth
    weight = (sample.weight * np.exp(np.broadcast_to(shift, sample.classes))[sample.truth])[some]
    figures = []
    for each in (right[some].astype(np.float64), sample.surprise(scores)[some]):
        mean = float(np.average(each, weights=weight))
        # The error of a mean of texts that do not weigh the same.
        error = float(np.sqrt(np.square(weight * (each - mean)).sum()) / weight.sum())
        figures += [mean, 1.96 * error]
    return Estimate(int(some.sum()), *figures)


def calibration(sample: Sample, scores: Array) -> tuple[float, Array]:
    """Find the temperature and the bias by which cross-fitted scores are least surprising: scores * t + b.

    The bias is pulled to 0 as if by one more text of each class. And as if one more text were of any class, whatever is
    said of it: that so many texts were all right does not mean that none will ever be wrong.
    """
    there = ~np.isnan(scores[:, 0])
    some = there[sample.row]
    row, truth = np.flatnonzero(some), sample.truth[some]
    scores, weight = scores[sample.row[row]], sample.weight[row]
    whole, at = float(weight.sum()), np.arange(len(row))
    wrong = 1 / (whole + 1)
    truths = np.full(scores.shape, wrong / sample.classes)
    truths[at, truth] += 1 - wrong
    truths *= weight[:, None]

    def height(x: Array) -> tuple[float, Array]:
        temperature, bias = np.exp(min(x[0], FAR)), x[1:]
        log_p = log_normalised(temperature * scores + bias)
        off = np.exp(log_p) * weight[:, None] - truths
        slope = np.concatenate([[temperature * np.einsum("ij,ij", off, scores)], off.sum(axis=0) + bias]) / whole
        slope[0] += 2 * BOUND * x[0]
        loss = 0.5 * float(bias @ bias) - float(np.einsum("ij,ij", truths, log_p))
        return loss / whole + BOUND * float(x[0] ** 2), slope

    found = lowest(height, np.zeros(1 + sample.classes), STEPS)
    return float(np.exp(found[0])), found[1:]


@dataclass(frozen=True, eq=False)
class Trust:
    """Exponents and leanings of all words of a vocabulary and a bias for each class, as fitted to so many texts.

    `share` is the part of all texts that was looked at. `common` are the exponents of words and of n-grams of
    characters that have none of their own, times, if the manner is `rare`, how rare they are:
    log(documents / texts with the word) / `loudness`. `cells` are the words and classes of the counts, with one leaning
    for each, if words lean, and `names` what these classes are called. `tried` is what all this was chosen from.
    """

    manner: Manner
    common: tuple[float, ...]
    loudness: float
    documents: float
    bias: Mapping[str, float]
    words: tuple[Any, ...]
    exponents: Array
    estimate: Estimate
    share: float = 1.0
    cells: tuple[Any, Any] = ((), ())
    names: tuple[str, ...] = ()
    leanings: Array | None = None
    tried: tuple[Tried, ...] = ()

    def at(self, words: tuple[Any, ...], total: Array) -> Array:
        """The exponents of the words of another vocabulary, which stand in so many texts."""
        if words[0] is self.words[0]:
            return self.exponents
        exponents = _untold(self, words, total)
        there = np.frombuffer(places(words[:2], self.words), np.uint32)
        known = there < len(self.exponents)
        exponents[known] = self.exponents[there[known]]
        return exponents

    def leaning(self, words: tuple[Any, ...], counts: Counts, names: Sequence[str]) -> Array | None:
        """The leanings of the words of another vocabulary, in the cells of its counts; None if words do not lean."""
        if self.leanings is None or words[0] is self.words[0]:
            return self.leanings
        there = np.frombuffer(places(words[:2], self.words), np.uint32).astype(np.int64)
        own = {name: place for place, name in enumerate(self.names)}
        classes = np.array([own.get(name, len(own)) for name in names])
        each = self.cells, (there[counts.word], classes[counts.classes])
        mine, others = (word * (len(own) + 1) + place for word, place in each)
        at = np.searchsorted(mine, others)
        found = np.append(mine, -1)[at] == others
        return np.where(found, np.append(self.leanings, 0.0)[at], 0.0)

    def belief(self) -> dict[str, Any]:
        """All but words, exponents and leanings, as JSON has it."""
        return {
            "manner": vars(self.manner),
            "common": list(self.common),
            "loudness": self.loudness,
            "documents": self.documents,
            "bias": dict(self.bias),
            "estimate": vars(self.estimate),
            "share": self.share,
            "tried": [list(one) for one in self.tried],
        }

    @classmethod
    def of(cls, belief: Mapping[str, Any], words: tuple[Any, ...], exponents: Array) -> Trust:
        """Read a belief again."""
        return cls(
            Manner(**belief["manner"]),
            tuple(belief["common"]),
            belief["loudness"],
            belief["documents"],
            belief["bias"],
            words,
            exponents,
            Estimate(**belief["estimate"]),
            belief["share"],
            tried=tuple(Tried(*one) for one in belief.get("tried", ())),
        )

    def leaning_by(self, counts: Counts, names: Sequence[str], leanings: Array) -> Trust:
        """The same with leanings in the cells of the counts of classes with these names."""
        return replace(self, cells=(counts.word, counts.classes), names=tuple(names), leanings=leanings)


def _untold(trust: Trust, words: Sequence[Any], total: Array) -> Array:
    """The exponents of words that nothing was fitted to."""
    texts, starts = words[:2]
    characters = texts[starts[:-1]] == MARK if len(total) else np.zeros(0, dtype=bool)
    exponents = np.where(characters, trust.common[-1], trust.common[0])
    if trust.manner.rare:
        exponents = exponents * np.log((trust.documents + 1) / np.maximum(total, 1)) / trust.loudness
    return np.asarray(exponents, dtype=np.float64)


def smoothed(sample: Sample, manner: Manner, first: float = ALPHAS[0]) -> tuple[Manner, Start]:
    """Choose the smoothing by which the texts, each left out, are least surprising, searched from `first` on."""

    def tried(alpha: float) -> tuple[Manner, Start]:
        candidate = replace(manner, alpha=alpha * sample.unit)
        return candidate, start(sample, candidate)

    best, place = tried(first), ALPHAS.index(first)
    for others in (ALPHAS[place + 1 :], ALPHAS[:place][::-1]):
        before = best
        for alpha in others:
            found = tried(alpha)
            if found[1].loss >= best[1].loss - SAME:
                break
            best = found
        if best is not before:
            break
    return best


def trusted(
    sample: Sample,
    manner: Manner,
    origin: Start,
    names: Sequence[str],
    log_prior: Array,
    share: float,
    shift: Array | float = 0.0,
) -> Trust:
    """Fit exponents to all texts of a sample, calibrated and estimated on cross-fitted scores.

    The estimate is for texts whose classes are likelier by `shift` than those of the sample, if another prior is given.
    """
    scores, fits = cross_fitted(sample, manner, origin)
    temperature, bias = calibration(sample, scores)
    sample.crossed = temperature * scores + bias
    # Texts outside a fold say nearly what all say: from there it takes 10 to 30% fewer steps.
    fit = fitted(sample, manner, origin, steps=STEPS // 2, near=fits[-1])
    whole = temperature * fit.bias + bias - log_prior
    trust = Trust(
        manner,
        tuple(temperature * each for each in origin.common),
        sample.loudness,
        float(sample.counts.documents.sum()),
        dict(zip(names, (whole - whole.mean()).tolist(), strict=True)),
        sample.words,
        np.zeros(0),
        estimate(sample, sample.crossed, shift),
        share,
    )
    exponents = _untold(trust, sample.words, sample.total)
    exponents[sample.order] = temperature * fit.exponents[: len(sample.order)]
    trust = replace(trust, exponents=exponents)
    if manner.leaning is None:
        return trust
    leanings = np.zeros(len(sample.counts.word))
    leanings[sample.cells] = temperature * fit.exponents[len(sample.order) :]
    return trust.leaning_by(sample.counts, names, leanings)
