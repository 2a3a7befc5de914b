"""Plain data that a function may change, around many runs: put back before each, read after each.

Without that, the second run is not the first: a list that a run empties, or an answer that a cache
keeps, would make all later outputs alike.  Objects are left as they are: a generator of noise may
be in one, and has to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from types import FunctionType
from typing import Any

from metricdp.audit.replaying.outcomes import copied, form
from metricdp.audit.replaying.patches import reached
from metricdp.audit.replaying.state import Place

#: Items of a container, and containers in one another, that are looked into after each run.
_LARGE, _DEEP = 1000, 4
_ATOMS = (int, float, complex, str, bytes, bool, Fraction, type(None))
_CONTAINERS = (list, dict, set, tuple)


class Kept:
    """What a function may leave behind from run to run.

    Args:
        function: a plain Python function; anything else keeps nothing that is known here.
    """

    def __init__(self, function: Any) -> None:
        found = list(reached(function))
        self._places = [Place((s, n)) for s, n, value in found if _data(value)]
        self._atoms = [(p, p.read()) for p in self._places if type(p.read()) in _ATOMS]
        others = [p for p in self._places if type(p.read()) not in _ATOMS]
        self._others = [(p, copied(p.read()), form(p.read())) for p in others]
        self._function = function if isinstance(function, FunctionType) else None
        self._attributes = dict(vars(function)) if self._function is not None else {}
        self._scope = getattr(function, "__globals__", {})
        self._names = set(self._scope)
        every = [function, *(value for _, _, value in found)]
        self._caches: list[Callable[[], Any]] = [
            v.cache_clear for v in every if callable(getattr(v, "cache_clear", None))
        ]

    def fresh(self, value: Any) -> Any:
        """A copy of an input, after `reset`."""
        self.reset()
        if type(value) in _ATOMS:
            return value
        if type(value) is list and all(type(each) in _ATOMS for each in value):
            return value[:]
        return copied(value)

    def changes(self) -> tuple[tuple[str, Any], ...]:
        """(name, copy) of what is not as it was found."""
        return tuple(self._changed())

    def _changed(self) -> Iterator[tuple[str, Any]]:
        for place, kept in self._atoms:
            now = place.read()
            if now is not kept and form(now) != form(kept):
                yield place.name, copied(now)
        for place, _, before in self._others:
            if form(place.read()) != before:
                yield place.name, copied(place.read())
        if self._function is not None and vars(self._function) != self._attributes:
            yield "attributes", copied(dict(vars(self._function)))
        if len(self._scope) != len(self._names):
            yield "new globals", {n: copied(self._scope[n]) for n in self._new()}

    def _new(self) -> list[str]:
        return sorted(self._scope.keys() - self._names)

    def reset(self) -> None:
        """Everything as it was found; containers keep their identity."""
        for clear in self._caches:
            clear()
        for place, kept in self._atoms:
            if place.read() is not kept:
                place.restore(kept)
        for place, kept, before in self._others:
            if form(place.read()) != before:
                place.restore(copied(kept))
        if self._function is not None and vars(self._function) != self._attributes:
            vars(self._function).clear()
            vars(self._function).update(self._attributes)
        if len(self._scope) != len(self._names):
            for name in self._new():
                del self._scope[name]


def _data(value: Any, depth: int = 0) -> bool:
    """Whether a value is plain data, and small."""
    if type(value) in _ATOMS:
        return True
    if type(value) not in _CONTAINERS or len(value) > _LARGE or depth > _DEEP:
        return False
    items = [*value, *value.values()] if type(value) is dict else value
    return all(_data(each, depth + 1) for each in items)
