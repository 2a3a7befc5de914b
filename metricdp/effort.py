"""How long one check may take, and how large what it makes may become.

A check counts its own work and asks the clock as it goes; when either is used up, it is stopped by
`Exhausted`, which nothing between here and the verdict catches.  Nothing is stopped half way by a
signal: caches and interned expressions stay whole.  Outside of a check there are no limits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic

#: Seconds that one function gets where nothing else is said.
SECONDS = 60.0
#: Most expressions of a program that are read for one function, each time that they are.
MOST_READ = 400_000
#: Most terms of an expression, and most parts of what stands under one `max`, root or power.
LARGEST = 4_000
#: Most binary digits of a public number that the program computes.
MOST_BITS = 100_000
#: Most binary digits of the factor by which a private value was multiplied.
MOST_BITS_OF_FACTOR = 8192
#: Python's own limit while a function is read: branches below each other cost seven frames each.
DEPTH = 12_000


class Exhausted(BaseException):
    """A check came to one of its limits.  It is no `Exception`: programs under attack may fail.

    Attributes:
        code: of the diagnostic.
        message, need, help: of the diagnostic; the message may have a `{}` for the function.
        local: whether the innermost statement is to blame, and not the function as a whole.
    """

    def __init__(
        self, code: str, message: str, need: str, help: str, *, local: bool = False
    ) -> None:
        self.code, self.message, self.need, self.help = code, message, need, help
        self.local = local
        super().__init__(message)


class _Present(threading.local):
    """The limits of the check that this thread is in."""

    deadline: float = inf
    #: Seconds of the present function, for the message.
    seconds: float = inf
    #: What a function gets that is checked in this thread.
    allowed: float = SECONDS
    bounded: bool = False


_present = _Present()


def tick() -> None:
    """Ask the clock.

    Raises:
        Exhausted: the time of the present check is over.
    """
    if monotonic() > _present.deadline:
        raise Exhausted(
            "out-of-time", f"`{{}}` could not be checked in {_present.seconds:g} seconds",
            "a function that is read in this time", "metricdp check --timeout SECONDS gives it "
            "more; in Python: with dp.time_limit(seconds): ...",
        )  # fmt: skip


def no_larger(count: int) -> None:
    """Raises:
    Exhausted: an expression of this size is too large for a check.
    """
    if count > LARGEST and _present.bounded:
        raise Exhausted(
            "too-large", f"an expression here would have more than {LARGEST} parts",
            "public numbers and bounds that can be written down",
            "pass the number as a parameter of its own", local=True,
        )  # fmt: skip


def no_longer(bits: int, most: int, what: str) -> None:
    """Raises:
    Exhausted: a number with so many binary digits is too long for a check.
    """
    if bits > most and _present.bounded:
        raise Exhausted(
            "too-large", f"{what} would have more than {most} binary digits",
            "numbers that a float could hold", "smaller numbers, or fewer steps", local=True,
        )  # fmt: skip


@contextmanager
def within(seconds: float | None = None) -> Iterator[None]:
    """One check: so many seconds, or without a limit of time (0).

    None is what `time_limit` says, or nothing more than the check around it.
    """
    outer = _present.deadline, _present.seconds, _present.bounded
    if seconds is None:
        seconds = 0 if _present.bounded else _present.allowed
    allowed = seconds or inf
    end = monotonic() + allowed
    if end < _present.deadline:
        _present.deadline, _present.seconds = end, allowed
    _present.bounded = True
    _depth.raised()
    try:
        yield
    finally:
        _depth.restored()
        _present.deadline, _present.seconds, _present.bounded = outer


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Inside, a function that has to be checked gets so many seconds; 0: as many as it takes.

    A function is checked when it is first used.  One that ran out of time is rejected, and checked
    again when it is next used.

    Args:
        seconds: not negative; 60 where nothing is said.

    Raises:
        ValueError: a negative number, or one that is no number.
    """
    if not seconds >= 0:
        raise ValueError(f"{seconds!r} is no number of seconds; 0 stands for no limit")
    outer, _present.allowed = _present.allowed, float(seconds)
    try:
        yield
    finally:
        _present.allowed = outer


class _Depth:
    """Python's limit of recursion, raised for as long as any thread checks a function."""

    def __init__(self) -> None:
        self.lock, self.checks, self.before = threading.Lock(), 0, 0

    def raised(self) -> None:
        """A check begins."""
        with self.lock:
            if not self.checks:
                self.before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(DEPTH, self.before))
            self.checks += 1

    def restored(self) -> None:
        """A check ends."""
        with self.lock:
            self.checks -= 1
            if not self.checks:
                sys.setrecursionlimit(self.before)


_depth = _Depth()
