"""Evaluation of the syntax of an annotation, without executing anything of the user's."""

from __future__ import annotations

import ast
import typing
from typing import Any

from metricdp.errors import SpaceError
from metricdp.spaces.annotation import Resolve, space_of
from metricdp.spaces.public import Public
from metricdp.spaces.refinements import REFINEMENTS
from metricdp.spaces.seeds import MetricGradient, MetricMatrix, MetricVector

_CALLABLE: tuple[object, ...] = (*REFINEMENTS, MetricGradient, MetricMatrix, MetricVector)
_REMEDY = "use names, subscripts, constants and refinements such as Bounds(0, 1)"


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
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Subscript():
            return _subscript(node, resolve)
        case ast.Call():
            return _call(node, resolve)
        case ast.BinOp(op=ast.BitOr()):
            return _union(node, resolve)
    raise SpaceError(f"{_source(node)} is no annotation", remedy=_REMEDY)


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
            f"{name or _source(node)} is not known here",
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
        raise SpaceError(f"{_source(node)} is no annotation", remedy=_REMEDY) from None


def _call(node: ast.Call, resolve: Resolve) -> Any:
    function = evaluate(node.func, resolve)
    if not any(function is known for known in _CALLABLE):
        raise SpaceError(f"{_source(node)} is a call inside an annotation", remedy=_REMEDY)
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        raise SpaceError(f"{_source(node)} unpacks arguments", remedy="write the arguments out")
    args = [evaluate(arg, resolve) for arg in node.args]
    keywords = {k.arg: evaluate(k.value, resolve) for k in node.keywords if k.arg is not None}
    try:
        return function(*args, **keywords)
    except SpaceError:
        raise
    except Exception:
        raise SpaceError(
            f"{_source(node)} has the wrong arguments", remedy="see the names of its parameters"
        ) from None


def _union(node: ast.BinOp, resolve: Resolve) -> Any:
    given = [evaluate(side, resolve) for side in (node.left, node.right)]
    plain = isinstance(given[0], type) or hasattr(given[0], "__metadata__")
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


def _source(node: ast.expr) -> str:
    try:
        text = ast.unparse(node)
    except (ValueError, RecursionError):  # numbers and depths that Python does not print
        return "this"
    return text if len(text) <= 60 else text[:57] + "..."
