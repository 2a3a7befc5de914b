"""A step on a sample of the rows, as steps on all of the data: the amplification that fits.

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

from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.expr import Expr
from metricdp.measures.facts import pure_epsilon, zcdp_rho
from metricdp.measures.orders import delta_at
from metricdp.measures.renyi import Curve, Gaussian, Least, Linear, Pure
from metricdp.measures.renyi_paths import Grouped
from metricdp.measures.renyi_sampled import (
    PoissonGaussian,
    WithoutReplacementCurve,
    WithReplacementCurve,
)
from metricdp.measures.rounded import exp_up, root_up, short_up
from metricdp.measures.sampling import (
    Adjacency,
    Poisson,
    Scheme,
    WithoutReplacement,
    WithReplacement,
    amplified,
    require_rate_of_each_row,
)

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
        return Linear(Fraction(0)), Fraction(0)
    single = isinstance(scheme, WithoutReplacement) or adjacency == "add or remove"
    if taken == units == 1 and single and not isinstance(scheme, WithReplacement):
        return curve, leak
    if leak or not _amplifies(curve, scheme):
        return _as_pair(curve, leak, scheme, adjacency, allowed, units)
    pure = pure_epsilon(curve)
    if pure is not None:
        own = Pure(short_up(units * _upper(scheme, adjacency, pure, leak)[0]))
        if not isinstance(scheme, WithoutReplacement):
            return own, Fraction(0)
        return Least((own, _path(WithoutReplacementCurve(taken, curve, pure), units))), Fraction(0)
    if isinstance(scheme, WithoutReplacement):
        return _path(WithoutReplacementCurve(taken, curve, None), units), Fraction(0)
    if isinstance(scheme, WithReplacement):
        return _with_replacement(_rho(curve), scheme, allowed, units)
    one_way = PoissonGaussian(taken, root_up(2 * _rho(curve)))
    # Under replacement: twice, once each way, through the data without the row.
    return _path(one_way, units if adjacency == "add or remove" else 2 * units), Fraction(0)


def _amplifies(curve: Curve, scheme: Scheme) -> bool:
    """Whether the sampled base has a curve of its own."""
    if pure_epsilon(curve) is not None or isinstance(scheme, WithoutReplacement):
        return True
    if isinstance(scheme, WithReplacement):
        return zcdp_rho(curve) is not None
    return isinstance(curve, Gaussian)


def _rho(curve: Curve) -> Fraction:
    rho = zcdp_rho(curve)
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

    pure = pure_epsilon(curve)
    if pure is not None:
        found = pair(pure, leak)
        return Pure(short_up(found[0])), found[1]
    if allowed <= 0:
        raise ParameterError(
            "a sampled step without pure cost needs a positive delta", place="delta"
        )
    low, high = Fraction(0), max(zcdp_rho(curve) or Fraction(0), Fraction(1, 2**10))
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
    return Pure(short_up(found[0])), found[1]


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
