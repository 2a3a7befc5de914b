"""Powers of a Gaussian mixture ratio under a normal law: E[B(X)^(a + i y)], X ~ N(0, 1).

B(x) = 1 - q + q e^(u x - u^2 / 2), the ratio of (1 - q) N(0, 1) + q N(u, 1) to N(0, 1).

Quadrature.  g(x) = phi(x) B(x)^(a + i y) is analytic where |Im x| < pi / u.  The trapezoid rule
with nodes j s errs by at most 2 N / (e^(2 pi A / s) - 1), where A < pi / u and N bounds the
integral of |g(x + iv)| over x for |v| <= A (Trefethen, Weideman 2014, "The exponentially
convergent trapezoidal rule", Theorem 5.1).  On that line |phi(x + iv)| <= phi(x) e^(A^2 / 2);
|arg B| <= u A, because B adds a positive number to one of argument u v; and
    B(x) cos(u A / 2) <= |B(x + iv)| <= B(x),
because |1 - q + q r e^(i w)|^2 = B^2 - 2 (1 - q) q r (1 - cos w) and (1 - q) q r <= B^2 / 4.  So
with E = E[B^a] one may take N = e^(A^2 / 2 + |y| u A) E for a >= 0, and cos(u A / 2)^a times that
for a < 0.  At y = 0 the same bound closes on itself: E <= S / (1 - eta), S the sum.

Truncation.  ln B has a slope in (0, u), increasing.  To the right of x > a u the terms fall at
least by e^(-s x + max(a, 0) u s) each; to the left of x < 0 at least by
e^(s x + max(-a, 0) s u p), with u p the slope at x.

Soft cut.  g(x) = Phi((X - x) / tau) is an integral of normal densities in x, so
|g(x + iv)| <= e^(v^2 / (2 tau^2)) g(x): N has that factor more, and E is E[B^a g].  ln g is
concave and falls, so the ratio of two values at the first points left out bounds all later ones.
"""

from __future__ import annotations

from fractions import Fraction
from math import cos, exp, inf, isqrt, log, log1p, pi, sqrt

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.lines import power_sums

#: Powers of points that are formed before a request is refused: about a quarter of a second.
_MOST_POWERS = 200_000
#: Bits of the precision that errors of the rule need not reach.
_ROUNDED = 8


def mixture_powers(
    ratio: Fraction, rate: Fraction, a: float, step: Ball, count: int, cut: float = inf
) -> list[Ball]:
    """Enclosures of E[B^(a + i k step) g] for k = 0, ..., count - 1.

    Args:
        ratio: u > 0.
        rate: q in (0, 1).
        a: any double.
        step: a double or real ball, >= 0.
        cut: X of the soft cut g; g = 1 for inf.

    Raises:
        UncertifiedError: the request takes too many points.
    """
    module = flint()
    u, q, tilt, high = ball(ratio), ball(rate), ball(a), ball(step)
    # Roundings of some hundred terms, and what sums over nodes lose, take the other bits.
    wanted = max(module.ctx.prec - _ROUNDED, _ROUNDED) * log(2)
    reach, spacing = _rule(float(ratio), a, float(high.upper()) * (count - 1), wanted, cut < inf)
    first, last = _range(float(ratio), float(rate), a, spacing, wanted, cut)
    if (last - first) * (2 * isqrt(count) + 5) > _MOST_POWERS:
        raise UncertifiedError(
            f"{count} moments of order {a:.3g} of a sampled Gaussian with ratio"
            f" {float(ratio):.3g} take {last - first} points",
            remedy="ask the discretised engine",
        )
    s = ball(spacing)
    scale = s / (2 * module.arb.pi()).sqrt()
    weights, ratios = [], []
    for j in range(first, last + 1):
        x, log_ratio = _node(u, q, s, j)
        weight = scale * (tilt * log_ratio - x * x / 2).exp()
        weights.append(module.acb(weight if cut == inf else weight * soft_cut(x, cut)))
        ratios.append(module.acb(0, high * log_ratio).exp())
    sums = power_sums(weights, ratios, count)
    tails = scale * (_right(u, q, tilt, s, last + 1, cut) + _left(u, q, tilt, s, first - 1))
    share = _share(u, tilt, ball(reach), s, cut < inf)
    whole = (sums[0].real + tails) / (1 - share)
    turn = (high * u * ball(reach)).exp()
    found, size = [], share * whole
    for total in sums:
        radius = (size + tails).upper()
        found.append(total + module.acb(module.arb(0, radius), module.arb(0, radius)))
        size *= turn
    return found


