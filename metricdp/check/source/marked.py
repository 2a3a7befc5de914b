"""Decorators that may be metricdp's although their names cannot be read.

A function that its author takes for checked is never passed over in silence: where nothing says
that the decorator is another library's, the function is reported and rejected.
"""

from __future__ import annotations

import ast

from metricdp.check.source.program import Module
from metricdp.check.values.objects import External, Library

#: Decorators of metricdp.
KINDS = ("measurement", "transformation", "black_box")


def unread(module: Module, node: ast.expr) -> str:
    """Why a decorator that is none of metricdp's may still be meant as one; "" if it is not."""
    last = node.attr if isinstance(node, ast.Attribute) else ""
    while isinstance(node, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    head = node.id
    named = (last or head) in KINDS
    statements = module.bindings.get(head, [])
    if not statements:
        starred = named and module.star_import() is not None
        return f"`{head}` comes from `import *`" if starred else ""
    found = module.lookup(head)
    if isinstance(found, Library):
        if not f"{found.dotted}.".startswith("metricdp."):
            return ""
        return f"metricdp has no decorator `{last or head}`"
    if isinstance(found, External):
        mentioned = "metricdp" in module.source or head == "dp"
        if any(_from_metricdp(s) for s in statements) or (named and mentioned):
            return found.reason
    return ""


def _from_metricdp(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and (statement.module or "").split(".")[0] == "metricdp"
    return isinstance(statement, ast.Import) and any(
        alias.name.split(".")[0] == "metricdp" for alias in statement.names
    )
