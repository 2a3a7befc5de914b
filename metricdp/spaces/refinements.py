"""Refinements that ride in `typing.Annotated`: facts about the values of a space."""

from __future__ import annotations

from fractions import Fraction
from math import isinf, isnan
from typing import Any

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF, ZERO, Expr, maximum, minimum, num, sym
from metricdp.spaces.base import NEG_INF, Refinement, Space
from metricdp.spaces.markers import show
from metricdp.spaces.norms import norm_name


def constant(value: object, what: str) -> Expr:
    """A bound as an expression: the double that Python builds, a name of a public parameter, or an
    expression.

    Raises:
        SpaceError: NaN, or no number.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str) and value.isidentifier():
        return sym(value)
    if isinstance(value, int | Fraction):
        return num(Fraction(value))
    if isinstance(value, float) and not isnan(value):
        if isinf(value):
            return INF if value > 0 else NEG_INF
        return num(Fraction(value))
    raise SpaceError(f"{what} {show(value)} is no number", remedy=f"write a finite {what}")


class Bounds(Refinement):
    """Every value lies in [lo, hi]: of a scalar, of every entry, or of every scalar record.

    Args:
        lo, hi: numbers (the double that Python builds), names of public parameters, or expressions.

    Raises:
        SpaceError: a bound that is no number, or lo > hi.
    """

    __slots__ = ("hi", "lo")

    def __init__(self, lo: object, hi: object) -> None:
        self.lo, self.hi = constant(lo, "lower bound"), constant(hi, "upper bound")
        if _known_greater(self.lo, self.hi):
            raise SpaceError(
                f"the bounds {self.lo} and {self.hi} are swapped",
                remedy=f"write Bounds({self.hi}, {self.lo})",
            )

    def apply(self, space: Any) -> Space | None:
        for part in ("row", "inner"):
            row = getattr(space, part, None)
            if part in space.__struct_fields__ and row is not None:
                inner = self.apply(row)
                return None if inner is None else _replaced(space, **{part: inner})
        if not _has(space, "lo", "hi"):
            return None
        if getattr(space, "kind", "") == "str":
            return None
        lo = _tighter(space.lo, self.lo, largest=True)
        hi = _tighter(space.hi, self.hi, largest=False)
        if _known_greater(lo, hi):
            raise SpaceError(f"no value of {space} lies in [{lo}, {hi}]", remedy="widen the bounds")
        return _replaced(space, lo=lo, hi=hi)

    def __repr__(self) -> str:
        return f"Bounds({self.lo}, {self.hi})"


class RowBound(Refinement):
    """The norm of every row of a matrix, or of a whole vector or gradient, is at most `radius`.

    Args:
        norm: L1, L2 or LInf, always over the real values, also under Data.
        radius: nonnegative number, name of a public parameter, or expression.

    Raises:
        SpaceError: no norm, no number, or a negative radius.
    """

    __slots__ = ("norm", "radius")

    def __init__(self, norm: object, radius: object) -> None:
        self.norm, self.radius = norm_name(norm), constant(radius, "radius")
        if _known_greater(ZERO, self.radius):
            raise SpaceError(f"the radius {self.radius} is negative", remedy="write a radius >= 0")

    def apply(self, space: Any) -> Space | None:
        if not _has(space, "radius"):
            return None
        radius = (*space.radius, (self.norm, self.radius))
        return _replaced(space, radius=radius)

    def __repr__(self) -> str:
        return f"RowBound({self.norm}, {self.radius})"


class Size(Refinement):
    """Names or numbers for the sizes: `Size("n")` of a vector or of rows, `Size("n", "m")` of rows
    and columns.  Equal names are enforced equal.

    Raises:
        SpaceError: no name and no nonnegative integer, or more than two sizes.
    """

    __slots__ = ("sizes",)

    def __init__(self, *sizes: object) -> None:
        if not 1 <= len(sizes) <= 2:
            raise SpaceError(
                "Size takes one or two sizes", remedy='write Size("n") or Size("n", "m")'
            )
        self.sizes = tuple(_size(size) for size in sizes)

    def apply(self, space: Any) -> Space | None:
        if _has(space, "rows", "cols"):
            fields = dict(zip(("rows", "cols"), self.sizes, strict=False))
            return _replaced(space, **fields)
        fits = _has(space, "size") and getattr(space, "sized", True) and len(self.sizes) == 1
        return _replaced(space, size=self.sizes[0]) if fits else None

    def __repr__(self) -> str:
        return f"Size({', '.join(map(str, self.sizes))})"


class NonNegative(Refinement):
    """Every value is at least 0.  The class itself may be written, without parentheses."""

    __slots__ = ()
    bare = True

    def apply(self, space: Any) -> Space | None:
        return Bounds(0, INF).apply(space)

    def __repr__(self) -> str:
        return "NonNegative"


class NoNaN(Refinement):
    """NaN is kept out: replaced by 0 when data enter, or its record dropped with `drop=True`."""

    __slots__ = ("drop",)
    bare = True

    def __init__(self, drop: bool = False) -> None:
        self.drop = drop

    def apply(self, space: Any) -> Space | None:
        if not self.drop:
            return _replaced(space)
        if not _has(space, "drop_nan") or getattr(space, "sized", False):
            return None
        return _replaced(space, drop_nan=True)

    def __repr__(self) -> str:
        return "NoNaN(drop=True)" if self.drop else "NoNaN"


REFINEMENTS: tuple[type[Refinement], ...] = (Bounds, RowBound, Size, NonNegative, NoNaN)


def _replaced(space: Space, **fields: object) -> Space:
    return msgspec.structs.replace(space, **fields)


def _has(space: Space, *fields: str) -> bool:
    return all(field in space.__struct_fields__ for field in fields)


def _size(size: object) -> Expr:
    if isinstance(size, Expr):
        return size
    if isinstance(size, str) and size.isidentifier():
        return sym(size, nonneg=True, integer=True)
    if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
        return num(size)
    raise SpaceError(f"{show(size)} is no size", remedy='write a name, as in Size("n")')


def _known_greater(left: Expr, right: Expr) -> bool:
    if right == NEG_INF or left == INF:
        return left != right
    if left == NEG_INF or right == INF:
        return False
    a, b = left.as_fraction(), right.as_fraction()
    return a is not None and b is not None and a > b


def _tighter(old: Expr, new: Expr, *, largest: bool) -> Expr:
    if old == (NEG_INF if largest else INF):
        return new
    if new == (NEG_INF if largest else INF):
        return old
    return maximum(old, new) if largest else minimum(old, new)
