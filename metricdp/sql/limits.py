"""Whose rows they are, and how many of one person count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metricdp.errors import ParameterError, SqlError
from metricdp.sql.parsed import Query
from metricdp.sql.parts import GroupKey, Output
from metricdp.sql.plan import Asking, Options, exact, whole
from metricdp.sql.tables import SqlTable

#: Groups by several columns of tables with ids: each is checked by itself.
SEVERAL = 200


def with_clause(query: Query, options: Options) -> Options:
    """Options with those of BigQuery's clause, which may not say something else."""
    said = query.clause.options
    changes: dict[str, Any] = {}
    for name, own in (
        ("epsilon", "epsilon"), ("delta", "delta"), ("max_groups_contributed", "max_groups"),
        ("max_rows_contributed", "max_rows"),
    ):  # fmt: skip
        if name not in said:
            continue
        text = said[name]
        value: Any = int(text) if own.startswith("max") and text.isdecimal() else text
        given = getattr(options, own)
        if given is not None and exact(given, own) != exact(value, own):
            _at_option(query, name, f"{own} is {given} beside the query, and {text} in it", "one")
        changes[own] = value
    return replace(options, **changes)


def _at_option(query: Query, name: str, fact: str, remedy: str) -> None:
    start, end = query.clause.places[name]
    raise SqlError(fact, query.text, start, end, remedy=remedy)


def require_unit(query: Query, table: SqlTable) -> None:
    """The clause says whose rows they are as the table does."""
    said = query.clause.options
    column = said.get("privacy_unit_column")
    if query.clause.present and column is None and table.unit:
        return
    if column is not None and column.lower() != table.unit.lower():
        owner = table.unit or "no column"
        _at_option(
            query,
            "privacy_unit_column",
            f"the table says that {owner} tells persons apart, and not {column}",
            f'declare the table as dp.Records[Row, dp.Ids("{column}")]; --unit {column}',
        )
    strategy = said.get("group_selection_strategy", "LAPLACE_THRESHOLD").upper()
    if strategy not in ("LAPLACE_THRESHOLD", "PUBLIC_GROUPS"):
        _at_option(query, "group_selection_strategy", f"there is no strategy {strategy}",
                   "LAPLACE_THRESHOLD or PUBLIC_GROUPS")  # fmt: skip


def limits_of(
    query: Asking, table: SqlTable, groups: Sequence[GroupKey], options: Options
) -> tuple[int | None, int | None]:
    """How many groups of a person, where they are bounded by groups; and how many rows."""
    most, rows = whole(options.max_groups, "max_groups"), whole(options.max_rows, "max_rows")
    if not table.unit:
        if query.clause.present or (most, rows) == (None, None):
            return None, None
        raise ParameterError(
            "every row is another person, who has no other rows", place="max_rows",
            remedy='leave it out, or declare the table with dp.Ids("person")',
        )  # fmt: skip
    if not groups:
        return None, rows
    clause = query.grouping
    if not all(group.value.column for group in groups):
        if most is not None:
            query.fail(
                clause,
                "groups of a person are bounded by columns, and this is an expression",
                "max_rows alone, all rows of a person; or groups by a column",
            )
        return None, rows
    if most is None:
        query.fail(
            clause,
            "one person may be in any number of groups",
            "max_groups=3",
            "--max-groups 3, OPTIONS(max_groups_contributed = 3)",
        )
    number = 1
    for group in groups:
        number *= most if group.keys is None else len(group.keys)
    if len(groups) > 1 and number > SEVERAL:
        query.fail(
            clause,
            f"more than {SEVERAL} groups by several columns, of which a person has few",
            "fewer keys, or one column",
        )
    return min(most, number), rows


def require_rows(
    query: Asking, table: SqlTable, outputs: Sequence[Output], by_columns: bool
) -> None:  # fmt: skip
    for output in outputs:
        for part in output.parts:
            if "False" in part.tests:
                query.fail(part.node, "no row counts here", "a condition that some row may meet")
            free = part.kind in ("persons", "person sum")
            if free and not by_columns:
                query.fail(part.node, "persons of groups that are no columns",
                           "groups by a column")  # fmt: skip
            if table.unit and not free and part.rows is None:
                query.fail(
                    part.node, "one person may have any number of rows",
                    "max_rows=5", f"--max-rows 5; COUNT(DISTINCT {table.unit}) counts persons; "
                    "contribution_bounds_per_group => (0, 20)",
                )  # fmt: skip
