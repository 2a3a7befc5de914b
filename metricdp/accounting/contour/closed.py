"""Profiles in closed form: Gaussian noise alone, and one round of a sampled law.

Gaussian noise in compositions is one Gaussian.  The losses add to the loss of one Gaussian with u^2
= sum n_i u_i^2, whose profile is Phi(u/2 - eps/u) - e^eps Phi(-u/2 - eps/u) (Balle and Wang 2018,
Theorem 8).

One round of Gaussian noise on a Poisson sample.  With B = 1 - q + q e^(u x - u^2 / 2) increasing in
x and x* where B = e^eps (removed) or B = e^-eps (added), the best event is a half-line:
    removed:  delta = (1 - q - e^eps) Q(x > x*) + q P(x > x*)          for e^eps > 1 - q
    added:    delta = (1 - e^eps (1 - q)) Q(x <= x*) - e^eps q P(x <= x*)  for e^-eps > 1 - q
with Q = N(0, 1) and P = N(u, 1); where there is no x*, delta is 1 - e^eps (removed), 0 (added).

One round of a sampled law with a density.  Let delta0(x) = E_P[(1 - e^(x - L))_+] be the base's
profile, the same for (P, Q) and (Q, P).  With B = 1 - q + q e^L and e^x = (e^eps - 1 + q) / q,
    removed:  E_Q[(B - e^eps)_+] = q delta0(x)            for e^eps > 1 - q, else 1 - e^eps;
and with e^x = (e^-eps - 1 + q) / q,
    added:    E_Q[(1 - e^eps B)_+] = e^eps q e^x E_Q[(1 - e^(L - x))_+]
                                   = (1 - e^eps (1 - q)) delta0(-x)   for e^-eps > 1 - q, else 0.
Without replacement the profile is the first for eps >= 0 and the second for eps < 0
(`losses.sampled_cells`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.accounting.losses.balls import Ball, ball
from metricdp.accounting.losses.gaussian import GaussianLoss, ManyGaussiansLoss, NormalLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Counted, Loss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.accounting.losses.sampled_density import SampledDensityLoss


def joined(parts: Counted) -> tuple[tuple[Loss, int], ...]:
    """The parts, with different Gaussians made one."""
    normal = [part for part in parts if isinstance(part[0], NormalLoss)]
    total = only_normal(normal)
    if len(normal) < 2 or total is None:
        return tuple(parts)
    others = (part for part in parts if not isinstance(part[0], NormalLoss))
    return ((ManyGaussiansLoss(total), 1), *others)


def only_normal(parts: Counted) -> Fraction | None:
    """v = sum n_i u_i^2, if every part is Gaussian."""
    total = Fraction(0)
    for loss, count in parts:
        if not isinstance(loss, NormalLoss):
            return None
        total += count * loss.squared
    return total


class NormalProfile:
    """The profile of a Gaussian with the given u^2."""

    def __init__(self, squared: Fraction) -> None:
        self.ratio = ball(squared).sqrt()

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """One ball of delta(epsilon), twice."""
        e, root = ball(epsilon), ball(2).sqrt()
        half, shift = self.ratio / 2, e / self.ratio
        near = ((shift - half) / root).erfc()
        far = e.exp() * ((shift + half) / root).erfc()
        value = (near - far) / 2
        return value, value


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
