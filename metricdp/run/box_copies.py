"""Fresh copies of what a black box can reach: of the callable for every call, of its arguments.

A box with memory must not let one row change what it says of another.  Each call therefore runs a
new copy, in the state in which the box was when the program was checked: functions are built anew
with copies of their defaults, closures and the mutable globals of their file that they name, and so
are the functions of that file that they call; objects are pickled once and loaded per call, or
copied deeply.  Shared, and trusted: modules, classes, functions of other files, and objects that
can be neither pickled nor copied (`Copies.shared` names them).
"""

from __future__ import annotations

import copy
import functools
import pickle
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

_IMMUTABLE = (int, float, complex, str, bytes, bool, type(None), Fraction, type, range, slice)
_BY_REFERENCE = (types.ModuleType, types.BuiltinFunctionType, types.GetSetDescriptorType)
_CACHE = type(functools.lru_cache(lambda: None))
_METHOD = types.MethodType

#: Makes one fresh object; functions of the file are found in the namespace that it is given.
Maker = Callable[[dict[str, Any]], Any]


class Copies:
    """What makes fresh copies of one callable; it never changes itself.

    Attributes:
        shared: names of objects that every call shares, because they cannot be copied.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.shared: list[str] = []
        self._home = _globals_of(function)
        self._names: dict[str, Maker] = {}
        self._waiting: list[tuple[str, Any]] = []
        self._function = self._maker("", function)
        while self._waiting:
            name, value = self._waiting.pop()
            if name not in self._names:
                self._names[name] = lambda space: None  # cuts cycles
                self._names[name] = self._maker(name, value)

    def fresh(self) -> Callable[..., Any]:
        """A new copy of the callable."""
        space = dict(self._home)
        for name, make in self._names.items():
            space[name] = make(space)
        made: Callable[..., Any] = self._function(space)
        return made

    def _maker(self, name: str, value: Any) -> Maker:
        boxed = getattr(value, "_function", None) if _is_box(value) else None
        if boxed is not None:
            return self._maker(name, boxed)
        if isinstance(value, types.FunctionType):
            return self._function_maker(name, value)
        if isinstance(value, _METHOD):
            owner, inner = self._maker(name, value.__self__), value.__func__
            return lambda space: _METHOD(inner, owner(space))
        if isinstance(value, functools.partial):
            return self._partial_maker(name, value)
        if isinstance(value, _CACHE):
            wrapped, limits = self._maker(name, value.__wrapped__), value.cache_parameters()
            return lambda space: functools.lru_cache(**limits)(wrapped(space))
        if isinstance(value, (*_IMMUTABLE, *_BY_REFERENCE)) or _is_constant(value):
            return lambda space: value
        return self._object_maker(name, value)

    def _function_maker(self, name: str, function: types.FunctionType) -> Maker:
        code = function.__code__
        local = function.__globals__ is self._home
        if not local and name:
            return lambda space: function
        for used in set(_names_in(code)):
            if local and used in self._home:
                self._waiting.append((used, self._home[used]))
        label = name or function.__name__
        defaults = [self._maker(label, d) for d in function.__defaults__ or ()]
        keywords = {k: self._maker(label, d) for k, d in (function.__kwdefaults__ or {}).items()}
        cells = [self._maker(label, _content(cell)) for cell in function.__closure__ or ()]
        fields = {k: self._maker(label, v) for k, v in vars(function).items() if k != "__wrapped__"}

        def make(space: dict[str, Any]) -> Any:
            made = types.FunctionType(
                code,
                space if local else function.__globals__,
                function.__name__,
                tuple(d(space) for d in defaults) or None,
                tuple(types.CellType(c(space)) for c in cells) or None,
            )
            made.__kwdefaults__ = {k: d(space) for k, d in keywords.items()} or None
            for key, field in fields.items():
                setattr(made, key, field(space))
            return made

        return make

    def _partial_maker(self, name: str, value: functools.partial[Any]) -> Maker:
        inner = self._maker(name, value.func)
        args = [self._maker(name, a) for a in value.args]
        keywords = {k: self._maker(name, a) for k, a in value.keywords.items()}
        return lambda space: functools.partial(
            inner(space), *(a(space) for a in args), **{k: a(space) for k, a in keywords.items()}
        )

    def _object_maker(self, name: str, value: Any) -> Maker:
        if hasattr(value, "setflags") and not value.dtype.hasobject:
            frozen = read_only(value)
            return lambda space: frozen.view()
        try:
            held = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
            pickle.loads(held)
            return lambda space: pickle.loads(held)
        except Exception:
            pass
        try:
            kept = copy.deepcopy(value)
            return lambda space: copy.deepcopy(kept)
        except Exception:
            self.shared.append(name or type(value).__name__)
            return lambda space: value


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _globals_of(function: Any) -> dict[str, Any]:
    """The globals of the function inside of methods, partial applications and caches."""
    while not isinstance(function, types.FunctionType):
        names = ("func", "__func__", "__wrapped__")
        inner = [getattr(function, name) for name in names if hasattr(function, name)]
        if not inner:
            return {}
        function = inner[0]
    return function.__globals__


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that the function around it has not bound
        return None


def _is_box(value: Any) -> bool:
    return type(value).__name__ == "CheckedFunction"


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(isinstance(item, _IMMUTABLE) or _is_constant(item) for item in value)
    return False


def read_only(array: Any) -> Any:
    """A copy of an array whose memory no view of it can write."""
    fresh = array.copy()
    fresh.setflags(write=False)
    return fresh.view()


def argument(value: Any) -> Any:
    """A fresh copy of an argument: arrays read-only, containers item by item."""
    if isinstance(value, _IMMUTABLE):
        return value
    if hasattr(value, "setflags") and value.ndim:
        return read_only(value)
    if type(value) is list:
        return [argument(item) for item in value]
    if type(value) is tuple:
        return tuple(argument(item) for item in value)
    if type(value) is dict:
        return {key: argument(item) for key, item in value.items()}
    return copy.deepcopy(value)
