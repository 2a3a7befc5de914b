"""The clauses of one SELECT, each given to whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from metricdp.errors import ParameterError, SqlError
from metricdp.sql.aggregates import AggregateReader
from metricdp.sql.finishing import finish_of
from metricdp.sql.groups import groups_of
from metricdp.sql.limits import limits_of, require_rows, require_unit, with_clause
from metricdp.sql.parsed import Query
from metricdp.sql.parts import GroupKey, Output
from metricdp.sql.plan import Lowered, Options
from metricdp.sql.planned import planned
from metricdp.sql.rows import RowReader
from metricdp.sql.scopes import Scopes

_READ = (
    "expressions", "from_", "joins", "with_", "where", "group", "having", "order", "limit",
    "offset",
)  # fmt: skip
#: What a SELECT may have beside these -> the words to point at, and what to write.
_REFUSED = {
    "distinct": ("DISTINCT", "GROUP BY"),
    "qualify": ("QUALIFY", "HAVING"),
    "windows": ("WINDOW", "GROUP BY"),
    "into": ("INTO", "SELECT alone: answers are returned"),
    "laterals": ("LATERAL UNNEST", "one table"),
    "sample": ("TABLESAMPLE SAMPLE", "dp.sample in a program, which is charged for"),
    "locks": ("FOR", "SELECT alone"),
}


def read(query: Query, spaces: Mapping[str, Any], options: Options) -> Lowered:
    """See `lowering.lowered`."""
    for name, part in query.tree.args.items():
        if name in _READ or part is None or part is False or part == []:
            continue
        words, remedy = _REFUSED.get(name, (name.rstrip("_").upper(), "leave this part out"))
        query.fail_at_word(words, f"{words.split()[0]} is not understood", remedy)
    options = with_clause(query, options)
    scopes = Scopes(query, spaces)
    side, test = scopes.outermost()
    table, names = side.table, scopes.names
    require_unit(query, table)
    reader = RowReader(query, table, side.known)
    groups = groups_of(query, reader, options.keys)
    most, rows = limits_of(query, table, groups, options)
    items = _items(query, reader, groups)
    asked = [(node, name) for node, name, group in items if group is None]
    outputs = _outputs(query, reader, asked, options, rows, bool(groups))
    require_rows(query, table, outputs, all(group.value.column for group in groups))
    finish = finish_of(
        query, [(node, name) for node, name, _ in items],
        [name for _, name, group in items if group is not None],
    )  # fmt: skip
    columns = [(name, group) for _, name, group in items]
    return planned(query, table, names, test, groups, columns, outputs, (most, rows), finish,
                   _notes(query), options)  # fmt: skip


# -- outputs ---------------------------------------------------------------------------------


def _items(
    query: Query, reader: RowReader, groups: Sequence[GroupKey]
) -> list[tuple[Any, str, GroupKey | None]]:
    """Expression, name and group of every output."""
    codes = {group.value.code: group for group in groups}
    found: list[tuple[Any, str, GroupKey | None]] = []
    for item in query.tree.expressions:
        node, name = (item.this, str(item.alias)) if isinstance(item, exp.Alias) else (item, "")
        if isinstance(node, exp.Star):
            query.fail(node, "rows are not released", "COUNT(*)")
        group = None
        if node.find(exp.AggFunc) is None and not isinstance(node, exp.Literal):
            value = reader.value(node)
            group = codes.get(value.code)
            if group is None:
                query.fail(node, "neither an aggregate nor in GROUP BY",
                           "an aggregate, or this expression in GROUP BY")  # fmt: skip
            name = name or group.name
        name = name or str(node.sql(comments=False))
        if len(name) > 80 or not name.isprintable():
            query.fail(node, "a name that is long or cannot be seen", "AS total")
        if name.lower() in (each.lower() for _, each, _ in found):
            query.fail(node, f"two outputs are called {name}", "AS another_name")
        found.append((node, name, group))
    return found


def _outputs(
    query: Query, reader: RowReader, asked: Sequence[tuple[Any, str]], options: Options,
    rows: int | None, grouped: bool,
) -> list[Output]:  # fmt: skip
    aggregates = AggregateReader(query, reader, options.bounds, rows, grouped)
    first = [aggregates.output(node, name) for node, name in asked]
    aggregates.sums = {p.key for o in first for p in o.parts if p.kind == "sum" and o.mean is None
                       and o.form == "{0}"}  # fmt: skip
    outputs = [aggregates.output(node, name) for node, name in asked]
    if not outputs:
        query.fail_at_word("SELECT", "nothing is counted or added up", "SELECT COUNT(*) ...")
    for (node, _), output in zip(asked, outputs, strict=True):
        if not output.parts:
            query.fail(node, "an output without an aggregate", "COUNT(*)")
    for bounds in query.clause.bounds:
        if bounds not in aggregates.used:
            raise SqlError(f"{bounds.name} of no aggregate that has bounds", query.text,
                           bounds.start, bounds.end, remedy="leave them out")  # fmt: skip
    used = {name.lower() for name in options.bounds}
    unknown = used - {column.name.lower() for column in reader.table.columns}
    if unknown:
        raise ParameterError(f"{reader.table.name} has no column {min(unknown)}", place="bounds")
    return outputs


def _notes(query: Query) -> list[str]:
    clauses = [w for w in ("having", "order", "limit", "offset") if query.tree.args.get(w)]
    words = [{"order": "ORDER BY"}.get(each, each.upper()) for each in clauses]
    return [f"{', '.join(words)}: done to what is released"] if words else []
