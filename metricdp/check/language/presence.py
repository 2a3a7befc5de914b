"""Values that may be missing, read where the program has asked whether they are there.

In `if x is not None: ...` a read of `x` gives a value that is there.  Forms tell which value was
asked: two reads with one form are one value, and a state of a loop has another form in each
reading.  A run does the same at the same node, so that one node may not do it in one call of its
function and not in another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from metricdp.check.domain.present import instead, is_there, may_be_missing, present
from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.total import TOTAL

Reading = Callable[[Interpreter, Any, Frame], Obj]


def read_by(reading: Reading) -> Reading:
    """How a name, a field or an item is read, and that it is there where that is known."""

    def read(interpreter: Interpreter, node: ast.expr, frame: Frame) -> Obj:
        value = reading(interpreter, node, frame)
        if isinstance(value, Value) and may_be_missing(value):
            return _read(interpreter, node, value)
        return value

    return read


def _read(interpreter: Interpreter, node: ast.expr, value: Value) -> Obj:
    known = is_there(value, interpreter.domain.supposed)
    here = instead(value) if known else None
    before = interpreter.there.setdefault(node, here)
    if before != here or type(before) is not type(here):
        raise interpreter.stop(
            node, "unsupported-call",
            f"`{interpreter.text(node)}` may be missing in one call of its function, and is known "
            "to be there in another",
            "one meaning per read", "write one function for each, or ask `is not None` inside",
        )  # fmt: skip
    if not known:
        return value
    found = present(interpreter.domain, value, interpreter.module, node, interpreter.text(node))
    totality.shown(interpreter, node, TOTAL)
    return found
