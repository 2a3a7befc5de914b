"""Mutable objects that a plain function can reach: read after a run, and put back before the next.

Globals and closures by the names that the code mentions, attributes of the function itself, and its
default arguments.  Around two runs that are compared all of them are state.  Around many runs it is
plain data alone: a list that a run empties, or an answer that a cache keeps, would make all later
outputs alike, but a generator of noise may be in an object, and has to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from types import FunctionType, ModuleType
from typing import Any

from metricdp.audit.replaying.outcomes import copied, form
from metricdp.audit.replaying.patches import reached

#: Items of a container, and containers in one another, that are looked into after each run.
_LARGE, _DEEP = 1000, 4
_ATOMS = (int, float, complex, str, bytes, bool, Fraction, type(None))
_CONTAINERS = (list, dict, set, tuple)


class Slot:
    """A name in a scope, or a cell, that can be read and put back."""

    def __init__(self, place: tuple[Any, str]) -> None:
        self.scope, key = place
        self.key = key
        self.name = f"`{key}`"

    def read(self) -> Any:
        """What is there."""
        if isinstance(self.scope, dict):
            return self.scope.get(self.key)
        return self.scope.cell_contents

    def restore(self, value: Any) -> None:
        """Put a value back; a container keeps its identity."""
        held = self.read()
        if isinstance(held, list | bytearray) and isinstance(value, list | bytearray):
            held[:] = value
        elif isinstance(held, dict | set) and type(held) is type(value):
            held.clear()
            held.update(value)
        elif isinstance(self.scope, dict):
            self.scope[self.key] = value
        else:
            self.scope.cell_contents = value


class ProgramState:
    """What a function may leave behind.

    Args:
        function: a plain Python function; anything else reaches nothing.
    """

    def __init__(self, function: Any) -> None:
        watched = [(scope, name) for scope, name, value in reached(function) if _watched(value)]
        self._all = {place.name: place for place in map(Slot, watched)}
        kind = type(function).__module__
        self._function = None if kind.startswith("metricdp") else function
        self._kept = [copied(place.read()) for place in self._all.values()]
        self._attributes = copied(dict(self._vars()))
        self._scope = getattr(function, "__globals__", {})
        self._names = set(self._scope)
        #: A run has begun since everything was put back.  At first the program's own objects are
        #: there, which no run is to change.
        self._used = True

    def _vars(self) -> dict[str, Any]:
        found = getattr(self._function, "__dict__", {})
        return found if isinstance(found, dict) else {}

    def _new(self) -> dict[str, Any]:
        """Globals that were not there before the run."""
        if self._names.issuperset(self._scope):
            return {}  # as a rule, and it is asked three times of each of thousands of runs
        return {
            k: v for k, v in self._scope.items() if k not in self._names and not k.startswith("__")
        }

    def begun(self) -> dict[str, Callable[[], Any]]:
        """A run begins, with everything as it was found: name -> reader, for `outcomes.observe`."""
        self.reset()
        self._used = True
        found: dict[str, Callable[[], Any]] = {
            name: place.read for name, place in self._all.items()
        }
        found["the function's attributes"] = lambda: {
            k: v for k, v in self._vars().items() if k != "__wrapped__"
        }
        found["new globals"] = self._new
        return found

    def reset(self) -> None:
        """Everything as it was found; containers keep their identity."""
        if not self._used:
            return
        for place, kept in zip(self._all.values(), self._kept, strict=True):
            place.restore(copied(kept))
        attributes = self._vars()
        if attributes or self._attributes:
            attributes.update(copied(self._attributes))
            for name in [k for k in attributes if k not in self._attributes]:
                del attributes[name]
        for name in self._new():
            del self._scope[name]
        self._used = False


def _watched(value: Any) -> bool:
    """Whether a value is state: no module, function, class or generator of noise."""
    if isinstance(value, ModuleType | FunctionType | type | Random) or callable(value):
        return False
    kind = type(value)
    return not kind.__module__.startswith(("numpy.random", "metricdp", "logging"))


class KeptData:
    """What a function may leave behind from run to run.

    Args:
        function: a plain Python function; anything else keeps nothing that is known here.
    """

    def __init__(self, function: Any) -> None:
        found = list(reached(function))
        self._places = [Slot((s, n)) for s, n, value in found if _data(value)]
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
