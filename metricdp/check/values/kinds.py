"""What earlier readings of a loop found out about the kinds of its states.

A loop inside of another one is read once per reading of the outer body.  Its states change their
kind in the same way each time, so the later readings start from what the first one found; that
start is only a guess, which the loop confirms like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import msgspec

from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import Obj

#: `(name, begin, fresh, after)` -> the value to begin with.
Lift = Callable[[str, Obj, Obj, "Obj | None"], Obj]


class KindChanges(msgspec.Struct):
    """One loop at one place: states before and after each round that changed their kind."""

    seen: list[dict[str, tuple[Obj, Obj]]] = []

    def note(self, begin: dict[str, Obj], fresh: dict[str, Obj], after: dict[str, Obj]) -> None:
        """A round that changed the kind of some state."""
        labels = _labels(begin)
        self.seen.append(
            {labels[name]: (fresh[name], after[name]) for name in begin if name in after}
        )

    def applied(self, initial: dict[str, Obj], lift: Lift) -> dict[str, Obj]:
        """The states to begin with, of the kinds that earlier readings ended with."""
        begin, labels = dict(initial), _labels(initial)
        for states in self.seen:
            for name, value in begin.items():
                if labels[name] in states:
                    try:
                        begin[name] = lift(name, value, *states[labels[name]])
                    except Stop:
                        continue  # Another kind of value than last time: nothing is known.
        return begin


class Kinds:
    """The loops that were read since the outermost present one began."""

    def __init__(self) -> None:
        self._loops: dict[tuple[ast.AST, str], KindChanges] = {}
        self._depth = 0

    @contextmanager
    def loop(self, site: Callable[[ast.AST], str], node: ast.AST) -> Iterator[KindChanges]:
        """What is known of the loop at `node` while it is read."""
        # A comprehension is made into a loop anew each time; its target is the one that was read.
        place = getattr(node, "target", node)
        self._depth += 1
        try:
            yield self._loops.setdefault((place, site(place)), KindChanges())
        finally:
            self._depth -= 1
            if not self._depth:
                self._loops.clear()


def _labels(names: Iterable[str]) -> dict[str, str]:
    """Names that are the same in every reading: lists are counted from the youngest."""
    lists = sorted((n for n in names if n.startswith("@")), key=lambda n: -int(n[1:]))
    return {n: n for n in names} | {n: f"@{-i}" for i, n in enumerate(lists)}
