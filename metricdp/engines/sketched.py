"""A table of which only the columns are known: what an engine would be asked is written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from metricdp.engines.dialect import Dialect
from metricdp.engines.duckdb_sql import MOMENT, DuckDB
from metricdp.engines.sources import EngineSource, Made
from metricdp.engines.spark_sql import Spark
from metricdp.errors import InternalError

#: Engine -> kind of a field -> the type of a column that holds it as it is.
_TYPES: Final = {
    "DuckDB": {"int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN", "str": "VARCHAR",
               "date": "DATE", "datetime": "TIMESTAMP", "instant": MOMENT},
    "Spark": {"int": "bigint", "float": "double", "bool": "boolean", "str": "string",
              "date": "date", "datetime": "timestamp_ntz", "instant": "timestamp"},
}  # fmt: skip
#: How a statement begins whose lines are kept; Spark remembers them under this name.
_KEPT: Final = {"DuckDB": "CREATE TEMP TABLE ", "Spark": "CREATE TEMP VIEW "}
#: Engines whose SQL is known.
ENGINES: Final = tuple(_TYPES)


def dialect(engine: str) -> Dialect:
    """How an engine writes; small tables are named, as Spark holds them."""
    return DuckDB() if engine == "DuckDB" else Spark(lambda columns, rows: "values_held_here")


class SketchedTable:
    """Rows that nobody has, under the name of a parameter; see `sources.EngineSource`.

    It is asked in a rehearsal only, and answers as a table without rows.

    Args:
        engine: one of `ENGINES`.
        name: of the parameter.
        kinds: name of a column -> kind of its field.
        statements: what the engine would be asked is added to these, in order.
    """

    texts = False

    def __init__(
        self, engine: str, name: str, kinds: dict[str, str], statements: list[str]
    ) -> None:
        self.engine, self.name, self._statements = engine, name, statements
        self.dialect = dialect(engine)
        self.rows = name
        self.schema = {column: _TYPES[engine][kind] for column, kind in kinds.items()}
        self.passed: set[str] = set()

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """One line of zeros: nothing is missing, and nothing is wrong with a cell."""
        self._statements.append(text)
        return [(0,) * (1 + 3 * len(self.schema))]

    def arrays(self, text: str, count: int) -> list[Any]:
        """Raises:
        InternalError: there are no rows to read.
        """
        raise InternalError("a table without rows was read", place=self.name)

    def plan(self, text: str) -> None:
        """Write a query down."""
        if text != "SELECT 1":  # which asks whether a file is still the same
            self._statements.append(text)

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """These rows."""
        return self

    def kept(self, text: str, columns: Sequence[str], once: bool = False) -> EngineSource:
        """The lines of a query, as the table that a run makes of them."""
        if once and self.engine == "Spark":
            return Made(self, f"({text})", dict.fromkeys(columns, "made"))
        number = sum(each.startswith(tuple(_KEPT.values())) for each in self._statements) + 1
        self._statements.append(f"{_KEPT[self.engine]}kept_{number} AS {text}")
        return Made(self, f"kept_{number}", dict.fromkeys(columns, "made"))

    def known_full(self, columns: Sequence[str]) -> set[str]:
        """None: a file may say so, and then it is not asked."""
        return set()


def sketches(
    engine: str, kinds: Mapping[str, dict[str, str]], statements: list[str]
) -> list[EngineSource]:
    """Tables side by side, by name: files, which one DuckDB reads, or data frames of one Spark.

    Args:
        kinds: name of a table -> name of a column -> kind of its field.
    """
    made = [SketchedTable(engine, name, columns, statements) for name, columns in kinds.items()]
    return [Made(made[0], each.rows, each.schema) for each in made]
