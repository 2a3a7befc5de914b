"""Steps of a checked program, as privacy loss laws for both engines.

The law of a step is that of its curve's family (`of_curve`); a sampled step is read as the event of
its sampler.  A step that has only a curve has no law; its program is then accounted by curves.

Continuous Gaussian noise is drawn on a grid, and pays `gdp.grid_error` for all of its entries
together: that proof compares densities answer by answer, so it does not change when other
mechanisms answer between, or when the centre is that of a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.errors import ParameterError
from metricdp.expr import Expr
from metricdp.measures.accounting.event import Event, Parts
from metricdp.measures.accounting.of_curve import OfCurve, of_curve
from metricdp.measures.accounting.relations import Case
from metricdp.measures.facts import gaussian_rho
from metricdp.measures.gdp import MAX_STEPS, grid_error
from metricdp.measures.renyi import Composed, Curve, DiscreteGaussian
from metricdp.measures.rounded import root_up, short_up
from metricdp.measures.sampling import (
    Adjacency,
    Poisson,
    Scheme,
    WithoutReplacement,
    WithReplacement,
    base_adjacency,
)
from metricdp.measures.step import Step

if TYPE_CHECKING:
    from metricdp.measures.losses.loss import Loss

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
                far = 2 * rho * _rows(step) ** 2
                squares, rounds = squares + count * far, rounds + count
    if not rounds:
        return Fraction(0), Fraction(1), Fraction(0)
    if rounds > MAX_STEPS:
        return None
    return *grid_error(short_up(root_up(squares)), rounds, tail), tail


def _rows(step: Step) -> int:
    """Rows of the sample, at most, by which coupled samples differ, in those of the curve."""
    if isinstance(step.scheme, WithReplacement):
        return int(step.scheme.draws.as_fraction() or 1)
    return step.units * (2 if isinstance(step.scheme, Poisson) else 1)


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
    if step.leak or known is None:
        return None
    try:
        case = Case(known, forward, step.units)
        return _event(step.scheme, step.curve).pieces(case).upper
    except ParameterError:
        return None  # no theorem for the sampler, or for all that reads one sample


def _event(scheme: Scheme, curve: Curve) -> Event:
    """The event of a sampler, and of what reads its sample."""
    from metricdp.measures.accounting import fixed_size, sampled

    reads = OfCurve(curve, base_adjacency(scheme))
    if isinstance(scheme, Poisson):
        return sampled.Poisson(_number(scheme.rate), reads)
    if isinstance(scheme, WithoutReplacement):
        return fixed_size.WithoutReplacement(_number(scheme.size), _number(scheme.rows), reads)
    return fixed_size.WithReplacement(_number(scheme.draws), _number(scheme.rows), reads)


def _number(value: Expr) -> Fraction:
    found = value.as_fraction()
    if found is None:
        raise ParameterError("is not known as a number", place=str(value))
    return found


def _worthwhile(steps: Sequence[Step]) -> bool:
    """Whether a rule in closed form may be beaten: not for Gaussians alone, nor a single answer."""
    if any(step.scheme is not None for step in steps):
        return True
    if all(gaussian_rho(step.curve) is not None for step in steps):
        return False
    if any(isinstance(step.curve, DiscreteGaussian) for step in steps):
        return True  # its rho is a bound of its profile only
    return sum(step.count for step in steps) > 1
