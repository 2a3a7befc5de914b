"""One discrete Laplace or discrete Gaussian integer with the exact law, without NumPy.

Floats with proved errors decide most draws, integers and decimals the rest, on the same uniforms.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING

from metricdp.noise import margins
from metricdp.noise.certified import LEAST_WORD, log_scalar
from metricdp.noise.ladder import invert, log_factor
from metricdp.noise.lazy import LazyUniform, exp_threshold, is_below

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource


def one_laplace(scale: Fraction, source: BitSource) -> int:
    """One discrete Laplace integer."""
    return _laplace(scale, _floats(scale), source) if scale else 0


def _laplace(scale: Fraction, floats: tuple[float, float] | None, source: BitSource) -> int:
    word = source.randbits(64)
    magnitude = None
    if word >= LEAST_WORD and floats is not None:
        width, factor = floats
        # ln F <= ln 2 is rounded once: within the margin of a Laplace draw (`margins`).
        reach = width * (log_scalar(word & -2) + factor)
        magnitude = margins.proved_floor(reach, margins.laplace_margin(reach, width))
    if magnitude is None:
        magnitude = invert(LazyUniform(source, word >> 1, 63), scale, two_sided=True)
    return -magnitude if word & 1 else magnitude


@lru_cache(maxsize=256)
def _floats(scale: Fraction) -> tuple[float, float] | None:
    """The scale and ln F, each rounded once; None for scales that need the exact path."""
    if scale >= margins.WIDEST:
        return None
    return float(scale), float(log_factor(scale, True, 40)[0])


def laplace_scale(sigma2: Fraction) -> int:
    """Scale of the discrete Laplace proposal of a discrete Gaussian: floor(sigma) + 1."""
    return isqrt(sigma2.numerator // sigma2.denominator) + 1


def gaussian_gamma(magnitude: int, t: int, sigma2: Fraction) -> Fraction:
    """The proposal of this magnitude is kept with probability exp(-gamma)."""
    return (magnitude - sigma2 / t) ** 2 / (2 * sigma2)


def one_gaussian(sigma2: Fraction, source: BitSource) -> int:
    """One discrete Gaussian integer."""
    if not sigma2:
        return 0
    t, scale, coin = _proposal(sigma2)
    floats = _floats(scale)
    while True:
        value = _laplace(scale, floats, source)
        if _kept(abs(value), t, sigma2, coin, source):
            return value


@lru_cache(maxsize=256)
def _proposal(sigma2: Fraction) -> tuple[int, Fraction, tuple[float, float] | None]:
    """Scale t of the proposals, and floats sigma2 / t, 1 / (2 sigma2); None where they overflow."""
    t = laplace_scale(sigma2)
    if not Fraction(1, 1 << 200) < sigma2 < 1 << 200:
        return t, Fraction(t), None
    return t, Fraction(t), (float(sigma2 / t), 0.5 / float(sigma2))


def _kept(
    magnitude: int,
    t: int,
    sigma2: Fraction,
    coin: tuple[float, float] | None,
    source: BitSource,
) -> bool:
    """True with probability exp(-gamma): U < exp(-gamma) is -ln U > gamma.

    In floats |magnitude - centre| is off by u (centre + |distance|), u = 2**-53, and gamma by
    2 u |distance| (centre + |distance|) / (2 sigma2) and four roundings; -ln U by less than
    2**-49 + 2**-51 (gamma + 1) where it is near gamma.  The margin is more than twice the sum.
    """
    word = source.randbits(64)
    if word >= LEAST_WORD and magnitude < margins.WIDEST and coin is not None:
        centre, half = coin
        distance = abs(magnitude - centre)
        gamma = distance * distance * half
        spread = distance * (centre + distance) * half
        beyond = log_scalar(word) - gamma
        if abs(beyond) > (2.0**-46 + 2.0**-48 * (gamma + spread)) * margins.FACTOR:
            return beyond > 0
    threshold = exp_threshold(gaussian_gamma(magnitude, t, sigma2))
    return is_below(LazyUniform(source, word, 64), threshold)
