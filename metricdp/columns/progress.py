"""How far a long run is, on one line of a terminal or a notebook; nothing for the first second.

The line shows rounds, chunks of an iterator, and rows read of the caller's own arrays.  How many
rows a filter left, or a part of a table has, is not among them.  It goes to standard error and
nowhere else: no release, log or error has anything of it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, Final

from metricdp.columns.part_tables import PartTables

#: Seconds before the first line, and between two.
FIRST: Final = 1.0
BETWEEN: Final = 0.2
#: Rows between two looks at the clock where rows are gone through one by one.
_ROWS: Final = 256
#: What a public round is called.
_ROUND: Final = "round"
#: Characters of a line.
_WIDE: Final = 79


class _Mine(threading.local):
    """What this thread is doing, the outermost first."""

    def __init__(self) -> None:
        self.works: list[Work] = []
        #: When the outermost began, and when a line is due.
        self.began = self.due = 0.0
        #: Whether a line of this thread stands there.
        self.shown = False


class _All:
    """What all threads share.

    Attributes:
        wanted: whether anything is shown.
        writer: the thread that has the line until its work is done.
    """

    __slots__ = ("lock", "wanted", "writer")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.wanted = True
        self.writer: object = None


_mine = _Mine()
_all = _All()


def progress(shown: bool = True) -> None:
    """Show the progress of what lasts longer than a second, or show none.

    It is shown on standard error, where that is a terminal or a notebook, and where the variable
    METRICDP_PROGRESS is not 0.
    """
    _all.wanted = bool(shown)


class Work:
    """Something of which one part after the other is done.

    Args:
        what: of what, in words: "rows read".
        total: how many there are, where that is public.
    """

    __slots__ = ("done", "total", "what")

    def __init__(self, what: str, total: int | None = None) -> None:
        self.what, self.total, self.done = what, total, 0

    def __enter__(self) -> Work:
        mine = _mine
        if not mine.works:
            mine.began = monotonic()
            mine.due = mine.began + FIRST
        mine.works.append(self)
        return self

    def __exit__(self, *failure: object) -> None:
        works = _mine.works
        if self in works:
            del works[works.index(self) :]
        if not works and _mine.shown:
            _shown("")

    def step(self, parts: int = 1) -> None:
        """So many more parts are done."""
        self.done += parts
        if monotonic() >= _mine.due:
            look()

    def __str__(self) -> str:
        if self.total is not None:
            return f"{self.what} {self.done:,} of {self.total:,}"
        return f"{self.what} {self.done:,}" if self.done else self.what


def look() -> None:
    """Show a line if one is due: something takes a while."""
    now, mine = monotonic(), _mine
    if now < mine.due or not mine.works:
        return
    mine.due = now + BETWEEN
    if _all.wanted and _visible():
        words = ", ".join(filter(None, map(str, mine.works)))
        _shown(f"{words}   {now - mine.began:.0f} s"[:_WIDE])


def running(name: str) -> Work:
    """A run of a program; what it began and did not end is forgotten with it."""
    return Work(name)


def _count(items: Any) -> int | None:
    """How many items there are; None where Python counts no further."""
    try:
        return len(items)
    except OverflowError:
        return None


def rounds(items: Any) -> Iterator[Any]:
    """The items of a loop over something public."""
    total = _count(items) if isinstance(items, range | tuple | list | PartTables) else None
    with Work(_ROUND, total) as work:
        for item in items:
            work.step()
            yield item


def more_rounds() -> bool:
    """Whether what is done now is one of several public rounds, and not the last one of them."""
    return any(
        work.what == _ROUND and work.total is not None and work.done < work.total
        for work in _mine.works
    )


def pieces(starts: range, told: bool) -> Iterator[int]:
    """The first rows of the pieces of a pass.

    Args:
        told: whether it is a pass through all rows of the caller's arrays; how many a part of a
            table has is not shown.
    """
    with Work("rows read" if told else "reading") as work:
        for start in starts:
            work.step(min(starts.step, starts.stop - start) if told else 0)
            yield start


def rows(items: Iterable[Any]) -> Iterator[Any]:
    """Rows that are gone through one by one; how many there are may be private."""
    with Work("row by row") as work:
        for position, item in enumerate(items):
            if not position % _ROWS:
                work.step(0)
            yield item


def _visible() -> bool:
    """Whether somebody sees what is written to standard error."""
    if os.environ.get("METRICDP_PROGRESS") == "0":
        return False
    try:
        stream = sys.stderr
        return stream.isatty() or type(stream).__module__.startswith("ipykernel")
    except Exception:  # a stream of somebody's own, or none
        return False


def _shown(line: str) -> None:
    """Put a line where the last one stands; an empty one ends it."""
    mine, me = _mine, threading.get_ident()
    with _all.lock:
        if _all.writer not in (None, me):
            return
        _all.writer, mine.shown = (me, True) if line else (None, False)
        try:
            sys.stderr.write(f"\r{line:<{_WIDE}}" if line else f"\r{'':<{_WIDE}}\r")
            sys.stderr.flush()
        except Exception:  # progress that cannot be shown is not shown
            return
