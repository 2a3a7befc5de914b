"""Tails of symmetric laws, to the digits of a double: what replay decides draws by."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf


def two_sided(c: Fraction, tail: Callable[[float], float]) -> Fraction:
    """P(Z < c) of a symmetric law from P(Z > c) for c >= 0; both tails are sharp."""
    share = Fraction(tail(abs(to_double(c))))
    return share if c < 0 else 1 - share


def to_double(value: Fraction) -> float:
    """The nearest double, infinite beyond the largest one."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
