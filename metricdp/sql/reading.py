"""The clauses of one SELECT, each given to whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sqlglot import exp

from metricdp.errors import ParameterError, SqlError
from metricdp.sql.aggregates import AggregateReader, Output, Part
from metricdp.sql.finishing import finish_of
from metricdp.sql.groups import Group, groups_of
from metricdp.sql.parsed import Query
from metricdp.sql.plan import Lowered, Options, exact, whole
from metricdp.sql.program import Writer
from metricdp.sql.rows import RowReader
from metricdp.sql.tables import Table, table_of

#: Groups by several columns of tables with ids: each is checked by itself.
SEVERAL = 200
_READ = ("expressions", "from_", "where", "group", "having", "order", "limit", "offset")
#: What a SELECT may have beside these -> the words to point at, and what to write.
_REFUSED = {
    "joins": ("JOIN ,", "one table; dp.join in a program joins two"),
    "distinct": ("DISTINCT", "GROUP BY"),
    "with_": ("WITH", "one SELECT over one table"),
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
    options = _with_clause(query, options)
    table, alias = _table(query, spaces)
    _require_unit(query, table)
    reader = RowReader(query, table, alias)
    where = query.tree.args.get("where")
    test = "True" if where is None else reader.condition(where.this).true
    if test == "False":
        query.fail(where, "no row meets this", "a condition that some row may meet")
    groups = groups_of(query, reader, options.keys)
    most, rows = _limits(query, table, groups, options)
    items = _items(query, reader, groups)
    asked = [(node, name) for node, name, group in items if group is None]
    outputs = _outputs(query, reader, asked, options, rows, bool(groups))
    _require_rows(query, table, outputs, all(group.value.column for group in groups))
    unit, amount, delta = _budget(query, options, groups)
    finish = finish_of(
        query, [(node, name) for node, name, _ in items],
        [name for _, name, group in items if group is not None],
    )  # fmt: skip
    private = [group for group in groups if group.keys is None]
    if private:
        _require_findable(query, groups, private[0], unit, delta)
    counted = [o for o in outputs if private and _is_count_of_keys(o, table, most, rows)]
    drawn = [o for o in outputs if o not in counted]
    shares, of_keys, said = _split(query, drawn, counted, bool(private), options, table, most)
    if unit == "rho":
        _require_gaussian(query, drawn)
    keys = None
    if private:
        writer = Writer(table, query.text, test, groups, most, False)
        writer.tables_rows = (rows or 1,)
        keys = writer.keys_program(of_keys)
    main = None
    if drawn:
        writer = Writer(table, query.text, test, groups, most, unit == "rho")
        main = writer.program(drawn, shares, _notes(query))
    return Lowered(
        table.name,
        tuple(name for _, name, _ in items),
        tuple("" if group is None else group.value.code for _, _, group in items),
        tuple(outputs), groups, main, keys, (unit, amount), delta,
        tuple(o.name for o in counted), finish, said, most,
    )  # fmt: skip


# -- options ---------------------------------------------------------------------------------


def _with_clause(query: Query, options: Options) -> Options:
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
        value: Any = int(text) if own.startswith("max") and text.isdigit() else text
        given = getattr(options, own)
        if given is not None and Fraction(str(given)) != Fraction(str(value)):
            _at_option(query, name, f"{own} is {given} beside the query, and {text} in it", "one")
        changes[own] = value
    return replace(options, **changes)


def _at_option(query: Query, name: str, fact: str, remedy: str) -> None:
    start, end = query.clause.places[name]
    raise SqlError(fact, query.text, start, end, remedy=remedy)


def _require_unit(query: Query, table: Table) -> None:
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


def _table(query: Query, spaces: Mapping[str, Any]) -> tuple[Table, str]:
    clause = query.tree.args.get("from_")
    if clause is None:
        query.fail_at_word("SELECT", "a query without FROM", "SELECT COUNT(*) FROM v")
    node = clause.this
    if isinstance(node, exp.Subquery):
        query.fail(node, "a query inside of FROM", "one SELECT over one table")
    query.only(node, "this", "alias")
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        query.fail(node, "this is no table", f"one of {', '.join(spaces)}")
    found = [name for name in spaces if name == node.name]
    found = found or [name for name in spaces if name.lower() == node.name.lower()]
    if len(found) != 1:
        query.fail(node, f"no table is called {node.name}", f"tables: {', '.join(spaces)}")
    alias = node.args.get("alias")
    if alias is not None:
        query.only(alias, "this")
    return table_of(found[0], spaces[found[0]]), str(node.alias or found[0])


def _limits(
    query: Query, table: Table, groups: Sequence[Group], options: Options
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
    clause = query.tree.args["group"]
    if not all(group.value.column for group in groups):
        if most is not None:
            query.fail(
                clause,
                "groups of a person are bounded by columns, and this is an expression",
                "max_rows alone, all rows of a person; or GROUP BY a column",
            )
        return None, rows
    if most is None:
        query.fail(clause, "one person may be in any number of groups",
                   "max_groups=3, --max-groups 3, OPTIONS(max_groups_contributed = 3)")  # fmt: skip
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


def _require_rows(
    query: Query, table: Table, outputs: Sequence[Output], by_columns: bool
) -> None:  # fmt: skip
    for output in outputs:
        for part in output.parts:
            if "False" in part.tests:
                query.fail(part.node, "no row counts here", "a condition that some row may meet")
            free = part.kind in ("persons", "person sum")
            if free and not by_columns:
                query.fail(part.node, "persons of groups that are no columns",
                           "GROUP BY a column")  # fmt: skip
            if table.unit and not free and part.rows is None:
                query.fail(
                    part.node, "one person may have any number of rows",
                    f"max_rows=5, --max-rows 5; COUNT(DISTINCT {table.unit}) counts persons; "
                    "contribution_bounds_per_group => (0, 20)",
                )  # fmt: skip


# -- outputs ---------------------------------------------------------------------------------


def _items(
    query: Query, reader: RowReader, groups: Sequence[Group]
) -> list[tuple[Any, str, Group | None]]:
    """Expression, name and group of every output."""
    codes = {group.value.code: group for group in groups}
    found: list[tuple[Any, str, Group | None]] = []
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


# -- the budget ------------------------------------------------------------------------------


def _budget(
    query: Query, options: Options, groups: Sequence[Group]
) -> tuple[str, Fraction, Fraction | None]:
    if (options.epsilon is None) == (options.rho is None):
        raise ParameterError("a query needs epsilon or rho", place="sql", remedy="epsilon=1")
    private = any(group.keys is None for group in groups)
    delta = None if options.delta is None else exact(options.delta, "delta")
    if delta is not None and delta >= 1:
        raise ParameterError("delta is below 1", place="delta", remedy="delta=1e-6")
    if not private:
        delta = None
    if options.rho is not None:
        return "rho", exact(options.rho, "rho"), delta
    return "eps", exact(options.epsilon, "epsilon"), delta


def _require_findable(
    query: Query, groups: Sequence[Group], private: Group, unit: str, delta: Fraction | None
) -> None:
    """Private keys are found for one group, with a delta."""
    remedy = f'keys={{"{private.name}": [...]}}, --keys {private.name}=a,b, or WHERE ... IN (...)'
    if len(groups) > 1 or private.value.kind not in ("int", "str"):
        query.fail(private.node, f"the keys of {private.name} are not known", remedy)
    if query.clause.options.get("group_selection_strategy", "").upper() == "PUBLIC_GROUPS":
        query.fail(private.node, "PUBLIC_GROUPS without public keys", remedy)
    if unit == "rho":
        query.fail(private.node, f"the keys of {private.name} are not known, and are found with "
                   "epsilon and delta", remedy)  # fmt: skip
    if delta is None:
        fact = f"the keys of {private.name} are not known, and finding them needs a delta"
        query.fail(private.node, fact, f"delta=1e-6; or {remedy}")


def _is_count_of_keys(
    output: Output, table: Table, most: int | None, rows: int | None
) -> bool:  # fmt: skip
    """Whether the counts by which keys are found are this output."""
    if output.form != "{0}":
        return False
    part = output.parts[0]
    if part.kind == "persons":
        return most is not None
    if part.kind != "count" or part.tests:
        return False
    return not table.unit or part.rows == (rows if most is None else 1)


def _split(
    query: Query, drawn: Sequence[Output], counted: Sequence[Output], private: bool,
    options: Options, table: Table, most: int | None,
) -> tuple[dict[Part, Fraction], Fraction, tuple[str, ...]]:  # fmt: skip
    """Part -> share of the budget that one draw of it has; the share of the keys; words."""
    weights = {name.lower(): exact(value, "shares") for name, value in options.shares.items()}
    known = {output.name.lower() for output in (*drawn, *counted)}
    if weights.keys() - known:
        raise ParameterError(f"no output is called {min(weights.keys() - known)}", place="shares",
                             remedy=f"outputs: {', '.join(sorted(known))}")  # fmt: skip
    parts: dict[Part, Fraction] = {}
    for output in drawn:
        for part in output.parts:
            weight = weights.get(output.name.lower(), Fraction(1))
            parts[part] = max(weight, parts.get(part, Fraction(0)))
    of_keys = Fraction(0)
    if private:
        asked = [weights.get(o.name.lower(), Fraction(1)) for o in counted]
        of_keys = max(asked, default=Fraction(1))
    total = sum(parts.values(), of_keys)
    words = [f"the keys of the groups: {of_keys / total} of the budget"] if private else []
    found: dict[Part, Fraction] = {}
    for part, weight in parts.items():
        free = part.kind == "persons" and not most
        many = 1 if free else (most or 1)
        found[part] = weight / total / many
        names = ", ".join(o.name for o in drawn if part in o.parts)
        each = f", for each of {most} groups of a person {found[part]}" if many > 1 else ""
        words.append(f"{part.kind} for {names}: {weight / total} of the budget{each}")
    return found, of_keys / total, tuple(words)


def _require_gaussian(query: Query, drawn: Sequence[Output]) -> None:
    for output in drawn:
        for part in output.parts:
            if part.kind == "quantile":
                query.fail(part.node, "quantiles are chosen with epsilon, and not with rho",
                           "epsilon=1 in place of rho")  # fmt: skip


def _notes(query: Query) -> list[str]:
    clauses = [w for w in ("having", "order", "limit", "offset") if query.tree.args.get(w)]
    words = [{"order": "ORDER BY"}.get(each, each.upper()) for each in clauses]
    return [f"{', '.join(words)}: done to what is released"] if words else []
