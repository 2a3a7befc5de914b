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

Nodes |k| <= K that add next to nothing are left out as well (`contour.plan`).

F(conj z) = conj F(z), so only k >= 0 is evaluated.  All of it in balls.

Losses on one lattice: a sum over one period of the moment function.  Let all losses of the
composition be a + j step.  M(z) e^(-z a) has the period 2 pi i / step, and
    P(L = a + j step) = (step / 2 pi) int over one period of M(c + it) e^(-(c + it)(a + j step)) dt,
so delta(e) = (step / 2 pi) int of M(z) G(z) over one period, where l is the first lattice point not
below e and, for Re z > 0, two geometric series give
    G(z) = e^(-z l) (1 / (1 - e^(-z step)) - e^(e - l) / (1 - e^(-(z + 1) step))).
The trapezoid rule with N nodes is the sum above with T = N step, folded: the same
identity, and the same bound of the aliasing.  Nothing is left out when all N nodes are summed; when
moments fall fast within the period, nodes far from the real line are bounded instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, gcd

from metricdp.accounting.contour.plan import ContourPlan, log_fall, nodes_above, worthwhile
from metricdp.accounting.losses.balls import Ball, ball, flint, powers, powers_at, precision
from metricdp.accounting.losses.loss import Counted, Lattice, PointwiseLoss

_NOTHING = Fraction(0)


class ContourSum:
    """Moments at the nodes of one plan, from which delta is enclosed at any epsilon.

    Made and used inside `balls.precision`.
    """

    def __init__(self, parts: Counted, plan: ContourPlan, leak: Fraction = _NOTHING) -> None:
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

    def __init__(self, parts: Counted, plan: ContourPlan, period: Ball) -> None:
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


def product_on_nodes(parts: Counted, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
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


def common_lattice(parts: Counted) -> Lattice | None:
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

    def __init__(self, parts: Counted, plan: ContourPlan, lattice: Lattice) -> None:
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
