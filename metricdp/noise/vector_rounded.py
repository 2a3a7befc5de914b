"""Arrays of real-valued noise on a grid: the float path of `rounded` for many draws at once.

`Places` are where statistics lie on the grid: x = (whole + part) step.  `part` is a double within
2**-53 of the real one; `exact` is the real one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy

from metricdp.noise import certified
from metricdp.noise.lazy import LazyUniform
from metricdp.noise.rounded_scalar import (
    gaussian_floor,
    laplace_floor,
    one_gaussian,
    one_laplace,
    statistic,
    step_exponent,
    to_double,
)

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource


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
        result = numpy.add(whole, noise, out=noise) if whole.dtype != object else whole + noise
        for i, value in exact.items():
            result[i] = int(self.whole[i]) + value
        return result


def places_together(parts: Sequence[Places]) -> Places:
    """Several places in one."""
    if len(parts) == 1:
        return parts[0]
    ends = list(accumulate(map(len, parts)))

    def exact(i: int) -> Fraction:
        at = bisect_right(ends, i)
        return parts[at].exact(i - ends[at] + len(parts[at]))

    wholes = [part.whole for part in parts]
    if any(whole.dtype == object for whole in wholes):
        wholes = [whole.astype(object) for whole in wholes]
    return Places(numpy.concatenate(wholes), numpy.concatenate([p.part for p in parts]), exact)


def places(x: Any, exponent: int) -> Places:
    """Places of numbers (a sequence, or an array of doubles) on the grid of step 2**exponent."""
    if getattr(getattr(x, "dtype", None), "kind", "") == "f":
        found = _of_doubles(numpy.nan_to_num(x.astype(numpy.float64)), exponent)
        if found is not None:
            return found
        x = numpy.nan_to_num(x.astype(numpy.float64))
    numbers = x.tolist() if hasattr(x, "tolist") else x
    rationals = (v if isinstance(v, Fraction) else statistic(v) for v in numbers)
    return _of_rationals(rationals, exponent)


def places_of_multiples(array: Any, unit: Fraction, exponent: int) -> Places | None:
    """Places of the entries of an array times a unit > 0; None for doubles that are too large.

    Args:
        array: finite doubles, int64, or Python integers (dtype object).
    """
    own = _exponent_of(unit)
    if array.dtype.kind == "f":
        if own is not None:
            return _of_doubles(array, exponent - own)
        factor = unit * (Fraction(1, 1 << exponent) if exponent >= 0 else 1 << -exponent)
        return _of_products(array, factor)
    if own is not None and array.dtype.kind == "i":
        found = _of_ticks(array, exponent - own)
        if found is not None:
            return found
    return _of_integers(array, unit, exponent)


def _of_products(x: Any, factor: Fraction) -> Places | None:
    """Places of doubles times a factor > 0; None where they, or it, are large or small.

    The product with the nearest double of the factor is a pair of doubles, exactly (Dekker 1971, "A
    floating-point technique for extending the available precision"); what is left of the factor
    counts for one product more.  With |x factor| < 2**47 the errors of the part are at most
      2**-59 for the factor, as much for the last product, and for the sum of the small terms;
      2**-55 for adding them to the remainder in [-1/2, 1/2], or 2**-54 where the sum is beyond 1/2;
      2**-54 for a whole step more where it is in (-1/2, 0), none where it is at or below -1/2:
    together less than 2**-53.
    """
    size = float(numpy.abs(x).max(initial=0.0))
    if not Fraction(1, 1 << 400) < factor < 1 << 400 or size > 2.0**400:
        return None
    high = float(factor)
    if not size * high < 2.0**47:
        return None
    product = x * high
    (a, b), (c, d) = _halves(x), _halves(high)
    rest = ((a * c - product) + a * d + b * c) + b * d
    rest += x * float(factor - Fraction(high))
    whole = numpy.rint(product)
    rest += product - whole
    below = rest < 0
    whole -= below
    rest += below
    integers = whole.astype(numpy.int64)
    return Places(integers, rest, lambda i: Fraction(float(x[i])) * factor - int(integers[i]))


def _halves(x: Any) -> tuple[Any, Any]:
    """Two numbers of at most 26 bits that add up to a double."""
    wide = x * (2.0**27 + 1)
    first = wide - (wide - x)
    return first, x - first


def _exponent_of(unit: Fraction) -> int | None:
    """The k with 2**k == unit; None where there is none."""
    top, bottom = unit.numerator, unit.denominator
    if top & (top - 1) or bottom & (bottom - 1):
        return None
    return top.bit_length() - bottom.bit_length()


def _of_ticks(ticks: Any, shift: int) -> Places | None:
    """Places of int64 ticks on the grid of step 2**shift ticks; None where there is no room."""
    if 0 < shift < 62 and len(ticks) <= _SOME:
        listed = ticks.tolist()  # few numbers are as soon gone through
        wholes = [t >> shift for t in listed]
        if all(-_MOST < whole < _MOST for whole in wholes):
            rests = [t - (whole << shift) for t, whole in zip(listed, wholes, strict=True)]
            unit = 2.0**-shift
            parts = numpy.array([rest * unit for rest in rests], numpy.float64)
            return Places(
                numpy.array(wholes, numpy.int64), parts, lambda i: Fraction(rests[i], 1 << shift)
            )
    most = max(-int(ticks.min()), int(ticks.max()), 0) if len(ticks) else 0
    if 0 < shift < 62 and most >> shift < _MOST:
        whole = ticks >> shift
        rest = ticks - (whole << shift)
        part = numpy.ldexp(rest.astype(numpy.float64), -shift)
        return Places(whole, part, lambda i: Fraction(int(rest[i]), 1 << shift))
    if 0 <= -shift < 61 and most < _MOST >> -shift:
        return Places(ticks << -shift, numpy.zeros(len(ticks)), lambda i: Fraction(0))
    return None


def _of_integers(array: Any, unit: Fraction, exponent: int) -> Places:
    """Places of integers times a unit, as Python integers."""
    top = array.astype(object) * (unit.numerator << max(-exponent, 0))
    bottom = unit.denominator << max(exponent, 0)
    whole = top // bottom
    rest = top - whole * bottom
    part = (rest / bottom).astype(numpy.float64)
    fits = len(whole) and max(-whole.min(), whole.max()) <= _MOST
    found = whole.astype(numpy.int64) if fits else whole
    return Places(found, part, lambda i: Fraction(rest[i], bottom))


def _of_doubles(x: Any, exponent: int) -> Places | None:
    """None where a double has too many whole steps."""
    with numpy.errstate(over="ignore", under="ignore"):
        # By one rounding either way; a product takes a third of the time.
        fast = -1022 <= exponent <= 1022
        steps = x * 2.0**-exponent if fast else numpy.ldexp(x, -exponent)
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


#: Elements worked on at once: the temporaries stay in the processor's cache.
_CHUNK = 1 << 13
#: Below this many draws the arrays cost more than they save.
_FEW = 8
#: And below this many normal ones, which draw pairs from the same words in the same order.
_SOME = 24
#: (floors by array, exact floors by position)
Found = tuple[Any, dict[int, int]]


def floats(x: Any, scale: Fraction, source: BitSource, *, laplace: bool) -> Any:
    """The released doubles: float64 array of shape (n,)."""
    if not scale:
        return numpy.array([to_double(statistic(v), 0) for v in _plain(x)], numpy.float64)
    exponent = step_exponent(scale)
    return to_floats(ticks(x, scale, exponent, source, laplace=laplace), exponent)


def _plain(x: Any) -> Any:
    return x.tolist() if hasattr(x, "tolist") else x


def to_floats(found: Any, exponent: int) -> Any:
    """ticks * 2**exponent, each rounded once."""
    if found.dtype == object or not -1000 <= exponent <= 900:
        return numpy.array([to_double(int(t), exponent) for t in found.tolist()], numpy.float64)
    doubles = found.astype(numpy.float64)
    # Whole numbers below 2**64: the product is no subnormal, and exact.
    doubles *= 2.0**exponent
    return doubles


def ticks(x: Any, scale: Fraction, exponent: int, source: BitSource, *, laplace: bool) -> Any:
    """See `rounded.laplace_ticks`; x is a sequence, a float64 array, or `Places`."""
    at = x if isinstance(x, Places) else places(x, exponent)
    steps = _in_steps(scale.numerator, scale.denominator, exponent)
    if not steps:
        return at.plus(numpy.floor(at.part + 0.5).astype(numpy.int64), at.rounded())
    if len(at) < _FEW or steps >= certified.WIDEST:
        one = one_laplace if laplace else one_gaussian
        exact = {}
        for i in range(len(at)):
            centre = at.exact(i)
            whole, rest = divmod(centre.numerator, centre.denominator)
            exact[i] = whole + one(rest, centre.denominator, steps, source)
        return at.plus(numpy.zeros(len(at), numpy.int64), exact)
    draw = _laplace if laplace else _gaussian if len(at) > _SOME else _some_gaussian
    return at.plus(*draw(at.part, at.exact, steps, source))


@lru_cache(maxsize=256)
def _in_steps(top: int, bottom: int, exponent: int) -> Fraction:
    """The scale top / bottom in steps of 2**exponent."""
    return Fraction(top << max(-exponent, 0), bottom << max(exponent, 0))


def _laplace(
    part: Any, exact: Callable[[int], Fraction], scale: Fraction, source: BitSource
) -> Found:
    width, half = float(scale), Fraction(1, 2)
    result = numpy.empty(len(part), numpy.int64)
    found: dict[int, int] = {}
    for start in range(0, len(part), 16 * _CHUNK):
        block = source.uint64(min(16 * _CHUNK, len(part) - start))
        for offset in range(0, len(block), _CHUNK):
            words = block[offset : offset + _CHUNK]
            at = slice(start + offset, start + offset + len(words))
            minus = words & numpy.uint64(1)
            reach = certified.log_array(words ^ minus)
            reach *= width
            margin = certified.laplace_margin(reach, width)
            # Bit 63 of a double is its sign.
            reach.view(numpy.uint64)[:] ^= minus << numpy.uint64(63)
            reach += part[at]
            reach += 0.5
            open_ = _floors(reach, margin, result[at])
            open_ |= words < numpy.uint64(certified.LEAST_WORD)
            for i in numpy.flatnonzero(open_).tolist():
                word = int(words[i])
                uniform = LazyUniform(source, word >> 1, 63)
                centre = exact(at.start + i) + half
                found[at.start + i] = laplace_floor(centre, scale, bool(word & 1), uniform)
    return result, found


def _gaussian(
    part: Any, exact: Callable[[int], Fraction], sigma: Fraction, source: BitSource
) -> Found:
    """Pairs: the draws of a chunk's first half are the cosines, those of its second the sines."""
    width, half = float(sigma), Fraction(1, 2)
    result = numpy.empty(len(part), numpy.int64)
    found: dict[int, int] = {}
    for start in range(0, len(part), 2 * _CHUNK):
        size = min(2 * _CHUNK, len(part) - start)
        pairs = (size + 1) // 2
        block = source.uint64(2 * pairs)
        words, angles = block[:pairs], block[pairs:]
        radius = certified.log_array(words)
        radius *= 2.0
        numpy.maximum(radius, 2.0 * certified.LEAST_E, out=radius)
        numpy.sqrt(radius, out=radius)
        margin = certified.gaussian_margin(radius, width)
        radius *= width
        tiny = words < numpy.uint64(certified.LEAST_WORD)
        uniforms: dict[int, tuple[LazyUniform, LazyUniform]] = {}
        for sine, z in enumerate(_coordinates(angles)):
            at = slice(start + sine * pairs, min(start + (sine + 1) * pairs, start + size))
            count = at.stop - at.start
            z = z[:count]
            z *= radius[:count]
            z += part[at]
            z += 0.5
            open_ = _floors(z, margin[:count], result[at])
            open_ |= tiny[:count]
            for i in numpy.flatnonzero(open_).tolist():
                # Both draws of a pair extend the same uniforms.
                pair = uniforms.setdefault(
                    i,
                    (
                        LazyUniform(source, int(words[i]), 64),
                        LazyUniform(source, int(angles[i]), 64),
                    ),
                )
                centre = exact(at.start + i) + half
                found[at.start + i] = gaussian_floor(centre, sigma, bool(sine), *pair)
    return result, found


def _some_gaussian(
    part: Any, exact: Callable[[int], Fraction], sigma: Fraction, source: BitSource
) -> Found:
    """`_gaussian` of few draws, bit for bit, in Python's doubles."""
    width, half, size = float(sigma), Fraction(1, 2), len(part)
    pairs, parts = (size + 1) // 2, part.tolist()
    block = source.uint64(2 * pairs).tolist()
    words, angles = block[:pairs], block[pairs:]
    # One number after the other, the cosines first; a margin of 1 settles nothing.
    reach, margins = [0.0] * (2 * pairs), [1.0] * pairs
    for i, (word, angle) in enumerate(zip(words, angles, strict=True)):
        if word < certified.LEAST_WORD:
            continue
        radius = sqrt(max(2.0 * certified.log_scalar(word), 2.0 * certified.LEAST_E))
        margins[i] = certified.gaussian_margin(radius, width)
        radius *= width
        turn = ((angle & ((1 << 62) - 1)) - (1 << 61)) * 2.0**-62
        x, y = certified.cos_sin(turn)
        quarter = angle >> 62
        if quarter & 1:
            x, y = -y, x
        if quarter & 2:
            x, y = -x, -y
        reach[i], reach[i + pairs] = x * radius, y * radius
    result, found = [0] * size, {}
    uniforms: dict[int, tuple[LazyUniform, LazyUniform]] = {}
    for at in range(size):
        sine, i = divmod(at, pairs)
        settled = certified.proved_floor(reach[at] + parts[at] + 0.5, margins[i])
        if settled is not None:
            result[at] = settled
            continue
        # Both draws of a pair extend the same uniforms.
        if i not in uniforms:
            uniforms[i] = LazyUniform(source, words[i], 64), LazyUniform(source, angles[i], 64)
        found[at] = gaussian_floor(exact(at) + half, sigma, bool(sine), *uniforms[i])
    return numpy.array(result, numpy.int64), found


def _coordinates(angles: Any) -> tuple[Any, Any]:
    """cos and sin of (pi/2) (q + w - 1/2): q the first two bits, w the uniform of the others."""
    rest = (angles & numpy.uint64((1 << 62) - 1)).view(numpy.int64)
    rest -= 1 << 61
    turn = rest.astype(numpy.float64)
    turn *= 2.0**-62
    cosine, sine = certified.cos_sin(turn)
    # A quarter turn: (c, s) -> (-s, c); half a turn changes both signs.
    odd = (angles & numpy.uint64(1 << 62)) != 0
    x = numpy.where(odd, -sine, cosine)
    y = numpy.where(odd, cosine, sine)
    sign = angles & numpy.uint64(1 << 63)
    for coordinate in (x, y):
        bits = coordinate.view(numpy.uint64)
        bits ^= sign
    return x, y


def _floors(y: Any, margin: Any, out: Any) -> Any:
    """Floors into `out`; true where an integer lies within the margin of y (which is changed)."""
    whole = numpy.floor(y)
    out[:] = whole
    y -= whole
    open_ = y <= margin
    open_ |= y >= 1.0 - margin
    return open_
