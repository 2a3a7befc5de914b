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
from metricdp.run.ids_asked import ids_asked
from metricdp.spaces import Owned
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
    if (persons := _persons(interpreter, node, inner, frame)) is not None:
        return persons
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


def _persons(interpreter: Interpreter, node: ast.Call, inner: ast.expr, frame: Frame) -> Obj | None:
    """`len({row.user for row in rows})` of a table whose rows belong to users: `count_ids` of it;
    None for anything else."""
    if isinstance(inner, ast.Call) and _makes_a_set(interpreter, inner, frame):
        inner = inner.args[0]
    elif not isinstance(inner, ast.SetComp):
        return None  # every row counts in a list
    asked = ids_asked(inner)
    if asked is None:
        return None
    source = _source(interpreter, asked[0], frame)
    if not isinstance(source.space, Owned) or source.space.column != asked[1]:
        return None
    rows = interpreter.evaluate(asked[0], frame)
    record = interpreter.named("count_ids", node)
    given = [rows, public.literal(asked[1])]
    found = apply(interpreter, record, given, {}, node, [asked[0].generators[0].iter, None], {})
    interpreter.act(node, "ids_asked", "")
    return found


def _source(interpreter: Interpreter, node: ast.ListComp | ast.SetComp, frame: Frame) -> Value:
    """What a comprehension goes through first, as if it had not been looked at."""
    state = interpreter.domain.state
    mark, lists = state.checkpoint(), dict(interpreter.heap.lists)
    source = interpreter.seen(interpreter.evaluate(node.generators[0].iter, frame))
    state.rollback(mark)
    interpreter.heap.lists = lists
    return source if isinstance(source, Value) else Value("public")


def _private_rows(interpreter: Interpreter, node: ast.SetComp, frame: Frame) -> Obj | None:
    """The rows that a set comprehension makes of private ones, each as often as it is made."""
    if not _source(interpreter, node, frame).private:
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
