"""The contour for losses on one lattice: a finite sum without truncation.

Let all losses of the composition be a + j step.  M(z) e^(-z a) has the period 2 pi i / step, and
    P(L = a + j step) = (step / 2 pi) int over one period of M(c + it) e^(-(c + it)(a + j step)) dt,
so delta(e) = (step / 2 pi) int of M(z) G(z) over one period, where l is the first lattice point not
below e and, for Re z > 0, two geometric series give
    G(z) = e^(-z l) (1 / (1 - e^(-z step)) - e^(e - l) / (1 - e^(-(z + 1) step))).
The trapezoid rule with N nodes is the sum of `contour_sum` with T = N step, folded: the same
identity, and the same bound of the aliasing.  There is nothing to truncate.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, gcd

from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.contour_plan import Plan
from metricdp.measures.losses.contour_sum import aliasing, product_on_line
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
        self.last = nodes_above(plan.period, lattice.step)
        #: N, odd, so that the nodes above and below the real line are conjugates.
        self.nodes = 2 * self.last + 1
        module, self.width = flint(), ball(lattice.step)
        self.period = self.width * self.nodes
        self.step = 2 * module.arb.pi() / self.period
        moments = product_on_line(parts, plan.c, self.step, self.last + 1)
        self.far = product_on_line(parts, plan.chernoff, self.step, 1)[0].real
        c = ball(plan.c)
        self.p_terms, self.q_terms = [], []
        for k, moment in enumerate(moments):
            z = module.acb(c, self.step * k)
            half = 2 if k == 0 else 1
            self.p_terms.append(moment / (half * (1 - (-z * self.width).exp())))
            self.q_terms.append(moment / (half * (1 - (-(z + 1) * self.width).exp())))

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls below and above delta(epsilon): their lower and upper ends are the bracket."""
        offset, step = self.lattice.offset, self.lattice.step
        first = offset + ceil((epsilon - offset) / step) * step
        e, loss, acb = ball(epsilon), ball(first), flint().acb
        fall = ball(epsilon - first).exp()
        turns = powers(acb(0, -self.step * loss).exp(), self.last + 1)
        terms = zip(self.p_terms, self.q_terms, turns, strict=True)
        total = sum(((p - fall * q) * turn for p, q, turn in terms), acb(0))
        value = 2 * total.real * (-ball(self.plan.c) * loss).exp() / self.nodes
        return value - aliasing(self.plan, self.period, self.far, e), value


def nodes_above(period: float, step: Fraction) -> int:
    """Nodes above the real line so that all nodes span at least the period."""
    return max(1, ceil((period / float(step) - 1) / 2))
