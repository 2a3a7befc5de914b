"""`.index(value)` and `.count(value)`: of lists and tuples that the program makes, of what is
released, and of private tables and vectors, where `count` is the number of rows that equal a public
value."""

from __future__ import annotations

import ast

from metricdp.check.language import totality
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.lookups import position_of
from metricdp.check.values import public, total
from metricdp.check.values.dictionaries import is_dictionary
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import UNKNOWN, Closure, Obj, TupleValue, Value
from metricdp.spaces import Moment, Records, Scalar, Vector

#: Methods that look for a value.
FINDING = frozenset({"index", "count"})
_ROW, _KEY = ".row", ".key"


def found_in(
    interpreter: Interpreter, base: Obj, name: str, value: Obj, node: ast.Call
) -> Obj | None:
    """What `.index` or `.count` gives; None where there is no rule."""
    opened, value = interpreter.heap.opened(base), interpreter.seen(value)
    if isinstance(opened, Value) and opened.private:
        return _equal(interpreter, opened, value, node) if name == "count" else None
    if isinstance(opened, TupleValue):
        if is_dictionary(opened) or opened.names or opened.kind:
            return None
        items = tuple(map(interpreter.seen, opened.items))
    elif isinstance(opened, Value) and public.kind(opened) != "text":
        items = ()
    else:
        return None
    if any(map(interpreter.has_private, items)):
        return None
    if interpreter.has_private(value):
        return position_of(interpreter, items, value, node) if name == "index" else None
    interpreter.act(node, "list_method", name)
    origin = public.origin(interpreter.seen(opened), value, *items)
    at = _known_position(items, value) if isinstance(opened, TupleValue) else UNKNOWN
    if interpreter.domain.decided:
        plain = total.binary("in", value, TupleValue(items)) is not None and bool(items)
        sure = plain and (name == "count" or at is not UNKNOWN)
        totality.shown(interpreter, node, total.sure(sure))
    if name == "index" and type(at) is int:
        return public.literal(at)
    return Value(origin, Scalar("Int"), source="computed", holds="int")


def _known_position(items: tuple[Obj, ...], value: Obj) -> object:
    """The first position of a value that is written, among values that are; else UNKNOWN."""
    literals = [getattr(each, "literal", UNKNOWN) for each in (value, *items)]
    if any(type(each) not in (int, str) for each in literals):
        return UNKNOWN
    wanted, *held = literals
    return held.index(wanted) if wanted in held else UNKNOWN


def _equal(interpreter: Interpreter, rows: Value, value: Obj, node: ast.Call) -> Obj | None:
    """The number of rows of a table, or of entries of a vector, that equal a public value."""
    space = rows.space
    single = isinstance(space, Records) and isinstance(space.row, Scalar | Moment)
    if not (single or isinstance(space, Vector)) or interpreter.has_private(value):
        return None
    if not isinstance(value, Value):
        return None
    if interpreter.domain.decided:
        totality.holds(interpreter, node, total.hashed(value))
    interpreter.act(node, "count_equal", "")
    equal = ast.Compare(ast.Name(_ROW, ast.Load()), [ast.Eq()], [ast.Name(_KEY, ast.Load())])
    one = ast.arguments([], [ast.arg(_ROW)], None, [], [], None, [])
    function = ast.Lambda(one, equal)
    for part in ast.walk(function):
        ast.copy_location(part, node)
    same = Closure(function, interpreter.module, Frame({_KEY: value}), "the count")
    nodes: list[ast.expr | None] = [None, None]
    return apply(interpreter, interpreter.named("count", node), [rows, same], {}, node, nodes, {})
