"""Steps with their sampling paid: what is left are curves and leaks that compose.

A sample and the unsampled data, where no event reads both, are two interactive mechanisms that are
interleaved; their curves add.  Proof: let V be the largest moment of order alpha that the second
one may still reach from its history.  Weighting its answers by (likelihood ratio)^alpha times the
quotient of the Vs is a strategy, up to mass below 1, against the first; so the joint moment is at
most the product.  For (epsilon, delta): Vadhan and Zhang (2022), Lyu (2022).

Where an event reads both, write F(A, B) for the program on a sample of A and on B itself, and go
from F(A, B) over F(A', B) to F(A', B'): the first pair costs what the sampled part does for every
fixed B, the second what the unsampled part does for every fixed sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.measures.facts import pure_epsilon
from metricdp.measures.renyi import Composed, Curve, Least, Pure
from metricdp.measures.renyi_paths import Through
from metricdp.measures.rounded import exp_up, short_up
from metricdp.measures.sampled_steps import amplified_step
from metricdp.measures.sampling import Adjacency
from metricdp.measures.step import Step
from metricdp.measures.worst import worst


def paid(
    steps: Sequence[Step], adjacency: Adjacency | None, allowed: Fraction | None
) -> list[Step]:
    """The steps, none of which samples.

    Args:
        adjacency: what one unit of distance is, for steps that do not say it themselves.
        allowed: delta that all sampled rounds together may give away; None: nothing is amplified.

    Raises:
        SpaceError: a sampling scheme that has no theorem under the adjacency.
        ParameterError: a sampled step without a bound of this kind.
    """
    rounds = sum(step.count * _shares(step) for step in steps)
    if not rounds:
        return list(steps)
    return _paid(steps, adjacency, None if allowed is None else allowed / rounds)


def whole(steps: Sequence[Step]) -> Curve:
    """The curve of all steps together."""
    return Composed(tuple((step.curve, step.count) for step in steps))


def _shares(step: Step) -> int:
    """How many samples may give delta away in one round of the step."""
    if step.options:
        return max(sum(each.count * _shares(each) for each in option) for option in step.options)
    own = 0 if step.scheme is None else 1
    return own + sum(each.count * _shares(each) for each in step.beside)


def _paid(
    steps: Sequence[Step], adjacency: Adjacency | None, allowed: Fraction | None
) -> list[Step]:
    result: list[Step] = []
    for step in steps:
        if step.options:
            covered = worst([_paid(option, adjacency, allowed) for option in step.options])
            result += [Step(s.curve, s.count * step.count, s.leak) for s in covered]
        elif step.scheme is None:
            result.append(step)
        else:
            curve, leak = _sample(step, adjacency, allowed)
            if step.beside:
                curve, leak = _joined(curve, leak, _paid(step.beside, adjacency, allowed))
            result.append(Step(curve, step.count, leak))
    return result


def _sample(
    step: Step, adjacency: Adjacency | None, allowed: Fraction | None
) -> tuple[Curve, Fraction]:
    assert step.scheme is not None
    if allowed is None:
        if step.far is None:
            raise ParameterError("the sampled step has no bound of its own", place="sample")
        return step.far
    known = step.adjacency or adjacency
    if known is None:
        raise ParameterError("a step samples rows", remedy="say which adjacency is meant")
    try:
        curve, leak = amplified_step(step.curve, step.leak, step.scheme, known, allowed, step.units)
    except ParameterError:
        if step.far is None:
            raise
        return step.far
    if step.far is not None and not leak and not step.far[1]:
        curve = Least((curve, step.far[0]))
    return curve, leak


def _joined(curve: Curve, leak: Fraction, beside: Sequence[Step]) -> tuple[Curve, Fraction]:
    """The sampled part and the unsampled one, read by the same events."""
    other = whole(beside)
    lost = sum((step.count * step.leak for step in beside), Fraction(0))
    first, second = pure_epsilon(curve), pure_epsilon(other)
    if first is not None and second is not None:
        total = Pure(first + second)
        # Along the path, in either order: (e1 + e2, d1 + e^e1 d2), and the other way round.
        ways = (leak + exp_up(first) * lost, lost + exp_up(second) * leak)
        if leak or lost:
            return total, short_up(min(ways))
        return Least((total, Through(curve, other))), Fraction(0)
    if leak or lost:
        raise ParameterError(
            "one event reads a sample and the rows it is of, and neither a pure nor a Renyi bound"
            " of both is known",
            place="sample",
            remedy="release the two with noise of their own",
        )
    return Through(curve, other), Fraction(0)
