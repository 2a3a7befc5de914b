"""Steps with their sampling paid: what is left are curves and leaks that compose.

A sample and the unsampled data, where no event reads both, are two interactive mechanisms that are
interleaved; their curves add.  Proof: let V be the largest moment of order alpha that the second
one may still reach from its history.  Weighting its answers by (likelihood ratio)^alpha times the
quotient of the Vs is a strategy, up to mass below 1, against the first; so the joint moment is at
most the product.  For (epsilon, delta): Vadhan and Zhang (2022), Lyu (2022).

Where an event reads both, write F(A, B) for the program on a sample of A and on B itself, and go
from F(A, B) over F(A', B) to F(A', B'): the first pair costs what the sampled part does for every
fixed B, the second what the unsampled part does for every fixed sample.

A step on a sample of the rows, as steps on all of the data: the amplification that fits.

A Poisson-sampled Gaussian has its own Renyi curve (under replacement: twice, once each way,
through the data without the row), and so has any mechanism sampled without replacement under
replacement; a pure mechanism stays pure with a smaller epsilon; with replacement, noise with a zCDP
cost has a curve for few copies of the rows that differ, and more copies are given away.
Data that differ in k rows are joined by a path of k unit steps: epsilon k times (which k rows
added under Poisson inclusion attain), curves and (epsilon, delta) by group privacy.
Everything else is read as (x, d) at the least x whose amplified delta stays in a share of the
budget: by the theorem that optimal composition rests on, an (x, d) mechanism is a post-processing
of one that fails openly with probability d and else answers by randomized response with odds e^x
(Kairouz, Oh, Viswanath 2015, Theorem 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.accounting.orders import delta_at
from metricdp.accounting.renyi import (
    ComposedCurve,
    Curve,
    GaussianCurve,
    Grouped,
    LeastCurve,
    LinearCurve,
    PureCurve,
    Through,
)
from metricdp.accounting.renyi_sampled import (
    PoissonGaussian,
    WithoutReplacementCurve,
    WithReplacementCurve,
)
from metricdp.accounting.rounded import exp_up, root_up, short_up
from metricdp.errors import ParameterError
from metricdp.expr import Expr
from metricdp.measures.sampling import (
    Poisson,
    Scheme,
    WithoutReplacement,
    WithReplacement,
    amplified,
    require_rate_of_each_row,
)
from metricdp.measures.step import Step, worst
from metricdp.spaces.metrics import Adjacency


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
    return ComposedCurve(tuple((step.curve, step.count) for step in steps))


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
        curve = LeastCurve((curve, step.far[0]))
    return curve, leak


def _joined(curve: Curve, leak: Fraction, beside: Sequence[Step]) -> tuple[Curve, Fraction]:
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


#: Relative width at which the search for x stops.
_WIDTH = Fraction(1, 128)
#: No x above this is tried.
_FARTHEST = Fraction(1 << 12)


def amplified_step(
    curve: Curve,
    leak: Fraction,
    scheme: Scheme,
    adjacency: Adjacency,
    allowed: Fraction,
    units: int = 1,
) -> tuple[Curve, Fraction]:
    """(curve, probability of an open failure) of the sampled step.

    Args:
        curve: of the base, for one row of its sample (under `base_adjacency(scheme)`).
        leak: delta of the base beside the curve.
        allowed: the most delta to give away where the base has no pure or Renyi amplification,
            beside what the leak costs in any case.
        units: by how many rows the data differ.

    Raises:
        SpaceError: no theorem for the scheme under this adjacency.
        ParameterError: no theorem for the base; or a rate outside its range.
    """
    if adjacency == "add or remove":
        require_rate_of_each_row(scheme)
    taken = _share(scheme)
    if not taken:
        return LinearCurve(Fraction(0)), Fraction(0)
    single = isinstance(scheme, WithoutReplacement) or adjacency == "add or remove"
    if taken == units == 1 and single and not isinstance(scheme, WithReplacement):
        return curve, leak
    if leak or not _amplifies(curve, scheme):
        return _as_pair(curve, leak, scheme, adjacency, allowed, units)
    pure = curve.pure_epsilon
    if pure is not None:
        own = PureCurve(short_up(units * _upper(scheme, adjacency, pure, leak)[0]))
        if not isinstance(scheme, WithoutReplacement):
            return own, Fraction(0)
        return LeastCurve(
            (own, _path(WithoutReplacementCurve(taken, curve, pure), units))
        ), Fraction(0)
    if isinstance(scheme, WithoutReplacement):
        return _path(WithoutReplacementCurve(taken, curve, None), units), Fraction(0)
    if isinstance(scheme, WithReplacement):
        return _with_replacement(_rho(curve), scheme, allowed, units)
    one_way = PoissonGaussian(taken, root_up(2 * _rho(curve)))
    # Under replacement: twice, once each way, through the data without the row.
    return _path(one_way, units if adjacency == "add or remove" else 2 * units), Fraction(0)


def _amplifies(curve: Curve, scheme: Scheme) -> bool:
    """Whether the sampled base has a curve of its own."""
    if curve.pure_epsilon is not None or isinstance(scheme, WithoutReplacement):
        return True
    if isinstance(scheme, WithReplacement):
        return curve.zcdp_rho is not None
    return isinstance(curve, GaussianCurve)


def _rho(curve: Curve) -> Fraction:
    rho = curve.zcdp_rho
    assert rho is not None
    return rho


def _path(curve: Curve, units: int) -> Curve:
    return curve if units == 1 else Grouped(curve, units)


def _with_replacement(
    rho: Fraction, scheme: WithReplacement, allowed: Fraction, units: int
) -> tuple[Curve, Fraction]:
    """The curve given few copies of the rows that differ; more copies are an open failure."""
    draws, rows = int(_number(scheme.draws)), _number(scheme.rows)
    for most in range(draws + 1) if allowed else (draws,):
        sampled = WithReplacementCurve(rho, draws, max(rows / units, Fraction(1)), most)
        if sampled.missed <= allowed:
            return sampled, sampled.missed
    return sampled, Fraction(0)


def _as_pair(
    curve: Curve,
    leak: Fraction,
    scheme: Scheme,
    adjacency: Adjacency,
    allowed: Fraction,
    units: int,
) -> tuple[Curve, Fraction]:
    """The (x, d) of the base, amplified, then along a path of as many steps as there are units."""

    def pair(x: Fraction, lost: Fraction) -> tuple[Fraction, Fraction]:
        e, d = _upper(scheme, adjacency, x, min(Fraction(1), lost))
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


def _upper(
    scheme: Scheme, adjacency: Adjacency, epsilon: Fraction, delta: Fraction
) -> tuple[Fraction, Fraction]:
    found = amplified(scheme, adjacency, epsilon, delta)
    for relation in found.requires:
        if relation.verdict is False:
            raise ParameterError(f"{relation} does not hold", place="sample")
    return short_up(_finite(found.epsilon.upper({}))), short_up(_finite(found.delta.upper({})))


def _share(scheme: Scheme) -> Fraction:
    """The expected share of the rows that is drawn."""
    if isinstance(scheme, Poisson):
        share = _number(scheme.rate)
    elif isinstance(scheme, WithoutReplacement):
        share = _number(scheme.size / scheme.rows)
    else:
        return _number(scheme.draws / scheme.rows)
    if not 0 <= share <= 1:
        raise ParameterError(f"{share} of the rows cannot be drawn", place="sample")
    return share


def _number(value: Expr) -> Fraction:
    exact = value.as_fraction()
    if exact is None:
        raise ParameterError(f"{value} is no number", place="sample", remedy="give it a value")
    return exact


def _finite(value: Fraction | float) -> Fraction:
    if isinstance(value, float):
        raise ParameterError("the cost of the base is infinite", place="sample")
    return value
