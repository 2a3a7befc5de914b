"""Tables on an engine beside the same rows in memory, for laws of engines.

The engine is DuckDB; the suite of Spark puts another one in its place (`tests/spark/conftest.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import duckdb
import numpy as np
from column_graphs import INTEGERS, RAW, bits, evaluated_by, shown

from metricdp.audit.values import plain
from metricdp.columns.grids import Bound
from metricdp.columns.language import Node
from metricdp.columns.reference import ReferencePlan
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.engines.dialect import Dialect, NoForm
from metricdp.engines.duckdb_sql import DuckDB
from metricdp.engines.expressions import Expressions
from metricdp.engines.rows import EngineColumn, EngineColumns

#: What a text of a row may be: quotes, what SQL means something by, characters of several kinds.
TEXTS = (
    "", "a", "A", " a ", "a ", "b7", "7", "10", "long text, long text", "it's", 'say "x"', "NULL",
    "--", ";", "\\", "a%", "a_", "a\nb", "a\x00b", "\x00", "\x1f0\x1d", "\x1f", "\u00e9",
    "e\u0301", "ß", "İ", "ǆ", "ﬁ", "😀", "👨‍👩‍👧", "\ufeffx", "\U0010ffff",
)  # fmt: skip


@cache
def connected() -> Any:
    """One connection for all tables: opening one takes longer than most of these tests."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1; SET enable_progress_bar = false")
    return connection


class Asked:
    """A source that is one table of a connection.

    Args:
        held: name of a column -> its values, in an array.
        bases: name of a column -> its base.
    """

    name, engine, rows = "a table", "DuckDB", "engine_rows"
    dialect: Dialect = DuckDB()

    def __init__(self, held: dict[str, Any], bases: dict[str, str]) -> None:
        self.connection, self.schema = connected(), dict.fromkeys(held, "")
        self.connection.register("given", held)
        kinds = {"double": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN", "text": "VARCHAR"}
        typed = ", ".join(
            f'CAST("{name}" AS {kinds[base]}) AS "{name}"' for name, base in bases.items()
        )
        self.connection.execute(f"CREATE OR REPLACE TABLE engine_rows AS SELECT {typed} FROM given")

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.connection.execute(text).fetchall()
        return found


class Both:
    """Rows on an engine, and in memory: one such table at a time.

    Args:
        data: name of a column -> its base, its values, and its ends or None.

    Attributes:
        engine: makes a table on it; see `Asked`.
    """

    engine: Any = Asked

    def __init__(self, data: dict[str, tuple[str, Sequence[Any], Any]]) -> None:
        self.count = len(next(iter(data.values()))[1])
        dtypes = {"double": float, "integer": np.int64, "boolean": bool, "text": object}
        held = {name: np.array(list(v), dtypes[base]) for name, (base, v, _) in data.items()}
        bases = {"place": "integer"} | {name: base for name, (base, _, _) in data.items()}
        self.source = type(self).engine({"place": np.arange(self.count), **held}, bases)
        self.columns, self.stored, sql = [], [], self.source.dialect
        for name, (base, values, ends) in data.items():
            low, high = ends or (None, None)
            self.columns.append(EngineColumn(sql, base, sql.name(name), low, high))
            array = Texts.of(list(values)) if base == "text" else held[name]
            self.stored.append(Stored(base, array, low, high))
        self.leaves = [column.node(at) for at, column in enumerate(self.columns)]

    def formed(self, nodes: Sequence[Node]) -> list[Node]:
        """Those that have a form."""
        return [node for node in nodes if node.width is None and not self.refusal(node)]

    def refusal(self, node: Node) -> str:
        """What of a node has no form."""
        try:
            Expressions(self.columns, self.source, [node]).of(node)
        except NoForm as error:
            return error.what
        return ""

    def values(self, nodes: Sequence[Node]) -> list[tuple[Any, ...]]:
        """What the engine gives for each row."""
        made = Expressions(self.columns, self.source, nodes)
        listed = ", ".join(["place", *map(made.of, nodes)])
        found = self.source.ask(f"SELECT {listed} FROM {made.source()} ORDER BY place")
        assert [line[0] for line in found] == list(range(self.count))
        return [line[1:] for line in found]

    def expected(self, nodes: Sequence[Node]) -> list[list[Any]]:
        """What the reference gives for each row."""
        plan = ReferencePlan(nodes)
        return [
            plan.run(lambda at, row=row: self.stored[at].cell(row)) for row in range(self.count)
        ]

    def differences(self, nodes: Sequence[Node]) -> list[str]:
        """Nodes of which the two have different values."""
        found = []
        if not nodes:
            return []
        for place, (mine, its) in enumerate(
            zip(self.values(nodes), self.expected(nodes), strict=True)
        ):
            found += [
                f"row {place}, {shown(node)}: {a!r}, not {b!r}"
                for node, a, b in zip(nodes, mine, its, strict=True)
                if bits(a) != bits(b)
            ]
        return found[:5]

    def tables(self) -> tuple[Table, Table]:
        """The rows on the engine, and those in memory."""
        row = tuple(self.leaves)
        columns = EngineColumns.of(self.source, self.columns)
        return Table(columns, row), Table(tuple(self.stored), row)

    def summed(self, node: Node, bound: Bound) -> bool:
        """Whether a sum has a form."""
        try:
            Expressions(self.columns, self.source, [node]).steps(node, bound)
        except NoForm:
            return False
        return True

    def sums_agree(self, given: Sequence[tuple[Node, Bound]]) -> int:
        """For how many sums there is a form, and they are those of the reference."""
        mine, its = self.tables()
        asked = [each for each in given if self.summed(*each)]
        found = [plain(x) for x in mine.totals(asked)] if asked else []
        with evaluated_by("reference"):
            expected = [plain(x) for x in its.totals(asked)]
        wrong = [
            (shown(node), bound, a, b)
            for (node, bound), a, b in zip(asked, found, expected, strict=True)
            if a != b
        ]
        assert not wrong, wrong[0]
        return len(asked)


def random_rows(random: Random, rows: int) -> Both:
    """Two columns each of doubles, of integers and of texts, one of Booleans."""

    def some(kinds: Sequence[Any]) -> list[Any]:
        return [random.choice(kinds) for _ in range(rows)]

    near = [random.uniform(-4, 4) for _ in range(50)]
    return Both(
        {
            "double": ("double", some((*RAW, -0.0, *near)), None),
            "moved": ("double", some((*RAW, *near)), (-50.0, 50.0)),
            "whole": ("integer", some(INTEGERS), None),
            "small": ("integer", some(range(-3, 4)), (-3, 3)),
            "marked": ("boolean", some((False, True)), None),
            "text": ("text", some(TEXTS), None),
            "other": ("text", some(TEXTS), None),
        }
    )
