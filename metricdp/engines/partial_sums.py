"""What the rows of everybody add up to, on an engine: the same numbers that `columns.owners` makes.

Integers are added exactly.  Doubles are added exactly and rounded once (`exact_sums`); groups of
which a number is too large or too fine for that are added in Python, number by number, and come
back as a small table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from metricdp.columns.language import Node
from metricdp.columns.owners import rounded_once
from metricdp.engines.dialect import NoForm
from metricdp.engines.exact_sums import ODD, PARTS, in_parts, put_together, totals
from metricdp.engines.expressions import StoredColumn
from metricdp.engines.persons import KeptRows
from metricdp.engines.sources import EngineSource, answered

#: Whole numbers below this size, and sums of 2**41 of them.
_WHOLE: Final = 2.0**83
_SUMS: Final = 2.0**124


def summed(
    columns: Sequence[StoredColumn],
    source: EngineSource,
    test: Node | None,
    owners: Sequence[Any],
    number: Node,
    groups: int | None = None,
) -> tuple[EngineSource, list[list[str]], float]:
    """What a number of every row adds up to in each group.

    Args:
        columns, source: of the table.
        test: which rows count; None for all.
        owners: whose row it is, and then by what rows are grouped.
        number: of every row; no text.
        groups: how many groups of an owner are kept; None for all.

    Returns:
        The groups, whose column `number` is the sum; the names of the columns of each of `owners`;
        and a bound on the size of the sums.

    Raises:
        NoForm: a field, or the number, has no form in SQL.
        Untraceable: an owner that is no single value.
        EngineError: the engine failed.
    """
    rows, sql = KeptRows(columns, source, test, owners, number=number), source.dialect
    if number.base == "double":
        in_groups = rows.grouped(in_parts(sql, rows.every, "number"), totals(sql))
        most = inf
    else:
        if number.base == "integer" and not number.most < _WHOLE:
            raise NoForm("sums of whole numbers that may have more than 83 bits")
        whole = "CASE WHEN number THEN 1 ELSE 0 END" if number.base == "boolean" else "number"
        size = 1.0 if number.base == "boolean" else number.most
        in_groups = rows.grouped(rows.every, [f"{sql.total(whole, int(size) + 1)} AS number"])
        most = min(size * 2.0**41, _SUMS)
    names = [*rows.same, "number"]
    made = _rounded if number.base == "double" else _as_they_are
    if groups is None:
        return made(source, rows, names, f"(SELECT * FROM {in_groups.rows})"), rows.keys, most
    with_many, first = rows.first_groups(in_groups, groups)  # tables: there until the end
    text = (
        f"(SELECT * FROM {in_groups.rows} {rows.without(with_many)} "
        f"UNION ALL SELECT * FROM {first.rows})"
    )
    return made(source, rows, names, text), rows.keys, most


def _as_they_are(
    source: EngineSource, rows: KeptRows, names: Sequence[str], text: str
) -> EngineSource:
    return source.kept(f"SELECT {', '.join(names)} FROM {text}", names)


def _rounded(source: EngineSource, rows: KeptRows, names: Sequence[str], text: str) -> EngineSource:
    """Groups with the sums of their doubles.

    Args:
        text: the query of groups with the sums of the parts of these.
    """
    sql, same = source.dialect, ", ".join(rows.same)
    named = ", ".join([same, *PARTS, ODD])
    ((several,),) = answered(source, f"SELECT count(*) FROM {text} WHERE {ODD} = 1", [(0,)])
    together, number = put_together(sql, f"(SELECT {named} FROM {text} WHERE {ODD} = 0)")
    found = f"SELECT {same}, {number} AS number FROM {together}"
    if not several:
        return source.kept(found, names)
    odd = source.kept(
        f"SELECT {same}, row_number() OVER (ORDER BY {same}) AS place FROM {text} WHERE {ODD} = 1",
        [*rows.same, "place"],
    )
    numbers: dict[int, list[float]] = defaultdict(list)
    asked = f"SELECT place, number FROM {rows.every} JOIN {odd.rows} AS odd USING ({same})"
    for place, each in source.ask(asked):
        numbers[int(place)].append(each)
    sums = [rounded_once(each) + 0.0 for each in numbers.values()]
    small = sql.small_table([("place", [*numbers], "integer"), ("number", sums, "double")])
    added = f"SELECT {same}, number FROM {odd.rows} JOIN {small} AS sums USING (place)"
    return source.kept(f"{found} UNION ALL {added}", names)
