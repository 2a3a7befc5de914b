"""Radius and diameter of a domain, as public expressions."""

from __future__ import annotations

from metricdp.expr import INF, ONE, ZERO, Expr, maximum, minimum, num, power
from metricdp.spaces.aligned import Aligned
from metricdp.spaces.base import NEG_INF, Space
from metricdp.spaces.matrices import Matrix
from metricdp.spaces.norms import conversion, norm_of
from metricdp.spaces.products import TupleSpace
from metricdp.spaces.records import Records
from metricdp.spaces.rows import Row
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.vectors import Entries


def implied_radius(space: Space, norm: str = "") -> Expr:
    """The least known bound on the norm of a value (of every row of a matrix); oo if none.

    Args:
        norm: "L1", "L2" or "LInf"; "" for a scalar, whose absolute value is bounded.
    """
    row = space.row if isinstance(space, Matrix) else space
    if isinstance(row, Scalar):
        return _largest(row.lo, row.hi)
    if not isinstance(row, Entries):
        return INF
    bounds = [(p, c) for p, c in row.radius if c != INF]
    largest = _largest(row.lo, row.hi)
    # A box that is only the shadow of a ball is never smaller than the ball.
    if largest != INF and not any(largest == c for _, c in bounds):
        bounds.append(("LInf", largest))
    return _least([c * k for p, c in bounds if (k := _constant(p, norm, row.size)) is not None])


def diameter(space: Space, norm: str = "") -> Expr:
    """An upper bound on the distance, over the reals, of two values of the domain; oo if unbounded.

    Of a matrix: of two of its rows; of records: of two records.  From a radius (p, c) it is
    2 c n**max(0, 1/q - 1/p), or c 2**(1/p) and so on for nonnegative values; from bounds of the
    entries it is (hi - lo) n**(1/q).

    Args:
        norm: "L1", "L2" or "LInf", the norm of the distance; "" for a scalar.
    """
    if isinstance(space, Records):
        return diameter(space.row, norm)
    if isinstance(space, TupleSpace):
        total = ZERO
        for part in space.parts:
            total = total + diameter(part, norm)
        return total
    if isinstance(space, (Row, Aligned)):
        return INF
    row = space.row if isinstance(space, Matrix) else space
    if isinstance(row, Scalar):
        return _width(row.lo, row.hi)
    if not isinstance(row, Entries):
        return INF
    found = []
    for p, c in row.radius:
        constant = _constant(p, norm, row.size)
        if c != INF and constant is not None:
            found.append(c * constant * _opposite(row, p, norm))
    width = _width(row.lo, row.hi)
    constant = _constant("LInf", norm, row.size)
    # A box that is only the shadow of a ball is never smaller than the ball.
    if any(row.lo == -c and row.hi == c for _, c in row.radius):
        return _least(found)
    if width != INF and constant is not None:
        found.append(width * constant)
    return _least(found)


def _opposite(row: Entries, p: str, q: str) -> Expr:
    """How far apart, in units of the radius: 2, or less if all values have one sign.

    For x, y >= 0 the q-norm of x - y is at most that of (x, y) side by side, 2**(1/q) radii; and
    it is at most n**max(0, 1/q - 1/p) times its p-norm, 2**(1/p) radii.
    """
    if not (_nonnegative(row.lo) or _nonnegative(-row.hi)):
        return num(2)
    if row.size == ONE:
        return ONE
    return power(num(2), num(min(norm_of(p).inverse, norm_of(q).inverse)))


def _constant(p: str, q: str, size: Expr | None) -> Expr | None:
    if p == q or norm_of(q).inverse <= norm_of(p).inverse:
        return ONE
    return None if size is None else conversion(p, q, size)


def _nonnegative(lo: Expr) -> bool:
    return lo != NEG_INF and lo.sign() in ("0", "+", ">=0")


def _largest(lo: Expr, hi: Expr) -> Expr:
    if lo == NEG_INF or hi == INF:
        return INF
    return hi if _nonnegative(lo) else maximum(abs(lo), abs(hi))


def _width(lo: Expr, hi: Expr) -> Expr:
    return INF if lo == NEG_INF or hi == INF else hi - lo


def _least(found: list[Expr]) -> Expr:
    return minimum(*found) if len(found) > 1 else found[0] if found else INF
