"""The trade-off function of two finite laws, whole and exact.

Of all tests that tell P from Q, with false positive rate Q(S) <= alpha (randomised ones included),
beta(alpha) is the least false negative rate 1 - P(S): convex, falling, and linear between the tests
{P/Q above a ratio} (Neyman and Pearson 1933; Dong, Roth and Su 2022, Gaussian Differential Privacy,
Proposition 2.12 for the passage to and from the privacy profile).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.distances.linear import Knot, bent, interpolated
from metricdp.laws.numbers import share


class TradeOff(msgspec.Struct, frozen=True):
    """beta as a function of alpha.

    Attributes:
        knots: (alpha, beta(alpha)) where the slope changes, from alpha = 0; the last has beta = 0.
    """

    knots: tuple[Knot, ...]

    def beta(self, alpha: Any) -> Fraction:
        """The least false negative rate at a false positive rate; ParameterError outside [0, 1]."""
        rate = share(alpha, "alpha")
        if not 0 <= rate <= 1:
            raise ParameterError("must be in [0, 1]", place="alpha")
        return interpolated(self.knots, rate)

    def inverse(self) -> TradeOff:
        """alpha as a function of beta: the trade-off of the pair (Q, P)."""
        return TradeOff(bent((b, a) for a, b in reversed(self.knots)))

    @property
    def advantage(self) -> Fraction:
        """The largest 1 - alpha - beta: the total variation."""
        return max(1 - a - b for a, b in self.knots)


def from_segments(profile: Sequence[Knot]) -> TradeOff:
    """From the knots of a profile: the test S that delta(t) = P(S) - t Q(S) names is a point."""
    found = [(Fraction(0), 1 - profile[-1][1])]
    for (t, value), (after, there) in reversed(list(pairwise(profile))):
        share = (value - there) / (after - t)
        found.append((share, 1 - value - t * share))
    return TradeOff(bent(found))
