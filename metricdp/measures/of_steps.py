"""Steps of a checked program, as privacy loss laws for both engines.

The law of a step is that of its curve (`Curve.losses`); a sampled step is read as the event of
its sampler.  A step that has only a curve has no law; its program is then accounted by curves.

Real-valued noise is continuous and rounded after it was added (ADR 8): post-processing, answer by
answer, so the continuous laws hold for what is released, also on samples and between other answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.renyi import Curve, DiscreteGaussianCurve, LaplaceCurve, RangeCurve
from metricdp.accounting.rounded import short_up
from metricdp.errors import ParameterError
from metricdp.expr import Expr
from metricdp.measures.accounted import Case, Event, Pieces
from metricdp.measures.sampling import (
    Poisson,
    Scheme,
    WithoutReplacement,
    base_adjacency,
)
from metricdp.measures.step import Step
from metricdp.spaces.metrics import Adjacency

if TYPE_CHECKING:
    from metricdp.accounting.losses.loss import Loss


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
    from metricdp.accounting.adaptive_range import worst_epsilon
    from metricdp.accounting.engines import consistent, epsilon_of

    sides = _sides(steps, adjacency)
    if sides is None:
        return None
    found = max(epsilon_of(parts, rest).upper for parts in sides)
    equal = _equal_ranges(steps)
    if equal is not None:
        worst = worst_epsilon(*equal, True, rest)
        found = consistent("epsilon", worst.lower, min(found, worst.upper), worst.engines).upper
    return short_up(found)


def delta_of_steps(
    steps: Sequence[Step], epsilon: Fraction, adjacency: Adjacency | None
) -> Fraction | None:
    """The least certified delta at epsilon >= 0, rounded up; None where no law is known.

    Raises:
        EnginesDisagree: the two engines contradict each other.
    """
    if all(step.scheme is None and step.curve.gaussian_rho is not None for step in steps):
        return None
    from metricdp.accounting.adaptive_range import worst_delta
    from metricdp.accounting.engines import consistent, delta_of

    sides = _sides(steps, adjacency)
    if sides is None:
        return None
    found = max(delta_of(parts, epsilon).upper for parts in sides)
    equal = _equal_ranges(steps)
    if equal is not None:
        worst = worst_delta(*equal, True, epsilon)
        found = consistent("delta", worst.lower, min(found, worst.upper), worst.engines).upper
    return min(Fraction(1), short_up(_leaks(steps) + found))


def _equal_ranges(steps: Sequence[Step]) -> tuple[Fraction, int] | None:
    """(r, k) of steps that are k mechanisms of one bounded range r, or None."""
    from metricdp.accounting.bounded_range import MOST_ROUNDS

    rounds, ranges = 0, set()
    for step in steps:
        if step.scheme is not None or not isinstance(step.curve, RangeCurve):
            return None
        rounds += step.count
        ranges.add(step.curve.epsilon)
    if len(ranges) != 1 or not 1 < rounds <= MOST_ROUNDS or not all(ranges):
        return None
    return ranges.pop(), rounds


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
        return step.curve.losses()
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
    from metricdp.measures import fixed_size, sampled

    reads = OfCurve(curve, base_adjacency(scheme))
    if isinstance(scheme, Poisson):
        return sampled.Poisson(_number(scheme.rate), reads)
    if isinstance(scheme, WithoutReplacement):
        return fixed_size.WithoutReplacement(_number(scheme.size), _number(scheme.rows), reads)
    return fixed_size.WithReplacement(_number(scheme.draws), _number(scheme.rows), reads)


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
        return Pieces(self.curve.losses(case.units * (2 if twice else 1)), ())

    def steps(self, case: Case) -> tuple[Step, ...]:
        """The curve, at one unit of `base`."""
        return (Step(self.curve),)


def _number(value: Expr) -> Fraction:
    found = value.as_fraction()
    if found is None:
        raise ParameterError("is not known as a number", place=str(value))
    return found


def _worthwhile(steps: Sequence[Step]) -> bool:
    """Whether a rule in closed form may be beaten: not for Gaussians alone, nor a single answer."""
    if any(step.scheme is not None for step in steps):
        return True
    if all(step.curve.gaussian_rho is not None for step in steps):
        return False
    if any(
        isinstance(step.curve, DiscreteGaussianCurve | LaplaceCurve | RangeCurve) for step in steps
    ):
        return True  # the closed forms are bounds of their profiles only
    return sum(step.count for step in steps) > 1
