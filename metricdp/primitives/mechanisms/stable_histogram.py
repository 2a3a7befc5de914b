"""stable_histogram: noisy counts of the values that occur, without a list of them; small ones go.

Privacy.  Discrete Laplace noise of scale b on the count of every value that occurs, released where
the noisy count is at least T.  d rows added or removed move counts by d in all: epsilon = d / b.
A value that only one input has must stay unseen.  Its count c is at most d, so it is seen with
chance e^(-(T - c)/b) / (1 + e^(-1/b)), T whole; counts of at least 1 that add up to d are seen with
chance at most delta = max(d, e^((d - 1)/b)) e^(-(T - 1)/b) / (1 + e^(-1/b)).  With T in place of
T - 1 delta would be too small by e^(1/b).  A replaced row moves two counts: epsilon = 2 d / b and
the same delta, as one side gains at most d.
Noise: `scale=b, threshold=T`, or the targets `epsilon=, delta=`, from which b and the least whole T
follow at the inferred bound.  Keys come sorted: their order shows nothing.
Tight: d equal rows that are new.
Source: Korolova, Kenthapadi, Mishra, Ntoulas (2009), Algorithm 1; Balcer and Vadhan (2018).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from math import exp as approximately
from typing import Any

from metricdp.expr import ONE, Expr, ceil, exp, log, maximum, minimum, num
from metricdp.families.recorded import Recorded
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import (
    NONE,
    below_one,
    given,
    group_delta,
    positive,
    public_argument,
    public_number,
)
from metricdp.primitives.mechanisms._thresholds import (
    ceiling,
    laplace_tail,
    large,
    sorted_pairs,
    with_laplace,
)
from metricdp.record import (
    BOUND,
    MOVED,
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    refuse,
)
from metricdp.spaces import Records, Row, Scalar
from metricdp.spaces.metrics import UNORDERED

example = (
    "towns: dp.Records[str] = ['Rome'] * 60; dp.stable_histogram(towns, epsilon=1, delta=0.000001)"
)

__all__ = ["least_threshold"]

spelling = Spelling(opendp=("make_base_stability",))

NAME = "stable_histogram"


def rule(
    x: Arg, *, epsilon: Arg = NONE, delta: Arg = NONE, scale: Arg = NONE, threshold: Arg = NONE
) -> Conclusion:
    """A table; (`epsilon`, `delta`) as targets, or public `scale` and `threshold`."""
    space = _table(x)
    moved = space.row_metric.moved()
    by_noise, by_target = given(scale) and given(threshold), given(epsilon) and given(delta)
    if by_noise == by_target or (given(epsilon) or given(delta)) == (
        given(scale) or given(threshold)
    ):
        raise refuse(
            "bad-noise",
            f"`{NAME}` takes `epsilon=` and `delta=`, or `scale=` and `threshold=`",
            need="two public numbers",
            help=f"dp.{NAME}({x.text}, epsilon=eps, delta=delta)",
        )
    if by_noise:
        b, level = public_number(scale, NAME, "scale"), public_number(threshold, NAME, "threshold")
        tail = laplace_tail(b, level, whole=True)
        lost = minimum(ONE, maximum(MOVED * tail(ONE), tail(MOVED)))
        cost = (moved * MOVED / b, lost)
        requires = (
            *positive(b, "bad-noise", scale.chosen),
            Requirement(level, ">=", ONE, "bad-noise", f"choose {threshold.chosen} >= 1"),
        )
    else:
        eps, share = public_number(epsilon, NAME, "epsilon"), public_number(delta, NAME, "delta")
        b = moved * BOUND / eps
        level = least_threshold(b, share, BOUND)
        cost = group_delta(eps, share)
        requires = (
            *positive(eps, "bad-noise", epsilon.chosen),
            *positive(share, "bad-noise", delta.chosen),
            *below_one(share, "bad-noise", delta.chosen),
        )
    event = Event(NAME, family, ONE_METRIC, {"scale": b, "threshold": level}, {"approx": cost})
    return Conclusion(None, requires=requires, events=(event,))


def least_threshold(b: Expr, delta: Expr, rows: Expr) -> Expr:
    """The least whole T >= 1 with max(d, e^((d-1)/b)) e^(-(T-1)/b) / (1 + e^(-1/b)) <= delta."""
    worst = maximum(log(rows), (rows - 1) / b)  # exp of it would be beyond all doubles soon
    return 1 + maximum(num(0), ceil(b * (worst - log(delta) - log(1 + exp(-1 / b)))))


def _table(x: Arg) -> Records:
    space = x.space
    if not x.private or space is None:
        raise public_argument(x, NAME)
    plain = isinstance(space, Records) and isinstance(space.row, Scalar | Row)
    if plain and isinstance(space.row, Row):  # type: ignore[attr-defined]
        plain = all(isinstance(field, Scalar) for field in space.row.fields)  # type: ignore
    if not plain:
        raise refuse(
            "unsupported-call",
            f"`{NAME}` counts the values of a table, and {x.text} lies in {space}",
            need="a table of plain values: Records[str], Records[int], rows of such fields",
            help=f"dp.{NAME}([row.field for row in {x.text}], epsilon=eps, delta=delta)"
            if isinstance(space, Records)
            else "give it the rows of the table: it counts their values by itself",
        )
    assert isinstance(space, Records)
    return space


def run(x: Any, scale: Fraction, threshold: Any, source: Any = None) -> dict[Any, int]:
    """Value -> noisy count, sorted by value; noise and threshold exact."""
    found: dict[Any, int] = {}
    least = ceiling(threshold)
    # What stays below the threshold is not kept: a part of the values is held at a time.
    for rows, counts in _occurrences(x):
        found.update(large(rows, counts, least, lambda v: with_laplace(v, scale, source)))
    return dict(sorted_pairs(list(found.items())))


def _occurrences(x: Any) -> Iterable[tuple[list[Any], Any]]:
    """The different rows, and how often each occurs; no row is in two parts."""
    from metricdp.columns.language import Untraceable
    from metricdp.columns.table import Table

    if isinstance(x, Table):
        from metricdp.columns.distinct import occurring

        try:
            parts = occurring(x)
            first: tuple[list[Any], Any] = next(parts, ([], []))
        except Untraceable:
            x = x.rows()
        else:
            for rows, counts in chain([first], parts):
                whole = rows and isinstance(rows[0], float | tuple)
                yield list(map(_whole, rows)) if whole else rows, counts
            return
    found = Counter(map(_plain, x))
    yield list(found), list(found.values())


def _whole(row: Any) -> Any:
    """Doubles that are whole as integers, as `_plain` has rationals."""
    if isinstance(row, tuple):
        return tuple(map(_whole, row))
    return int(row) if isinstance(row, float) and row.is_integer() else row


def _plain(row: Any) -> Any:
    if isinstance(row, tuple):
        return tuple(map(_plain, row))
    if isinstance(row, bool | str | int):
        return row
    exact = Fraction(row)
    return int(exact) if exact.denominator == 1 and not isinstance(row, float) else float(exact)


def law(x: Any, scale: Fraction, threshold: Any) -> Any:
    """Exact law of the released keys and values."""
    from metricdp.laws.thresholded import ThresholdedLaw

    return ThresholdedLaw(Counter(x), Fraction(scale), ceiling(threshold))


#: A table is read in columns.
tabular = run
family = Recorded(NAME, run, law)


def instances() -> Iterable[Instance]:
    words = Scalar("Data", kind="str")
    for metric in UNORDERED:
        for scale, threshold in ((Fraction(1), 9), (Fraction(3), 40)):
            public = {"scale": scale, "threshold": threshold}
            yield Instance({"x": Records(words, metric)}, public, {}, "approached")
    public = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
    yield Instance({"x": Records(words)}, public, {}, "unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """d new rows, equal, or all different where that is seen more easily."""
    b = float(instance.public.get("scale", 1))
    new = ["a"] * d if approximately((d - 1) / b) >= d else list("abcdefgh"[:d])
    old = ["z"] * d if instance.private["x"].row_metric.replaces else []  # type: ignore
    rest = ["z"] * (3 if old else 0)
    return {"x": rest + old}, {"x": rest + new}
