"""Rows from the syntax of a class: dataclass, NamedTuple or TypedDict, without importing it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from metricdp.errors import SpaceError
from metricdp.spaces.annotation import Resolve
from metricdp.spaces.rows import Row, field_space
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.syntax import dotted_name, evaluate

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
    names: list[str] = []
    fields: list[Scalar] = []
    for statement in node.body:
        if isinstance(statement, ast.Pass) or _is_docstring(statement):
            continue
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            raise SpaceError(
                f"the record class {node.name} has more than fields",
                remedy="keep a class of records to annotated fields; put methods into functions",
            )
        field = field_space(evaluate(statement.annotation, resolve))
        if field is None:
            raise SpaceError(
                f"field {statement.target.id} of {node.name} has no scalar type",
                remedy="write float, int, bool or str",
            )
        names.append(statement.target.id)
        fields.append(field)
    if not names:
        raise SpaceError(f"{node.name} has no fields", remedy="name at least one scalar field")
    return Row(tuple(names), tuple(fields), node.name, kind)


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


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
