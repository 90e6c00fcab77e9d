"""Answers as lines: tabs between for people and pipes, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from plainbayes._core import Answers, Judge
from plainbayes.cli.judges import labels_of
from plainbayes.cli.terminal import note, plain
from plainbayes.cli.written import written
from plainbayes.losses import Costs
from plainbayes.numeric import Array, log, log_normalised
from plainbayes.posterior import Posterior
from plainbayes.semi import proportions


def posterior_of(judge: Judge, answers: Answers, shift: Array | None = None) -> Posterior:
    """Return the answers to some rows as a posterior, under a prior that is shifted by so much."""
    logs = np.frombuffer(answers.log_probabilities).reshape(len(answers), len(judge.classes))
    logs = logs if shift is None else log_normalised(logs + shift)
    return Posterior(tuple(labels_of(judge)), logs, np.zeros(len(answers), dtype=np.bool_))


def shifted(judge: Judge, answers: Iterable[Answers]) -> Array:
    """Return by how much the logarithm of the prior is off for these rows, and say what it should be."""
    parts = [posterior_of(judge, some) for some in answers]
    logs = np.concatenate([part.log_probabilities for part in parts])
    log_prior = np.array(judge.prior)
    shares = proportions(replace(parts[0], log_probabilities=logs), log_prior)
    said = ", ".join(f"{plain(label)} {share:.1%}" for label, share in zip(labels_of(judge), shares, strict=True))
    note(f"these texts seem to be {said}")
    return np.asarray(log(shares) - log_prior)


def lines(
    judge: Judge, answers: Answers, most: int | None, costs: Costs | None, json: bool, shift: Array | None = None
) -> Iterator[str]:
    """Write each answer on a line of its own, the likeliest classes first, no more than `most` of them."""
    posterior = posterior_of(judge, answers, shift)
    scores = np.frombuffer(answers.scores).reshape(posterior.log_probabilities.shape)
    scores = scores if shift is None else scores + shift
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
