"""What laws on the integers share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.laws.interval import ONE, ZERO, add, subtract
from metricdp.noise.enclose import Bounds


def between(law: Any, center: int, first: int, last: int) -> Bounds:
    """P(first <= X <= last) of a law whose masses fall away from `center`."""
    if last < first:
        return ZERO
    if first <= center <= last:
        return subtract(ONE, add(law.cdf(first - 1), law.tail(last + 1)))
    if first > center:
        low, high = subtract(law.tail(first), law.tail(last + 1))
        near, far = law.pmf(first), law.pmf(last)
    else:
        low, high = subtract(law.cdf(last), law.cdf(first - 1))
        near, far = law.pmf(last), law.pmf(first)
    # The masses fall outwards: their number times those at the ends are bounds as well.
    size = last - first + 1
    return max(Fraction(0), low, size * far[0]), min(high, size * near[1])
