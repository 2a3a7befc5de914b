"""The places of a program that run row by row, as a reader is told of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from metricdp.check.domain.by_row import MORE, Loop
from metricdp.diagnostics.result import ByRow
from metricdp.run.rewrite import adds_alone, jumps, read_inside, written

if TYPE_CHECKING:
    from metricdp.check.language.interpreter import Interpreter


def by_row(interpreter: Interpreter, home: Any) -> tuple[ByRow, ...]:
    """One note per place, in the order of the file of the checked function, then of others.

    Args:
        home: the file of the checked function.
    """
    notes = interpreter.domain.by_row
    found = [(each.module, each.node, each.what) for each in notes.found.values()]
    for address, loop in notes.loops.items():
        place = loop.node if loop.written else loop.node.target
        found.append((loop.module, place, _why(interpreter, loop, notes.sums.get(address, {}))))
    told: dict[tuple[str, int, int], ByRow] = {}
    for module, node, what in found:
        span = module.span(node)
        key = ("" if module.path == home.path else module.path, span.line, span.column)
        if what and key not in told:
            told[key] = ByRow(span.line, span.column, what, key[0])
    return tuple(told[key] for key in sorted(told))


def _why(interpreter: Interpreter, loop: Loop, sums: dict[str, str]) -> str:
    """Why a loop over rows is not the sum of what its rounds add; "" where it is."""
    node, function = loop.node, loop.function
    names = interpreter.folds.get(node)
    if loop.what or not loop.written or names is None or node in interpreter.actions:
        return loop.what or MORE
    captured = read_inside(function) if isinstance(function, ast.FunctionDef) else frozenset()
    if not adds_alone(node, names, interpreter.actions):
        return MORE
    if not captured.isdisjoint(written(node)) or jumps(node.body):
        return MORE
    parts = (MORE for state in sums for name in names if state.startswith(f"{name}["))
    return next(filter(None, (sums.get(name, "") for name in names)), next(parts, ""))
