"""The canonical noise of (epsilon, delta): the Tulap law, cut off where delta says so.

b = e^-epsilon.  N0 = G1 - G2 + U, with P(G = g) = (1 - b) b^g and U uniform on (-1/2, 1/2), has the
density (1 - b) / (1 + b) b^m on the two cells m - 1/2 < |y| < m + 1/2.  N is N0 given |N0| <= c,
where P(|N0| > c) = q = 2 delta b / (1 - b + 2 delta b).  So with h = (1 - b + 2 delta b) / (1 + b)
N has the density h b^m on cell m up to c, and for y = m + 1/2 - s, 0 <= s <= 1, y <= c,

    P(N >= y) = (h b^m (b + s (1 - b)) - delta b) / (1 - b),

which is 1/2 at y = 0.  Its inverse: w = ((1 - b) p + delta b) / h, m the cell with
b^(m + 1) <= w <= b^m, s = (w / b^m - b) / (1 - b).  Both are continuous from cell to cell, so a
cell that rounding leaves open may be taken either way.

`canonical_ticks` rounds a number with that noise to a public grid.

Source: Awan and Slavkovic (2018), the truncated uniform Laplace (Tulap) law; Awan and Vadhan
(2023), canonical noise distributions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log

import msgspec

from metricdp.errors import ParameterError
from metricdp.noise.enclose import Bounds, exp_bounds, ln_above, ln_below
from metricdp.noise.lazy import STEP, LazyUniform
from metricdp.noise.parameters import Number, nonnegative
from metricdp.noise.rounded_scalar import statistic
from metricdp.noise.source import BitSource, system_source

_GUARD = 16
_HALF = Fraction(1, 2)


class Tulap(msgspec.Struct, frozen=True):
    """N at rational epsilon > 0 and 0 <= delta < 1, enclosed to any number of bits."""

    epsilon: Fraction
    delta: Fraction

    def tail(self, y: Fraction, bits: int) -> Bounds:
        """P(N >= y), y >= 0; absolute width about 2**-bits."""
        m = floor(y + _HALF)
        s = m + _HALF - y
        b, h = constants(self.epsilon, self.delta, bits)
        power = exp_bounds(-m * self.epsilon, bits)
        low = h[0] * power[0] * (b[0] * (1 - s) + s) - self.delta * b[1]
        high = h[1] * power[1] * (b[1] * (1 - s) + s) - self.delta * b[0]
        if high <= 0:
            return Fraction(0), Fraction(0)
        return max(Fraction(0), low) / (1 - b[0]), min(_HALF, high / (1 - b[1]))

    def place(self, p: Fraction, bits: int) -> Bounds:
        """The y with P(N >= y) = p, 0 <= p <= 1/2 (p > 0 where delta is 0)."""
        b, h = constants(self.epsilon, self.delta, bits)
        low = ((1 - b[1]) * p + self.delta * b[0]) / h[1]
        high = ((1 - b[0]) * p + self.delta * b[1]) / h[0]
        # A guess in doubles is proved by 0 <= s <= 1.
        guess = max(0, floor((log(high.denominator) - log(high.numerator)) / self.epsilon))
        s = self._share(guess, (low, high), b, bits)
        if s[0] >= 0 and s[1] <= 1:
            return guess + _HALF - s[1], guess + _HALF - s[0]
        first = max(0, floor(-ln_above(high, bits) / self.epsilon))
        last = max(0, floor(-ln_below(low, bits) / self.epsilon))
        found: list[Fraction] = []
        for m in range(first, last + 1):
            s = self._share(m, (low, high), b, bits)
            found += [m + _HALF - min(max(x, Fraction(0)), Fraction(1)) for x in s]
        return min(found), max(found)

    def _share(self, m: int, w: Bounds, b: Bounds, bits: int) -> Bounds:
        """s, if the place is in cell m."""
        grown = _grown(m * self.epsilon, bits)
        return (w[0] * grown[0] - b[1]) / (1 - b[0]), (w[1] * grown[1] - b[0]) / (1 - b[1])

    def end(self, bits: int) -> Bounds:
        """c; delta > 0.  It is irrational (Lindemann) but for delta = 1/2, where it is 1: of the
        equations that say that s is a rational number, only that one holds for all b."""
        if self.delta == _HALF:
            return Fraction(1), Fraction(1)
        return self.place(Fraction(0), bits)


@lru_cache(maxsize=256)
def constants(epsilon: Fraction, delta: Fraction, bits: int) -> tuple[Bounds, Bounds]:
    """b and h, on multiples of a power of two.

    1 - b is about epsilon, and b as small as e^-epsilon: such ones get as many bits more.
    """
    small = max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())
    places = bits + 2 * small + ceil(epsilon * 3 / 2) + 8
    b = _short(exp_bounds(-epsilon, places), places)
    # h = (1 - (1 - 2 delta) b) / (1 + b) falls in b, as delta < 1.
    low, high = ((1 - (1 - 2 * delta) * x) / (1 + x) for x in (b[1], b[0]))
    return b, _short((low, high), places)


@lru_cache(maxsize=1024)
def _grown(exponent: Fraction, bits: int) -> Bounds:
    """e**exponent, exponent >= 0."""
    low, high = exp_bounds(exponent, bits)
    return _short((low, high), bits)


def _short(x: Bounds, bits: int) -> Bounds:
    """The enclosure with ends that are multiples of 2**-bits."""
    low, high = x
    return (
        Fraction((low.numerator << bits) // low.denominator, 1 << bits),
        Fraction(-((-high.numerator << bits) // high.denominator), 1 << bits),
    )


def canonical_floor(centre: Fraction, scale: Fraction, law: Tulap, source: BitSource) -> int:
    """floor(centre + scale N), exactly; scale >= 0.

    The sign of N and p = P(|N| >= y) / 2 are drawn, p only to as many bits as the floor needs.
    """
    if not scale:
        return floor(centre)
    word = source.randbits(64)
    sign, uniform = (-1 if word & 1 else 1), LazyUniform(source, word >> 1, 63)
    while True:
        if uniform.value:
            # The word itself may be small: its relative precision needs its bits once more.
            bits = 2 * uniform.bits + _GUARD
            unit = 1 << (uniform.bits + 1)
            # The place falls as p grows.
            near = law.place(Fraction(uniform.value + 1, unit), bits)[0]
            far = law.place(Fraction(uniform.value, unit), bits)[1]
            found = floor(centre + sign * scale * near)
            if found == floor(centre + sign * scale * far):
                return found
        uniform.extend(STEP)


#: Of epsilon: e^-1000 is nothing that noise could tell from 0.
LARGEST = 1000


def tulap(epsilon: Number, delta: Number) -> Tulap:
    """The law of the noise at sensitivity 1.

    Raises:
        ParameterError: an epsilon that is not positive or above `LARGEST`, a delta outside [0, 1).
    """
    e, d = nonnegative(epsilon, "epsilon"), nonnegative(delta, "delta")
    if not e:
        raise ParameterError("must be positive", place="epsilon", remedy="choose epsilon > 0")
    if e > LARGEST:
        raise ParameterError(f"above {LARGEST}", place="epsilon", remedy="a smaller epsilon")
    if d >= 1:
        raise ParameterError("must be below 1", place="delta", remedy="choose 0 <= delta < 1")
    return Tulap(e, d)


def canonical_ticks(
    x: Number,
    sensitivity: Number,
    epsilon: Number,
    delta: Number = 0,
    exponent: int = 0,
    source: BitSource | None = None,
) -> int:
    """floor((x + sensitivity N) / 2**exponent + 1/2), N the canonical noise of (epsilon, delta).

    Args:
        x: private; no value of it raises: NaN counts as 0, infinities as the largest double.
        sensitivity: exact rational >= 0; 0 adds no noise.
        exponent: of the public step.
        source: random bits; the operating system's when omitted.

    Raises:
        ParameterError: parameters out of range; see `tulap`.
    """
    law, step = tulap(epsilon, delta), Fraction(2) ** exponent
    scale = nonnegative(sensitivity, "sensitivity")
    centre = statistic(x) / step + _HALF
    return canonical_floor(centre, scale / step, law, source or system_source())
