"""find_bin: the number of public edges at or below each row, which is the bin that it falls into.

Bin 0 lies below the first edge, bin i holds edge i - 1 and what follows it.
Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
Tight: rows of one bin are added, or take the place of rows of another.
Source: rules of tables, row-wise maps; OpenDP make_find_bin.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from metricdp.expr import num
from metricdp.primitives.records._columns import (
    column,
    public_literal,
    replaced,
    row_by_row,
    tables,
)
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Scalar

example = "visits: dp.Records[float] = [3.0, 12.0]; dp.find_bin(visits, (5, 10))"

spelling = Spelling(opendp=("make_find_bin",))

_EXAMPLE = "dp.find_bin(x, [0, 10, 20])"


def rule(x: Arg, edges: Arg) -> Conclusion:
    """A table with one column of numbers that are there; public edges that rise."""
    space, inner, missing = column(x, "find_bin")
    if missing or inner.kind not in ("float", "int"):
        raise refuse(
            "unsupported-call",
            f"`find_bin` needs a number in every row, and {x.text} has others",
            need="a column of numbers, none of them missing",
            help="dp.find_bin(dp.impute(x, 0), edges)",
        )
    given = public_literal(edges, "find_bin", _EXAMPLE)
    if not isinstance(given, list | tuple) or not _rising(given):
        raise refuse(
            "wrong-arguments",
            "edges are a list of numbers, each larger than the one before",
            need="public numbers that rise",
            help=_EXAMPLE,
        )
    return row_by_row(space, Scalar("Data", num(0), num(len(given)), "int"))


def _rising(edges: Any) -> bool:
    numbers = all(
        isinstance(e, int | float | Fraction) and not isinstance(e, bool) and e == e for e in edges
    )
    return numbers and all(a < b for a, b in pairwise(edges))


def run(x: Any, edges: Any) -> list[int]:
    """Number of edges at or below each row."""
    exact = [Fraction(e) for e in edges]
    return [bisect_right(exact, value) for value in x]


def columnar(x: Any, edges: Any) -> Any:
    """The bin of the value of a row."""
    from metricdp.columns.keys import bin_of

    return bin_of(x, [Fraction(e) for e in edges])


def instances() -> Iterable[Instance]:
    for kind in ("float", "int"):
        for _, space in tables(Scalar("Data", kind=kind)):
            yield Instance({"x": space}, {"edges": [0, 1, Fraction(5, 2)]})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows of two bins."""
    return replaced(instance.private["x"], 0, 3, d)
