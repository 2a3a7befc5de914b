"""Public values of a caller as plain values of our own, read once.

An argument may run code wherever it is used: a subclass of `int` with a `__mul__`, a list that
another thread appends to, an object that lies about its class.  What is charged and what runs is
therefore made of values that nobody else holds: of exact builtin types, copied item by item.  Types
are asked for with `type`, and subclasses are laid bare by the methods of the class that they
extend, so that no code of theirs runs here either.
"""

from __future__ import annotations

import datetime
import functools
import sys
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any
from weakref import ref

from metricdp.errors import ParameterError, SchemaError

#: Nothing can change values of these types, and none of their methods is the caller's.
_FIXED = frozenset({type(None), type(...), bool, int, float, complex, str, bytes, Decimal, range})
_DATES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
_PARTS = [Fraction.__dict__[slot].__get__ for slot in ("_numerator", "_denominator")]
_WHOLE = slice(None)
#: Builtin type -> its own conversion of an instance of a subclass.
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (str, str.__str__),
    (complex, complex.__complex__),
    (bytes, lambda x: bytes.__add__(b"", bytes.__getitem__(x, _WHOLE))),
    (Decimal, Decimal),
)
_FUNCTIONS = frozenset(
    {types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, type}
)
#: Deeper containers, and such as contain themselves, are refused.
_DEEPEST = 32
_NOTHING: Any = object()


def plain(value: Any, name: str, keep: Callable[[Any], bool] | None = None) -> Any:
    """A value of our own that is equal to a public argument.

    Args:
        value: a number, text, date, function, or a list, tuple, dictionary, set or array of such.
        name: the argument, for messages.
        keep: tells what else is passed on as it is.

    Returns:
        Scalars of subclasses and of NumPy as Python's own; sequences, dictionaries, sets and arrays
        as copies; functions as they are.

    Raises:
        ParameterError: an object of any other type; the message names the type.
    """
    return _plain(value, name, keep, 0)


def scalar(value: Any) -> Any:
    """A number, text or Boolean as Python's own; any other object as it is."""
    found = _scalar(value)
    return value if found is _NOTHING else found


def type_name(value: Any) -> str:
    """The name of an object's type, whatever the object says."""
    return str.__str__(type.__dict__["__name__"].__get__(type(value)))


def is_iterator(value: Any) -> bool:
    """Whether this gives its items once, one after the other."""
    return hasattr(type(value), "__next__")


def refuse_read_once(value: Any, place: str) -> None:
    """Refuse data that can be read once where they are read several times.

    Raises:
        SchemaError: an iterator, or a tuple that holds one.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if is_iterator(item):
            raise SchemaError(
                f"data in a {type_name(item)} can be read once, and are read several times here",
                place=place,
                remedy="read them first: into a list, a NumPy array or a data frame",
            )
        if type(item) is tuple:
            pending += item


#: The last iterators that data were read from; those that cannot be held weakly, of which little
#: is left once they ended.
_READ: deque[Callable[[], Any]] = deque(maxlen=256)


def note_read(value: Any) -> None:
    """Remember an iterator from now on: what is left of it is not what it held."""
    try:
        _READ.append(ref(value))
    except TypeError:
        _READ.append(lambda: value)


def refuse_spent(values: Mapping[str, Any]) -> None:
    """Refuse data that can be read once, and of which nothing is left: no rows is another answer.

    Args:
        values: argument -> what was given for it.

    Raises:
        SchemaError: a generator that has ended, an iterator that data were read from (to its end
            or to an error), or one iterator in two places.
    """
    seen: dict[int, str] = {}
    pending = list(values.items())
    while pending:
        place, item = pending.pop(0)
        if type(item) is tuple:
            pending += [(place, part) for part in item]
        elif is_iterator(item):
            ended = type(item) is types.GeneratorType and item.gi_frame is None
            ended = ended or any(each() is item for each in tuple(_READ))
            if ended or id(item) in seen:
                again = f"given for {seen[id(item)]}, too" if id(item) in seen else "read before"
                raise SchemaError(
                    f"a {type_name(item)} that was {again}: it gives its data once",
                    place=place,
                    remedy="make a new one for each use, or read the data into an array first",
                )
            seen[id(item)] = place


def _plain(value: Any, name: str, keep: Callable[[Any], bool] | None, depth: int) -> Any:
    found = _scalar(value)
    if found is not _NOTHING:
        return found
    if depth > _DEEPEST:
        raise ParameterError(f"`{name}` holds containers inside containers without an end")
    kind = type(value)
    items: Any
    if issubclass(kind, list):
        items = list.__getitem__(value, _WHOLE)
        return _items(items, name, keep, depth)
    if issubclass(kind, tuple):
        items = tuple.__getitem__(value, _WHOLE)
        return tuple(_items(items, name, keep, depth))
    if issubclass(kind, dict):
        return _dictionary(value, name, keep, depth)
    if issubclass(kind, (set, frozenset)):
        items = _items(list(frozenset(value)), name, keep, depth)
        return set(items) if issubclass(kind, set) else frozenset(items)
    if kind in _FUNCTIONS:
        return value
    if kind in _DATES and type(getattr(value, "tzinfo", None)) in (type(None), datetime.timezone):
        return value
    array = _array(value, kind)
    if array is not None:
        return array if array.ndim else _plain(array.item(), name, keep, depth + 1)
    if keep is not None and keep(value):
        return value
    raise ParameterError(
        f"`{name}` is a {type_name(value)}, which is no plain public value",
        remedy="pass numbers, texts, or lists, tuples, dictionaries and NumPy arrays of them",
    )


def _items(
    items: list[Any], name: str, keep: Callable[[Any], bool] | None, depth: int
) -> list[Any]:
    if _FIXED.issuperset(map(type, items)):
        return list(items)
    return [_plain(item, name, keep, depth + 1) for item in items]


def _dictionary(
    value: Any, name: str, keep: Callable[[Any], bool] | None, depth: int
) -> dict[Any, Any]:
    try:
        ordered = type(value) is OrderedDict
        pairs = list(OrderedDict.items(value) if ordered else dict.items(value))
    except RuntimeError:
        raise ParameterError(f"`{name}` is a dictionary that changes while it is read") from None
    keys = _items([key for key, _ in pairs], name, None, depth)
    return dict(zip(keys, _items([x for _, x in pairs], name, keep, depth), strict=True))


def _scalar(value: Any) -> Any:
    kind = type(value)
    if kind in _FIXED:
        return value
    if type.__subclasscheck__(Fraction, kind):
        return _fraction(value)
    for base, bare in _BASES:
        if issubclass(kind, base):
            return bare(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, numpy.generic):
        found = numpy.generic.item(value)
        # Of structured scalars it is a tuple, of dates a number without its unit.
        number = numpy.generic.dtype.__get__(value).kind in "biufcSU"
        return found if number and type(found) in _FIXED else _NOTHING
    return _NOTHING


def _fraction(value: Any) -> Any:
    """The rational in the slots of a Fraction, which can be written to."""
    try:
        numerator, denominator = (scalar(part(value)) for part in _PARTS)
    except AttributeError:
        return _NOTHING
    if type(numerator) is int and type(denominator) is int and denominator:
        return Fraction(numerator, denominator)
    return _NOTHING


def _array(value: Any, kind: type) -> Any:
    """A copy of a NumPy array, or of what a pandas object holds; None for anything else."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and kind in (pandas.Series, pandas.Index, pandas.DataFrame):
        value = kind.to_numpy(value)  # type: ignore[attr-defined]
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value) is not numpy.ndarray or value.dtype.hasobject:
        return None
    return numpy.array(value)
