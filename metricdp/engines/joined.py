"""Rows of two tables side by side, on the engine that holds both: what `columns.joins` makes.

One query joins the tables by their ids, and its lines become a table of the engine's own.  Texts
meet where they have the same characters, whatever collation holds; nobody's id is missing.  What is
missing in a row without a partner is some public value of its kind, and a column says so.

One connection has to reach the rows of both tables: files are read by any, and a table that was
made in one connection is there in that one alone.  Where only the first rows of each key are
joined, they are found there as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from metricdp.columns.language import Node
from metricdp.engines.dialect import NOTHING, Dialect, NoForm, encoded
from metricdp.engines.expressions import Expressions
from metricdp.engines.persons import kept
from metricdp.engines.sources import DuckRelation, EngineSource, Files, Made, lying
from metricdp.engines.spark_frames import SparkFrame

#: How rows are joined -> the word for it.
_WORDS: Final = {"inner": "JOIN", "left": "LEFT JOIN", "semi": "SEMI JOIN", "anti": "ANTI JOIN"}
#: The column that says whether a row has a partner.
THERE: Final = "there"


class TableSide(NamedTuple):
    """One of two tables.

    Attributes:
        columns, source: where its rows lie.
        test: which rows count; None for all.
        owner: whose row it is.
        most: how many rows of an owner are joined, the first ones; None for all.
        fields: by which the rows of an owner are put in order.
    """

    columns: Sequence[Any]
    source: EngineSource
    test: Node | None
    owner: Node
    most: int | None = None
    fields: Sequence[Any] = ()


def joined(first: TableSide, second: TableSide, how: str) -> EngineSource:
    """The rows of both tables, with the clean columns c0, c1, ... of the first one and then of the
    second; in a left join with `THERE` besides.  Semi and anti joins have those of the first one.

    Raises:
        NoForm: a condition has no form in SQL, no connection reaches both tables, or their keys are
            of two kinds.
        EngineError: see `EngineSource`.
    """
    if first.owner.base != second.owner.base:
        raise NoForm("a join of keys of two kinds")
    home = _home(first.source, second.source)
    sql = home.dialect
    sources = first.source, second.source
    for source in sources:
        source.plan("SELECT 1")  # which tells of a file that changed
    first, second = _first_rows(first, home), _first_rows(second, home)
    some, others = len(first.columns), len(second.columns)
    names = [f"c{at}" for at in range(some)]
    left, right = _lines(first, 0, "k0"), _lines(second, some, "k1")
    on = " = ".join(_told_apart(sql, first.owner, key) for key in ("mine.k0", "its.k1"))
    if how in ("inner", "left"):
        names += [f"c{at}" for at in range(some, some + others)]
    selected = list(names)
    if how == "left":
        for at, column in enumerate(second.columns, some):
            found = f"coalesce(c{at}, {_nothing(sql, column)})"
            found = sql.collated(found) if column.base == "text" else found
            selected[at] = f"{found} AS c{at}"
        selected.append(f"its.k1 IS NOT NULL AS {THERE}")
        names.append(THERE)
    text = (
        f"SELECT {', '.join(selected)} FROM ({left}) AS mine {_WORDS[how]} ({right}) AS its ON {on}"
    )
    made = home.kept(text, names)
    for source in sources:
        source.plan("SELECT 1")
    return made


def public_rows(
    of: EngineSource, columns: Sequence[Sequence[Any]]
) -> tuple[EngineSource, list[tuple[str, str]]]:
    """A public table beside the rows of a source; the base and the expression of each column.

    Args:
        columns: each of whole numbers of 64 bits, of texts or of truth values.

    Raises:
        NoForm: a text that no text of an engine equals.
    """
    bases = {bool: "boolean", int: "integer", str: "text"}
    held = [(f"p{at}", values, bases[type(values[0])]) for at, values in enumerate(columns)]
    for _, values, base in held:
        if base == "text":
            encoded("".join(values))
    texts = [f"CAST({n} AS BIGINT)" if base == "integer" else n for n, _, base in held]
    source = Made(of, of.dialect.small_table(held), dict.fromkeys((n for n, _, _ in held), "made"))
    return source, [*zip((base for _, _, base in held), texts, strict=True)]


def _first_rows(side: TableSide, home: EngineSource) -> TableSide:
    """A table of the rows that are joined.

    Raises:
        NoForm: see `joined`.
    """
    if side.most is None:
        return side
    source = side.source
    if _root(source) is not _root(home) and isinstance(lying(source), Files):
        source = Made(home, source.rows, source.schema, (source,))
    first = kept(
        side.columns, source, side.test, [side.owner], side.fields, None, side.most, once=True
    )
    columns = [column.held(at) for at, column in enumerate(side.columns)]
    return TableSide(columns, first, None, side.owner)


def _lines(side: TableSide, start: int, key: str) -> str:
    """The query of one table: its columns from a number on, and its ids.

    Raises:
        NoForm: see `joined`.
    """
    nodes = [side.owner] if side.test is None else [side.owner, side.test]
    made = Expressions(side.columns, side.source, nodes)
    held = [f"{column.clean} AS c{at}" for at, column in enumerate(side.columns, start)]
    where = "" if side.test is None else f" WHERE {made.of(side.test)}"
    selected = ", ".join([*held, f"{made.of(side.owner)} AS {key}"])
    return f"SELECT {selected} FROM {made.source()}{where}"


def _told_apart(sql: Dialect, owner: Node, key: str) -> str:
    return sql.collated(key) if owner.base == "text" else key


def _home(first: EngineSource, second: EngineSource) -> EngineSource:
    """Who reaches the rows of both.

    Raises:
        NoForm: nobody does.
    """
    for home, other in ((first, second), (second, first)):
        if _reaches(home, other):
            return home
    raise NoForm("rows of two tables, side by side, that lie in two places")


def _reaches(home: EngineSource, other: EngineSource) -> bool:
    """Whether what another source says behind FROM means the same rows here."""
    mine, its, other = _root(home), _root(other), lying(other)
    if mine is its:
        return True
    if isinstance(mine, SparkFrame) and isinstance(its, SparkFrame):
        return mine.asked_with(its)
    if not (isinstance(mine, Files | DuckRelation) and isinstance(its, Files | DuckRelation)):
        return False
    if isinstance(other, Files):
        return True
    if not other.rows.isidentifier():
        return False
    # Names of such tables are given once in a process.
    named = f"SELECT count(*) FROM duckdb_tables() WHERE table_name = '{other.rows}'"
    ((found,),) = home.ask(named)
    return bool(found)


def place_of(source: EngineSource) -> str:
    """Where rows lie: all files are one place, and every copy in a connection one of its own."""
    found = lying(source)
    return "files" if isinstance(found, Files) else found.rows


def _root(source: EngineSource) -> EngineSource:
    return _root(source.of) if isinstance(source, Made) else source


def _nothing(sql: Dialect, column: Any) -> str:
    """What a column holds where there is no row: a value within its ends."""
    if column.bottom is None or column.top is None:
        return NOTHING[column.base]
    value = min(max(0, column.bottom), column.top)
    return sql.double(float(value)) if column.base == "double" else sql.whole(int(value))
