"""Rationals that are known to be in lowest terms, made without a look for a common divisor."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def lowest(numerator: int, denominator: int) -> Fraction:
    """The rational of two integers without a common divisor, the second positive."""
    new = object.__new__(Fraction)
    new._numerator, new._denominator = numerator, denominator  # type: ignore[attr-defined]
    return new


def dyadic(numerator: int, places: int) -> Fraction:
    """numerator / 2**places, places >= 0."""
    if not numerator:
        return lowest(0, 1)
    twos = min(places, (numerator & -numerator).bit_length() - 1)
    return lowest(numerator >> twos, 1 << (places - twos))


def of_decimal(x: Decimal) -> Fraction:
    """The rational that a finite decimal is."""
    return lowest(*x.as_integer_ratio())
