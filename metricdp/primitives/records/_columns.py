"""What maps of one column of a table share: which columns they take, the pair that is tight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from metricdp.expr import D, num
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import Maybe, Moment, Records, Scalar, Space
from metricdp.spaces.metrics import ROW_METRICS

#: Number of rows in instances whose metric keeps it.
SIZE = 4


def column(x: Arg, verb: str) -> tuple[Records, Scalar, bool]:
    """The table, the space of a row that is there, and whether rows may be missing.

    Raises:
        Refusal: no table, or rows of several fields, or of dates.
    """
    space, inner, missing = column_of_any(x, verb)
    if isinstance(inner, Moment):
        raise refuse(
            "unsupported-call",
            f"`{verb}` has no rule for dates and times, and the rows of {x.text} are some",
            need="numbers, texts or truth values",
            help=f"dp.{verb}([row.year for row in {x.text}], ...)",
        )
    return space, inner, missing


def column_of_any(x: Arg, verb: str) -> tuple[Records, Scalar | Moment, bool]:
    """As `column`, and of dates and times, too."""
    space = x.space
    if isinstance(space, Records) and isinstance(space.row, Maybe):
        return space, space.row.inner, True
    if isinstance(space, Records) and isinstance(space.row, Scalar | Moment):
        return space, space.row, False
    raise refuse(
        "unsupported-call",
        f"`{verb}` goes through a table with one column, and {x.text} is none",
        need="a Records argument whose rows are single values",
        help=f"dp.{verb}([row.field for row in {x.text}], ...)",
    )


def row_by_row(space: Records, row: Any) -> Conclusion:
    """Conclusion of a deterministic function of one row: equal rows stay equal, so 1."""
    result = msgspec.structs.replace(space, row=row, drop_nan=False)
    return Conclusion(result, {"x": scalar_moves(D)})


def public_literal(value: Arg, verb: str, example: str) -> Any:
    """A public argument as the Python value that the program or the caller wrote.

    Raises:
        Refusal: private, released or not known when checking.
    """
    written = value.literal
    if written is None and value.value is not None:
        written = value.value.as_fraction()
    if value.private or value.released or written is None:
        raise refuse(
            "private-argument",
            f"`{verb}` needs {value.text} to be written out where it is called",
            need="a public constant",
            help=example,
        )
    return written


def tables(row: Any) -> Iterator[tuple[str, Records]]:
    """A table of such rows under every metric, of SIZE rows where the metric keeps them."""
    for name, metric in ROW_METRICS.items():
        yield name, Records(row, name, num(SIZE) if metric.public_size() else None)


def replaced(space: Space, a: Any, b: Any, d: int) -> Witness:
    """Tables at distance d: rows `b` added, or `a` replaced by `b`."""
    assert isinstance(space, Records)
    if not space.row_metric.replaces:
        return {"x": [a]}, {"x": [a] + [b] * d}
    return {"x": [a] * SIZE}, {"x": [b] * d + [a] * (SIZE - d)}


def two(instance: Instance) -> tuple[Any, Any]:
    """Two different values of the rows of an instance, of which neither is missing."""
    space = instance.private["x"]
    assert isinstance(space, Records)
    inner = space.row.inner if isinstance(space.row, Maybe) else space.row
    if isinstance(inner, Moment):
        return inner.extremes()[0], inner.extremes()[1]
    assert isinstance(inner, Scalar)
    return {"str": ("1", "2"), "bool": (True, False)}.get(inner.kind, (1, 2))
