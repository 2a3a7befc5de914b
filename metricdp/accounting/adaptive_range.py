"""k mechanisms of one bounded range r, each chosen after the answers before: the worst, two-sided.

Let F_k(x) be the largest HS(x) = sup over events E of P(E) - e^x Q(E) of such a sequence.  Then
  F_0(x) = (1 - e^x)_+,   F_k(x) = max over t in [0, r] of V(t),
  V(t) = p_t F_{k-1}(x - t) + (1 - p_t) F_{k-1}(x - t + r),   p_t = (1 - e^(t-r)) / (1 - e^-r).

At most: given the first answer y with loss L = ln dP/dQ(y), the rest has HS at most F_{k-1}(x - L),
and HS(x) of all is the mean of the rest's HS(x - L) under P.  q = e^-L lies in an interval
[e^-t, e^(r-t)] and has mean 1 under P, so that t is in [0, r].  As a function of c = e^x, F_{k-1}
is convex (by induction: a maximum of sums of convex functions of c), so that E F_{k-1}(c q) is at
most its value for the law on the two ends of the interval with mean 1, which is V(t).  Nothing here
needs y to be discrete, and a choice of mechanisms by coins averages over such sequences.
At least: the binary pair with losses t and t - r is an exponential mechanism of range r (Dong,
Durfee, Rogers 2020, sections 3 and 4), and the next t may depend on its answer.

Pairs reversed have the same ranges, so F_k(-x) = 1 - e^-x + e^-x F_k(x): x >= 0 is enough.

On a grid of step h = r / N:
- From below, t takes the N + 1 values m h, for which x - t and x - t + r are grid points.
- From above, F_{k-1} is at most its chords in c between upper bounds at grid points.  Let t be in
  [mh, (m+1)h] and a = e^-t.  Both arguments stay within one chord each, whose values at c = 0 are
  A and A': V(t) is at most a function linear in a, less (A - A') / (a (e^r - 1)).  With V_0, V_1
  its values at the ends a_0 < a_1 and s in [0, 1] the place of a between them, it is above its
  chord by at most 4 K s (1 - s), K = (A - A')_+ sinh(h/2)^2 / (a_0 (e^r - 1)), because
  chord(1/a) - 1/a = (a - a_0)(a_1 - a) / (a a_0 a_1) and a_1 = a_0 e^h.  So
    V(t) <= max(V_0, V_1) + (K - |V_0 - V_1| / 4)_+ :
  with d = V_1 - V_0, d s + 4 K s (1 - s) has no maximum inside for |d| >= 4 K, and else is at most
  d / 2 + K + d^2 / (16 K) <= d / 2 + K + |d| / 4.
Both ends are of second order in h.  The grid ends at some x: F_k falls, so beyond it is at most its
value there, and at least 0.

Round-off: all exponentials are rationals rounded outwards.  Sums are of nonnegative doubles, and
the upper bound grows with V_0, V_1 and K, so that a round errs by less than 2^-49 of it (`SAFE` is
charged); A - A' cancels and is charged in absolute terms; underflow costs less than `_LEAST`.

One round on a grid is `RangeGrid`; lines are values at x = -r, -r + h, ..., X + r, and its result
is at 0, h, ..., X.  `worst_delta` and `worst_epsilon` also take mechanisms that were fixed
beforehand (`bounded_range`).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt, sqrt
from typing import Any

import msgspec

from metricdp.accounting.bounded_range import optimal_delta, optimal_epsilon
from metricdp.accounting.engines import Found
from metricdp.accounting.rounded import (
    double_up,
    exp_down,
    exp_up,
    ln_down,
    ln_up,
    root_up,
    short_down,
    short_up,
)
from metricdp.noise.enclose import Bounds

#: More than a round's relative error of round-off.
SAFE = 2.0**-48
_ZERO, _ONE = Fraction(0), Fraction(1)


class RangeGrid:
    """The step h = r / steps, and the weights of a round, rounded to either side."""

    def __init__(self, r: Fraction, steps: int) -> None:
        import numpy as np

        self.step, self.steps = r / steps, steps
        table = [(exp_down(-m * self.step), exp_up(-m * self.step)) for m in range(steps + 1)]
        least, most = 1 - table[-1][1], 1 - table[-1][0]
        # p_t at t = m h, and 1 - p_t.
        weights = [((1 - high) / most, (1 - low) / least) for low, high in reversed(table)]
        self._low = [(double_down(low), double_down(max(_ZERO, 1 - high))) for low, high in weights]
        self._high = [
            (double_up(min(_ONE, high)), double_up(min(_ONE, 1 - low))) for low, high in weights
        ]
        # sinh(h/2)^2 = (1 - e^-h)^2 e^h / 4, and 1 / a_0 = e^((m + 1) h).
        bend = (1 - table[1][0]) ** 2 / (4 * table[1][0]) * table[-1][1] / least
        self._bends = [double_up(bend / table[m + 1][0]) for m in range(steps)]
        self._slope = float(table[1][1] / (1 - table[1][1]))
        # e^-x and 1 - e^-x at x = r, r - h, ..., h.
        self._back_low = np.array([double_down(low) for low, _ in table[:0:-1]])
        self._back_high = np.array([double_up(high) for _, high in table[:0:-1]])
        self._rest_low = np.array([double_down(1 - high) for _, high in table[:0:-1]])
        self._rest_high = np.array([double_up(1 - low) for low, _ in table[:0:-1]])

    def mirrored_above(self, upper: Any) -> Any:
        """Upper bounds at x = -r, ..., -h from those at 0, h, ..."""
        return (self._rest_high + self._back_high * upper[self.steps : 0 : -1]) * (1 + SAFE)

    def mirrored_below(self, lower: Any) -> Any:
        """The same of lower bounds."""
        return (self._rest_low + self._back_low * lower[self.steps : 0 : -1]) * (1 - SAFE)

    def above(self, line: Any) -> Any:
        """Upper bounds after one round more.

        Args:
            line: upper bounds, >= 0, that do not grow.
        """
        import numpy as np

        steps, size = self.steps, len(line) - 2 * self.steps
        at_zero = line[:-1] + self._slope * (line[:-1] - line[1:])
        # Either value at 0 errs by less than 5 2^-53 (1 + slope) of the larger point.
        cancelled = 2.0**-46 * (1 + self._slope) * line[: -1 - steps]
        apart = np.maximum(at_zero[:-steps] - at_zero[steps:], 0.0) + cancelled
        upper, one = np.zeros(size), np.zeros(0)
        for m, (p, q) in enumerate(self._high):
            here = slice(steps - m, steps - m + size)
            two = p * line[here] + q * line[here.start + steps : here.stop + steps]
            if m:
                bound = self._bends[m - 1] * apart[here]
                bound -= 0.25 * np.abs(one - two)
                np.maximum(bound, 0.0, out=bound)
                bound += np.maximum(one, two)
                np.maximum(upper, bound, out=upper)
            one = two
        return upper * (1 + SAFE)

    def below(self, line: Any) -> Any:
        """Lower bounds after one round more, from lower bounds >= 0."""
        import numpy as np

        steps, size = self.steps, len(line) - 2 * self.steps
        lower = np.zeros(size)
        for m, (p, q) in enumerate(self._low):
            at = steps - m
            value = p * line[at : at + size] + q * line[at + steps : at + steps + size]
            np.maximum(lower, value, out=lower)
        return lower * (1 - SAFE)


def double_down(x: Fraction) -> float:
    """The largest double that is not above x."""
    return -double_up(-x)


ENGINE = "adaptive recursion"
#: Ranges for which the doubles below neither overflow nor lose their digits.
_SMALLEST, _LARGEST = Fraction(1, 1 << 40), 64
#: Rounds times steps of t times points of x; the finest and coarsest r / h.
_WORK, _MOST_STEPS, _FEWEST_STEPS = 60_000_000, 256, 16
_LEAST = Fraction(1, 10**290)
#: No smaller delta is looked for.
_LEAST_DELTA = Fraction(1, 10**250)


class RangeProfile(msgspec.Struct, frozen=True):
    """F_k at x = 0, h, 2h, ...

    Attributes:
        step: h.
        upper: at least F_k, doubles that do not grow.
        lower: at most F_k.
        before: at most F_{k-1}, from x = -r on.
    """

    step: Fraction
    upper: Any
    lower: Any
    before: Any


def adaptive_delta(r: Fraction, rounds: int, epsilon: Fraction) -> Bounds | None:
    """Bounds of F_k(epsilon), epsilon >= 0; None: one round, or r is outside of what doubles do."""
    if rounds < 2 or not _SMALLEST <= r <= _LARGEST:
        return None
    if epsilon >= rounds * r:
        return _ZERO, _ZERO
    found = _profile_to(r, rounds, epsilon)
    return _below(found, r, epsilon), _above(found, epsilon)


def adaptive_epsilon(r: Fraction, rounds: int, delta: Fraction, width: Fraction) -> Bounds | None:
    """Bounds of the least epsilon >= 0 with F_k(epsilon) <= delta < 1; None as above.

    Args:
        width: how near the lower end is searched.
    """
    if rounds < 2 or not _SMALLEST <= r <= _LARGEST or delta < _LEAST_DELTA:
        return None
    rho = rounds * r * r / 8
    # By zCDP (Bun and Steinke 2016, Proposition 1.3) the answer is below this.
    reach = rho + 2 * root_up(rho * -short_down(ln_down(delta)))
    found = _profile_to(r, rounds, short_up(reach, 60))
    at = int((found.upper > double_down(delta - _LEAST)).sum())
    if not at:
        return _ZERO, _ZERO
    high = rounds * r
    if at < len(found.upper):
        start, stop = (Fraction(float(x)) + _LEAST for x in found.upper[at - 1 : at + 1])
        share = (start - delta) / (start - stop) if stop < start else _ONE
        growth = 1 + min(_ONE, max(_ZERO, share)) * (exp_up(found.step) - 1)
        high = min(high, (at - 1) * found.step + short_up(ln_up(short_up(growth)), 60))
    if _below(found, r, _ZERO) <= delta:
        return _ZERO, high
    above = (found.lower > double_up(delta + _LEAST)).nonzero()[0]
    low = int(above[-1]) * found.step if above.size else _ZERO
    bound = high
    while bound - low > width:
        middle = Fraction(round((low + bound) / 2 * (1 << 50)), 1 << 50)
        if not low < middle < bound:
            break
        if _below(found, r, middle) > delta:
            low = middle
        else:
            bound = middle
    return low, high


def _above(found: RangeProfile, epsilon: Fraction) -> Fraction:
    """The chord between grid points."""
    h = found.step
    at = int(epsilon / h)
    if at >= len(found.upper) - 1:
        return Fraction(float(found.upper[-1])) + _LEAST
    start, stop = (Fraction(float(x)) for x in found.upper[at : at + 2])
    share = max(_ZERO, (exp_down(epsilon - at * h) - 1) / (exp_up(h) - 1))
    return min(_ONE, short_up(start - share * (start - stop)) + _LEAST)


def _below(found: RangeProfile, r: Fraction, epsilon: Fraction) -> Fraction:
    """One more round before `before`, whose t takes epsilon to grid points."""
    import numpy as np

    h = found.step
    steps = int(r / h)
    # t = rest + m h, and epsilon - t is the grid point `at` - m.
    at = int(epsilon / h)
    rest = epsilon - at * h
    m = np.arange(steps + (rest == 0))
    places = steps + at - m
    unknown = max(0, at + 2 * steps + 1 - len(found.before))
    past = np.concatenate((found.before, np.zeros(unknown)))
    p = np.expm1(float(rest) + m * float(h) - float(r)) / np.expm1(-float(r))
    # Any t will do: the best one in doubles, and its value in rationals.
    best = int((p * past[places] + (1 - p) * past[places + steps]).argmax())
    near, far = (Fraction(float(past[places[best] + j])) for j in (0, steps))
    t = rest + best * h
    least = max(_ZERO, (1 - exp_up(t - r)) / (1 - exp_down(-r)))
    most = min(_ONE, (1 - exp_down(t - r)) / (1 - exp_up(-r)))
    return max(_ZERO, short_down(least * near + (1 - most) * far) - _LEAST)


def _profile_to(r: Fraction, rounds: int, epsilon: Fraction) -> RangeProfile:
    """The profile up to somewhat beyond epsilon, on a grid that the work allows."""
    # In units of r: sigma = sqrt(k) / 2 is a standard deviation of a sum of losses.
    pace = ceil(sqrt(rounds) / 2)
    reach = min(rounds, pace * (ceil(epsilon / r / pace) + 2))
    steps = isqrt(_WORK // (rounds * reach))
    return _recursion(r, rounds, max(_FEWEST_STEPS, min(_MOST_STEPS, steps)), reach)


@lru_cache(maxsize=64)
def _recursion(r: Fraction, rounds: int, steps: int, reach: int) -> RangeProfile:
    """F_k on [0, reach r], with h = r / steps."""
    import numpy as np

    grid = RangeGrid(r, steps)
    upper, lower = np.zeros(steps + 1), np.zeros(steps + 1)
    before = lower
    for done in range(rounds):
        # F_j is 0 from j r on.
        size = min(done + 1, reach) * steps + 1
        past = steps + size - len(upper)
        line = np.concatenate((grid.mirrored_above(upper), upper, np.full(past, upper[-1])))
        before = np.concatenate((grid.mirrored_below(lower), lower, np.zeros(past)))
        upper = grid.above(np.minimum.accumulate(np.minimum(line, 1.0)))
        lower = grid.below(before)
    return RangeProfile(grid.step, np.minimum.accumulate(np.minimum(upper, 1.0)), lower, before)


#: Width of a search for epsilon.
_NARROW = Fraction(1, 10**9)


def worst_delta(r: Fraction, rounds: int, adaptive: bool, epsilon: Fraction) -> Found:
    """The largest delta at epsilon >= 0; [0, 1] where nothing better is known."""
    fixed = optimal_delta(r, rounds, epsilon) or (Fraction(0), Fraction(1))
    if not adaptive:
        return Found(*fixed, ())
    free = adaptive_delta(r, rounds, epsilon)
    if free is None:
        return Found(fixed[0], Fraction(1), ())
    return Found(max(fixed[0], free[0]), free[1], (ENGINE,))


def worst_epsilon(r: Fraction, rounds: int, adaptive: bool, delta: Fraction) -> Found:
    """The largest epsilon at delta; [0, k r] where nothing better is known."""
    most = rounds * r
    free = adaptive_epsilon(r, rounds, delta, _NARROW) if adaptive else None
    if free is not None:
        # Mechanisms that are fixed are worse only where the other proof's grid is coarse.
        fixed = optimal_delta(r, rounds, free[0])
        if fixed is None or fixed[0] <= delta:
            return Found(*free, (ENGINE,))
    low, high = optimal_epsilon(r, rounds, delta, _NARROW) or (Fraction(0), most)
    if free is not None:
        return Found(max(low, free[0]), free[1], (ENGINE,))
    return Found(low, most if adaptive else high, ())
