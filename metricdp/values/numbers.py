"""Private numbers of public length, exactly, in an array.

A number is an entry of the array times the unit: a finite double, or an integer (64 bits, or as
Python holds it where these do not suffice), times a rational.  Widths are computed before every
operation on integers, so none overflows.  What has a form in arrays (`values.forms`, the
mechanisms) reads the array; everything else reads the same numbers as rationals, made once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from metricdp.values.exact import Exact, to_float
from metricdp.values.sums import sum_of_array
from metricdp.values.vectors import ExactMatrix, ExactVector, plain_slice, position

#: Integers of smaller size add and change their sign in 64 bits.
LIMIT = 1 << 62
_ONE = Fraction(1)


class Numbers(Sequence[Exact]):
    """A vector of numbers; nothing changes it.

    Args:
        array: shape (n,); float64, finite and without -0.0, or int64, or Python integers (dtype
            object); it is not copied, and not to be written any more.
        unit: > 0.
        most: a bound on |entry| of integers, where one is known.
        discrete: the numbers are a row of a table or the result of a black box, or were made of
            these: of doubles that are discrete data, a rule may take any function.
    """

    __slots__ = ("_listed", "_most", "array", "discrete", "unit")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, array: Any, unit: Fraction = _ONE, *, most: int | None = None, discrete: bool = False
    ) -> None:
        self.array, self.unit, self.discrete = array, unit, discrete
        self._most = most
        self._listed: ExactVector | None = None

    @property
    def doubles(self) -> Any:
        """The float64 array, where the numbers are its entries; else None."""
        return self.array if self.array.dtype.kind == "f" and self.unit == 1 else None

    @property
    def most(self) -> int:
        """A bound on |entry|, of integers."""
        if self._most is None:
            ends = (int(self.array.min()), int(self.array.max())) if len(self) else (0, 0)
            self._most = max(-ends[0], ends[1], 0)
        return self._most

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.vector())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            part = self.array[plain_slice(index)]
            return Numbers(part, self.unit, most=self._most, discrete=self.discrete)
        if not len(self):
            return Exact(0)
        return self._number(self.array[position(index, len(self))])

    def _number(self, entry: Any) -> Exact:
        plain = entry.item() if hasattr(entry, "item") else entry
        return Exact(plain if self.unit == 1 else Fraction(plain) * self.unit)

    def __eq__(self, other: object) -> Any:
        return self.vector() == (other.vector() if isinstance(other, Numbers) else other)

    def __repr__(self) -> str:
        return "Numbers(private)"

    def vector(self) -> ExactVector:
        """The same numbers as rationals; made once, so it is not to be changed."""
        if self._listed is None:
            top, bottom = self.unit.as_integer_ratio()
            ratios = (x.as_integer_ratio() for x in self.array.tolist())
            self._listed = ExactVector(Exact.ratio(a * top, b * bottom) for a, b in ratios)
        return self._listed

    def plain(self) -> list[float]:
        """The nearest doubles."""
        if self.array.dtype.kind == "f" and self.unit == 1:
            found: list[float] = self.array.tolist()
            return found
        return [to_float(Fraction(x) * self.unit) for x in self.array.tolist()]

    def natural(self) -> list[int | float]:
        """Integers where they are whole, else the nearest doubles; discrete data as doubles."""
        if self.discrete:
            return list(self.plain())
        if self.array.dtype.kind != "f" and self.unit == 1:
            integers: list[int | float] = self.array.tolist()
            return integers
        if self.unit == 1:
            return [int(x) if x.is_integer() else x for x in self.array.tolist()]
        return [int(x) if x.denominator == 1 else to_float(x) for x in self.vector()]

    def taken(self, positions: Sequence[int]) -> Numbers:
        """The entries at these positions, in this order."""
        import numpy as np

        part = self.array[np.array(positions, np.int64)]
        return Numbers(part, self.unit, most=self._most, discrete=self.discrete)

    def times(self, factor: Fraction) -> Numbers:
        """Every number times a factor."""
        import numpy as np

        if not factor:
            return Numbers(np.zeros(len(self), np.int64))
        array = self.array if factor > 0 else 0 - self.signed()
        return Numbers(array, self.unit * abs(factor), most=self._most)

    def signed(self) -> Any:
        """The array, wide enough for the opposite of every entry."""
        wide = self.array.dtype.kind == "i" and self.most >= 2 * LIMIT
        return self.array.astype(object) if wide else self.array

    def total(self) -> Fraction:
        """The sum."""
        if self.array.dtype.kind == "f":
            return sum_of_array(self.array) * self.unit
        return _total(self.array, self.most) * self.unit

    def size(self) -> Fraction:
        """The sum of the absolute values."""
        import numpy as np

        return Numbers(np.abs(self.signed()), self.unit, most=self._most).total()

    def largest(self) -> Fraction:
        """The largest absolute value."""
        if self.array.dtype.kind != "f":
            return Numbers(self.array).most * self.unit
        ends = (float(self.array.min()), float(self.array.max())) if len(self) else (0.0, 0.0)
        return Fraction(max(-ends[0], ends[1])) * self.unit

    def square(self) -> Fraction:
        """The sum of the squares."""
        if self.array.dtype.kind == "f" and (halves := _squares(self.array)) is not None:
            total = sum(sum_of_array(half) for half in halves)
            return total * self.unit * self.unit
        numbers = self.whole()
        most = numbers.most
        array = numbers.array if most * most < LIMIT else numbers.array.astype(object)
        return _total(array * array, most * most) * numbers.unit * numbers.unit

    def whole(self) -> Numbers:
        """The same numbers with integers for entries."""
        if self.array.dtype.kind != "f":
            return self
        array, exponent, most = _integers(self.array)
        return Numbers(array, self.unit * power(exponent), most=most, discrete=self.discrete)


def _total(integers: Any, most: int) -> int:
    """The sum of integers up to `most`."""
    wide = most * len(integers) >= LIMIT
    return int((integers.astype(object) if wide else integers).sum()) if len(integers) else 0


def power(exponent: int) -> Fraction:
    """2**exponent."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _integers(doubles: Any) -> tuple[Any, int, int]:
    """Integers and an exponent k with double = integer * 2**k, and a bound on |integer|."""
    import numpy as np

    fractions, exponents = np.frexp(doubles)
    wide = np.ldexp(fractions, 53).astype(np.int64)
    there = wide != 0
    if not there.any():
        return np.zeros(len(doubles), np.int64), 0, 0
    # The lowest bit that is set, as a power of two, which doubles are.
    spare = np.frexp((wide & -wide).astype(np.float64))[1] - 1
    lowest = np.where(there, exponents - 53 + spare, 0)
    k, top = int(lowest[there].min()), int(exponents[there].max())
    if top - k <= 62:
        return np.ldexp(doubles, -k).astype(np.int64), k, 1 << (top - k)
    shifts = np.where(there, lowest - k, 0).astype(object)
    return (wide >> np.where(there, spare, 0)).astype(object) << shifts, k, 1 << (top - k)


