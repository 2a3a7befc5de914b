"""Questions that are being paid for: who asks the same at the same time waits for that answer."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
#: Question -> its lock, and how many hold it or wait for it.
_flying: dict[tuple[str, ...], tuple[threading.RLock, int]] = {}


@contextmanager
def alone(*question: str) -> Iterator[None]:
    """Only one thread of this process at a time is in the body for one question."""
    with _guard:
        lock, users = _flying.get(question, (threading.RLock(), 0))
        _flying[question] = lock, users + 1
    try:
        with lock:
            yield
    finally:
        with _guard:
            lock, users = _flying[question]
            if users > 1:
                _flying[question] = lock, users - 1
            else:
                del _flying[question]


def _after_fork() -> None:
    """The threads that held these are not in the child."""
    global _guard
    _guard = threading.Lock()
    _flying.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
