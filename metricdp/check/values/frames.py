"""Frames: what the names of one function call refer to."""

from __future__ import annotations

from metricdp.check.values.objects import External, Obj


class Frame:
    """Names of one call; `parent` is the frame that the function closes over.

    `local` are the names that the function binds anywhere: Python never looks for them outside,
    also where they have no value yet.
    """

    __slots__ = ("local", "names", "outside", "parent")

    def __init__(
        self,
        names: dict[str, Obj],
        parent: Frame | None = None,
        local: frozenset[str] = frozenset(),
    ) -> None:
        self.names, self.parent, self.local = names, parent, local
        #: Names that a `global` or `nonlocal` statement binds elsewhere.
        self.outside: set[str] = set()

    def lookup(self, name: str) -> Obj | None:
        """The nearest binding of a name; None if no function around binds it."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            if name in frame.local:
                return External(name, f"`{name}` may have no value here")
            frame = frame.parent
        return None
