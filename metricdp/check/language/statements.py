"""Statements that bind nothing: expressions, `return`, `global`, `assert`, `raise`."""

from __future__ import annotations

import ast
import builtins

from metricdp.check.language.conditions import truth
from metricdp.check.language.interpreter import NONE, Interpreter
from metricdp.check.language.narrowing import assuming
from metricdp.check.source.statements import Jump
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Builtin, Obj


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


def raise_(
    interpreter: Interpreter, node: ast.Raise, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Jump]:
    """`raise ValueError(...)` where private data decide nothing: this way through ends here."""
    error = node.exc
    arguments: list[ast.expr] = []
    if isinstance(error, ast.Call):
        arguments, error = [*error.args, *(k.value for k in error.keywords)], error.func
    if interpreter.domain.decided or any(
        interpreter.has_private(interpreter.evaluate(a, frame)) for a in arguments
    ):
        raise _shown(interpreter, node, "an exception would show what private data decide",
                     "a value in every case", "return a default value instead")  # fmt: skip
    kind = interpreter.resolve(error.id, frame) if isinstance(error, ast.Name) else None
    known = getattr(builtins, kind.name, None) if isinstance(kind, Builtin) else None
    if node.cause is not None or not (isinstance(known, type) and issubclass(known, Exception)):
        raise interpreter.stop(
            node, "unsupported-syntax", "what this `raise` raises is no exception of Python",
            "raise ValueError(...), or another exception of Python", 'raise ValueError("...")',
        )  # fmt: skip
    interpreter.domain.drawn.passed()
    return True, Jump.RAISE


def assert_(
    interpreter: Interpreter, node: ast.Assert, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj | Jump | None]:
    """`assert` of something public: what follows is read where it holds."""
    test = truth(interpreter, node.test, frame)
    told = [] if node.msg is None else [interpreter.evaluate(node.msg, frame)]
    if test.private or interpreter.domain.decided or any(map(interpreter.has_private, told)):
        raise _shown(interpreter, node, "a failing assertion would show a private value",
                     "facts about public values",
                     "dp.clamp(value, lower, upper) makes the fact true")  # fmt: skip
    if test.literal is False:
        raise interpreter.stop(
            node, "unsupported-syntax", "this assertion never holds", "a fact that can be true",
            "remove the assertion, or the code behind it",
        )  # fmt: skip
    if test.origin != "public":
        interpreter.domain.drawn.passed()
    after = assuming(
        interpreter.domain, frame, test, True, lambda: interpreter.block(rest, frame)
    )  # fmt: skip
    return True, after


def _shown(interpreter: Interpreter, node: ast.AST, what: str, need: str, help: str) -> Stop:
    return interpreter.stop(node, "private-escape", what, need, help)


def pass_(interpreter: Interpreter, node: ast.Pass, frame: Frame) -> None:
    """`pass`."""


def return_(
    interpreter: Interpreter, node: ast.Return, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj]:
    """`return`, which ends the block."""
    return True, NONE if node.value is None else interpreter.evaluate(node.value, frame)
