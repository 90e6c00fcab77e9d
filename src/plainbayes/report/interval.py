"""What more rows would show: Wilson's interval of a share, in which it lies 19 times out of 20."""

from __future__ import annotations

import math

Z = 1.959963984540054  # the normal quantile of 97.5%


def interval(right: float, rows: float) -> tuple[float, float]:
    """Return the least and the greatest share that fit so many right out of so many rows.

    >>> tuple(round(end, 3) for end in interval(912, 1000))
    (0.893, 0.928)
    """
    share, more = right / rows, Z * Z / rows
    middle = (share + more / 2) / (1 + more)
    reach = Z * math.sqrt(share * (1 - share) / rows + more / (4 * rows)) / (1 + more)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
