"""Paying for a gap in total variation: mechanisms that are close to the ones that were analysed.

Let the two output laws differ from P and Q by at most g in total variation.  For every event E,
P'(E) <= P(E) + g <= e^eps Q(E) + delta(eps) + g <= e^eps Q'(E) + delta(eps) + g (1 + e^eps), and
with signs exchanged this bounds the profile from below.  Over rounds the gaps add (hybrids).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from metricdp.expr.decimals import decimal_up
from metricdp.measures.accounting.errors import NoAnswerError
from metricdp.measures.rounded import exp_up, short_up

#: Rounds of the iteration.
_MOST = 60


def cost(gap: Fraction, epsilon: Fraction) -> Fraction:
    """g (1 + e^eps), rounded up."""
    return gap * (1 + exp_up(epsilon)) if gap else Fraction(0)


def with_gap(plain: Callable[[Fraction], Fraction], delta: Fraction, gap: Fraction) -> Fraction:
    """An epsilon with profile(epsilon) + g (1 + e^epsilon) <= delta, near the least one.

    Args:
        plain: delta -> an upper bound of the least epsilon without the gap.

    Raises:
        NoAnswerError: there is none.
    """
    epsilon = Fraction(0)
    for _ in range(_MOST):
        allowed = delta - cost(gap, epsilon)
        if allowed <= 0:
            break
        found = plain(allowed)
        if found <= epsilon:
            return epsilon
        # A little further than needed, so that the next round confirms it.
        epsilon = short_up(found * (1 + Fraction(1, 10**10)), 60)
    raise NoAnswerError(
        f"the cut of the samples alone costs {decimal_up(gap, 3)} (1 + e^epsilon) in delta, which"
        f" leaves nothing of {decimal_up(delta, 3)}",
        place="delta",
        remedy="keep more rows of a sample, or choose a larger delta",
    )
