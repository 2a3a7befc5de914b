"""Rounds of a loop that are read one by one, as if they were written out.

Each round of a `for` has addresses of its own, so that each draws the noise proved for it.  A round
that a private condition may end is followed by the others where it did not: the loop keeps a
truth value that it was left, as a program could itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from metricdp.check.language.assignments import bind
from metricdp.check.language.branches import either
from metricdp.check.language.conditions import truth
from metricdp.check.language.interpreter import Interpreter, place
from metricdp.check.loops.plans import Ending
from metricdp.check.source.statements import Jump, list_numbers, own_statements
from metricdp.check.values.dictionaries import is_dictionary
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, TupleValue, Unset, Value, View
from metricdp.check.values.public import literal
from metricdp.run.plainer import result_name

#: Most rounds of loops over written ranges, inside of each other, that are written out where one
#: round cannot stand for all.
WRITTEN_OUT = 64


def one_by_one(
    interpreter: Interpreter, node: ast.For, iterable: Obj, items: list[Obj], frame: Frame
) -> None:
    """A loop over things whose number is known."""
    inside = {number: interpreter.heap.lists[number] for number in list_numbers(iterable)}
    keys = _keys(interpreter, iterable)
    interpreter.over_rounds(node)
    # Every round has addresses of its own, so that each draws the noise proved for it.
    if items:
        interpreter.act(node.target, "unrolled", place(node.target))
    ending = Ending(interpreter.domain.private_tests, _left(node, frame))
    interpreter.endings.append(ending)
    for position, item in enumerate(items):

        def one(item: Obj = item, position: int = position) -> Obj | Jump | None:
            if isinstance(iterable, View):  # which shows what rounds before have stored
                shown = interpreter.heap.opened(iterable)
                assert isinstance(shown, TupleValue)
                item = shown.items[position]
            bind(interpreter, node.target, item, frame)
            return interpreter.block(node.body, frame)

        interpreter.path.append(f"{place(node.target)}#{position}")
        certain = not (ending.early or ending.hidden)
        if certain:
            ended = one()
        else:
            _perhaps(interpreter, ending, one, node, frame)
        if keys is None:
            interpreter.unchanged(inside, node, "a loop over a list")
        elif _keys(interpreter, iterable) != keys:
            raise interpreter.stop(
                node, "unsupported-syntax", "a loop over a dictionary changes its keys",
                "the same keys in every round", "store into another dictionary",
            )  # fmt: skip
        interpreter.path.pop()
        if certain and ended is Jump.BREAK:
            break
    interpreter.endings.pop()


def _left(node: ast.For | ast.While, frame: Frame) -> str:
    """The name of the truth value that a loop was left, where it can be; and nothing is returned
    yet by a loop that returns."""
    if not any(isinstance(each, ast.Break) for each in own_statements(node)):
        return ""
    flag, kept = f".left_{place(node)}", result_name(node)
    frame.names[flag] = literal(False)
    if kept in frame.names:
        frame.names[kept] = Unset(kept, "nothing is returned yet")
    return flag


def _perhaps(
    interpreter: Interpreter, ending: Ending, one: Callable[[], Any], node: ast.AST, frame: Frame
) -> None:
    """A round before which the loop may have been left."""

    def unless_left() -> None:
        left = frame.names[ending.flag] if ending.hidden else literal(False)
        assert isinstance(left, Value)
        if left.literal is True:
            return
        if left.literal is False:
            one()
        else:
            either(interpreter, left, [lambda: None, one], node, frame)

    if ending.early:
        either(interpreter, ending.test(), [lambda: None, unless_left], node, frame)
    else:
        unless_left()


def _keys(interpreter: Interpreter, iterable: Obj) -> tuple[str, ...] | None:
    """The keys of a dictionary that a loop runs over; None for anything else."""
    base = iterable.of if isinstance(iterable, View) else iterable
    contents = interpreter.heap.opened(base)
    if isinstance(contents, TupleValue) and is_dictionary(contents):
        return contents.names
    return () if isinstance(iterable, View) else None


def known_rounds(interpreter: Interpreter, node: ast.While, frame: Frame) -> None:
    """A `while` loop whose condition is known before every round: its rounds one by one.

    Raises:
        Stop: the condition is not known, or it holds too often; or a round does what has an address
            of its own in a run, which counts no rounds here.
    """
    around, most = interpreter.written_out, WRITTEN_OUT // interpreter.written_out
    state, enforced = interpreter.domain.state, len(interpreter.domain.state.enforced)
    spent, lists = len(state.trace), len(state.samples)
    ending = Ending(interpreter.domain.private_tests)
    interpreter.endings.append(ending)
    interpreter.written_out = around * WRITTEN_OUT
    try:
        for _ in range(most + 1):
            holds = truth(interpreter, node.test, frame).literal
            if holds is False:
                break
            ended = interpreter.block(node.body, frame) if holds is True else None
            if ended is Jump.BREAK and not ending.early:
                break
            if holds is not True or ending.early or ended is Jump.BREAK:
                raise _no_cap(interpreter, node)
        else:
            raise _no_cap(interpreter, node)
    finally:
        interpreter.written_out = around
    interpreter.endings.pop()
    made = len(state.trace), len(state.samples), len(state.enforced)
    if made != (spent, lists, enforced):
        raise _no_cap(interpreter, node)


def _no_cap(interpreter: Interpreter, node: ast.While) -> Stop:
    return interpreter.stop(
        node, "private-loop-bound", "the rounds of this `while` are not known while checking",
        "conditions on numbers that are written in the program", "for i in range(cap): ...",
    )  # fmt: skip
