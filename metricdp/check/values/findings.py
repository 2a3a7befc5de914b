"""Rejections while interpreting: an exception that carries a diagnostic, and its consequences."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from metricdp.check.values.objects import SourceFile
from metricdp.diagnostics import Diagnostic, Note, Span

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


def private_return(
    module: SourceFile,
    node: ast.AST,
    name: str,
    counts: Sequence[Span] = (),
    private: Sequence[bool] = (),
) -> Diagnostic:
    """The function `name` returns something private at this place.

    Args:
        counts: places of numbers of rows that it is made of, without noise.
        private: whether an item is, of a tuple.
    """
    value = node.value if isinstance(node, ast.Return) else None
    text = ast.unparse(value) if isinstance(value, ast.Name | ast.Call | ast.Subscript) else "value"
    text = text if len(text) <= _SHOWN else "value"
    place = module.span(node)
    counts = [each for each in counts if place.line <= each.line <= place.end_line]
    if counts and text == "value":
        count = _written(module, counts[0])
        return report(
            module, node, "private-return",
            f"`{name}` returns a value made of `{count}` without noise, and an exact number of "
            "rows shows whether one person is among them",
            "released and public values only", f"dp.laplace({count}, epsilon=eps)",
        )  # fmt: skip
    help = f"return dp.laplace({text}, epsilon=eps)"
    if isinstance(value, ast.Tuple) and len(private) == len(value.elts):
        items = [
            f"dp.laplace({ast.unparse(item)}, epsilon=eps)" if secret else ast.unparse(item)
            for item, secret in zip(value.elts, private, strict=True)
        ]
        help = f"return {', '.join(items)}"
    return report(
        module, node, "private-return", f"`{name}` returns a private value without noise",
        "released and public values only", help,
    )  # fmt: skip


def _written(module: SourceFile, place: Span) -> str:
    """The text at a place of one line."""
    if place.end_line != place.line or place.line > len(module.lines):
        return "the number of rows"
    return module.lines[place.line - 1][place.column - 1 : place.end_column - 1]
