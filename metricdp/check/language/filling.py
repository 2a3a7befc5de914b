"""A loop over private rows that fills several lists, or counts rows by a key, as comprehensions.

Every name that it fills is an empty list, or an empty `defaultdict(int)` or `Counter`, that nothing
else knows.  What is read is what runs (`run.filling`): a list is `filter`, then `map`, and a
counter is `Counter(rows)`, which is read by public keys alone.
"""

from __future__ import annotations

import ast

from metricdp.check.language import counters
from metricdp.check.language.assignments import bind
from metricdp.check.language.attempts import perhaps
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.statements import written_names
from metricdp.check.values.dictionaries import is_dictionary, missing_of
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import ListRef, TupleValue, Value
from metricdp.run.filling import Filled, filled
from metricdp.spaces import Records


def fills_several(node: ast.For) -> bool:
    """Whether a loop fills more than one list, or counts: no comprehension alone says that."""
    found = filled(node) or []
    return len(found) > 1 or any(each.counts for each in found)


def fills(interpreter: Interpreter, node: ast.For, frame: Frame) -> bool:
    """Read a loop as the comprehensions that it means; whether it was read.

    Raises:
        Stop: the loop was read in another way before: a run knows one way of each loop.
    """
    found = filled(node)
    if found is None:
        return False
    done = _fills(interpreter, node, found, frame)
    interpreter.one_way(node, "filled" if done else "a loop")
    return done


def _fills(interpreter: Interpreter, node: ast.For, found: list[Filled], frame: Frame) -> bool:
    if interpreter.domain.decided:
        return False
    if (written_names(node) - {each.name for each in found}) & frame.names.keys():
        return False
    assert isinstance(node.iter, ast.Name)
    rows = interpreter.seen(interpreter.evaluate(node.iter, frame))
    private = isinstance(rows, Value) and rows.private and isinstance(rows.space, Records)
    if not private or not all(_is_empty(interpreter, each, frame) for each in found):
        return False
    return perhaps(interpreter, frame, lambda: _read(interpreter, node, found, frame))


def _is_empty(interpreter: Interpreter, each: Filled, frame: Frame) -> bool:
    """Whether a name is an empty list or counter that nothing else knows."""
    held = frame.names.get(each.name)
    if not isinstance(held, ListRef) or held.number not in interpreter.heap.unread:
        return False
    inside = interpreter.heap.lists[held.number]
    if not isinstance(inside, TupleValue) or inside.items:
        return False
    if not each.counts:
        return inside == TupleValue((), True)
    return is_dictionary(inside) and (
        missing_of(inside) == "int" or inside.kind.endswith("Counter")
    )


def _read(interpreter: Interpreter, node: ast.For, found: list[Filled], frame: Frame) -> bool:
    """Raises:
    Stop: a round draws noise, or puts something public anywhere; or a comprehension is rejected.
    """
    state = interpreter.domain.state
    drawn, sampled = len(state.trace), len(state.samples)
    for each in found:
        made = interpreter.evaluate(each.rows, frame)
        seen = interpreter.seen(made)
        table = isinstance(seen, Value) and seen.private and isinstance(seen.space, Records)
        if not table or len(state.trace) > drawn or len(state.samples) > sampled:
            raise interpreter.stop(
                node, "unordered-loop", "this loop does more than to put rows into lists",
                "a comprehension for each list", "[f(row) for row in rows if p(row)]",
            )  # fmt: skip
        if each.counts:
            made = counters.counted(interpreter, made, each.made.value, [each.rows])
        bind(interpreter, each.made.targets[0], made, frame)
    interpreter.act(node, "filled", "")
    return True
