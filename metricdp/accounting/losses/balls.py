"""Ball arithmetic of python-flint: loading it, its precision, and conversions to rationals.

A ball is a midpoint and a radius; every operation of Arb returns a ball that contains the exact
result for all points of its operands (Johansson 2017, "Arb: efficient arbitrary-precision
midpoint-radius interval arithmetic", IEEE Transactions on Computers 66).  Balls are typed `Any`:
the library is optional.

Exponential sums on equidistant points: sum_j w_j r_j^k for k = 0, 1, 2, ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from math import isqrt
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


def power_sums(weights: Sequence[Ball], ratios: Sequence[Ball], count: int) -> list[Ball]:
    """Enclosures of sum_j weights[j] ratios[j]^k for k = 0, ..., count - 1.

    Writes k = a + b s with s near sqrt(count): the sums are the product of the matrix of
    ratio^(b s) with the matrix of weight ratio^a, so that about 2 len(ratios) sqrt(count) powers
    are formed one by one and the rest is one product of matrices.
    """
    module = flint()
    if not weights or not count:
        return [module.acb(0)] * count
    small = isqrt(count - 1) + 1
    baby = [powers(r, small) for r in ratios]
    rows = [[w * p[a] for w, p in zip(weights, baby, strict=True)] for a in range(small)]
    giant = [powers(p[-1] * r, -(-count // small)) for r, p in zip(ratios, baby, strict=True)]
    columns = [list(column) for column in zip(*giant, strict=True)]
    product = module.acb_mat(columns) * module.acb_mat(rows).transpose()
    return list(product.entries())[:count]


def powers(x: Ball, count: int) -> list[Ball]:
    """x^0, ..., x^(count - 1), each from two of half the exponent.

    A product of complex balls is enclosed in a rectangle, which may widen it by sqrt 2; halving
    keeps the number of such steps logarithmic.
    """
    found = [flint().acb(1), x]
    for k in range(2, count):
        found.append(found[k // 2] * found[k - k // 2])
    return found[:count]


def powers_at(x: Ball, places: Sequence[int]) -> list[Ball]:
    """x^k for each k in `places`, which increase: powers up to a root of the last, and of that."""
    if not places:
        return []
    small = isqrt(places[-1]) + 1
    if len(places) > places[-1] // 2:
        near = powers(x, places[-1] + 1)
        return [near[k] for k in places]
    near = powers(x, small + 1)
    far = powers(near[-1], places[-1] // small + 1)
    return [near[k % small] * far[k // small] for k in places]
