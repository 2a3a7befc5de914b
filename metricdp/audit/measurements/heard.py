"""What a program shows beside its result: texts that it prints, warnings, lines of a log."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any


class Heard:
    """What was printed, warned and logged since it was last taken."""

    def __init__(self) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self._warned: list[Any] = []
        self._records: list[tuple[str, str]] = []

    @property
    def any(self) -> bool:
        """Whether there is anything to take."""
        return bool(self._out.tell() or self._err.tell() or self._warned or self._records)

    def take(self) -> tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
        """The printed text, the warnings and the lines of the log."""
        found = (
            self._out.getvalue() + self._err.getvalue(),
            tuple((w.category.__name__, str(w.message)) for w in self._warned),
            tuple(self._records),
        )
        for stream in (self._out, self._err):
            stream.seek(0)
            stream.truncate()
        self._warned.clear()
        self._records.clear()
        return found


@contextmanager
def heard() -> Iterator[Heard]:
    """Collect, inside the block, what is printed, warned, and logged at every level that is on."""
    found = Heard()

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found._records.append((record.levelname, record.getMessage()))

    handler, root = Collect(), logging.getLogger()
    with (
        redirect_stdout(found._out),
        redirect_stderr(found._err),
        warnings.catch_warnings(record=True) as warned,
    ):
        found._warned = warned
        warnings.simplefilter("always")
        root.addHandler(handler)
        try:
            yield found
        finally:
            root.removeHandler(handler)
