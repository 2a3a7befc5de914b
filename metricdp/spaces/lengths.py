"""Exact lengths: a rational plus square roots of rationals, or infinite.

Every distance of this package has this form: sums of absolute differences, and roots of sums of
squares, one per row.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf, isqrt, lcm, sqrt

import msgspec

from metricdp.expr import INF, Expr, num, root
from metricdp.expr.reduced import lowest


class Length(msgspec.Struct, frozen=True):
    """`whole + sum(sqrt(r) for r in radicands)`, or infinite.  No radicand is a square."""

    whole: Fraction = Fraction(0)
    radicands: tuple[Fraction, ...] = ()
    infinite: bool = False

    def expr(self) -> Expr:
        """The length as an exact constant."""
        if self.infinite:
            return INF
        total = num(self.whole)
        for radicand in self.radicands:
            total = total + root(num(radicand))
        return total

    def __float__(self) -> float:
        if self.infinite:
            return inf
        try:
            return float(self.whole) + sum(map(_sqrt, self.radicands))
        except OverflowError:
            return inf

    def at_most(self, bound: Fraction | int) -> bool:
        """Whether the length is at most a rational, decided exactly."""
        if self.infinite:
            return False
        gap = bound - self.whole
        if gap < 0 or not self.radicands:
            return gap >= 0
        if len(self.radicands) == 1:
            return self.radicands[0] <= gap * gap
        # A positive sum of roots of non-squares is irrational, so it never equals `gap` and the
        # enclosure separates the two after finitely many digits.
        digits = 32
        while True:
            low = sum((_floor_root(r, digits) for r in self.radicands), Fraction(0))
            if low > gap:
                return False
            if low + Fraction(len(self.radicands), 10**digits) <= gap:
                return True
            digits *= 2

    def square(self) -> Fraction:
        """The square of a finite length that is one rational or one root."""
        return self.radicands[0] if self.radicands else self.whole**2

    def share(self, of: Fraction) -> Fraction:
        """A rational at or just below `of` over this length, which is one rational or one root."""
        return quotient_below(of, self.radicands[0]) if self.radicands else of / self.whole


INFINITE = Length(infinite=True)
_NONE = Fraction(0)


def rational(value: Fraction | int) -> Length:
    """A rational length."""
    return Length(value if type(value) is Fraction else Fraction(value))


def apart(x: Fraction | int, y: Fraction | int) -> Fraction:
    """abs(x - y): one rational is made, where the operators make four."""
    top = x.numerator * y.denominator - y.numerator * x.denominator
    bottom = x.denominator * y.denominator
    if bottom == 1:
        return lowest(abs(top), 1)
    return Fraction(abs(top), bottom) if top else _NONE


def summed(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of rationals, reduced once."""
    top, bottom = 0, 1
    for value in values:
        if value.denominator == bottom:
            top += value.numerator
        else:
            shared = lcm(bottom, value.denominator)
            top = top * (shared // bottom) + value.numerator * (shared // value.denominator)
            bottom = shared
    return lowest(top, 1) if bottom == 1 else Fraction(top, bottom)


def squared(value: Fraction | int) -> Fraction:
    """The square: in lowest terms as the number itself is."""
    return lowest(value.numerator**2, value.denominator**2)


def root_of(square: Fraction | int) -> Length:
    """The square root of a nonnegative rational; rational when the square is perfect."""
    square = square if type(square) is Fraction else Fraction(square)
    n, m = isqrt(square.numerator), isqrt(square.denominator)
    if n * n == square.numerator and m * m == square.denominator:
        return Length(lowest(n, m))
    return Length(radicands=(square,))


def total(lengths: Iterable[Length]) -> Length:
    """The sum of lengths."""
    whole: list[Fraction] = []
    radicands: list[Fraction] = []
    for length in lengths:
        if length.infinite:
            return INFINITE
        whole.append(length.whole)
        radicands.extend(length.radicands)
    return Length(summed(whole), tuple(radicands))


def quotient_below(c: Fraction, square: Fraction) -> Fraction:
    """A rational just below c / sqrt(square)."""
    scale = 2**48
    return Fraction(isqrt(int(c * c / square * scale * scale)), scale)


def _sqrt(square: Fraction) -> float:
    try:
        return sqrt(square)
    except OverflowError:
        return float(isqrt(square.numerator // square.denominator))


def _floor_root(square: Fraction, digits: int) -> Fraction:
    scale = 10**digits
    return Fraction(isqrt(square.numerator * scale * scale // square.denominator), scale)
