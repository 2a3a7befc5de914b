"""Lists that a program builds: names refer to them, so aliases see the same changes.

The heap maps the number of a list to its contents: a `Tuple` of known items, or one public or
released `Value` when the number of items is not known (a list that a loop fills with releases).
Lists are the only mutable objects of the checked language; those that exist outside the function
(at the top of a file, in a default argument) are plain `Tuple`s and cannot be changed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from metricdp.check.objects import Aligned, ListRef, Obj, Tuple, Value


class Heap:
    """Contents of every list made so far; branches and rounds snapshot and restore `lists`."""

    def __init__(self) -> None:
        self.lists: dict[int, Obj] = {}
        self._made = 0

    def new(self, items: Sequence[Obj]) -> ListRef:
        """A fresh list."""
        self._made += 1
        self.lists[self._made] = Tuple(tuple(items), True)
        return ListRef(self._made)

    def seen(self, value: Obj) -> Obj:
        """The value with every list replaced by its present contents."""
        if isinstance(value, ListRef):
            return self.seen(self.lists[value.number])
        if isinstance(value, Tuple) and any(isinstance(i, ListRef | Tuple) for i in value.items):
            return msgspec.structs.replace(value, items=tuple(self.seen(i) for i in value.items))
        return value

    def has_private(self, value: Obj) -> bool:
        """Whether anything private is inside."""
        if isinstance(value, Value):
            return value.private
        if isinstance(value, ListRef):
            return self.has_private(self.lists[value.number])
        if isinstance(value, Tuple):
            return any(self.has_private(item) for item in value.items)
        return isinstance(value, Aligned)
