"""Long columns of private numbers as arrays: float64, or integers on a power-of-two grid.

Both forms iterate as `Exact`, so reference functions read them; clamp and sum have array forms at
NumPy speed that equal the reference forms entry by entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.values.exact import Exact, exact
from metricdp.values.vectors import ExactVector, plain_slice, position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Grid steps per unit of the larger bound, as a power of two.
FINENESS = 40
#: Finest grid: ticks stay integers that a double holds.
_FINEST = 53
#: Entries handled at a time: the working set stays in the processor's cache.
_CHUNK = 1 << 15


class Column(Sequence[Exact]):
    """A column of numbers: doubles (finite, no -0.0), or ticks of 2**exponent each.

    Attributes:
        floats: float64 array of shape (n,), or None.
        ticks: int64 array of shape (n,), or None.
        exponent: exponent of the grid; 0 for doubles.
    """

    __slots__ = ("_listed", "_total", "exponent", "floats", "ticks")
    __array_ufunc__ = None

    def __init__(
        self,
        floats: NDArray[np.float64] | None = None,
        ticks: NDArray[np.int64] | None = None,
        exponent: int = 0,
        total: int | None = None,
    ) -> None:
        self.floats, self.ticks, self.exponent = floats, ticks, exponent
        self._total = total
        self._listed: ExactVector | None = None

    @classmethod
    def of(cls, numbers: Iterable[Any]) -> Column:
        """A column of doubles from clean numbers (finite)."""
        import numpy as np

        return cls(floats=np.fromiter((float(x) for x in numbers), np.float64) + 0.0)

    def _array(self) -> Any:
        return self.floats if self.ticks is None else self.ticks

    def _value(self, x: int | float) -> Exact:
        return Exact(x) if self.ticks is None else Exact(_scaled(int(x), self.exponent))

    def __len__(self) -> int:
        return len(self._array())

    def __iter__(self) -> Iterator[Exact]:
        return map(self._value, self._array().tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            part = self._array()[plain_slice(index)]
            return Column(part) if self.ticks is None else Column(None, part, self.exponent)
        if not len(self):
            return Exact(0)
        return self._value(self._array()[position(index, len(self))].item())

    def __repr__(self) -> str:
        return "Column(private)"

    def vector(self) -> ExactVector:
        """The same numbers as a list of rationals; made once, so it is not to be changed."""
        if self._listed is None:
            self._listed = ExactVector(self)
        return self._listed

    def taken(self, positions: Sequence[int]) -> Column:
        """The entries at these positions, in this order."""
        import numpy as np

        part = self._array()[np.array(positions, np.int64)]
        return Column(part) if self.ticks is None else Column(None, part, self.exponent)

    def chosen(self, mask: NDArray[np.bool_]) -> Column:
        """The entries where `mask` (shape (n,)) is true, in their order."""
        part = self._array()[mask]
        return Column(part) if self.ticks is None else Column(None, part, self.exponent)


def grid_exponent(lo: Fraction, hi: Fraction) -> int:
    """Exponent k of the public grid for numbers in [lo, hi]: 40 bits below the larger bound.

    The grid is refined, down to 53 bits, until it has a point in [lo, hi].

    Raises:
        ParameterError: lo > hi, or no double lies in [lo, hi].
    """
    if lo > hi:
        raise ParameterError("the lower bound is above the upper bound", remedy="swap the bounds")
    top = max(abs(lo), abs(hi))
    if not top:
        return 0
    magnitude = _magnitude(top)
    for k in range(magnitude - FINENESS, magnitude - _FINEST - 1, -1):
        low, high = _ticks_between(lo, hi, k)
        if low <= high:
            return k
    raise ParameterError(
        "no double lies between the bounds", remedy="give bounds that are doubles, or lie apart"
    )


def clamp_scalar_to_grid(x: Any, lo: Any, hi: Any) -> Exact:
    """The point of the public grid nearest to x (ties to even) among those in [lo, hi].

    Rounding stays inside the bounds, so that a row never counts for more than they say.  The grid
    depends on lo and hi only.  This map is not 1-stable on the reals (nearby numbers can part by
    one step): it is for rows, where any function of a row will do.

    Raises:
        ParameterError: see `grid_exponent`.
    """
    lo, hi = exact(lo), exact(hi)
    k = grid_exponent(lo, hi)
    low, high = _ticks_between(lo, hi, k)
    ticks = Fraction.__round__(_scaled(exact(x), -k))
    return Exact(_scaled(min(max(ticks, low), high), k))


def clamp_to_grid(column: Iterable[Any], lo: Any, hi: Any) -> Column:
    """`clamp_scalar_to_grid` on every entry; the result is a grid column.

    Raises:
        ParameterError: see `grid_exponent`.
    """
    import numpy as np

    lo, hi = exact(lo), exact(hi)
    k = grid_exponent(lo, hi)
    low, high = _ticks_between(lo, hi, k)
    if not isinstance(column, Column):
        points = [clamp_scalar_to_grid(x, lo, hi) for x in column]
        ticks = np.array([int(_scaled(p, -k)) for p in points], np.int64)
        return Column(None, ticks, k)
    if column.floats is None:
        assert column.ticks is not None
        return Column(None, _regrid(column.ticks, column.exponent, k, low, high), k)
    # Adding 1.5 * 2**(52 + k) makes the unit of the last place 2**k: the sum is rounded to the
    # grid (ties to even), and the bits of the double count the ticks.
    if max(abs(low), abs(high)) <= 1 << 50 and -1022 <= k <= 900:
        return _clamp_by_bits(column.floats, k, low, high)
    return Column(None, _clamp_by_scaling(column.floats, k, low, high), k)


def exact_sum(numbers: Iterable[Any]) -> Exact:
    """The exact sum, whatever the order; array forms are added in chunks of integers."""
    if not isinstance(numbers, Column):
        total = Fraction(0)
        for x in numbers:
            total += exact(x)
        return Exact(total)
    if numbers.ticks is None:
        assert numbers.floats is not None
        return Exact(_sum_floats(numbers.floats))
    if numbers._total is None:
        numbers._total = _sum_integers(numbers.ticks)
    return Exact(_scaled(numbers._total, numbers.exponent))


def count(numbers: Sequence[Any]) -> Exact:
    """The number of entries."""
    return Exact(len(numbers))


def _clamp_by_bits(x: NDArray[np.float64], k: int, low: int, high: int) -> Column:
    import numpy as np

    shift = np.ldexp(np.float64(1.5), 52 + k)
    bits = int(shift.view(np.int64))
    bottom, top = np.ldexp(np.float64(low), k), np.ldexp(np.float64(high), k)
    ticks = np.empty(len(x), np.int64)
    view = ticks.view(np.float64)
    total, small = 0, max(abs(low), abs(high)) <= 1 << 47
    for start in range(0, len(x), _CHUNK):
        part, whole = view[start : start + _CHUNK], ticks[start : start + _CHUNK]
        np.maximum(x[start : start + _CHUNK], bottom, out=part)
        np.minimum(part, top, out=part)
        np.add(part, shift, out=part)
        np.subtract(whole, bits, out=whole)
        # 2**15 entries of at most 47 bits fit a sum of 64 bits.
        total += int(whole.sum()) if small else _sum_integers(whole)
    return Column(None, ticks, k, total)


def _clamp_by_scaling(x: NDArray[np.float64], k: int, low: int, high: int) -> NDArray[np.int64]:
    import numpy as np

    with np.errstate(all="ignore"):
        scaled = np.rint(np.ldexp(x, -k))
    return np.clip(scaled, float(low), float(high)).astype(np.int64)


def _regrid(ticks: NDArray[np.int64], old: int, new: int, low: int, high: int) -> Any:
    import numpy as np

    lift = old - new
    if 0 <= lift <= _FINEST:
        # Clipped first, the shifted integers have at most 53 + 2 bits more than the bounds' step.
        first, last = (low >> lift) - 1, (high >> lift) + 1
        return np.clip(np.clip(ticks, first, last) << lift, low, high)
    if lift > _FINEST:
        # One old tick lies beyond both bounds, or bounds of 0 make the value irrelevant.
        return np.clip(np.sign(ticks) << 54, low, high)
    if -lift > 63:
        return np.clip(np.zeros_like(ticks), low, high)
    floor = ticks >> -lift
    rest, half = ticks - (floor << -lift), 1 << (-lift - 1)
    up = (rest > half) | ((rest == half) & (floor & 1 == 1))
    return np.clip(floor + up, low, high)


def _sum_integers(ticks: NDArray[np.int64]) -> int:
    import numpy as np

    total = 0
    for start in range(0, len(ticks), 1 << 30):
        part = ticks[start : start + (1 << 30)]
        high = int((part >> 32).sum())
        total += (high << 32) + int((part & np.int64(0xFFFFFFFF)).sum())
    return total


def _sum_floats(x: NDArray[np.float64]) -> Fraction:
    import numpy as np

    total: dict[int, int] = {}
    for start in range(0, len(x), 1 << 20):
        fraction, exponent = np.frexp(x[start : start + (1 << 20)])
        mantissa = np.ldexp(fraction, 53).astype(np.int64)
        offset = int(exponent.min())
        bucket = exponent - offset
        # Weights of 27 bits: 2**20 of them add up exactly in a double.
        high = np.bincount(bucket, weights=(mantissa >> 27).astype(np.float64))
        low = np.bincount(bucket, weights=(mantissa & 0x7FFFFFF).astype(np.float64))
        for i in np.flatnonzero((high != 0) | (low != 0)).tolist():
            part = (int(high[i]) << 27) + int(low[i])
            total[i + offset] = total.get(i + offset, 0) + part
    if not total:
        return Fraction(0)
    least = min(total)
    return _scaled(sum(part << (e - least) for e, part in total.items()), least - 53)


def _scaled(x: Fraction | int, exponent: int) -> Fraction:
    """x * 2**exponent."""
    x = Fraction(x)
    if exponent >= 0:
        return Fraction(x.numerator << exponent, x.denominator)
    return Fraction(x.numerator, x.denominator << -exponent)


def _ticks_between(lo: Fraction, hi: Fraction, k: int) -> tuple[int, int]:
    low, high = _scaled(lo, -k), _scaled(hi, -k)
    return -(-low.numerator // low.denominator), high.numerator // high.denominator


def _magnitude(x: Fraction) -> int:
    """The e with 2**(e - 1) <= x < 2**e."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e + 1 if _scaled(x, -e) >= 1 else e
