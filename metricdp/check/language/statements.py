"""Statements that bind nothing: expressions, `return`, `global`, and those that are refused."""

from __future__ import annotations

import ast

from metricdp.check.language.interpreter import NONE, Interpreter
from metricdp.check.source.advice import statement_advice
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj


def expression(interpreter: Interpreter, node: ast.Expr, frame: Frame) -> None:
    """An expression on a line of its own; a literal is a comment."""
    if not isinstance(node.value, ast.Constant):
        interpreter.evaluate(node.value, frame)


def outside_names(interpreter: Interpreter, node: ast.Global | ast.Nonlocal, frame: Frame) -> None:
    """`global x`, `nonlocal x`: names that this function may not bind."""
    if isinstance(node, ast.Global) and frame.parent is not None:
        raise interpreter.stop(
            node, "unsupported-syntax", "`global` stands in a nested function",
            "names of the function itself", "pass the value as an argument",
        )  # fmt: skip
    frame.outside |= set(node.names)


def raise_(interpreter: Interpreter, node: ast.Raise, frame: Frame) -> None:
    """`raise`, which is refused, with the reason."""
    if interpreter.domain.private_tests or (
        node.exc is not None
        and isinstance(node.exc, ast.Call)
        and any(interpreter.has_private(interpreter.evaluate(a, frame)) for a in node.exc.args)
    ):
        raise interpreter.stop(
            node, "private-escape",
            "an exception would show what private data decide",
            "a value in every case", "return a default value instead",
        )  # fmt: skip
    raise interpreter.stop(
        node, "unsupported-syntax", "`raise` is not part of the checked language",
        "assignments, if, for, return and calls", "return a default value instead",
    )  # fmt: skip


def assert_(interpreter: Interpreter, node: ast.Assert, frame: Frame) -> None:
    """`assert`, which is refused, with the reason."""
    if interpreter.domain.private_tests or interpreter.has_private(
        interpreter.evaluate(node.test, frame)
    ):
        raise interpreter.stop(
            node, "private-escape",
            "a failing assertion would show a private value",
            "facts about public values", "dp.clamp(value, lower, upper) makes the fact true",
        )  # fmt: skip
    raise interpreter.stop(
        node, "unsupported-syntax", "`assert` is not part of the checked language",
        "assignments, if, for, return and calls", statement_advice(node)[1],
    )  # fmt: skip


def pass_(interpreter: Interpreter, node: ast.Pass, frame: Frame) -> None:
    """`pass`."""


def return_(
    interpreter: Interpreter, node: ast.Return, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj]:
    """`return`, which ends the block."""
    return True, NONE if node.value is None else interpreter.evaluate(node.value, frame)
