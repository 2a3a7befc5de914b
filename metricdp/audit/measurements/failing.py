"""What the delta of a (rho, delta) has to be at least, read off two laws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

#: Epsilons at which an excess is looked for: rho + 2 sqrt(rho t), where e^-t is the usual delta.
_AT = (2, 6, 14)


def failing(p: Any, q: Any, rho: Fraction | float) -> tuple[Fraction, Fraction]:
    """P of what Q never shows; and, at some epsilons, the excess of P - e^epsilon Q over that of
    every rho-zCDP pair, which an approximate one exceeds by delta at most.

    Source: Bun and Steinke (2016), Definition 8.1 and Lemma 8.8.
    """
    from metricdp.accounting.rounded import root_up
    from metricdp.laws import hockey_stick
    from metricdp.laws.interval import ZERO, add
    from metricdp.measures.implications import zcdp_delta

    low, high = add(ZERO, *(p.pmf(k) for k in p.support() if not q.pmf(k)[1]))
    if isinstance(rho, float):
        return low, high
    for t in _AT:
        epsilon = rho + 2 * root_up(rho * t)
        excess = hockey_stick(p, q, epsilon)[0] - zcdp_delta(rho, epsilon).value
        low, high = max(low, excess), max(high, excess)
    return low, high
