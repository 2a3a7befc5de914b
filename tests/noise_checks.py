"""Chi-square checks shared by the tests of noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy
from scipy.stats import chi2

#: Probability that a check fails on a correct sampler (seeds are fixed: it never flickers).
FALSE_ALARM = 1e-9


def middle(bounds: tuple[Fraction, Fraction]) -> float:
    """The float in the middle of an enclosure that is narrow enough to be one number."""
    assert 0 <= bounds[1] - bounds[0] <= Fraction(1, 10**15)
    return float((bounds[0] + bounds[1]) / 2)


def chi_square(counts: Sequence[float], probabilities: Sequence[float]) -> None:
    """Fail if the counts do not fit; cells with an expected count below 10 are pooled."""
    total = sum(counts)
    assert abs(sum(probabilities) - 1) < 1e-9
    cells, pool = [], [0.0, 0.0]
    for count, p in zip(counts, probabilities, strict=True):
        if p * total < 10:
            pool = [pool[0] + count, pool[1] + p]
        else:
            cells.append((count, p))
    if pool[1] * total >= 10:
        cells.append((pool[0], pool[1]))
    else:
        # Poisson tail: this many counts where fewer than 10 are expected has p-value < 1e-9.
        assert pool[0] < 45, f"{pool[0]} draws of probability {pool[1]}"
    statistic = sum((c - total * p) ** 2 / (total * p) for c, p in cells)
    assert statistic <= chi2.isf(FALSE_ALARM, max(1, len(cells) - 1)), cells


def fits(draws: Iterable[int] | Any, law: Any, scale: Fraction) -> None:
    """Chi-square of integer draws against the exact tails of a law around 0."""
    if scale < 8:
        edges = list(range(-40, 42))
    else:
        edges = sorted({int(scale * Fraction(i, 8)) for i in range(-64, 65)})
    array = numpy.asarray(list(draws), dtype=object)
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    above = [len(array), *(int((array >= e).sum()) for e in edges), 0]
    chi_square(
        [a - b for a, b in pairwise(above)],
        [a - b for a, b in pairwise(tails)],
    )
