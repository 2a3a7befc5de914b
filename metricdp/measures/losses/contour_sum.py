"""The trapezoid rule on a vertical line, and an enclosure of its error.

Let delta(e) = E_P[(1 - e^(e - L))_+; L finite] and F(z) = M(z) e^(-z e) / (z (z + 1)).  For c > 0
in the span, delta(e) = (1 / 2 pi i) int over Re z = c of F(z) dz, since
(1 - e^-x)_+ = (1 / 2 pi i) int e^(z x) / (z (z + 1)) dz.

Aliasing.  g(x) = delta(x) e^(c x) is continuous and integrable with Fourier transform
M(c + it) / ((c + it) (c + it + 1)), at most M(c) / t^2.  Poisson's summation with T = 2 pi / h:
    S = (h / 2 pi) sum over k in Z of F(c + ikh) = sum over n in Z of delta(e + n T) e^(n c T).
Every term is nonnegative and the one with n = 0 is delta(e): S is never below delta(e).  The terms
n < 0 are at most e^(-|n| c T), because delta <= 1.  The terms n > 0 are bounded by Chernoff:
(1 - e^-x)_+ <= kappa e^(c2 x) with kappa = c2^c2 / (1 + c2)^(1 + c2) (the maximum of
e^(-c2 x) (1 - e^-x)), so delta(x) <= kappa M(c2) e^(-c2 x) for any c2 > c in the span; a geometric
series in e^(-(c2 - c) T).

Truncation.  With |M(c + iy)| <= M(c) D for all y >= K h, the nodes |k| > K contribute at most
2 (h / 2 pi) M(c) e^(-c e) D sum 1 / (c^2 + k^2 h^2), and the sum is at most
int from K of dk / (c^2 + k^2 h^2) = atan(c / (K h)) / (c h).

F(conj z) = conj F(z), so only k >= 0 is evaluated.  All of it in balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.contour_plan import Plan
from metricdp.measures.losses.lines import powers
from metricdp.measures.losses.saddle import Parts


class ContourSum:
    """Moments at the nodes of one plan, from which delta is enclosed at any epsilon.

    Made and used inside `balls.precision`.
    """

    def __init__(self, parts: Parts, plan: Plan) -> None:
        self.parts, self.plan = parts, plan
        self.step = 2 * flint().arb.pi() / ball(plan.period)
        self.moments = product_on_line(parts, plan.c, self.step, plan.last + 1)
        self.far = product_on_line(parts, plan.chernoff, self.step, 1)[0].real
        c, acb = ball(plan.c), flint().acb
        #: M(z) / (z (z + 1)) at the nodes, the one on the real line halved.
        self.terms = []
        for k, moment in enumerate(self.moments):
            z = acb(c, self.step * k)
            self.terms.append(moment / (z * (z + 1)))
        self.terms[0] = self.terms[0] / 2

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls below and above delta(epsilon): their lower and upper ends are the bracket."""
        e = ball(epsilon)
        total = self.sum(e)
        missing = self.truncation(e)
        return total - self.aliasing(e) - missing, total + missing

    def sum(self, e: Ball) -> Ball:
        """S without its truncated terms."""
        acb = flint().acb
        turns = powers(acb(0, -self.step * e).exp(), len(self.terms))
        total = sum((x * turn for x, turn in zip(self.terms, turns, strict=True)), acb(0))
        scale = (-ball(self.plan.c) * e).exp() * self.step / flint().arb.pi()
        return total.real * scale

    def aliasing(self, e: Ball) -> Ball:
        """An upper bound of S - delta(epsilon)."""
        return aliasing(self.plan, ball(self.plan.period), self.far, e)

    def truncation(self, e: Ball) -> Ball:
        """An upper bound of the modulus of the nodes beyond the last."""
        c, reach = ball(self.plan.c), self.step * self.plan.last
        if not self.plan.last:
            return flint().arb.pos_inf()
        # The decay is asked for at a double that is not above K h.
        low = float(reach.lower()) * (1 - 1e-15)
        fall = sum(
            (count * ball(loss.log_decay(self.plan.c, low)) for loss, count in self.parts), 0
        )
        size = self.moments[0].real * (fall - c * e).exp()
        return size * (c / reach).atan() / (c * flint().arb.pi())


def aliasing(plan: Plan, period: Ball, far: Ball, e: Ball) -> Ball:
    """Bound of the sum over n other than 0 of delta(e + n T) e^(n c T); far = M(c2)."""
    c, c2 = ball(plan.c), ball(plan.chernoff)
    below = (-c * period).exp()
    above = (-(c2 - c) * period).exp()
    kappa = (c2 * c2.log() - (1 + c2) * (1 + c2).log()).exp()
    return below / (1 - below) + kappa * far * (-c2 * e).exp() * above / (1 - above)


def product_on_line(parts: Parts, c: float, step: Ball, count: int) -> list[Ball]:
    """prod M_i(c + i k step)^(n_i) for k = 0, ..., count - 1."""
    total: list[Ball] = [flint().acb(1)] * count
    for loss, rounds in parts:
        moments: Sequence[Ball] = loss.on_line(c, step, count)
        total = [x * m**rounds for x, m in zip(total, moments, strict=True)]
    return total
