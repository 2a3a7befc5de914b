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

Nodes |k| <= K that add next to nothing are left out as well (`contour_nodes`).

F(conj z) = conj F(z), so only k >= 0 is evaluated.  All of it in balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.measures.losses.balls import Ball, ball, flint, precision
from metricdp.measures.losses.contour_nodes import worthwhile
from metricdp.measures.losses.contour_plan import Plan, log_fall
from metricdp.measures.losses.lines import powers_at
from metricdp.measures.losses.pointwise import PointwiseLoss
from metricdp.measures.losses.saddle import Parts

_NOTHING = Fraction(0)


class ContourSum:
    """Moments at the nodes of one plan, from which delta is enclosed at any epsilon.

    Made and used inside `balls.precision`.
    """

    def __init__(self, parts: Parts, plan: Plan, leak: Fraction = _NOTHING) -> None:
        """`leak`: bound of what the parts' laws lack, which may be of any loss."""
        self.plan, self.leak = plan, ball(leak)
        self.step = 2 * flint().arb.pi() / ball(plan.period)
        self.kept, left = worthwhile(parts, plan)
        moments = product_on_nodes(parts, plan.c, self.step, self.kept)
        self.rest = self._rest(moments[0].real)
        #: e^(c e) times a bound of what the nodes that are left out add.
        self.faint = moments[0].real * ball(left) * self.step / flint().arb.pi()
        self.aliasing = Aliasing(parts, plan, ball(plan.period))
        c, acb = ball(plan.c), flint().acb
        #: M(z) / (z (z + 1)) at the nodes, the one on the real line halved.
        self.terms = []
        for k, moment in zip(self.kept, moments, strict=True):
            z = acb(c, self.step * k)
            self.terms.append(moment / (z * (z + 1)))
        self.terms[0] = self.terms[0] / 2

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls below and above delta(epsilon): their lower and upper ends are the bracket."""
        e, acb = ball(epsilon), flint().acb
        turns = powers_at(acb(0, -self.step * e).exp(), self.kept)
        total = sum((x * turn for x, turn in zip(self.terms, turns, strict=True)), acb(0))
        size = (-ball(self.plan.c) * e).exp()
        value = total.real * size * self.step / flint().arb.pi()
        missing = (self.rest + self.faint) * size
        return value - self.aliasing.bound(e) - missing, value + missing + self.leak

    def _rest(self, size: Ball) -> Ball:
        """e^(c e) times a bound of the modulus of the nodes beyond the last; size = M(c)."""
        c, reach = ball(self.plan.c), self.step * self.plan.last
        if not self.plan.last:
            return flint().arb.pos_inf()
        # The decay is asked for at a double that is not above K h.
        low = float(reach.lower()) * (1 - 1e-15)
        fall = log_fall(self.plan.falling, self.plan.c, low, None) * (1 - 1e-12)
        return size * ball(fall).exp() * (c / reach).atan() / (c * flint().arb.pi())


class Aliasing:
    """The bound of the sum over n other than 0 of delta(e + n T) e^(n c T)."""

    def __init__(self, parts: Parts, plan: Plan, period: Ball) -> None:
        c, self.c2 = ball(plan.c), ball(plan.chernoff)
        # An upper bound is enough: few digits, but for those that powers take.
        few = 40 + sum(n for _, n in parts).bit_length()
        with precision(min(few, flint().ctx.prec)):
            far = product_on_nodes(parts, plan.chernoff, ball(0), range(1))[0].real
        below = (-c * period).exp()
        above = (-(self.c2 - c) * period).exp()
        kappa = (self.c2 * self.c2.log() - (1 + self.c2) * (1 + self.c2).log()).exp()
        self.below = below / (1 - below)
        self.above = kappa * far * above / (1 - above)

    def bound(self, e: Ball) -> Ball:
        """An upper bound of S - delta(epsilon)."""
        return self.below + self.above * (-self.c2 * e).exp()


def product_on_nodes(parts: Parts, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
    """prod M_i(c + i k step)^(n_i) for each k in `nodes`, which increase."""
    total: list[Ball] = [flint().acb(1)] * len(nodes)
    for loss, rounds in parts:
        if isinstance(loss, PointwiseLoss):
            moments: Sequence[Ball] = loss.on_nodes(c, step, nodes)
        else:
            line = loss.on_line(c, step, nodes[-1] + 1)
            moments = [line[k] for k in nodes]
        total = [x * m**rounds for x, m in zip(total, moments, strict=True)]
    return total
