"""count_distinct: how many different values the rows of a table have.

Stability.  A row added or removed brings or takes at most one value: 1 under the symmetric and
insert-delete distances.  A replaced row may take the last of one value away and bring a new one,
which cancel, or do one of the two: 1 under change-one and Hamming distance as well.
Tight: add rows of new values; make rows that were equal different.
Source: folklore; rules of tables; OpenDP make_count_distinct.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ZERO, D, num
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Records, Scalar
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE

example = "towns: dp.Records[str] = ['Rome', 'Oslo', 'Rome']; dp.count_distinct(towns)"

spelling = Spelling(opendp=("make_count_distinct",))


def rule(x: Arg) -> Conclusion:
    """A table with one column of any metric."""
    space = x.space
    if not isinstance(space, Records) or not isinstance(space.row, Scalar):
        raise refuse(
            "unsupported-call",
            f"`count_distinct` compares the rows of a table, and {x.text} has no single values",
            need="a Records argument with one value per row",
            help=f"dp.count_distinct([row.field for row in {x.text}])",
        )
    most = INF if space.size is None else space.size
    return Conclusion(Scalar("Int", ZERO, most), {"x": scalar_moves(D)})


def run(x: Any) -> int:
    """The number of different rows."""
    return len(set(x))


def tabular(x: Any) -> int:
    """The number of different rows, found in arrays."""
    from metricdp.columns.distinct import different

    return different(x, x.row) if x.engine is None else len(x.occurrences()[0])


def instances() -> Iterable[Instance]:
    for kind in ("int", "str"):
        for metric in PRIVATE_SIZE:
            yield Instance({"x": Records(Scalar("Data", kind=kind), metric)})
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(Scalar("Data", kind="int"), metric, num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Rows of new values are added; rows that were equal become different."""
    space = instance.private["x"]
    assert isinstance(space, Records) and isinstance(space.row, Scalar)
    text = space.row.kind == "str"
    new: list[Any] = ["a", "b", "ab"][:d] if text else list(range(1, d + 1))
    if space.size is None:
        return {"x": []}, {"x": new}
    return {"x": [0] * 4}, {"x": new + [0] * (4 - d)}
