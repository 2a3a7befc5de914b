"""interval_quantile: a real number between public bounds, by how well it splits the rows.

Privacy.  Exponential weights over all reals of [lower, upper]: density proportional to e^(u(t)/T),
u(t) = -|(1 - alpha) #{x < t} - alpha #{x > t}|.  A row moves two scores apart by at most
2 max(alpha, 1 - alpha) when it is added or removed, by at most 2 when it is replaced (see
`private_quantile`), so the log-ratio of two densities lies in an interval of that length over T:
epsilon = 2 max(alpha, 1 - alpha) d / T or 2 d / T, and rho = epsilon^2 / 8.  Sampled as the
interval between two neighbouring rows, with weight length times e^(u/T), and a uniform point in
it; rows are moved into the bounds first.  The number is rounded down to a public grid, the width
about 2^40 times its step: post-processing.
Approached when all rows lie in a short interval.
Source: Smith (2011), section 3; Cesar and Rogers (2021), Lemma 3.2, for rho.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE
from metricdp.families.recorded import Recorded
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._choices import WEIGHTS, costs, noise_of
from metricdp.primitives.mechanisms._noise import NONE
from metricdp.primitives.mechanisms._quantiles import (
    number_rows,
    numbers,
    score,
    share,
    spread,
    table,
)
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, in_order, refuse
from metricdp.spaces import Records, Scalar
from metricdp.spaces.metrics import UNORDERED

example = (
    "visits: dp.Records[float] = [3.0, 9.0, 12.0]; "
    "dp.interval_quantile(visits, 0, 20, 0.5, epsilon=1)"
)

NAME = "interval_quantile"
#: The width of the bounds spans at least this many binary places of the grid.
FINE = 40


def rule(
    x: Arg, lower: Arg, upper: Arg, alpha: Arg, *, scale: Arg = NONE, epsilon: Arg = NONE
) -> Conclusion:
    """A table of numbers; public lower < upper; 0 <= alpha <= 1; one of `scale` and `epsilon`."""
    space = number_rows(x, NAME)
    for end in (lower, upper):
        if end.value is None or end.private or end.value.is_infinite:
            raise refuse(
                "private-argument" if end.private else "wrong-arguments",
                f"the bound {end.text} of `{NAME}` is no public finite number",
                need="public bounds lower < upper",
                help=f"dp.{NAME}({x.text}, 0, 100, alpha=0.5, epsilon=eps)",
            )
    assert lower.value is not None and upper.value is not None
    below, requires = share(alpha, NAME)
    order = in_order(lower.value, upper.value, "<")
    help = f"dp.{NAME}(..., epsilon=eps)"
    width, one, positive = noise_of(NAME, spread(space, below), scale, epsilon, ONE, help)
    event = Event(NAME, family, ONE_METRIC, {"scale": width}, costs(WEIGHTS, one, ONE))
    return Conclusion(Scalar("Real"), requires=(*requires, order, *positive), events=(event,))


def run(
    x: Any, lower: Any, upper: Any, alpha: Fraction, scale: Fraction, source: Any = None
) -> float:
    """A double between lower and upper; `scale` is T > 0."""
    from metricdp.noise.intervals import interval_point, point_among
    from metricdp.noise.rounded_scalar import to_double

    low, high = Fraction(lower), Fraction(upper)
    exponent, rows = _exponent(low, high), table(x)
    inner = None if rows is None else rows.between(low, high)
    if inner is None:
        ends, scores = _pieces(x, low, high, Fraction(alpha))
        tick = interval_point(ends, scores, scale, exponent, source)
    else:
        # Rows at or beyond a bound leave no length between them and it.
        centre = Fraction(alpha) * inner.size - inner.below
        tick = point_among(inner.rows, low, high, centre, scale, exponent, source)
    return min(max(to_double(tick, exponent), float(low)), float(high))


def _exponent(low: Fraction, high: Fraction) -> int:
    """Of the step of the public grid."""
    from metricdp.noise.rounded_scalar import step_exponent

    return step_exponent(high - low) - (FINE - 30)


def _pieces(
    x: Any, low: Fraction, high: Fraction, alpha: Fraction
) -> tuple[list[Fraction], list[Fraction]]:
    """Ends of the intervals between neighbouring rows, and the score on each."""
    rows = numbers(min(max(Fraction(value), low), high) for value in x)
    ends = [low, *rows, high]
    return ends, [score(i, len(rows) - i, alpha) for i in range(len(rows) + 1)]


def law(x: Any, lower: Any, upper: Any, alpha: Fraction, scale: Fraction) -> Any:
    """Exact law of the number, before it becomes a double.

    A `GridLaw`; where the lower bound is no multiple of the step, the point below it is released as
    the bound.
    """
    from metricdp.laws.grid import CellsLaw, GridLaw
    from metricdp.laws.piecewise import WeightedPiecesLaw
    from metricdp.laws.pushed import ClampedLaw

    low, high = Fraction(lower), Fraction(upper)
    ends, scores = _pieces(x, low, high, Fraction(alpha))
    step = Fraction(2) ** _exponent(low, high)
    ideal = WeightedPiecesLaw.exponential(ends, scores, Fraction(scale))
    down = GridLaw(CellsLaw(ideal, step, Fraction(0)), step)
    return down if (low / step).denominator == 1 else ClampedLaw(down, low, high)


class _Weighed(Recorded, frozen=True):
    def pure_curve(self, epsilon: Fraction, spent: Any) -> Any:
        """A choice by weights, always: its log-ratios have a bounded range."""
        from metricdp.accounting.renyi import RangeCurve

        return RangeCurve(epsilon)


#: A table is read in columns.
tabular = run
family = _Weighed(NAME, run, law)


def instances() -> Iterable[Instance]:
    rows = Scalar("Data", kind="int")
    for metric in UNORDERED:
        public = {"lower": 0, "upper": 9, "alpha": Fraction(1, 4), "scale": Fraction(2)}
        yield Instance({"x": Records(rows, metric)}, public, {}, "approached")
    public = {"lower": 0, "upper": 9, "alpha": Fraction(1, 2), "epsilon": Fraction(1)}
    yield Instance({"x": Records(rows)}, public, {}, "approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """As for `private_quantile`."""
    public = instance.public
    scale = public["scale"] if "scale" in public else Fraction(1) / public["epsilon"]
    rest = [7] * int(240 * (scale + d))
    if instance.private["x"].row_metric.replaces:  # type: ignore[attr-defined]
        return {"x": [*rest, *([9] * d)]}, {"x": [*rest, *([1] * d)]}
    return {"x": rest}, {"x": [*rest, *([1] * d)]}
