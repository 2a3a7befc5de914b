"""Renyi curve of the best of a random number of private rounds; laws and names as in
`readings.selected_cost`.

Write F and F' for the values f'(.) in `readings.selected_cost` under two inputs, u and u' for the
chances there. x^alpha y^(1 - alpha) is jointly convex, so with A(y) = Q(y) times a mean of F,
  e^((alpha - 1) D_alpha(A, A')) <= e^((alpha - 1) D_alpha(Q, Q')) max F^alpha F'^(1 - alpha),
  F^alpha F'^(1 - alpha) = E[K] (g/u)^(h + 1) (u'/u)^((alpha - 1)(h + 1)).
g <= u <= 1, and u, u' are chances of one event after Q and Q', so for every order beta > 1
  u'^beta u^(1 - beta) <= e^((beta - 1) D_beta(Q', Q)),
  u'/u <= e^((1 - 1/beta) D_beta) u^(-1/beta) <= e^((1 - 1/beta) D_beta) g^(-1/beta).
Hence, with E[K] <= 1/g,
  D_alpha(A, A') <= D_alpha + (1 + h) ((1 - 1/beta) D_beta + ln(1/g) / beta) + ln(1/g)/(alpha - 1).
Source: Papernot and Steinke (2022), Theorem 2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from metricdp.accounting.costs import selected
from metricdp.accounting.renyi import ComposedCurve, Curve, LeastCurve, PureCurve, checked_order
from metricdp.accounting.rounded import ln_up, short_up
from metricdp.errors import ParameterError
from metricdp.measures.accounted import AccountedStep
from metricdp.noise.enclose import Bounds

#: Orders at which the base is read for the second term; any subset is valid.
_ORDERS = tuple(
    Fraction(n, 4) * 2**k for k in range(13) for n in ((5, 6, 7) if k == 0 else (4, 5, 6, 7))
)


class Best(Curve, frozen=True):
    """The best of rounds with curve `base`; a bound.

    Attributes:
        stop: in (0, 1].
        shape: in (-1, 1].
    """

    base: Curve
    stop: Fraction
    shape: Fraction

    @property
    def largest(self) -> Fraction | None:
        return self.base.largest

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        log = ln_up(1 / self.stop) if self.stop < 1 else Fraction(0)
        first = self.base.divergence(alpha)[1] + log / (alpha - 1)
        return Fraction(0), short_up(first + (1 + self.shape) * _second(self.base, self.stop, log))


@lru_cache(maxsize=256)
def _second(base: Curve, stop: Fraction, log: Fraction) -> Fraction:
    """The least of (1 - 1/beta) D_beta + log / beta over some orders beta, and of what u'/u may be
    for a pure base.
    """
    orders = [b for b in _ORDERS if base.largest is None or b <= base.largest]
    if not orders:
        raise ParameterError("the rounds have no Renyi bound at any usual order", place="selection")
    found = [(1 - 1 / b) * base.divergence(b)[1] + log / b for b in orders]
    pure = base.pure_epsilon
    least: Fraction = min(found)
    return least if pure is None else min(least, selected_epsilon(pure, stop, Fraction(0)) - pure)


def selected_epsilon(epsilon: Fraction, stop: Fraction, shape: Fraction) -> Fraction:
    """`costs.selected`, rounded up."""
    found = selected(epsilon, stop, shape).upper({})
    assert isinstance(found, Fraction)
    return short_up(found)


def selected_step(
    rounds: list[AccountedStep], stop: Fraction, shape: Fraction
) -> list[AccountedStep]:
    """The best of the rounds that compose these steps, as one step; nothing where they are none.

    Raises:
        ParameterError: a round samples rows, so that its curve is not known yet; stop not positive.
    """
    if not rounds:
        return []
    if not all(step.whole for step in rounds) or stop <= 0:
        raise ParameterError("a round that samples rows has no curve here", place="selection")
    base: Curve = ComposedCurve(tuple((step.curve, step.count) for step in rounds))
    leak = sum((step.count * step.leak for step in rounds), Fraction(0)) / stop
    best: Curve = Best(base, stop, shape)
    pure = base.pure_epsilon
    if pure is not None:
        return [
            AccountedStep(
                LeastCurve((PureCurve(selected_epsilon(pure, stop, shape)), best)), 1, leak
            )
        ]
    pairs = [step.pair for step in rounds]
    known = [(pair, step.count) for pair, step in zip(pairs, rounds, strict=True) if pair]
    if len(known) < len(pairs):
        return [AccountedStep(best, 1, leak)]
    epsilon = sum((count * pair[0] for pair, count in known), Fraction(0))
    delta = sum((count * pair[1] for pair, count in known), Fraction(0))
    return [
        AccountedStep(best, 1, leak, pair=(selected_epsilon(epsilon, stop, shape), delta / stop))
    ]
