"""Small functions of releases and data, as objects: they pickle and compare."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.opendp.domains import bits_of, bytes_of


class OnGrid(msgspec.Struct, frozen=True):
    """A release rounded to multiples of 2**k: post-processing."""

    k: int

    def __call__(self, value: Any) -> Any:
        if hasattr(value, "__len__"):
            return [self(entry) for entry in value]
        step = Fraction(2) ** self.k
        return float(round(Fraction(value) / step) * step)


class Within(msgspec.Struct, frozen=True):
    """A release moved into bounds."""

    lower: int
    upper: int

    def __call__(self, value: Any) -> Any:
        if hasattr(value, "__len__"):
            return [self(entry) for entry in value]
        return min(max(value, self.lower), self.upper)


class First(msgspec.Struct, frozen=True):
    """The first of several positions; None of no candidates, whose number is public."""

    def __call__(self, value: Any) -> Any:
        return value[0] if len(value) else None


class BitsEnter(msgspec.Struct, frozen=True):
    """Bytes or Booleans as bits, of which at most `weight` are ones, `size` of them in all.

    What does not fit is cut, never reported.
    """

    weight: int | None
    size: int | None

    def __call__(self, value: Any) -> list[bool]:
        bits = bits_of(value)
        if self.size is not None:
            bits = [*bits[: self.size], *[False] * (self.size - len(bits))]
        ones = 0
        for i, bit in enumerate(bits):
            ones += bit
            if bit and self.weight is not None and ones > self.weight:
                bits[i] = False
        return bits


class Packed(msgspec.Struct, frozen=True):
    """Bits as bytes."""

    def __call__(self, value: Any) -> bytes:
        return bytes_of(list(value))
