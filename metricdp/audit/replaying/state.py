"""Mutable objects that a plain function can reach: read after a run, and put back before the next.

Globals and closures by the names that the code mentions, attributes of the function itself, and its
default arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import FunctionType, ModuleType
from typing import Any

from metricdp.audit.replaying.outcomes import copied
from metricdp.audit.replaying.patches import reached


class State:
    """What a function may leave behind.

    Args:
        function: a plain Python function; anything else reaches nothing.
    """

    def __init__(self, function: Any) -> None:
        self._places = [
            (scope, name) for scope, name, value in reached(function) if _watched(value)
        ]
        kind = type(function).__module__
        self._function = None if kind.startswith("metricdp") else function
        self._kept = [copied(place.read()) for place in self._all().values()]
        self._attributes = copied(dict(self._vars()))
        self._scope = getattr(function, "__globals__", {})
        self._names = set(self._scope)

    def _vars(self) -> dict[str, Any]:
        found = getattr(self._function, "__dict__", {})
        return found if isinstance(found, dict) else {}

    def _new(self) -> dict[str, Any]:
        """Globals that were not there before the run."""
        return {
            k: v for k, v in self._scope.items() if k not in self._names and not k.startswith("__")
        }

    def _all(self) -> dict[str, Any]:
        return {place.name: place for place in map(Place, self._places)}

    def readers(self) -> Mapping[str, Callable[[], Any]]:
        """Name -> reader, for `outcomes.observe`."""
        found: dict[str, Callable[[], Any]] = {
            name: place.read for name, place in self._all().items()
        }
        found["the function's attributes"] = lambda: {
            k: v for k, v in self._vars().items() if k != "__wrapped__"
        }
        found["new globals"] = self._new
        return found

    def reset(self) -> None:
        """Everything as it was found; containers keep their identity."""
        for place, kept in zip(self._all().values(), self._kept, strict=True):
            place.restore(copied(kept))
        self._vars().update(copied(self._attributes))
        for name in [k for k in self._vars() if k not in self._attributes]:
            del self._vars()[name]
        for name in self._new():
            del self._scope[name]


class Place:
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


def _watched(value: Any) -> bool:
    """Whether a value is state: no module, function, class or generator of noise."""
    if isinstance(value, ModuleType | FunctionType | type | Random) or callable(value):
        return False
    kind = type(value)
    return not kind.__module__.startswith(("numpy.random", "metricdp", "logging"))
