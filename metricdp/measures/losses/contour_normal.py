"""Gaussian noise in compositions: one Gaussian, and a closed form where there is nothing else.

The losses add to the loss of one Gaussian with u^2 = sum n_i u_i^2, whose profile is
Phi(u/2 - eps/u) - e^eps Phi(-u/2 - eps/u) (Balle and Wang 2018, Theorem 8).
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.gaussian import ManyGaussiansLoss, NormalLoss
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.saddle import Parts


def joined(parts: Parts) -> tuple[tuple[Loss, int], ...]:
    """The parts, with different Gaussians made one."""
    normal = [part for part in parts if isinstance(part[0], NormalLoss)]
    total = only_normal(normal)
    if len(normal) < 2 or total is None:
        return tuple(parts)
    others = (part for part in parts if not isinstance(part[0], NormalLoss))
    return ((ManyGaussiansLoss(total), 1), *others)


def only_normal(parts: Parts) -> Fraction | None:
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
