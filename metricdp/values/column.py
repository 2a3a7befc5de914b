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
from metricdp.values.unread import Unread
from metricdp.values.vectors import ExactVector, plain_slice, position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Grid steps per unit of the larger bound, as a power of two.
FINENESS = 40
#: Finest grid: ticks stay integers that a double holds.
_FINEST = 53


class Column(Sequence[Exact]):
    """A column of numbers: doubles (finite, no -0.0), or ticks of 2**exponent each.

    Args:
        floats: float64 array of shape (n,), or None.
        ticks: int64 array of shape (n,), or None.
        exponent: exponent of the grid; 0 for doubles.
        pending: numbers that are cleaned when they are read, in place of `floats`.
        clamped: (low, high) in ticks: the pending numbers are clamped to the grid when read.
    """

    __slots__ = ("_clamped", "_floats", "_listed", "_ticks", "_total", "exponent", "pending")
    __array_ufunc__ = None

    def __init__(
        self,
        floats: NDArray[np.float64] | None = None,
        ticks: NDArray[np.int64] | None = None,
        exponent: int = 0,
        *,
        pending: Unread | None = None,
        clamped: tuple[int, int] | None = None,
    ) -> None:
        self._floats, self._ticks, self.exponent = floats, ticks, exponent
        self.pending, self._clamped = pending, clamped
        self._total: int | None = None
        self._listed: ExactVector | None = None

    @classmethod
    def of(cls, numbers: Iterable[Any]) -> Column:
        """A column of doubles from clean numbers (finite)."""
        import numpy as np

        return cls(floats=np.fromiter((float(x) for x in numbers), np.float64) + 0.0)

    @property
    def on_grid(self) -> bool:
        """Whether the numbers are ticks."""
        return self._ticks is not None or self._clamped is not None

    @property
    def floats(self) -> NDArray[np.float64] | None:
        """The doubles, or None."""
        if self._floats is None and self.pending is not None and not self.on_grid:
            self._floats = self.pending.floats()
        return self._floats

    @property
    def ticks(self) -> NDArray[np.int64] | None:
        """The ticks, or None."""
        if self._ticks is None and self._clamped is not None:
            assert self.pending is not None
            self._ticks = self.pending.ticks(self.exponent, *self._clamped)
        return self._ticks

    def unread(self) -> Unread | None:
        """The doubles as they are read piece by piece; None on a grid."""
        if self.on_grid:
            return None
        if self._floats is not None:
            return Unread(self._floats)
        return self.pending

    def total(self) -> int:
        """The sum of the ticks."""
        if self._total is None:
            if self._ticks is None and self._clamped is not None:
                assert self.pending is not None
                self._total = self.pending.total(self.exponent, *self._clamped)
            else:
                assert self._ticks is not None
                self._total = _sum_integers(self._ticks)
        return self._total

    def _array(self) -> Any:
        return self.ticks if self.on_grid else self.floats

    def _value(self, x: int | float) -> Exact:
        return Exact(_scaled(int(x), self.exponent)) if self.on_grid else Exact(x)

    def owned(self) -> Column:
        """The same column, whatever becomes of the caller's array."""
        assert self.pending is not None
        kept = self.pending.owned()
        return Column(exponent=self.exponent, pending=kept, clamped=self._clamped)

    def __len__(self) -> int:
        if self.pending is not None:
            return len(self.pending)
        return len(self._array())

    def __iter__(self) -> Iterator[Exact]:
        return map(self._value, self._array().tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            part = self._array()[plain_slice(index)]
            return self._like(part)
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

        return self._like(self._array()[np.array(positions, np.int64)])

    def chosen(self, mask: NDArray[np.bool_]) -> Column:
        """The entries where `mask` (shape (n,)) is true, in their order."""
        if self.pending is not None and self._floats is None and self._ticks is None:
            part = self.pending.kept(mask)
            return Column(exponent=self.exponent, pending=part, clamped=self._clamped)
        return self._like(self._array()[mask])

    def _like(self, part: Any) -> Column:
        return Column(None, part, self.exponent) if self.on_grid else Column(part)


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
    numbers = column.unread()
    if numbers is not None:
        return Column(exponent=k, pending=numbers, clamped=(low, high))
    assert column.ticks is not None
    return Column(None, _regrid(column.ticks, column.exponent, k, low, high), k)


def exact_sum(numbers: Iterable[Any]) -> Exact:
    """The exact sum, whatever the order; array forms are added in chunks of integers."""
    if not isinstance(numbers, Column):
        total = Fraction(0)
        for x in numbers:
            total += exact(x)
        return Exact(total)
    if numbers.on_grid:
        return Exact(_scaled(numbers.total(), numbers.exponent))
    floats = numbers.unread()
    assert floats is not None
    return Exact(_sum_floats(floats))


def count(numbers: Sequence[Any]) -> Exact:
    """The number of entries."""
    return Exact(len(numbers))


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


def _sum_floats(x: Unread) -> Fraction:
    import numpy as np

    total: dict[int, int] = {}
    for piece in x.pieces():
        if not len(piece):
            continue
        fraction, exponent = np.frexp(piece)
        mantissa = np.ldexp(fraction, 53).astype(np.int64)
        offset = int(exponent.min())
        bucket = exponent - offset
        # Weights of 27 bits: 2**14 of them add up exactly in a double.
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
