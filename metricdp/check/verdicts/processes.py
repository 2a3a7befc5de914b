"""Work on many functions, shared out over processes where that is safe and worth its start.

A share is worked on in a copy of this process (`os.fork`), so that everything that was read is
there; what comes back is pickled.  Copies are made only where nothing else runs that a copy could
leave half way: on Linux, in a process of one thread.  Elsewhere, and for a share that did not come
back whole, this process does the work itself: the answer is the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

#: A process costs about as much as this many functions.
FEWEST = 12
#: More processes than this wait for each other's memory.
MOST = 8


def shared(work: Callable[[range], Any], count: int) -> list[Any]:
    """What `work` gives for each share of `range(count)`; the shares are disjoint and complete.

    Args:
        work: gives something that can be pickled; what it changes elsewhere may be lost.
    """
    shares = min(_processors(), MOST, count // FEWEST) if _alone() else 1
    if shares < 2:
        return [work(range(count))]
    own, *others = (range(first, count, shares) for first in range(shares))
    sent: list[tuple[int, int]] = []
    with suppress(OSError):  # no more processes, or no more files: the rest is done here
        for part in others:
            sent.append(_begun(work, part))
    try:
        results = [work(own)]
        for n, part in enumerate(others):
            found = _received(sent[n][1]) if n < len(sent) else None
            results.append(work(part) if found is None else found[0])
    finally:
        for process, pipe in sent:
            _ended(process, pipe)
    return results


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _alone() -> bool:
    """Whether this process has one thread, of any library, and nobody who watches its calls."""
    if sys.platform != "linux" or sys.gettrace() is not None or sys.getprofile() is not None:
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _begun(work: Callable[[range], Any], part: range) -> tuple[int, int]:
    """A process that works on a part, and the pipe that its result comes from."""
    receiving, sending = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(receiving)
        os.close(sending)
        raise
    if process:
        os.close(sending)
        return process, receiving
    try:
        import pickle

        with os.fdopen(sending, "wb") as pipe:
            pipe.write(pickle.dumps((work(part),), pickle.HIGHEST_PROTOCOL))
    finally:
        # Nothing that this copy inherited is flushed, closed or undone by it.
        os._exit(0)


def _received(pipe: int) -> tuple[Any] | None:
    """What a process sent; None where it ended before it had sent all."""
    import pickle

    with os.fdopen(pipe, "rb", closefd=False) as stream:
        text = stream.read()
    try:
        found: tuple[Any] = pickle.loads(text)
    except (EOFError, pickle.UnpicklingError):
        return None
    return found


def _ended(process: int, pipe: int) -> None:
    """Takes a process away, whether it is done or not."""
    import signal

    os.close(pipe)
    try:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    except (ProcessLookupError, ChildProcessError):
        return
