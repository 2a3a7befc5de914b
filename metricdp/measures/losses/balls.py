"""Ball arithmetic of python-flint: loading it, its precision, and conversions to rationals.

A ball is a midpoint and a radius; every operation of Arb returns a ball that contains the exact
result for all points of its operands (Johansson 2017, "Arb: efficient arbitrary-precision
midpoint-radius interval arithmetic", IEEE Transactions on Computers 66).  Balls are typed `Any`:
the library is optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from threading import RLock
from typing import Any

from metricdp.errors import MissingExtraError

Ball = Any
#: The precision of python-flint is one global number, so enclosures are computed one at a time.
_LOCK = RLock()


@lru_cache(maxsize=1)
def flint() -> Any:
    """The module python-flint.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import flint as module
    except ImportError:
        raise MissingExtraError(
            "certified accounting on a contour computes with python-flint, which is not installed",
            remedy='run: pip install "metricdp[accounting]"',
        ) from None
    return module


@contextmanager
def precision(bits: int) -> Iterator[Any]:
    """The module python-flint at a working precision of `bits`, restored afterwards."""
    module = flint()
    with _LOCK:
        before = module.ctx.prec
        module.ctx.prec = bits
        try:
            yield module
        finally:
            module.ctx.prec = before


def ball(x: Fraction | int | float) -> Ball:
    """The ball of a rational (a double is the rational it is) at the current precision."""
    module = flint()
    if isinstance(x, Fraction):
        return module.arb(module.fmpq(x.numerator, x.denominator))
    return module.arb(x)


def ends(x: Ball) -> tuple[Fraction, Fraction]:
    """Rationals below and above every point of a finite real ball."""
    return _dyadic(x.lower()), _dyadic(x.upper())


def _dyadic(x: Ball) -> Fraction:
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
