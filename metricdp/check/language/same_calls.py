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
from metricdp.check.values import public
from metricdp.check.values.objects import UNKNOWN, Closure, ListRef, Obj, TupleValue, Value
from metricdp.check.values.regions import Term
from metricdp.check.values.terms import kept, with_term

#: Arguments of a call by their names, as terms.
Arguments = tuple[tuple[str, Term], ...]


def argument_terms(interpreter: Interpreter, bound: Mapping[str, Obj]) -> Arguments | None:
    """The terms of the arguments of a call, before it runs: it may change the lists among them.
    None where one has no term."""
    parts: list[tuple[str, Term]] = []
    for name, value in bound.items():
        term = _of(interpreter, value)
        if term is None:
            return None
        parts.append((name, term))
    return tuple(parts)


def named(
    callee: Closure, arguments: Arguments | None, result: Obj, read: set[ast.AST]
) -> Obj:  # fmt: skip
    """The result of a call, under the term of the call where it has none of its own.

    Args:
        read: what was read for the call.
    """
    if not isinstance(result, Value) or not result.private or result.term is not None:
        return result
    if arguments is None or callee.frame is not None or BOXED in read:
        return result
    node = callee.node
    place = f"{callee.module.path}:{node.lineno}:{node.col_offset}"
    return with_term(result, kept(("rule", f"call {place}", *arguments)))


def _of(interpreter: Interpreter, value: Obj) -> Term | None:
    """The term of an argument: of a row, of a tuple or of a list, the terms of its parts.

    Terms of 1, 1.0 and True are one, and a function may tell them apart: their kinds belong to it.
    """
    value = interpreter.heap.opened(value) if isinstance(value, ListRef) else value
    if not isinstance(value, TupleValue):
        term = interpreter.domain.operand(value)
        return None if term is None else ("rule", f"argument {_kind(value)}", ("", term))
    inside: list[Any] = []
    for position, item in enumerate(value.items):
        term = _of(interpreter, item)
        if term is None:
            return None
        inside.append((str(position), term))
    shape = f"parts {value.kind} {value.is_list} {value.names}"
    return ("rule", shape, *inside)


def _kind(value: Obj) -> str:
    assert isinstance(value, Value)
    space = value.space
    held = f"{getattr(space, 'element', '')} {getattr(space, 'kind', '')}"
    literal = "" if value.literal is UNKNOWN else type(value.literal).__name__
    return f"{type(space).__name__} {held} {value.private} {public.kind(value)} {literal}"
