"""loop_records: accumulates g(row) by addition over the rows of a table.

Stability.  Addition commutes, so the order of the rows is not seen.  With g(row) in [lo, hi]: one
added or removed row moves the state by at most max(|lo|, |hi|) (the range of g including
"absent"); one replaced row by at most hi - lo; k rows by k times that.  How far g itself moves
does not matter: rows of a table are under the discrete metric.
Tight: add rows at the larger end; replace a row at one end by one at the other.
A body that captures private values pays them once per row, and the number of rows has no public
bound: infinite.  Any other update (state' = a * state + ..., assignments) sees the order: infinite.
Source: bounded sums over tables; cf. `sum`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, D, Expr, absolute, maximum, num
from metricdp.record import Arg, Body, Conclusion, Failure, Instance, Witness
from metricdp.spaces import NEG_INF, Records, Scalar, Space, diameter, implied_radius
from metricdp.spaces.metrics import ROW_METRICS
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

kind = "control"


def rule(init: Arg, records: Arg, f: Arg) -> Conclusion:
    """`f` summarises what one row adds; its space carries the range."""
    assert isinstance(records.space, Records) and f.body is not None
    added = f.body.space
    assert added is not None
    widths = _diameters(added)
    one_unit = records.space.row_metric.per_unit
    per_row = {norm: one_unit(most, widths[norm]) for norm, most in _magnitudes(added).items()}
    why = None
    if any(bound.is_infinite for bound in per_row.values()):
        why = Failure(
            "unbounded-sum",
            "one person can move this sum by any amount",
            need="finite public bounds on what each row adds",
            help="dp.clamp(value, lower, upper) before it is added"
            if isinstance(added, Scalar)
            else "dp.clip(value, dp.L2, radius=1.0) before it is added",
        )
    maps = {("", norm): bound * D for norm, bound in per_row.items()}
    keep = {(norm, norm): D for norm in per_row}
    # The sum has no range of its own: the number of rows is private.
    total = (
        Scalar(added.element)
        if isinstance(added, Scalar)
        else msgspec.structs.replace(added, lo=NEG_INF, hi=INF, radius=())
    )
    return Conclusion(total, {"records": maps, "init": keep}, why_infinite=why)


def _magnitudes(added: Space) -> dict[str, Expr]:
    if isinstance(added, Scalar):
        if added.lo.is_infinite or added.hi.is_infinite:
            return {"": INF}
        return {"": maximum(absolute(added.lo), absolute(added.hi))}
    assert isinstance(added, Entries)
    return {norm: implied_radius(added, norm) for norm in NORM_NAMES}


def _diameters(added: Space) -> dict[str, Expr]:
    if isinstance(added, Scalar):
        return {"": INF if added.lo.is_infinite or added.hi.is_infinite else added.hi - added.lo}
    return {norm: diameter(added, norm) for norm in NORM_NAMES}


def run(init: Any, records: Any, f: Any) -> Any:
    """init + g(row) + g(row) + ..."""
    for row in records:
        init = init + f(row)
    return init


def instances() -> Iterable[Instance]:
    for metric in ROW_METRICS:
        for lo, hi in ((-3, 2), (0, 5)):
            yield Instance(
                {"init": Scalar("Real"), "records": Records(Scalar("Data", kind="int"), metric)},
                {"f": _Clamp(lo, hi)},
                {"f": Body(Scalar("Real", num(lo), num(hi)), ({("", ""): INF},))},
            )


class _Clamp:
    def __init__(self, lo: int, hi: int) -> None:
        self.lo, self.hi = lo, hi

    def __call__(self, value: Any) -> Any:
        return min(max(value, self.lo), self.hi)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Rows at the larger end are added; rows at one end are replaced by the other."""
    records, g = instance.private["records"], instance.public["f"]
    assert isinstance(records, Records)
    zero = Fraction(0)
    if records.row_metric.replaces:
        pair = [g.lo] * d, [g.hi] * d
        return {"init": zero, "records": pair[0]}, {"init": Fraction(d), "records": pair[1]}
    far = g.lo if -g.lo > g.hi else g.hi
    side = Fraction(d if far > 0 else -d)
    return {"init": zero, "records": []}, {"init": side, "records": [far] * d}
