"""clamp: moves a number into [lower, upper]; on vectors, matrices and columns every entry or row.

Stability.  Clamping is the nearest point of an interval, so it is 1-stable on every entry, hence in
every norm; over discrete entries equal values stay equal, 1 as well; on a table it is a map of
rows, 1-stable in every metric on records.  Private bounds cost 1 each: max(lower, min(x, upper))
moves by at most the largest movement of the three.  Tight: move inside the interval.
The range of the result is what makes sums, products and undisc finite.
Source: projection on an interval is 1-Lipschitz; OpenDP make_clamp.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, D, Expr, compare, maximum, minimum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    Range,
    kind_of,
    nonnegative,
    numbers_only,
    range_of,
    row_range,
    whole,
)
from metricdp.primitives._entrywise import EntryRule, lifted
from metricdp.primitives._witnesses import step_all
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
    in_order,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Matrix, Records, Scalar, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "visits: dp.Records[float] = [3.0, -5.0, 120.0]; dp.clamp(visits, 0, 20)"

columnar = "clamp"
spelling = Spelling(numpy=("numpy.clip",), seed=("clamp",), opendp=("make_clamp",))


def rule(x: Arg, lower: Arg, upper: Arg) -> Conclusion:
    """Numbers lower <= upper; x is a number, a container or a table with one column."""
    requires = _ordered(lower, upper)
    if not x.private and not lower.private and not upper.private:
        if x.value is None or lower.value is None or upper.value is None:
            return Conclusion(requires=requires)
        value = maximum(lower.value, minimum(x.value, upper.value))
        return Conclusion(value=value, requires=requires)
    if isinstance(x.space, Records):
        return _records(x, x.space, lower, upper, requires)
    numbers_only("clamp", x, lower, upper)
    if any(b.private and not isinstance(b.space, Scalar) for b in (lower, upper)):
        raise refuse(
            "unsupported-call",
            "the bounds of `clamp` are single numbers",
            need="one lower and one upper bound",
            help=f"dp.clamp({x.text}, 0, 20)",
        )
    bounds = _within(range_of(x), range_of(lower), range_of(upper))
    args = {"x": x, "lower": lower, "upper": upper}
    template = x.space if x.private else next(arg.space for arg in args.values() if arg.private)
    assert isinstance(template, (Scalar, Entries, Matrix))
    integral = all(map(whole, args.values()))
    kind = kind_of(x) if integral or kind_of(x) == "" else "float"
    low, high = range_of(lower), range_of(upper)
    entry = EntryRule(
        bounds,
        dict.fromkeys(args, ONE),
        whole=integral,
        kind="int" if kind == "bool" else kind,
        together="max",
        keeps_balls=nonnegative(-low[1]) and nonnegative(high[0]),  # no entry grows in size
    )
    return lifted(args, entry, template, requires)


def _ordered(lower: Arg, upper: Arg) -> tuple[Requirement, ...]:
    """Public bounds in order; certainly reversed ones are refused here."""
    if lower.value is None or upper.value is None or lower.private or upper.private:
        return ()
    if lower.released or upper.released:  # reversed bounds are total: every entry is the lower one
        return ()
    order = compare(lower.value, "<=", upper.value)
    if order is False:
        raise refuse(
            "reversed-bounds",
            f"the lower bound {lower.text} is above the upper bound {upper.text}",
            need="lower <= upper",
            help=f"swap them: {upper.text}, {lower.text}",
        )
    if order:
        return ()
    return (in_order(lower.value, upper.value),)


def _within(x: Range, lower: Range, upper: Range) -> Range:
    return (
        maximum(lower[0], minimum(x[0], upper[0])),
        maximum(lower[1], minimum(x[1], upper[1])),
    )


def _records(
    x: Arg, space: Records, lower: Arg, upper: Arg, requires: tuple[Requirement, ...]
) -> Conclusion:
    row_range(space, x.text, "clamp")
    if lower.private or upper.private:
        raise refuse(
            "private-argument",
            "private bounds change every row of a table, however little they move",
            need="public bounds",
            help=f"dp.clamp({x.text}, 0, 20)",
        )
    row = space.row
    assert isinstance(row, Scalar)
    low, high = range_of(lower), range_of(upper)
    lo, hi = _within((row.lo, row.hi), low, high)
    # The rows lie between the bounds, whatever they were before: no cost may mention a number that
    # a run alone knows, as `x - mean` of a released mean does.
    told = {*low[0].symbols, *low[1].symbols, *high[0].symbols, *high[1].symbols}
    if _hides(lo, told):
        lo = low[0]
    if _hides(hi, told):
        hi = maximum(low[1], high[1])
    kind = kind_of(Arg(row, True))
    if kind in ("int", "bool"):
        kind = "int" if whole(lower) and whole(upper) else "float"
    result = msgspec.structs.replace(space, row=Scalar(row.element, lo, hi, kind))
    return Conclusion(result, {"x": scalar_moves(D)}, requires=requires)


def _hides(bound: Expr, told: set[str]) -> bool:
    return any(name.startswith("_") for name in bound.symbols - told)


def run(x: Any, lower: Any, upper: Any) -> Any:
    """max(lower, min(x, upper)), entry by entry."""
    low, high = _exact.rational(lower), _exact.rational(upper)

    def clamp(v: Any) -> Any:
        # A Boolean becomes the integer that the conclusion says.
        return max(low, min(int(v) if isinstance(v, bool) else _exact.rational(v), high))

    return _exact.entrywise(clamp, x)


def instances() -> Iterable[Instance]:
    box = {"lower": Fraction(-1), "upper": Fraction(7, 2)}
    wide = {"lower": 0, "upper": 100}
    yield Instance({"x": Scalar("Real")}, wide)
    yield Instance({"x": Scalar("Int", num(5), num(50))}, wide)
    yield Instance({"x": Scalar("Data", kind="float")}, box)
    yield Instance({"x": Scalar("Real"), "lower": Scalar("Real"), "upper": Scalar("Real")})
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))}, wide)
        yield Instance({"x": Vector("Data", norm, num(4))}, box)
        yield Instance({"x": Matrix("Real", norm, num(2), num(2))}, wide)
        yield Instance({"x": Matrix("Data", norm, num(3), num(2))}, box)
    for metric in PRIVATE_SIZE:
        yield Instance({"x": Records(Scalar("Data", kind="float"), metric)}, box)
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(Scalar("Data", kind="int"), metric, num(3))}, box)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Values move inside the interval."""
    space = instance.private["x"]
    if isinstance(space, Records):
        same, other = Fraction(0), Fraction(1)
        if space.sized:
            return {"x": [0] * 3}, {"x": [1] * d + [0] * (3 - d)}
        return {"x": [other]}, {"x": [other] + [same] * d}
    if "lower" in instance.private:
        ends = {"lower": Fraction(-9), "upper": Fraction(9)}
        return {"x": Fraction(0), **ends}, {"x": Fraction(d), **ends}
    return step_all(instance.private, d)
