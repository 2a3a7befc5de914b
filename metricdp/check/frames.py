"""Frames: what the names of one function call refer to."""

from __future__ import annotations

from metricdp.check.objects import Obj


class Frame:
    """Names of one call; `parent` is the frame that the function closes over."""

    __slots__ = ("names", "outside", "parent")

    def __init__(self, names: dict[str, Obj], parent: Frame | None = None) -> None:
        self.names, self.parent = names, parent
        #: Names that a `global` or `nonlocal` statement binds elsewhere.
        self.outside: set[str] = set()

    def lookup(self, name: str) -> Obj | None:
        """The nearest binding of a name, or None."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.parent
        return None
