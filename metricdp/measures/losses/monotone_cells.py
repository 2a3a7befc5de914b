"""Where an increasing loss takes given values: Newton's method in doubles, and what is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.measures.losses.discretised_laws import SLACK

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TABLE, _STEPS = 4097, 60
#: Unit roundoff, with room for a few operations.
_ROUNDED = 4 * 2.0**-53


class Places(msgspec.Struct, frozen=True):
    """At points x: the loss, its slope >= 0, and the size of the numbers rounded on the way."""

    losses: NDArray[Any]
    slopes: NDArray[Any]
    sizes: NDArray[Any]


def placed(
    at: Callable[[NDArray[Any]], Places], edges: NDArray[Any], low: float, high: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The x in [low, high] with L(x) = edge, and a relative error of masses of cells between them.

    Edges may be off by what `Cells` allows; only what rounding moves them beyond that is charged:
    a cell of width g in x whose ends are off by dx, at densities whose logarithms have slopes of at
    most k = |x| + max(|low|, |high|) + 1, is off by 8 dx max(1 / g, k).

    Returns:
        x, shape (n,), not decreasing; error, shape (n + 1,).
    """
    import numpy as np

    table = np.linspace(low, high, _TABLE)
    known = np.maximum.accumulate(at(table).losses)
    above = np.clip(np.searchsorted(known, edges), 1, _TABLE - 1)
    left, right = table[above - 1], table[above]
    inside = (edges > known[0]) & (edges < known[-1])
    x = np.clip(np.interp(edges, known, table), left, right)
    near = SLACK / 16 * np.maximum(1.0, np.abs(edges))
    for _ in range(_STEPS):
        found = at(x)
        gap = found.losses - edges
        left, right = np.where(gap <= 0, x, left), np.where(gap >= 0, x, right)
        with np.errstate(all="ignore"):
            moved = x - gap / found.slopes
        wild = ~((moved >= left) & (moved <= right))
        moved = np.where(wild, (left + right) / 2, moved)
        moved = np.where(inside, moved, x)
        moved = np.where(np.abs(gap) <= near, x, moved)
        still = np.abs(moved - x) <= 2.0**-52 * np.abs(x)
        x = moved
        if still.all():
            break
    x = np.maximum.accumulate(x)
    found = at(x)
    off = np.abs(found.losses - edges) + _ROUNDED * (found.sizes + np.abs(found.losses))
    off += _ROUNDED * np.abs(x) * found.slopes - SLACK * np.maximum(1.0, np.abs(edges))
    with np.errstate(all="ignore"):
        dx = np.where(inside & (off > 0), off / found.slopes, 0.0)
    ends = np.concatenate(([0.0], dx)) + np.concatenate((dx, [0.0]))
    gaps = np.concatenate(([np.inf], np.diff(x), [np.inf]))
    size = np.abs(x)
    steep = np.maximum(np.append(size[:1], size), np.append(size, size[-1:])) + 1
    steep += max(abs(low), abs(high))
    with np.errstate(all="ignore"):
        error = 8 * ends * np.maximum(1 / gaps, steep)
    return x, np.where(ends > 0, np.where(gaps > 0, error, 1.0), 0.0)
