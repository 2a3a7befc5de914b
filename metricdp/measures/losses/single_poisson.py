"""One round of Gaussian noise on a Poisson sample: the profile in closed form.

With B = 1 - q + q e^(u x - u^2 / 2) increasing in x and x* where B = e^eps (removed) or
B = e^-eps (added), the best event is a half-line:
    removed:  delta = (1 - q - e^eps) Q(x > x*) + q P(x > x*)          for e^eps > 1 - q
    added:    delta = (1 - e^eps (1 - q)) Q(x <= x*) - e^eps q P(x <= x*)  for e^-eps > 1 - q
with Q = N(0, 1) and P = N(u, 1); where there is no x*, delta is 1 - e^eps (removed), 0 (added).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.poisson_gaussian import PoissonGaussianLoss


def only_one(parts: Sequence[tuple[Loss, int]]) -> PoissonGaussianLoss | None:
    """The loss, if it is the only one and occurs once."""
    if len(parts) == 1 and parts[0][1] == 1 and isinstance(parts[0][0], PoissonGaussianLoss):
        return parts[0][0]
    return None


class SinglePoisson:
    """The profile of one round."""

    def __init__(self, loss: PoissonGaussianLoss) -> None:
        self.ratio, self.rate, self.added = ball(loss.ratio), ball(loss.rate), loss.added

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        e, u, q = ball(epsilon), self.ratio, self.rate
        power = e.exp()
        level = (-e).exp() if self.added else power
        gap = level - (1 - q)
        if gap > 0:
            x = ((gap / q).log() + u * u / 2) / u
            if self.added:
                value = (1 - power * (1 - q)) * _below(x) - power * q * _below(x - u)
            else:
                value = q * _below(u - x) - (power - (1 - q)) * _below(-x)
        elif gap < 0:
            value = ball(0) if self.added else 1 - power
        else:
            # e^eps is 1 - q within rounding: no better than the trivial bounds.
            return ball(0), ball(1)
        return value, value


def _below(x: Ball) -> Ball:
    """Phi(x)."""
    return (-x / ball(2).sqrt()).erfc() / 2
