"""Optimal composition of k epsilon-DP mechanisms: the exact worst case, as a certified number.

Every epsilon-DP pair of laws is a post-processing of randomized response with odds e^epsilon, so k
of them are dominated by k coins: with P = Binomial of the number of lies, the hockey-stick profile
at e^x is max_i (P_i - e^x Q_i), where for i = 1, ..., k
  P_i = sum_{l < i} C(k, l) p^(k - l) r^l,   Q_i = sum_{l < i} C(k, l) p^l r^(k - l),
  p = e^epsilon / (1 + e^epsilon), r = 1 - p (events "fewer than i lies": ratios fall with l).
So the least x with profile at most delta is ln max_i (P_i - delta) / Q_i, and 0 if that is below 0.
Source: Kairouz, Oh, Viswanath (2015), Theorem 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import comb, prod

from metricdp.accounting.rounded import short_up
from metricdp.errors import ParameterError
from metricdp.noise.kept import exp_decimal

#: The sums have k terms; more than this is refused.
LARGEST_COUNT = 200_000
_DIGITS = 50
_DOWN = Context(_DIGITS, ROUND_FLOOR, MIN_EMIN, MAX_EMAX, traps=[])
_UP = Context(_DIGITS, ROUND_CEILING, MIN_EMIN, MAX_EMAX, traps=[])


def optimal_epsilon(epsilon: Fraction, count: int, delta: Fraction) -> Fraction:
    """The least epsilon at delta of `count` adaptive epsilon-DP steps, rounded up.

    Args:
        epsilon: >= 0, of every step (steps with less are covered).
        count: at most `LARGEST_COUNT`.
        delta: in [0, 1).

    Raises:
        ParameterError: an argument outside its range.
    """
    if epsilon < 0 or not 0 <= delta < 1:
        raise ParameterError("needs epsilon >= 0 and 0 <= delta < 1", place="composition")
    if not 0 <= count <= LARGEST_COUNT:
        raise ParameterError(f"{count} rounds: at most {LARGEST_COUNT}", place="composition")
    whole = count * Fraction(epsilon)
    if not delta or not whole:
        return whole
    return min(whole, short_up(_largest_log(Fraction(epsilon), count, Fraction(delta))))


def _largest_log(epsilon: Fraction, count: int, delta: Fraction) -> Fraction:
    """ln of the largest (P_i - delta) / Q_i, rounded up; at least 0.

    Both sums are scaled by (1 + e^-epsilon)^count: terms C(k, l) x^l and C(k, l) x^(k - l), where
    x = e^-epsilon.
    """
    x_low, x_high = exp_decimal(-epsilon, _DIGITS)
    cut = _power(_DOWN, _DOWN.add(Decimal(1), x_low), count)
    cut = _DOWN.multiply(cut, _DOWN.divide(Decimal(delta.numerator), Decimal(delta.denominator)))
    p_term, q_term = Decimal(1), _power(_DOWN, x_low, count)
    p_sum, q_sum, best = p_term, q_term, Decimal(1)
    for l in range(count):  # noqa: E741
        excess = _UP.subtract(p_sum, cut)
        if excess > 0:
            best = max(best, _UP.divide(excess, q_sum))
        rise, fall = Decimal(count - l), Decimal(l + 1)
        p_term = _UP.multiply(_UP.divide(_UP.multiply(p_term, rise), fall), x_high)
        q_term = _DOWN.divide(_DOWN.divide(_DOWN.multiply(q_term, rise), fall), x_high)
        p_sum, q_sum = _UP.add(p_sum, p_term), _DOWN.add(q_sum, q_term)
    excess = _UP.subtract(p_sum, cut)
    if excess > 0:
        best = max(best, _UP.divide(excess, q_sum))
    return Fraction(_UP.next_plus(_UP.ln(best))) if best > 1 else Fraction(0)


def _power(way: Context, base: Decimal, exponent: int) -> Decimal:
    """A whole power, rounded down by the context (decimal's is good to one unit)."""
    return way.next_minus(way.power(base, exponent))


def optimal_epsilon_of(parts: Sequence[tuple[Fraction, int]], delta: Fraction) -> Fraction:
    """The least epsilon at delta of adaptive pure steps, `count` of each epsilon; rounded up.

    The same sums over all numbers of lies at once: events "the loss is among the i largest", in the
    exact order of the losses sum epsilon (count - 2 lies).  Source: Murtagh and Vadhan (2016),
    Theorem 1.5; it is hard in the number of different epsilons, so that number must be small.

    Args:
        parts: pairs (epsilon, count), with `states(parts)` in the thousands at most.
        delta: in [0, 1).
    """
    whole = sum((count * e for e, count in parts), Fraction(0))
    if not delta or not whole:
        return whole
    cut = _DOWN.divide(Decimal(delta.numerator), Decimal(delta.denominator))
    one = Decimal(1)
    masses: list[tuple[Fraction, Decimal, Decimal]] = [(Fraction(0), one, one)]
    for e, count in parts:
        x_low, x_high = exp_decimal(-e, _DIGITS)
        cut = _DOWN.multiply(cut, _power(_DOWN, _DOWN.add(one, x_low), count))
        ways = [Decimal(comb(count, i)) for i in range(count + 1)]
        highs = [_UP.multiply(w, _raised(_UP, x_high, i)) for i, w in enumerate(ways)]
        lows = [_DOWN.multiply(w, _raised(_DOWN, x_low, count - i)) for i, w in enumerate(ways)]
        masses = [
            (loss + e * (count - 2 * i), _UP.multiply(p, highs[i]), _DOWN.multiply(q, lows[i]))
            for loss, p, q in masses
            for i in range(count + 1)
        ]
    p_sum = q_sum = Decimal(0)
    best = one
    for _, p, q in sorted(masses, key=lambda mass: -mass[0]):
        p_sum, q_sum = _UP.add(p_sum, p), _DOWN.add(q_sum, q)
        if (excess := _UP.subtract(p_sum, cut)) > 0:
            best = max(best, _UP.divide(excess, q_sum))
    found = Fraction(_UP.next_plus(_UP.ln(best))) if best > 1 else Fraction(0)
    return min(whole, short_up(found))


def states(parts: Sequence[tuple[Fraction, int]]) -> int:
    """Number of terms of `optimal_epsilon_of`."""
    return prod(count + 1 for _, count in parts)


def _raised(way: Context, base: Decimal, exponent: int) -> Decimal:
    """A whole power in the direction of the context."""
    if not exponent:
        return Decimal(1)
    found = way.power(base, exponent)
    return way.next_plus(found) if way is _UP else way.next_minus(found)
