"""Methods that store into `self`, as functions that give `self` another value.

An instance never changes once it is made.  A method that stores into `self` means the same as one
that binds the name `self` to a new instance, if nothing but this name holds the instance: the call
makes the object where it stands, `Plan(kind).measure(rows)`, and the method reads fields of `self`,
stores into fields, one statement after the other, and returns `self`; it hands it to nothing else.
What is not certainly of this kind stays as it is written, and a store in it is rejected.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection

#: What makes an instance with another value of one field; a name that no program can write.
WITH_FIELD = ".with_field"
#: What can bind a name without a `Name`, or keep a name for later.
_UNREAD = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Try,
    ast.TryStar, ast.Match, ast.Import, ast.ImportFrom, ast.NamedExpr, ast.Delete, ast.With,
    ast.AsyncWith, ast.AsyncFor, ast.Yield, ast.YieldFrom, ast.Await,
)  # fmt: skip


def rebinding(
    node: ast.FunctionDef, fields: Collection[str], constants: Collection[str]
) -> ast.FunctionDef | None:
    """A method whose stores into `self` give the name another instance; None where it has none, or
    where something else may come to hold the object.

    Args:
        fields: of the class, each of which every instance has.
        constants: that all instances share.
    """
    first = [*node.args.posonlyargs, *node.args.args][0].arg
    if not any(_is_store(each, first, fields) for each in node.body):
        return None
    allowed: set[ast.AST] = set()
    for each in node.body:
        if _is_store(each, first, fields):
            assert isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Attribute)
            allowed.add(each.targets[0].value)
        for part in ast.walk(each):
            if isinstance(part, _UNREAD):
                return None
            if isinstance(part, ast.Lambda) and _mentions(part, first):
                return None
            if isinstance(part, ast.Return) and part.value is not None:
                allowed.add(part.value)
            if isinstance(part, ast.Attribute) and _is_read(part, {*fields, *constants}):
                allowed.add(part.value)
    for each in node.body:
        for part in ast.walk(each):
            if isinstance(part, ast.Name) and part.id == first and part not in allowed:
                return None
    made = copy.copy(node)
    made.body = [_bound(each, first) if _is_store(each, first, fields) else each
                 for each in node.body]  # fmt: skip
    return made


def _is_store(node: ast.stmt, first: str, fields: Collection[str]) -> bool:
    """Whether a statement is `self.field = value`."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    (target,) = node.targets
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return False
    return target.value.id == first and target.attr in fields


def _is_read(node: ast.Attribute, known: Collection[str]) -> bool:
    return isinstance(node.ctx, ast.Load) and node.attr in known


def _mentions(node: ast.Lambda, name: str) -> bool:
    return any(
        (isinstance(part, ast.Name) and part.id == name)
        or (isinstance(part, ast.arg) and part.arg == name)
        for part in ast.walk(node)
    )


def _bound(node: ast.stmt, first: str) -> ast.stmt:
    """`self.field = value` as `self = an instance with another value of the field`."""
    assert isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
    given = [ast.Name(first, ast.Load()), ast.Constant(node.targets[0].attr), node.value]
    call = ast.Call(ast.Name(WITH_FIELD, ast.Load()), given, [])
    made = ast.Assign([ast.Name(first, ast.Store())], call)
    for part in (made, made.targets[0], call, call.func, *given[:2]):
        ast.copy_location(part, node)
    return made
