"""Which names of a function may hold one object, and what a statement may change in place.

What `mutate` and `group_by` are given is computed where a column or a group is asked for, which is
later than it is written.  So a list that was changed in between is another value by then.
"""

from __future__ import annotations

import ast
from typing import Final

#: Methods that change lists, sets and dictionaries in place.
_CHANGES: Final = frozenset({
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard",
    "update", "setdefault", "popitem", "fill", "put", "resize", "itemset", "partition",
    "appendleft", "popleft", "extendleft", "rotate", "intersection_update", "difference_update",
    "symmetric_difference_update",
})  # fmt: skip


def changed(node: ast.AST) -> set[str]:
    """Names whose objects a statement may change in place, at any depth."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript | ast.Attribute) and not isinstance(each.ctx, ast.Load):
            found.add(_begins(each))
        elif isinstance(each, ast.AugAssign):
            found.add(_begins(each.target))
        elif _is_change(each):
            assert isinstance(each, ast.Call)
            found.add(_begins(each.func))
    return found - {""}


def held_together(function: ast.FunctionDef) -> dict[str, set[str]]:
    """Name -> the names that may hold the same object, or a part of it, itself among them.

    What a method gives, and what a function of a module gives, is taken to be new.
    """
    found: dict[str, set[str]] = {}
    for each in ast.walk(function):
        parts: list[ast.AST] = []
        if isinstance(each, ast.Assign):
            parts = [*each.targets, each.value]
        elif isinstance(each, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and each.value:
            parts = [each.target, each.value]
        elif isinstance(each, ast.For | ast.comprehension):
            parts = [each.target, each.iter]
        elif _is_change(each):
            assert isinstance(each, ast.Call)
            parts = [each.func, *each.args, *(named.value for named in each.keywords)]
        names = {name for part in parts for name in _held(part)}
        joint = names.union(*(found.get(name, {name}) for name in names))
        found |= dict.fromkeys(joint, joint)
    return found


def _is_change(node: ast.AST) -> bool:
    of_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return of_method and node.func.attr in _CHANGES  # type: ignore[attr-defined]


def _held(node: ast.AST) -> set[str]:
    """Names whose objects may be in a value."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return set()
    return {name for inner in ast.iter_child_nodes(node) for name in _held(inner)}


def _begins(node: ast.AST) -> str:
    """The name that an item, or an attribute, is reached from."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
