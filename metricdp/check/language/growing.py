"""Lists that the program made become longer: `append`, `extend`, `+=`.

A list comprehension makes a list that nothing else holds.  Where the function that names it makes
it longer, the name refers to the list; everywhere else what it holds is all that counts.
"""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.loops.lengths import filled, length, longer
from metricdp.check.values import public, total_calls
from metricdp.check.values.dictionaries import is_mapping
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import ListRef, Obj, TupleValue, Value


def grow(interpreter: Interpreter, base: ListRef, name: str, added: Obj, node: ast.AST) -> None:
    """Items are added to the end of a list.

    Args:
        name: "append", of one item, or "extend", of all items of something.
    """
    interpreter.may_change(base, node)
    held = interpreter.heap.lists[base.number]
    if name == "extend" and interpreter.domain.decided:
        totality.shown(interpreter, node, total_calls.extended(interpreter.heap.opened(added)))
    if name == "append":
        items: tuple[Obj, ...] | None = (added,)
    else:
        inside = interpreter.heap.opened(added)
        items = interpreter.items(inside, node) if isinstance(inside, TupleValue) else None
    if isinstance(held, TupleValue) and items is not None:
        interpreter.heap.lists[base.number] = msgspec.structs.replace(
            held, items=(*held.items, *items)
        )
        return
    if interpreter.has_private(held) or interpreter.has_private(added):
        raise interpreter.stop(
            node, "unsupported-call",
            "a list of private values whose length is not known here has no rule",
            "a sum, a comprehension, or a list of known length",
            "[f(row) for row in rows]   or   total += value",
        )  # fmt: skip
    interpreter.handed_on([added], node)
    # A list that is appended is one item, whatever it holds.
    more = TupleValue((added,)) if name == "append" else interpreter.heap.opened(added)
    interpreter.heap.lists[base.number] = filled(
        public.origin(held, interpreter.seen(added)), (held, more), longer(held, length(more))
    )


def as_list(interpreter: Interpreter, node: ast.Assign, value: Obj) -> Obj:
    """What `xs = [f(x) for x in ys]` binds: the list itself, where the function makes it longer."""
    (target, *more) = node.targets
    if more or not isinstance(target, ast.Name) or not isinstance(node.value, ast.ListComp):
        return value
    if not isinstance(value, TupleValue | Value) or interpreter.has_private(value):
        return value
    function = interpreter.active[-1] if interpreter.active else None
    if not isinstance(function, ast.FunctionDef):
        return value
    named = target.id in interpreter.ownership.grown(function)
    return interpreter.heap.hold(value) if named else value


def extended(interpreter: Interpreter, node: ast.AugAssign, name: str, frame: Frame) -> bool:
    """`xs += ys` of a list that the program made, outside of loops and of what private data decide:
    the list becomes longer, under all of its names."""
    held = frame.names.get(name)
    if not isinstance(held, ListRef) or not isinstance(node.op, ast.Add):
        return False
    if interpreter.domain.decided or interpreter.endings or interpreter.heap.rounds:
        return False
    if is_mapping(interpreter.heap.lists[held.number]):
        return False
    value = interpreter.evaluate(node.value, frame)
    interpreter.act(node, "extended", "")
    grow(interpreter, held, "extend", value, node)
    return True
