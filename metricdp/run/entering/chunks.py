"""Records in chunks, as an iterator gives them: each is read once, and its columns are kept.

They are kept because a run learns what is asked of the rows only when it is asked, one statistic
after the other, and noise is drawn between: a second one would find no rows left.  Columns that
are longer than some public size are kept in files, so memory does not grow with the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any

from metricdp.columns.progress import Work
from metricdp.columns.table import Table
from metricdp.errors import SchemaError
from metricdp.plain import note_read
from metricdp.run.entering.kept import Kept
from metricdp.run.entering.sequences import article, is_column, is_frame
from metricdp.values import ExactVector, NumberRows


def in_chunks(name: str, chunks: Iterator[Any], read: Callable[[Any], Any]) -> Any:
    """The rows of all chunks.

    The iterator may give the same array again with other content, so every chunk is copied.

    Args:
        read: admits the rows of one chunk.

    Raises:
        SchemaError: what it gives are no containers of rows, or rows of unequal width.
        StorageError: columns that are written to files, and no room for them.
    """
    note_read(chunks)
    # How many rows are left of a chunk may be private.
    with Work(f"{name}, chunks read") as work:
        parts = _read(name, chunks, read, work)
        first = next(parts, None)
        if first is None:
            return read([])
        parts = chain([first], parts)
        if not isinstance(first, Table):
            return _joined(name, list(parts))
        with Kept(name, first) as kept:
            for part in parts:
                if part.columns[0].width != first.columns[0].width:
                    raise _unequal(name)
                kept.add(part)
            return kept.table()


def _read(
    name: str, chunks: Iterator[Any], read: Callable[[Any], Any], work: Work
) -> Iterator[Any]:
    for chunk in chunks:
        work.step()
        if isinstance(chunk, Mapping) and chunk and all(map(_is_cell, chunk.values())):
            raise SchemaError(
                f"{article(chunks)} of single records where chunks of rows are needed",
                place=name,
                remedy="pass a list of the records, or an iterator of lists or data frames",
            )
        if not _holds_rows(chunk):
            raise SchemaError(
                f"{article(chunks)} where a sequence is needed, and {article(chunk)} in it where "
                "a chunk of rows is needed",
                place=name,
                remedy="pass a list, or an iterator of chunks: lists, arrays or data frames",
            )
        yield read(chunk)


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, str | bytes | int | float | date)


def _holds_rows(chunk: Any) -> bool:
    if isinstance(chunk, list | tuple | Mapping) or is_column(chunk) or is_frame(chunk):
        return True
    return hasattr(chunk, "dtype") and getattr(chunk, "ndim", 0) > 0


def _joined(name: str, parts: Sequence[Any]) -> Any:
    """Rows that are no columns, in one list."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if len({getattr(part, "cols", None) for part in parts}) > 1:
        raise _unequal(name)
    rows = [row for part in parts for row in part]
    if isinstance(first, NumberRows):
        return NumberRows(rows, first.cols)
    return ExactVector(rows) if isinstance(first, ExactVector) else rows


def _unequal(name: str) -> SchemaError:
    return SchemaError(
        "chunks of unequal width", place=name, remedy="give every chunk the same columns"
    )
