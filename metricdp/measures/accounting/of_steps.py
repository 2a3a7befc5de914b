"""Steps of a checked program, as privacy loss laws for both engines.

What a step says of its mechanism is a Renyi curve of a known family, and each family has a
dominating pair: Gaussian and Laplace noise their own, randomized response its own, bounded range
that of `losses.bounded_range`, and every other pure epsilon that of randomized response (Kairouz,
Oh, Viswanath 2015, Theorem 3.4).  A sampled step is amplified as an event of `sampled` is.  A step
that has only a curve has no law; its program is then accounted by curves.

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
the trade-off of k steps is the k-fold iterate of that of one (`accounting.private.Pure`), so that a
vector that moves by k in L1 is dominated by one number that does.  Half-lines are the best tests of
discrete Gaussian noise as well (it is log-concave), so moving further never costs less; a vector of
whole numbers that moves by 1 in L2 moves in one entry.  Continuous Gaussian noise pays
`gdp.grid_error` for all of its entries together: that proof compares densities answer by answer, so
it does not change when other mechanisms answer between, or when the centre is that of a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.errors import ParameterError
from metricdp.measures.facts import gaussian_rho, pure_epsilon
from metricdp.measures.gdp import MAX_STEPS, grid_error
from metricdp.measures.renyi import (
    Composed,
    Curve,
    DiscreteGaussian,
    DiscreteLaplace,
    Laplace,
    Range,
    Response,
)
from metricdp.measures.rounded import root_up, short_up
from metricdp.measures.sampling import Adjacency, Poisson, WithoutReplacement
from metricdp.measures.step import Step

if TYPE_CHECKING:
    from metricdp.measures.accounting.event import Parts
    from metricdp.measures.losses.loss import Loss

#: Discrete Laplace noise that moves further, or whose grid is finer, counts as continuous noise.
_MOST_TICKS = 1000
_FINE = Fraction(1, 100)
#: Delta given away to the grid where none is asked for.
_LITTLE = Fraction(1, 1 << 200)


def epsilon_of_steps(
    steps: Sequence[Step], delta: Fraction, adjacency: Adjacency | None
) -> Fraction | None:
    """The least certified epsilon at delta, rounded up; None where no law of some step is known.

    Raises:
        EnginesDisagree: the two engines contradict each other.
    """
    if not _worthwhile(steps):
        return None
    rest = delta - _leaks(steps)
    if rest <= 0:
        return None
    from metricdp.measures.accounting.engines import epsilon_of

    grid, sides = _gaussian_grid(steps, rest / 2**60), _sides(steps, adjacency)
    if grid is None or sides is None:
        return None
    shift, factor, tail = grid
    rest = (rest - tail) / factor
    return short_up(max(epsilon_of(parts, rest).upper for parts in sides) + shift)


def delta_of_steps(
    steps: Sequence[Step], epsilon: Fraction, adjacency: Adjacency | None
) -> Fraction | None:
    """The least certified delta at epsilon >= 0, rounded up; None where no law is known.

    Raises:
        EnginesDisagree: the two engines contradict each other.
    """
    if all(step.scheme is None and gaussian_rho(step.curve) is not None for step in steps):
        return None
    from metricdp.measures.accounting.engines import delta_of

    grid, sides = _gaussian_grid(steps, _LITTLE), _sides(steps, adjacency)
    if grid is None or sides is None:
        return None
    shift, factor, tail = grid
    at = max(Fraction(0), epsilon - shift)
    # The slope of a profile is at most 1, so shifting below 0 adds no more than the distance.
    worst = max(delta_of(parts, at).upper for parts in sides) + max(Fraction(0), shift - epsilon)
    return min(Fraction(1), short_up(_leaks(steps) + factor * worst + tail))


def _leaks(steps: Sequence[Step]) -> Fraction:
    return sum((s.count * s.leak for s in steps if s.scheme is None), Fraction(0))


def _sides(steps: Sequence[Step], adjacency: Adjacency | None) -> list[Parts] | None:
    """Loss laws of all steps, in each direction in which they differ."""
    found = []
    for forward in (True, False):
        parts = parts_of(steps, adjacency, forward)
        if parts is None:
            return None
        found.append(parts)
        if all(step.scheme is None for step in steps):
            break  # the laws of unsampled noise are symmetric
    return found


def _gaussian_grid(
    steps: Sequence[Step], tail: Fraction
) -> tuple[Fraction, Fraction, Fraction] | None:
    """(shift of epsilon, factor of delta, delta given away) for Gaussian noise on its grid."""
    squares, rounds = Fraction(0), 0
    for step in steps:
        for curve, count in _flat(step.curve, step.count):
            rho = gaussian_rho(curve)
            if rho:
                squares, rounds = squares + 2 * count * rho, rounds + count
    if not rounds:
        return Fraction(0), Fraction(1), Fraction(0)
    if rounds > MAX_STEPS:
        return None
    return *grid_error(short_up(root_up(squares)), rounds, tail), tail


def _flat(curve: Curve, count: int) -> Iterator[tuple[Curve, int]]:
    if isinstance(curve, Composed):
        for part, times in curve.parts:
            yield from _flat(part, times * count)
    else:
        yield curve, count


def parts_of(steps: Sequence[Step], adjacency: Adjacency | None, forward: bool) -> Parts | None:
    """Loss laws of all steps in one direction; leaks of unsampled steps are left out.

    Args:
        adjacency: what one unit of distance is, for sampled steps that do not say it.
        forward: whether the first data set has the row that the second one lacks.
    """
    found: list[tuple[Loss, int]] = []
    for step in steps:
        laws = _of_step(step, adjacency, forward)
        if laws is None:
            return None
        found += [(loss, count * step.count) for loss, count in laws]
    return tuple(found)


def _of_step(step: Step, adjacency: Adjacency | None, forward: bool) -> Parts | None:
    if step.options or step.beside:
        return None
    if step.scheme is None:
        return of_curve(step.curve)
    known = step.adjacency or adjacency
    if step.leak or step.units != 1 or known is None:
        return None
    from metricdp.measures.accounting import sampled_losses

    base = of_curve(step.curve)
    try:
        merged = None if base is None else sampled_losses.merged(base, upper=True)
    except ParameterError:
        return None  # several kinds of noise on one sample: only their curves are joined
    if not merged:
        return merged
    loss = merged[0][0]
    scheme = step.scheme
    if isinstance(scheme, Poisson):
        rate = scheme.rate.as_fraction()
        if rate is None or not 0 <= rate <= 1:
            return None
        if not rate:
            return ()
        if known == "add or remove":
            return merged if rate == 1 else ((sampled_losses.poisson(loss, rate, forward), 1),)
        if gaussian_rho(step.curve) is None or rate == 1:
            return None
        return ((sampled_losses.poisson_replace(loss, rate), 1),)
    if isinstance(scheme, WithoutReplacement) and known == "replace":
        rate = (scheme.size / scheme.rows).as_fraction()
        if rate is None or not 0 < rate < 1:
            return None
        return ((sampled_losses.without_replacement(loss, rate), 1),)
    return None


def of_curve(curve: Curve) -> Parts | None:
    """Loss laws that dominate a mechanism with this curve, by the curve's family."""
    from metricdp.measures.losses.bounded_range import BoundedRangeLoss
    from metricdp.measures.losses.discrete_gaussian import DiscreteGaussianLoss
    from metricdp.measures.losses.discrete_laplace import DiscreteLaplaceLoss
    from metricdp.measures.losses.gaussian import GaussianLoss
    from metricdp.measures.losses.laplace import LaplaceLoss
    from metricdp.measures.losses.response import ResponseLoss

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


def _worthwhile(steps: Sequence[Step]) -> bool:
    """Whether a rule in closed form may be beaten: not for Gaussians alone, nor a single answer."""
    if any(step.scheme is not None for step in steps):
        return True
    if all(gaussian_rho(step.curve) is not None for step in steps):
        return False
    if any(isinstance(step.curve, DiscreteGaussian) for step in steps):
        return True  # its rho is a bound of its profile only
    return sum(step.count for step in steps) > 1
