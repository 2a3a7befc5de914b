"""Steps with their sampling paid: what is left are curves and leaks that compose.

A sample and the unsampled data, where no event reads both, are two interactive mechanisms that are
interleaved; their curves add.  Proof: let V be the largest moment of order alpha that the second
one may still reach from its history.  Weighting its answers by (likelihood ratio)^alpha times the
quotient of the Vs is a strategy, up to mass below 1, against the first; so the joint moment is at
most the product.  For (epsilon, delta): Vadhan and Zhang (2022), Lyu (2022).

Where an event reads both, write F(A, B) for the program on a sample of A and on B itself, and go
from F(A, B) over F(A', B) to F(A', B'): the first pair costs what the sampled part does for every
fixed B, the second what the unsampled part does for every fixed sample.

A step on a sample of the rows gets the amplification that fits.  A Poisson-sampled Gaussian has its
own Renyi curve (under replacement: twice, once each way, through the data without the row), and so
has any mechanism sampled without replacement under replacement; a pure mechanism stays pure with a
smaller epsilon; with replacement, noise with a zCDP cost has a curve for few copies of the rows
that differ, and more copies are given away. Data that differ in k rows are joined by a path of k
unit steps: epsilon k times (which k rows added under Poisson inclusion attain), curves and
(epsilon, delta) by group privacy. Everything else is read as (x, d) at the least x whose amplified
delta stays in a share of the budget: by the theorem that optimal composition rests on, an (x, d)
mechanism is a post-processing of one that fails openly with probability d and else answers by
randomized response with odds e^x (Kairouz, Oh, Viswanath 2015, Theorem 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.accounting.orders import delta_at
from metricdp.accounting.renyi import (
    ComposedCurve,
    Curve,
    GaussianCurve,
    LeastCurve,
    LinearCurve,
    PureCurve,
    Through,
    WorstCurve,
)
from metricdp.accounting.rounded import exp_up, short_up
from metricdp.errors import ParameterError
from metricdp.measures.accounted import AccountedStep, Scheme
from metricdp.measures.sampling import amplified_numbers
from metricdp.spaces.metrics import Adjacency

#: Relative width at which the search for x stops.
_WIDTH = Fraction(1, 128)
#: No x above this is tried.
_FARTHEST = Fraction(1 << 12)


def paid(
    steps: Sequence[AccountedStep], adjacency: Adjacency | None, allowed: Fraction | None
) -> list[AccountedStep]:
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


def whole(steps: Sequence[AccountedStep]) -> Curve:
    """The curve of all steps together."""
    return ComposedCurve(tuple((step.curve, step.count) for step in steps))


def _shares(step: AccountedStep) -> int:
    """How many samples may give delta away in one round of the step."""
    if step.options:
        return max(sum(each.count * _shares(each) for each in option) for option in step.options)
    own = 0 if step.scheme is None else 1
    return own + sum(each.count * _shares(each) for each in step.beside)


def _paid(
    steps: Sequence[AccountedStep], adjacency: Adjacency | None, allowed: Fraction | None
) -> list[AccountedStep]:
    result: list[AccountedStep] = []
    for step in steps:
        if step.options:
            covered = worst([_paid(option, adjacency, allowed) for option in step.options])
            result += [AccountedStep(s.curve, s.count * step.count, s.leak) for s in covered]
        elif step.scheme is None:
            result.append(step)
        else:
            curve, leak = _sample(step, adjacency, allowed)
            if step.beside:
                curve, leak = _joined(curve, leak, _paid(step.beside, adjacency, allowed))
            result.append(AccountedStep(curve, step.count, leak))
    return result


def _sample(
    step: AccountedStep, adjacency: Adjacency | None, allowed: Fraction | None
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
        curve, leak = amplified_step(
            step.curve, step.leak, step.scheme, known, allowed, step.units, step.replaced
        )
    except ParameterError:
        if step.far is None:
            raise
        return step.far
    if step.far is not None and not leak and not step.far[1]:
        curve = LeastCurve((curve, step.far[0]))
    return curve, leak


def _joined(
    curve: Curve, leak: Fraction, beside: Sequence[AccountedStep]
) -> tuple[Curve, Fraction]:
    """The sampled part and the unsampled one, read by the same events."""
    other = whole(beside)
    lost = sum((step.count * step.leak for step in beside), Fraction(0))
    first, second = curve.pure_epsilon, other.pure_epsilon
    if first is not None and second is not None:
        total = PureCurve(first + second)
        # Along the path, in either order: (e1 + e2, d1 + e^e1 d2), and the other way round.
        ways = (leak + exp_up(first) * lost, lost + exp_up(second) * leak)
        if leak or lost:
            return total, short_up(min(ways))
        return LeastCurve((total, Through(curve, other))), Fraction(0)
    if leak or lost:
        raise ParameterError(
            "one event reads a sample and the rows it is of, and neither a pure nor a Renyi bound"
            " of both is known",
            place="sample",
            remedy="release the two with noise of their own",
        )
    return Through(curve, other), Fraction(0)


Option = Sequence[AccountedStep]


def worst(options: Sequence[Option]) -> list[AccountedStep]:
    """Steps that cover every option; samples inside stay to be paid (`paid`)."""
    filled = [tuple(option) for option in options if option]
    if not filled or all(list(option) == list(options[0]) for option in options):
        return list(options[0])
    if not all(step.whole for option in filled for step in option):
        return [AccountedStep(LinearCurve(Fraction(0)), options=tuple(filled))]
    if all(step.curve.gaussian_rho is not None for option in filled for step in option) and not any(
        step.leak for option in filled for step in option
    ):
        rounds = max(sum(step.count for step in option) for option in filled)
        rho = max(gaussian_total(option) for option in filled)
        return [AccountedStep(GaussianCurve(rho / rounds), rounds)]
    curves: list[Curve] = [
        ComposedCurve(tuple((step.curve, step.count) for step in option)) for option in filled
    ]
    leak = max(sum((step.count * step.leak for step in option), Fraction(0)) for option in filled)
    return [AccountedStep(curves[0] if len(curves) == 1 else WorstCurve(tuple(curves)), 1, leak)]


def gaussian_total(option: Option) -> Fraction:
    """Sum of the rhos of Gaussian steps."""
    rhos = ((step.curve.gaussian_rho or Fraction(0), step.count) for step in option)
    return sum((count * rho for rho, count in rhos), Fraction(0))


def amplified_step(
    curve: Curve,
    leak: Fraction,
    scheme: Scheme,
    adjacency: Adjacency,
    allowed: Fraction,
    units: int = 1,
    replaced: tuple[Curve, Fraction] | None = None,
) -> tuple[Curve, Fraction]:
    """(curve, probability of an open failure) of the sampled step.

    Args:
        curve: of the base, for one row of its sample (under `scheme.base`).
        leak: delta of the base beside the curve.
        allowed: the most delta to give away where the base has no pure or Renyi amplification,
            beside what the leak costs in any case.
        units: by how many rows the data differ.
        replaced: (curve, leak) of the base when a row of its sample is replaced, where rows of the
            sample are otherwise added or removed.

    Raises:
        SpaceError: no theorem for the scheme under this adjacency.
        ParameterError: no theorem for the base; or a rate outside its range.
    """
    scheme.require(adjacency)
    taken = scheme.share()
    if not taken:
        return LinearCurve(Fraction(0)), Fraction(0)
    if taken == units == 1 and scheme.takes_all(adjacency):
        return curve, leak
    other = None if replaced is None or replaced[1] else replaced[0]
    own = None if leak else scheme.curve(curve, adjacency, allowed, units, other)
    return own or _as_pair(
        curve, leak, scheme, adjacency, allowed, units, replaced == (curve, leak)
    )


def _as_pair(
    curve: Curve,
    leak: Fraction,
    scheme: Scheme,
    adjacency: Adjacency,
    allowed: Fraction,
    units: int,
    alike: bool,
) -> tuple[Curve, Fraction]:
    """The (x, d) of the base, amplified, then along a path of as many steps as there are units.

    Args:
        alike: whether a replaced row of the sample costs what one added or removed does.
    """

    def pair(x: Fraction, lost: Fraction) -> tuple[Fraction, Fraction]:
        one = (x, min(Fraction(1), lost))
        e, d = amplified_numbers(scheme, adjacency, *one, one if alike else None)
        growth = exp_up(e)
        return units * e, short_up(d * sum(growth**j for j in range(units)))

    def given(x: Fraction) -> tuple[tuple[Fraction, Fraction], bool]:
        found = pair(x, leak + delta_at(curve, x).value)
        return found, found[1] - (pair(x, leak)[1] if leak else 0) <= allowed

    pure = curve.pure_epsilon
    if pure is not None:
        found = pair(pure, leak)
        return PureCurve(short_up(found[0])), found[1]
    if allowed <= 0:
        raise ParameterError(
            "a sampled step without pure cost needs a positive delta", place="delta"
        )
    low, high = Fraction(0), max(curve.zcdp_rho or Fraction(0), Fraction(1, 2**10))
    found, enough = given(high)
    while not enough:
        if high > _FARTHEST:
            raise ParameterError("no bound of this sampled step is known", place="sample")
        low, high = high, 2 * high
        found, enough = given(high)
    while high - low > high * _WIDTH:
        middle = short_up((low + high) / 2, 30)
        tried, enough = given(middle)
        if enough:
            high, found = middle, tried
        else:
            low = middle
    return PureCurve(short_up(found[0])), found[1]
