"""What a helper gives for one row, as a term: the helper, and the terms of its arguments.

A function at the top of a file that adds no noise and calls no black box is a function of its
arguments and of constants.  So two calls of it on equal terms are equal in every row, however long
the terms of what it does would be: `category(row) == "a"` and `category(row) == "b"` hold in no row
at once.  A term of its own that a result has already says more, and is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from metricdp.check.language.interpreter import BOXED, Interpreter
from metricdp.check.values.objects import Closure, ListRef, Obj, TupleValue, Value
from metricdp.check.values.regions import Term
from metricdp.check.values.terms import kept, with_term


def named(
    interpreter: Interpreter,
    callee: Closure,
    arguments: Mapping[str, Obj],
    result: Obj,
    read: set[ast.AST],
) -> Obj:
    """The result of a call, under the term of the call where it has none of its own.

    Args:
        read: what was read for the call.
    """
    if not isinstance(result, Value) or not result.private or result.term is not None:
        return result
    if callee.frame is not None or BOXED in read:
        return result
    parts: list[tuple[str, Term]] = []
    for name, value in arguments.items():
        term = _of(interpreter, value)
        if term is None:
            return result
        parts.append((name, term))
    node = callee.node
    place = f"{callee.module.path}:{node.lineno}:{node.col_offset}"
    return with_term(result, kept(("rule", f"call {place}", *parts)))


def _of(interpreter: Interpreter, value: Obj) -> Term | None:
    """The term of an argument: of a row, of a tuple or of a list, the terms of its parts."""
    value = interpreter.heap.opened(value) if isinstance(value, ListRef) else value
    if not isinstance(value, TupleValue):
        return interpreter.domain.term(value)
    inside: list[Any] = []
    for position, item in enumerate(value.items):
        term = _of(interpreter, item)
        if term is None:
            return None
        inside.append((str(position), term))
    shape = f"parts {value.kind} {value.is_list} {value.names}"
    return ("rule", shape, *inside)
