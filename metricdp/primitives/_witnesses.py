"""Pairs of values at an exact distance, for tight witnesses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt
from typing import Any

from metricdp.record import Witness
from metricdp.spaces import Matrix, Scalar, Space
from metricdp.spaces.vectors import Entries


def zero_and_step(space: Space, d: int) -> tuple[Any, Any]:
    """Two values at distance d, moved in one entry; the lower end of the range is the first one."""
    if isinstance(space, Scalar):
        start = space.lo.as_fraction() or Fraction(0)
        if space.element == "Real":
            return start, start + d
        if space.element == "Bool":
            return False, True
        return int(start), int(start) + (1 if space.element == "Data" else d)
    assert isinstance(space, (Entries, Matrix))
    a, b = zero_and_step(space.entry, d)
    changed = 1
    if space.element == "Data" and space.norm == "L1":
        changed = d
    if isinstance(space, Matrix):
        rows, cols = (int(n.as_fraction() or 0) for n in (space.rows, space.cols) if n is not None)
        return [[a] * cols for _ in range(rows)], [[b] + [a] * (cols - 1)] + [[a] * cols] * (
            rows - 1
        )
    assert space.size is not None
    n = int(space.size.as_fraction() or 0)
    return [a] * n, [b] * changed + [a] * (n - changed)


def step_all(private: Mapping[str, Space], d: int) -> Witness:
    """Every private argument moved by d upwards, in one entry."""
    pairs = {name: zero_and_step(space, d) for name, space in private.items()}
    return {n: a for n, (a, _) in pairs.items()}, {n: b for n, (_, b) in pairs.items()}


def move_one_row(space: Space, d: int) -> Witness:
    """Matrices at distance d: the first row moves in one entry (L1) or in all alike (L2, LInf).

    Under L2 the number of columns must be a perfect square, so that the step is rational.
    """
    assert isinstance(space, Matrix) and space.rows is not None and space.cols is not None
    rows, cols = (int(n.as_fraction() or 0) for n in (space.rows, space.cols))
    zero = [[Fraction(0)] * cols for _ in range(rows)]
    if space.norm == "L1":
        first = [Fraction(d), *[Fraction(0)] * (cols - 1)]
    else:
        first = [Fraction(d, isqrt(cols) if space.norm == "L2" else 1)] * cols
    return {"m": zero}, {"m": [first, *zero[1:]]}
