"""Where statistics lie on a grid: whole steps, and the part of a step beyond, in [0, 1].

x = (whole + part) step.  `part` is a double within 2**-53 of the real one; `exact` is the real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy

from metricdp.noise.rounded_scalar import statistic

#: Whole steps up to here leave room for the noise in 64 bits.
_MOST = 1 << 61


class Places:
    """Places of n statistics.

    Attributes:
        whole: int64 array of shape (n,), or of Python ints (dtype object).
        part: float64 array of shape (n,).
        exact: position -> the exact part, a rational within 2**-53 of [0, 1].
    """

    __slots__ = ("exact", "part", "whole")

    def __init__(self, whole: Any, part: Any, exact: Callable[[int], Fraction]) -> None:
        self.whole, self.part, self.exact = whole, part, exact

    def __len__(self) -> int:
        return len(self.part)

    def rounded(self) -> dict[int, int]:
        """floor(part + 1/2) of each, exactly."""
        return {i: int((self.exact(i) + Fraction(1, 2)) // 1) for i in range(len(self))}

    def plus(self, noise: Any, exact: dict[int, int]) -> Any:
        """whole + noise; the noise at the positions in `exact` is that instead."""
        fits = all(-_MOST <= value <= _MOST for value in exact.values())
        whole = self.whole if fits else self.whole.astype(object)
        result = whole + (noise if whole.dtype != object else noise.astype(object))
        for i, value in exact.items():
            result[i] = int(self.whole[i]) + value
        return result


def places(x: Any, exponent: int) -> Places:
    """Places of numbers (a sequence, or an array of doubles) on the grid of step 2**exponent."""
    if getattr(getattr(x, "dtype", None), "kind", "") == "f":
        found = _of_doubles(numpy.nan_to_num(x.astype(numpy.float64)), exponent)
        if found is not None:
            return found
        x = numpy.nan_to_num(x.astype(numpy.float64))
    numbers = x.tolist() if hasattr(x, "tolist") else x
    return _of_rationals(map(statistic, numbers), exponent)


def places_of_ticks(ticks: Any, own: int, exponent: int) -> Places:
    """Places of int64 multiples of 2**own, each below 2**62."""
    shift = exponent - own
    if 0 < shift < 62:
        whole = ticks >> shift
        rest = ticks - (whole << shift)
        part = numpy.ldexp(rest.astype(numpy.float64), -shift)
        return Places(whole, part, lambda i: Fraction(int(rest[i]), 1 << shift))
    if 0 <= -shift < 61 and int(numpy.abs(ticks).max(initial=0)) < _MOST >> -shift:
        return Places(ticks << -shift, numpy.zeros(len(ticks)), lambda i: Fraction(0))
    return _of_rationals((Fraction(t) for t in ticks.tolist()), shift)


def _of_doubles(x: Any, exponent: int) -> Places | None:
    """None where a double has too many whole steps."""
    with numpy.errstate(over="ignore", under="ignore"):
        steps = numpy.ldexp(x, -exponent)
    if len(x) and not float(numpy.abs(steps).max()) < _MOST:
        return None
    whole = numpy.floor(steps)
    steps -= whole
    integers = whole.astype(numpy.int64)
    power = Fraction(1, 1 << exponent) if exponent >= 0 else Fraction(1 << -exponent)
    return Places(integers, steps, lambda i: Fraction(float(x[i])) * power - int(integers[i]))


def _of_rationals(x: Iterable[Fraction], exponent: int) -> Places:
    wholes, parts, rests = [], [], []
    for number in x:
        top, bottom = number.numerator, number.denominator
        if exponent >= 0:
            bottom <<= exponent
        else:
            top <<= -exponent
        whole, rest = divmod(top, bottom)
        wholes.append(whole)
        parts.append(rest / bottom)
        rests.append((rest, bottom))
    wide = any(not -_MOST <= whole <= _MOST for whole in wholes)
    array = numpy.empty(len(wholes), object if wide else numpy.int64)
    array[:] = wholes
    return Places(array, numpy.array(parts, numpy.float64), lambda i: Fraction(*rests[i]))
