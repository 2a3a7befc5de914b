"""Arrays of discrete Gaussian integers: discrete Laplace proposals and exact coins.

The coin U < exp(-gamma) is settled in float64 from 32 bits of U when they differ by more than a
proved margin, else exactly (`lazy`).  The margin: with |Y| / sigma below 60 the float gamma is off
by less than 60 * 2**-44 (four roundings of numbers below 60, squared), and exp(-gamma) is a table
entry (rounded decimal) at i / 64 times a Taylor sum of degree 5 on [0, 1/64), off by less than
2**-45 and a few roundings.  Together below 2**-37; MARGIN is 2**-34.  Only IEEE 754 addition,
multiplication and comparison are relied on.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy

from metricdp.noise import vector_laplace
from metricdp.noise.discrete_scalar import gaussian_gamma, laplace_scale, one_gaussian
from metricdp.noise.enclose import exp_decimal
from metricdp.noise.lazy import LazyUniform, exp_threshold, is_below

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource

BITS = 32
MARGIN = 2.0**-34
#: exp(-60) < 2**-86: no uniform of 32 bits is decided against it except by exceeding it.
_LARGEST = 60.0
_CHUNK = 1 << 13
#: Above this the float of a magnitude could overflow.
_WIDEST = 900


def sample(sigma2: Fraction, size: int, source: BitSource) -> Any:
    """Array of shape (size,) of discrete Gaussian integers (int64, or object when wide)."""
    t = laplace_scale(sigma2)
    scale = Fraction(t)
    if t.bit_length() > _WIDEST:
        return vector_laplace.pack([one_gaussian(sigma2, source) for _ in range(size)], scale)
    parts, missing = [vector_laplace.zeros(0)], size
    while missing:
        proposals = vector_laplace.sample(scale, missing + missing // 2 + 16, source)
        # All coins are independent of what is already accepted, so cutting the surplus is fair.
        kept = proposals[accept(proposals, t, sigma2, source)][:missing]
        parts.append(kept)
        missing -= len(kept)
    if any(part.dtype == object for part in parts):
        parts = [part.astype(object) for part in parts]
    return numpy.concatenate(parts)


def accept(proposals: Any, t: int, sigma2: Fraction, source: BitSource) -> Any:
    """Bool array: keep proposal y with probability exp(-(|y| - sigma2 / t)**2 / (2 sigma2))."""
    words = numpy.frombuffer(source.take(4 * len(proposals)), dtype="<u4")
    result = numpy.empty(len(proposals), dtype=bool)
    inverse, centre = _constants(sigma2, t)
    for start in range(0, len(proposals), _CHUNK):
        part = slice(start, start + _CHUNK)
        magnitude = numpy.abs(proposals[part])
        gamma = magnitude.astype(numpy.float64)
        gamma *= inverse
        gamma -= centre
        gamma *= gamma
        gamma *= 0.5
        numpy.minimum(gamma, _LARGEST, out=gamma)
        power = _exp(gamma)
        uniform = words[part].astype(numpy.float64)
        below = uniform + 1.0 < power * (1.0 - MARGIN)
        open_ = ~below & (uniform <= power * (1.0 + MARGIN))
        for i in numpy.flatnonzero(open_).tolist():
            threshold = exp_threshold(gaussian_gamma(int(magnitude[i]), t, sigma2))
            below[i] = is_below(LazyUniform(source, int(words[start + i]), BITS), threshold)
        result[part] = below
    return result


def _constants(sigma2: Fraction, t: int) -> tuple[float, float]:
    """Floats 1 / sigma and sigma / t, to a few units of 2**-53.

    Where sigma < 2**-30, gamma is over 2**58 for |y| >= 1 and below 2**-60 for 0: the cap on
    1 / sigma leaves both on the same side of every comparison.
    """
    shift = max(0, 128 - sigma2.numerator.bit_length() + sigma2.denominator.bit_length())
    shift += shift % 2
    sigma = Fraction(isqrt((sigma2.numerator << shift) // sigma2.denominator), 1 << (shift // 2))
    return float(min(1 / sigma, Fraction(1 << 30))), float(sigma / t)


@lru_cache(maxsize=1)
def _table() -> Any:
    """2**BITS * exp(-i / 64), each rounded once."""
    last = int(_LARGEST) * 64
    return numpy.array(
        [float(exp_decimal(Fraction(-i, 64), 30)[0]) * 2.0**BITS for i in range(last + 1)]
    )


def _exp(gamma: Any) -> Any:
    """2**BITS * exp(-gamma) for 0 <= gamma <= 60."""
    index = (gamma * 64.0).astype(numpy.int64)
    rest = gamma - index * (1.0 / 64.0)
    series = 1.0 - rest * 0.2
    for divisor in (4.0, 3.0, 2.0, 1.0):
        series *= rest
        series *= -1.0 / divisor
        series += 1.0
    series *= _table()[index]
    return series
