"""Exact choices among candidates: by exponential weights, by coins, or by Laplace noise.

`exponential_choice` is the inverse of the cumulative distribution at a lazily drawn uniform (see
`lazy`), so its law is exact although the weights are irrational.  `permuted_flips` flips exact
coins.  The others compare integers, so their law is that of the integer noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import add
from typing import Any

from metricdp.errors import ParameterError
from metricdp.noise.bernoulli import bernoulli_exp
from metricdp.noise.discrete import discrete_laplace
from metricdp.noise.discrete_scalar import OpenLaplaces, open_laplaces
from metricdp.noise.enclose import exp_fixed
from metricdp.noise.lazy import STEP, LazyUniform
from metricdp.noise.parameters import Number, nonnegative
from metricdp.noise.source import BitSource, system_source

#: From so many candidates on, noise is drawn in arrays, and is enclosed in arrays.
_MANY, _SOME = 64, 8


def exponential_choice(
    scores: Sequence[Fraction], scale: Number, source: BitSource | None = None
) -> int:
    """The index i with probability proportional to exp(scores[i] / scale), exactly.

    Args:
        scores: one or more rationals.
        scale: >= 0; 0 chooses the first of the largest scores.

    Raises:
        ParameterError: no scores, or a scale that is negative.
    """
    width, source = nonnegative(scale, "scale"), source or system_source()
    best = _largest(scores)
    if not width:
        return next(i for i, score in enumerate(scores) if score == best)
    uniform = LazyUniform(source)
    while True:
        uniform.extend(STEP)
        found = _place(uniform, [(score - best) / width for score in scores])
        if found is not None:
            return found


def _place(uniform: LazyUniform, exponents: Sequence[Fraction]) -> int | None:
    """The piece that holds all of the interval in which U is known to lie; None if not known."""
    bits = uniform.bits + len(exponents).bit_length() + 2
    weights = [exp_fixed(x, bits) for x in exponents]
    total = sum(low for low, _ in weights), sum(high for _, high in weights)
    # U * total is enclosed by [lower, upper] / 2**uniform.bits, in units of the weights.
    lower, upper = uniform.value * total[0], (uniform.value + 1) * total[1]
    begin = (0, 0)
    for index, (low, high) in enumerate(weights):
        end = begin[0] + low, begin[1] + high
        if begin[1] << uniform.bits <= lower and (
            index == len(weights) - 1 or upper <= end[0] << uniform.bits
        ):
            return index
        begin = end
    return None


def permuted_flips(
    scores: Sequence[Fraction], scale: Number, source: BitSource | None = None
) -> int:
    """The first i of a uniformly shuffled order whose coin of e^((scores[i] - max)/scale) is heads.

    The coin of a largest score is heads, so one pass is enough.

    Args:
        scores: one or more rationals.
        scale: >= 0; 0 chooses the first of the largest scores.

    Raises:
        ParameterError: no scores, or a scale that is negative.
    """
    width, source = nonnegative(scale, "scale"), source or system_source()
    best = _largest(scores)
    left = list(range(len(scores)))
    if not width:
        return next(i for i in left if scores[i] == best)
    while True:
        index = left.pop(source.below(len(left)))
        if bernoulli_exp((best - scores[index]) / width, source):
            return index


def noisy_max(ticks: Sequence[int], scale: Number, source: BitSource | None = None) -> int:
    """Index of the largest of ticks[i] + discrete Laplace noise of `scale`; the first in a tie.

    Raises ParameterError for no ticks and for a scale that is negative.
    """
    _largest(ticks)
    width, source = nonnegative(scale, "scale"), source or system_source()
    if len(ticks) >= _MANY and width:
        from metricdp.noise.vector_discrete import pack, plus

        noise = discrete_laplace(width, len(ticks), source)
        return int(plus(pack(ticks, Fraction(0)), noise).argmax())
    if not width:
        return max(range(len(ticks)), key=ticks.__getitem__)
    around = _opened(width, len(ticks), source)
    # What lies below the largest wherever in its interval it is needs not be known.
    level = max(map(add, ticks, around.least))
    near = [i for i, most in enumerate(map(add, ticks, around.most)) if most >= level]
    if len(near) == 1:
        return near[0]
    return max(near, key=lambda i: ticks[i] + around.value(i))


def _opened(scale: Fraction, count: int, source: BitSource) -> OpenLaplaces:
    if count < _SOME:
        return open_laplaces(scale, count, source)
    from metricdp.noise.vector_discrete import open_in_arrays

    return open_in_arrays(scale, count, source)


def first_above(
    ticks: Sequence[int],
    threshold: int,
    threshold_scale: Number,
    query_scale: Number,
    source: BitSource | None = None,
) -> int | None:
    """The first i with ticks[i] + fresh noise >= threshold + noise; None if there is none.

    The threshold's noise is drawn once, each query's is fresh; no noisy value is returned.
    Raises ParameterError for a scale that is negative.
    """
    found = positions_above(ticks, threshold, threshold_scale, query_scale, 1, source)
    return found[0] if found else None


def positions_above(
    ticks: Sequence[int],
    threshold: int,
    threshold_scale: Number,
    query_scale: Number,
    reports: int,
    source: BitSource | None = None,
) -> list[int]:
    """The first `reports` positions that `first_above` would find, with one noisy threshold.

    Raises ParameterError for a scale that is negative.
    """
    first = nonnegative(threshold_scale, "threshold_scale")
    each, source = nonnegative(query_scale, "query_scale"), source or system_source()
    level = threshold + (discrete_laplace(first, None, source) if first else 0)
    found: list[int] = []
    for index, tick in enumerate(ticks):
        if len(found) >= reports:
            break
        if tick + (discrete_laplace(each, None, source) if each else 0) >= level:
            found.append(index)
    return found


def _largest(values: Sequence[Any]) -> Any:
    if not values:
        raise ParameterError("nothing to choose from", remedy="give one candidate or more")
    return max(values)
