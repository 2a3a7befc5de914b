"""sum: the sum of the entries of a vector, or of the rows of a table.

Stability.  Vectors over R: |sum x - sum x'| <= |x - x'|_1, and |v|_1 <= n^(1-1/p) |v|_p (Hoelder).
Tight: L1 move one entry; L2 and LInf move all entries alike.
Records with rows in [lo, hi]: one added or removed row moves the sum by at most max(|lo|, |hi|);
one replaced row by at most hi - lo; k rows by k times that (triangle inequality).  Tight: copies
of the larger end added; rows at one end replaced by the other.
Source: folklore; rules of Lp norms; cf. OpenDP make_sum.  Exact addition, so order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, absolute, maximum, minimum, num, root
from metricdp.primitives._common import row_range
from metricdp.primitives.records._rows import number_element
from metricdp.record import (
    Arg,
    Conclusion,
    Failure,
    Instance,
    Spelling,
    Witness,
    infinite,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Gradient, Records, Scalar, Vector, implied_radius
from metricdp.spaces.metrics import PUBLIC_SIZE, ROW_METRICS
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "visits: dp.Records[float] = [3.0, 4.0, 120.0]; dp.sum(dp.clamp(visits, 0, 20))"

columnar = "total"
spelling = Spelling(("sum",), ("numpy.sum",), ("sum",), ("make_sum",))


def rule(x: Arg) -> Conclusion:
    """A vector or array in any norm, or a table with one column."""
    if isinstance(x.space, Vector) or (isinstance(x.space, Gradient) and x.space.shape):
        return _vector(x.space)
    if isinstance(x.space, Records):
        return _records(x, x.space)
    raise refuse(
        "unsupported-call",
        f"`sum` adds the entries of a vector or the rows of a table, and {x.text} is neither",
        need="a Vector or Records argument",
        help="dp.sum(rows)",
    )


def _vector(space: Entries) -> Conclusion:
    n = space.size
    if space.element == "Data":
        raise refuse(
            "wrong-metric",
            "entries under the discrete metric have no distance that a sum could keep",
            need="real entries",
            help="dp.sum(dp.undisc(dp.clamp(x, lower, upper)))",
        )
    element = "Int" if space.element in ("Int", "Bool") else "Real"
    if n is None:  # of vectors without a public size, the sum of all moves bounds that of the sum
        return Conclusion(Scalar(element), {"x": {("L1", ""): D}})
    moves = {("L1", ""): D, ("L2", ""): root(n) * D, ("LInf", ""): n * D}
    lo = space.lo if space.lo.is_infinite else n * space.lo
    hi = space.hi if space.hi.is_infinite else n * space.hi
    if space.radius and not (size := implied_radius(space, "L1")).is_infinite:
        lo, hi = maximum(lo, -size), minimum(hi, size)
    return Conclusion(Scalar(element, lo, hi), {"x": moves})


def _records(x: Arg, space: Records) -> Conclusion:
    lo, hi, _ = row_range(space, x.text, "sum")
    assert isinstance(space.row, Scalar)
    element = number_element(space.row)
    result = Scalar(element)
    if lo.is_infinite or hi.is_infinite:
        why = Failure(
            "unbounded-sum",
            "one person can move this sum by any amount",
            need="finite public bounds on each row",
            help=f"dp.sum(dp.clamp({x.text}, lower, upper))",
        )
        return infinite(why, result, "x")
    per_row = space.row_metric.per_unit(maximum(absolute(lo), absolute(hi)), hi - lo)
    if space.size is not None:
        result = Scalar(element, space.size * lo, space.size * hi)
    return Conclusion(result, {"x": scalar_moves(per_row * D)})


def run(x: Any) -> Any:
    """Exact sum of a sequence of rationals."""
    from metricdp.values import exact_sum

    return exact_sum(x)


def tabular(x: Any) -> Any:
    """The exact sum of what every row holds, in its range."""
    return x.total()


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(4))})
    for metric in ROW_METRICS:
        for lo, hi in ((-3, 2), (1, 5), (0, 20)):
            row = Scalar("Data", num(lo), num(hi), "float")
            size = num(4) if metric in PUBLIC_SIZE else None
            yield Instance({"x": Records(row, metric, size)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """A pair that moves the sum by the bound."""
    space = instance.private["x"]
    if isinstance(space, Vector):
        return {"x": [0] * 4}, {"x": space.geometry.widest(d, 4)}
    assert isinstance(space, Records) and isinstance(space.row, Scalar)
    lo, hi = space.row.lo.as_fraction(), space.row.hi.as_fraction()
    assert lo is not None and hi is not None
    far = hi if abs(hi) >= abs(lo) else lo
    metric = space.row_metric
    if metric.adds and (not metric.replaces or abs(far) >= hi - lo):
        return {"x": []}, {"x": [far] * d}
    return {"x": [lo] * 4}, {"x": [hi] * d + [lo] * (4 - d)}
