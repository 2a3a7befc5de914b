"""Pairs of matrices at an exact distance, for tight witnesses."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from metricdp.spaces import Matrix, Space


def move_one_row(space: Space, d: int) -> tuple[dict[str, Any], dict[str, Any]]:
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
