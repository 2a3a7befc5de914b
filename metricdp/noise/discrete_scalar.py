"""One discrete Laplace or discrete Gaussian integer with the exact law, without NumPy.

Floats with proved errors decide most draws, integers and decimals the rest, on the same uniforms.

The core is the inversion of a geometric ladder.  For a scale s, a = exp(-1/s) and U uniform on (0,
1), K = floor(s * (ln F - ln U)) satisfies P(K >= k) = min(1, F * a**k).  F = 1 is the geometric
law.  F = 2 / (1 + a) >= 1 is the law of |X| for discrete Laplace X, because P(|X| >= k) = 2 * a**k
/ (1 + a) for k >= 1 (Inusah and Kozubowski 2006); a fair sign then gives X, in one uniform and
without rejection.

`invert` decides the floor with decimal enclosures, refining U until both ends agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor, isfinite, isqrt
from struct import unpack
from typing import TYPE_CHECKING

from metricdp.noise import certified
from metricdp.noise.enclose import DecimalBounds, contexts, digits_for, exp_decimal, to_decimal
from metricdp.noise.lazy import STEP, LazyUniform, exp_threshold, is_below

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource


def one_laplace(scale: Fraction, source: BitSource) -> int:
    """One discrete Laplace integer."""
    return _laplace(scale, scale_and_factor(scale), source) if scale else 0


def _laplace(scale: Fraction, floats: tuple[float, float] | None, source: BitSource) -> int:
    word = source.randbits(64)
    magnitude = None
    if word >= certified.LEAST_WORD and floats is not None:
        width, factor = floats
        # ln F <= ln 2 is rounded once: within the margin of a Laplace draw (`certified`).
        reach = width * (certified.log_scalar(word & -2) + factor)
        magnitude = certified.proved_floor(reach, certified.laplace_margin(reach, width))
    if magnitude is None:
        magnitude = invert(LazyUniform(source, word >> 1, 63), scale, two_sided=True)
    return -magnitude if word & 1 else magnitude


def geometric(scale: Fraction, source: BitSource) -> int:
    """One integer G >= 0 with P(G >= g) = exp(-g / scale), scale > 0: the ladder with F = 1."""
    word = source.randbits(64)
    if word >= certified.LEAST_WORD and scale < certified.WIDEST:
        width = float(scale)
        reach = width * certified.log_scalar(word)
        # That of a Laplace draw, which has one rounding more, and fewer bits of U.
        found = certified.proved_floor(reach, certified.laplace_margin(reach, width))
        if found is not None:
            return found
    return invert(LazyUniform(source, word, 64), scale, two_sided=False)


class OpenLaplaces:
    """Independent discrete Laplace integers of which no more is computed than is asked.

    Attributes:
        least, most: between which each lies; both are it once it is known.

    Args:
        scale: > 0.
        words: 64 fresh bits of the source for each.
    """

    __slots__ = ("_scale", "_source", "_words", "least", "most")

    def __init__(
        self, scale: Fraction, source: BitSource, words: Sequence[int], least: list[int],
        most: list[int],
    ) -> None:  # fmt: skip
        self._scale, self._source, self._words = scale, source, words
        self.least, self.most = least, most

    def settle(self, i: int) -> None:
        """Compute one."""
        word = self._words[i]
        found = invert(LazyUniform(self._source, word >> 1, 63), self._scale, two_sided=True)
        self.least[i] = self.most[i] = -found if word & 1 else found

    def value(self, i: int) -> int:
        """One of the integers."""
        if self.least[i] != self.most[i]:
            self.settle(i)
        return self.least[i]


def open_laplaces(scale: Fraction, count: int, source: BitSource) -> OpenLaplaces:
    """So many integers of a scale > 0."""
    floats = scale_and_factor(scale)
    if floats is None:
        # One after the other: each may ask the source for more.
        made = [_laplace(scale, None, source) for _ in range(count)]
        return OpenLaplaces(scale, source, (), made, [*made])
    # A word is nearly always enough: the system is asked once for all.
    words = unpack(f"<{count}Q", source.take(8 * count))
    found = OpenLaplaces(scale, source, words, [0] * count, [0] * count)
    width, factor = floats
    for i, word in enumerate(words):
        if word < certified.LEAST_WORD:
            found.settle(i)
            continue
        reach = width * (certified.log_scalar(word & -2) + factor)
        # The margin is nearly twice the error, so that its own rounding is within it.
        margin: float = certified.laplace_margin(reach, width)
        if not isfinite(margin):
            found.settle(i)
            continue
        least, most = max(0, floor(reach - margin)), floor(reach + margin)
        found.least[i], found.most[i] = (-most, -least) if word & 1 else (least, most)
    return found


@lru_cache(maxsize=256)
def scale_and_factor(scale: Fraction) -> tuple[float, float] | None:
    """The scale and ln F, each rounded once; None for scales that need the exact path."""
    if scale >= certified.WIDEST:
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
    floats = scale_and_factor(scale)
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
    if word >= certified.LEAST_WORD and magnitude < certified.WIDEST and coin is not None:
        centre, half = coin
        distance = abs(magnitude - centre)
        gamma = distance * distance * half
        spread = distance * (centre + distance) * half
        beyond = certified.log_scalar(word) - gamma
        if abs(beyond) > (2.0**-46 + 2.0**-48 * (gamma + spread)) * certified.FACTOR:
            return beyond > 0
    threshold = exp_threshold(gaussian_gamma(magnitude, t, sigma2))
    return is_below(LazyUniform(source, word, 64), threshold)


def start_bits(scale: Fraction) -> int:
    """Bits of U that almost always settle the floor: 24 more than the scale has."""
    size = scale.numerator.bit_length() - scale.denominator.bit_length()
    return max(64, (size + 24 + 63) // 64 * 64)


@lru_cache(maxsize=256)
def log_factor(scale: Fraction, two_sided: bool, digits: int) -> DecimalBounds:
    """Decimals around ln F: 0, or ln(2 / (1 + exp(-1/scale)))."""
    if not two_sided:
        return Decimal(0), Decimal(0)
    down, up = contexts(digits)
    low, high = exp_decimal(-1 / scale, digits + 2)
    low, high = down.add(1, low), up.add(1, high)
    two = Decimal(2)
    return (
        max(Decimal(0), down.next_minus(down.ln(down.divide(two, high)))),
        up.next_plus(up.ln(up.divide(two, low))),
    )


@lru_cache(maxsize=256)
def _constants(
    scale: Fraction, two_sided: bool, bits: int, digits: int
) -> tuple[DecimalBounds, DecimalBounds]:
    """Decimals around the scale and around ln F + bits * ln 2."""
    down, up = contexts(digits)
    low, high = log_factor(scale, two_sided, digits)
    ln2 = down.ln(Decimal(2))
    low = down.fma(bits, down.next_minus(ln2), low)
    high = up.fma(bits, up.next_plus(ln2), high)
    return to_decimal(scale, digits), (low, high)


def invert(uniform: LazyUniform, scale: Fraction, two_sided: bool) -> int:
    """floor(scale * (ln F - ln U)), exactly; draws more bits of U while the floor is open."""
    if uniform.bits < 32:
        uniform.extend(start_bits(scale) - uniform.bits)
    while True:
        if uniform.value:
            low, high = _enclose(uniform, scale, two_sided)
            if low == high:
                return low
        uniform.extend(STEP)


def _enclose(uniform: LazyUniform, scale: Fraction, two_sided: bool) -> tuple[int, int]:
    """Floors at the two ends of the interval that U lies in (value >= 1)."""
    value, bits = uniform.value, uniform.bits
    digits = digits_for(bits + 8)
    down, up = contexts(digits)
    (scale_low, scale_high), (low, high) = _constants(scale, two_sided, bits, digits)
    log = down.ln(Decimal(value))
    # ln(value + 1) <= ln(value) + 1 / value spares a second logarithm.
    ceiling = up.add(up.next_plus(log), up.divide(1, Decimal(value)))
    low = down.subtract(low, ceiling)
    high = up.subtract(high, down.next_minus(log))
    zero = Decimal(0)
    # ln F - ln U is never negative, so truncation is the floor.
    return (
        int(down.multiply(scale_low, max(zero, low))),
        int(up.multiply(scale_high, max(zero, high))),
    )
