"""Tables that are declared in words: `CREATE TABLE v (person BIGINT NOT NULL, plan TEXT)`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType
from typing import Any

from metricdp.errors import MissingExtraError, SchemaError, SqlError
from metricdp.spaces import Ids, Records
from metricdp.sql.program import row_type
from metricdp.sql.tables import SqlColumn, SqlTable, is_plain_name

#: Types of SQL -> kinds of a row's field.
_KINDS = {
    "TINYINT": "int", "SMALLINT": "int", "INT": "int", "BIGINT": "int", "DOUBLE": "float",
    "FLOAT": "float", "BOOLEAN": "bool", "TEXT": "str", "VARCHAR": "str", "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIMESTAMPNTZ": "datetime", "DATETIME": "datetime",
}  # fmt: skip


def declared_columns(text: str) -> dict[str, tuple[SqlColumn, ...]]:
    """Table -> columns, of a text of CREATE TABLE statements.

    Raises:
        MissingExtraError: sqlglot is not installed.
        SqlError: another statement, or a column of another type.
    """
    try:
        import sqlglot
        from sqlglot import errors, exp
    except ImportError:
        raise MissingExtraError(
            "declarations in SQL are read by sqlglot", remedy="pip install 'metricdp[sql]'"
        ) from None
    wrong = "CREATE TABLE v (person BIGINT NOT NULL, plan TEXT, visits DOUBLE)"
    try:
        statements = [each for each in sqlglot.parse(text, read="duckdb") if each is not None]
    except errors.SqlglotError:
        raise SqlError("no declarations of tables", text, remedy=wrong) from None
    found: dict[str, tuple[SqlColumn, ...]] = {}
    for each in statements:
        schema = each.this if isinstance(each, exp.Create) else None
        if not isinstance(schema, exp.Schema) or not isinstance(schema.this, exp.Table):
            raise SqlError("only CREATE TABLE is understood here", text, remedy=wrong)
        columns = []
        for column in schema.expressions:
            kind = column.args.get("kind") if isinstance(column, exp.ColumnDef) else None
            name = "" if kind is None else kind.this.name
            if name not in _KINDS or not is_plain_name(column.name):
                start = next((n.meta["start"] for n in column.walk() if "start" in n.meta), 0)
                raise SqlError("a column that no row holds", text, start, start + 1,
                               remedy=f"one of {', '.join(_KINDS)}")  # fmt: skip
            constraints = [c.kind for c in column.args.get("constraints") or ()]
            never = (exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint)
            kept = any(isinstance(c, never) and not c.args.get("allow_null") for c in constraints)
            columns.append(SqlColumn(column.name, _KINDS[name], not kept))
        found[schema.this.name] = tuple(columns)
    return found


def annotation_of(name: str, columns: Iterable[SqlColumn], unit: str) -> Any:
    """The space of a table with these columns.

    Args:
        unit: the column that tells persons apart, which is never missing; "" where every row is
            another person.

    Raises:
        SchemaError: no such column, or none at all.
    """
    own = [replace(c, missing=c.missing and c.name != unit) for c in columns]
    if not own or (unit and unit not in {column.name for column in own}):
        names = ", ".join(column.name for column in own) or "none"
        raise SchemaError(f"{name} has no column {unit or 'that a row holds'}", place=name,
                          remedy=f"its columns: {names}")  # fmt: skip
    table = SqlTable(name, tuple(own), unit)
    module = ModuleType("metricdp_rows")
    source = "\n".join([
        "from dataclasses import dataclass", "from datetime import date, datetime",
        "from typing import Annotated", "import metricdp as dp",
        *row_type(table), "",
    ])  # fmt: skip
    exec(compile(source, "metricdp_rows.py", "exec", dont_inherit=True), module.__dict__)
    row: Any = module.__dict__["Row"]
    of_rows: Any = Records
    return of_rows[row, Ids(unit)] if unit else of_rows[row]
