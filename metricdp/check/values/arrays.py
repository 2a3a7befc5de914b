"""Public and released NumPy arrays of numbers whose shape is known while checking.

Such a value is certainly an array of doubles or 64-bit integers with one axis (its space is a
`Vector`) or with two (a `Gradient` with a shape); its entries are not followed.  What is not listed
here gives a value of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from metricdp.check.values.objects import Builtin, Obj, TupleValue, Value
from metricdp.expr import ONE, ZERO, Expr, ceil, maximum, num
from metricdp.spaces import Gradient, Scalar, Vector

#: `Value.holds` of an array.
ARRAY = "array"
#: Records that may be given a private array with two axes; NumPy does to every entry what they do
#: to the entries of a vector.
OF_ARRAYS = frozenset(
    """add sub mul div neg abs power clamp maximum minimum exp tanh sigmoid sin cos norm sum clip
    array branch""".split()
)
#: Numbers per axis.
Shape = tuple[Expr, ...]
#: Numbers of this size are numbers of an array, whatever kind they have.
_LARGEST = Fraction(2) ** 53
#: Functions of a shape, of an array, and of every entry of one.
_OF_SHAPES = frozenset({"numpy.zeros", "numpy.ones"})
_OF_ARRAYS = frozenset({"numpy.zeros_like", "numpy.ones_like", "numpy.array", "numpy.asarray"})
_ENTRYWISE = frozenset({"numpy.abs", "numpy.exp", "numpy.tanh", "numpy.sin", "numpy.cos"})
_STACKING = frozenset({"numpy.stack", "numpy.vstack"})
#: Functions of a list whose result holds nothing of it.
_COPYING = _STACKING | {"numpy.array", "numpy.asarray"}


def made(origin: str, shape: Shape) -> Value:
    """An array of so many numbers per axis."""
    return Value(origin, of_axes(shape), source="computed", size=shape[0], holds=ARRAY)


def of_axes(shape: Shape) -> Vector | Gradient:
    """The space of arrays of a shape."""
    first, *more = shape
    if not more:
        return Vector("Real", "LInf", first)
    return Gradient("Real", "LInf", first * more[0], shape=shape)


def shape_of(value: Obj) -> Shape | None:
    """The shape of an array; None of anything else."""
    if not isinstance(value, Value) or value.private or value.holds != ARRAY:
        return None
    space = value.space
    if isinstance(space, Gradient):
        return space.shape or None
    return (space.size,) if isinstance(space, Vector) and space.size is not None else None


def same_shape(a: Obj, b: Obj) -> bool:
    """Whether both are arrays of one shape."""
    return shape_of(a) is not None and shape_of(a) == shape_of(b)


def binary(operator: str, a: Value, b: Value, origin: str) -> Value | None:
    """`a operator b` where one is an array; None where nothing is known of the result."""
    left, right = shape_of(a), shape_of(b)
    if left is None and right is None:
        return None
    if operator == "@" and left is not None and right is not None:
        return _product(left, right, origin)
    if operator not in ("+", "-", "*", "/"):
        return None
    if left is not None and right is not None:
        return made(origin, left) if left == right else None
    other = b if right is None else a
    number = isinstance(other.literal, int | float) or other.expr is not None
    number = number or (isinstance(other.space, Scalar) and other.space.element in ("Real", "Int"))
    shape = left if left is not None else right
    assert shape is not None
    return made(origin, shape) if number and not isinstance(other.literal, bool) else None


def _product(left: Shape, right: Shape, origin: str) -> Value | None:
    if left[-1] != right[0]:
        return None
    shape = (*left[:-1], *right[1:])
    if not shape:
        return Value(origin, Scalar("Real"), source="computed")
    return made(origin, shape)


def item(base: Value, origin: str) -> Value | None:
    """One row of an array with two axes, whatever its number is."""
    shape = shape_of(base)
    return made(origin, shape[1:]) if shape is not None and len(shape) == 2 else None


def call(dotted: str, values: Sequence[Obj], keywords: Mapping[str, Obj]) -> Value | None:
    """A function of NumPy that makes an array; None where nothing is known of the result."""
    given = (*values, *keywords.values())
    origin = "released" if any(getattr(v, "origin", "") == "released" for v in given) else "public"
    if dotted in ("numpy.arange", "numpy.linspace"):
        return _counted(dotted, values, keywords, origin)
    if dotted == "numpy.zeros" and len(given) == 2 and (dtype := _dtype(values[1:], keywords)):
        size = _axes(values[0])
        if size is None or len(size) != 1:
            return None
        return msgspec.structs.replace(made(origin, size), space=Vector(dtype, "LInf", *size))
    if len(values) != 1 or keywords:
        return None
    (value,) = values
    if dotted in _OF_SHAPES:
        shape = _axes(value)
        return None if shape is None else made(origin, shape)
    if dotted == "numpy.eye":
        shape = _axes(value)
        return made(origin, (*shape, *shape)) if shape is not None and len(shape) == 1 else None
    if dotted in _OF_ARRAYS | _ENTRYWISE and (shape := shape_of(value)) is not None:
        return made(origin, shape)
    if dotted in ("numpy.array", "numpy.asarray") and isinstance(value, TupleValue):
        return of_items(value, origin)
    if dotted in _STACKING and isinstance(value, TupleValue):
        return _stacked(value, origin)
    if dotted in _COPYING and isinstance(value, Value) and value.each is not None:
        shape = shape_of(value.each)
        one = shape is not None and len(shape) == 1 and value.size is not None
        return made(origin, (value.size, *shape)) if one else None  # type: ignore[arg-type, misc]
    return None


def _dtype(values: Sequence[Obj], keywords: Mapping[str, Obj]) -> str:
    """The element of the entries where it is written as `int` or `float`, else ""."""
    written = [*values, *(value for name, value in keywords.items() if name == "dtype")]
    names = [value.name for value in written if isinstance(value, Builtin)]
    return {"float": "Real", "int": "Int"}.get(names[0], "") if len(names) == 1 else ""


def _counted(
    dotted: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj], origin: str
) -> Value | None:
    """`numpy.arange` of whole numbers, which may be of any size, or `numpy.linspace`."""
    numbers = [a.expr if isinstance(a, Value) and not a.private else None for a in arguments]
    size: Expr | None = None
    if dotted == "numpy.arange" and not keywords:
        size = _steps(numbers)
    elif dotted == "numpy.linspace" and not keywords.keys() - {"num"} and 2 <= len(numbers) <= 3:
        number = keywords.get("num", arguments[2] if len(arguments) > 2 else None)
        size = num(50) if number is None else _whole(getattr(number, "expr", None))
    if size is None:
        return None
    return Value(origin, Vector("Real", "LInf", size), source="computed", size=size)


def _steps(ends: Sequence[Expr | None]) -> Expr | None:
    """Number of whole numbers from start to stop; NumPy computes it in doubles for others."""
    known = _ends(ends)
    if known is None:
        return None
    start, stop, step = known
    return maximum(ZERO, ceil((stop - start) / step))


def _ends(given: Sequence[Expr | None]) -> tuple[Expr, Expr, Expr] | None:
    whole = [_whole(end) for end in given]
    if not 1 <= len(whole) <= 3 or None in whole:
        return None
    start, stop, step = (ZERO, whole[0], ONE) if len(whole) == 1 else (*whole, ONE)[:3]
    assert start is not None and stop is not None and step is not None
    return (start, stop, step) if step.sign() in ("+", "-") else None


def whole_steps(
    dotted: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]
) -> tuple[Expr, Expr] | None:
    """First number and step of `numpy.arange` of whole numbers that are known to be integers in a
    run; None of any other call."""
    if dotted != "numpy.arange" or keywords:
        return None
    if not all(
        isinstance(a, Value) and a.origin == "public" and a.holds == "int" for a in arguments
    ):
        return None
    known = _ends([a.expr for a in arguments if isinstance(a, Value)])
    if known is None:
        return None
    start, _, step = known
    first, by = start.as_fraction(), step.as_fraction()
    # Of larger ones NumPy may make doubles, which are no other numbers.
    small = first is not None and by is not None and max(abs(first), abs(by)) <= 1 << 20
    return (start, step) if small else None


def _whole(value: Expr | None) -> Expr | None:
    return value if value is not None and value.is_integer() else None


def copies(dotted: str) -> bool:
    """Whether what a function makes of a list is another object than the list, and its items."""
    return dotted in _COPYING


def of_items(value: TupleValue, origin: str) -> Value | None:
    """The array of a list of numbers, or of lists of numbers."""
    if value.names or not value.items:
        return None
    if all(map(is_entry, value.items)):
        return made(origin, (num(len(value.items)),))
    rows = [item for item in value.items if isinstance(item, TupleValue) and not item.names]
    lengths = {len(row.items) for row in rows}
    if len(rows) != len(value.items) or len(lengths) != 1 or lengths == {0}:
        return None
    if not all(is_entry(entry) for row in rows for entry in row.items):
        return None
    return made(origin, (num(len(rows)), num(lengths.pop())))


def _stacked(value: TupleValue, origin: str) -> Value | None:
    shapes = [shape_of(item) for item in value.items]
    if not shapes or value.names:
        return None
    first = shapes[0]
    if first is None or len(first) != 1 or any(shape != first for shape in shapes):
        return None
    return made(origin, (num(len(shapes)), *first))


def _axes(value: Obj) -> Shape | None:
    """The shape that `numpy.zeros` is given: a whole number, or one or two of them."""
    axes = value.items if isinstance(value, TupleValue) and not value.names else (value,)
    found = [v.expr for v in axes if isinstance(v, Value) and v.holds == "int"]
    known = [e for e in found if e is not None and not _hidden(e)]
    return tuple(known) if len(known) == len(axes) in (1, 2) else None


def _hidden(expr: Expr) -> bool:
    return any(name.startswith("_") for name in expr.symbols)


def is_entry(value: Obj) -> bool:
    """Whether a public value is one number that an array holds as a double or 64-bit integer."""
    if not isinstance(value, Value) or value.private or value.holds in (ARRAY, "bool", "text"):
        return False
    if isinstance(value.literal, bool):
        return False
    if value.holds == "int":
        known = value.expr.as_fraction() if value.expr is not None else None
        return known is not None and abs(known) < _LARGEST
    number = isinstance(value.literal, float) or value.expr is not None
    return number or (isinstance(value.space, Scalar) and value.space.element == "Real")


# -- where private data decide whether code runs


def total_binary(operator: str, a: Value, b: Value) -> bool:
    """Whether an operation with an array has a value, always: NumPy rounds and saturates."""
    left, right = shape_of(a), shape_of(b)
    if operator in ("+", "-", "*") or operator == "@":
        if left is not None and right is not None:
            return left[-1] == right[0] if operator == "@" else left == right
        return operator != "@" and _is_small(a if left is None else b)
    return operator == "/" and left is not None and right is None and _is_small(b, nonzero=True)


def total_call(dotted: str, values: Sequence[Obj]) -> bool:
    """Whether a function of NumPy that makes an array has a value, always."""
    (value,) = values if len(values) == 1 else (None,)
    if dotted in _OF_SHAPES:
        axes = value.items if isinstance(value, TupleValue) else (value,)
        return all(_is_length(axis) for axis in axes)
    if dotted in _OF_ARRAYS and isinstance(value, TupleValue):
        entries = [e for i in value.items for e in (i.items if isinstance(i, TupleValue) else [i])]
        return call(dotted, values, {}) is not None and all(map(_is_small, entries))
    return dotted in _OF_ARRAYS and shape_of(value) is not None  # type: ignore[arg-type]


def _is_length(value: Obj | None) -> bool:
    known = value.literal if isinstance(value, Value) and not value.private else None
    return type(known) is int and 0 <= known <= 10**6


def _is_small(value: Obj, nonzero: bool = False) -> bool:
    """A constant of the program of moderate size."""
    if not isinstance(value, Value) or value.expr is None or value.source == "irrational":
        return False
    known = value.expr.as_fraction()
    return known is not None and abs(known) < _LARGEST and not (nonzero and not known)
