"""Chi-square checks shared by the tests of noise."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor, sqrt
from typing import Any

from scipy.stats import chi2

from metricdp.laws import GridLaw
from metricdp.laws.thresholded import MORE, ThresholdedLaw

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
    """Chi-square of integer draws against the exact tails of a law around 0.

    A scale that is 5% off is always seen in 60,000 draws, one that is 3% off in 200,000; in 1500
    draws one of Gaussian noise that is 20% off and one of Laplace noise that is 40% off, in 4000
    15% and 20%.
    """
    if scale < 8:
        edges = list(range(-40, 42))
    else:
        edges = sorted({int(scale * Fraction(i, 8)) for i in range(-64, 65)})
    found = sorted(draws)
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    above = [len(found), *(_at_least(found, e) for e in edges), 0]
    chi_square(
        [a - b for a, b in pairwise(above)],
        [a - b for a, b in pairwise(tails)],
    )


def _at_least(found: list[Any], edge: int) -> int:
    """How many of sorted draws are `edge` or more."""
    return len(found) - bisect_left(found, edge)


def outcome(law: Any, released: Any) -> Any:
    """The outcome of the law that a release is."""
    if isinstance(law, ThresholdedLaw):
        last = law.threshold + law.apart
        return frozenset((k, v if v <= last else MORE) for k, v in released.items())
    return tuple(released) if isinstance(released, list) else released


def follows(law: Any, draws: list[Any]) -> None:
    """Chi-square of outcomes; of numbers without end, by cells a quarter of the scale wide."""
    if isinstance(law, GridLaw):
        follows(law.law, [int(Fraction(x) / law.step) for x in draws])
        return
    if law.support() is not None:
        counts = Counter(draws)
        assert counts.keys() <= set(law.support())
        chi_square([counts[k] for k in law.support()], [middle(law.pmf(k)) for k in law.support()])
        return
    edges = quarters(law)
    found = sorted(draws)
    above = [len(found), *(_at_least(found, e) for e in edges), 0]
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    chi_square(
        [a - b for a, b in pairwise(above)],
        [a - b for a, b in pairwise(tails)],
    )


def quarters(law: Any) -> list[int]:
    """Whole numbers a quarter of the scale apart, around the centre of a law on the integers."""
    width = float(getattr(law, "scale", getattr(law, "width", 0))) or sqrt(law.sigma2)
    return sorted({floor(law.center + width * i / 4) for i in range(-20, 21)})
