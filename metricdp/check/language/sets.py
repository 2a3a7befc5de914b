"""Sets of public things, and how many different values private rows have: `len` of their set."""

from __future__ import annotations

import ast

from metricdp.check.language import totality
from metricdp.check.language.applying import apply
from metricdp.check.language.builtin_calls import call_builtin
from metricdp.check.language.comprehensions import comprehension, consumed
from metricdp.check.language.displays import public_set
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public, total
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Builtin, Obj, TupleValue, Value
from metricdp.spaces.texts import Cells

_SETS = ("set", "frozenset")


def set_comprehension(interpreter: Interpreter, node: ast.SetComp, frame: Frame) -> Obj:
    """`{f(v) for v in values}` of public things.

    Raises:
        Stop: something private is in it: how many different values there are can be seen.
    """
    made = interpreter.seen(comprehension(interpreter, node, frame))
    items = made.items if isinstance(made, TupleValue) else (made,)
    if isinstance(made, TupleValue) or interpreter.has_private(made):
        made = public_set(interpreter, items, node)
    else:
        made = Value(public.origin(made), source="computed")
    interpreter.act(node, "plain", "")
    return made


def different(interpreter: Interpreter, node: ast.Call, frame: Frame) -> Obj | None:
    """`len({f(row) for row in rows})`, `len(set(rows))`: `count_distinct` of private rows, and the
    size of a public set; None for anything else."""
    if len(node.args) != 1 or node.keywords:
        return None
    (inner,) = node.args
    if isinstance(inner, ast.SetComp):
        rows = _private_rows(interpreter, inner, frame)
        if rows is None:
            return None
    elif isinstance(inner, ast.Call) and _makes_a_set(interpreter, inner, frame):
        (given,) = inner.args
        if isinstance(given, ast.GeneratorExp):
            rows = consumed(interpreter, given, frame)
        else:
            rows = interpreter.evaluate(given, frame)
        seen = interpreter.seen(rows)
        if not isinstance(seen, Value) or not seen.private:
            made = call_builtin(interpreter, "set", [rows], {}, inner, [given], {})
            interpreter.act(inner, "plain", "")
            interpreter.act(node, "plain", "")
            return call_builtin(interpreter, "len", [made], {}, node, [inner], {})
        if isinstance(seen.space, Cells):
            record, nodes = interpreter.named("different_parts", inner), [given]
            parts = apply(interpreter, record, [seen], {}, inner, nodes, {})
            size = interpreter.named("len", node)
            return apply(interpreter, size, [parts], {}, node, [inner], {})
        interpreter.act(inner, "identity", "")
    else:
        return None
    record = interpreter.named("count_distinct", node)
    return apply(interpreter, record, [rows], {}, node, [inner], {})


def _private_rows(interpreter: Interpreter, node: ast.SetComp, frame: Frame) -> Obj | None:
    """The rows that a set comprehension makes of private ones, each as often as it is made."""
    state = interpreter.domain.state
    mark, lists = state.checkpoint(), dict(interpreter.heap.lists)
    source = interpreter.seen(interpreter.evaluate(node.generators[0].iter, frame))
    state.rollback(mark)
    interpreter.heap.lists = lists
    if not isinstance(source, Value) or not source.private:
        return None
    made = comprehension(interpreter, node, frame)
    totality.shown(interpreter, node, total.TOTAL)
    return made


def _makes_a_set(interpreter: Interpreter, node: ast.Call, frame: Frame) -> bool:
    if not isinstance(node.func, ast.Name) or len(node.args) != 1 or node.keywords:
        return False
    found = interpreter.resolve(node.func.id, frame)
    starred = isinstance(node.args[0], ast.Starred)
    return isinstance(found, Builtin) and found.name in _SETS and not starred
