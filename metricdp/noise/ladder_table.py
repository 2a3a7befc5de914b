"""Proved inversion of many uniforms at once, in float64.

A logarithm in floats guesses k; the guess is then *proved* by F * a**(k+1) < U < F * a**k, where
the power comes from two tables of decimals rounded once to float64.  The proof uses only
multiplication and comparison, which IEEE 754 rounds correctly: no claim about the accuracy of a
mathematical library is needed, and a wrong guess is merely unproved.  Unproved draws (about
scale * 2**-47 of them) are settled by `ladder.invert`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING, Any

import numpy

from metricdp.noise.enclose import contexts, exp_decimal
from metricdp.noise.ladder import invert, log_factor
from metricdp.noise.lazy import LazyUniform

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource

#: Bits of U that the float path reads.
BITS = 48
#: Relative margin of the proof.  The power has three roundings and each side of the comparison
#: two more: under 8 * 2**-53, so 2**-46 leaves a factor of 16.
MARGIN = 2.0**-46
_DIGITS = 40


class LadderTable:
    """Tables for one scale below 2**17: 2**BITS * F * a**k = high[k >> shift] * low[k & mask]."""

    def __init__(self, scale: Fraction, two_sided: bool) -> None:
        self.scale, self.two_sided = scale, two_sided
        factor = Fraction(log_factor(scale, two_sided, 20)[1])
        # Only a guess: k is proved, whatever the rounding of these two.
        self.slope = float(-scale)
        self.start = float(scale * (Fraction(33_271_064_667, 10**9) + factor))
        self.last = floor(scale * 36) + 2
        self.shift = self.last.bit_length() // 2
        self.mask = (1 << self.shift) - 1
        self.ratio = float(exp_decimal(-1 / scale, _DIGITS)[0])
        self.low = _powers(scale, 1, Decimal(1), self.mask + 1)
        head = _factor(scale, two_sided)
        self.high = _powers(scale, self.mask + 1, head, (self.last >> self.shift) + 1)

    def invert(self, values: Any, source: BitSource) -> tuple[Any, dict[int, int]]:
        """Floors for uniforms known to BITS bits.

        Args:
            values: int64 array, uniform on 0 .. 2**BITS - 1.

        Returns:
            int64 array k, and the exact values {position: k} of draws that were not proved in
            floats (positions whose entry in the array is meaningless).
        """
        uniform = values.astype(numpy.float64)
        guess = uniform + 0.5
        numpy.log(guess, out=guess)
        guess *= self.slope
        guess += self.start
        numpy.maximum(guess, 0.0, out=guess)
        numpy.minimum(guess, float(self.last), out=guess)
        k = guess.astype(numpy.int64)
        power = self.high[k >> self.shift]
        power *= self.low[k & self.mask]
        # A power that underflowed is 0 or subnormal: then only U >= 2**-BITS is ever proved,
        # against a threshold that is smaller by hundreds of orders.
        proved = uniform > power * (self.ratio * (1.0 + MARGIN))
        uniform += 1.0
        power *= 1.0 - MARGIN
        proved &= uniform < power
        exact = {}
        if not proved.all():
            for i in numpy.flatnonzero(~proved).tolist():
                exact[i] = invert(
                    LazyUniform(source, int(values[i]), BITS), self.scale, self.two_sided
                )
        return k, exact


def _factor(scale: Fraction, two_sided: bool) -> Decimal:
    """2**BITS * F, to far more digits than float64 keeps."""
    down, _ = contexts(_DIGITS)
    one = Decimal(1 << BITS)
    if not two_sided:
        return one
    return down.divide(2 * one, down.add(1, exp_decimal(-1 / scale, _DIGITS)[0]))


def _powers(scale: Fraction, step: int, head: Decimal, count: int) -> Any:
    """Float64 array head * exp(-i * step / scale), i < count.

    The recurrence loses at most count (< 2**12) units of 10**-39: nothing before the last rounding.
    """
    down, _ = contexts(_DIGITS)
    ratio = exp_decimal(Fraction(-step) / scale, _DIGITS)[0]
    powers = [head]
    for _ in range(count - 1):
        powers.append(down.multiply(powers[-1], ratio))
    return numpy.array([float(p) for p in powers])


@lru_cache(maxsize=64)
def table(scale: Fraction, two_sided: bool) -> LadderTable:
    """The table of a scale, kept for the last 64 scales (64 KiB each at most)."""
    return LadderTable(scale, two_sided)
