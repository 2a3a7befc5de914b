"""Generator functions: the list of what they yield, where all of it is consumed at once."""

from __future__ import annotations

import ast

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.statements import own_statements
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import Closure, Obj


def listed(interpreter: Interpreter, callee: Closure, bound: dict[str, Obj], node: ast.AST) -> Obj:
    """The list of what a generator function yields, where all of it is consumed at once.

    Python runs the function piece by piece, between the rounds of who consumes it.  That makes no
    difference where it adds no noise, and nothing changes a list that it reads.

    Raises:
        Stop: it is kept or passed on, it returns something, or its pieces would make a difference.
    """
    if node not in interpreter.consumed:
        raise interpreter.stop(
            node, "unsupported-syntax", f"the generator `{callee.name}(...)` is not consumed here",
            "a generator in a loop, in a comprehension, or as the argument of list(...)",
            f"list({interpreter.text(node)})" if isinstance(node, ast.expr) else "list(...)",
        )  # fmt: skip
    if callee.frame is not None:
        raise interpreter.stop(
            node, "unsupported-syntax", f"the generator function `{callee.name}` is a nested one",
            "a generator function at the top of a file",
            f"move `{callee.name}` out of the function",
        )  # fmt: skip
    for inner in own_statements(callee.node):
        if isinstance(inner, ast.Return) and inner.value is not None:
            raise stop(
                callee.module, inner, "unsupported-syntax",
                "`return` of a value in a generator function, which nobody sees",
                "`yield` alone", "return",
            )  # fmt: skip
    interpreter.handed_on(list(bound.values()), node)
    state = interpreter.domain.state
    spent = len(state.trace), len(state.samples)
    lists = dict(interpreter.heap.lists)
    made = interpreter.run(callee, bound)
    interpreter.unchanged(lists, node, "a generator")
    if (len(state.trace), len(state.samples)) != spent:
        raise interpreter.stop(
            node, "unsupported-syntax", f"the generator `{callee.name}` adds noise",
            "a generator of public things or of values of a row", "a function that returns a list",
        )  # fmt: skip
    return made
