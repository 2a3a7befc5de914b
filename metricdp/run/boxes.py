"""One call of a black box: fresh copies of what it can reach, quiet, with a total result.

A box with memory must not let one row change what it says of another.  Each call therefore runs a
new copy, in the state in which the box was when the program was checked: functions are built anew
with copies of their defaults, closures and the mutable globals of their file that they name, and so
are the functions of that file that they call; objects are pickled once and loaded per call, or
copied deeply.  Shared, and trusted: modules, classes, functions of other files, and objects that
can be neither pickled nor copied (`Copies.shared` names them).

Whatever the box does, the caller sees a value of the declared space and nothing else: exceptions of
every kind, `sys.exit` among them, give the public default; what Python code prints, warns or logs
goes nowhere.  KeyboardInterrupt passes, since it comes from the person at the keyboard, and stops
the whole run.  MemoryError and RecursionError count as any other exception.  What a library writes
below Python (to file descriptors) is outside: the trust in the box covers it.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import logging
import pickle
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from metricdp.run.facts import Notice, clean_floats
from metricdp.run.guards import admit
from metricdp.spaces import Gradient, Matrix, Scalar, Space, Vector
from metricdp.values import ExactMatrix, ExactVector, NumberMatrix, Numbers

_IMMUTABLE = (int, float, complex, str, bytes, bool, type(None), Fraction, type, range, slice)
#: Items of these types are shared by the copies of a list.
_PLAIN = frozenset({int, float, complex, str, bytes, bool, type(None), Fraction})
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
    if type(value) is list and _PLAIN.issuperset(map(type, value)):
        return value.copy()
    if hasattr(value, "setflags") and value.ndim:
        return read_only(value)
    if type(value) is list:
        return [argument(item) for item in value]
    if type(value) is tuple:
        return tuple(argument(item) for item in value)
    if type(value) is dict:
        return {key: argument(item) for key, item in value.items()}
    return copy.deepcopy(value)


class _Nowhere(io.TextIOBase):
    """Takes text, and keeps none."""

    def write(self, text: str) -> int:
        return len(text)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Python's own output, warnings, logging and NumPy's error states, off and then as before."""
    shown, told, disabled = sys.stdout, sys.stderr, logging.root.manager.disable
    numpy = sys.modules.get("numpy")
    states = numpy.errstate(all="ignore") if numpy is not None else contextlib.nullcontext()
    try:
        with warnings.catch_warnings(), states:
            warnings.simplefilter("ignore")
            logging.disable(logging.CRITICAL)
            sys.stdout = sys.stderr = _Nowhere()
            yield
    finally:
        sys.stdout, sys.stderr = shown, told
        logging.disable(disabled)


def quietly(work: Callable[[], Any]) -> Any:
    """What work gives that runs code of a box, reading its result included; None where it fails.

    Raises:
        KeyboardInterrupt: a person stopped the run.
    """
    value: Any = None
    stopped = False
    with quiet():
        try:
            value = work()
        except KeyboardInterrupt:
            stopped = True
        except BaseException:
            value = None
    if stopped:  # afresh: the frames of the box hold private values
        raise KeyboardInterrupt
    return value


def admitted(space: Space, value: Any) -> Any:
    """A result as a value of a concrete space; None, or an exception, if it is none."""
    value = plain_array(value)
    if (packed := _packed(space, value)) is not None:
        return packed
    text = getattr(space, "kind", "") == "str"
    found = admit("result", space, value)
    if isinstance(space, Scalar):
        return found if isinstance(found, str) is text else None
    cells = [x for row in found for x in row] if isinstance(found, ExactMatrix) else found
    cells = () if isinstance(found, Numbers | NumberMatrix) else cells
    # Text among discrete entries would fail later, and where it fails would tell.
    if any(isinstance(x, str) for x in cells):
        return None
    return found if shape(found) == declared_shape(space) else None


def plain_array(value: Any) -> Any:
    """Tensors of other libraries as NumPy arrays."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        return value.detach().cpu().numpy()
    return value


def _packed(space: Space, value: Any) -> Numbers | None:
    """An array of doubles in a space of discrete vectors without bounds, as it is."""
    if not isinstance(space, Vector) or space.element != "Data" or space.radius:
        return None
    dtype = getattr(value, "dtype", None)
    if dtype is None or type(value).__module__ != "numpy" or dtype.kind != "f" or value.ndim != 1:
        return None
    bounded = not (space.lo.is_infinite and space.hi.is_infinite)
    if bounded or (len(value),) != declared_shape(space):
        return None
    return Numbers(clean_floats(value, (None, None), Notice("result", False)), discrete=True)


def shape(value: Any) -> tuple[int, ...]:
    """Sizes of a run-time value; () for one number."""
    if isinstance(value, ExactMatrix | NumberMatrix):
        return (value.rows, value.cols)
    return (len(value),) if isinstance(value, list | Numbers) else ()


def declared_shape(space: Space) -> tuple[int, ...]:
    """Sizes of a concrete space; () for one number."""
    sizes: tuple[Any, ...] = ()
    if isinstance(space, Matrix):
        sizes = (space.rows, space.cols)
    elif isinstance(space, Vector | Gradient):
        sizes = (space.size,)
    return tuple(int(size.as_fraction()) for size in sizes)


def filled(space: Space, value: Any) -> Any:
    """The public default: `value` in every entry, moved into the bounds of a concrete space."""
    if isinstance(space, Scalar):
        if space.kind == "bool" or space.element == "Bool":
            value = bool(value)
        elif space.kind == "int" or space.element == "Int":
            value = int(value)
        return admit("default", space, value)
    sizes = declared_shape(space)
    kind = {"Int": int, "Bool": bool}.get(getattr(space, "element", ""))
    value = value if kind is None else kind(value)
    if len(sizes) == 1:
        return admit("default", space, ExactVector([value] * sizes[0]))
    made = admit("default", space, [[value] * sizes[1] for _ in range(sizes[0])])
    return made if shape(made) == sizes else ExactMatrix([], sizes[1])
