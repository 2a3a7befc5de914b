"""Defaults of parameters: literals of a checked function, names and literals of a helper.

Python evaluates a default once, where the function is defined, and check reads it at every call: so
nothing in it may do anything.
"""

from __future__ import annotations

import ast
from typing import Any

from metricdp.check.source.program import NO_LITERAL, Module, stop

#: Expressions that only name a value, or build one of others.
_PLAIN = (
    ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.UnaryOp,
    ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip


def default_nodes(spec: ast.arguments) -> dict[str, ast.expr]:
    """Default expressions by parameter name, in the order in which Python evaluates them."""
    positional = [p.arg for p in (*spec.posonlyargs, *spec.args)]
    last = positional[len(positional) - len(spec.defaults) :]
    found = dict(zip(last, spec.defaults, strict=True))
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            found[parameter.arg] = default
    return found


def literal_defaults(spec: ast.arguments, module: Module) -> dict[str, Any]:
    """The defaults of a checked function's parameters, by name.

    Raises:
        Stop: one is no literal.
    """
    found: dict[str, Any] = {}
    for name, node in default_nodes(spec).items():
        try:
            found[name] = ast.literal_eval(node)
        except NO_LITERAL:
            raise stop(
                module, node, "unsupported-syntax", f"the default of `{name}` is no literal",
                "a number, a text, or a tuple or list of these, written out",
                f"{name}=1.0, or no default",
            ) from None  # fmt: skip
    return found


def plain_default(name: str, node: ast.expr, module: Module) -> None:
    """Raises:
    Stop: the default of a helper's parameter calls something, or is a loop or a branch.
    """
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Lambda):
            continue  # its body runs where it is called
        if not isinstance(part, _PLAIN):
            raise stop(
                module, node, "unsupported-syntax",
                f"the default of `{name}` is evaluated once, where its function is defined",
                "a literal or a name as the default", "pass the value as an argument",
            )  # fmt: skip
        pending += ast.iter_child_nodes(part)
