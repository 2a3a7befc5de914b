"""A step on a sample of the rows, as steps on all of the data: the amplification that fits.

A Poisson-sampled Gaussian has its own Renyi curve (under replacement: twice, once each way,
through the data without the row), and so has any mechanism sampled without replacement under
replacement; a pure mechanism stays pure with a smaller epsilon; with replacement, noise with a zCDP
cost has a curve for few copies of one row, and more copies are given away.
Everything else is read as (x, d) at the least x whose amplified delta stays in a share of the
budget: by the theorem that optimal composition rests on, an (x, d) mechanism is a post-processing
of one that fails openly with probability d and else answers by randomized response with odds e^x
(Kairouz, Oh, Viswanath 2015, Theorem 3.4).
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.expr import Expr
from metricdp.measures.facts import pure_epsilon
from metricdp.measures.orders import delta_at
from metricdp.measures.renyi import Curve, Gaussian, Least, Linear, Pure, Twice
from metricdp.measures.renyi_sampled import (
    PoissonGaussian,
    WithoutReplacementCurve,
    WithReplacementCurve,
)
from metricdp.measures.rounded import root_up, short_up
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


def amplified_step(
    curve: Curve, leak: Fraction, scheme: Scheme, adjacency: Adjacency, allowed: Fraction
) -> tuple[Curve, Fraction]:
    """(curve, probability of an open failure) of the sampled step for one unit of distance.

    Args:
        curve: of the base, for one row of its sample (under `base_adjacency(scheme)`).
        leak: delta of the base beside the curve.
        allowed: the most delta to give away where the base has no pure or Renyi amplification.

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
    if taken == 1 and single and not isinstance(scheme, WithReplacement):
        return curve, leak
    pure = pure_epsilon(curve)
    if isinstance(scheme, WithoutReplacement) and not leak:
        sampled: Curve = WithoutReplacementCurve(taken, curve, pure)
        if pure is not None:
            sampled = Least((Pure(_upper(scheme, adjacency, pure, leak)[0]), sampled))
        return sampled, Fraction(0)
    if pure is not None:
        epsilon, delta = _upper(scheme, adjacency, pure, leak)
        return Pure(epsilon), delta
    if isinstance(scheme, Poisson) and isinstance(curve, Gaussian) and not leak:
        one_way = PoissonGaussian(taken, root_up(2 * curve.rho))
        return (one_way if adjacency == "add or remove" else Twice(one_way)), Fraction(0)
    if leak or not isinstance(curve, Linear):
        raise ParameterError(
            "no amplification by sampling is known for this step",
            place="sample",
            remedy="sample around one pure or Gaussian mechanism",
        )
    if isinstance(scheme, WithReplacement):
        return _with_replacement(curve, scheme, allowed)
    return _as_pair(curve, scheme, adjacency, allowed)


def _with_replacement(
    curve: Linear, scheme: WithReplacement, allowed: Fraction
) -> tuple[Curve, Fraction]:
    """The curve given few copies of the row; more copies are an open failure."""
    draws, rows = int(_number(scheme.draws)), int(_number(scheme.rows))
    for most in range(draws + 1):
        sampled = WithReplacementCurve(curve.rho, draws, rows, most)
        if sampled.missed <= allowed:
            return sampled, sampled.missed
    return sampled, Fraction(0)


def _as_pair(
    curve: Linear, scheme: Scheme, adjacency: Adjacency, allowed: Fraction
) -> tuple[Curve, Fraction]:
    if allowed <= 0:
        raise ParameterError(
            "a sampled step without pure cost needs a positive delta", place="delta"
        )

    def pair(x: Fraction) -> tuple[Fraction, Fraction]:
        return _upper(scheme, adjacency, x, delta_at(curve, x).value)

    low, high = Fraction(0), max(curve.rho, Fraction(1, 2**10))
    found = pair(high)
    while found[1] > allowed:
        low, high = high, 2 * high
        found = pair(high)
    while high - low > high * _WIDTH:
        middle = short_up((low + high) / 2, 30)
        tried = pair(middle)
        if tried[1] <= allowed:
            high, found = middle, tried
        else:
            low = middle
    return Pure(found[0]), found[1]


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
