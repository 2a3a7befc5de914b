"""k exponential mechanisms of one epsilon, fixed before any answer is seen: the exact optimum.

Laws whose log-ratio ranges over [t - r, t] are post-processings of the binary pair with losses t
(probability p_t = (1 - e^(t - r)) / (1 - e^-r)) and t - r, and the worst k mechanisms that are
fixed beforehand all have the same t (Dong, Durfee, Rogers 2020, "Optimal differential privacy
composition for exponential mechanisms", Theorem 3).  Their profile is
  delta_t(eps) = sum_i C(k, i) p_t^(k - i) (1 - p_t)^i (1 - e^(eps - k t + i r))_+ ,
and the largest over t is at one of t_m = (eps + m r)/(k + 1), m = 1, ..., k: where m terms are
positive, the derivative in t is, up to a positive factor, e^eps - e^((k + 1) t - m r), with kinks
that are convex between, and the ends t = 0 and t = r give 0.

Mechanisms that are chosen after answers can do worse (their section 4), so for those this is only
a lower bound; `adaptive_range` has both ends.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from metricdp.errors import MissingExtraError
from metricdp.noise.enclose import Bounds

#: The sums have about k^2 / 2 terms.
MOST_ROUNDS = 400
_BITS = 160
_ZERO = Fraction(0)


@lru_cache(maxsize=1024)
def optimal_delta(r: Fraction, rounds: int, epsilon: Fraction) -> Bounds | None:
    """Bounds of the largest delta_t(epsilon) over t; None: python-flint is not installed."""
    from metricdp.accounting.losses.balls import ends, precision

    places = {(epsilon + m * r) / (rounds + 1) for m in range(1, rounds + 1)}
    low = high = _ZERO
    try:
        with precision(_BITS):
            for t in sorted(places):
                if 0 < t < r:
                    below, above = ends(_profile(r, rounds, epsilon, t))
                    low, high = max(low, below), max(high, above)
    except MissingExtraError:
        return None
    return low, min(Fraction(1), high)


def _profile(r: Fraction, rounds: int, epsilon: Fraction, t: Fraction) -> Any:
    """delta_t(epsilon) as a ball."""
    from metricdp.accounting.losses.balls import ball

    rest = ball(t - r).exp()
    p = (1 - rest) / (1 - ball(-r).exp())
    term, odds = p**rounds, (1 - p) / p
    total, i = ball(0), 0
    step = ball(r).exp()
    power = ball(epsilon - rounds * t).exp()
    while i <= rounds and rounds * t - i * r > epsilon:
        total += term * (1 - power)
        term *= odds * (rounds - i) / (i + 1)
        power *= step
        i += 1
    return total


def optimal_epsilon(r: Fraction, rounds: int, delta: Fraction, width: Fraction) -> Bounds | None:
    """Bounds of the least epsilon >= 0 at which `optimal_delta` is at most delta."""
    first = optimal_delta(r, rounds, _ZERO)
    if first is None:
        return None
    if first[1] <= delta:
        return _ZERO, _ZERO
    low, high = _ZERO, rounds * r
    while high - low > width:
        middle = Fraction(round((low + high) / 2 * (1 << 44)), 1 << 44)
        found = optimal_delta(r, rounds, middle)
        if found is None or not low < middle < high:
            break
        if found[1] <= delta:
            high = middle
        elif found[0] > delta:
            low = middle
        else:
            break
    return low, high
