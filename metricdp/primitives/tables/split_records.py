"""split_records: every line cut into cells at a separator, spaces around them left out.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
Tight: add a line, or replace it.
Source: rules of tables, row-wise maps; OpenDP make_split_records.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._columns import column, replaced, row_by_row, tables
from metricdp.primitives.tables._named import written
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Scalar
from metricdp.spaces.texts import Cells

example = "lines: dp.Records[str] = ['1, Rome', '2, Oslo']; dp.split_records(lines, ',')"

spelling = Spelling(opendp=("make_split_records",))

_EXAMPLE = 'dp.split_records(lines, ",")'


def rule(x: Arg, separator: Arg) -> Conclusion:
    """A table with one column of texts; a separator that is not empty."""
    space, inner, missing = column(x, "split_records")
    if missing or inner.kind != "str":
        raise refuse(
            "unsupported-call",
            f"`split_records` cuts texts, and the rows of {x.text} are none",
            need="Records[str]",
            help=_EXAMPLE,
        )
    if not written(separator, "split_records", _EXAMPLE):
        raise refuse("wrong-arguments", "the separator is empty", need="a separator", help=_EXAMPLE)
    return row_by_row(space, Cells())


def run(x: Any, separator: Any) -> list[tuple[str, ...]]:
    """The cells of each line."""
    return [tuple(cell.strip() for cell in line.split(separator)) for line in x]


def instances() -> Iterable[Instance]:
    for _, space in tables(Scalar("Data", kind="str")):
        yield Instance({"x": space}, {"separator": "b"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Lines of different cells."""
    return replaced(instance.private["x"], "1", "2b3", d)
