"""Private reals at run time: exact rationals whose operations are total.

Bounds are statements about real arithmetic, so private scalars are rationals and no operation on
them rounds.  No operation raises because of a value either: an exception would tell the caller
about the data.  Division by zero gives 0, NaN never enters, and conversion to a double saturates.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Self

from metricdp.expr.reduced import lowest

#: Largest finite double; infinities become this number when they enter.
LARGEST = Fraction(sys.float_info.max)
#: Above this many bits a power is computed as a double, so that it cannot exhaust memory.
_POWER_BITS = 1 << 16
_VALUE_TYPES = frozenset({bool, int, float, Fraction})


class Exact(Fraction):
    """An exact rational number; arithmetic with numbers of any type stays exact and total.

    Doubles (Python and NumPy) stand for the rational that they denote; NaN stands for 0 and the
    infinities for the largest double.  `x / 0`, `x // 0`, `x % 0` and `0 ** -1` are 0.  A power
    with a fractional exponent is the double nearest to it, and 0 where it has no real value.
    """

    __slots__ = ()
    # NumPy arrays and scalars on the left leave the operation to this class.
    __array_ufunc__ = None

    def __new__(cls, numerator: Any = 0, denominator: Any = None) -> Self:
        if denominator is not None:
            return cls._of(exact(numerator) / exact(denominator))
        return cls._of(exact(numerator))

    @classmethod
    def _of(cls, value: Fraction) -> Self:
        new = object.__new__(cls)
        new._numerator, new._denominator = value.numerator, value.denominator  # type: ignore[attr-defined]
        return new

    @classmethod
    def ratio(cls, numerator: int, denominator: int) -> Self:
        """The quotient of two integers, the second of which is positive."""
        common = math.gcd(numerator, denominator)
        new: Any = object.__new__(cls)
        new._numerator, new._denominator = numerator // common, denominator // common
        return new  # type: ignore[no-any-return]

    def __add__(self, other: Any) -> Any:
        return _apply(Fraction.__add__, self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply(Fraction.__add__, self, other)

    def __sub__(self, other: Any) -> Any:
        return _apply(Fraction.__sub__, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _apply(_swapped(Fraction.__sub__), self, other)

    def __mul__(self, other: Any) -> Any:
        return _apply(Fraction.__mul__, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _apply(Fraction.__mul__, self, other)

    def __truediv__(self, other: Any) -> Any:
        return _apply(_divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _apply(_swapped(_divide), self, other)

    def __floordiv__(self, other: Any) -> Any:
        return _apply(_floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _apply(_swapped(_floordiv), self, other)

    def __mod__(self, other: Any) -> Any:
        return _apply(_mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return _apply(_swapped(_mod), self, other)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return _apply(_power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _apply(_swapped(_power), self, other)

    def __neg__(self) -> Exact:
        return Exact._of(Fraction.__neg__(self))

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return Exact._of(Fraction.__abs__(self))

    def __round__(self, ndigits: Any = None) -> Any:
        return Exact(Fraction.__round__(self, None if ndigits is None else int(ndigits)))

    def __floor__(self) -> Any:
        return Exact(Fraction.__floor__(self))

    def __ceil__(self) -> Any:
        return Exact(Fraction.__ceil__(self))

    def __trunc__(self) -> int:
        return Fraction.__trunc__(self)

    def __float__(self) -> float:
        return to_float(self)

    def __eq__(self, other: object) -> Any:
        number = _number(other)
        if number is None:
            return NotImplemented
        alike = self.numerator == number.numerator
        return alike and self.denominator == number.denominator

    def __ne__(self, other: object) -> Any:
        number = _number(other)
        if number is None:
            return NotImplemented
        differ = self.numerator != number.numerator
        return differ or self.denominator != number.denominator

    def __lt__(self, other: Any) -> Any:
        number = _number(other)
        if number is None:
            return NotImplemented
        left, right = self.numerator * number.denominator, number.numerator * self.denominator
        return left < right

    def __le__(self, other: Any) -> Any:
        number = _number(other)
        if number is None:
            return NotImplemented
        left, right = self.numerator * number.denominator, number.numerator * self.denominator
        return left <= right

    def __gt__(self, other: Any) -> Any:
        number = _number(other)
        if number is None:
            return NotImplemented
        left, right = self.numerator * number.denominator, number.numerator * self.denominator
        return left > right

    def __ge__(self, other: Any) -> Any:
        number = _number(other)
        if number is None:
            return NotImplemented
        left, right = self.numerator * number.denominator, number.numerator * self.denominator
        return left >= right

    __hash__ = Fraction.__hash__

    def __repr__(self) -> str:
        return f"Exact({self.numerator}, {self.denominator})"

    def __reduce__(self) -> Any:
        return Exact, (self.numerator, self.denominator)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


#: Asked first, for speed.
_FRACTIONS = frozenset({Exact, Fraction})


def exact(x: Any) -> Fraction:
    """The rational that a number denotes; NaN gives 0, infinities the largest double.

    Raises:
        TypeError: `x` is no real number.
    """
    if type(x) in _FRACTIONS:
        return x  # type: ignore[no-any-return]
    number = _number(x)
    if number is None:
        raise TypeError(f"{type(x).__name__} is no real number")
    return number


def to_float(x: Fraction) -> float:
    """The nearest double, saturating at the largest."""
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return sys.float_info.max if x.numerator > 0 else -sys.float_info.max


def divide(x: Any, y: Any) -> Any:
    """x / y on numbers of any type, 0 where y is 0: also for two private Booleans or integers."""
    return Exact(x) / y


def _number(x: Any) -> Fraction | None:
    kind = type(x)
    if kind in _FRACTIONS:
        return x  # type: ignore[no-any-return]
    if kind is int:
        return lowest(x, 1)
    if isinstance(x, float):
        return _from_float(x)
    if isinstance(x, int):
        return Fraction(x)
    if isinstance(x, Fraction):
        return x
    if isinstance(x, Rational):
        return Fraction(int(x.numerator), int(x.denominator))
    if isinstance(x, Real):
        return _from_float(float(x))
    if type(x).__name__ == "bool" and hasattr(x, "dtype"):  # numpy.bool is no number
        return Fraction(int(x))
    return None


def _from_float(x: float) -> Fraction:
    if math.isfinite(x):
        return lowest(*x.as_integer_ratio())
    return Fraction(0) if math.isnan(x) else (LARGEST if x > 0 else -LARGEST)


def _apply(operation: Callable[[Fraction, Fraction], Any], x: Exact, other: Any) -> Any:
    number = _number(other)
    if number is None:
        return NotImplemented
    return Exact._of(operation(x, number))


def _swapped(
    operation: Callable[[Fraction, Fraction], Any],
) -> Callable[[Fraction, Fraction], Any]:
    return lambda x, y: operation(y, x)


def _divide(x: Fraction, y: Fraction) -> Fraction:
    return Fraction.__truediv__(x, y) if y.numerator else Fraction(0)


def _floordiv(x: Fraction, y: Fraction) -> Fraction:
    return Fraction(Fraction.__floordiv__(x, y)) if y.numerator else Fraction(0)


def _mod(x: Fraction, y: Fraction) -> Fraction:
    return Fraction.__mod__(x, y) if y.numerator else Fraction(0)


def _power(x: Fraction, y: Fraction) -> Fraction:
    if y.denominator == 1 and _power_bits(x, y.numerator) <= _POWER_BITS:
        if not x.numerator:
            return Fraction(0 if y.numerator else 1)
        exponent, base = abs(y.numerator), Fraction(x)
        power = Fraction(base.numerator**exponent, base.denominator**exponent)
        return power if y.numerator >= 0 else 1 / power
    if x.numerator < 0 and y.denominator != 1:
        return Fraction(0)
    try:
        return _from_float(to_float(x) ** to_float(y))
    except OverflowError:
        return -LARGEST if x.numerator < 0 and y.numerator % 2 else LARGEST
    except ZeroDivisionError:
        return Fraction(0)


def _power_bits(x: Fraction, exponent: int) -> int:
    bits = max(abs(x.numerator).bit_length(), x.denominator.bit_length())
    return 0 if bits <= 1 and x.denominator == 1 else bits * abs(exponent)
