"""Rows of two tables side by side: their names, and the rows that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from metricdp.record import refuse
from metricdp.spaces import Maybe, Moment, Row, Scalar

#: How a program reads the fields of a row, and their names.
Named = tuple[str, tuple[str, ...]]


def named(row: Any) -> Named:
    """How a program reads the fields of a row, or of the rows of a space, and their names."""
    if isinstance(row, Row):
        return row.kind, row.names
    if isinstance(row, dict):
        return "items", tuple(row)
    return ("attributes", row._fields) if hasattr(row, "_fields") else ("tuple", ())


@cache
def shape(first: Named, second: Named) -> Row:
    """How rows of both tables together are read; without fields or, for tuples, names."""
    (kind, mine), (other, theirs) = first, second
    if kind != other or kind == "tuple":
        return Row((), (), "tuple")
    names = [f"{name}_a" if name in theirs else name for name in mine]
    names += [f"{name}_b" if name in mine else name for name in theirs]
    return Row(tuple(names), (), "joined", kind)


def built(x: Any, y: Any, fields: Sequence[Any]) -> Any:
    """A row of the fields of a row of each table, in their order."""
    return shape(named(x), named(y)).build(fields)


def chosen(first: Named, columns: tuple[str, ...]) -> Named:
    """How columns that are named are read beside rows of the first table: as these are, or by their
    places where places are their names."""
    return ("tuple", ()) if columns[0].isdigit() else (first[0], columns)


def perhaps(field: Scalar | Moment | Maybe) -> Maybe:
    """A field that may be missing."""
    return field if isinstance(field, Maybe) else Maybe(field)


def space_of(
    first: Named, second: Named, fields: Sequence[Scalar | Moment | Maybe], name: str
) -> Row:
    """The space of the rows of both tables together.

    Args:
        first, second: of rows of each table, which may lack fields that do not come along.
        fields: of both.
        name: of the rows, where they are no tuples.

    Raises:
        Refusal: two columns of one name.
    """
    made = shape(first, second)
    if len(set(made.names)) < len(made.names):
        twice = next(name for name in made.names if made.names.count(name) > 1)
        raise refuse(
            "unsupported-call",
            f"two columns of this join would have the name {twice}",
            need="no column `x_a` or `x_b` where both tables have a column `x`",
            help=f"rename {twice} in the table that has it",
        )
    kinds = ", ".join(str(getattr(field, "kind", "") or field) for field in fields)
    names = made.names or tuple(map(str, range(len(fields))))
    return Row(names, tuple(fields), name if made.names else f"tuple[{kinds}]", made.kind)
