"""count_by: how many rows there are of each value, as a dictionary; values that no row has are not
in it.

Stability.  A row added or removed moves one count by 1: k rows move at most k keys, by at most k in
all, and by k at once when they are equal: 1 in L0, L1, L2 and LInf.  A replaced row (change-one,
Hamming) leaves one count and enters another: 2 keys, 2 in L1, sqrt(2) in L2, 1 in LInf, times k for
k rows.  Per unit of distance the three norms of a triple move by at most those numbers, so
the triple with `per` = (1, 1, 1), or (2, 2, 1), moves by d_in.
Tight: add rows, distinct for L0, equal for L2 and LInf; turn rows of one value into another.
The keys are sorted, so that the order of the rows is not seen.
Source: folklore; Bun, Nissim, Stemmer 2016 (stability-based histograms); OpenDP make_count_by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ZERO, D, num
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Keyed, Moment, Records, Row, Scalar, Space
from metricdp.spaces.keyed import TRIPLES, in_order
from metricdp.spaces.metrics import PUBLIC_SIZE
from metricdp.spaces.norms import NORMS

example = "towns: dp.Records[str] = ['Rome', 'Oslo', 'Rome']; dp.count_by(towns)"

spelling = Spelling(opendp=("make_count_by",))


def rule(x: Arg) -> Conclusion:
    """A table with one column of any metric."""
    space = x.space
    if not isinstance(space, Records) or not isinstance(space.row, Scalar):
        raise refuse(
            "unsupported-call",
            f"`count_by` counts the rows of a table by their value, and {x.text} has no such rows",
            need="a Records argument with one value per row",
            help=_help(space, x.text),
        )
    rows = space.row_metric.moved()
    each = {"L0": rows, **{name: norm.of_ones(rows) for name, norm in NORMS.items()}}
    counts = Scalar("Int", ZERO, INF if space.size is None else space.size)
    per = (each["L0"], each["L1"], each["LInf"])
    moves = {(ONE_METRIC, norm): bound * D for norm, bound in each.items()}
    moves.update({(ONE_METRIC, triple): D for triple in TRIPLES})
    return Conclusion(Keyed(space.row, counts, "L01Inf", per), {"x": moves})


def _help(space: Space | None, table: str) -> str:
    """Tuples and dates are compared with public keys; of other rows one column is counted."""
    row = space.row if isinstance(space, Records) else None
    if isinstance(row, Moment) or (isinstance(row, Row) and row.kind == "tuple"):
        return f"[sum(1 for row in {table} if row == key) for key in KEYS]"
    return f"dp.count_by([row.field for row in {table}])"


def run(x: Any) -> dict[Any, int]:
    """The counts, keys sorted, numbers before text."""
    return in_order(Counter(x))


def tabular(x: Any) -> dict[Any, int]:
    """The same counts, found in arrays."""
    rows, counts = x.occurrences()
    found = in_order(dict(zip(rows, counts.tolist(), strict=True)))
    if rows and isinstance(rows[0], str | bool):
        return found
    return {x.value(row): count for row, count in found.items()}


def instances() -> Iterable[Instance]:
    for kind in ("int", "str", "bool"):
        yield Instance({"x": Records(Scalar("Data", kind=kind))})
    row = Scalar("Data", kind="int")
    yield Instance({"x": Records(row, "InsertDelete")})
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(row, metric, num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Equal rows are added, or turned into another value."""
    space = instance.private["x"]
    assert isinstance(space, Records) and isinstance(space.row, Scalar)
    pairs: dict[str, tuple[Any, Any]] = {"str": ("a", "b"), "int": (0, 1), "bool": (False, True)}
    a, b = pairs[space.row.kind]
    if space.size is None:
        return {"x": []}, {"x": [b] * d}
    return {"x": [a] * 4}, {"x": [b] * d + [a] * (4 - d)}
