"""Short decimals of numbers, rounded in a stated direction."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf


def decimal_up(value: Fraction | int | float, digits: int = 6) -> str:
    """Decimal of at least `value`, with `digits` significant digits; exact if that is shorter.

    "oo" and "-oo" for infinities.
    """
    return _decimal(value, digits, ROUND_CEILING)


def decimal_down(value: Fraction | int | float, digits: int = 6) -> str:
    """Decimal of at most `value`, with `digits` significant digits; exact if that is shorter."""
    return _decimal(value, digits, ROUND_FLOOR)


def _decimal(value: Fraction | int | float, digits: int, rounding: str) -> str:
    if isinstance(value, float) and value in (inf, -inf):
        return "oo" if value > 0 else "-oo"
    exact = Fraction(value)
    whole = max(0, len(str(abs(int(exact)))) if abs(exact) < 10**18 else 0)
    context = Context(prec=max(digits, whole), rounding=rounding, Emin=-999999, Emax=999999)
    short = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    if short == 0:
        return "0"
    short = short.normalize(context)
    if -7 < short.adjusted() < 18:
        return f"{short:f}"
    return f"{short:e}".replace("e+", "e")
