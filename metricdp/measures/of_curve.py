"""Privacy loss laws of mechanisms that are known by a Renyi curve of a known family.

Each family has a dominating pair: Gaussian and Laplace noise their own, randomized response its
own, bounded range that of `losses.bounded_range`, and every other pure epsilon that of randomized
response (Kairouz, Oh, Viswanath 2015, Theorem 3.4).

Laplace noise on a vector that moves by m in L1, in scales, is dominated by the scalar pair at m.
Proof: the entries move one after another, along laws P_0, ..., P_k; with f_a the trade-off function
of the scalar pair at a, T(P_{i-1}, P_i) = f_{a_i}, and a trade-off along two steps is at least
g(1 - f) (Dong, Roth, Su 2022, Lemma A.5).  Scalar pairs are told apart best by half-lines, as the
density is log-concave: f_a(x) = F(F^-1(1 - x) - a), and so f_b(1 - f_a(x)) = f_{a+b}(x).

Noise is drawn on grids.  Discrete Laplace noise of step s (in scales) that moves by m = k s has a
trade-off function with vertices (a, b): a b = e^-(m + s) / (1 + e^-s)^2 = e^-m' / 4 between the
centres, with m' = m + 2 ln cosh(s/2) <= m + s^2/4, and b = 1 - e^m a or a = 1 - e^m b outside them.
All lie on or above the convex curve of continuous noise that moves by m', and so do their chords;
an entry that moves pays s^2/4 <= m s/4, so m (1 + s/4) is enough for a vector.  On whole numbers
the trade-off of k steps is the k-fold iterate of that of one (`measures.private.Pure`), so that a
vector that moves by k in L1 is dominated by one number that does.  Half-lines are the best tests of
discrete Gaussian noise as well (it is log-concave), so moving further never costs less; a vector of
whole numbers that moves by 1 in L2 moves in one entry.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.renyi import (
    Composed,
    Curve,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Range,
    Response,
    gaussian_rho,
    pure_epsilon,
)
from metricdp.accounting.rounded import root_up, short_up
from metricdp.measures.accounted import Case, Event, Pieces
from metricdp.measures.step import Step
from metricdp.spaces.metrics import Adjacency

#: Discrete Laplace noise that moves further, or whose grid is finer, counts as continuous noise.
_MOST_TICKS = 1000
_FINE = Fraction(1, 100)


def of_curve(curve: Curve) -> Parts | None:
    """Loss laws that dominate a mechanism with this curve, by the curve's family."""
    from metricdp.accounting.losses.atomic import ResponseLoss
    from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
    from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
    from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
    from metricdp.accounting.losses.gaussian import GaussianLoss
    from metricdp.accounting.losses.laplace import LaplaceLoss

    if isinstance(curve, Composed):
        parts = [(of_curve(part), count) for part, count in curve.parts]
        if any(laws is None for laws, _ in parts):
            return None
        return tuple((x, n * count) for laws, count in parts for x, n in laws or ())
    if isinstance(curve, DiscreteGaussian):
        return ((DiscreteGaussianLoss(curve.sigma, curve.ticks), 1),)
    rho = gaussian_rho(curve)
    if rho is not None:
        return ((GaussianLoss(short_up(root_up(2 * rho))), 1),) if rho else ()
    epsilon = pure_epsilon(curve)
    if epsilon is None:
        return None
    if not epsilon:
        return ()
    if isinstance(curve, DiscreteLaplace) and curve.ticks <= _MOST_TICKS:
        return ((DiscreteLaplaceLoss(1 / curve.step, curve.ticks), 1),)
    if isinstance(curve, Laplace) and curve.step <= _FINE:
        return ((LaplaceLoss(short_up(epsilon * (1 + curve.step / 4))), 1),)
    if isinstance(curve, Range):
        return ((BoundedRangeLoss(epsilon), 1),)
    if type(curve) is Response:
        return ((ResponseLoss(epsilon, curve.choices), 1),)
    return ((ResponseLoss(epsilon), 1),)


def of_rows(curve: Curve, rows: int) -> Parts | None:
    """Laws of the same mechanism between inputs that so many steps of a path are apart.

    Noise moves so many times as far, and the ranges of log-ratios add; a pure epsilon counts so
    often as the trade-off function of one step is iterated (`measures.private.Pure`).
    """
    if rows == 1:
        return of_curve(curve)
    from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
    from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss

    if isinstance(curve, Composed):
        parts = [(of_rows(part, rows), count) for part, count in curve.parts]
        if any(laws is None for laws, _ in parts):
            return None
        return tuple((x, n * count) for laws, count in parts for x, n in laws or ())
    rho = gaussian_rho(curve)
    if rho is not None:
        return of_curve(Gaussian(rho * rows * rows))
    if isinstance(curve, DiscreteGaussian) and curve.alone:
        return ((DiscreteGaussianLoss(curve.sigma, curve.ticks * rows), 1),)
    if isinstance(curve, DiscreteLaplace):
        return of_curve(DiscreteLaplace(curve.epsilon * rows, curve.step, curve.ticks * rows))
    if isinstance(curve, Laplace):
        return of_curve(Laplace(curve.epsilon * rows, curve.step))
    if isinstance(curve, Range):
        return of_curve(Range(curve.epsilon * rows))
    epsilon = pure_epsilon(curve)
    if epsilon is None:
        return None
    return ((DiscreteLaplaceLoss(1 / epsilon, rows), 1),) if epsilon else ()


class OfCurve(Event, frozen=True):
    """What reads a sample, known by its curve.

    Attributes:
        curve: for one unit of `base` on the sample.
        base: one row of the sample added or removed, or replaced.
    """

    curve: Curve
    base: Adjacency

    def pieces(self, case: Case) -> Pieces:
        """RelationError is never raised: a replacement is a removal and an addition."""
        twice = self.base == "add or remove" and case.kind == "replace"
        return Pieces(of_rows(self.curve, case.units * (2 if twice else 1)), ())

    def steps(self, case: Case) -> tuple[Step, ...]:
        """The curve, at one unit of `base`."""
        return (Step(self.curve),)
