"""Tables of other libraries that hand their rows over in batches: Ibis, data sets of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from metricdp.engines.sources import DuckRelation, EngineSource, connected, with_columns
from metricdp.errors import EngineError


class FrameLibrary(NamedTuple):
    """How a library hands over the rows of a table.

    Attributes:
        name: what a message calls such a table.
        schema: its schema, as Arrow says it.
        batches: some of its columns, as a table of Arrow or a reader of batches.
    """

    name: str
    schema: Callable[[Any], Any]
    batches: Callable[[Any, Sequence[str]], Any]


def _of_ibis(table: Any, names: Sequence[str]) -> Any:
    chosen = table.select(*names)
    # In batches, Ibis 12 asks DuckDB 2 for what it has no more.
    if table.get_backend().name == "duckdb":
        return chosen.to_pyarrow()
    return chosen.to_pyarrow_batches()


#: (module that begins so, class) -> library; of a subclass, the first of its bases that is here.
_LIBRARIES: Final = {
    ("ibis.expr.types", "Table"): FrameLibrary(
        "a table of Ibis",
        lambda table: table.schema().to_pyarrow(),
        _of_ibis,
    ),
    ("pyarrow._dataset", "Dataset"): FrameLibrary(
        "a data set of Arrow",
        lambda table: table.schema,
        lambda table, names: table.scanner(columns=list(names)).to_reader(),
    ),
}


def library_of(kind: type) -> FrameLibrary | None:
    """The library of a class of tables that are read in batches, which is not imported for that."""
    for base in kind.__mro__:
        for (module, name), library in _LIBRARIES.items():
            if base.__name__ == name and f"{base.__module__}.".startswith(f"{module}."):
                return library
    return None


class Batches(DuckRelation):
    """A table of another library, whose declared columns are copied once into a DuckDB of ours.

    The library, and the database behind it, are asked once for all rows: a query that is asked
    again may find others.  What of the copy does not fit into memory is spilled by DuckDB.

    Args:
        library: where the table is from.
        table: a table of Ibis, of whatever backend; a `pyarrow.dataset.Dataset`.

    Raises:
        EngineError: names of columns that are the same, or a library that failed.
        MissingExtraError: DuckDB is not installed.
    """

    def __init__(self, library: FrameLibrary, table: Any) -> None:
        self.name = library.name
        self._connection, self._library, self._table = connected(), library, table
        schema = self._answer(lambda: library.schema(table))
        # A table without rows tells how DuckDB names the types; queries are planned on it.
        super().__init__(self._connection.from_arrow(schema.empty_table()))

    def settled(self, columns: Sequence[str]) -> EngineSource:
        """Some columns of the rows, copied the first time."""
        if self._copy is None:
            batches = self._answer(lambda: self._library.batches(self._table, columns))
            read = DuckRelation(self._connection.from_arrow(batches))
            read.name = self.name
            self._copy = read.copied(columns)
        return with_columns(self._copy, columns, "table")

    def _answer(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Exception as error:
            kind = type(error).__name__
        raise EngineError(
            f"its library failed ({kind})",
            place=self.name,
            remedy="look at the table with that library; what it says may hold private values",
        )
