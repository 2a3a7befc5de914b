"""`zip(*rows)`: the fields of the rows of a table, each as a table of its own."""

from __future__ import annotations

import ast

from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Obj, TupleValue, Value
from metricdp.spaces import Records, Row

_ROW = ".row"


def columns(interpreter: Interpreter, rows: Obj, node: ast.Call) -> Obj | None:
    """`zip(*rows)`: a table per field; None of anything but a table of tuples."""
    rows = interpreter.seen(rows)
    row = rows.space.row if isinstance(rows, Value) and isinstance(rows.space, Records) else None
    if not isinstance(row, Row) or row.kind != "tuple":
        return None
    record, found = interpreter.named("map", node), []
    for position in range(len(row.fields)):
        field = ast.Subscript(ast.Name(_ROW, ast.Load()), ast.Constant(position), ast.Load())
        one = ast.arguments([], [ast.arg(_ROW)], None, [], [], None, [])
        function = ast.Lambda(one, field)
        for part in ast.walk(function):
            ast.copy_location(part, node)
        closure = Closure(function, interpreter.module, Frame({}), "the column")
        found.append(apply(interpreter, record, [closure, rows], {}, node, [None, None], {}))
    interpreter.act(node, "columns", str(len(found)))
    return TupleValue(tuple(found))
