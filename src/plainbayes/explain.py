"""Why this answer and not another: the share of each feature in the log odds, which add up exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plainbayes.evidence import Label


class Share(NamedTuple):
    """What one feature with its value adds to the log odds, in nats; `counted` if the value is a count of words."""

    feature: Any
    value: Any
    nats: float
    counted: bool = False

    def __str__(self) -> str:
        if self.counted:
            return str(self.feature) if self.value == 1 else f"{self.feature} x {self.value:g}"
        return str(self.feature) if self.value is None else f"{self.feature} = {self.value}"


@dataclass(frozen=True)
class Explanation:
    """Log odds of `label` against `against`, split up: prior + bias + all shares = total.

    `bias` is what does not depend on the features at hand (in the Bernoulli model: the absence of
    all words). `silent` says that every class called the row impossible: the data say nothing, no feature
    has a share, the prior decides.
    """

    label: Label
    against: Label
    probability: float
    prior: float
    bias: float
    shares: tuple[Share, ...]
    silent: bool = False
    total: float = field(init=False)

    def __post_init__(self) -> None:
        terms = [self.prior, self.bias, *(share.nats for share in self.shares)]
        finite = all(map(math.isfinite, terms))
        total = math.fsum(terms) if finite else sum(terms)
        # Impossible on both sides, for different reasons: neither is more so.
        object.__setattr__(self, "total", 0.0 if math.isnan(total) else total)

    def __str__(self) -> str:
        lines = [
            f"{self.label} with probability {self.probability:.3f}",
            f"log odds {self.label} : {self.against} = {self.total:+.3f}",
        ]
        if self.silent:
            lines.append("every class calls this impossible: the data say nothing, the prior decides")
        rows = [("prior", self.prior), ("bias", self.bias)]
        rows = [(name, nats) for name, nats in rows if nats or name == "prior"]
        rows += [(str(share), share.nats) for share in self.shares]
        width = max(len(name) for name, _ in rows)
        most = max((abs(nats) for _, nats in rows if math.isfinite(nats)), default=0.0) or 1.0
        for name, nats in rows:
            bar = "█" * round(20 * min(abs(nats), most) / most)
            lines.append(f"  {name:<{width}}  {nats:+7.3f}  {bar if nats >= 0 else bar.replace('█', '░')}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from plainbayes.report import page

        return page.explanation(self)
