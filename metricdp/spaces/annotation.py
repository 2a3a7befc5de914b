"""From an annotation to a space: one set of constructors, for live objects and for syntax.

What is written in source is evaluated here without executing anything of the user's.
"""

from __future__ import annotations

import ast
import collections.abc
import operator
import types
import typing
from collections.abc import Callable
from typing import Any

from metricdp.errors import SpaceError
from metricdp.spaces.base import Space
from metricdp.spaces.ids import Ids
from metricdp.spaces.markers import ELEMENTS, element_name, is_marker, show
from metricdp.spaces.matrices import Matrix
from metricdp.spaces.norms import norm_name
from metricdp.spaces.opaque import Public
from metricdp.spaces.products import TupleSpace
from metricdp.spaces.refinements import REFINEMENTS
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.vectors import Gradient, Vector
from metricdp.spaces.vocabulary import default_resolve
from metricdp.spaces.zones import Zone

#: Looks a (dotted) name up where the annotation stands; None if it is not known there.
Resolve = Callable[[str], object]

_PLAIN: tuple[object, ...] = (float, int, str, bool, complex, bytes, tuple, list, dict, set)
_PLAIN += (frozenset, range, types.FunctionType, collections.abc.Callable, typing.Callable)
_PLAIN += (collections.abc.Sequence, collections.abc.Mapping, collections.abc.Iterable)
_MODULES = ("numpy", "fractions", "decimal", "datetime", "random")
_REMEDY = (
    "write a metric space such as dp.Vector[dp.Real, dp.L2] or dp.Records[float] for private data, "
    "or a plain type such as float for a public parameter"
)


def space_of(annotation: Any, name: str = "", resolve: Resolve | None = None) -> Space | None:
    """The space that a live annotation denotes.

    Args:
        annotation: the object, or its source text where annotations are strings.
        name: name of the parameter, for the symbols of its sizes; "" leaves sizes open.
        resolve: looks names up in annotations that are text; the default knows this package's
            names (bare or after `dp.`), builtins and `numpy.ndarray`.

    Returns:
        A private space, a `Public`, or None if there is no annotation.

    Raises:
        SpaceError: the annotation is neither a space nor a plain public type.
    """
    space = _read(annotation, resolve)
    return space.named(name) if space is not None and name else space


def space_from_ast(node: ast.expr, resolve: Resolve, name: str = "") -> Space:
    """The space that the syntax of an annotation denotes; user code is never executed.

    Only names, subscripts, tuples, constants, unions, refinements and `MetricVector(...)` and its
    like are understood.  Arguments and errors: see `space_of`.
    """
    space = space_of(evaluate(node, resolve), name, resolve)
    if space is None:
        raise SpaceError("the annotation is empty", remedy=_REMEDY)
    return space


def _read(annotation: Any, resolve: Resolve | None) -> Space | None:
    if isinstance(annotation, Space):
        return annotation
    if annotation is None or annotation is type(None):
        return Public("None")
    if getattr(annotation, "__name__", "") == "_empty":
        return None
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        return _parsed(annotation, resolve)
    if is_marker(annotation):
        if annotation.name in ELEMENTS:
            return Scalar(annotation.name)
        raise SpaceError(f"{annotation.name} alone is no space", remedy=_REMEDY)
    if hasattr(annotation, "__metadata__"):
        space = _read(annotation.__origin__, resolve)
        return None if space is None else space.refined(*annotation.__metadata__)
    return _plain(annotation, resolve)


def _parsed(text: str, resolve: Resolve | None) -> Space:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpaceError(f"the annotation {text!r} does not parse", remedy=_REMEDY) from None
    return space_from_ast(node, resolve or default_resolve)


def _plain(annotation: Any, resolve: Resolve | None) -> Space:
    origin = typing.get_origin(annotation)
    if origin is not None:
        return _generic(annotation, origin, resolve)
    if isinstance(annotation, type) and issubclass(annotation, Space):
        raise SpaceError(
            f"{annotation.__name__} needs its arguments in brackets",
            remedy=f"write {annotation.__name__}"
            + ("[float]" if annotation.__name__ == "Records" else "[Real, L2], for example"),
        )
    known = any(annotation is plain for plain in _PLAIN)
    module = getattr(annotation, "__module__", "").partition(".")[0]
    if known or (isinstance(annotation, type) and module in _MODULES):
        return Public(_text(annotation))
    raise SpaceError(
        f"{show(annotation)} is neither a metric space nor a plain public type", remedy=_REMEDY
    )


def _generic(annotation: Any, origin: Any, resolve: Resolve | None) -> Space:
    if origin is collections.abc.Callable:
        return Public("Callable")
    args = [arg for arg in typing.get_args(annotation) if arg is not Ellipsis]
    if origin is typing.Literal:
        return Public(" | ".join(dict.fromkeys(type(arg).__name__ for arg in args)))
    if any(isinstance(arg, (list, dict)) for arg in args):
        raise SpaceError(f"{show(annotation)} is no annotation", remedy=_REMEDY)
    numpy = getattr(origin, "__module__", "") == "numpy"
    parts = [] if numpy else [part for arg in args if (part := _read(arg, resolve)) is not None]
    if all(isinstance(part, Public) for part in parts):
        if origin in (typing.Union, types.UnionType):
            return Public(" | ".join(map(str, parts)))
        base = _plain(origin, resolve)
        ellipsis = ["..."] if Ellipsis in typing.get_args(annotation) else []
        inner = ", ".join([*map(str, parts), *ellipsis])
        return Public(f"{base}[{inner}]" if inner else str(base))
    if origin is tuple and len(parts) == len(typing.get_args(annotation)):
        return TupleSpace(tuple(parts))
    private = next(part for part in parts if not isinstance(part, Public))
    raise SpaceError(
        f"{private} is a metric space inside {_text(origin)}[...]",
        remedy="write one metric space: Vector, Matrix, Records, Aligned, or tuple[A, B]",
    )


