"""What rows add, in SQL: steps of a public grid, as `columns.grids` has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from metricdp.columns.grids import Ball, BallBeside, Bound, GridRange, Squares, scaled
from metricdp.columns.language import Node, nearest
from metricdp.engines.dialect import Dialect, NoForm
from metricdp.engines.forms import clamped

_INTEGER: Final = Node("constant", (), "integer")
#: Grids between which a power of two and its products with numbers of a range are normal doubles.
_DEEP: Final = 900
#: Steps per whole number, as a power of two.
_FINER: Final = 60


#: Bits of integers that are multiplied or divided without a loss.
_BITS: Final = 120
#: Bits of squares whose roots doubles give to the nearest whole number or the one beside it.
_ROOT_BITS: Final = 100

#: An expression, and the node of which it is.
Entry = tuple[str, Node]
#: Makes columns of expressions, and gives their names.
Kept = Callable[[Sequence[str]], list[str]]


def steps(
    sql: Dialect, entries: Sequence[Entry], bound: Bound | BallBeside, kept: Kept
) -> list[str]:
    """What rows add within a bound, in steps of its grid.

    Args:
        entries: of a vector, or one number.

    Raises:
        NoForm: a bound whose steps do not fit.
    """
    if isinstance(bound, GridRange):
        ((text, node),) = entries
        return [_nearest(sql, text, node, bound)]
    if isinstance(bound, BallBeside):
        text, node = entries[-1]
        return [
            *_in_ball(sql, entries[:-1], bound.ball, kept),
            _nearest(sql, text, node, bound.last),
        ]
    if isinstance(bound, Squares):
        inner = kept(steps(sql, entries, bound.ball, kept))
        if 2 * _size(bound.ball.entries).bit_length() > _BITS - 40:
            raise NoForm("products of numbers of so many bits")
        return [f"(CAST({a} AS {sql.huge}) * {b})" for a in inner for b in inner]
    return _in_ball(sql, entries, bound, kept)


def _in_ball(sql: Dialect, entries: Sequence[Entry], ball: Ball, kept: Kept) -> list[str]:
    """`Ball.ticks`: rounded towards 0, and scaled down in integers where a norm is larger."""
    found = [_towards_zero(sql, text, node, ball.entries) for text, node in entries]
    most = _size(ball.entries)
    for norm, radius in ball.radii if found else ():
        found = kept(found)
        if norm == "L1":
            whole, limit = f"({' + '.join(f'abs({t})' for t in found)})", radius
            (size,) = kept([whole])
            (inside,) = kept([f"({size} <= {sql.whole(_below(limit))})"])
            bits = (most * len(found)).bit_length()
        else:
            whole = f"({' + '.join(f'CAST({t} AS {sql.huge}) * {t}' for t in found)})"
            (square,) = kept([whole])
            root = sql.rounded("floor", f"sqrt(CAST({square} AS DOUBLE))")
            (near,) = kept([f"CAST({root} AS {sql.huge})"])
            above = f"({near} + 1) * ({near} + 1) <= {square}"
            down = f"WHEN {near} * {near} > {square} THEN {near} ELSE {near} + 1 END"
            size, inside = kept(
                [f"CASE WHEN {above} THEN {near} + 2 {down}",
                 f"({square} <= {sql.whole(_below(radius * radius))})"]
            )  # fmt: skip
            bits = (most * len(found)).bit_length() + 2
            if 2 * most.bit_length() + len(found).bit_length() > _ROOT_BITS:
                raise NoForm("lengths of vectors of so many bits")
        up, under = radius.numerator, radius.denominator
        if max(up.bit_length() + most.bit_length(), under.bit_length() + bits) > _BITS:
            raise NoForm("a radius of so many bits")
        parts = (f"(CAST({t} AS {sql.huge}) * {sql.whole(up)})" for t in found)
        by = f"(CAST({size} AS {sql.huge}) * {sql.whole(under)})"
        found = [
            f"CASE WHEN {inside} THEN {t} "
            f"ELSE CAST({sql.quotient(part, by, float(most * up))} AS BIGINT) END"
            for t, part in zip(found, parts, strict=True)
        ]
    return found


def _below(x: Fraction) -> int:
    """The whole number at or below one, or one that no integer of a row reaches."""
    return min(x.numerator // x.denominator, 1 << 125)


def _size(entries: GridRange) -> int:
    return max(-entries.first, entries.last, 1)


def _towards_zero(sql: Dialect, text: str, node: Node, entries: GridRange) -> str:
    if node.base != "double":
        raise NoForm(f"a vector of {node.base}s")
    if _size(entries) > 1 << 53 or abs(entries.exponent) > _DEEP:
        raise NoForm("a ball of so many steps")
    low, high = (scaled(end, entries.exponent) for end in (entries.first, entries.last))
    if not _inside(node, low, high):
        text = clamped(sql, text, float(low), float(high), node)
    scaled_up = f"({text} * {sql.double(2.0**-entries.exponent)})"
    return f"CAST({sql.rounded('trunc', scaled_up)} AS BIGINT)"


def _nearest(sql: Dialect, text: str, node: Node, bound: GridRange) -> str:
    """The steps of a grid nearest to a number, ties to even, inside of a range: 64 bits.

    Args:
        text: the expression of the number.

    Raises:
        NoForm: a grid whose steps do not fit.
    """
    if max(-bound.first, bound.last) >= 1 << 62:
        raise NoForm("sums of numbers beyond 62 bits")
    if node.base == "boolean":
        return _nearest(sql, f"CASE WHEN {text} THEN 1 ELSE 0 END", _INTEGER, bound)
    low, high = (scaled(end, bound.exponent) for end in (bound.first, bound.last))
    if node.base == "integer":
        if not -_FINER < bound.exponent <= 0:
            raise NoForm("whole numbers on a grid of another size")
        first, last = low.numerator // low.denominator, -(-high.numerator // high.denominator)
        if not _inside(node, first, last):
            text = clamped(sql, text, first, last, node)
        steps = f"(CAST({text} AS {sql.huge}) * {sql.whole(1 << -bound.exponent)})"
        if low.denominator > 1 or high.denominator > 1:
            steps = f"greatest(least({steps}, {sql.whole(bound.last)}), {sql.whole(bound.first)})"
        return f"CAST({steps if bound.exponent else text} AS BIGINT)"
    if any(Fraction(nearest(end)) != end for end in (low, high)) or abs(bound.exponent) > _DEEP:
        raise NoForm("a range whose ends are no doubles")
    if not _inside(node, low, high):
        text = clamped(sql, text, float(low), float(high), node)
    return sql.nearest(f"{text} * {sql.double(2.0**-bound.exponent)}")


def _inside(node: Node, low: Any, high: Any) -> bool:
    return node.range is not None and low <= node.range[0] and node.range[1] <= high
