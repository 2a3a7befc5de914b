"""What a query may name: tables, their columns, and whose rows they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from metricdp.errors import SpaceError
from metricdp.spaces import Moment, Owned, Records, Row, Scalar
from metricdp.spaces.missing import Maybe
from metricdp.spaces.moments import FIELDS

#: Kinds of a column, as a row type writes them.
KINDS = ("int", "float", "bool", "str", "date", "datetime")


@dataclass(frozen=True)
class SqlColumn:
    """A column.

    Attributes:
        name: what a row of the program calls it.
        kind: one of `KINDS`.
        missing: whether it may be NULL.
        said: what the query calls it, where that is another name.
        owners: the tables of the query, in small letters, whose names may stand before it.
        alone: whether it may stand without the name of a table.
        value: what it is in a row, where it is more than a field.
        zone: of a datetime, the zone whose clock shows it; "" for none.
    """

    name: str
    kind: str
    missing: bool = False
    said: str = ""
    owners: tuple[str, ...] = ()
    alone: bool = True
    value: Any = None
    zone: str = ""

    @property
    def called(self) -> str:
        """What the query calls it."""
        return self.said or self.name


@dataclass(frozen=True)
class SqlTable:
    """A table that a query may name.

    Attributes:
        unit: the column that tells persons apart; "" where every row is another person.
        row: name of the row type.
        items: whether rows are dictionaries (`row["plan"]`) or objects (`row.plan`).
        ids: the metric as a program writes it; "" where every row is another person.
        whose, key: what an id tells apart, and what kind of value it is.
    """

    name: str
    columns: tuple[SqlColumn, ...]
    unit: str = ""
    row: str = "Row"
    items: bool = False
    ids: str = ""
    whose: str = ""
    key: str = ""

    def named(self, name: str, quoted: bool = False, owner: str = "") -> SqlColumn | None:
        """The column of this name; names without quotes are found in small and large letters.

        Args:
            owner: the table before whose name it stands; "" for none.
        """
        mine = [each for each in self.columns if _may_stand(each, owner.lower())]
        exact = [each for each in mine if each.called == name]
        if exact or quoted:
            return exact[0] if len(exact) == 1 else None
        found = [each for each in mine if each.called.lower() == name.lower()]
        return found[0] if len(found) == 1 else None


def _may_stand(column: SqlColumn, owner: str) -> bool:
    if not owner:
        return column.alone
    return owner in column.owners


def is_plain_name(name: str) -> bool:
    """Whether a name can be written into a program as it is."""
    return name.isidentifier() and name.isascii() and not iskeyword(name) and name[:2] != "__"


def table_of(name: str, space: Any) -> SqlTable:
    """The table that a space declares.

    Raises:
        SpaceError: another space than `Records[Row]` or `Records[Row, Ids(column)]` under which
            rows or persons are added or removed.
    """
    usual = isinstance(space, Owned) and not space.replaces
    usual = usual or (isinstance(space, Records) and space.metric == "Symmetric")
    if not usual or not isinstance(space.row, Row) or space.row.kind == "tuple":
        raise SpaceError(
            f"{space.describe()} is no table that a query can name", place=name,
            remedy='declare dp.Records[Row] or dp.Records[Row, dp.Ids("person")], Row a dataclass '
            "or a TypedDict",
        )  # fmt: skip
    if isinstance(space, Owned) and space.day:
        raise SpaceError(
            f"one unit is {space.unit}, and queries are about whole persons", place=name,
            remedy="write the program by hand",
        )  # fmt: skip
    row = space.row
    columns = [_column(n, field) for n, field in zip(row.names, row.fields, strict=True)]
    if not isinstance(space, Owned):
        return SqlTable(name, tuple(columns), "", row.name, row.kind == "items")
    return SqlTable(
        name, tuple(columns), space.column, row.name, row.kind == "items", space.ids, space.whose,
        space.kind,
    )  # fmt: skip


def _column(name: str, field: Any) -> SqlColumn:
    if not is_plain_name(name):
        raise SpaceError(f"{name!a} is no name that a query can write", place=ascii(name),
                         remedy="rename this column: letters of ASCII, digits and _")  # fmt: skip
    inner = field.inner if isinstance(field, Maybe) else field
    kind = inner.kind if isinstance(inner, Scalar | Moment) else ""
    if kind not in KINDS or (isinstance(inner, Moment) and kind not in FIELDS):
        raise SpaceError(
            f"the column {name} holds {inner}, which no query here reads", place=name,
            remedy=f"declare it as one of {', '.join(KINDS)}",
        )  # fmt: skip
    zone = inner.zone if isinstance(inner, Moment) else ""
    return SqlColumn(name, kind, isinstance(field, Maybe), zone=zone)


def names(columns: Iterable[SqlColumn]) -> str:
    """The names of columns, for a message."""
    return ", ".join(each.called for each in columns)
