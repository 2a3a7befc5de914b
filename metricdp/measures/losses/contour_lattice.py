"""The contour for losses on one lattice: a sum over one period of the moment function.

Let all losses of the composition be a + j step.  M(z) e^(-z a) has the period 2 pi i / step, and
    P(L = a + j step) = (step / 2 pi) int over one period of M(c + it) e^(-(c + it)(a + j step)) dt,
so delta(e) = (step / 2 pi) int of M(z) G(z) over one period, where l is the first lattice point not
below e and, for Re z > 0, two geometric series give
    G(z) = e^(-z l) (1 / (1 - e^(-z step)) - e^(e - l) / (1 - e^(-(z + 1) step))).
The trapezoid rule with N nodes is the sum of `contour_sum` with T = N step, folded: the same
identity, and the same bound of the aliasing.  Nothing is left out when all N nodes are summed; when
moments fall fast within the period, nodes far from the real line are bounded instead.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, gcd

from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.contour_plan import Plan, log_fall, nodes_above
from metricdp.measures.losses.contour_sum import Aliasing, product_on_nodes
from metricdp.measures.losses.lines import powers
from metricdp.measures.losses.loss import Lattice
from metricdp.measures.losses.saddle import Parts


def common_lattice(parts: Parts) -> Lattice | None:
    """The lattice of the composition's losses, if every part has one."""
    found = [(loss.lattice, count) for loss, count in parts]
    offset, step = Fraction(0), Fraction(0)
    for lattice, count in found:
        if lattice is None:
            return None
        offset, step = offset + count * lattice.offset, _common(step, lattice.step)
    return Lattice(offset, step) if step else None


def _common(x: Fraction, y: Fraction) -> Fraction:
    """The largest rational of which both are multiples; y if x is 0."""
    return Fraction(gcd(x.numerator * y.denominator, y.numerator * x.denominator)) / (
        x.denominator * y.denominator
    )


class LatticeSum:
    """Like `ContourSum`, for a composition on a lattice."""

    def __init__(self, parts: Parts, plan: Plan, lattice: Lattice) -> None:
        self.plan, self.lattice = plan, lattice
        #: N, odd, so that the nodes above and below the real line are conjugates.
        self.nodes = 2 * nodes_above(plan.period * (1 - 1e-12), lattice.step) + 1
        module, self.width = flint(), ball(lattice.step)
        period = self.width * self.nodes
        self.step = 2 * module.arb.pi() / period
        self.aliasing = Aliasing(parts, plan, period)
        self.last = min(plan.last, self.nodes // 2)
        moments = product_on_nodes(parts, plan.c, self.step, range(self.last + 1))
        c = ball(plan.c)
        self.p_terms, self.q_terms = [], []
        for k, moment in enumerate(moments):
            z = module.acb(c, self.step * k)
            half = 2 if k == 0 else 1
            self.p_terms.append(moment / (half * (1 - (-z * self.width).exp())))
            self.q_terms.append(moment / (half * (1 - (-(z + 1) * self.width).exp())))
        self.rest = self._rest()

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls below and above delta(epsilon): their lower and upper ends are the bracket."""
        offset, step = self.lattice.offset, self.lattice.step
        first = offset + ceil((epsilon - offset) / step) * step
        e, loss, acb = ball(epsilon), ball(first), flint().acb
        fall = ball(epsilon - first).exp()
        turns = powers(acb(0, -self.step * loss).exp(), self.last + 1)
        terms = zip(self.p_terms, self.q_terms, turns, strict=True)
        total = sum(((p - fall * q) * turn for p, q, turn in terms), acb(0))
        size = (-ball(self.plan.c) * loss).exp()
        value = 2 * total.real * size / self.nodes
        missing = self.rest * size
        return value - self.aliasing.bound(e) - missing, value + missing

    def _rest(self) -> Ball:
        """e^(c l) times a bound of the modulus of what is left out of the period.

        With r = e^(e - l) in [e^-step, 1], e^(z l) G(z) is (1 - r + e^(-z step) (r - e^-step)) over
        (1 - e^(-z step)) (1 - e^(-(z + 1) step)).  The numerator is at most 1 - e^-step, and
        |1 - e^(-z step)|^2 >= 4 e^(-c step) sin^2(y step / 2).  With |M| <= M(c) D, the nodes
        K < |k| <= N / 2, y step / 2 = pi k / N, add at most (2 / N) M(c) D (1 - e^-step)
        e^((2c + 1) step / 2) / 4 times the sum of 1 / sin^2(pi k / N), which is at most
        (N / pi) cot(pi K / N).
        """
        plan, width, pi = self.plan, self.width, flint().arb.pi()
        if 2 * self.last + 1 >= self.nodes:
            return ball(0)
        low = float((self.step * self.last).lower()) * (1 - 1e-15)
        fall = log_fall(plan.falling, plan.c, low, self.lattice) * (1 - 1e-12)
        # p_terms[0] is M(c) / 2 / (1 - e^(-c step)).
        c = ball(plan.c)
        size = 2 * self.p_terms[0].real * (1 - (-c * width).exp()) * ball(fall).exp()
        edge = (1 - (-width).exp()) * ((2 * c + 1) * width / 2).exp() / (2 * pi)
        return size * edge / (pi * self.last / self.nodes).tan()
