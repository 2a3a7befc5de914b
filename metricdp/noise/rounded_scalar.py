"""One draw of real noise, rounded to the public grid: the scalar half of `rounded`."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, sqrt
from sys import float_info
from typing import TYPE_CHECKING

from metricdp.noise import certified, margins
from metricdp.noise.continuous import gaussian_floor, laplace_floor
from metricdp.noise.lazy import LazyUniform
from metricdp.noise.parameters import Number

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource

#: The scale spans 2**30 to 2**31 steps: finer than any use, and coarse enough for float64.
FINE = 30
_HALF = Fraction(1, 2)


def step_exponent(scale: Fraction) -> int:
    """Exponent j of the public step 2**j for noise of a scale > 0: scale / 2**31 < 2**j <=
    scale / 2**30."""
    e = scale.numerator.bit_length() - scale.denominator.bit_length()
    below = (
        scale.numerator < scale.denominator << e
        if e >= 0
        else scale.numerator << -e < scale.denominator
    )
    return e - below - FINE


def statistic(x: Number) -> Fraction:
    """The rational that a private number stands for: total on floats."""
    if isinstance(x, float) and not isfinite(x):
        return Fraction(0) if x != x else Fraction(float_info.max) * (1 if x > 0 else -1)
    return Fraction(x)


def to_double(x: int | Fraction, exponent: int) -> float:
    """x * 2**exponent as the nearest double, the largest one beyond it."""
    top = x.numerator << max(exponent, 0)
    try:
        return top / (x.denominator << max(-exponent, 0))
    except OverflowError:
        return float_info.max if top > 0 else -float_info.max


def one_laplace(rest: int, bottom: int, scale: Fraction, source: BitSource) -> int:
    """floor(rest / bottom + 1/2 + scale L), 0 <= rest < bottom, L standard Laplace."""
    word = source.randbits(64)
    if word >= certified.LEAST_WORD and scale < margins.WIDEST:
        width = float(scale)
        # The last bit of the word is the sign: E is read off the others.
        reach = width * certified.log_scalar(word & -2)
        part = rest / bottom + 0.5
        y = part - reach if word & 1 else part + reach
        found = margins.proved_floor(y, margins.laplace_margin(reach, width))
        if found is not None:
            return found
    centre = Fraction(rest, bottom) + _HALF
    return laplace_floor(centre, scale, bool(word & 1), LazyUniform(source, word >> 1, 63))


def one_gaussian(rest: int, bottom: int, sigma: Fraction, source: BitSource) -> int:
    """floor(rest / bottom + 1/2 + sigma N), 0 <= rest < bottom, N standard normal."""
    word, angle = source.randbits(64), source.randbits(64)
    if word >= certified.LEAST_WORD and sigma < margins.WIDEST:
        width = float(sigma)
        radius = sqrt(2.0 * max(certified.log_scalar(word), margins.LEAST_E))
        quarter = angle >> 62
        turn = ((angle & ((1 << 62) - 1)) - (1 << 61)) * 2.0**-62
        cosine, sine = certified.cos_sin(turn)
        z = (cosine, -sine, -cosine, sine)[quarter] * radius
        y = rest / bottom + 0.5 + width * z
        found = margins.proved_floor(y, margins.gaussian_margin(radius, width))
        if found is not None:
            return found
    centre = Fraction(rest, bottom) + _HALF
    uniforms = LazyUniform(source, word, 64), LazyUniform(source, angle, 64)
    return gaussian_floor(centre, sigma, False, *uniforms)
