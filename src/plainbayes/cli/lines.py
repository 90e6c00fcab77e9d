"""Answers as lines: tabs between for people and pipes, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plainbayes._core import Answers, Judge
from plainbayes.cli.judges import labels_of
from plainbayes.cli.terminal import plain
from plainbayes.cli.written import written
from plainbayes.losses import Costs
from plainbayes.posterior import Posterior


def posterior_of(judge: Judge, answers: Answers) -> Posterior:
    """Return the answers to some rows as a posterior."""
    logs = np.frombuffer(answers.log_probabilities).reshape(len(answers), len(judge.classes))
    return Posterior(tuple(labels_of(judge)), logs, np.zeros(len(answers), dtype=np.bool_))


def lines(judge: Judge, answers: Answers, most: int | None, costs: Costs | None, json: bool) -> Iterator[str]:
    """Write each answer on a line of its own, the likeliest classes first, no more than `most` of them."""
    posterior = posterior_of(judge, answers)
    scores = np.frombuffer(answers.scores).reshape(posterior.log_probabilities.shape)
    order = np.argsort(-posterior.log_probabilities, axis=1, kind="stable")[:, :most]
    tables = (order, *(np.take_along_axis(table, order, axis=1) for table in (posterior.probabilities, scores)))
    choices = [{}] * len(order) if costs is None else decided(posterior, costs)
    for row in zip(*(table.tolist() for table in tables), choices, strict=True):
        places, probabilities, own, choice = row
        labels = [posterior.classes[place] for place in places]
        if json:
            probable, score = (dict(zip(labels, numbers, strict=True)) for numbers in (probabilities, own))
            yield written({"label": labels[0], **choice, "probabilities": probable, "scores": score}) + "\n"
        else:
            cells = [(choice["answer"], choice["risk"])] if choice else []
            cells += zip(labels, probabilities, strict=True)
            yield "\t".join(f"{plain(str(label))}\t{number:.4f}" for label, number in cells) + "\n"


def decided(posterior: Posterior, costs: Costs) -> list[dict[str, object]]:
    """Return the answer of least expected cost to each row, and that cost."""
    names = list(map(str, costs.answers(posterior.classes)))
    risks = costs.risks(posterior)
    best = zip(risks.argmin(axis=1).tolist(), risks.min(axis=1).tolist(), strict=True)
    return [{"answer": names[place], "risk": risk} for place, risk in best]
