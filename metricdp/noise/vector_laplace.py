"""Arrays of discrete Laplace integers.

Scales below 2**16 invert the two-sided ladder directly.  For larger ones the geometric G of scale s
splits as G = q * 2**j + r with q and r independent: q geometric of scale s / 2**j in [2**15, 2**16)
and P(r) proportional to exp(-r / s) on 0 .. 2**j - 1, drawn as j bits and kept with probability
exp(-r / s) > 1 - 2**-15.  A fair sign, with (minus, 0) drawn again, makes G discrete Laplace.

One 64-bit word serves a draw: bit 0 the sign, bits 1-15 the first bits of the uniform that keeps
r, bits 16-63 the uniform of the ladder.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy

from metricdp.noise.discrete_scalar import one_laplace
from metricdp.noise.ladder_table import BITS, LadderTable, table
from metricdp.noise.lazy import LazyUniform, is_below, one_minus_exp_threshold

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource

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


def sample(scale: Fraction, size: int, source: BitSource) -> Any:
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
