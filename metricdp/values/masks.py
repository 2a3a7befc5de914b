"""Which rows of a column a predicate accepts, at NumPy speed, when it is one comparison.

The predicate is called once, on a stand-in for the row.  If all it does with the stand-in is to
compare it with a public number, the same comparison of the whole column is the answer.  Anything
else that it does (arithmetic, a truth value, another comparison) makes the stand-in give up, and
the caller asks row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.values.column import Column
from metricdp.values.exact import LARGEST, exact, to_float

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Compared:
    """The result of comparing the stand-in: it has no truth value yet."""

    __slots__ = ("number", "operator")

    def __init__(self, operator: str, number: Fraction) -> None:
        self.operator, self.number = operator, number

    def __bool__(self) -> bool:
        raise _GaveUp


class _GaveUp(Exception):
    """The predicate does more than one comparison."""


class _Row:
    """Stands for any row of the column; every operation but a comparison fails."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> Any:
        return _compared("<", other)

    def __le__(self, other: Any) -> Any:
        return _compared("<=", other)

    def __gt__(self, other: Any) -> Any:
        return _compared(">", other)

    def __ge__(self, other: Any) -> Any:
        return _compared(">=", other)

    def __eq__(self, other: object) -> Any:
        return _compared("==", other)

    def __ne__(self, other: object) -> Any:
        return _compared("!=", other)

    def __bool__(self) -> bool:
        raise _GaveUp


def _compared(operator: str, other: Any) -> _Compared:
    if isinstance(other, (bool, int, float, Fraction)):
        return _Compared(operator, exact(other))
    raise _GaveUp


def accepted(predicate: Callable[[Any], Any], column: Column) -> NDArray[np.bool_] | None:
    """One truth value per row; None when the predicate is no single comparison.

    Args:
        predicate: a pure function of one row, as every function of a checked program is.
    """
    try:
        found = predicate(_Row())
    except Exception:
        return None
    if not isinstance(found, _Compared):
        return None
    return _compare(column, found.operator, found.number)


def _compare(column: Column, operator: str, number: Fraction) -> NDArray[np.bool_]:
    """The comparison of every entry with a rational, exact: the least and greatest entry at or
    beyond the number decide it."""
    import numpy as np

    doubles = column.unread()
    if doubles is not None:
        result, at = np.empty(len(doubles), bool), 0
        ends: Any = _doubles_around(number)
        for piece in doubles.pieces():
            result[at : at + len(piece)] = _against(piece, operator, *ends)
            at += len(piece)
        return result
    array: Any = column.ticks
    shifted = number / Fraction(2) ** column.exponent
    low, high = (
        shifted.numerator // shifted.denominator,
        -(-shifted.numerator // shifted.denominator),
    )
    least, most = -(1 << 63), (1 << 63) - 1
    if high < least or low > most:
        above = high < least
        return np.full(len(array), operator in ((">", ">=", "!=") if above else ("<", "<=", "!=")))
    return _against(array, operator, *(np.int64(min(max(x, least), most)) for x in (low, high)))


def _against(array: Any, operator: str, low: Any, high: Any) -> NDArray[np.bool_]:
    """The comparison of entries with a number, of which these are the neighbours among them."""
    import numpy as np

    if operator == "<":
        return np.asarray(array < high)
    if operator == "<=":
        return np.asarray(array <= low)
    if operator == ">":
        return np.asarray(array > low)
    if operator == ">=":
        return np.asarray(array >= high)
    same = array == low if low == high else np.zeros(len(array), bool)
    return np.asarray(same if operator == "==" else ~same)


def _doubles_around(number: Fraction) -> tuple[float, float]:
    """The greatest double at or below and the least at or above; infinite beyond them all."""
    from math import inf, nextafter

    if abs(number) > LARGEST:
        top = float(LARGEST)
        return (top, inf) if number > 0 else (-inf, -top)
    near = to_float(number)
    if Fraction(near) == number:
        return near, near
    return (
        (near, nextafter(near, inf)) if Fraction(near) < number else (nextafter(near, -inf), near)
    )