def _squares(doubles: Any) -> tuple[Any, Any] | None:
    """Two arrays that add up to the squares, exactly; None where one would leave the doubles.

    Source: Dekker (1971), "A floating-point technique for extending the available precision".
    """
    import numpy as np

    size = np.abs(doubles)
    if float(size.max(initial=0.0)) > 2.0**450 or bool(((size < 2.0**-450) & (size > 0)).any()):
        return None
    wide = doubles * (2.0**27 + 1)
    high = wide - (wide - doubles)
    low = doubles - high
    square = doubles * doubles
    return square, ((high * high - square) + 2 * high * low) + low * low


def scaled(array: Any, most: int, factor: int) -> tuple[Any, int]:
    """array * factor for integers up to `most`, and the bound on the result."""
    size = most * abs(factor)
    if factor == 1:
        return array, size
    if max(size, abs(factor)) >= LIMIT:
        array = array.astype(object)
    return array * factor, size


def alike(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """The same numbers as integers of one unit."""
    x, y = x.whole(), y.whole()
    if x.unit == y.unit:
        return x, y
    bottom = x.unit.denominator * y.unit.denominator
    first = x.unit.numerator * y.unit.denominator
    second = y.unit.numerator * x.unit.denominator
    shared = gcd(first, second)
    unit, made = Fraction(shared, bottom), []
    for numbers, factor in ((x, first // shared), (y, second // shared)):
        array, most = scaled(numbers.array, numbers.most, factor)
        made.append(Numbers(array, unit, most=most, discrete=numbers.discrete))
    return made[0], made[1]


def listed(value: Any) -> Any:
    """A value with rationals in place of arrays; tuples part by part."""
    if isinstance(value, Numbers):
        return value.vector()
    if isinstance(value, NumberMatrix):
        return value.matrix()
    if type(value) is tuple and any(isinstance(part, Sequence) for part in value):
        return tuple(map(listed, value))
    return value


class NumberMatrix(Sequence[Any]):
    """Rows of one length; nothing changes them.

    Args:
        flat: the entries, row by row.
        cols: entries of a row, of which there may be no rows.
    """

    __slots__ = ("_listed", "cols", "flat", "rows")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, flat: Numbers, rows: int, cols: int) -> None:
        self.flat, self.rows, self.cols = flat, rows, cols
        self._listed: ExactMatrix | None = None

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self.matrix())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple | slice) or not self.rows:
            return self.matrix()[index]
        start = position(index, self.rows) % self.rows * self.cols
        return self.flat[start : start + self.cols]

    def __eq__(self, other: object) -> Any:
        return self.matrix() == (other.matrix() if isinstance(other, NumberMatrix) else other)

    def __repr__(self) -> str:
        return "NumberMatrix(private)"

    def matrix(self) -> ExactMatrix:
        """The same numbers as rationals; made once, so it is not to be changed."""
        if self._listed is None:
            self._listed = ExactMatrix(self.split(list(self.flat.vector())), self.cols)
        return self._listed

    def split(self, entries: list[Any]) -> list[list[Any]]:
        """A list in place of the entries, cut into rows."""
        return [entries[i * self.cols : (i + 1) * self.cols] for i in range(self.rows)]

    def taken(self, positions: Sequence[int]) -> NumberMatrix:
        """The rows at these positions, in this order."""
        import numpy as np

        table = self.flat.array.reshape(self.rows, self.cols)
        part = Numbers(table[np.array(positions, np.int64)].ravel(), self.flat.unit)
        return NumberMatrix(part, len(positions), self.cols)


class NumberRows(list[Any]):
    """Rows of a table of numbers, each a vector; `cols` is their public length."""

    def __init__(self, rows: Sequence[Any], cols: int) -> None:
        super().__init__(rows)
        self.cols = cols
