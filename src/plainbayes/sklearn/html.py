"""How a fitted classifier shows itself in a notebook: classes, priors and the strongest features."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from plainbayes.evidence import Part
from plainbayes.model import Model
from plainbayes.numeric import ratio
from plainbayes.stats import Moments, Sums
from plainbayes.telling import telling

CLASSES, FEATURES = 20, 5


class Html:
    """scikit-learn's diagram, followed by what the model has learned."""

    def _html_repr(self) -> str:
        html = str(estimator_html_repr(self))
        model = vars(self).get("_model")
        return html if model is None else html + learned(model, getattr(self, "feature_names_in_", None))

    _repr_html_inner = _html_repr


def learned(model: Model, names: Any = None) -> str:
    """Return classes, their weight and prior, and what speaks most for each, as a table."""
    prior = np.exp(model.log_prior)
    classes = model.classes
    weight = model.weight
    strongest = _strongest(model, names)
    rows = "".join(
        f"<tr><th>{escape(str(c))}</th><td>{weight[place]:g}</td><td>{prior[place]:.3f}</td>"
        f"<td>{escape(', '.join(strongest[place]))}</td></tr>"
        for place, c in enumerate(classes[:CLASSES])
    )
    more = f"<caption>and {len(classes) - CLASSES} more classes</caption>" if len(classes) > CLASSES else ""
    heads = "".join(f"<th>{head}</th>" for head in ("class", "rows", "prior", "what speaks most for it"))
    return f"<table class='plainbayes'>{more}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _strongest(model: Model, names: Any) -> list[list[str]]:
    """For each class the features that say most for it: by share times log ratio, or by distance in deviations."""
    said: list[list[tuple[float, str]]] = [[] for _ in model.classes]
    for key, part in model.evidence.parts.items():
        strength, means = _strength(model, part)
        for place, row in enumerate(strength):
            for column in np.argsort(-row, kind="stable")[:FEATURES]:
                label: Any = part.features[int(column)]
                if part.open and key is not None:
                    label = f"{_name(key, names)} = {label}"
                elif means is not None:
                    label = f"{_name(label, names)} near {means[place, column]:.3g}"
                else:
                    label = _name(label, names)
                if row[column] > 0:
                    said[place].append((float(row[column]), label))
    return [[label for _, label in sorted(each, reverse=True)[:FEATURES]] for each in said]


def _strength(model: Model, part: Part) -> tuple[Any, Any]:
    stats: Any = model.stats(part)
    if isinstance(stats, Sums) and "count" in stats.arrays:
        own, others = stats.count, stats.count.sum(axis=0) - stats.count
        here, there = (table.sum(axis=1, keepdims=True) for table in (own, others))
        return telling(own, others, here, there, own.shape[1]), None
    if isinstance(stats, Moments):
        n, mean, _ = stats.pooled()
        spread = ratio(stats.scatter.sum(axis=0), n)
        return np.where(stats.n > 0, ratio((stats.mean - mean) ** 2, spread), 0.0), stats.mean
    return np.zeros((len(model.classes), 0)), None


def _name(label: Any, names: Any) -> str:
    if isinstance(label, int):
        return f"column {label}" if names is None else str(names[label])
    return str(label)
