"""From an annotation to a space: one set of constructors, for live objects and for syntax."""

from __future__ import annotations

import ast
import collections.abc
import types
import typing
from collections.abc import Callable
from typing import Any

from metricdp.errors import SpaceError
from metricdp.spaces.base import Space
from metricdp.spaces.markers import ELEMENTS, is_marker, show
from metricdp.spaces.public import Public
from metricdp.spaces.scalars import Scalar

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
    from metricdp.spaces.syntax import evaluate

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
    from metricdp.spaces.vocabulary import default_resolve

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
    from metricdp.spaces.products import Tuple

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
        return Tuple(tuple(parts))
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
