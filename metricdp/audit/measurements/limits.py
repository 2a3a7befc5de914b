"""The time of an audit, as a hard limit: a program that hangs is interrupted where it stands.

A timer of the system rings at the deadline, and from then on every few milliseconds, for a program
may catch what is raised in it.  It raises inside of the audited program alone: what the audit does
around it (generators that are put back, state that is restored) is never cut in two.  Timers ring
in the main thread; in others, and where the system has none, the time is looked at between runs.
Code in C that does not come back to Python is not interrupted.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any

#: Seconds between two rings after the deadline.
_AGAIN = 0.005


class OutOfTime(BaseException):
    """The time of an audit is up; no `except Exception` of a program sees it."""


class _Deadlines(threading.local):
    def __init__(self) -> None:
        self.times: list[float] = []
        #: The innermost one: it is asked for around every run.
        self.nearest = inf


_DEADLINES = _Deadlines()


def left() -> float:
    """Seconds until the innermost deadline; infinite where there is none."""
    return _DEADLINES.nearest - monotonic()


def check() -> None:
    """Raise `OutOfTime` after the deadline."""
    if _DEADLINES.nearest <= monotonic():
        raise OutOfTime


def guarded(function: Callable[..., Any], *args: Any) -> Any:
    """Call a program; it is interrupted at the deadline.

    A checked function turns what it does not know, which `OutOfTime` is, into an interrupt.
    """
    try:
        return function(*args)
    except KeyboardInterrupt:
        check()
        raise


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Inside the block `OutOfTime` is raised after so many seconds, or at an earlier deadline."""
    _DEADLINES.times.append(monotonic() + seconds)
    _DEADLINES.nearest = min(_DEADLINES.times)
    try:
        with _timer(left()):
            yield
    finally:
        _DEADLINES.times.pop()
        _DEADLINES.nearest = min(_DEADLINES.times, default=inf)


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "setitimer")) or seconds == inf:
        yield
        return
    started = monotonic()
    unraisable = sys.unraisablehook
    sys.unraisablehook = _but_rings(unraisable)
    handler = signal.signal(signal.SIGALRM, _ring)
    first, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6), _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        sys.unraisablehook = unraisable
        if first:
            rest = max(first - (monotonic() - started), 1e-6)
            signal.setitimer(signal.ITIMER_REAL, rest, interval)


def _but_rings(told: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The hook of unraisable exceptions that says nothing of a ring: the timer rings again.

    The collector of garbage, finalizers and weak references call Python in the midst of a program
    and swallow what is raised there.
    """

    def tell(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, OutOfTime):
            told(unraisable)

    return tell


def _ring(number: int, frame: Any) -> None:
    if left() > 0:
        return
    while frame is not None:
        if frame.f_code is guarded.__code__:
            raise OutOfTime
        frame = frame.f_back
