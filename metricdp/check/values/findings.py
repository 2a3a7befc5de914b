"""Rejections while interpreting: an exception that carries a diagnostic, and its consequences."""

from __future__ import annotations

import ast

from metricdp.check.values.objects import SourceFile
from metricdp.diagnostics import Diagnostic, Note

#: Longest text of a value that a remedy repeats.
_SHOWN = 40


class Stop(Exception):
    """The function under check is rejected here; carries the `Diagnostic`."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class FollowUp(Stop):
    """A statement that cannot be read because an earlier one was rejected: nothing to report."""


def report(
    module: SourceFile,
    node: ast.AST,
    code: str,
    message: str,
    need: str = "",
    help: str = "",
    *,
    label: str = "",
    severity: str = "error",
    notes: tuple[Note, ...] = (),
) -> Diagnostic:
    """A diagnostic at a node of a module."""
    return Diagnostic(
        code,
        module.span(node),
        message,
        need,
        help,
        severity,  # type: ignore[arg-type]
        label,
        None,
        notes,
    )


def stop(
    module: SourceFile, node: ast.AST, code: str, message: str, need: str = "", help: str = ""
) -> Stop:
    """A rejection at a node of a module, to raise."""
    return Stop(report(module, node, code, message, need, help))


def private_return(module: SourceFile, node: ast.AST, name: str) -> Diagnostic:
    """The function `name` returns something private at this place."""
    value = node.value if isinstance(node, ast.Return) else None
    text = ast.unparse(value) if isinstance(value, ast.Name | ast.Call | ast.Subscript) else "value"
    text = text if len(text) <= _SHOWN else "value"
    return report(
        module, node, "private-return", f"`{name}` returns a private value without noise",
        "released and public values only", f"return dp.laplace({text}, epsilon=eps)",
    )  # fmt: skip
