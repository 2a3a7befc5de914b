"""Lists that a program builds: names refer to them, so aliases see the same changes.

The heap maps the number of a list to its contents: a `TupleValue` of known items, or one public or
released `Value` when the number of items is not known (a list that a loop fills with releases).
Lists are the only mutable objects of the checked language; those that exist outside the function
(at the top of a file, in a default argument) are plain `TupleValue`s and cannot be changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from metricdp.check.values.dictionaries import as_object, keys_of
from metricdp.check.values.objects import (
    AlignedParts,
    Closure,
    ListRef,
    Numbered,
    Obj,
    TupleValue,
    Value,
    View,
    Zip,
    same,
)


class Heap:
    """Contents of every list made so far; branches and rounds snapshot and restore `lists`."""

    def __init__(self) -> None:
        self.lists: dict[int, Obj] = {}
        self._made = 0
        #: Lists that may not change any more; lists that were changed; loops around, read as one.
        self.fixed: set[int] = set()
        self.changed: set[int] = set()
        #: Lists that something else was done to than to add to entries that private data choose.
        self.stored: set[int] = set()
        #: Lists to entries of which something was added that private data choose.
        self.scattered: set[int] = set()
        self.rounds = 0
        #: Empty lists that are known under one name, which nothing has read yet.
        self.unread: set[int] = set()

    def new(self, items: Sequence[Obj]) -> ListRef:
        """A fresh list."""
        return self.hold(TupleValue(tuple(items), True))

    def hold(self, contents: TupleValue | Value) -> ListRef:
        """A fresh list or dictionary with these contents."""
        self._made += 1
        self.lists[self._made] = contents
        return ListRef(self._made)

    def read(self, found: Obj | None) -> None:
        """A name was read: what it refers to may have other names from now on."""
        if isinstance(found, ListRef):
            self.unread.discard(found.number)

    def changed_since(self, lists: Mapping[int, Obj]) -> bool:
        """Whether a list may hold something else than it did, to anybody who could look at it."""
        return any(not same(self.lists[number], held) for number, held in lists.items())

    def stored_since(self, lists: Mapping[int, Obj]) -> bool:
        """As `changed_since`, of what is more than sums that private data place."""
        return self.changed_since({n: held for n, held in lists.items() if n in self.stored})

    def opened(self, value: Obj) -> Obj:
        """The contents of a list; lists inside of it stay references, and so aliases."""
        if isinstance(value, View):
            return self._viewed(value)
        return self.lists[value.number] if isinstance(value, ListRef) else value

    def _viewed(self, view: View) -> Obj:
        """What a view of a dictionary shows at present."""
        held = self.lists[view.of.number]
        if not isinstance(held, TupleValue):
            return Value(getattr(held, "origin", "public"), source="computed")
        keys = tuple(map(as_object, keys_of(held)))
        shown = {"keys": keys, "values": held.items}
        if view.what in shown:
            return TupleValue(shown[view.what])
        return TupleValue(tuple(map(TupleValue, zip(keys, held.items, strict=True))))

    def numbers(self, value: Obj) -> list[int]:
        """Every list that can be reached from a value."""
        if isinstance(value, ListRef):
            return [value.number, *self.numbers(self.lists[value.number])]
        if isinstance(value, View):
            return self.numbers(value.of)
        parts: tuple[Obj, ...] = ()
        if isinstance(value, TupleValue):
            parts = value.items
        elif isinstance(value, Zip):
            parts = value.parts
        elif isinstance(value, Numbered):
            parts = (value.inner,)
        return [number for part in parts for number in self.numbers(part)]

    def seen(self, value: Obj) -> Obj:
        """The value with every list replaced by its present contents."""
        if isinstance(value, View):
            return self.seen(self._viewed(value))
        if isinstance(value, ListRef):
            return self.seen(self.lists[value.number])
        if isinstance(value, TupleValue) and any(
            isinstance(i, ListRef | TupleValue) for i in value.items
        ):
            return msgspec.structs.replace(value, items=tuple(self.seen(i) for i in value.items))
        return value

    def has_private(self, value: Obj) -> bool:
        """Whether anything private is inside."""
        if isinstance(value, Value):
            return value.private
        if isinstance(value, ListRef):
            return self.has_private(self.lists[value.number])
        if isinstance(value, TupleValue):
            return any(self.has_private(item) for item in value.items)
        if isinstance(value, Zip):
            return any(self.has_private(part) for part in value.parts)
        if isinstance(value, Numbered):
            return self.has_private(value.inner)
        if isinstance(value, View):
            return self.has_private(value.of)
        # A function may have captured anything.
        return isinstance(value, AlignedParts | Closure)
