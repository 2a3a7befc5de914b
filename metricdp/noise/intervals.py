"""A real number with a density that is constant on intervals, rounded down to a public grid.

The interval is the inverse of the cumulative distribution at a lazily drawn uniform, and the place
within it comes from another one, of which as many bits are drawn as the grid needs (see `lazy`), so
the law of the grid point is exactly that of the rounded real number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from metricdp.errors import ParameterError
from metricdp.noise.enclose import exp_fixed
from metricdp.noise.lazy import STEP, LazyUniform
from metricdp.noise.parameters import Number, nonnegative
from metricdp.noise.source import BitSource, system_source


def interval_point(
    ends: Sequence[Fraction],
    scores: Sequence[Fraction],
    scale: Number,
    exponent: int,
    source: BitSource | None = None,
) -> int:
    """floor(y / 2**exponent), y with density proportional to exp(scores[i] / scale) on interval i.

    Args:
        ends: n + 1 rationals in order, the first below the last: interval i is ends[i] to
            ends[i + 1].
        scores: n rationals.
        scale: > 0.

    Raises:
        ParameterError: a scale that is not positive, ends that do not fit the scores.
    """
    width, source = nonnegative(scale, "scale"), source or system_source()
    if not width or len(ends) != len(scores) + 1 or ends[0] >= ends[-1]:
        raise ParameterError("no interval to choose from", remedy="give lower < upper, scale > 0")
    sizes = [b - a for a, b in pairwise(ends)]
    real = [i for i, size in enumerate(sizes) if size > 0]
    best = max(scores[i] for i in real)
    uniform = LazyUniform(source)
    found = None
    while found is None:
        uniform.extend(STEP)
        found = _place(uniform, real, sizes, scores, best, width)
    return _within(ends[found], sizes[found], exponent, source)


def _place(
    uniform: LazyUniform, real: Sequence[int], sizes: Sequence[Fraction],
    scores: Sequence[Fraction], best: Fraction, width: Fraction,
) -> int | None:  # fmt: skip
    """The interval in which the uniform falls for certain; None while it is open."""
    bits = uniform.bits + len(real).bit_length() + 2
    whole = sum(sizes, Fraction(0))
    known: dict[Fraction, tuple[int, int]] = {}
    lows, highs = [], []
    for i in real:
        score = scores[i]
        if score not in known:
            known[score] = exp_fixed((score - best) / width, bits + STEP)
        low, high = known[score]
        share = sizes[i] / whole
        lows.append(low * share.numerator // share.denominator)
        highs.append(-(-high * share.numerator // share.denominator))
    total = sum(lows), sum(highs)
    lower, upper = uniform.value * total[0], (uniform.value + 1) * total[1]
    begin = (0, 0)
    for place, end in enumerate(zip(accumulate(lows), accumulate(highs), strict=True)):
        last = place == len(real) - 1
        if begin[1] << uniform.bits <= lower and (last or upper <= end[0] << uniform.bits):
            return real[place]
        begin = end
    return None


def _within(start: Fraction, size: Fraction, exponent: int, source: BitSource) -> int:
    """floor((start + U size) / 2**exponent)."""
    step = Fraction(2) ** exponent
    begin, each = start / step, size / step
    uniform = LazyUniform(source)
    while True:
        uniform.extend(STEP)
        low = (begin + each * Fraction(uniform.value, 1 << uniform.bits)) // 1
        # U lies below the upper end, so an end that is whole is not reached.
        top = begin + each * Fraction(uniform.value + 1, 1 << uniform.bits)
        high = -(-top // 1) - 1
        if low == high:
            return int(low)
