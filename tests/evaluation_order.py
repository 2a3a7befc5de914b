"""The order in which Python evaluates the calls of a syntax tree, and of the tree that runs.

Both trees are walked by one function, so the law that compares them says: every call of a checked
function is in the compiled one exactly once, and in the same order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from metricdp.check.verdicts.verify import Outcome
from metricdp.run import rewrite
from metricdp.run.filling import filled
from metricdp.run.plainer import body_of, in_branches, over_parts, plain_form

#: Fields in the order of evaluation, where it is not that of the fields.
_ORDER = {
    ast.Assign: ("value", "targets"),
    ast.AnnAssign: ("value", "target"),
    ast.For: ("iter", "target", "body", "orelse"),
    ast.comprehension: ("iter", "target", "ifs"),
    ast.ListComp: ("generators", "elt"),
    ast.GeneratorExp: ("generators", "elt"),
    ast.DictComp: ("generators", "key", "value"),
    ast.FunctionDef: ("args", "body"),
    ast.arguments: ("defaults", "kw_defaults"),
}


def evaluated(
    node: Any, actions: Mapping[ast.AST, Any] = MappingProxyType({})
) -> Iterator[ast.AST]:
    """Every expression below a node, each after its parts, in the order of evaluation.

    Args:
        actions: of a tree that is read: a loop over the parts of a text is read as its branches,
            one that fills lists as its comprehensions.
    """
    if isinstance(node, list):
        for item in node:
            yield from evaluated(item, actions)
        return
    loop = in_branches(node) if isinstance(node, ast.For) else None
    if isinstance(loop, ast.For) and (actions.get(loop) or ("",))[0] == "parts":
        most, _, numbered = actions[loop][1].partition(":")
        yield from evaluated(over_parts(loop, int(most), numbered == "1"), actions)
        return
    if isinstance(node, ast.For):
        for form in plain_form(node) or [node]:
            if isinstance(form, ast.For) and (actions.get(form) or ("",))[0] == "filled":
                yield from evaluated([each.made for each in filled(form) or ()], actions)
                return
    if not isinstance(node, ast.AST) or (isinstance(node, ast.AnnAssign) and node.value is None):
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "_machine.each":
        place, rows, entry, *tests = node.args  # rows are filtered, then mapped
        yield from evaluated([place, rows, *tests, entry], actions)
    elif isinstance(node, ast.Dict):
        for pair in zip(node.keys, node.values, strict=True):
            yield from evaluated(list(pair), actions)
    else:
        for field in _ORDER.get(type(node), node._fields):
            yield from evaluated(getattr(node, field), actions)
    if isinstance(node, ast.expr):
        yield node


class _Noting(rewrite._Rewrite):
    """The rewriting that runs, with what became of every call."""

    def __init__(self, actions: rewrite.Actions) -> None:
        super().__init__(actions, {})
        self.made: list[tuple[ast.AST, Any]] = []

    def visit(self, node: ast.AST) -> Any:
        made = super().visit(node)
        if isinstance(node, ast.Call):
            self.made.append((node, made))
        return made

    def _together(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr | None:
        made = super()._together(node)
        if made is not None:  # the mechanism of every round, asked at once
            self.made.append((node.elt, made))
        return made

    def _appended(self, node: ast.For) -> ast.stmt | None:
        made = super()._appended(node)
        if made is not None:  # the same, and each release is appended to a list
            (round_,) = node.body
            assert isinstance(round_, ast.Expr) and isinstance(round_.value, ast.Call)
            assert isinstance(made, ast.Expr)
            self.made += [(call, made.value) for call in (round_.value.args[0], round_.value)]
        return made


def differences(node: ast.AST, actions: Mapping[ast.AST, Any]) -> list[str]:
    """Calls of a checked function that the compiled one lacks, repeats or moves; [] if none."""
    noting = _Noting(actions)
    compiled = noting.visit(node)
    # A generator function is read, and runs, as the one that makes the list of what it yields.
    read = [node.args, body_of(node)] if isinstance(node, ast.FunctionDef) else node
    calls = [n for n in evaluated(read, actions) if isinstance(n, ast.Call)]
    came_from: dict[int, list[ast.AST]] = {}
    for call, made in noting.made:
        came_from.setdefault(id(made), []).append(call)
    order = [call for part in evaluated(compiled) for call in came_from.get(id(part), ())]
    if [id(call) for call in order] == [id(call) for call in calls]:
        return []
    wrong = [f"{ast.unparse(c)}: {order.count(c)} times" for c in calls if order.count(c) != 1]
    return wrong or [f"another order: {[ast.unparse(c) for c in order]}"]


def wrong_in(outcome: Outcome) -> list[str]:
    """Differences of every function that a proved program runs."""
    interpreter = outcome.program
    if outcome.verdict != "proved" or interpreter is None:
        return []
    return [d for node in interpreter.used for d in differences(node, interpreter.actions)]
