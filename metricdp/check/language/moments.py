"""Dates and times in the language: what stands behind the dot, and between two of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.advice import date_advice
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.moments import kind
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.primitives.times._times import ATTRIBUTES, ISO, METHODS


def is_private(value: object) -> bool:
    """Whether a value is a private date or time."""
    return isinstance(value, Value) and value.private and bool(kind(value))


def attribute(interpreter: Interpreter, base: Value, node: ast.Attribute) -> Obj:
    """`day.year` of a private date or time."""
    if node.attr not in ATTRIBUTES[kind(base)]:
        raise _without(interpreter, base, node.attr, node)
    record = interpreter.named("time_part", node)
    given: list[Obj] = [base, public.literal(node.attr)]
    result = apply(interpreter, record, given, {}, node, [node.value, None], {})
    interpreter.act(node, "named_field", record.name)
    return result


def method(
    interpreter: Interpreter, base: Value, name: str, arguments: Sequence[Obj],
    keywords: Mapping[str, Obj], node: ast.Call,
) -> Obj:  # fmt: skip
    """`day.weekday()` of a private date or time."""
    calendar = name == "isocalendar" and kind(base) != "timedelta"
    if arguments or keywords or not (calendar or name in METHODS[kind(base)]):
        raise _without(interpreter, base, name, node)
    assert isinstance(node.func, ast.Attribute)
    record, nodes = interpreter.named("time_part", node), [node.func.value, None]
    asked = list(ISO.values()) if calendar else [name]
    found = [
        apply(interpreter, record, [base, public.literal(each)], {}, node, nodes, {})
        for each in asked
    ]
    interpreter.act(node, "isocalendar" if calendar else "named_method", record.name)
    return TupleValue(tuple(found), names=tuple(ISO)) if calendar else found[0]


#: Operator -> the record of two dates or times; `-` of two dates is the time between them.
_RECORDS = {"+": "time_later", "-": "time_earlier", "/": "time_ratio", "//": "time_quotient"}


def operator_name(operator: str, left: Obj, right: Obj) -> str:
    """The record of an operator on dates and times; "" where the operator's own one is asked."""
    if not (kind(left) or kind(right)) or operator not in _RECORDS:
        return ""
    apart = operator == "-" and kind(right) != "timedelta"
    return "time_between" if apart else _RECORDS[operator]


def _without(interpreter: Interpreter, base: Value, name: str, node: ast.AST) -> Stop:
    written = node.func if isinstance(node, ast.Call) else node
    assert isinstance(written, ast.Attribute)
    return interpreter.stop(
        node, "unsupported-call", f"`.{name}` of a private {kind(base)} has no rule",
        *date_advice(kind(base), name, ast.unparse(written.value)),
    )  # fmt: skip
