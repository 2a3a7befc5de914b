"""Long public values as keys of caches: told apart by what they are, not gone through."""

from __future__ import annotations

from typing import Any


class Itself:
    """An object as a key, equal to the same object alone; it lives while the key does.

    Attributes:
        held: the object, which nothing changes.
    """

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held

    def __hash__(self) -> int:
        return id(self.held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.held is other.held
