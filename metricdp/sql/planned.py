"""What is asked of a table, its budget divided and its programs written."""

from __future__ import annotations

from collections.abc import Sequence

from metricdp.sql.budgets import (
    budget_of,
    is_count_of_keys,
    require_findable,
    require_gaussian,
    split,
)
from metricdp.sql.parts import GroupKey, Output
from metricdp.sql.plan import Asking, Finish, Lowered, Options
from metricdp.sql.program import Names
from metricdp.sql.tables import SqlTable
from metricdp.sql.writer import Writer


def planned(
    asked: Asking, table: SqlTable, names: Names, where: str, groups: Sequence[GroupKey],
    columns: Sequence[tuple[str, GroupKey | None]], outputs: Sequence[Output],
    limits: tuple[int | None, int | None], finish: Finish, notes: Sequence[str], options: Options,
) -> Lowered:  # fmt: skip
    """The programs that ask it.

    Args:
        names: of its tables, and how the rows that are asked are made of them.
        where: what rows are asked for.
        columns: of the answer, each with its group where it is one.
        limits: groups of a person, and rows of a person in each.

    Raises:
        SqlError, ParameterError: a budget, or keys, that mean nothing.
    """
    most, rows = limits
    unit, amount, delta = budget_of(asked, options, groups)
    private = [group for group in groups if group.keys is None]
    if private:
        require_findable(asked, groups, private[0], unit, delta)
    counted = [o for o in outputs if private and is_count_of_keys(o, table, most, rows)]
    drawn = [o for o in outputs if o not in counted]
    shares, of_keys, said = split(asked, drawn, counted, bool(private), options, table, most)
    if unit == "rho":
        require_gaussian(asked, drawn)
    keys = main = None
    if private:
        writer = Writer(table, names, asked.text, where, groups, most, False)
        writer.tables_rows = (rows or 1,)
        keys = writer.keys_program(of_keys)
    if drawn:
        writer = Writer(table, names, asked.text, where, groups, most, unit == "rho")
        main = writer.program(drawn, shares, notes)
    return Lowered(
        tuple(name for name, _ in columns),
        tuple("" if group is None else group.value.code for _, group in columns),
        tuple(outputs), tuple(groups), main, keys, (unit, amount), delta,
        tuple(o.name for o in counted), finish, said, most,
    )  # fmt: skip
