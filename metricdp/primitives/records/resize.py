"""resize: a table of exactly `size` rows: rows are dropped, or a constant is appended.

Which rows stay does not depend on their order: the j-th copy of a value v has the key h(v, j), with
h a fixed public hash, and the rows of the `size` smallest keys stay.  Their values look like a
random sample, and the function is deterministic.
Stability.  One row more is one key more, since the copies of a value are numbered: the smallest
keys then lose at most one (pushed out, or a constant) and gain at most one, so a row that is added
or removed replaces at most one row of the result: symmetric to change-one distance, 1.  A row that
is replaced is one key less and one more, and the result changes in at most one row: 1.
Tight: add a row to a table that is too short; replace a row of one that fits.
Source: nesting of the smallest keys; OpenDP make_resize counts the replaced row as 2 (symmetric).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D, compare, maximum, minimum, num
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Record,
    Requirement,
    Spelling,
    refuse,
    register,
    scalar_moves,
)
from metricdp.spaces import Records, Scalar

#: Metrics that do not see the order of rows -> that of the result.
_AFTER = {"Symmetric": "ChangeOne", "ChangeOne": "ChangeOne"}


def rule(x: Arg, size: Arg, constant: Arg) -> Conclusion:
    """A table of one column without order, a public number of rows, a public row."""
    space = x.space
    if not isinstance(space, Records) or space.metric not in _AFTER:
        raise refuse(
            "unsupported-call",
            f"`resize` takes a table whose order is not observed, and {x.text} is none",
            need="Records under the symmetric or the change-one distance",
            help=f"dp.resize({x.text}, size, constant)",
        )
    if not isinstance(space.row, Scalar):
        raise refuse(
            "unsupported-call",
            f"`resize` appends one value, and rows of {x.text} are no single values",
            need="a table with one column",
            help="select the column first",
        )
    if size.value is None or size.private or size.released:
        raise refuse(
            "private-argument",
            "the new number of rows is public",
            need="a public `size`",
            help=f"dp.resize({x.text}, 100, 0)",
        )
    row = with_constant(space.row, constant, f"dp.resize({x.text}, size, 0)")
    result = Records(row, _AFTER[space.metric], size.value)
    known = compare(size.value, ">=", num(1)) is True
    requires = () if known else (_positive(size),)
    return Conclusion(result, {"x": scalar_moves(D)}, requires=requires)


def _positive(size: Arg) -> Requirement:
    assert size.value is not None
    return Requirement(size.value, ">=", num(1), "requirement-fails", f"choose {size.text} >= 1")


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
    broken = row.kind == "int" and isinstance(given, float)
    if value is None or broken or isinstance(given, bool):
        raise _wrong_constant(row, constant, example)
    number = value.as_fraction()
    if row.kind == "int" and number is not None and number.denominator != 1:
        raise _wrong_constant(row, constant, example)
    return msgspec.structs.replace(row, lo=minimum(row.lo, value), hi=maximum(row.hi, value))


def _wrong_constant(row: Scalar, constant: Arg, example: str) -> Exception:
    kind = row.kind or row.element
    return refuse(
        "unsupported-call",
        f"the constant {constant.text} is no row of type {kind}",
        need=f"a constant of type {kind}",
        help=example,
    )


def run(x: Any, size: Any, constant: Any) -> list[Any]:
    """The rows with the smallest keys, in their order, then constants."""
    rows, wanted = list(x), int(size)
    if len(rows) > wanted:
        copies: dict[Any, int] = {}
        keys = []
        for position, value in enumerate(rows):
            copies[value] = copies.get(value, 0) + 1
            keys.append((_key(value, copies[value]), position))
        kept = sorted(position for _, position in sorted(keys)[:wanted])
        rows = [rows[position] for position in kept]
    return rows + [constant] * (wanted - len(rows))


def _key(value: Any, copy: int) -> bytes:
    """A public hash of a value and the number of its copy; equal numbers have one hash."""
    from hashlib import blake2b  # loads OpenSSL: check need not pay for it

    text = value if isinstance(value, str) else str(Fraction(value))
    kind = b"s" if isinstance(value, str) else b"n"
    return blake2b(kind + f"{copy}:{text}".encode(), digest_size=16).digest()


def instances() -> Iterable[Instance]:
    for metric in _AFTER:
        held = num(4) if metric == "ChangeOne" else None
        for kind, lo, hi in (("float", -3, 2), ("int", 0, 5)):
            row = Scalar("Data", num(lo), num(hi), kind)
            for size in (3, 6):
                attained = "attained" if metric == "Symmetric" or size > 3 else "unknown"
                space = Records(row, metric, held)
                yield Instance({"x": space}, {"size": size, "constant": 7}, tight=attained)
    words = Records(Scalar("Data", kind="str"), "Symmetric")
    yield Instance({"x": words}, {"size": 3, "constant": "?"})


def tight(
    instance: Instance, d: int, tol: Fraction
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Rows added to a table that is too short, or replaced in one that keeps all of them."""
    space = instance.private["x"]
    assert isinstance(space, Records) and isinstance(space.row, Scalar)
    one, other = ("a", "b") if space.row.kind == "str" else (0, 1)
    if space.metric == "Symmetric":
        return {"x": []}, {"x": [other] * d}
    return {"x": [one] * 4}, {"x": [other] * d + [one] * (4 - d)}


record = register(
    Record(
        name="resize",
        kind="transformation",
        rule=rule,
        run=run,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(opendp=("make_resize", "make_bounded_resize")),
    )
)
