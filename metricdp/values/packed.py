"""Private vectors as arrays: discrete doubles, or integers on a power-of-two grid.

Doubles come from arrays (rows of tables, results of black boxes) and are discrete data, of which a
rule may take any function; integers come out of `clip_packed` and add exactly.  Every other
operation reads the entries as exact rationals.

`clip_packed` scales a vector into an L2 ball in integer arithmetic, rounding towards 0 at every
step, so the result never leaves the ball:
  q_i = trunc(x_i 2^(24 - e)), 2^(e - 1) <= max |x_i| < 2^e: at most 24 bits of the largest entry;
  inside the ball: trunc(q_i 2^(e - 24 - k)) ticks of 2^k, where 2^k is 40 bits below the radius c;
  outside:         trunc(q_i F / 2^22) with F = floor((c / 2^k) 2^22 / ceil(sqrt(sum q_j^2))),
so that the L2 norm is at most F sqrt(sum q^2) / 2^22 ticks <= c.  `clip_row` says the same entry by
entry on rationals, and a law compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import frexp, isqrt
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.values.exact import Exact
from metricdp.values.vectors import ExactVector, plain_slice, position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Bits of an entry relative to the largest one, and of the scaling factor.
ENTRY_BITS, FACTOR_BITS = 24, 22
#: Grid steps per radius, as a power of two.
FINENESS = 40
#: Sums of ticks stay below this, else they are added as rationals.
_MOST = 1 << 62
#: The most entries whose squares of `ENTRY_BITS` bits add up in 64 bits.
_MOST_SQUARES = 1 << 14


class PackedVector(Sequence[Exact]):
    """A vector of numbers: doubles (finite), or ticks of 2**exponent each.

    Attributes:
        floats: float64 array of shape (n,), or None.
        ticks: int64 array of shape (n,), or None.
        exponent: exponent of the grid; 0 for doubles.
        most: a bound on |ticks|.
    """

    __slots__ = ("exponent", "floats", "most", "ticks")
    __array_ufunc__ = None

    def __init__(
        self,
        floats: NDArray[np.float64] | None = None,
        ticks: NDArray[np.int64] | None = None,
        exponent: int = 0,
        most: int = _MOST,
    ) -> None:
        self.floats, self.ticks, self.exponent, self.most = floats, ticks, exponent, most

    def _array(self) -> Any:
        return self.floats if self.ticks is None else self.ticks

    def __len__(self) -> int:
        return len(self._array())

    def __iter__(self) -> Iterator[Exact]:
        if self.ticks is None:
            return map(Exact, self._array().tolist())
        step = Fraction(2) ** self.exponent
        return (Exact(x * step) for x in self.ticks.tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            part = self._array()[plain_slice(index)]
            if self.ticks is None:
                return PackedVector(part)
            return PackedVector(None, part, self.exponent, self.most)
        if not len(self):
            return Exact(0)
        entry = self._array()[position(index, len(self))].item()
        return Exact(entry if self.ticks is None else entry * Fraction(2) ** self.exponent)

    def __repr__(self) -> str:
        return "PackedVector(private)"

    def vector(self) -> ExactVector:
        """The same numbers as rationals."""
        return ExactVector(self)

    def plain(self) -> list[float]:
        """The entries as floats, which doubles are."""
        if self.floats is None:
            return list(map(float, self))
        found: list[float] = self.floats.tolist()
        return found


def add_packed(x: Any, y: Any) -> Any:
    """x + y; None where the sum has no packed form."""
    if isinstance(y, PackedVector) and not isinstance(x, PackedVector):
        x, y = y, x
    if not isinstance(x, PackedVector) or x.ticks is None:
        return None
    if isinstance(y, int | Fraction):
        return x if not y else None
    if not isinstance(y, PackedVector) or y.ticks is None or y.exponent != x.exponent:
        return None
    most = x.most + y.most
    if len(x) != len(y) or most >= _MOST:
        return None
    return PackedVector(None, x.ticks + y.ticks, x.exponent, most)


def clip_packed(x: PackedVector, radius: Fraction) -> PackedVector | None:
    """Doubles in the L2 ball, as ticks; None for vectors that are no doubles, or too long.

    Raises:
        ParameterError: radius <= 0.
    """
    import numpy as np

    if x.floats is None or len(x) > _MOST_SQUARES:
        return None
    c, k = _grid(radius)
    largest = float(np.max(np.abs(x.floats), initial=0.0))
    if not largest:
        return PackedVector(None, np.zeros(len(x), np.int64), k, c)
    e = frexp(largest)[1]
    q = np.trunc(np.ldexp(x.floats, ENTRY_BITS - e)).astype(np.int64)
    square = int((q * q).sum())
    if _inside(square, e, radius):
        shift = e - ENTRY_BITS - k
        size = np.abs(q) << shift if shift >= 0 else np.abs(q) >> min(-shift, 63)
    else:
        size = (np.abs(q) * _factor(c, square)) >> FACTOR_BITS
    return PackedVector(None, np.where(q < 0, -size, size), k, c)


def clip_row(x: Sequence[Any], radius: Fraction) -> list[Fraction]:
    """`clip_packed` entry by entry, on rationals.

    Args:
        x: doubles.
    """
    values = [Fraction(v) for v in x]
    c, k = _grid(radius)
    largest = max((abs(v) for v in values), default=Fraction(0))
    if not largest:
        return [Fraction(0)] * len(values)
    e = frexp(float(largest))[1]
    q = [_trunc(v * Fraction(2) ** (ENTRY_BITS - e)) for v in values]
    square = sum(v * v for v in q)
    if _inside(square, e, radius):
        ticks = [_trunc(v * Fraction(2) ** (e - ENTRY_BITS - k)) for v in q]
    else:
        factor = _factor(c, square)
        ticks = [_trunc(Fraction(v * factor, 1 << FACTOR_BITS)) for v in q]
    return [t * Fraction(2) ** k for t in ticks]


def _grid(radius: Fraction) -> tuple[int, int]:
    """(whole ticks in the radius, exponent of the grid): 2**FINENESS ticks or a little more."""
    if radius <= 0:
        raise ParameterError("the radius is not positive", place="clip", remedy="radius=1.0")
    k = radius.numerator.bit_length() - radius.denominator.bit_length() - FINENESS
    return int(radius / Fraction(2) ** k), k


def _inside(square: int, e: int, radius: Fraction) -> bool:
    return Fraction(square) * Fraction(4) ** (e - ENTRY_BITS) <= radius * radius


def _factor(c: int, square: int) -> int:
    return (c << FACTOR_BITS) // (isqrt(square - 1) + 1)


def _trunc(x: Fraction) -> int:
    return abs(x.numerator) // x.denominator * (1 if x >= 0 else -1)


class PackedRows(list[Any]):
    """Rows of a table of numbers, each a vector; `cols` is their public length."""

    def __init__(self, rows: Sequence[Any], cols: int) -> None:
        super().__init__(rows)
        self.cols = cols


def _clip(x: Any, norm: Any, radius: Any = 1) -> Any:
    from metricdp.spaces import norm_name

    if not isinstance(x, PackedVector) or norm_name(norm) != "L2":
        return None
    return clip_packed(x, Fraction(radius))


def _undisc(x: Any) -> Any:
    # Doubles as real numbers would meet rules that are not for any function of a row.
    return x if x.ticks is not None else None


#: Record -> its form on packed vectors, or None where these arguments have none.
PACKED: dict[str, Callable[..., Any]] = {"add": add_packed, "clip": _clip, "undisc": _undisc}
