"""Records in chunks, as an iterator gives them: each is read once, and its columns are kept.

They are kept because a run learns what is asked of the rows only when it is asked, one statistic
after the other, and noise is drawn between: a second one would find no rows left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from metricdp.columns.chunked import ENOUGH
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.errors import SchemaError
from metricdp.plain import note_read
from metricdp.run.entering.gaps import end_to_end
from metricdp.run.entering.sequences import article, is_column, is_frame
from metricdp.values import ExactVector, NumberRows


def in_chunks(name: str, chunks: Iterator[Any], read: Callable[[Any], Any]) -> Any:
    """The rows of all chunks.

    The iterator may give the same array again with other content, so every chunk is copied.

    Args:
        read: admits the rows of one chunk.

    Raises:
        SchemaError: what it gives are no containers of rows, or rows of unequal width.
    """
    note_read(chunks)
    parts = list(_longer(name, _read(name, chunks, read)))
    return _joined(name, parts) if parts else read([])


def _read(name: str, chunks: Iterator[Any], read: Callable[[Any], Any]) -> Iterator[Any]:
    for chunk in chunks:
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
        part = read(chunk)
        yield part.owned() if isinstance(part, Table) else part


def _longer(name: str, parts: Iterator[Any]) -> Iterator[Any]:
    """Short tables put together as they come, so that no more than a few are held twice."""
    short: list[Table] = []
    rows = 0
    for part in parts:
        if not isinstance(part, Table):
            yield part
            continue
        short.append(part)
        rows += len(part)
        if rows >= ENOUGH:
            yield _joined(name, short)
            short, rows = [], 0
    if short:
        yield _joined(name, short)


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, str | bytes | int | float | date)


def _holds_rows(chunk: Any) -> bool:
    if isinstance(chunk, list | tuple | Mapping) or is_column(chunk) or is_frame(chunk):
        return True
    return hasattr(chunk, "dtype") and getattr(chunk, "ndim", 0) > 0


def _joined(name: str, parts: Sequence[Any]) -> Any:
    first = parts[0]
    if len(parts) == 1:
        return first
    if len({getattr(part, "cols", None) for part in parts}) > 1:
        raise SchemaError(
            "chunks of unequal width", place=name, remedy="give every chunk the same columns"
        )
    if isinstance(first, Table):
        columns = zip(*(part.columns for part in parts), strict=True)
        return Table(tuple(map(_column, columns)), first.row, value=first.value)
    rows = [row for part in parts for row in part]
    if isinstance(first, NumberRows):
        return NumberRows(rows, first.cols)
    return ExactVector(rows) if isinstance(first, ExactVector) else rows


def _column(parts: tuple[Stored, ...]) -> Stored:
    first = parts[0]
    data = [part.data for part in parts]
    if first.base == "integer" and len({array.dtype for array in data}) > 1:
        # Of signed and unsigned integers NumPy would make doubles.
        data = [part.piece(slice(None)) for part in parts]
    return Stored(first.base, end_to_end(data), first.bottom, first.top)