def soft_cut(x: Ball, cut: float) -> Ball:
    """g(x) = Phi((X - x) / tau), tau = 1/2."""
    return ((x - ball(cut)) * ball(2).sqrt()).erfc() / 2


def _rule(u: float, a: float, height: float, wanted: float, cut: bool) -> tuple[float, float]:
    """A strip A and the largest step s whose error is e^-wanted at y = height."""
    best = (0.0, 0.0)
    limit = min(3.0 / u, 2 * sqrt(2 * wanted))
    for k in range(1, 33):
        reach = limit * k / 32
        cost = reach * reach * (2.5 if cut else 0.5) + height * u * reach + wanted
        if a < 0:
            cost += a * log(cos(u * reach / 2))
        spacing = 2 * pi * reach / cost
        best = max(best, (spacing, reach))
    return best[1], best[0]


def _range(u: float, q: float, a: float, s: float, wanted: float, cut: float) -> tuple[int, int]:
    """First and last node: terms beyond are below e^-wanted of the largest."""

    def term(j: int) -> float:
        x = j * s
        power = u * x - u * u / 2
        grown = (
            power + log(q) + log1p((1 - q) / q * exp(-power))
            if power > 0
            else log1p(q * (exp(power) - 1))
        )
        return a * grown - x * x / 2 - (2 * (x - cut) ** 2 if x > cut else 0.0)

    far = max(a, 0.0) * u
    if far > cut:
        # Where the slope a u - x - 4 (x - X) is 0.
        far = (far + 4 * cut) / 5
    peak = max(term(0), term(round(far / s)))
    stride = max(1, int(0.2 / s))
    first, last = 0, max(0, round(far / s))
    while term(first) > peak - wanted:
        first -= stride
    while term(last) > peak - wanted:
        last += stride
    return first, last


def _node(u: Ball, q: Ball, s: Ball, j: int) -> tuple[Ball, Ball]:
    """x = j s and ln B(x)."""
    x = s * j
    return x, (1 - q + q * (u * x - u * u / 2).exp()).log()


def _right(u: Ball, q: Ball, a: Ball, s: Ball, j: int, cut: float) -> Ball:
    """Bound of the sum of phi(x) sqrt(2 pi) B(x)^a g(x) over the nodes from j > 0 on."""
    x, log_ratio = _node(u, q, s, j)
    fall = -s * x + (a * u * s if a > 0 else 0)
    here = ball(1)
    if cut < inf:
        here = soft_cut(x, cut)
        fall += (soft_cut(x + s, cut) / here).log()
    return here * (a * log_ratio - x * x / 2).exp() / _below_one(fall)


def _left(u: Ball, q: Ball, a: Ball, s: Ball, j: int) -> Ball:
    """The same over the nodes up to j < 0."""
    x, log_ratio = _node(u, q, s, j)
    slope = u * q * (u * x - u * u / 2 - log_ratio).exp()
    fall = s * x + (-a * slope * s if a < 0 else 0)
    return (a * log_ratio - x * x / 2).exp() / _below_one(fall)


def _below_one(log_factor: Ball) -> Ball:
    """1 - e^log_factor, where the terms fall; infinite bounds otherwise."""
    return -log_factor.expm1() if log_factor < 0 else ball(0)


def _share(u: Ball, a: Ball, reach: Ball, s: Ball, cut: bool) -> Ball:
    """eta: the relative error of the rule at y = 0."""
    square = reach * reach * (5 if cut else 1) / 2
    bound = 2 * square.exp() / (2 * flint().arb.pi() * reach / s).expm1()
    if a < 0:
        bound *= ((u * reach / 2).cos().log() * a).exp()
    return bound
