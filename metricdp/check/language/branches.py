"""Branches: both sides are read from the same names, and joined after them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import msgspec

from metricdp.check.domain import joins
from metricdp.check.language.conditions import truth
from metricdp.check.language.interpreter import NONE, Interpreter, place
from metricdp.check.language.narrowing import assuming
from metricdp.check.source.statements import Jump, jumps
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import ListRef, Obj, TupleValue, Value, same, shape
from metricdp.measures.events import Choice
from metricdp.run.addresses import side

#: What joining two branches takes, in expressions that are read.
BRANCH = 50


def branch(
    interpreter: Interpreter, node: ast.If, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj | Jump | None]:
    """`if`: whether the block ends here, with what both sides and the rest of the block give."""
    return branched(interpreter, truth(interpreter, node.test, frame), node, rest, frame)


def branched(
    interpreter: Interpreter, test: Value, node: ast.If, rest: list[ast.stmt], frame: Frame
) -> tuple[bool, Obj | Jump | None]:
    """As `branch`, whose condition was read already."""
    # An exception that a private condition decides is refused: it is the one mistake here.
    ends = jumps(node, raising=not test.private)
    if isinstance(test.literal, bool):
        chosen = node.body if test.literal else node.orelse
        if not ends:
            return False, interpreter.block(chosen, frame)
        # A jump may hide under a further condition inside: it decides what the rest does.
        return True, interpreter.block([*chosen, *rest], frame)
    if not ends:
        rest = []
    branches: list[Callable[[], Any]] = [
        lambda: on_side(interpreter, node, node.body, rest, frame),
        lambda: on_side(interpreter, node, node.orelse, rest, frame),
    ]
    if not ends or interpreter.endings:
        results = either(interpreter, test, branches, node, frame)
        if ends and test.origin == "released":
            interpreter.endings[-1].origin = "released"
        stopped = all(result is Jump.BREAK for result in results)
        return ends, Jump.BREAK if stopped else None
    results = both(interpreter, test, branches, node, frame)
    ways = [NONE if result is None else result for result in results if result is not Jump.RAISE]
    if len(ways) < 2:
        return True, ways[0] if ways else Jump.RAISE
    then, orelse = _ended(interpreter, test, ways, node)
    return True, joins.join(
        interpreter.domain, test, then, orelse, interpreter.module, node, "the result"
    )


def _ended(interpreter: Interpreter, test: Value, ways: list[Any], node: ast.If) -> list[Any]:
    """What both sides return: of two lists of public things that may differ only what is in them is
    known from now on, so they may not change any more."""
    lists = any(isinstance(way, ListRef) for way in ways) and ways[0] != ways[1]
    if not lists or test.private or not all(isinstance(way, _RETURNED) for way in ways):
        return ways
    if any(map(interpreter.has_private, ways)):
        return ways
    interpreter.handed_on(ways, node)
    return [interpreter.seen(way) for way in ways]


_RETURNED = (ListRef, TupleValue, Value)


def _contents_of(
    interpreter: Interpreter, test: Value, sides: list[dict[Any, Obj]],
    heaps: list[dict[int, Obj]], node: ast.AST,
) -> list[dict[Any, Obj]]:  # fmt: skip
    """What either side has made of names or of lists: where a public condition chooses between two
    lists of public things, only what is in them is known from now on, and they may not change.

    Args:
        heaps: the contents of all lists at the end of either side.
    """
    differ = [
        key for key, value in sides[0].items()
        if key in sides[1] and value is not sides[1][key] and not same(value, sides[1][key])
    ]  # fmt: skip
    if test.private or not differ:
        return sides
    before, opened = interpreter.heap.lists, [dict(side) for side in sides]
    for made, heap in zip(opened, heaps, strict=True):
        interpreter.heap.lists = heap
        for key in differ:
            other = sides[1][key] if made is opened[0] else sides[0][key]
            made[key] = _content(interpreter, made[key], other, node)
    interpreter.heap.lists = before
    return opened


def _content(interpreter: Interpreter, value: Obj, other: Obj, node: ast.AST) -> Obj:
    """A list of public things as what is in it, unless the other side has the same list."""
    if isinstance(value, ListRef) and value != other and not interpreter.has_private(value):
        interpreter.handed_on([value], node)
        return interpreter.seen(value)
    if not isinstance(value, TupleValue) or not isinstance(other, TupleValue):
        return value
    if shape(value) != shape(other):
        return value
    items = zip(value.items, other.items, strict=True)
    inside = tuple(_content(interpreter, x, y, node) for x, y in items)
    return msgspec.structs.replace(value, items=inside)


def on_side(
    interpreter: Interpreter, node: ast.If, body: list[ast.stmt], rest: list[ast.stmt], frame: Frame
) -> Obj | Jump | None:
    """One side of a branch, and what both sides read after it, with addresses of its own."""
    if not rest:
        return interpreter.block(body, frame)
    interpreter.act(node, "decided", place(node))
    interpreter.path.append(side(place(node), body is node.body))
    result = interpreter.block([*body, *rest], frame)
    interpreter.path.pop()
    return result


def conditional(interpreter: Interpreter, node: ast.IfExp, frame: Frame) -> Obj:
    """`a if test else b`."""
    test = truth(interpreter, node.test, frame)
    if isinstance(test.literal, bool):
        return interpreter.evaluate(node.body if test.literal else node.orelse, frame)
    heaps: list[dict[int, Obj]] = []
    sides: list[Callable[[], Any]] = [
        lambda: interpreter.evaluate(node.body, frame),
        lambda: interpreter.evaluate(node.orelse, frame),
    ]
    ways = [{"": way} for way in both(interpreter, test, sides, node, frame, heaps)]
    then, orelse = (way[""] for way in _contents_of(interpreter, test, ways, heaps, node))
    return joins.join(
        interpreter.domain, test, then, orelse, interpreter.module, node, "the result"
    )


def either(
    interpreter: Interpreter,
    test: Value,
    branches: list[Callable[[], Any]],
    node: ast.AST,
    frame: Frame,
) -> list[Any]:
    """Run both branches, and join the names after them."""
    after: list[dict[str, Obj]] = []

    def kept(branch: Callable[[], Any]) -> Callable[[], Any]:
        def go() -> Any:
            result = branch()
            after.append(frame.names)
            return result

        return go

    heaps: list[dict[int, Obj]] = []
    results = both(interpreter, test, [kept(branch) for branch in branches], node, frame, heaps)
    after = _contents_of(interpreter, test, after, heaps, node)
    frame.names = joins.join_frames(
        interpreter.domain, test, after[0], after[1], interpreter.module, node
    )
    return results


def both(
    interpreter: Interpreter,
    test: Value,
    branches: list[Callable[[], Any]],
    node: ast.AST,
    frame: Frame,
    heaps: list[dict[int, Obj]] | None = None,
) -> list[Any]:
    """Interpret both branches from the same names; their spending is a choice.

    Args:
        heaps: gets the contents of all lists at the end of either side.
    """
    interpreter.work += BRANCH
    state, before, lists = interpreter.domain.state, frame.names, interpreter.heap.lists
    results, trees, heaps = [], [], [] if heaps is None else heaps
    interpreter.domain.private_tests += test.private
    if test.private:
        interpreter.private_branches.add(node)
    for branch, holds in zip(branches, (True, False), strict=True):
        frame.names, interpreter.heap.lists = dict(before), dict(lists)
        mark = state.checkpoint()
        with interpreter.domain.drawn.on_one_side():
            results.append(assuming(interpreter.domain, frame, test, holds, branch))
        trees.append(state.cut(mark))
        heaps.append(interpreter.heap.lists)
        if interpreter.heap.stored_since(lists):
            interpreter.changing_branches.add(node)
    interpreter.domain.private_tests -= test.private
    then, orelse = _contents_of(interpreter, test, heaps, heaps, node)
    interpreter.heap.lists = joins.join_lists(
        interpreter.domain, test, then, orelse, interpreter.module, node
    )
    spent = [
        (tree, joins.known_when(test, holds))
        for tree, holds in zip(trees, (True, False), strict=True)
        if tree is not None
    ]
    if spent:
        items, conditions = zip(*spent, strict=True)
        state.spend(Choice(items, conditions))
    return results
