"""How a rejection is told: at a limit of time, size or depth, and in the function's own names.

Rules write a budget as `eps` and `delta`; a function that has no such names gets its own public
parameters, or a number.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import msgspec

from metricdp.check.source.declared import Declaration
from metricdp.check.values.findings import report
from metricdp.diagnostics import Diagnostic, Note
from metricdp.effort import Exhausted

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState


def exhausted(
    declared: Declaration, spent: Exhausted | RecursionError, state: CheckState | None
) -> Diagnostic:
    """What a function is rejected with that was not read to its end.

    Args:
        state: where the reading stopped; None if the function was not begun.
    """
    if isinstance(spent, RecursionError):
        spent = Exhausted(
            "too-large", "what `{}` does is nested too deep to be read",
            "expressions, branches and calls that are nested less than a thousand levels deep",
            "give parts of it names of their own", local=True,
        )  # fmt: skip
    places = [(declared.module, declared.node)]
    if state is not None and state.stopped:
        places = state.stopped
    (module, node), (inner, innermost) = places[-1], places[0]
    if spent.local:
        module, node = inner, innermost
    notes: tuple[Note, ...] = ()
    if innermost is not node:
        notes = (Note(inner.span(innermost), "reading stopped here"),)
    message = spent.message.replace("{}", declared.name)
    return report(module, node, spent.code, message, spent.need, spent.help, notes=notes)


#: What stands for a budget in the text of a remedy: (words in names of parameters, a number).
_BUDGETS = {"eps": (("eps", "budget"), "1"), "delta": (("delta",), "1e-6")}


def in_own_names(declared: Declaration, found: Diagnostic) -> Diagnostic:
    """The finding with a remedy that reads only names which the function has."""
    help = found.help
    if not any(word in help for word in _BUDGETS) or found.span.file != declared.module.path:
        return found
    function = _around(declared, found.span.line)
    known = _names(function, declared.module.tree)
    for word, (parts, number) in _BUDGETS.items():
        if word not in known:
            own = [name for name in _numbers(function) if any(part in name for part in parts)]
            # As a value, and not as a word: "epsilon=eps", "slack="delta/2"", "(x, eps)".
            value = rf"(?:(?<=[=(\"])|(?<=, )(?=\w+[,)])){word}(?![\w=`])"
            help = re.sub(value, own[0] if own else number, help)
    return found if help == found.help else msgspec.structs.replace(found, help=help)


def _around(declared: Declaration, line: int) -> ast.FunctionDef:
    """The innermost function that this line belongs to."""
    inside, pending = [], [*ast.iter_child_nodes(declared.module.tree)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef) and _first(node) <= line <= (node.end_lineno or 0):
            inside.append(node)
        # No expression holds a function that is written as a statement.
        pending += [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr)]
    return max(inside, key=lambda node: node.lineno, default=declared.node)


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _names(function: ast.FunctionDef, tree: ast.Module) -> set[str]:
    nodes = [*ast.walk(function), *(n for s in tree.body for n in _top(s))]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


def _top(statement: ast.stmt) -> list[ast.AST]:
    return list(ast.walk(statement)) if isinstance(statement, ast.Assign | ast.AnnAssign) else []


def _numbers(function: ast.FunctionDef) -> list[str]:
    """Parameters that are declared as public real numbers."""
    spec = function.args
    return [
        each.arg
        for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
        if isinstance(each.annotation, ast.Name) and each.annotation.id == "float"
    ]
