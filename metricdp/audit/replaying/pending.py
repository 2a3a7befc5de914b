"""Numbers and arrays of noise that wait to be added to something; see `tape.placed`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from metricdp.audit.replaying.operations import SPECIAL
from metricdp.audit.replaying.tape import NoiseBlock, placed


class Waiting:
    """One number of noise: location + factor * draw, not yet used.

    Adding it to a number, or reading it as one, places it.  It is no float, so that no operation
    reads it unseen; whatever a float can do beside reads it.
    """

    __array_priority__ = 1000.0
    __slots__ = ("block", "factor", "index", "shift", "tape")

    def __init__(self, tape: Any, block: NoiseBlock, index: int, factor: Any, shift: Any) -> None:
        self.tape, self.block, self.index = tape, block, index
        self.factor, self.shift = factor, shift

    def at(self, value: Any) -> Any:
        """value + noise, as the tape has it."""
        if isinstance(value, Waiting):
            # A sum of two draws is noise of a law that is not known here: one of them is read.
            return self.at(value.read())
        if hasattr(value, "__len__"):
            import numpy as np

            return _each(lambda v: self.at(v), np.asarray(value))
        return placed(self.block, self.index, self.factor, value + self.shift, False, self.tape)

    def read(self) -> Any:
        """The noise as a number."""
        return placed(self.block, self.index, self.factor, self.shift, True, self.tape)

    def scaled(self, factor: Any) -> Any:
        """The noise multiplied by a number."""
        if isinstance(factor, Waiting):
            return self.read() * factor.read()
        if hasattr(factor, "__len__"):
            import numpy as np

            return Array(
                self.tape,
                [self.scaled(f) for f in np.asarray(factor).ravel()],
                np.asarray(factor).shape,
            )
        return Waiting(self.tape, self.block, self.index, factor * self.factor, factor * self.shift)

    def __add__(self, other: Any) -> Any:
        return self.at(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.at(-(other.read() if isinstance(other, Waiting) else other))

    def __rsub__(self, other: Any) -> Any:
        return self.scaled(-1).at(other)

    def __mul__(self, other: Any) -> Any:
        return self.scaled(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.scaled(1 / (other.read() if isinstance(other, Waiting) else other))

    def __neg__(self) -> Any:
        return self.scaled(-1)

    def __pos__(self) -> Any:
        return self

    def __repr__(self) -> str:
        return repr(self.read())

    def __format__(self, spec: str) -> str:
        return format(self.read(), spec)

    def __hash__(self) -> int:
        return hash(self.read())

    def item(self) -> Any:
        """Itself, as NumPy's numbers give themselves."""
        return self

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What it stands for: `isinstance` asks this."""
        return float

    def __copy__(self) -> Waiting:
        return self

    def __deepcopy__(self, memo: Any) -> Waiting:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return float, (self.read(),)

    def __getattr__(self, name: str) -> Any:
        """Whatever else a number has: the noise is read."""
        if not hasattr(float, name):
            raise AttributeError(name)
        return getattr(self.read(), name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.array(self.read(), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        single = Array(self.tape, [self], ())
        known = [single if each is self else each for each in inputs]
        found = single.__array_ufunc__(ufunc, method, *known, **keywords)
        return found.items[0] if isinstance(found, Array) and not found.shape else found


def _reading(name: str) -> Callable[..., Any]:
    """A method that reads the noise as a number."""

    def method(self: Waiting, *others: Any) -> Any:
        known = [o.read() if isinstance(o, Waiting) else o for o in others]
        return getattr(operator, name)(self.read(), *known)

    return method


for _name in ("lt", "le", "gt", "ge", "eq", "ne", "abs", "pow", "floordiv", "mod"):
    setattr(Waiting, f"__{_name}__", _reading(_name))
for _name, _function in {
    "float": float,
    "int": int,
    "bool": bool,
    "round": round,
}.items():
    setattr(
        Waiting, f"__{_name}__", lambda self, *a, _function=_function: _function(self.read(), *a)
    )
for _name in ("rtruediv", "rpow", "rfloordiv", "rmod"):
    setattr(
        Waiting,
        f"__{_name}__",
        lambda self, other, _name=_name: getattr(operator, _name[1:])(other, self.read()),
    )
for _name in (SPECIAL & set(dir(float))) - set(vars(Waiting)) - {"__reduce__", "__getstate__"}:
    setattr(Waiting, _name, lambda self, *a, _name=_name: getattr(self.read(), _name)(*a))

#: What an array of NumPy does by itself; the protocols by which NumPy reads it are left out.
_ARRAY = (
    "__abs__ __and__ __bool__ __complex__ __contains__ __divmod__ __float__ __floordiv__ __index__ "
    "__int__ __invert__ __lshift__ __mod__ __or__ __pos__ __rand__ __rdivmod__ __rfloordiv__ "
    "__rlshift__ __rmatmul__ __rmod__ __ror__ __rpow__ __rrshift__ __rshift__ __rxor__ __xor__ "
    "__format__ __str__"
).split()
#: Methods that write into the array; of a copy they would be lost.
_IN_PLACE = frozenset("sort fill put partition resize setfield setflags byteswap data".split())


class Array:
    """An array of `Waiting` numbers; arithmetic acts on each, anything else reads them."""

    __array_priority__ = 1000.0

    def __init__(self, tape: Any, items: list[Any], shape: tuple[int, ...]) -> None:
        self.tape, self.items, self.shape = tape, items, shape

    dtype = property(lambda self: self._array().dtype)
    __class__ = property(lambda self: type(self._array()))
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: len(self.items))
    T = property(lambda self: wrapped(self.tape, self._objects().T))

    def _objects(self) -> Any:
        return _of_objects(self.items, self.shape)

    def _array(self) -> Any:
        import numpy as np

        numbers = [i.read() if isinstance(i, Waiting) else i for i in self.items]
        return np.array(numbers, dtype=float).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        found = self._array()
        return found if dtype is None else found.astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        out = keywords.pop("out", None)
        name = _UFUNCS.get(ufunc.__name__) if method == "__call__" and not keywords else None
        if name is not None:
            pair = inputs if len(inputs) == 2 else (0, inputs[0])
            result = _joined(name, pair[0], pair[1], self.tape)
        else:
            known = [read(each) for each in inputs]
            result = getattr(ufunc, method)(*known, **keywords)
        if out is None:
            return result
        # `totals += noise`: the sum is written where the program wants it.
        out[0][...] = read(result)
        return out[0]

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self.tape, self._objects()[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        held = self._objects()
        held[key] = _objects_of(value)
        self.items = list(held.ravel())

    def copy(self) -> Array:
        """The same draws."""
        return Array(self.tape, list(self.items), self.shape)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._array().__reduce_ex__(protocol)

    def ravel(self) -> Any:
        """The same draws in one row."""
        return self.reshape(-1)

    flatten = ravel

    def tolist(self) -> Any:
        """The draws in lists."""
        return self._objects().tolist()

    def reshape(self, *shape: Any) -> Any:
        """The same draws in another shape."""
        return wrapped(self.tape, self._objects().reshape(*shape))

    def __neg__(self) -> Any:
        return _joined("sub", 0, self, self.tape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        import numpy as np

        if name.startswith("__"):
            raise AttributeError(name)
        if not hasattr(np.ndarray, name):
            raise AttributeError(name)
        if name in _IN_PLACE:
            raise self.tape.undecided(f"`{name}` changes an array of noise in place")
        return getattr(self._array(), name)

    def __repr__(self) -> str:
        return repr(self._array())


def _operator(name: str, swapped: bool) -> Callable[[Array, Any], Any]:
    def method(self: Array, other: Any) -> Any:
        left, right = (other, self) if swapped else (self, other)
        return _joined(name, left, right, self.tape)

    return method


_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "true_divide": "truediv",
    "negative": "sub",
}
for _name in ("add", "sub", "mul", "truediv"):
    setattr(Array, f"__{_name}__", _operator(_name, False))
    setattr(Array, f"__r{_name}__", _operator(_name, True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "pow", "matmul"):
    setattr(
        Array,
        f"__{_name}__",
        lambda self, other, _name=_name: getattr(operator, _name)(self._array(), read(other)),
    )
for _name in (SPECIAL & set(_ARRAY)) - set(vars(Array)):
    setattr(
        Array, _name, lambda self, *a, _name=_name: getattr(self._array(), _name)(*map(read, a))
    )


def _joined(name: str, left: Any, right: Any, tape: Any) -> Any:
    """An operation, entry by entry, on arrays of which one waits."""
    import numpy as np

    arrays = [_objects_of(each) for each in (left, right)]
    shape = np.broadcast_shapes(*(each.shape for each in arrays))
    a, b = (np.broadcast_to(each, shape).ravel() for each in arrays)
    action = getattr(operator, name)
    pairs = zip(a, b, strict=True)
    return wrapped(tape, _of_objects([_once(action, name, x, y) for x, y in pairs], shape))


def _objects_of(value: Any) -> Any:
    import numpy as np

    if isinstance(value, Array):
        return value._objects()
    if isinstance(value, Waiting):
        return _of_objects([value], ())
    # NumPy's own numbers would hand the operation back to the array protocol, without end.
    return np.asarray(value.item() if isinstance(value, np.generic) else value, object)


def _of_objects(items: Any, shape: tuple[int, ...]) -> Any:
    """An array that holds objects as they are; NumPy would read them as numbers."""
    import numpy as np

    found = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        found[i] = item
    return found.reshape(shape)


def read(value: Any) -> Any:
    """Numbers instead of waiting noise; anything else as it is."""
    if isinstance(value, Waiting):
        return value.read()
    return value._array() if isinstance(value, Array) else value


def _once(action: Any, name: str, x: Any, y: Any) -> Any:
    # Minus a draw is a draw: it still waits.
    if name == "sub" and isinstance(y, Waiting) and type(x) is int and x == 0:
        return -y
    return action(x, y)


def _each(action: Callable[[Any], Any], values: Any) -> Any:
    import numpy as np

    return np.array([action(v) for v in values.ravel()], dtype=float).reshape(values.shape)


def wrapped(tape: Any, found: Any) -> Any:
    """An array of objects as what it holds: waiting draws, or plain numbers."""
    if not hasattr(found, "ravel"):
        return found
    items = list(found.ravel())
    if any(isinstance(item, Waiting) for item in items):
        return Array(tape, items, found.shape)
    return found.astype(float)
