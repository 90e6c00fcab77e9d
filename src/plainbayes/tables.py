"""Tables: a row is a text whose words are its cells, and pairs of cells its phrases.

So a table is learned, unlearned, merged, weighed, calibrated, kept and explained as texts are. A number as the target
is cut into cells; a row counts for those around its own, and the posterior over the cells is a density.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, Self, cast
from zlib import crc32

import numpy as np

from plainbayes import choice, documents, keeping, lending, observations, reading, sources, trust
from plainbayes._core import Kept, Source
from plainbayes.addends import addends
from plainbayes.columns import (
    FINE,
    NUMBERS,
    UNUSED,
    Cells,
    Column,
    Layout,
    checked,
    evenly,
    is_date,
    look,
    pairs_of,
    read,
)
from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError, NotLearnedError, listed
from plainbayes.event import required
from plainbayes.events.histogram import Histogram
from plainbayes.evidence import Label
from plainbayes.explain import Explanation
from plainbayes.judge import STRANGE
from plainbayes.losses import Loss, Squared, ZeroOne
from plainbayes.model import Model, chosen
from plainbayes.numeric import Array, Integers, log_normalised, normal_cdf
from plainbayes.plain import EVERY_WORD
from plainbayes.posterior import Posterior
from plainbayes.priors import Prior
from plainbayes.regression import Density
from plainbayes.storage import file
from plainbayes.trust import Manner

if TYPE_CHECKING:
    from os import PathLike

Effort = Literal["plain", "quick", "best"]

RANGES = {"plain": (16,), "quick": (8, 16, 32), "best": (4, 6, 8, 12, 16, 24, 32, 64)}
TRIED = {"quick": 6000, "best": 20000}  # rows that candidates are judged by
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 1000.0)
LEANINGS = (30.0, 10.0, 3.0, 1.0, 0.3)
ENTRIES = 1_500_000  # pairs of cells in all rows: more would take long
WIDE = 60  # columns of which pairs are tried: those that say most by themselves
BELIEVED = 2.0  # how many rows the shares of the classes count for in a cell of a pair
CELLS = 30  # of a number as the target
UNIT = 16  # a row counts in sixteenths for the cells around its number
WIDTH = 0.7  # how far, in cells
LENT = (100.0, 10_000.0, 1e6)  # rows that events may lend to ranges: some, or so many that they alone speak
FEW, EACH = 4, 8  # ranges at least, and rows in each, where events alone speak
LEFT_OUT = 300  # numbers that judge events
NOTES = {
    "identifier": "names its row, left out",
    "constant": "always the same, left out",
    "text": "read word by word",
}
COPY = "a copy of the target? left out"
PLAIN = Manner("presence", short=False, strength=1.0)
LEVELS = np.linspace(0, 1, 41)
SURE = 200  # rows that have to be seen before quantiles are moved
EVEN = 0.02  # how much of each level stays what it is, so that none falls upon the next


@dataclass(frozen=True)
class Finding:
    """How well a column tells the target by itself, in nats a row: 0 is nothing; `event` if it was looked for."""

    name: str
    kind: str
    nats: float
    note: str = ""
    event: Shape | None = None


@dataclass(frozen=True)
class Shape:
    """The event under which numbers, each left out, are likeliest; what it tells of the target, and what ranges do."""

    name: str
    nats: float
    ranges: float

    def __str__(self) -> str:
        which = "more" if self.ranges >= self.nats else "less"
        return f"{self.name}, which would tell {self.nats:.3f}; ranges tell {which}, {self.ranges:.3f}"


@dataclass(frozen=True, eq=False)
class Candidate:
    """A way to cut a table, a way to believe it, and how surprising the truth was under both."""

    layout: Layout
    manner: Manner
    sample: trust.Sample
    origin: trust.Start
    loss: float


class _Table(ABC):
    """What tables have in common, whatever their target is: columns, and rows written as texts."""

    def __init__(
        self, kinds: Mapping[str, str] | None = None, prior: Prior | None = None, effort: Effort = "quick"
    ) -> None:
        self.kinds, self.prior, self.effort = kinds, prior, effort
        required(effort in RANGES, f"effort should be one of {listed(RANGES)}, got {effort!r}")
        self.layout = Layout(())
        self.target: str | None = None
        self.findings: tuple[Finding, ...] = ()
        self.rows = TextClassifier(analyzer=self.layout.analyzer, prior=prior, effort="plain")
        self.said: list[str] = []  # what was odd about the columns read last

    # What a number or a label as the target does differently

    def _settle(self, y: Any) -> None:  # noqa: B027 - of labels nothing
        """Settle what has to be known of the target before rows are counted."""

    @abstractmethod
    def _source(self, texts: list[str], y: Any, weight: Any = None) -> Source:
        """Rows with their labels, and what they weigh."""

    @abstractmethod
    def _truth(self, y: Any) -> Integers:
        """The class of each row, as a number."""

    def _own(self, kept: Kept, y: Any) -> tuple[Integers, Integers] | None:
        """The rows that were kept and the one class of each, where they count for others too."""
        return None

    def _judged(self, sample: trust.Sample, y: Any) -> None:  # noqa: B027 - of labels nothing
        """Look at rows that took no part in what judged them."""

    def _known(self, columns: Mapping[str, Cells], y: Any) -> dict[str, str]:
        """Columns that are known only when the target is, by name, and why."""
        return {}

    def _about(self) -> dict[str, Any]:
        return {"layout": self.layout.as_dict(), "target": self.target}

    unit = 1.0

    # Learning

    def fit(self, data: Any, y: Any, weight: Any = None, told: Callable[[str], None] = lambda _: None) -> Self:
        """Forget everything, look at the columns, learn the rows; y is a column of the data or one value per row."""
        fresh = type(self)(**self.get_params())
        fresh.fit_to(*self.parted(data, y), weight, told)
        self.__dict__.update(fresh.__dict__)
        return self

    def fit_to(
        self,
        columns: Mapping[str, Any],
        target: str | None,
        y: Any,
        weight: Any = None,
        told: Callable[[str], None] = lambda _: None,
        elsewhere: Callable[[Self], documents.Corpus] | None = None,
    ) -> None:
        """Learn columns and the values of a target; with `elsewhere`, they are some of the rows that are counted."""
        rows = len(y)
        required(rows > 0, "rows were expected, got none")
        told("looking at columns")
        dates = {name for name, cells in columns.items() if is_date(cells)}
        table = {name: read(cells, name) for name, cells in columns.items()}
        lengths = {len(cells) for cells in table.values()} | {rows}
        required(len(lengths) == 1, f"columns of one length were expected, got lengths {listed(sorted(lengths))}")
        self._settle(y)
        truth, layout = self._truth(y), look(table, dates, self.kinds)
        free = [column.name for column in layout.columns if column.kind not in UNUSED]
        free = [name for name in free if rows >= documents.FEW and name not in (self.kinds or ())]
        known = self._known({name: table[name] for name in free if name not in dates}, y)
        layout, self.findings = _findings(layout, table, truth, set(free), known)
        manner = PLAIN
        few = rows < documents.FEW or self.effort == "plain"
        layout = layout.cut(table, RANGES["plain"][0])
        if not few:
            layout, manner = self._chosen(layout, table, y, truth, told)
        told("counting")
        self.layout, self.target = layout, target
        self.rows = TextClassifier(analyzer=layout.analyzer, prior=self.prior, effort="plain")
        texts = layout.texts(table)
        corpus = documents.Here(self._source(texts if few else _apart(texts, y), y, weight))
        if not few:
            corpus.look(EVERY_WORD)
        self.rows.learn_all(corpus if elsewhere is None else elsewhere(self))
        self.rows.about = {"kind": "table", "table": self._about()}
        if not few and documents.enough(corpus.kept):
            told("weighing cells")
            own = self._own(corpus.kept, y)
            self._judged(self.rows.believe(corpus.kept, manner, self.unit, own), y)
            self.rows.about["table"] = self._about()

    def _chosen(
        self,
        layout: Layout,
        table: Mapping[str, Cells],
        y: Any,
        truth: Integers,
        told: Callable[[str], None],
    ) -> tuple[Layout, Manner]:
        """Choose how fine numbers are cut, which pairs of columns speak, and how much they are believed."""
        most = TRIED[self.effort]
        some = np.arange(len(truth))
        if len(truth) > most:
            # By what stands in them: the same ones in whatever order they come.
            whole = ["\0".join(map(str, row)) for row in zip(*table.values(), strict=True)]
            hashes = [crc32(text.encode()) for text in _apart(whole, y)]
            some = np.sort(np.argsort(hashes, kind="stable")[:most])
        tried = {name: cells[some] for name, cells in table.items()}
        values = np.asarray(y)[some]

        def tried_out(cut: Layout) -> Candidate | None:
            kept, _ = Kept.start(self._source(_apart(cut.texts(tried), values), values), EVERY_WORD)
            if not documents.enough(kept):
                return None
            sample = reading.sample_of(kept, cut.analyzer, self.unit, lent=partial(lending.lent, cut))
            if (own := self._own(kept, values)) is not None:
                sample.judge_by(*own)
            manner, origin = trust.smoothed(sample, PLAIN)
            loss = min(origin.loss, _loss(sample, manner, origin))  # of few rows, one exponent for all may be best
            return Candidate(cut, manner, sample, origin, loss)

        ranged = any(column.ranged for column in layout.columns)
        candidates, helping = [], {}
        for ranges in RANGES[self.effort] if ranged else RANGES["plain"]:
            told(f"cutting numbers into {ranges} ranges" if ranged else "looking at pairs of columns")
            cut = layout.cut(table, ranges).coarser(table)
            every, some_pairs = _pairs(cut, tried, truth[some], len(truth))
            cut = cut.paired(every)
            helping[cut] = tuple(some_pairs)
            candidates.append(tried_out(cut))
        known = [candidate for candidate in candidates if candidate is not None]
        if not known:
            return layout, PLAIN
        best = min(known, key=lambda candidate: candidate.loss)
        told("looking at pairs of columns")
        for pairs in {helping[best.layout], ()} - {best.layout.pairs}:
            fewer = tried_out(best.layout.paired(pairs))
            best = fewer if fewer is not None and fewer.loss < best.loss else best
        told("looking for events")
        fine = layout.cut(table, min(FINE, max(FEW, len(truth) // EACH))).alone()
        for base, lent in ((best.layout, LENT), (fine, LENT[-1:])) if ranged else ():
            suited = lending.suited(base, table, truth)
            for rows in lent:
                found = tried_out(replace(suited, lent=rows, unit=self.unit))
                if found is None or found.loss >= best.loss:
                    break
                best = found
        cut, manner, sample, origin = best.layout, best.manner, best.sample, best.origin

        @cache
        def judged(strength: float, leaning: float | None = None) -> tuple[Manner, float]:
            candidate = replace(manner, strength=strength, leaning=leaning)
            return candidate, _loss(sample, candidate, origin)

        told("weighing cells")
        pulled = min(reading.strengths(judged, 1.0, STRENGTHS), key=lambda each: each[1])
        leaning = reading.leanings(partial(judged, pulled[0].strength), pulled[1], LEANINGS)
        return cut, [pulled, *leaning][-1][0]

    def suited(self, data: Any, y: Any) -> tuple[Finding, ...]:
        """Return what was found in the columns, with the event that suits the numbers of each best."""
        columns, _, values = self.parted(data, y)
        truth = self._truth(values)
        numbers = {column.name: column for column in self.layout.columns if column.kind in NUMBERS}
        return tuple(
            replace(finding, event=_shape(read(columns[finding.name], finding.name), truth, numbers[finding.name]))
            if finding.name in numbers
            else finding
            for finding in self.findings
        )

    def refit(self, data: Any, y: Any) -> Self:
        """Fit anew how much each cell is trusted, to rows that have been learned; the counts stay as they are."""
        columns, _, values = self.parted(data, y)
        kept, _ = Kept.start(self._source(_apart(self._texts(columns), values), values), EVERY_WORD)
        if documents.enough(kept):
            manner = PLAIN if self.trust is None else self.trust.manner
            self._judged(self.rows.believe(kept, manner, self.unit, self._own(kept, values)), values)
            self.rows.about["table"] = self._about()
        return self

    def fresh(self) -> Self:
        """Return a model that reads the same columns in the same way, and has learned nothing."""
        new = type(self)(**self.get_params())
        new.__dict__.update(self.__dict__)
        new.rows = TextClassifier(analyzer=self.layout.analyzer, prior=self.prior, effort="plain")
        new.rows.about = self.rows.about
        return new

    def learn(self, data: Any, y: Any, weight: Any = None) -> Self:
        """Learn rows; columns are read as before."""
        if not self.layout.columns:
            return self.fit(data, y, weight)
        self.rows.learn_from(self.labelled(data, y, weight))
        return self

    def unlearn(self, data: Any, y: Any, weight: Any = None) -> Self:
        """Unlearn rows that were learned, exactly."""
        self.rows.unlearn_from(self.labelled(data, y, weight))
        return self

    def __add__(self, other: Self) -> Self:
        required(isinstance(other, type(self)), f"a {type(self).__name__} was expected, got {other!r:.60}")
        new = self.fresh()
        new.rows = self.rows + other.rows
        return new

    def labelled(self, data: Any, y: Any, weight: Any = None) -> Source:
        """Return rows with labels as texts on their way into the model."""
        columns, _, values = self.parted(data, y)
        return self._source(self._texts(columns), values, weight)

    def unlabelled(self, data: Any) -> Source:
        """Return rows as texts to be judged."""
        columns = _columns(data)
        texts = self._texts(columns)
        self.said += self._strangers(columns)
        return sources.texts(texts)

    def _strangers(self, columns: Mapping[str, Any]) -> Iterator[str]:
        """Say which categories were never learned."""
        for column in self.layout.used:
            if column.kind == "category":
                words, codes = column.codes(read(columns[column.name], column.name, column.textual))
                places = np.array([*self.rows.judge.find(words), 0])
                strange = places == len(self.rows.vocabulary)
                if many := int(strange[codes].sum()):
                    word = next(word for word, odd in zip(words, strange, strict=False) if odd and word)
                    yield f"{many} cells of column {column.name!r} never seen before, as {word!r}: no evidence"

    def texts(self, data: Any) -> list[str]:
        """Return every row as a text of its cells, as `rows` reads them."""
        return self._texts(_columns(data))

    def parted(self, data: Any, y: Any) -> tuple[dict[str, Any], str | None, Any]:
        """Return the columns, the name of the target, and its values."""
        columns = _columns(data)
        target = y if isinstance(y, str) else None
        if target is None:
            return columns, self.target, np.asarray(y) if hasattr(y, "dtype") else _array(y)
        required(target in columns, f"no column is called {target!r}", f"there are {listed(columns, 20)}")
        values = columns.pop(target)
        gone = [row for row, value in enumerate(values.tolist()) if value is None or value != value]
        required(not gone, f"a label was expected, got none in row {''.join(map(str, gone[:1]))}, column {target!r}")
        return columns, target, values

    def _texts(self, columns: Mapping[str, Any]) -> list[str]:
        if not self.layout.columns:
            raise NotLearnedError("the model has learned nothing yet", "fit(data, y) comes first")
        texts = self.layout.textual
        table = {name: read(cells, name, name in texts) for name, cells in columns.items() if name != self.target}
        table, self.said = checked(table, self.layout)
        return self.layout.texts(table)

    # Answers

    def explain(self, row: Any, against: Label | None = None) -> Explanation:
        """Say, cell by cell, why the most probable class is."""
        single = isinstance(row, Mapping) and not any(
            hasattr(cell, "__len__") and not isinstance(cell, str) for cell in row.values()
        )
        data = [row] if single else row
        texts = self.texts(data)
        required(len(texts) == 1, f"explain takes one row, got {len(texts)}")
        return self.rows.explain(texts[0], against)

    @property
    def trust(self) -> trust.Trust | None:
        """How much each cell's evidence is worth, and what rows that took no part say of that; None: all the same."""
        return self.rows.trust

    # Keeping

    def save(self, path: str | PathLike[str], made: Mapping[str, Any] | None = None) -> None:
        """Write the model to a file; `made` says what it was made of."""
        self.rows.save(path, made)

    @classmethod
    def of(cls, rows: TextClassifier) -> Self:
        """Return the model whose rows were kept as texts."""
        about = rows.about["table"]
        new = cls(prior=rows.prior)
        new.rows, new.layout, new.target = rows, Layout.of(about["layout"]), about["target"]
        return new

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name."""
        return {"kinds": self.kinds, "prior": self.prior, "effort": self.effort}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.layout.used)} columns, {len(self.layout.pairs)} pairs)"

    def _repr_html_(self) -> str:
        from plainbayes.report.card import card

        kinds = [(column.name, column.kind) for column in self.layout.columns if column.part is None]
        known = [("target", self.target)] if self.target is not None else []
        facts = [*known, ("rows learned", f"{self.rows.learned / self.unit:,.0f}"), *self._promised()]
        return card(type(self).__name__, facts, "what columns hold", ("column", "kind"), kinds)

    def _promised(self) -> Sequence[tuple[str, str]]:
        """What to expect of rows to come."""
        from plainbayes.report.card import right

        return right(self.trust)


class TableClassifier(_Table):
    """Naive Bayes for tables of any columns: categories, numbers, dates, texts, with cells missing.

    Parameters
    ----------
    kinds
        What columns hold, where that is not found by looking: {"zip": "category"}; "identifier" leaves one out.
    prior
        Empirical(), Smoothed(), Uniform() or Given({...}).
    effort
        How long `fit` may search: "quick" or "best"; "plain" just counts cells.

    Examples
    --------
    >>> rows = [{"sex": "f", "age": 30 + k} for k in range(9)] + [{"sex": "m", "age": 20 + k} for k in range(9)]
    >>> model = TableClassifier().fit(rows, ["yes"] * 9 + ["no"] * 9)
    >>> model.predict([{"sex": "f", "age": 33}, {"sex": "m", "age": None}])
    ['yes', 'no']
    """

    def _source(self, texts: list[str], y: Any, weight: Any = None) -> Source:
        return sources.texts(texts, y, weight)

    def _truth(self, y: Any) -> Integers:
        names = [sources.encoded(label) for label in (y.tolist() if hasattr(y, "tolist") else y)]
        places = {name: place for place, name in enumerate(sorted(set(names)))}
        return np.array([places[name] for name in names])

    @property
    def classes(self) -> tuple[Label, ...]:
        """All classes, sorted."""
        return self.rows.classes

    def posterior(self, data: Any) -> Posterior:
        """P(class | row) for every row."""
        return self.rows.posterior(self.texts(data))

    def predict(self, data: Any) -> list[Label]:
        """Return the most probable class of every row."""
        return self.rows.predict(self.texts(data))

    def predict_proba(self, data: Any) -> Array:
        """Probabilities (rows, classes)."""
        return self.posterior(data).probabilities

    def decide(self, data: Any, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every row."""
        return chosen(loss, ZeroOne()).act(self.posterior(data))

    def score(self, data: Any, y: Any) -> float:
        """Return the share of rows whose most probable class is the label."""
        columns, _, values = self.parted(data, y)
        answers = self.rows.predict(self._texts(columns))
        return float(np.mean([answer == truth for answer, truth in zip(answers, values.tolist(), strict=True)]))


