"""What rows add, in the SQL of DuckDB: steps of a public grid, as `columns.grids` has them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from metricdp.columns.grids import GridRange, scaled
from metricdp.columns.language import Node, nearest
from metricdp.engines.forms import clamped
from metricdp.engines.literals import NoForm, double

_INTEGER: Final = Node("constant", (), "integer")
#: Grids between which a power of two and its products with numbers of a range are normal doubles.
_DEEP: Final = 900


def ticks(text: str, node: Node, bound: GridRange) -> str:
    """The steps of a grid nearest to a number, ties to even, inside of a range: 64 bits.

    Args:
        text: the expression of the number.

    Raises:
        NoForm: a grid whose steps do not fit.
    """
    if max(-bound.first, bound.last) >= 1 << 62:
        raise NoForm("sums of numbers beyond 62 bits")
    if node.base == "boolean":
        return ticks(f"CASE WHEN {text} THEN 1 ELSE 0 END", _INTEGER, bound)
    low, high = (scaled(end, bound.exponent) for end in (bound.first, bound.last))
    if node.base == "integer":
        if bound.exponent > 0:
            raise NoForm("a grid that is coarser than whole numbers")
        first, last = low.numerator // low.denominator, -(-high.numerator // high.denominator)
        if not _inside(node, first, last):
            text = clamped(text, first, last, node)
        steps = f"(CAST({text} AS HUGEINT) * {1 << -bound.exponent})"
        if low.denominator > 1 or high.denominator > 1:
            steps = f"greatest(least({steps}, {bound.last}), {bound.first})"
        return f"CAST({steps if bound.exponent else text} AS BIGINT)"
    if any(Fraction(nearest(end)) != end for end in (low, high)) or abs(bound.exponent) > _DEEP:
        raise NoForm("a range whose ends are no doubles")
    if not _inside(node, low, high):
        text = clamped(text, float(low), float(high), node)
    return f"CAST({text} * {double(2.0**-bound.exponent)} AS BIGINT)"


def _inside(node: Node, low: Any, high: Any) -> bool:
    return node.range is not None and low <= node.range[0] and node.range[1] <= high
