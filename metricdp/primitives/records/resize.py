"""resize: a table of exactly `size` rows: rows are dropped, or a constant is appended.

Which rows stay does not depend on their order: the j-th copy of a value v has the key h(v, j), with
h a fixed public hash, and the rows of the `size` smallest keys stay.  Their values look like a
random sample, and the function is deterministic.
Stability.  One row more is one key more, since the copies of a value are numbered: the smallest
keys then lose at most one (pushed out, or a constant) and gain at most one, so a row that is added
or removed replaces at most one row of the result: symmetric to change-one distance, 1.  A row that
is replaced is one key less and one more, and the result changes in at most one row: 1.
The order of the result is not promised, so the insert-delete distance, which is at least the
symmetric, and Hamming, at least the change-one, go to change-one distance as well.
Tight: add a row to a table that is too short; replace a row of one that fits.
Source: nesting of the smallest keys; OpenDP make_resize counts the replaced row as 2 (symmetric).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D, compare, maximum, minimum, num
from metricdp.primitives.records._columns import column
from metricdp.primitives.records._keys import public_order, table_order
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Maybe, Records, Scalar
from metricdp.spaces.metrics import PUBLIC_SIZE, ROW_METRICS

example = "visits: dp.Records[float] = [3.0, 4.0]; dp.resize(visits, 3, 0.0)"

__all__ = ["with_constant"]

spelling = Spelling(opendp=("make_resize", "make_bounded_resize"))


def rule(x: Arg, size: Arg, constant: Arg) -> Conclusion:
    """A table with one column, a public number of rows, a public row to fill up with."""
    _, inner, missing = column(x, "resize")
    if size.value is None or size.private or size.released:
        raise refuse(
            "private-argument",
            "the new number of rows is public",
            need="a public `size`",
            help=f"dp.resize({x.text}, 100, 0)",
        )
    row = with_constant(inner, constant, f"dp.resize({x.text}, size, 0)")
    result = Records(Maybe(row) if missing else row, "ChangeOne", size.value)
    known = compare(size.value, ">=", num(1)) is True
    requires = () if known else (_positive(size),)
    return Conclusion(result, {"x": scalar_moves(D)}, requires=requires)


def _positive(size: Arg) -> Requirement:
    assert size.value is not None
    return Requirement(size.value, ">=", num(1), "requirement-fails", f"choose {size.chosen} >= 1")


def with_constant(row: Scalar, constant: Arg, example: str) -> Scalar:
    """The row's space, widened to hold a public constant; `example` is a right call."""
    if constant.private or constant.released:
        raise refuse(
            "private-argument", "the constant is public", need="a public `constant`", help=example
        )
    given = constant.literal
    if row.kind in ("str", "bool"):
        if isinstance(given, str if row.kind == "str" else bool):
            return row
        raise _wrong_constant(row, constant, example)
    value = constant.value
    if value is None or isinstance(given, bool):
        raise _wrong_constant(row, constant, example)
    if row.kind == "int" and not value.is_integer():
        raise _wrong_constant(row, constant, example)
    return msgspec.structs.replace(row, lo=minimum(row.lo, value), hi=maximum(row.hi, value))


def _wrong_constant(row: Scalar, constant: Arg, example: str) -> Exception:
    kind = row.kind or row.element
    return refuse(
        "unsupported-call",
        f"the constant {constant.text} is no row of type {kind}",
        need=f"a constant of type {kind}, written out",
        help=example.replace(", 0)", ', "none")') if kind == "str" else example,
    )


def run(x: Any, size: Any, constant: Any) -> list[Any]:
    """The rows with the smallest keys, in their order, then constants."""
    rows, wanted = list(x), int(size)
    if len(rows) > wanted:
        rows = [rows[position] for position in sorted(public_order(rows)[:wanted])]
    return rows + [constant] * (wanted - len(rows))


def tabular(x: Any, size: Any, constant: Any) -> Any:
    """A table: of its rows those that stay, or with constants after them."""
    import numpy as np

    wanted, rows = int(size), len(x)
    if rows == wanted:
        return x
    if rows > wanted:
        return x.taken(np.sort(table_order(x)[:wanted]))
    return x.followed_by(constant, wanted - rows)


def instances() -> Iterable[Instance]:
    for metric in ROW_METRICS:
        held = num(4) if metric in PUBLIC_SIZE else None
        for kind, lo, hi in (("float", -3, 2), ("int", 0, 5)):
            row = Scalar("Data", num(lo), num(hi), kind)
            for size in (3, 6):
                attained = "attained" if held is None or size > 3 else "unknown"
                space = Records(row, metric, held)
                yield Instance({"x": space}, {"size": size, "constant": 7}, tight=attained)
    words = Records(Scalar("Data", kind="str"), "Symmetric")
    yield Instance({"x": words}, {"size": 3, "constant": "?"})
    gaps = Records(Maybe(Scalar("Data", kind="float")), "Symmetric")
    yield Instance({"x": gaps}, {"size": 3, "constant": 0})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows added to a table that is too short, or replaced in one that keeps all of them."""
    space = instance.private["x"]
    assert isinstance(space, Records)
    text = isinstance(space.row, Scalar) and space.row.kind == "str"
    one, other = ("a", "b") if text else (0, 1)
    if space.size is None:
        return {"x": []}, {"x": [other] * d}
    return {"x": [one] * 4}, {"x": [other] * d + [one] * (4 - d)}
