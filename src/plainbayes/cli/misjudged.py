"""What a report on numbers needs beyond densities: which rows were judged worst, which columns tell most, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plainbayes.cli.findings import bounded
from plainbayes.cli.learning import NumberLearners
from plainbayes.evidence import Label
from plainbayes.explain import Explanation
from plainbayes.numeric import Array, Integers
from plainbayes.regression import Density
from plainbayes.report.cells import cells, strengths
from plainbayes.report.numbers import Miss, Numbers
from plainbayes.tables import TableRegressor

WORST = 5  # rows shown of those furthest off, and as many of those most surprising
SOME = 300  # rows explained to see which columns tell most


class Judged:
    """Rows whose numbers are known, and what a model thinks of them."""

    def __init__(
        self,
        model: TableRegressor,
        columns: Mapping[str, Any],
        truths: Array,
        density: Density,
        learners: NumberLearners | None = None,
    ) -> None:
        bounded(density.log_probabilities.size)
        self.model, self.columns, self.truths, self.density = model, columns, truths, density
        self.learners = learners
        self.texts, self.answers = model.texts(columns), density.median()

    def findings(self, title: str, figures: Mapping[str, float]) -> Numbers:
        """Explain them."""
        far, strange = self.worst()
        ends = self.apart()
        return Numbers(
            title,
            self.truths,
            self.density,
            figures,
            self.telling(*ends) if ends else [],
            [self.model.range(end) for end in ends],
            [self.miss(row) for row in far],
            [self.miss(row) for row in strange],
            [] if self.learners is None else self.learners.judge(self.truths, self.texts),
        )

    def apart(self) -> list[Label]:
        """Return a class of low numbers and one of high numbers: those of the quartiles, or of tails."""
        known = set(self.model.rows.classes)
        for share in (0.25, 0.1, 0.0):
            ends = [self.model.cell(end) for end in np.quantile(self.truths, [share, 1 - share]).tolist()]
            if len(known.intersection(ends)) == 2:
                return [*ends]
        return []

    def telling(self, low: Label, high: Label) -> list[tuple[str, float]]:
        """Return how much each column says for a high number or a low one, in a sample of the rows."""
        some = np.unique(np.linspace(0, len(self.texts) - 1, SOME).round().astype(np.int64))
        return strengths([self.model.rows.explain(self.texts[row], low, high) for row in some.tolist()])

    def worst(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the rows furthest off; and of the others those whose truth was least to be expected, so far out.

        Of rows that are alike, one will do.
        """
        off = np.abs(self.truths - self.answers)
        below = self.density.cumulated(self.truths)
        seen: set[tuple[str, float]] = set()

        def first(order: Integers) -> list[int]:
            found: list[int] = []
            for row in order.tolist():
                key = self.texts[row], float(self.truths[row])
                found += [] if key in seen else [row]
                seen.add(key)
                if len(found) == WORST:
                    break
            return found

        return first(np.argsort(-off, kind="stable")), first(np.lexsort((-off, np.minimum(below, 1 - below))))

    def miss(self, row: int) -> Miss:
        """Return what a row says and why it was judged so: the range of the answer against that of the truth."""
        named = ((name, self.columns.get(name)) for name in self.model.layout.names)
        cells = [(name, column[row]) for name, column in named if column is not None]
        text = ", ".join(f"{name}={shown(cell)}" for name, cell in cells if cell is not None and cell == cell)
        return Miss(row, text, self.why(row))

    def why(self, row: int) -> Explanation | None:
        """Explain a row, column by column; of a model that knows one range only there is nothing to say."""
        model = self.model
        known = {name: name for name in model.rows.classes}
        if len(known) < 2:
            return None
        own, true = (known.get(model.cell(float(each))) for each in (self.answers[row], self.truths[row]))
        told = model.rows.explain(self.texts[row], None if true == own else true, own)
        return cells([replace(told, label=model.range(told.label), against=model.range(told.against))])[0]


def shown(cell: Any) -> str:
    """Write a cell as a file has it."""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
