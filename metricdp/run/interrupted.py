"""An interruption after noise was spent: it carries what was released, and no frame of the run."""

from __future__ import annotations

from metricdp.run.draws import Drawn


def interrupted(error: BaseException, drawn: tuple[Drawn, ...]) -> BaseException:
    """A fresh interruption of the same kind, with the attribute `releases`."""
    fresh = type(error)() if type(error).__module__ == "builtins" else KeyboardInterrupt()
    fresh.releases = drawn  # type: ignore[attr-defined]
    fresh.add_note(f"metricdp: {counted(len(drawn))} had been made, see `releases` of this error")
    return fresh


def counted(count: int) -> str:
    """A number of releases in words."""
    return "1 release" if count == 1 else f"{count} releases"
