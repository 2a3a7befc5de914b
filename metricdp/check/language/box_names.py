"""Names in a body that is not interpreted: which are its own, and what the others stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from metricdp.check.values.objects import Library

if TYPE_CHECKING:
    from metricdp.check.source.program import Module

Function = ast.FunctionDef | ast.Lambda
#: A name that stands for something the call itself made.
LOCAL = ""


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Every node of the body, functions inside of it included."""
    body = function.body if isinstance(function.body, list) else [function.body]
    for statement in body:
        yield from ast.walk(statement)


def bound_inside(function: Function) -> tuple[dict[str, str], set[str]]:
    """Names that the function binds, and those of its parameters that it never assigns.

    Names: "local", or the dotted name of an import.  A parameter that is assigned may name a copy.
    """
    spec = function.args
    arguments = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    arguments += [a for a in (spec.vararg, spec.kwarg) if a is not None]
    parameters = {a.arg for a in arguments}
    found = dict.fromkeys(parameters, LOCAL)
    shared: set[str] = set()
    assigned: set[str] = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                found[name] = _by_statement(node, name) or LOCAL
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, LOCAL)
        elif isinstance(node, ast.arg):
            found.setdefault(node.arg, LOCAL)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.setdefault(node.name, LOCAL)
        elif isinstance(node, ast.Global):
            shared.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, LOCAL)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.NamedExpr):
            assigned.update(_targets(node))
    return {n: kind for n, kind in found.items() if n not in shared}, parameters - assigned


def _targets(node: ast.AST) -> Iterator[str]:
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    for target in targets:
        for name in ast.walk(target) if target is not None else ():
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                yield name.id


def root_name(node: ast.AST) -> str | None:
    """`a` of `a.b[0].c`; None for what hangs on no name."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def dotted_name(node: ast.AST, module: Module, inside: dict[str, str]) -> str | None:
    """The library name that a name or attribute stands for ("numpy.random.normal"), or None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    head = _imported(node.id, module, inside)
    return None if head is None else ".".join([head, *parts[::-1]])


def _imported(name: str, module: Module, inside: dict[str, str]) -> str | None:
    """What an import binds to `name`: one of the function itself, or of its file."""
    if name in inside:
        return inside[name] or None
    for statement in module.bindings.get(name, ()):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return _by_statement(statement, name)
    found = module.lookup(name)
    return found.dotted if isinstance(found, Library) else None


def _by_statement(statement: ast.Import | ast.ImportFrom, name: str) -> str | None:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            if (alias.asname or alias.name) == name and not statement.level:
                return f"{statement.module}.{alias.name}"
        elif alias.asname == name:
            return alias.name
        elif alias.asname is None and alias.name.split(".")[0] == name:
            return name
    return None
