"""Rows from the syntax of a class, or of a call of `TypedDict`, which is not imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from metricdp.errors import SpaceError
from metricdp.spaces.annotation import Resolve, dotted_name, evaluate, source_text
from metricdp.spaces.fields import fields_of
from metricdp.spaces.rows import Row

#: Qualified names of the decorator or base -> how a program reads a field.
_DECORATORS = {"dataclasses.dataclass": "attributes"}
_BASES = {
    "typing.TypedDict": "items",
    "typing_extensions.TypedDict": "items",
    "typing.NamedTuple": "attributes",
}


def row_from_class(
    node: ast.ClassDef, resolve: Resolve, qualify: Callable[[str], str | None]
) -> Row | None:
    """The row that a class describes; None if it is no dataclass, NamedTuple or TypedDict.

    Args:
        node: the class.
        resolve: looks up names in the annotations of its fields.
        qualify: the qualified name behind a name in scope ("dataclasses.dataclass"), or None.

    Raises:
        SpaceError: it has methods or bases whose meaning is not known, or a field of another type.
    """
    kind = _kind(node, qualify)
    if kind is None:
        return None
    written: dict[str, ast.expr] = {}
    for statement in node.body:
        if isinstance(statement, ast.Pass) or _is_docstring(statement) or _is_method(statement):
            continue
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            raise SpaceError(
                f"the record class {node.name} has more than fields and methods",
                remedy="keep a class of records to annotated fields, and methods that read them",
            )
        written[statement.target.id] = statement.annotation
    return _row(node.name, written, kind, resolve)


def row_from_call(
    node: ast.expr, resolve: Resolve, qualify: Callable[[str], str | None]
) -> Row | None:
    """The row of `TypedDict("Row", {"a column": float})`; None of any other expression.

    Args:
        node: the expression.
        resolve: looks up names in the types of its fields.
        qualify: the qualified name behind a name in scope, or None.

    Raises:
        SpaceError: it is not written out as a name and a dictionary of texts, or a field of
            another type.
    """
    if not isinstance(node, ast.Call):
        return None
    kind = _BASES.get(_qualified(node, qualify))
    if kind is None:
        return None
    written: dict[str, ast.expr] = {}
    match node.args:
        case [ast.Constant(value=str(name)), ast.Dict(keys=keys, values=values)] if (
            kind == "items" and not node.keywords
        ):
            for key, value in zip(keys, values, strict=True):
                if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                    break
                if key.value in written:
                    break
                written[key.value] = value
            else:
                return _row(name, written, kind, resolve)
    raise SpaceError(
        f"{source_text(node)} is no row that is written out",
        remedy='TypedDict("Row", {"a column": float}), or a class with fields',
    )


def _row(name: str, written: Mapping[str, ast.expr], kind: str, resolve: Resolve) -> Row:
    types = {each: evaluate(annotation, resolve) for each, annotation in written.items()}
    return Row(tuple(types), fields_of(types, name), name, kind)


def _kind(node: ast.ClassDef, qualify: Callable[[str], str | None]) -> str | None:
    decorators = [_qualified(d, qualify) for d in node.decorator_list]
    bases = [_qualified(b, qualify) for b in node.bases]
    if len(decorators) == 1 and not bases:
        return _DECORATORS.get(decorators[0])
    if len(bases) == 1 and not decorators:
        return _BASES.get(bases[0])
    return None


def _qualified(node: ast.expr, qualify: Callable[[str], str | None]) -> str:
    name = dotted_name(node.func if isinstance(node, ast.Call) else node)
    return (name and qualify(name)) or ""


def _is_method(node: ast.stmt) -> bool:
    """A function that is called, or read as a property, and that nothing else calls."""
    return isinstance(node, ast.FunctionDef) and not node.name.startswith("__")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
