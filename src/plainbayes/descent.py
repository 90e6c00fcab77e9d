"""The bottom of a smooth valley: L-BFGS (Nocedal 1980), a step along the slope bent by the last few steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]  # of single or double precision

REMEMBERED = 8
ENOUGH = 1e-4  # of the height: less than this in a step is the bottom


def lowest(
    height: Callable[[Numbers], tuple[float, Numbers]], start: Numbers, steps: int, enough: float = ENOUGH
) -> Numbers:
    """Return where `height`, which also returns its gradient, is lowest, or where so many steps led.

    >>> lowest(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(2), 20).round(6)
    array([3., 3.])
    """
    x, (value, gradient) = start, height(start)
    moves: list[tuple[Numbers, Numbers, float]] = []
    for _ in range(steps):
        direction = -_bent(gradient, moves)
        fall, step = _dot(gradient, direction), 1.0
        while True:
            ahead = x + step * direction
            there, slope = height(ahead)
            if there <= value + 1e-4 * step * fall or step < 1e-6:
                break
            # To the bottom of the parabola through both heights, but not too far from where it was.
            step *= min(0.5, max(0.1, 0.5 * step * fall / (value + step * fall - there)))
        if there >= value:
            break
        move, turn = ahead - x, slope - gradient
        if (bend := _dot(move, turn)) > 0:
            moves = [*moves[-REMEMBERED + 1 :], (move, turn, bend)]
        done = value - there < enough * abs(there)
        x, value, gradient = ahead, there, slope
        if done:
            break
    return x


def _bent(gradient: Numbers, moves: list[tuple[Numbers, Numbers, float]]) -> Numbers:
    """The gradient multiplied with what the last moves say of the inverse curvature."""
    bent, shares = gradient.copy(), []
    for move, turn, bend in reversed(moves):
        shares.append(share := _dot(move, bent) / bend)
        bent -= share * turn
    if moves:
        _, turn, bend = moves[-1]
        bent *= bend / _dot(turn, turn)
    for (move, turn, bend), share in zip(moves, reversed(shares), strict=True):
        bent += (share - _dot(turn, bent) / bend) * move
    return bent


def _dot(a: Numbers, b: Numbers) -> float:
    """The sum of products, by one thread: the numerical libraries' own waste a second processor on it."""
    return float(np.einsum("i,i", a, b))
