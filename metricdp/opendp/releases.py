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
        if getattr(getattr(value, "dtype", None), "kind", "") == "f" and abs(self.k) <= 900:
            return self._rounded(value).tolist()
        if hasattr(value, "__len__"):
            return [self(entry) for entry in value]
        step = Fraction(2) ** self.k
        return float(round(Fraction(value) / step) * step)

    def _rounded(self, doubles: Any) -> Any:
        """An array of finite doubles; those of 2**53 steps and more are multiples."""
        import numpy as np

        with np.errstate(over="ignore"):
            steps = np.ldexp(doubles, -self.k)
        near = np.ldexp(np.rint(steps), self.k) + 0.0
        return np.where(np.abs(steps) < 2.0**53, near, doubles)


class Within(msgspec.Struct, frozen=True):
    """A release moved into bounds."""

    lower: int
    upper: int

    def __call__(self, value: Any) -> Any:
        if hasattr(value, "__len__"):
            entries = value.tolist() if hasattr(value, "tolist") else value
            return [min(max(entry, self.lower), self.upper) for entry in entries]
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
