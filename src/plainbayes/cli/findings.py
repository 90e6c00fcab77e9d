"""What a report needs beyond sums, gathered while rows are judged: probabilities, the worst texts, some others."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from plainbayes.cli.models import Counted, class_called, readable
from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError
from plainbayes.evaluate import Evaluation
from plainbayes.explain import Explanation
from plainbayes.losses import Costs
from plainbayes.posterior import Posterior
from plainbayes.report.cells import cells
from plainbayes.report.page import SHOWN, Findings, Mistake, Telling, page
from plainbayes.storage import file

if TYPE_CHECKING:
    from plainbayes.cli.learning import Learners

CELLS = 1 << 25  # probabilities kept: 256 MB of them
WORST = 8  # mistakes shown
SOME = 500  # texts explained for the nomogram
WORDS = 10  # shown for each class


def bounded(cells: int) -> None:
    """Refuse more rows than a report can be made of."""
    if cells > CELLS:
        raise InputError(
            f"a report keeps rows times classes in memory, up to {CELLS:,}, got at least {cells:,}",
            "plainbayes split takes a part of the rows, or leave out --report",
        )


class Gathering:
    """Rows as they come: all truths and probabilities, the worst mistakes, and a fair share of all texts."""

    def __init__(self, model: TextClassifier, learners: Learners | None = None) -> None:
        self.model, self.learners = model, learners
        self.truths: list[str] = []
        self.parts: list[Posterior] = []
        self.worst: list[tuple[float, int, str, str, str]] = []  # a heap: the least bad first
        self.texts: list[str] = []
        self.chance = Random(0)  # the same rows, the same report

    def add(self, truths: Sequence[str], texts: Sequence[str], posterior: Posterior) -> None:
        """Take in some rows."""
        bounded((len(self.truths) + len(truths)) * len(posterior.classes))
        answers, logs = posterior.mode(), posterior.log_prob(truths).tolist()
        for truth, text, answer, log in zip(truths, texts, answers, logs, strict=True):
            row = len(self.truths)
            self.truths.append(truth)
            if answer != truth:
                keep = heapq.heappush if len(self.worst) < WORST else heapq.heappushpop
                keep(self.worst, (-log, -row, truth, str(answer), text))
            self._sample(row, text)
        self.parts.append(posterior)
        if self.learners is not None:
            self.learners.judge(truths, texts)

    def _sample(self, row: int, text: str) -> None:
        """Keep each row with the same chance (Vitter's reservoir)."""
        if len(self.texts) < SOME:
            self.texts.append(text)
        elif (place := self.chance.randrange(row + 1)) < SOME:
            self.texts[place] = text

    @property
    def posterior(self) -> Posterior:
        """The probabilities of all rows."""
        logs, silent = ([getattr(part, name) for part in self.parts] for name in ("log_probabilities", "silent"))
        return Posterior(self.parts[0].classes, np.concatenate(logs), np.concatenate(silent))

    def write(self, path: str, title: str, result: Evaluation, loss: Costs | None) -> None:
        """Write the report of what was gathered."""
        file.put(path, page(self.findings(title, result, loss)).encode())

    def findings(self, title: str, result: Evaluation, loss: Costs | None) -> Findings:
        """Explain what was gathered."""
        counts, scores = Counted.of(self.model), result.by_class
        common = sorted(result.classes, key=lambda label: -scores[label].rows)
        return Findings(
            title,
            self.truths,
            self.posterior,
            result,
            loss,
            {label: [Telling(*each) for each in counts.telling(str(label), WORDS)] for label in common[:SHOWN]},
            self._explained(*rivals(result)),
            lambda feature: readable(str(feature)),
            [self._mistake(*each) for each in sorted(self.worst, reverse=True)],
            [] if self.learners is None else self.learners.learned,
        )

    def _explained(self, label: str, against: str) -> list[Explanation]:
        if label == against:
            return []
        one, two = class_called(self.model, label), class_called(self.model, against)
        return self._told([self.model.explain(text, two, one) for text in self.texts])

    def _told(self, whys: list[Explanation]) -> list[Explanation]:
        """A row of a table is a text of its cells; it is told column by column."""
        return cells(whys) if "table" in self.model.about else whys

    def _mistake(self, surprise: float, row: int, truth: str, answer: str, text: str) -> Mistake:
        known = {str(label): label for label in self.model.classes}
        why = self.model.explain(text, known.get(truth), known[answer]) if len(known) > 1 else None
        if "table" in self.model.about:
            text = ", ".join(filter(None, dict.fromkeys(text.split("\0"))))
            why = why and self._told([why])[0]
        return Mistake(text, truth, answer, math.exp(-surprise), why)


def rivals(result: Evaluation) -> tuple[str, str]:
    """Return the two classes to compare: the rarer of two first; of more, those most mistaken; an only one twice."""
    scores = result.by_class
    classes = sorted(result.classes, key=lambda label: (scores[label].rows, str(label)))
    if len(classes) > 2:
        known = set(classes)
        wrong = [(n, str(a), str(b)) for (a, b), n in result.pairs.items() if a != b and a in known]
        if wrong:
            return max(wrong)[1:]
        classes = classes[-2:]
    return str(classes[0]), str(classes[-1])
