"""The plain model of texts, multinomial with the prior of the data, from a source to a file without NumPy.

Importing NumPy takes as long as counting 50 MB of text. The tests hold this against `TextClassifier`, whose
formulas these are: P(word | c) = (W + alpha) / (L_c + alpha |V|), P(c) = D_c / D.
"""

from __future__ import annotations

from math import log
from struct import pack

from plainbayes._core import Table, lengths, log_differences, log_rows
from plainbayes.judge import CELLS, WORDS, store
from plainbayes.text.compiled import analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from plainbayes._core import Source

EVERY_WORD = 1 << 62
# So many weights are written whatever they are; beyond, only those of words that a class has, if they are few.
SMALL = 1 << 16


class Plain:
    """A model that has learned a source, in which every row counts once; `analyzer` are the settings of one.

    `rows`, `skipped` and `replaced` say how many rows there were, how many without a label, and how many stretches
    of bytes were no UTF-8.
    """

    def __init__(
        self,
        source: Source,
        analyzer: Mapping[str, Any],
        alpha: float = 1.0,
        unknown: str = "ignore",
        most: int | None = None,
    ) -> None:
        self.analyzer, self.alpha, self.unknown, self.most = analyzer, alpha, unknown, most
        self.table, self.rows, self.replaced = Table.count(analyser(**analyzer), source)
        self.skipped = source.skipped
        self._bags = sorted(self.table.bags)
        self.classes = [name for name, _, _ in self._bags]
        self._words, self._pruned = self._arrays()

    @property
    def sizes(self) -> list[float]:
        """How many texts each class has."""
        return [texts for _, _, texts in self._bags]

    def save(self, path: Any, made: Mapping[str, Any]) -> None:
        """Write the model to a file; `made` says what it was made of."""
        arrays = self._words
        texts = [texts for _, _, texts in self._bags]
        prior = [log(each) - log(sum(texts)) for each in texts]
        cells, bags, counts = (arrays[name] for name in ("cells", "bags", "counts"))
        whole = self.alpha * (len(cells) - 1)
        less = [log(length + whole) for length in lengths(bags, counts, len(texts))]
        strange = [log(self.alpha) - each if self.unknown == "smooth" else 0.0 for each in less]
        tensors: dict[str, Any] = {f"words.{name}": arrays[name] for name in WORDS}
        tensors |= {f"counts.{name}": arrays[name] for name in CELLS}
        if len(less) * len(cells) <= max(SMALL, 4 * len(bags)):
            tensors["weights.table"] = log_rows((cells, bags, counts), self.alpha, less, strange)
        else:
            tensors["weights.background"] = numbers([log(self.alpha) - each for each in less])
            tensors["weights.unknown"] = numbers(strange)
            tensors["weights.differences"] = log_differences(counts, self.alpha)
        tensors["weights.bias"] = tensors["weights.prior"] = numbers(prior)
        settings = {
            "names": self.classes,
            "values": "count",
            "short": False,
            "unknown": self.unknown == "smooth",
            "classes": self.classes,
            "bags": [(place, 1.0, each) for place, each in enumerate(texts)],
            "analyzer": dict(self.analyzer),
            "event": {"name": "multinomial", "alpha": self.alpha, "unknown": self.unknown},
            "prior": {"name": "Empirical"},
            "max_vocabulary": self.most,
            "pruned": self._pruned,
            "made": dict(made),
        }
        store(path, settings, tensors)

    def _arrays(self) -> tuple[dict[str, Any], bool]:
        """Return words and counts, and whether words were left out."""
        order = [bag[:2] for bag in self._bags]
        arrays = self.table.arrays(order, EVERY_WORD)
        pruned = self.most is not None and len(arrays["starts"]) - 1 > self.most
        return (self.table.arrays(order, self.most or EVERY_WORD) if pruned else arrays), pruned


def numbers(values: list[float]) -> bytes:
    """Return numbers as a file has them."""
    return pack(f"<{len(values)}d", *values)
