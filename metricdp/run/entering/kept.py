"""Columns that come chunk by chunk: kept in memory while they are short, and in files from then on.

What is written are the values as they came, of one type per column, and of texts a code for each
row; they are cleaned when they are read, as all columns are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np

from metricdp.columns.chunked import Chunked
from metricdp.columns.files import IN_MEMORY, Growing
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.errors import InternalError, StorageError


class Kept:
    """The columns of a table that is made of several.

    Args:
        name: the parameter, for messages.
        first: the first table, whose rows all others have.
    """

    def __init__(self, name: str, first: Table) -> None:
        self._name, self._first = name, first
        self._columns = [_Column(column) for column in first.columns]
        self._in_files = False

    def __enter__(self) -> Kept:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for column in self._columns:
            column.rows.close()

    def add(self, table: Table) -> None:
        """The rows of one table more, which is read once.

        Raises:
            StorageError: there is no room for them.
        """
        with self._stored():
            for column, more in zip(self._columns, table.columns, strict=True):
                column.add(more)
            if not self._in_files:
                self._in_files = sum(column.rows.nbytes for column in self._columns) > IN_MEMORY
                for column in self._columns if self._in_files else ():
                    column.rows.to_file()

    def table(self) -> Table:
        """All rows.

        Raises:
            StorageError: the files cannot be read.
        """
        with self._stored():
            columns = tuple(column.finished() for column in self._columns)
        return Table(columns, self._first.row, value=self._first.value)

    @contextmanager
    def _stored(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                f"columns of an iterator are kept in temporary files, and there is no room for "
                f"them ({error.strerror})",
                place=self._name,
                remedy="set TMPDIR to a directory on a disk with room for all columns that are "
                f"declared; it is {_directory()}",
            ) from None


def _directory() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "none now"


class _Column:
    """One column that gets longer.

    Attributes:
        rows: what is held of it.
    """

    def __init__(self, first: Stored) -> None:
        self._first = first
        self._places: dict[str, int] = {}
        kind = np.dtype(np.int32) if first.base == "text" else _native(first.data.dtype)
        self.rows = Growing(kind, first.width)

    def add(self, more: Stored) -> None:
        """The rows of another column of the kind."""
        if more.base != self._first.base:
            raise InternalError(f"a column of {more.base} where {self._first.base} is kept")
        if more.base == "text":
            self._add_texts(more.data)
            return
        kind, new = self.rows.dtype, _native(more.data.dtype)
        if kind.hasobject or new.hasobject:
            raise InternalError("a column of Python's objects")
        if more.base == "integer" and kind != new:
            # Of signed and unsigned integers NumPy would make doubles.
            self._widen(np.dtype(np.int64), self._whole)
            self._append(more.piece(slice(None)))
            return
        self._widen(np.result_type(kind, new), lambda rows: rows)
        self._append(more.data)

    def _whole(self, rows: Any) -> Any:
        return Stored("integer", rows, self._first.bottom, self._first.top).piece(slice(None))

    def _add_texts(self, texts: Texts) -> None:
        codes = texts.placed(self._places)
        self._widen(codes.dtype, lambda rows: rows)
        self.rows.add(codes)

    def _widen(self, kind: Any, convert: Any) -> None:
        if kind != self.rows.dtype:
            self.rows = self.rows.widened(kind, convert)

    def _append(self, data: Any) -> None:
        for part in data.parts if isinstance(data, Chunked) else (data,):
            self.rows.add(part)

    def finished(self) -> Stored:
        """The whole column."""
        data = self.rows.finished()
        if self._first.base == "text":
            data = Texts(data, [*self._places])
        return Stored(self._first.base, data, self._first.bottom, self._first.top)


def _native(kind: Any) -> Any:
    return kind.newbyteorder("=")
