"""A short decimal on the safe side of a rational."""

from __future__ import annotations

from fractions import Fraction

from metricdp.expr import decimal_down, decimal_up

DIGITS = 10


def safe(value: Fraction, direction: str, whole: bool, digits: int = DIGITS) -> Fraction:
    """`value` as a decimal of at most `digits` digits.

    Rounded down for "most", up for "least"; to an integer when `whole`.
    """
    if whole:
        return Fraction(value.__floor__() if direction == "most" else value.__ceil__())
    return Fraction((decimal_down if direction == "most" else decimal_up)(value, digits))


def text(value: Fraction) -> str:
    """A decimal fraction as it is typed."""
    return decimal_up(value, 40) if value else "0"
