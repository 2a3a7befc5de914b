"""Array forms of maps of one column: casts, comparisons and bins of numbers at NumPy speed."""

from __future__ import annotations

from typing import Any

from metricdp.primitives.records._casting import RANGES, type_name
from metricdp.values import Column, MaybeColumn


def parts(x: Any) -> tuple[Any, Any] | None:
    """Doubles, or integers of 64 bits, and the mask of rows that are there; None if neither."""
    import numpy as np

    held = x.column if isinstance(x, MaybeColumn) else x
    if not isinstance(held, Column):
        return None
    there = x.there if isinstance(x, MaybeColumn) else np.ones(len(x), np.bool_)
    if held.ticks is None:
        return held.floats, there
    if held.exponent == 0:
        return held.ticks, there
    if len(held.ticks) and int(np.abs(held.ticks).max()) > 1 << 53:
        return None
    return np.ldexp(held.ticks.astype(np.float64), held.exponent), there


def cast_column(x: Any, to: Any) -> MaybeColumn | None:
    """`cast` of a column of numbers to numbers; None where the reference form is needed."""
    import numpy as np

    found, to = parts(x), type_name(to)
    if found is None or not (to in RANGES or to in ("float", "f64", "f32")):
        return None
    numbers, there = found
    if to not in RANGES:
        return MaybeColumn(Column(floats=numbers.astype(np.float64)), there)
    low, high = RANGES[to]
    if numbers.dtype.kind == "f":
        whole = np.trunc(numbers)
        # Doubles at or above 2**63 are no integers of 64 bits; below, the comparison is exact.
        inside = (whole >= float(low)) & (whole < float(high + 1))
        ticks = np.where(inside, whole, 0.0).astype(np.int64)
    else:
        inside = (numbers >= low) & (numbers <= high)
        ticks = np.where(inside, numbers, 0)
    return MaybeColumn(Column(None, ticks, 0), there & inside)


def equal_to(x: Any, value: Any) -> list[bool] | None:
    """`is_equal` of a column of numbers; None where the reference form is needed."""
    from fractions import Fraction

    from metricdp.values.masks import accepted

    held = x.column if isinstance(x, MaybeColumn) else x
    if not isinstance(held, Column) or isinstance(value, str):
        return None
    number = Fraction(value)
    mask = accepted(lambda row: row == number, held)
    if mask is None:
        return None
    same: list[bool] = (mask & x.there if isinstance(x, MaybeColumn) else mask).tolist()
    return same
