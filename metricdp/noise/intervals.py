"""A point of an interval that rows divide, with a density that is constant between neighbours.

The interval between two neighbouring rows is the inverse of the cumulative distribution at a lazily
drawn uniform (see `lazy`), so its law is exact although the weights are irrational; the place
within it comes from another uniform, of which as many bits are drawn as the grid needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, Final

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
    found = _searched(ends, scores, width, LazyUniform(source))
    return _within(ends[found], ends[found + 1] - ends[found], exponent, source)


def point_among(
    rows: Any,
    lower: Fraction,
    upper: Fraction,
    centre: Fraction,
    scale: Number,
    exponent: int,
    source: BitSource | None = None,
) -> int:
    """`interval_point` between the neighbours of lower, the rows and upper, with the score
    -|i - centre| on interval i.

    The interval is found in doubles where their errors, all of them bounded, leave no doubt; else
    as `interval_point` finds it, from the same bits.

    Args:
        rows: doubles in order, all of them inside of lower and upper: an array, or what has its
            length, its slices as arrays, its items and `tolist`.
        scale: > 0.

    Raises:
        ParameterError: a scale that is not positive, lower >= upper.
    """
    width, source = nonnegative(scale, "scale"), source or system_source()
    if not width or lower >= upper:
        raise ParameterError("no interval to choose from", remedy="give lower < upper, scale > 0")
    uniform = LazyUniform(source)
    uniform.extend(STEP)
    found = _near(rows, lower, upper, centre, width, uniform)
    if found is None:
        ends = [lower, *map(Fraction, rows.tolist()), upper]
        scores = [-abs(i - centre) for i in range(len(ends) - 1)]
        found = _searched(ends, scores, width, uniform)
    start, stop = (_end(rows, lower, upper, i) for i in (found, found + 1))
    return _within(start, stop - start, exponent, source)


def _end(rows: Any, lower: Fraction, upper: Fraction, i: int) -> Fraction:
    return lower if not i else upper if i > len(rows) else Fraction(float(rows[i - 1]))


# -- in doubles, with a bound on every error

#: What is left out of a window, as a share of what is in it, at most.
_LEFT_OUT: Final = 2.0**-70
#: exp of a double is off by less than this share; half a last place is 2**-53.
_EXP_OFF: Final = 2.0**-46
#: Below e**-745 a double is 0.
_DEEPEST: Final = 745
_LINE: Final = 1024


def _near(
    rows: Any, lower: Fraction, upper: Fraction, centre: Fraction, width: Fraction,
    uniform: LazyUniform,
) -> int | None:  # fmt: skip
    """The interval in which the uniform falls for certain; None where doubles leave it open.

    Weights fall off on both sides of the centre, so that a window around it holds nearly all:
    beyond a side, the weights are at most all of the length there times the first weight.
    """
    import numpy as np

    count, whole = len(rows) + 1, centre.numerator // centre.denominator
    rest, t, span = float(centre - whole), float(width), float(upper - lower)
    if not (2.0**-300 < span < 2.0**900 and 2.0**-300 < t < 2.0**300):
        return None
    middle, half = min(max(whole, 0), count - 1), 64 + int(min(64 * t, count))
    while True:
        start, stop = max(0, middle - half), min(count, middle + half + 1)
        sizes = _sizes(rows, lower, upper, start, stop)
        far = np.abs(np.arange(start - whole, stop - whole) - rest)
        real = sizes > 0
        if real.any():
            nearest = float(far[real].min())
            weights = np.where(real, sizes * np.exp(np.minimum(nearest - far, 0.0) / t), 0.0)
            sums = _summed(weights)
            total = float(sums[-1])
            left_out = sum(
                size * np.exp(min(nearest - abs(i - whole - rest), 0.0) / t)
                for i, size in (
                    (start - 1, float(_end(rows, lower, upper, start) - lower)),
                    (stop, float(upper - _end(rows, lower, upper, stop))),
                )
                if size
            )
            if left_out <= _LEFT_OUT * total or stop - start == count:
                break
        elif stop - start == count:
            return None
        half *= 4
    if total < 2.0**-600 * span:
        return None  # weights that are 0 as doubles might count
    # Shares by which sums are off: distances, their exp, sizes, and the additions.
    off = (_DEEPEST + (2 * nearest + 2) / t) * 2.0**-51 + _EXP_OFF
    off = 4 * (off + (_LINE + len(weights) / _LINE + 8) * 2.0**-52)
    beyond = 2 * _LEFT_OUT * total
    low = uniform.value / (1 << uniform.bits) * total * (1 - off)
    high = (uniform.value + 1) / (1 << uniform.bits) * (total * (1 + off) + beyond)
    place = int(sums.searchsorted(low, "right"))
    if place >= len(sums):
        return None
    first = not start and not real[:place].any()
    last = stop == count and not real[place + 1 :].any()
    begin = 0.0 if first else (float(sums[place - 1]) if place else 0.0) * (1 + off) + beyond
    end = float(sums[place]) * (1 - off) - beyond
    return start + place if begin <= low and (last or high <= end) and real[place] else None


def _sizes(rows: Any, lower: Fraction, upper: Fraction, start: int, stop: int) -> Any:
    """Lengths of intervals, each rounded once."""
    import numpy as np

    found = np.empty(stop - start)
    first, last = max(start, 1), min(stop, len(rows))
    found[first - start : last - start] = np.diff(rows[first - 1 : last])
    for i in {0, len(rows)} & {start, stop - 1}:
        size = _end(rows, lower, upper, i + 1) - _end(rows, lower, upper, i)
        found[i - start] = float(size)
    return found


def _summed(weights: Any) -> Any:
    """Sums up to every entry, line by line, so that few additions follow each other."""
    import numpy as np

    lines = -(-len(weights) // _LINE)
    padded = np.zeros(lines * _LINE)
    padded[: len(weights)] = weights
    found = np.cumsum(padded.reshape(lines, _LINE), axis=1)
    found[1:] += np.cumsum(found[:-1, -1])[:, None]
    return found.ravel()[: len(weights)]


# -- exactly


def _searched(
    ends: Sequence[Fraction], scores: Sequence[Fraction], width: Fraction, uniform: LazyUniform
) -> int:
    """The interval in which the uniform falls; as many bits of it are drawn as that needs."""
    sizes = [b - a for a, b in pairwise(ends)]
    real = [i for i, size in enumerate(sizes) if size > 0]
    best = max(scores[i] for i in real)
    found = None
    if not uniform.bits:
        uniform.extend(STEP)
    while (found := _interval_at(uniform, real, sizes, scores, best, width)) is None:
        uniform.extend(STEP)
    return found


def _interval_at(
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
