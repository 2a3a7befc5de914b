"""Displays, made of parts from left to right, and what takes them apart again: `*` and targets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from metricdp.check.language import totality
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public, total, total_calls
from metricdp.check.values.dictionaries import key_of
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import UNKNOWN, AlignedParts, Obj, TupleValue, Value
from metricdp.check.values.public import unknown_values
from metricdp.spaces import Records, Vector


def sequence(interpreter: Interpreter, node: ast.Tuple | ast.List, frame: Frame) -> Obj:
    """`(a, *b)`, `[a, *b]`."""
    items: list[Obj] = []
    for item in node.elts:
        if isinstance(item, ast.Starred):
            items += starred(interpreter, interpreter.evaluate(item.value, frame), item)
        else:
            items.append(interpreter.evaluate(item, frame))
    return interpreter.heap.new(items) if isinstance(node, ast.List) else TupleValue(tuple(items))


def joined_text(interpreter: Interpreter, node: ast.JoinedStr, frame: Frame) -> Obj:
    """An f-string, each value before its format."""
    shown = [v for v in node.values if isinstance(v, ast.FormattedValue)]
    values = []
    for part in shown:
        values.append(interpreter.evaluate(part.value, frame))
        if part.format_spec is not None:
            values.append(interpreter.evaluate(part.format_spec, frame))
    if any(interpreter.has_private(v) for v in values):
        raise interpreter.stop(
            node, "private-escape", "this text would show a private value",
            "released or public values", "release the value first",
        )  # fmt: skip
    if interpreter.domain.decided:
        formats = any(part.format_spec is not None for part in shown)
        totality.shown(interpreter, node, total_calls.text(map(interpreter.seen, values), formats))
    known = _text(node, values)
    origin = public.origin(*values)
    return Value(origin, public.TEXT, literal=known, source="computed", holds="text")


def _text(node: ast.JoinedStr, values: list[Obj]) -> Any:
    """The text of an f-string whose parts are texts and whole numbers, or UNKNOWN."""
    left, parts = iter(values), []
    for part in node.values:
        if not isinstance(part, ast.FormattedValue):
            parts.append(str(ast.literal_eval(part)))
            continue
        known = getattr(next(left), "literal", UNKNOWN)
        if type(known) not in (int, str) or part.conversion != -1 or part.format_spec is not None:
            return UNKNOWN
        parts.append(str(known))
    return "".join(parts)


def set_(interpreter: Interpreter, node: ast.Set, frame: Frame) -> Obj:
    """`{a, b}` of public things."""
    items = [interpreter.evaluate(item, frame) for item in node.elts]
    return public_set(interpreter, items, node)


def public_set(interpreter: Interpreter, items: Sequence[Obj], node: ast.AST) -> Obj:
    """The set of these items.

    Raises:
        Stop: one is private: how many different ones there are can be seen.
    """
    if any(interpreter.has_private(item) for item in items):
        raise interpreter.stop(
            node, "private-escape",
            "a set of private values gives people away: whoever alone has a value puts it there "
            "for certain", "public values, or a mechanism that finds values at a cost",
            "loop over public values; dp.stable_histogram finds values at a cost, and "
            "dp.count_distinct counts them",
        )  # fmt: skip
    interpreter.handed_on(items, node)
    known = [key_of(item) for item in items]
    if any(key is UNKNOWN for key in known):
        return Value(public.origin(*map(interpreter.seen, items)), source="computed")
    totality.shown(interpreter, node, total.TOTAL)
    return public.literal(frozenset(known))


def starred(interpreter: Interpreter, value: Obj, node: ast.AST) -> tuple[Obj, ...]:
    """The items of `*value` in a call or a display.

    Raises:
        Stop: their number is not known while checking.
    """
    opened = interpreter.heap.opened(value)
    if isinstance(opened, AlignedParts):
        opened = TupleValue(opened.parts)
    if isinstance(opened, TupleValue):
        return interpreter.iterated(opened, node)
    raise interpreter.stop(
        node, "unsupported-syntax",
        "the number of items behind this `*` is not known while checking",
        "a tuple or list whose length is written in the program", "pass the container itself",
    )  # fmt: skip


def parts_of(
    interpreter: Interpreter, targets: list[ast.expr], value: Obj, node: ast.AST
) -> list[Obj] | None:
    """What each target of `a, *rest = value` is bound to; None if there is no `*`.

    Raises:
        Stop: the number of items is not known, or too small.
    """
    at = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if at is None:
        return None
    opened = interpreter.heap.opened(value)
    if isinstance(opened, Value) and not opened.private:
        if interpreter.domain.decided:
            totality.holds(interpreter, node, total.unpacked(opened, len(targets) - 1, True))
        return [*unknown_values(opened.origin, len(targets))]
    items, after = starred(interpreter, value, node), len(targets) - at - 1
    if len(items) < len(targets) - 1:
        raise interpreter.stop(
            node, "unsupported-syntax",
            f"{len(items)} values do not unpack into {len(targets) - 1} names and more",
            f"at least {len(targets) - 1} values", "name fewer of them",
        )  # fmt: skip
    end = len(items) - after
    return [*items[:at], interpreter.heap.new(items[at:end]), *items[end:]]


def unpack(interpreter: Interpreter, value: Obj, count: int, node: ast.AST) -> tuple[Obj, ...]:
    """The items of a tuple of known length."""
    value = interpreter.heap.opened(value)
    if isinstance(value, AlignedParts):
        value = TupleValue(value.parts)
    if isinstance(value, TupleValue) and len(value.items) == count:
        return interpreter.items(value, node)
    if isinstance(value, Value) and not value.private:
        if interpreter.domain.decided:
            totality.holds(interpreter, node, total.unpacked(value, count))
        if isinstance(value.space, Vector):
            return tuple(public.item(value, public.literal(at)) for at in range(count))
        return unknown_values(value.origin, count)
    records = isinstance(value, Value) and isinstance(value.space, Records)
    raise interpreter.stop(
        node, "unsupported-syntax",
        f"this value does not unpack into {count} names",
        f"a tuple of {count} values",
        "zip(keys, dp.partition(...)) gives keys with their parts" if records
        else "index it instead: x[0], x[1]",
    )  # fmt: skip
