"""A table that was opened: where its rows lie, and whether they are brought here."""

from __future__ import annotations

import os
from typing import Any

from metricdp.engines.openers import opened
from metricdp.engines.sources import EngineSource, Files
from metricdp.errors import SchemaError


class OpenTable:
    """A table on an engine, to be passed to checked functions for `Records`.

    Attributes:
        source: who is asked.
        collect: whether its columns are read into memory.
    """

    def __init__(self, source: EngineSource, collect: bool = False) -> None:
        self.source, self.collect = source, collect

    def __deepcopy__(self, memo: Any) -> OpenTable:
        return self  # who holds it asks the same source

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}: {told}" for name, told in self.source.schema.items())
        return f"table({self.source.name!r}, {columns})"


def table(source: str | os.PathLike[str] | Any, *, collect: bool = False) -> OpenTable:
    """Open a table where it lies: its rows are not read, the engine answers for them.

    Args:
        source: a path to a Parquet or CSV file (`.parquet`, `.csv`, `.csv.gz`, `.tsv`), a pattern
            of such files (`"visits-*.parquet"`), a relation of DuckDB, or a data frame of Spark 4
            (of Spark Connect from PySpark 4.3 on).  Each may also be passed to a checked function
            as it is.  A list of paths and patterns is one table of all their files; elsewhere a
            list of texts is a column of texts.  A CSV file has UTF-8 texts, names in its first
            line, one of , ; tab | between cells and " around cells that hold one; a line that is
            written in another way is an error.  Several files have the same columns, and folders
            are no columns.  The columns of a relation or a data frame that the program declares are
            copied once, into a temporary table of the relation's connection or to the workers of
            Spark's cluster, so that all that is asked is asked of the same rows.
        collect: read the columns that the program declares into memory.  Programs run on them as
            on arrays, also those with operations that have no form on the engine.

    Returns:
        What a checked function takes for `Records[Row]`; `repr` has the columns and their types.

    Raises:
        EngineError: there is no such file, or it cannot be read.
        MissingExtraError: DuckDB is not installed (`pip install 'metricdp[tables]'`).
        SchemaError: something that is no table.
    """
    if isinstance(source, OpenTable):
        return OpenTable(source.source, collect)
    several: Any = source if isinstance(source, list | tuple) else ()
    if several and all(isinstance(path, str | os.PathLike) for path in several):
        return OpenTable(Files(*several), collect)
    found = opened(source)
    if found is None:
        raise SchemaError(
            f"a {type(source).__name__} that is no table on an engine",
            remedy="pass a path to Parquet or CSV files, a relation of DuckDB or a data frame of "
            "Spark; pass arrays and other data frames to the checked function as they are",
        )
    return OpenTable(found, collect)
