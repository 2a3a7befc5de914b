"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """Steps that nobody sees."""

    def step(self, share: float) -> None:
        """Another share of the work, in [0, 1], is done."""


@contextmanager
def progress_on(name: str) -> Iterator[Progress]:
    """A bar on a terminal, nothing elsewhere (a file, a pipe, a notebook)."""
    if not (hasattr(sys.stderr, "isatty") and sys.stderr.isatty()):
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(file=sys.stderr), transient=True) as bars:
        task = bars.add_task(f"audit {name}", total=1.0)

        class Shown(Progress):
            def step(self, share: float) -> None:
                bars.advance(task, share)

        yield Shown()
