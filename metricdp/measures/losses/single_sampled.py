"""One round of a sampled law with a density: the profile in closed form.

Let delta0(x) = E_P[(1 - e^(x - L))_+] be the base's profile, the same for (P, Q) and (Q, P).  With
B = 1 - q + q e^L and e^x = (e^eps - 1 + q) / q,
    removed:  E_Q[(B - e^eps)_+] = q delta0(x)            for e^eps > 1 - q, else 1 - e^eps;
and with e^x = (e^-eps - 1 + q) / q,
    added:    E_Q[(1 - e^eps B)_+] = e^eps q e^x E_Q[(1 - e^(L - x))_+]
                                   = (1 - e^eps (1 - q)) delta0(-x)   for e^-eps > 1 - q, else 0.
Without replacement the profile is the first for eps >= 0 and the second for eps < 0
(`without_replacement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.gaussian import GaussianLoss
from metricdp.measures.losses.laplace import LaplaceLoss
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.sampled_density import SampledDensityLoss


def only_density(parts: Sequence[tuple[Loss, int]]) -> SampledDensityLoss | None:
    """The loss, if it is the only one and occurs once."""
    if len(parts) == 1 and parts[0][1] == 1 and isinstance(parts[0][0], SampledDensityLoss):
        return parts[0][0]
    return None


class SingleSampled:
    """The profile of one round."""

    def __init__(self, loss: SampledDensityLoss) -> None:
        self.loss, self.rate = loss, ball(loss.rate)

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        kind = self.loss.kind
        if kind == "replaced":
            kind = "removed" if epsilon >= 0 else "added"
        e, q = ball(epsilon), self.rate
        level = e.exp() if kind == "removed" else (-e).exp()
        gap = level - (1 - q)
        if gap < 0:
            value = 1 - level if kind == "removed" else ball(0)
        elif not gap > 0:
            # e^eps is 1 - q within rounding: no better than the trivial bounds.
            return ball(0), ball(1)
        elif kind == "removed":
            value = q * self._base((gap / q).log())
        else:
            value = gap / level * self._base(-(gap / q).log())
        return value, value

    def _base(self, x: Ball) -> Ball:
        """delta0(x): 1 - e^((x - m)/2) for |x| <= m, or that squared / (1 - e^-m), or
        Phi(u/2 - x/u) - e^x Phi(-u/2 - x/u)."""
        base = self.loss.base
        if isinstance(base, GaussianLoss):
            u, root = ball(base.ratio), ball(2).sqrt()
            high, low = ((x / u - side * u / 2) / root for side in (1, -1))
            return (high.erfc() - x.exp() * low.erfc()) / 2
        m = ball(self.loss.reach or 0)
        inner = -((x - m) / 2).expm1()
        if not isinstance(base, LaplaceLoss):
            inner = inner * inner / -(-m).expm1()
        below = -x.expm1()
        # Where a comparison is not decided, x is m or -m within rounding: both values.
        high = inner if x < m else ball(0) if x > m else inner.union(ball(0))
        return high if x > -m else below if x < -m else high.union(below)
