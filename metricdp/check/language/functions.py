"""Functions of the program: where they are defined, and how a call goes into them."""

from __future__ import annotations

import ast

from metricdp.check.language.assignments import outside
from metricdp.check.language.binding import bind_function
from metricdp.check.language.interpreter import Interpreter, place
from metricdp.check.language.remembering import remembered
from metricdp.check.source.declared import default_nodes
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Obj

#: Most functions of the program that are inside of each other.
MAX_DEPTH = 60


def enter(
    interpreter: Interpreter,
    callee: Closure,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> Obj:
    """The result of a function of the program; no function is read inside of itself."""
    bound = bind_function(interpreter, callee, arguments, keywords, node)
    if any(f is callee.node for f in interpreter.active) or len(interpreter.active) >= MAX_DEPTH:
        raise interpreter.stop(
            node, "recursion", f"`{callee.name}` calls itself",
            "a function without recursion", "write it as a loop",
        )  # fmt: skip
    interpreter.path.append(place(node))
    try:
        return remembered(interpreter, callee, bound, lambda: interpreter.run(callee, bound))
    finally:
        interpreter.path.pop()


def lambda_(interpreter: Interpreter, node: ast.Lambda, frame: Frame) -> Obj:
    """`lambda x: ...`."""
    return Closure(
        node, interpreter.module, frame, "the lambda", _defaults(interpreter, node.args, frame)
    )


def definition(interpreter: Interpreter, node: ast.FunctionDef, frame: Frame) -> None:
    """A nested function, bound to its name."""
    if node.decorator_list:
        raise interpreter.stop(
            node, "unknown-decorator",
            f"the nested function `{node.name}` has a decorator",
            "nested functions without decorators", "remove the decorator",
        )  # fmt: skip
    if node.name in frame.outside:
        raise outside(interpreter, node)
    defaults = _defaults(interpreter, node.args, frame)
    frame.names[node.name] = Closure(node, interpreter.module, frame, node.name, defaults)


def _defaults(interpreter: Interpreter, spec: ast.arguments, frame: Frame) -> dict[str, Obj]:
    """Default arguments of a nested function: evaluated here and now; lists stay aliases."""
    return {
        name: interpreter.evaluate(default, frame) for name, default in default_nodes(spec).items()
    }
