"""What a caller may pass as a table on an engine."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from metricdp.engines.sources import DuckRelation, EngineSource, Files, names_a_file
from metricdp.engines.spark_frames import SparkFrame, comes_from_spark
from metricdp.engines.streams import Batches, library_of


def opened(value: Any) -> EngineSource | None:
    """What a caller passes as a source; None of anything else.

    Raises:
        EngineError: no such file, or none that can be read; a data frame of another kind of Spark;
            a library that failed.
        MissingExtraError: DuckDB is not installed.
    """
    if isinstance(value, str | Path):
        return Files(value)
    if type(value).__name__ == "DuckDBPyRelation":
        return DuckRelation(value)
    if comes_from_spark(type(value)):
        return SparkFrame(value)
    library = library_of(type(value))
    return None if library is None else Batches(library, value)


def lies_elsewhere(value: Any) -> bool:
    """Whether a value that is passed for a table is one on an engine, or the name of a file."""
    if isinstance(value, str):
        return names_a_file(value)  # any other text is none of ours to show
    return _all_lie_elsewhere(type(value))  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def _all_lie_elsewhere(kind: Any) -> bool:
    """Whether all values of a class lie on an engine, or name a file."""
    return (
        issubclass(kind, os.PathLike)
        or kind.__name__ == "DuckDBPyRelation"
        or comes_from_spark(kind)
        or library_of(kind) is not None
    )
