"""`RULES[i](x)`: one of several functions that is called by its position."""

from __future__ import annotations

import ast

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, TupleValue

#: Most functions among which a help writes out the choice.
_WRITTEN_OUT = 8


def of_several(interpreter: Interpreter, node: ast.Call, func: ast.Subscript, frame: Frame) -> Obj:
    """The function that is called.

    Raises:
        Stop: also where nothing says which one it is; the help writes the choice out.
    """
    try:
        return interpreter.evaluate(func, frame)
    except Stop as found:
        if found.diagnostic.code != "private-index":
            raise
    base = interpreter.heap.opened(interpreter.evaluate(func.value, frame))
    several = base.items if isinstance(base, TupleValue) else ()
    index, listed = interpreter.text(func.slice), interpreter.text(func.value)
    given = ", ".join(interpreter.text(each) for each in node.args)
    calls = [f"{listed}[{k}]({given})" for k in range(len(several))]
    choice = "".join(f"{made} if {index} == {k} else " for k, made in enumerate(calls[:-1]))
    few = 0 < len(several) <= _WRITTEN_OUT and not node.keywords
    raise interpreter.stop(
        node, "private-index",
        f"which function of {listed} is called is not known while checking",
        "one call after the other, each with the position at which it is made",
        f"({choice}{calls[-1]})" if few else "an `if` for each of the functions",
    )  # fmt: skip
