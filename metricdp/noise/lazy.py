"""A uniform real number of which only as many bits are drawn as a question needs.

U = (value + rest) / 2**bits, rest uniform on [0, 1) and not drawn yet.  A question about U is asked
of the whole interval [value, value + 1] / 2**bits; while the interval or an enclosure of the
threshold leaves it open, more bits are drawn.  The answer then has exactly the law of the answer
for a real U: nothing was rounded.  Each round leaves it open with probability about 2**-64.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from metricdp.noise.enclose import exp_fixed
from metricdp.noise.source import BitSource

#: Bits added each time an interval leaves the answer open.
STEP = 64


class LazyUniform:
    """A uniform real on [0, 1) known to lie in [value, value + 1] / 2**bits."""

    __slots__ = ("bits", "source", "value")

    def __init__(self, source: BitSource, value: int = 0, bits: int = 0) -> None:
        self.source, self.value, self.bits = source, value, bits

    def extend(self, bits: int) -> None:
        """Draw `bits` more bits."""
        self.value = (self.value << bits) | self.source.randbits(bits)
        self.bits += bits


def is_below(uniform: LazyUniform, threshold: Callable[[int], tuple[int, int]]) -> bool:
    """Whether U < p, where `threshold(bits)` returns integers low <= p * 2**bits <= high."""
    if not uniform.bits:
        uniform.extend(STEP)
    while True:
        low, high = threshold(uniform.bits)
        if uniform.value + 1 <= low:
            return True
        if uniform.value >= high:
            return False
        uniform.extend(STEP)


def rational_threshold(p: Fraction) -> Callable[[int], tuple[int, int]]:
    """Enclosures of a rational probability."""

    def enclose(bits: int) -> tuple[int, int]:
        low, rest = divmod(p.numerator << bits, p.denominator)
        return low, low + bool(rest)

    return enclose


def exp_threshold(gamma: Fraction) -> Callable[[int], tuple[int, int]]:
    """Enclosures of exp(-gamma), gamma >= 0."""
    return lambda bits: exp_fixed(-gamma, bits)


def one_minus_exp_threshold(gamma: Fraction) -> Callable[[int], tuple[int, int]]:
    """Enclosures of 1 - exp(-gamma), gamma >= 0."""

    def enclose(bits: int) -> tuple[int, int]:
        low, high = exp_fixed(-gamma, bits)
        return (1 << bits) - high, (1 << bits) - low

    return enclose
