"""Conditions: where Python asks whether a value is true, and not what it is.

A number is true that is not 0, a text that is not empty, and a value that may be missing where it
is there and true; dates and times are true.
"""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from metricdp.check.language import totality
from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.narrowing import truthful
from metricdp.check.values import public, total
from metricdp.check.values.facts import THERE, Fact, Facts
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import UNKNOWN, Obj, TupleValue, Value
from metricdp.spaces import Maybe, Moment, Records, Scalar

#: Kind of a value -> the one that is false.
_FALSE: dict[str, Any] = {"str": "", "bool": False, "float": 0, "int": 0}


class Condition(ast.expr):
    """An expression of which only the truth counts; no parser makes it."""

    _fields = ("test",)
    test: ast.expr


def condition_of(test: ast.expr) -> Condition:
    """An expression as a condition."""
    made = Condition()
    made.test = test
    return ast.copy_location(made, test)


def read(interpreter: Interpreter, node: Condition, frame: Frame) -> Obj:
    """The handler of conditions."""
    found = condition(interpreter, node.test, frame)
    interpreter.shown.add(node)  # as its test was
    return found


def condition(interpreter: Interpreter, node: ast.expr, frame: Frame) -> Obj:
    """What an expression evaluates to, as a private Boolean where it is private and no Boolean."""
    interpreter.conditions.add(node)
    return as_condition(interpreter, interpreter.evaluate(node, frame), node)


def as_condition(interpreter: Interpreter, value: Obj, node: ast.expr) -> Obj:
    """A private number, text or value that may be missing as a Boolean; others as they are."""
    space = getattr(value, "space", None)
    if not isinstance(value, Value) or not value.private or is_boolean(value):
        return value
    if isinstance(space, Maybe):
        return _is_there_and_true(interpreter, value, space, node)
    if isinstance(space, Records):
        text = ast.unparse(node)
        raise interpreter.stop(
            node, "unsupported-call",
            f"whether {text} has any row is private: one person alone may decide it",
            "a released number that decides", f"dp.laplace(len({text}), epsilon=eps) > 0",
        )  # fmt: skip
    if not isinstance(space, Scalar):
        return value
    return truthful(_differs(interpreter, value, "" if space.kind == "str" else 0, node), value)


def is_boolean(value: Value) -> bool:
    """Whether a private value is True or False, and never missing."""
    space = value.space
    return isinstance(space, Scalar) and (space.element == "Bool" or space.kind == "bool")


def _differs(interpreter: Interpreter, value: Obj, false: str | int, node: ast.expr) -> Value:
    given = [value, public.literal(false)]
    found = apply(interpreter, interpreter.named("ne", node), given, {}, node, [node] * 2, {})
    assert isinstance(found, Value)
    return found


def _is_there_and_true(interpreter: Interpreter, value: Value, space: Maybe, node: ast.expr) -> Obj:
    there = () if value.form is None else (Fact(value.form, THERE),)
    if isinstance(space.inner, Moment):
        if space.inner.kind == "timedelta":
            name = ast.unparse(node)
            raise interpreter.stop(
                node, "unsupported-call",
                f"{name} is a condition that takes a duration of 0 for one that is missing",
                "a comparison, which says what is meant", f"{name} is not None",
            )  # fmt: skip
        asked = _negated(interpreter, "is_missing", [value], node)
    else:
        false = TupleValue((public.literal(None), public.literal(_FALSE[space.inner.kind])))
        asked = _negated(interpreter, "contains", [value, false], node)
    return msgspec.structs.replace(asked, facts=Facts(there))


def _negated(interpreter: Interpreter, name: str, given: list[Obj], node: ast.expr) -> Value:
    found = apply(interpreter, interpreter.named(name, node), given, {}, node, [node, node], {})
    negation = interpreter.named("logical_not", node)
    made = apply(interpreter, negation, [found], {}, node, [node], {})
    assert isinstance(made, Value)
    return made


def truth(interpreter: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """The condition of a branch: a truth value, public with a literal if it is known."""
    value = _truth(interpreter, node, frame)
    known = value.literal if isinstance(value.literal, bool) else None
    interpreter.decided.setdefault(node, set()).add(known)
    return value


def _truth(interpreter: Interpreter, node: ast.expr, frame: Frame) -> Value:
    value = interpreter.seen(condition(interpreter, node, frame))
    if interpreter.domain.decided and not interpreter.has_private(value):
        totality.holds(interpreter, node, total.truth(value))
    if isinstance(value, TupleValue):
        return Value("public", literal=bool(value.items))
    if not isinstance(value, Value):
        raise interpreter.stop(
            node, "unsupported-syntax", "this condition is no number and no tuple",
            "a comparison, or a number", "compare numbers: n > 0",
        )  # fmt: skip
    if value.private:
        if not is_boolean(value):
            return _differs(interpreter, value, 0, node)  # what the rule says of it
        return truthful(value, value)
    if value.literal is UNKNOWN or isinstance(value.literal, bool):
        return truthful(value, value)
    return Value(value.origin, literal=bool(value.literal), source="computed")
