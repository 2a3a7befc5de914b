"""The worst of k exponential mechanisms of one range: fixed beforehand, or chosen after answers."""

from __future__ import annotations

from fractions import Fraction

from metricdp.measures.accounting import adaptive_range
from metricdp.measures.accounting.bounded_range import optimal_delta, optimal_epsilon
from metricdp.measures.accounting.engines import Found

#: Width of a search for epsilon.
_NARROW = Fraction(1, 10**9)


def worst_delta(r: Fraction, rounds: int, adaptive: bool, epsilon: Fraction) -> Found:
    """The largest delta at epsilon >= 0; [0, 1] where nothing better is known."""
    fixed = optimal_delta(r, rounds, epsilon) or (Fraction(0), Fraction(1))
    if not adaptive:
        return Found(*fixed, ())
    free = adaptive_range.adaptive_delta(r, rounds, epsilon)
    if free is None:
        return Found(fixed[0], Fraction(1), ())
    return Found(max(fixed[0], free[0]), free[1], (adaptive_range.ENGINE,))


def worst_epsilon(r: Fraction, rounds: int, adaptive: bool, delta: Fraction) -> Found:
    """The largest epsilon at delta; [0, k r] where nothing better is known."""
    most = rounds * r
    free = adaptive_range.adaptive_epsilon(r, rounds, delta, _NARROW) if adaptive else None
    if free is not None:
        # Mechanisms that are fixed are worse only where the other proof's grid is coarse.
        fixed = optimal_delta(r, rounds, free[0])
        if fixed is None or fixed[0] <= delta:
            return Found(*free, (adaptive_range.ENGINE,))
    low, high = optimal_epsilon(r, rounds, delta, _NARROW) or (Fraction(0), most)
    if free is not None:
        return Found(max(low, free[0]), free[1], (adaptive_range.ENGINE,))
    return Found(low, most if adaptive else high, ())
