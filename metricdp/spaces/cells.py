"""Single values: membership, distance, samples, moves and simplifications of one entry."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any

from metricdp.spaces.scalars import Scalar
from metricdp.spaces.substitution import bound_value

if TYPE_CHECKING:
    from random import Random

TEXTS = ("", "a", "b", "ab", "A", " a", "0", "1", "é", "x" * 40)
_TINY, _HUGE = Fraction(1, 2**40), 2**40
_REALS = (0, 0, 1, -1, Fraction(1, 2), Fraction(3, 2), Fraction(-1, 2), 2, -3, _TINY, -_TINY)
_NAN = ("NaN",)


def canonical(value: Any) -> Any:
    """The form under which equality is at least as fine as anything a program can observe.

    One NaN, one zero; True is not 1 and "1" is not 1, but 1, 1.0 and Fraction(1) are one value.
    """
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, float):
        if value != value:
            return _NAN
        return Fraction(value) if isfinite(value) else ("float", value)
    return value


def cell_kind(cell: Scalar) -> str:
    """The kind of the values: "float", "int", "bool", "str", or "" for any scalar."""
    if cell.kind:
        return cell.kind
    return {"Real": "float", "Int": "int", "Bool": "bool"}.get(cell.element, "")


def cell_contains(cell: Scalar, value: Any) -> bool:
    """Whether a value has the kind of the cell, is finite, and lies within its bounds."""
    kind = cell_kind(cell)
    lo, hi = bound_value(cell.lo, False), bound_value(cell.hi, True)
    if kind == "str":
        return isinstance(value, str)
    if kind == "bool":
        if not (isinstance(value, bool) or value in (0, 1)):
            return False
    elif kind in ("int", "float"):
        if isinstance(value, bool) or not isinstance(value, (int, Fraction, float)):
            return False
        if isinstance(value, float) and not isfinite(value):
            return False
        if kind == "int" and Fraction(value).denominator != 1:
            return False
    elif not isinstance(value, (int, float, Fraction, str)):
        return False
    if lo is None and hi is None:
        return True
    if isinstance(value, str):
        return False
    # A NaN fails both comparisons, so a bounded cell never contains it.
    return bool((lo is None or value >= lo) and (hi is None or value <= hi) and value == value)


def cell_distance(cell: Scalar, x: Any, y: Any) -> Fraction:
    """abs(x - y), or 0 and 1 under the discrete metric."""
    if cell.element in ("Data", "Bool"):
        if cell.element == "Bool":
            return Fraction(bool(x) != bool(y))
        return Fraction(canonical(x) != canonical(y))
    return abs(Fraction(x) - Fraction(y))


def _fit(cell: Scalar, value: Fraction | int) -> Any:
    """The value nearest to `value` in the cell, in the type of the cell."""
    lo, hi = bound_value(cell.lo, False), bound_value(cell.hi, True)
    kind = cell_kind(cell)
    if kind == "bool":
        return bool(min(max(value, lo or 0), 1 if hi is None else hi))
    if kind == "int":
        value = floor(value)
        value = value if lo is None else max(value, ceil(lo))
        return value if hi is None else min(value, floor(hi))
    value = value if lo is None else max(value, lo)
    return Fraction(value if hi is None else min(value, hi))


def nearest_zero(cell: Scalar) -> Any:
    """The value of the cell that is nearest to zero."""
    return "" if cell_kind(cell) == "str" else _fit(cell, 0)


def sample_cell(cell: Scalar, rng: Random) -> Any:
    """A value: special ones, ends of the range, grid points inside it, and large ones."""
    kind = cell_kind(cell)
    if kind == "str":
        return rng.choice(TEXTS)
    if kind == "bool":
        return _fit(cell, rng.randrange(2))
    lo, hi = bound_value(cell.lo, False), bound_value(cell.hi, True)
    draw = rng.random()
    if lo is not None and hi is not None and draw < 0.7:
        return _fit(
            cell, rng.choice((lo, hi, (lo + hi) / 2, lo + (hi - lo) * rng.randint(0, 64) / 64))
        )
    if draw < 0.85 or lo is not None or hi is not None:
        near = lo if lo is not None else hi if hi is not None else 0
        shift = rng.choice((Fraction(rng.randint(-24, 24), rng.choice((1, 2, 4, 8))), near))
        return _fit(cell, rng.choice((rng.choice(_REALS), shift, near + shift)))
    return _fit(cell, rng.choice((1, -1)) * (_HUGE + rng.randint(0, 3)))


def cell_extremes(cell: Scalar) -> list[Any]:
    """The ends of the range and zero; large values where the range has no end."""
    kind = cell_kind(cell)
    if kind == "str":
        return ["", "a", TEXTS[-1]]
    if kind == "bool":
        return list(dict.fromkeys((_fit(cell, 0), _fit(cell, 1))))
    lo, hi = bound_value(cell.lo, False), bound_value(cell.hi, True)
    ends = (0, -_HUGE if lo is None else lo, _HUGE if hi is None else hi)
    return list(dict.fromkeys(_fit(cell, end) for end in ends))


def other_cell(cell: Scalar, x: Any, rng: Random) -> Any:
    """Another value of the cell, whatever the distance; `x` itself if none was found."""
    for _ in range(6):
        y = rng.choice(cell_extremes(cell)) if rng.random() < 0.5 else sample_cell(cell, rng)
        if canonical(y) != canonical(x):
            return y
    return x


def move_cell(cell: Scalar, x: Any, d: int | Fraction, rng: Random) -> Any:
    """A value at distance at most `d`; exactly `d` when the range and the draw permit."""
    if cell.element in ("Data", "Bool"):
        return other_cell(cell, x, rng) if d >= 1 else x
    step = Fraction(d) if rng.random() < 0.85 else Fraction(d) * rng.randint(1, 7) / 8
    if cell_kind(cell) == "int":
        step = Fraction(floor(step))
    x = Fraction(x)
    there, back = (x + step, x - step) if rng.random() < 0.5 else (x - step, x + step)
    for y in (there, back):
        if cell_contains(cell, y):
            return int(y) if cell_kind(cell) == "int" else y
    return _fit(cell, there)


def shrink_cell(cell: Scalar, x: Any) -> Iterator[Any]:
    """Simpler values: the one nearest zero, then rounder and smaller ones."""
    seen = {canonical(x)}
    if isinstance(x, str):
        candidates: list[Any] = ["", "a", x[: len(x) // 2], x[:-1]]
    elif isinstance(x, bool):
        candidates = [False]
    elif isinstance(x, float) and not isfinite(x):
        candidates = [0]
    else:
        number = Fraction(x)
        candidates = [
            0,
            1,
            abs(number),
            floor(number),
            floor(number / 2),
            number.limit_denominator(8),
        ]
    for y in candidates:
        y = y if isinstance(y, (str, bool)) else _fit(cell, y)
        if canonical(y) not in seen and _weight(y) < _weight(x) and cell_contains(cell, y):
            seen.add(canonical(y))
            yield y


def zeroed(cell: Scalar, x: Any) -> Any:
    """The value nearest to zero, if it is simpler than `x`; else `x`."""
    zero = nearest_zero(cell)
    return zero if _weight(zero) < _weight(x) else x


def _weight(x: Any) -> tuple[Any, ...]:
    """How complicated a value is: every simplification lowers it, so shrinking ends."""
    if isinstance(x, str):
        return (2, len(x), x)
    if isinstance(x, float) and not isfinite(x):
        return (3,)
    number = Fraction(x)
    return (1, number.denominator, abs(number), number < 0)
