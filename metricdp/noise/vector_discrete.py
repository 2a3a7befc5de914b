"""Arrays of discrete Laplace and discrete Gaussian integers.

Inversion of many uniforms at once, in float64 (`LadderTable`).  A logarithm in floats guesses k;
the guess is then *proved* by F * a**(k+1) < U < F * a**k, where the power comes from two tables of
decimals rounded once to float64.  The proof uses only multiplication and comparison, which IEEE 754
rounds correctly: no claim about the accuracy of a mathematical library is needed, and a wrong guess
is merely unproved.  Unproved draws (about scale * 2**-47 of them) are settled by
`discrete_scalar.invert`.

Discrete Laplace.  Scales below 2**16 invert the two-sided ladder directly.  For larger ones the
geometric G of scale s splits as G = q * 2**j + r with q and r independent: q geometric of scale s /
2**j in [2**15, 2**16) and P(r) proportional to exp(-r / s) on 0 .. 2**j - 1, drawn as j bits and
kept with probability exp(-r / s) > 1 - 2**-15.  A fair sign, with (minus, 0) drawn again, makes G
discrete Laplace.

One 64-bit word serves a draw: bit 0 the sign, bits 1-15 the first bits of the uniform that keeps
r, bits 16-63 the uniform of the ladder.

Discrete Gaussian: discrete Laplace proposals and exact coins.  The coin U < exp(-gamma) is settled
in float64 from 32 bits of U when they differ by more than a proved margin, else exactly (`lazy`).
The margin: with |Y| / sigma below 60 the float gamma is off by less than 60 * 2**-44 (four
roundings of numbers below 60, squared), and exp(-gamma) is a table entry (rounded decimal) at i /
64 times a Taylor sum of degree 5 on [0, 1/64), off by less than 2**-45 and a few roundings.
Together below 2**-37; `COIN_MARGIN` is 2**-34.  Only IEEE 754 addition, multiplication and
comparison are relied on.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from metricdp.noise import certified
from metricdp.noise.discrete_scalar import (
    OpenLaplaces,
    gaussian_gamma,
    invert,
    laplace_scale,
    log_factor,
    one_gaussian,
    one_laplace,
    open_laplaces,
    scale_and_factor,
)
from metricdp.noise.enclose import contexts, exp_decimal
from metricdp.noise.lazy import LazyUniform, exp_threshold, is_below, one_minus_exp_threshold

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


_KEEP_BITS = 64 - BITS - 1
_LEVEL = 16
#: Elements worked on at once: the temporaries stay in the processor's cache.
_CHUNK = 1 << 13
#: Bits of r beyond which an array holds Python ints: q stays below 2**22 in the float path.
_INT64_BITS = 40


def split(scale: Fraction) -> int:
    """Bits j of r: 0 below 2**16, else such that scale / 2**j is in [2**15, 2**16)."""
    whole = scale.numerator // scale.denominator
    return 0 if whole < 1 << _LEVEL else whole.bit_length() - _LEVEL


def is_ready(scale: Fraction) -> bool:
    """Whether the table of a scale is small enough to be built for a few draws."""
    return scale < 256


def zeros(size: int) -> Any:
    """int64 zeros of shape (size,)."""
    return numpy.zeros(size, dtype=numpy.int64)


def pack(values: Sequence[int], scale: Fraction) -> Any:
    """Array of integers with the dtype that an array of this scale has."""
    wide = split(scale) > _INT64_BITS or any(not -(2**63) <= v < 2**63 for v in values)
    result = numpy.empty(len(values), dtype=object if wide else numpy.int64)
    result[:] = values
    return result


def nearest(array: Any, unit: Fraction) -> Any:
    """floor(x + 1/2) of the entries x of an array times a unit > 0, exactly.

    Args:
        array: finite doubles, int64, or Python integers (dtype object).

    Returns:
        int64, or Python integers (dtype object).
    """
    if unit == 1 and array.dtype.kind == "f":
        whole = numpy.floor(array)
        # The difference is exact wherever it is near 1/2, so that it is compared as it is.
        array = whole + (array - whole >= 0.5)
        if not len(array) or float(numpy.abs(array).max()) < 2.0**62:
            return array.astype(numpy.int64)
    if unit == 1 and array.dtype.kind != "f":
        return array
    numbers = [Fraction(x) * unit for x in array.tolist()]
    wholes = [(2 * x.numerator + x.denominator) // (2 * x.denominator) for x in numbers]
    return pack(wholes, Fraction(0))


def joined(parts: Sequence[Any]) -> Any:
    """Arrays of integers in one."""
    if any(part.dtype == object for part in parts):
        parts = [part.astype(object) for part in parts]
    return parts[0] if len(parts) == 1 else numpy.concatenate(parts)


def plus(centres: Any, noise: Any) -> Any:
    """The sums of integers: int64 where all of them fit, else Python integers (dtype object)."""
    noise = noise if hasattr(noise, "dtype") else pack(noise, Fraction(0))
    if centres.dtype == noise.dtype == numpy.int64 and _most(centres) + _most(noise) < 1 << 63:
        return centres + noise
    total = centres.astype(object) + noise.astype(object)
    try:
        return total.astype(numpy.int64)
    except OverflowError:
        return total


def _most(integers: Any) -> int:
    """The largest absolute value."""
    return max(-int(integers.min()), int(integers.max()), 0) if len(integers) else 0


def laplaces(scale: Fraction, size: int, source: BitSource) -> Any:
    """Array of shape (size,) of discrete Laplace integers (int64, or object: see `pack`)."""
    j = split(scale)
    ladder = table(scale / (1 << j), j == 0)
    wide = j > _INT64_BITS
    result = numpy.empty(size, dtype=object if wide else numpy.int64)
    misfits: dict[int, int] = {}
    for start in range(0, size, 16 * _CHUNK):
        block = source.uint64(min(16 * _CHUNK, size - start))
        for offset in range(0, len(block), _CHUNK):
            words = block[offset : offset + _CHUNK]
            if j:
                values, exact = _long(ladder, scale, j, words, source)
            else:
                values, exact = _short(ladder, words, source)
            at = start + offset
            result[at : at + len(values)] = values
            for i, value in exact.items():
                if wide or -(2**63) <= value < 2**63:
                    result[at + i] = value
                else:
                    misfits[at + i] = value
    if misfits:
        result = result.astype(object)
        for i, value in misfits.items():
            result[i] = value
    return result


def open_in_arrays(scale: Fraction, count: int, source: BitSource) -> OpenLaplaces:
    """`open_laplaces`, number by number the same."""
    floats = scale_and_factor(scale)
    if floats is None:
        return open_laplaces(scale, count, source)
    width, factor = floats
    words = source.uint64(count)
    minus = words & numpy.uint64(1)
    reach = certified.log_array(words ^ minus)
    reach += factor
    reach *= width
    margin = certified.laplace_margin(reach, width)
    settled = words >= numpy.uint64(certified.LEAST_WORD)
    settled &= numpy.isfinite(margin)
    # Scales below 2**50 leave room in 64 bits.
    ends = numpy.floor((reach - margin, reach + margin))
    ends[:, ~settled] = 0.0
    numpy.maximum(ends[0], 0.0, out=ends[0])
    ends = numpy.where(minus, -ends[::-1], ends).astype(numpy.int64)
    least, most = ends.tolist()
    found = OpenLaplaces(scale, source, words.tolist(), least, most)
    for i in (~settled).nonzero()[0].tolist():
        found.settle(i)
    return found


def _short(ladder: LadderTable, words: Any, source: BitSource) -> tuple[Any, dict[int, int]]:
    """Signed draws from one word each; exact values of the unproved ones by position."""
    k, exact = ladder.invert((words >> numpy.uint64(64 - BITS)).view(numpy.int64), source)
    # Two's complement: (k ^ -1) + 1 = -k.
    minus = (words & numpy.uint64(1)).view(numpy.int64)
    k ^= -minus
    k += minus
    return k, {i: -v if minus[i] else v for i, v in exact.items()}


def _long(
    ladder: LadderTable, scale: Fraction, j: int, words: Any, source: BitSource
) -> tuple[Any, dict[int, int]]:
    """The same by quotient and remainder."""
    remainder = _bits(j, len(words), source)
    k, quotients = ladder.invert((words >> numpy.uint64(64 - BITS)).view(numpy.int64), source)
    if j > _INT64_BITS:
        k = k.astype(object)
    # The other uniforms are at least 2**-15 > 1 - exp(-r / s): they keep their r.
    lowest = numpy.uint64((1 << (_KEEP_BITS + 1)) - 2)
    for i in numpy.flatnonzero((words & lowest) == 0).tolist():
        uniform = LazyUniform(source, 0, _KEEP_BITS)
        while is_below(uniform, one_minus_exp_threshold(int(remainder[i]) / scale)):
            remainder[i] = source.randbits(j)
            uniform = LazyUniform(source)
    if j > _INT64_BITS:
        k = k * (1 << j) + remainder
    else:
        k <<= j
        k += remainder
    minus = (words & numpy.uint64(1)).view(numpy.int64)
    exact = {i: (q << j) + int(remainder[i]) for i, q in quotients.items()}
    for i, value in exact.items():
        k[i] = min(value, 1)
    again = numpy.flatnonzero((k == 0) & (minus == 1))
    numpy.negative(k, out=k, where=minus == 1)
    exact = {i: -v if minus[i] else v for i, v in exact.items()}
    for i in again.tolist():
        exact[i] = one_laplace(scale, source)
    return k, exact


def _bits(j: int, n: int, source: BitSource) -> Any:
    """n uniform j-bit integers: int64, or Python ints when j is more than 40."""
    if j > _INT64_BITS:
        width = (j + 7) // 8
        block, shift = source.take(n * width), -j % 8
        result = numpy.empty(n, dtype=object)
        result[:] = [
            int.from_bytes(block[i : i + width], "little") >> shift
            for i in range(0, n * width, width)
        ]
        return result
    width = 2 if j <= 16 else 4 if j <= 32 else 8
    words = numpy.frombuffer(source.take(n * width), dtype=f"<u{width}")
    return words.astype(numpy.int64) & ((1 << j) - 1)


COIN_BITS = 32
COIN_MARGIN = 2.0**-34
#: exp(-60) < 2**-86: no uniform of 32 bits is decided against it except by exceeding it.
_LARGEST = 60.0
#: Above this the float of a magnitude could overflow.
_WIDEST = 900


def gaussians(sigma2: Fraction, size: int, source: BitSource) -> Any:
    """Array of shape (size,) of discrete Gaussian integers (int64, or object when wide)."""
    t = laplace_scale(sigma2)
    scale = Fraction(t)
    if t.bit_length() > _WIDEST:
        return pack([one_gaussian(sigma2, source) for _ in range(size)], scale)
    parts, missing = [zeros(0)], size
    while missing:
        proposals = laplaces(scale, missing + missing // 2 + 16, source)
        # All coins are independent of what is already accepted, so cutting the surplus is fair.
        kept = proposals[accept(proposals, t, sigma2, source)][:missing]
        parts.append(kept)
        missing -= len(kept)
    if any(part.dtype == object for part in parts):
        parts = [part.astype(object) for part in parts]
    return numpy.concatenate(parts)


def accept(proposals: Any, t: int, sigma2: Fraction, source: BitSource) -> Any:
    """Bool array: keep proposal y with probability exp(-(|y| - sigma2 / t)**2 / (2 sigma2))."""
    words = numpy.frombuffer(source.take(4 * len(proposals)), dtype="<u4")
    result = numpy.empty(len(proposals), dtype=bool)
    inverse, centre = _constants(sigma2, t)
    for start in range(0, len(proposals), _CHUNK):
        part = slice(start, start + _CHUNK)
        magnitude = numpy.abs(proposals[part])
        gamma = magnitude.astype(numpy.float64)
        gamma *= inverse
        gamma -= centre
        gamma *= gamma
        gamma *= 0.5
        numpy.minimum(gamma, _LARGEST, out=gamma)
        power = _exp(gamma)
        uniform = words[part].astype(numpy.float64)
        below = uniform + 1.0 < power * (1.0 - COIN_MARGIN)
        open_ = ~below & (uniform <= power * (1.0 + COIN_MARGIN))
        for i in numpy.flatnonzero(open_).tolist():
            threshold = exp_threshold(gaussian_gamma(int(magnitude[i]), t, sigma2))
            below[i] = is_below(LazyUniform(source, int(words[start + i]), COIN_BITS), threshold)
        result[part] = below
    return result


def exp_coins(
    gaps: Any, unit: Fraction, source: BitSource, known: dict[int, Any] | None = None
) -> Any:
    """Bool array: True with probability exp(-gaps[i] * unit), independently.

    The float gamma has three roundings, so below 60 it is off by less than 60 * 2**-51, and the
    margin of `accept` holds.  Where a unit is over 2**30, gamma is over 60 for every gap but 0.
    Gaps from one on whose gamma is a unit above 60 are of one kind.

    Args:
        gaps: int64 array of shape (n,), none of them negative.
        unit: > 0.
        known: what earlier calls with this unit computed; it is added to.
    """
    last = int(_LARGEST) * unit.denominator // unit.numerator + 2
    # Of few different kinds each has its chance computed once, and for later calls if there are few
    # whatever the gaps are.
    every = last < len(gaps)
    last = last if every else min(last, int(gaps.max(initial=0)))
    kind_of = numpy.minimum(gaps, last) if last < len(gaps) else None
    kinds = gaps if kind_of is None else numpy.arange(last + 1)
    known = {} if known is None or not every else known
    if last not in known:
        known[last] = _chances(kinds, unit)
    chances = known[last]
    # No heads is above `some`, and few others are not.
    some = chances.some if kind_of is None else chances.some.take(kind_of)
    first = numpy.frombuffer(source.take(len(gaps)), dtype=numpy.uint8)
    near = numpy.flatnonzero(first <= some)
    kind = near if kind_of is None else kind_of[near]
    below: Any = numpy.zeros(len(gaps), bool)
    below[near] = sure = first[near] < chances.sure[kind]
    open_, kind = near[~sure], kind[~sure]
    rest = numpy.frombuffer(source.take(3 * len(open_)), dtype="u1").astype(numpy.float64)
    rest = rest.reshape(-1, 3) * numpy.array([1.0, 2.0**8, 2.0**16])
    words = first[open_] * 2.0 ** (COIN_BITS - 8) + rest[:, 0] + rest[:, 1] + rest[:, 2]
    below[open_] = words + 1.0 < chances.least[kind]
    for word, i, k in zip(words.tolist(), open_.tolist(), kind.tolist(), strict=True):
        if not below[i] and word <= chances.most[k]:
            threshold = exp_threshold(int(gaps[i]) * unit)
            below[i] = is_below(LazyUniform(source, int(word), COIN_BITS), threshold)
    return below


class _Chances(NamedTuple):
    """Chances of coins of some kinds, in arrays with one entry of each.

    Attributes:
        least, most: 2**COIN_BITS times the chance lies between.
        sure: what the first 8 bits of a uniform are below, there are heads whatever the others are.
        some: what they are above, there are none.
    """

    least: Any
    most: Any
    sure: Any
    some: Any


def _chances(kinds: Any, unit: Fraction) -> _Chances:
    """Of exp(-kinds[i] * unit)."""
    gamma = kinds.astype(numpy.float64) * float(min(unit, Fraction(1 << 30)))
    power = _exp(numpy.minimum(gamma, _LARGEST))
    least, most = power * (1.0 - COIN_MARGIN), power * (1.0 + COIN_MARGIN)
    sure = numpy.maximum(numpy.ceil(least * 2.0 ** (8 - COIN_BITS)) - 1.0, 0.0)
    some = numpy.minimum(most * 2.0 ** (8 - COIN_BITS), 255.0)
    return _Chances(least, most, sure.astype(numpy.uint8), some.astype(numpy.uint8))


def _constants(sigma2: Fraction, t: int) -> tuple[float, float]:
    """Floats 1 / sigma and sigma / t, to a few units of 2**-53.

    Where sigma < 2**-30, gamma is over 2**58 for |y| >= 1 and below 2**-60 for 0: the cap on
    1 / sigma leaves both on the same side of every comparison.
    """
    shift = max(0, 128 - sigma2.numerator.bit_length() + sigma2.denominator.bit_length())
    shift += shift % 2
    sigma = Fraction(isqrt((sigma2.numerator << shift) // sigma2.denominator), 1 << (shift // 2))
    return float(min(1 / sigma, Fraction(1 << 30))), float(sigma / t)


@lru_cache(maxsize=1)
def _table() -> Any:
    """2**COIN_BITS * exp(-i / 64), each rounded once."""
    last = int(_LARGEST) * 64
    return numpy.array(
        [float(exp_decimal(Fraction(-i, 64), 30)[0]) * 2.0**COIN_BITS for i in range(last + 1)]
    )


def _exp(gamma: Any) -> Any:
    """2**COIN_BITS * exp(-gamma) for 0 <= gamma <= 60."""
    index = (gamma * 64.0).astype(numpy.int64)
    rest = gamma - index * (1.0 / 64.0)
    series = 1.0 - rest * 0.2
    for divisor in (4.0, 3.0, 2.0, 1.0):
        series *= rest
        series *= -1.0 / divisor
        series += 1.0
    series *= _table()[index]
    return series