def _text(annotation: Any) -> str:
    if annotation in (collections.abc.Callable, typing.Callable, types.FunctionType):
        return "Callable"
    name = getattr(annotation, "__qualname__", None) or str(annotation)
    return f"numpy.{name}" if getattr(annotation, "__module__", "") == "numpy" else str(name)


# -- spellings of the seed system: `MetricVector(E, N)` for `Vector[E, N]`


def MetricVector(element: object, norm: object) -> Vector:
    """`Vector[element, norm]`."""
    return Vector(element_name(element), norm_name(norm))


def MetricMatrix(element: object, norm: object) -> Matrix:
    """`Matrix[element, norm]`."""
    return Matrix(element_name(element), norm_name(norm))


def MetricGradient(element: object, norm: object) -> Gradient:
    """`Gradient[element, norm]`."""
    return Gradient(element_name(element), norm_name(norm))


# -- the syntax of an annotation

_CALLABLE: tuple[object, ...] = (*REFINEMENTS, Ids, Zone)
_CALLABLE += (MetricGradient, MetricMatrix, MetricVector)
_SYNTAX_REMEDY = "use names, subscripts, constants and refinements such as Bounds(0, 1)"


def evaluate(node: ast.expr, resolve: Resolve) -> Any:
    """The live annotation object that the syntax denotes.

    Raises:
        SpaceError: an unknown name, a call of anything else, or other syntax.
    """
    match node:
        case ast.Constant():
            return node.value
        case ast.Name() | ast.Attribute():
            return _name(node, resolve)
        case ast.Tuple():
            return tuple(evaluate(item, resolve) for item in node.elts)
        case ast.List():
            return [evaluate(item, resolve) for item in node.elts]
        case ast.UnaryOp(op=ast.USub()):
            number = evaluate(node.operand, resolve)
            if type(number) in (int, float):
                return -number
        case ast.Subscript():
            return _subscript(node, resolve)
        case ast.Call():
            return _call(node, resolve)
        case ast.BinOp(op=ast.BitOr()):
            return _union(node, resolve)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Pow()):
            return _number(node, resolve)
    raise SpaceError(f"{source_text(node)} is no annotation", remedy=_SYNTAX_REMEDY)


def dotted_name(node: ast.expr) -> str | None:
    """ "dp.Records" from a chain of attributes, or None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _name(node: ast.expr, resolve: Resolve) -> Any:
    name = dotted_name(node)
    found = None if name is None else resolve(name)
    if found is None:
        raise SpaceError(
            f"{name or source_text(node)} is not known here",
            remedy="a dataclass of the columns: dp.Records[Row] takes a DataFrame as data"
            if (name or "").endswith("DataFrame")
            else "import it, or use a name of metricdp or a plain type",
        )
    return found


def _subscript(node: ast.Subscript, resolve: Resolve) -> Any:
    base = evaluate(node.value, resolve)
    if isinstance(base, Public):
        return base
    argument = evaluate(node.slice, resolve)
    try:
        return base[argument]
    except SpaceError:
        raise
    except Exception:  # whatever a type makes of an argument that it does not know
        raise SpaceError(f"{source_text(node)} is no annotation", remedy=_SYNTAX_REMEDY) from None


def _call(node: ast.Call, resolve: Resolve) -> Any:
    function = evaluate(node.func, resolve)
    if not any(function is known for known in _CALLABLE):
        raise SpaceError(
            f"{source_text(node)} is a call inside an annotation", remedy=_SYNTAX_REMEDY
        )
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        raise SpaceError(f"{source_text(node)} unpacks arguments", remedy="write the arguments out")
    args = [evaluate(arg, resolve) for arg in node.args]
    keywords = {k.arg: evaluate(k.value, resolve) for k in node.keywords if k.arg is not None}
    try:
        return function(*args, **keywords)
    except SpaceError:
        raise
    except Exception:
        raise SpaceError(
            f"{source_text(node)} has the wrong arguments", remedy="see the names of its parameters"
        ) from None


def _union(node: ast.BinOp, resolve: Resolve) -> Any:
    given = [evaluate(side, resolve) for side in (node.left, node.right)]
    plain = isinstance(given[0], type) or hasattr(given[0], "__metadata__")
    plain = plain or typing.get_origin(given[0]) is typing.Literal
    if plain and given[1] is None:
        return typing.Optional[given[0]]  # noqa: UP045 (a value at run time)
    sides = [space_of(side, "", resolve) for side in given]
    for side in sides:
        if not isinstance(side, Public):
            raise SpaceError(
                f"{side} is a metric space in a union",
                remedy="write one metric space, or a plain type",
            )
    return Public(" | ".join(map(str, sides)))


def _number(node: ast.BinOp, resolve: Resolve) -> int | float:
    """A sum, difference, product or small power of numbers, as Python computes it."""
    left, right = (evaluate(side, resolve) for side in (node.left, node.right))
    if isinstance(node.op, ast.Pow) and type(left) is type(right) is int and 0 <= right <= 64:
        return int(left**right)
    if not isinstance(node.op, ast.Pow) and {type(left), type(right)} <= {int, float}:
        operation = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
        found: int | float = operation[type(node.op)](left, right)
        return found
    raise SpaceError(f"{source_text(node)} is no annotation", remedy=_SYNTAX_REMEDY)


def source_text(node: ast.expr) -> str:
    """An expression as a message shows it."""
    try:
        text = ast.unparse(node)
    except (ValueError, RecursionError):  # numbers and depths that Python does not print
        return "this"
    return text if len(text) <= 60 else text[:57] + "..."
