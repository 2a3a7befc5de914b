"""Arrays as long as a table that are not to be held in memory: in files without a name.

A file is made in the system's directory for temporary files (`tempfile.gettempdir`, so TMPDIR
chooses it), for its owner alone.  It has no name from the beginning where the system can do that,
and loses it right after it was opened elsewhere; so it ends with the array, or with the process,
whatever ends that.  Arrays are memory maps of such files: pages that were read may be dropped by
the system, and are read again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from io import BytesIO
from mmap import ACCESS_READ, ACCESS_WRITE, mmap
from tempfile import TemporaryFile
from typing import Any, Final

import numpy as np

#: Bytes of all columns of a table that come in chunks, from which on they are written to files.
IN_MEMORY: Final = 1 << 26
#: Bytes that are written, and rows that are read again, at once.
_BUFFER, _ROWS = 1 << 18, 1 << 16
#: Bytes of an array that is in memory, whatever it is made for.
_SHORT = 1 << 20


class _Pages(mmap):
    """A memory map of our own: where columns lie in one, what is made as long as they are does."""


class Growing:
    """An array that gets longer: in memory at first, in a file when it is told to.

    Args:
        dtype: of numbers or Booleans, in the byte order of the machine.
        width: numbers of a row, of an array of two dimensions; None of one of one.
    """

    __slots__ = ("_file", "_rows", "dtype", "width")

    def __init__(self, dtype: Any, width: int | None = None) -> None:
        self.dtype, self.width = np.dtype(dtype), width
        self._file: Any = BytesIO()
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def nbytes(self) -> int:
        """Bytes that are in memory."""
        return self._file.tell() if isinstance(self._file, BytesIO) else 0

    def add(self, rows: Any) -> None:
        """Put rows at the end; each is read once.

        Raises:
            OSError: there is no room in the file.
        """
        own = np.ascontiguousarray(rows, self.dtype)
        if own.size:
            self._file.write(own.reshape(-1).view(np.uint8).data)
        self._rows += len(own)

    def to_file(self) -> None:
        """Go on in a file.

        Raises:
            OSError: no file can be made, or there is no room in it.
        """
        if isinstance(self._file, BytesIO):
            held, self._file = self._file, _file()
            with held.getbuffer() as written:
                self._file.write(written)

    def widened(self, dtype: Any, convert: Any) -> Growing:
        """The same rows as entries of another type; this one is used up.

        Args:
            convert: makes some rows rows of that type.

        Raises:
            OSError: as for `add`.
        """
        made = Growing(dtype, self.width)
        try:
            if not isinstance(self._file, BytesIO):
                made.to_file()
            old = self.finished()
            for start in range(0, len(old), _ROWS):
                made.add(convert(old[start : start + _ROWS]))
        except BaseException:
            made.close()
            raise
        return made

    def finished(self) -> Any:
        """The array; nothing is added any more.

        Raises:
            OSError: the file cannot be read.
        """
        held, self._file = self._file, None
        shape = (self._rows,) if self.width is None else (self._rows, self.width)
        if isinstance(held, BytesIO):
            return np.frombuffer(held.getbuffer(), self.dtype).reshape(shape)
        with held:
            held.flush()
            if not held.tell():
                return np.empty(shape, self.dtype)
            pages = _Pages(held.fileno(), 0, access=ACCESS_READ)
        return np.frombuffer(pages, self.dtype).reshape(shape)

    def close(self) -> None:
        """Give memory and file back."""
        held, self._file = self._file, None
        if held is not None:
            # What is still to be written has no room, if that is why it is closed.
            with suppress(OSError):
                held.close()


def _file() -> Any:
    return TemporaryFile(buffering=_BUFFER, prefix="metricdp-")


def lies_in_file(array: Any) -> bool:
    """Whether an array is part of one that was made here in a file."""
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, memoryview) and isinstance(array.obj, _Pages)


def room(rows: int, dtype: Any, in_file: bool) -> Any:
    """An array to be filled, in memory or in a file.

    Where there is no room in a file, it is in memory, too: what was released is not lost for that.
    """
    kind = np.dtype(dtype)
    if not in_file or rows * kind.itemsize <= _SHORT:
        return np.empty(rows, kind)
    try:
        with _file() as file:
            _reserve(file, rows * kind.itemsize)
            return np.frombuffer(_Pages(file.fileno(), 0, access=ACCESS_WRITE), kind)
    except OSError:
        return np.empty(rows, kind)


def _reserve(file: Any, size: int) -> None:
    """Have room for so many bytes: a page of a map for which there is none ends the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    zeros = bytes(_BUFFER)
    for start in range(0, size, _BUFFER):
        file.write(zeros[: size - start])
    file.flush()
