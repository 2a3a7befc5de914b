"""Queries in place of a table that have one line for each person: SELECT person, SUM(x) AS s.

What comes back are rows without ids, one of each person: who is added or removed adds or removes
one.  So nothing bounds the rows of a person any more, and nothing has to.
"""

from __future__ import annotations

from typing import Any

from metricdp.sql.having import OfPerson, of_person
from metricdp.sql.joins import JoinSide
from metricdp.sql.parsed import Query
from metricdp.sql.rows import RowReader
from metricdp.sql.tables import SqlColumn, SqlTable
from metricdp.sql.terms import SqlValue

#: Name, expression and what it is, of a number of a person.
Number = tuple[str, Any, OfPerson]


def is_grouped(select: Any) -> bool:
    """Whether a query has a line for each group, or for each different one."""
    return any(select.args.get(name) for name in ("distinct", "group", "having"))


def is_by_person(query: Query, side: JoinSide, select: Any) -> bool:
    """Whether these groups are the persons: GROUP BY person, SELECT DISTINCT person.

    Raises:
        SqlError: a part of GROUP BY or DISTINCT that is not understood.
    """
    distinct, group = select.args.get("distinct"), select.args.get("group")
    if distinct is not None:
        query.only(distinct)
    if group is not None:
        query.only(group, "expressions")
        return len(group.expressions) == 1 and side.is_ids(group.expressions[0])
    items = select.expressions
    return distinct is not None and len(items) == 1 and side.is_ids(items[0].unalias())


def numbers_of(query: Query, reader: RowReader, side: JoinSide, select: Any) -> list[Number]:
    """The numbers of a person in the list of SELECT.

    Raises:
        SqlError: something else beside the ids, or a number without a name of its own.
    """
    found: list[Number] = []
    for item in select.expressions:
        node, said = item.unalias(), str(item.alias)
        if side.is_ids(node):
            continue
        of = of_person(query, reader, node)
        if of is None:
            query.fail(node, "neither the id of a person nor one number of its rows",
                       "SELECT person, SUM(x) AS total ... GROUP BY person")  # fmt: skip
        if not said or said.lower() in (other.lower() for other, _, _ in found):
            query.fail(node, "an expression without a name of its own", "SUM(x) AS total")
        found.append((said, node, of))
    return found


def one_each(
    query: Query, side: JoinSide, select: Any, asked: list[Number]
) -> tuple[SqlTable, str]:
    """The table with a row for each person, and the code that makes it.

    Raises:
        SqlError: several numbers of a person.
    """
    different = {of for _, _, of in asked}
    if len(different) > 1:
        query.fail(select, "several numbers of one person", "one query for each of them")
    of = next(iter(different), OfPerson("", "int"))
    code = f'dp.sum_per_id({side.variable}, "{side.table.unit}", lambda row: {of.code or 1})'
    columns = tuple(
        SqlColumn(said, of.kind, value=SqlValue("row", of.kind, column=said))
        for said, _, _ in asked
    )
    return SqlTable(f"{side.table.name} by {side.table.unit}", columns), code
