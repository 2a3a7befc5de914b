"""Whether what a loop over rows reads may be something else where its groups are read.

A comprehension in place of a group is evaluated after the loop.  So no object that a key, a test or
a value reads may change in between: by its name, by another name of it, in a function that is
defined here, or in one that it is given to.
"""

from __future__ import annotations

import ast
import builtins
from typing import Final

from metricdp.run.frame_places import changed, held_together

#: Annotations of parameters that nothing can change.
_FIXED: Final = frozenset({"int", "float", "str", "bool"})
#: Functions that change nothing that they are given.
_READS: Final = frozenset(
    {"abs", "bool", "enumerate", "float", "frozenset", "int", "len", "list", "max", "min", "range",
     "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)  # fmt: skip


def may_change(
    node: ast.FunctionDef, body: list[ast.stmt], loop: ast.stmt, names: set[str]
) -> bool:  # fmt: skip
    """Whether one of these names may hold an object that changes after it was given its value.

    Args:
        node: the function; `body`: its statements as they are read now.
    """
    names = names - _fixed(node, body) - (set(dir(builtins)) - _written(node, body))
    others = [each for each in body if each is not loop]
    whole = ast.FunctionDef(node.name, node.args, others, [])
    together = held_together(whole)
    alike = names.union(*(together.get(name, {name}) for name in names))
    if alike & set().union(*map(changed, others), set()):
        return True
    calls = (n for each in others for n in ast.walk(each) if isinstance(n, ast.Call))
    return any(alike & _given(call) for call in calls if not _only_reads(call.func))


def _fixed(node: ast.FunctionDef, body: list[ast.stmt]) -> set[str]:
    """Parameters and names that are numbers, texts and truth values."""
    found = {
        each.arg for each in ast.walk(node.args)
        if isinstance(each, ast.arg) and each.annotation is not None
        and ast.unparse(each.annotation) in _FIXED
    }  # fmt: skip
    for each in body:
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant):
            found |= {target.id for target in each.targets if isinstance(target, ast.Name)}
    return found


def _written(node: ast.FunctionDef, body: list[ast.stmt]) -> set[str]:
    found = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    for each in (n for statement in body for n in ast.walk(statement)):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            found.add(each.id)
    return found


def _given(call: ast.Call) -> set[str]:
    """Names in what a function is given, as it stands or in a container."""
    parts = [*call.args, *(named.value for named in call.keywords)]
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def _only_reads(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in _READS
    # Methods that change an object are among what `changed` finds.
    root = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(root, ast.Name) and root.id in ("dp", "metricdp")
