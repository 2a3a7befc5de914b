"""Private vectors and matrices at run time: lists of exact rationals with entrywise arithmetic.

Reference functions of primitives see plain lists (lists of lists); operators work entrywise as on
NumPy arrays.  An index is clamped into range and an empty container yields 0, so that no
private index raises.  Lengths are public, so unequal lengths do raise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex

from metricdp.errors import SpaceError
from metricdp.values.exact import Exact, exact


class _Entrywise(list[Any]):
    """Entrywise operators on top of `_combine` and `_map`; `x += y` makes a new container."""

    __slots__ = ()
    __array_ufunc__ = None

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        raise NotImplementedError

    def _map(self, operation: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._combine(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._combine(other, lambda x, y: y + x)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, lambda x, y: y - x)

    def __mul__(self, other: Any) -> Any:
        return self._combine(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._combine(other, operator.mul)

    def __truediv__(self, other: Any) -> Any:
        return self._combine(other, operator.truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return self._combine(other, lambda x, y: y / x)

    def __floordiv__(self, other: Any) -> Any:
        return self._combine(other, operator.floordiv)

    def __mod__(self, other: Any) -> Any:
        return self._combine(other, operator.mod)

    def __pow__(self, other: Any) -> Any:
        return self._combine(other, operator.pow)

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __imul__(self, other: Any) -> Any:
        return self * other

    def __neg__(self) -> Any:
        return self._map(operator.neg)

    def __pos__(self) -> Any:
        return self._map(operator.pos)

    def __abs__(self) -> Any:
        return self._map(abs)


class ExactVector(_Entrywise):
    """A list of `Exact` (and `str`, `bool` under the discrete metric), with + - * / // % **.

    The other operand is a number, or a vector, list, tuple or NumPy array of the same length.

    Raises:
        SpaceError: operands of unequal length.
    """

    __slots__ = ()

    def __init__(self, entries: Iterable[Any] = ()) -> None:
        super().__init__(map(_entry, entries))

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        entries = _entries(other)
        if entries is None:
            number = _scalar(other)
            if number is None:
                return NotImplemented
            return ExactVector(operation(_operand(x), number) for x in self)
        if len(entries) != len(self):
            raise _unequal(len(self), len(entries))
        pairs = zip(self, entries, strict=True)
        return ExactVector(operation(_operand(x), _operand(y)) for x, y in pairs)

    def _map(self, operation: Callable[[Any], Any]) -> ExactVector:
        return ExactVector(operation(_operand(x)) for x in self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ExactVector(list.__getitem__(self, plain_slice(index)))
        return list.__getitem__(self, position(index, len(self))) if self else Exact(0)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            list.__setitem__(self, plain_slice(index), ExactVector(value))
        elif self:
            list.__setitem__(self, position(index, len(self)), _entry(value))

    def copy(self) -> ExactVector:
        return ExactVector(self)


class ExactMatrix(_Entrywise):
    """A list of `ExactVector` rows of one length; `m[i]`, `m[i, j]`, `.rows`, `.cols`.

    Args:
        entries: the rows.
        cols: number of columns, needed when there are no rows.

    Raises:
        SpaceError: rows of unequal length, or operands of unequal shape.
    """

    __slots__ = ("_cols",)

    def __init__(self, entries: Iterable[Any] = (), cols: int | None = None) -> None:
        super().__init__(r if isinstance(r, ExactVector) else ExactVector(r) for r in entries)
        self._cols = len(list.__getitem__(self, 0)) if len(self) else (cols or 0)
        if any(len(row) != self._cols for row in self):
            raise SpaceError("rows of unequal length", remedy="give every row the same length")

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self)

    @property
    def cols(self) -> int:
        """Number of columns."""
        return self._cols

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        rows = _entries(other)
        if rows is None:
            number = _scalar(other)
            if number is None:
                return NotImplemented
            return ExactMatrix((operation(row, number) for row in self), self.cols)
        if len(rows) != len(self):
            raise _unequal(len(self), len(rows))
        pairs = zip(self, rows, strict=True)
        return ExactMatrix((operation(x, _vector(y)) for x, y in pairs), self.cols)

    def _map(self, operation: Callable[[Any], Any]) -> ExactMatrix:
        return ExactMatrix(map(operation, self), self.cols)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            row, column = index
            picked = self[row]
            if isinstance(picked, ExactMatrix):
                return ExactVector(r[column] for r in picked)
            return picked[column]
        if isinstance(index, slice):
            return ExactMatrix(list.__getitem__(self, plain_slice(index)), self.cols)
        if not self:
            return ExactVector([0] * self.cols)
        return list.__getitem__(self, position(index, len(self)))

    def copy(self) -> ExactMatrix:
        return ExactMatrix(map(ExactVector, self), self.cols)


def position(index: Any, length: int) -> int:
    """A list index for any number: Python's meaning in range, else the nearest end.

    A fraction is rounded down; `length` is at least 1.
    """
    number = exact(index)
    i = number.numerator // number.denominator
    return 0 if i < -length else min(i, length - 1)


def plain_slice(index: slice) -> slice:
    """A slice whose ends may be any numbers, with ends that lists and arrays accept."""

    def end(x: Any) -> SupportsIndex | None:
        return None if x is None else int(exact(x))

    return slice(end(index.start), end(index.stop), end(index.step))


def _entry(x: Any) -> Any:
    if isinstance(x, (Exact, bool, str)):
        return x
    return Exact(x)


def _operand(x: Any) -> Any:
    # A Boolean in arithmetic is a number: True / False would raise.
    return x if isinstance(x, (Exact, str)) else Exact(x)


def _vector(x: Any) -> Any:
    return x if isinstance(x, ExactVector) else ExactVector(x)


def _scalar(x: Any) -> Exact | None:
    if isinstance(x, Exact):
        return x
    try:
        return Exact(x)
    except TypeError:
        return None


def _entries(x: Any) -> Sequence[Any] | None:
    if isinstance(x, (list, tuple)):
        return x
    if hasattr(x, "tolist") and getattr(x, "ndim", 0) > 0:
        converted: list[Any] = x.tolist()
        return converted
    return None


def _unequal(left: int, right: int) -> SpaceError:
    return SpaceError(
        f"operands of unequal length, {left} and {right}", remedy="give both the same length"
    )