class TableRegressor(_Table):
    """Naive Bayes for a number as the target of a table: the answer is a whole density.

    Parameters are those of TableClassifier.

    Examples
    --------
    >>> rows = [{"x": float(k % 50), "y": 3.0 * (k % 50) + k % 2} for k in range(600)]
    >>> model = TableRegressor().fit(rows, "y")
    >>> bool(abs(model.predict([{"x": 20.0}])[0] - 60.5) < 5)
    True
    """

    unit = float(UNIT)

    def __init__(
        self, kinds: Mapping[str, str] | None = None, prior: Prior | None = None, effort: Effort = "quick"
    ) -> None:
        super().__init__(kinds, prior, effort)
        self.edges, self.centres, self.levels = np.zeros(0), np.zeros(0), LEVELS
        self.expected: dict[str, float] = {}  # of rows that took no part in what judged them

    def _settle(self, y: Any) -> None:
        values = _targets(y)
        cuts = evenly(values, CELLS)
        required(len(cuts) > 1, f"regression needs three different numbers at least, got {len(np.unique(values))}")
        different = np.unique(values)
        before = different[np.searchsorted(different, cuts) - 1]
        low, high = different[0], different[-1]
        # A cell ends half way to the next number; the outermost reach as far out as the numbers next to them.
        ends = [low - (different[1] - low) / 2], (cuts + before) / 2, [high + (high - different[-2]) / 2]
        self.edges = np.concatenate(ends)
        weights = self._soft(values).astype(np.float64)
        self.centres = (values @ weights) / weights.sum(axis=0)

    def _soft(self, values: Array) -> Integers:
        """How many sixteenths of each row fall into each cell: a normal kernel around its place among the cells."""
        cells = len(self.edges) - 1
        place = np.interp(values, self.edges, np.arange(cells + 1))
        share = np.diff(normal_cdf((np.arange(cells + 1) - place[:, None]) / WIDTH), axis=1)
        parts = np.floor(UNIT * share / share.sum(axis=1, keepdims=True) + 0.5).astype(np.int64)
        own = np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, cells - 1)
        parts[np.arange(len(values)), own] += UNIT - parts.sum(axis=1)
        return cast(Integers, parts)

    def _source(self, texts: list[str], y: Any, weight: Any = None) -> Source:
        required(weight is None, "weights of rows are for classes; a number's rows all weigh the same")
        parts = self._soft(_targets(y))
        row, cell = np.nonzero(parts > 0)
        names = [_cell(place) for place in range(parts.shape[1])]
        return sources.texts(
            [texts[place] for place in row.tolist()],
            [names[place] for place in cell.tolist()],
            parts[row, cell].astype(np.float64).tolist(),
        )

    def _truth(self, y: Any) -> Integers:
        return np.clip(np.searchsorted(self.edges, _targets(y), side="right") - 1, 0, len(self.edges) - 2)

    def _own(self, kept: Kept, y: Any) -> tuple[Integers, Integers]:
        # A row counts for its neighbours too, but what is promised of it is its own number.
        parts = np.count_nonzero(self._soft(_targets(y)), axis=1)
        first = np.cumsum(parts) - parts
        return np.frombuffer(kept.order(), np.uint32)[first], self._truth(y)

    def _known(self, columns: Mapping[str, Cells], y: Any) -> dict[str, str]:
        groups = addends({name: cells for name, cells in columns.items() if cells.dtype.kind == "f"}, _targets(y))
        said = {}
        for group in groups:
            for name in group:
                others = listed([other for other in group if other != name])
                said[name] = f"adds up to the target with {others}? left out" if others else COPY
        return said

    def _judged(self, sample: trust.Sample, y: Any) -> None:
        # Of rows that took no part, a tenth should lie below what is called their tenth; where others do, it is moved.
        there = np.flatnonzero(~np.isnan(sample.crossed[sample.row, 0]))
        log_p, truth = log_normalised(sample.crossed[sample.row[there]]), _targets(y)[there]
        self.levels = LEVELS
        below = self._density(log_p).cumulated(truth)
        if len(below) >= SURE:
            self.levels = (1 - EVEN) * np.quantile(below, LEVELS) + EVEN * LEVELS
            self.levels[[0, -1]] = 0.0, 1.0
        self.expected = estimates(truth, self._density(log_p))

    def _about(self) -> dict[str, Any]:
        numbers = {name: getattr(self, name).tolist() for name in ("edges", "centres", "levels")}
        return super()._about() | numbers | {"expected": self.expected}

    @classmethod
    def of(cls, rows: TextClassifier) -> Self:
        """Return the model whose rows were kept as texts."""
        new = super().of(rows)
        about = rows.about["table"]
        new.edges, new.centres, new.levels = (np.array(about[name]) for name in ("edges", "centres", "levels"))
        new.expected = about["expected"]
        return new

    def _promised(self) -> Sequence[tuple[str, str]]:
        from plainbayes.report.card import near

        return near(self.expected)

    def even(self) -> Self:
        """Return the same with quantiles that nothing has moved: those of counts that nobody has judged yet."""
        new = self.fresh()
        new.levels = LEVELS
        return new

    def density(self, posterior: Posterior) -> Density:
        """Return the density that a posterior over cells stands for."""
        every = np.full((len(posterior), len(self.edges) - 1), -np.inf)
        every[:, [int(str(name)) for name in posterior.classes]] = posterior.log_probabilities
        return self._density(every)

    def _density(self, log_p: Array) -> Density:
        below = np.concatenate([np.zeros((len(log_p), 1)), np.cumsum(np.exp(log_p), axis=1)], axis=1)
        moved = np.diff(np.interp(below / below[:, -1:], self.levels, LEVELS), axis=1)
        with np.errstate(divide="ignore"):
            return Density(tuple(self.centres.tolist()), np.log(moved), np.zeros(len(moved), dtype=bool), self.edges)

    def posterior(self, data: Any) -> Density:
        """p(y | row) for every row."""
        return self.density(self.rows.posterior(self.texts(data)))

    def explain(self, row: Any, against: Label | None = None) -> Explanation:
        """Say, cell by cell, why the most probable range of the number is."""
        why = super().explain(row, against)
        return replace(why, label=self.range(why.label), against=self.range(why.against))

    def cell(self, number: float) -> str:
        """Return the class that stands for the range of numbers around this one."""
        return _cell(int(self._truth([number])[0]))

    def range(self, name: Label) -> str:
        """Return the range of numbers that a class stands for."""
        low, high = self.edges[int(str(name)) :][:2]
        return f"{low:.6g}..{high:.6g}"

    def predict(self, data: Any, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every row; without a loss, the mean."""
        return chosen(loss, Squared()).act(self.posterior(data))


def _cell(place: int) -> str:
    return f"{place:03d}"


def _targets(y: Any) -> Array:
    values = read(y, "the target")
    required(values.dtype.kind == "f", f"regression needs numbers, got {y!r:.60}")
    wrong = np.flatnonzero(np.isnan(values))
    if len(wrong):
        raise InputError(f"regression needs a number in every row, got none in row {wrong[0]}")
    return values


def _array(values: Any) -> Any:
    array = np.empty(len(values := list(values)), dtype=object)
    array[:] = values
    return array


def _columns(data: Any) -> dict[str, Any]:
    """The columns of a data frame, a dict of columns, rows that are dicts, or a matrix, by their names."""
    if hasattr(data, "fetchnumpy"):  # DuckDB's relations
        return dict(data.fetchnumpy())
    if hasattr(data, "column_names"):  # Arrow's tables
        return {str(name): _array(data[name].to_pylist()) for name in data.column_names}
    return {str(name): cells for name, cells in observations.columns(data).items()}


def _apart(texts: list[str], y: Any) -> list[str]:
    """The same, no two alike: copies of a text are left out together, but rows that are alike are not one row.

    Rows are numbered among those that are alike, targets included: it makes no difference in which order they come.
    """
    marked = [f"{text}\0\x01{str(value).replace(chr(0), ' ')}" for text, value in zip(texts, y, strict=True)]
    seen: dict[str, int] = {}
    for place, text in enumerate(marked):
        seen[text] = seen.get(text, 0) + 1
        marked[place] = f"{text}\x01{seen[text]}"
    return marked


def _tells(codes: Integers, truth: Integers, shares: Array) -> float:
    """By how much a cell lessens the surprise at the true class of a row that is left out, in nats a row."""
    there = codes >= 0
    cells, truths = codes[there], truth[there]
    both = cells * len(shares) + truths
    _, place, counts = np.unique(both, return_inverse=True, return_counts=True)
    _, cell, sizes = np.unique(cells, return_inverse=True, return_counts=True)
    prior = shares[truths]
    likely = (counts[place] - 1 + BELIEVED * prior) / (sizes[cell] - 1 + BELIEVED)
    return float(np.log(likely / prior).sum() / max(1, len(codes)))


def _findings(
    layout: Layout, table: Mapping[str, Cells], truth: Integers, free: set[str], known: Mapping[str, str]
) -> tuple[Layout, tuple[Finding, ...]]:
    """What each column tells by itself; whether a missing cell does; and whether one is known only with the target."""
    shares = np.bincount(truth) / len(truth)
    columns, findings = [], []
    for column in layout.cut(table, RANGES["plain"][0]).columns:
        if column.kind in (*UNUSED, "text"):
            findings.append(Finding(column.label, column.kind, 0.0, NOTES[column.kind]))
            columns.append(column)
            continue
        _, codes = column.codes(table[column.name])
        gone = codes < 0
        column = replace(column, missing=bool(gone.any()) and _tells(gone.astype(np.int64), truth, shares) > 0)
        nats = _tells(codes, truth, shares)
        note = COPY if column.name in free and _renamed(codes, truth) else known.get(column.name, "")
        copy = bool(note)
        share = float(gone.mean())
        if share and not note:
            note = f"{share:.1%} missing, {'a cell of its own' if column.missing else 'no evidence'}"
        findings.append(Finding(column.label, "identifier" if copy else column.kind, nats, note))
        columns.append(replace(column, kind="identifier") if copy else column)
    return replace(layout, columns=tuple(columns)), tuple(findings)


def _shape(cells: Array, truth: Integers, column: Column) -> Shape | None:
    """The likeliest event of those that are sums, as evidence in a table has to be; None: nothing to judge by."""
    there = cells[~np.isnan(cells)]
    ends = there.min(), np.nextafter(there.max(), np.inf)
    ranges = Histogram(edges=((ends[0], *column.edges, ends[1]),))
    try:
        told = choice.told(cells, truth, [*lending.sums(there), ranges], LEFT_OUT)
    except InputError:  # every class has a single row
        return None
    best, own = (next(one for one in told if (one.event is ranges) is own) for own in (False, True))
    return Shape(best.event.name, best.nats, own.nats)


Pairs = list[tuple[int, int]]


def _renamed(codes: Integers, truth: Integers) -> bool:
    """Whether cells are the classes under other names."""
    classes = len(np.unique(truth))
    if len(np.unique(codes)) != classes:
        return False
    return len(np.unique((codes + 1) * (truth.max() + 1) + truth)) == classes > 1


def _pairs(layout: Layout, table: Mapping[str, Cells], truth: Integers, rows: int) -> tuple[Pairs, Pairs]:
    """Pairs of columns, as many as time allows; and of these the ones that tell more than the better column alone."""
    coded = [codes for _, codes in layout.coded(table)]
    shares = np.bincount(truth) / len(truth)
    alone = [_tells(codes, truth, shares) for codes in coded]
    best = sorted(range(len(coded)), key=lambda place: -alone[place])[:WIDE]
    gains = {}
    for one, other in pairs_of(len(coded)):
        if one in best and other in best:
            both = np.where(
                (coded[one] < 0) | (coded[other] < 0), -1, coded[one] * (coded[other].max() + 1) + coded[other]
            )
            gains[one, other] = _tells(both, truth, shares) - max(alone[one], alone[other])
    most = max(10, ENTRIES // max(1, rows))
    best_first = sorted(gains, key=lambda pair: -gains[pair])[:most]
    return sorted(best_first), sorted(pair for pair in best_first if gains[pair] > 0)


def _loss(sample: trust.Sample, manner: Manner, origin: trust.Start) -> float:
    """How surprising the truth is to exponents that were fitted without it, calibrated."""
    scores, _ = trust.cross_fitted(sample, manner, origin, reading.ENOUGH, reading.STEPS)
    temperature, bias = trust.calibration(sample, scores)
    return trust.estimate(sample, temperature * scores + bias).log_loss


def save(
    model: TextClassifier | TableClassifier | TableRegressor | Model,
    path: str | PathLike[str],
    made: Mapping[str, Any] | None = None,
) -> None:
    """Write any model to a file; `made` says what it was made of."""
    if isinstance(model, Model):
        keeping.save(model, path, made)
    else:
        model.save(path, made)


def load(path: str | PathLike[str]) -> TextClassifier | TableClassifier | TableRegressor | Model:
    """Open a saved model; the arrays of texts and tables stay in the file until they are needed."""
    opened = file.open(path)
    try:
        if opened.metadata["kind"] == "model":
            return keeping.of(opened)
        model = TextClassifier.of(opened)
        return table_of(model) if model.about.get("kind") == "table" else model
    except (AttributeError, LookupError, TypeError, ValueError):
        raise opened.damaged(STRANGE) from None


def table_of(rows: TextClassifier) -> TableClassifier | TableRegressor:
    """Return the model of a table whose rows were kept as texts."""
    return (TableRegressor if "edges" in rows.about["table"] else TableClassifier).of(rows)


def estimates(values: Sequence[float] | Array, density: Density) -> dict[str, float]:
    """How good densities are, the numbers known: errors, coverage of the middle 90%, log score and CRPS."""
    truth = np.asarray(values, dtype=np.float64)
    low, high = density.interval(0.9)
    mean, median = density.mean(), density.median()
    pinball = [np.maximum(q * (truth - at), (q - 1) * (truth - at)) for q, at in ((0.05, low), (0.95, high))]
    return {
        "rows": len(truth),
        "rmse": float(np.sqrt(np.mean((mean - truth) ** 2))),
        "mae": float(np.mean(np.abs(median - truth))),
        "pinball": float(np.mean(pinball)),
        "coverage_90": float(np.mean((truth >= low) & (truth <= high))),
        "log_score": float(np.mean(density.log_prob(np.clip(truth, density.edges[0], density.edges[-1])))),
        "crps": float(np.mean(crps(truth, density))),
    }


def crps(truth: Array, density: Density) -> Array:
    """The integral of the squared distance of the distribution from the step at the truth; 0 is perfect."""
    edges = density.edges
    at = np.clip(truth, edges[0], edges[-1])
    below = np.concatenate([np.zeros((len(truth), 1)), np.cumsum(density.probabilities, axis=1)], axis=1)
    widths = np.diff(edges)
    inside = np.clip((at[:, None] - edges[:-1]) / widths, 0.0, 1.0)  # how much of each cell lies below the truth
    low, high = below[:, :-1], below[:, 1:]
    middle = low + inside * (high - low)

    def squared(one: Array, other: Array) -> Array:
        """The mean of the square of what goes from one to the other along a line."""
        return np.asarray((one * one + one * other + other * other) / 3)

    whole = widths * (inside * squared(low, middle) + (1 - inside) * squared(1 - middle, 1 - high))
    return np.asarray(whole.sum(axis=1) + np.abs(truth - at))
