"""Operators, comparisons and conditions."""

from __future__ import annotations

import ast
from typing import Any, cast

import msgspec

from metricdp.check.domain.scaling import in_ball
from metricdp.check.language import moments, totality
from metricdp.check.language.applying import apply
from metricdp.check.language.conditions import as_condition, condition, is_boolean
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.lexicographic import (
    Compared,
    Connected,
    compared_items,
    items_of,
    lengths,
)
from metricdp.check.language.narrowing import (
    compared,
    connected,
    missing,
    supposing,
)
from metricdp.check.language.over_rows import in_each_row
from metricdp.check.source.advice import operator_advice
from metricdp.check.values import moments as public_moments
from metricdp.check.values import public, total
from metricdp.check.values.dictionaries import as_object, is_dictionary
from metricdp.check.values.frames import Frame
from metricdp.check.values.moments import kind
from metricdp.check.values.objects import UNKNOWN, ListRef, Obj, TupleValue, Value
from metricdp.check.values.terms import among_tuples, kept, of_public, with_term
from metricdp.record import by_operator
from metricdp.run.plainer import otherwise
from metricdp.spaces import Maybe, Scalar

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


def bin_op(interpreter: Interpreter, node: ast.BinOp, frame: Frame) -> Obj:
    """`a + b`."""
    left, right = interpreter.evaluate(node.left, frame), interpreter.evaluate(node.right, frame)
    values = [interpreter.seen(left), interpreter.seen(right)]
    if (made := in_each_row(interpreter, node, values, frame)) is not None:
        return made
    return binary(interpreter, node.op, left, right, node, node.left, node.right)


def binary(
    interpreter: Interpreter, op: ast.operator | ast.cmpop | ast.boolop, left: Obj, right: Obj,
    node: ast.AST, left_node: ast.expr, right_node: ast.expr,
) -> Obj:  # fmt: skip
    """`left op right`, where both sides are evaluated already."""
    operator = OPERATORS[type(op)]
    both = (interpreter.heap.opened(left), interpreter.heap.opened(right))
    if isinstance(both[0], TupleValue) and isinstance(both[1], TupleValue) and operator == "+":
        items = (*interpreter.items(both[0], node), *interpreter.items(both[1], node))
        if interpreter.domain.decided:
            totality.shown(interpreter, node, total.joined(both[0], both[1]))
        return TupleValue(items, both[0].is_list)
    if operator == "*" and not interpreter.domain.decided:
        for whole, times in (both, both[::-1]):
            if (repeated := _repeated(whole, times)) is not None:
                return interpreter.heap.new(repeated)
    if operator not in public.TESTS:  # which hold nothing of what they look at
        interpreter.handed_on([left, right], node)
    left, right = interpreter.seen(left), interpreter.seen(right)
    if not (interpreter.has_private(left) or interpreter.has_private(right)):
        if interpreter.domain.decided:
            totality.shown(interpreter, node, total.binary(operator, left, right))
        if isinstance(left, Value) and isinstance(right, Value):
            known = public_moments if kind(left) or kind(right) else public
            made = _named(interpreter, known.binary(operator, left, right), operator, left, right)
            interpreter.domain.drawn.computed(made, operator, left, right)
            return compared(made, operator, left, right)
        held = "bool" if operator in public.TESTS else ""
        return Value(public.origin(left, right), source="computed", holds=held)
    if isinstance(node, ast.Compare) and lengths(operator, left, right) is not None:
        return _of_tuples(interpreter, operator, left, right, node)
    if operator in ("+", "-"):
        left = _as_number(interpreter, left, right, node)
        right = _as_number(interpreter, right, left, node)
    if operator in ("is", "is not") and getattr(right, "literal", UNKNOWN) is None:
        return _missing(interpreter, operator, left, node, left_node)
    if operator in ("==", "!="):
        for one, other, its in ((left, right, left_node), (right, left, right_node)):
            maybe = isinstance(getattr(one, "space", None), Maybe)
            if maybe and getattr(other, "literal", UNKNOWN) is None:
                return _missing(interpreter, _IDENTITY[operator], one, node, its)
    if _is_truth(left) and isinstance(getattr(right, "literal", None), bool):
        operator = {"is": "==", "is not": "!="}.get(operator, operator)
    if operator in ("in", "not in"):
        return _member(interpreter, operator, left, right, node, left_node, right_node)
    of_dates = moments.operator_name(operator, left, right)
    record = interpreter.named(of_dates, node) if of_dates else by_operator(operator)
    if record is None:
        raise interpreter.stop(
            node, "unsupported-syntax",
            f"`{operator}` on private values has no rule",
            *operator_advice(operator, left_node, right_node),
        )  # fmt: skip
    result = apply(interpreter, record, [left, right], {}, node, [left_node, right_node], {})
    if not isinstance(result, Value):
        return result
    if operator in ("*", "/"):
        result = in_ball(
            interpreter.domain, operator, result, left, right, interpreter.module, node
        )
    return compared(result, operator, left, right)


def _of_tuples(
    interpreter: Interpreter, operator: str, left: Obj, right: Obj, node: ast.Compare
) -> Obj:
    """A comparison of two tuples."""
    assert isinstance(left, TupleValue) and isinstance(right, TupleValue)
    if not 0 < len(left.items) == len(right.items):
        raise interpreter.stop(
            node, "unsupported-call",
            f"a tuple of {len(left.items)} is compared with one of {len(right.items)}",
            "tuples with as many items", "compare as many items on both sides",
        )  # fmt: skip
    interpreter.act(node, "compare", "")
    found = compared_items(operator, left.items, right.items, *_of_items(interpreter, node))
    if interpreter.domain.decided:
        interpreter.shown.add(node)
    return found


def _of_items(interpreter: Interpreter, node: ast.AST) -> tuple[Compared, Connected]:
    """What compares items of tuples at a node, and what connects these comparisons."""
    plain: Any = (None, None)

    def compare(operator: str, x: Obj, y: Obj) -> Obj:
        return binary(interpreter, _COMPARISONS[operator], x, y, node, *plain)

    def connect(operator: str, parts: list[Obj]) -> Obj:
        return logic(interpreter, operator, parts, node, [None, None])

    return compare, connect


def equal(interpreter: Interpreter, value: Obj, key: Any, node: ast.AST) -> Value:
    """Whether a private value, or a tuple of values, is a public key."""
    items, (compare, connect) = items_of(value), _of_items(interpreter, node)
    if items is None:
        found = compare("==", value, public.literal(key))
    else:
        keys = items_of(as_object(key))
        assert keys is not None and len(keys) == len(items)
        found = compared_items("==", items, keys, compare, connect)
    assert isinstance(found, Value)
    return found


#: Comparisons of one value with another.
_COMPARISONS: dict[str, ast.cmpop] = {
    "<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE(), "==": ast.Eq(),
    "!=": ast.NotEq(),
}  # fmt: skip


def _is_truth(value: Obj) -> bool:
    """Whether a private value is True or False, or None: what equals one of them is that one."""
    space = getattr(value, "space", None)
    if isinstance(space, Maybe):
        return space.inner.kind == "bool"
    return getattr(space, "element", "") == "Bool"


#: None equals itself alone.
_IDENTITY = {"==": "is", "!=": "is not"}

#: Most items of a list that is written as `[0] * n`.
_REPEATED = 1024


def _repeated(whole: Obj, times: Obj) -> tuple[Obj, ...] | None:
    """The items of `[0] * 4`; None for anything else."""
    number = getattr(times, "literal", None)
    if not isinstance(whole, TupleValue) or not whole.is_list or is_dictionary(whole):
        return None
    if type(number) is not int or len(whole.items) * number > _REPEATED:
        return None
    if not all(isinstance(item, Value | ListRef) for item in whole.items):
        return None
    return whole.items * number  # of a list inside, each is the same list


def _named(
    interpreter: Interpreter, made: Value, operator: str, left: Value, right: Value
) -> Value:
    """What a function of rows makes of public numbers: the same wherever it is made of the same."""
    if not interpreter.domain.by_row.reading or of_public(made) is not None:
        return made
    if operator in ("is", "is not"):  # 1 and True are one number, and two objects
        return made
    x, y = interpreter.domain.operand(left), interpreter.domain.operand(right)
    if x is None or y is None or not public.kind(made):
        return made
    term = kept(("rule", f"public {operator}", ("x", x), ("y", y)))
    return msgspec.structs.replace(made, term=term)


def _missing(
    interpreter: Interpreter, operator: str, left: Obj, node: ast.AST, left_node: ast.expr
) -> Obj:
    """`left is None`: values that are never missing are not."""
    known = isinstance(left, TupleValue) or getattr(left, "space", None) is not None
    if known and not isinstance(getattr(left, "space", None), Maybe):
        totality.shown(interpreter, node, total.TOTAL)
        return Value("public", literal=operator == "is not", source="computed", holds="bool")
    record = interpreter.named("is_missing", node)
    found = apply(interpreter, record, [left], {}, node, [left_node], {})
    assert isinstance(found, Value)
    found = missing(found, left)
    if operator == "is":
        return found
    other = apply(
        interpreter, interpreter.named("logical_not", node), [found], {}, node, [None], {}
    )
    assert isinstance(other, Value)
    return connected(other, "not", (found,))


def _member(
    interpreter: Interpreter, operator: str, left: Obj, right: Obj, node: ast.AST,
    left_node: ast.expr, right_node: ast.expr,
) -> Obj:  # fmt: skip
    """`left in right`: of a dictionary, its keys."""
    if isinstance(right, TupleValue) and is_dictionary(right):
        right = TupleValue(interpreter.iterated(right, node))
    if (items := items_of(left)) is not None and (among := _tuples(right)) is not None:
        interpreter.act(node, "compare", "")
        return _tuple_member(interpreter, operator, items, among, node)
    if isinstance(getattr(left, "space", None), Maybe) and public.kind(right) == "text":
        name = ast.unparse(left_node)
        raise interpreter.stop(
            node, "unsupported-call",
            f"{name} may be missing, and Python looks for None in no text",
            "a text that is there", f"ask first whether it is there: if {name} is not None",
        )  # fmt: skip
    found = apply(
        interpreter, interpreter.named("contains", node), [left, right], {}, node,
        [left_node, right_node], {},
    )  # fmt: skip
    if operator == "in":
        return found
    return apply(interpreter, interpreter.named("logical_not", node), [found], {}, node, [None], {})


def _tuples(right: Obj) -> list[tuple[Obj, ...]] | None:
    """The tuples among public values whose number is known; None of anything else."""
    if isinstance(right, Value) and type(right.literal) is frozenset:
        right = TupleValue(tuple(map(as_object, sorted(right.literal, key=repr))))
    if not isinstance(right, TupleValue) or right.names or right.kind:
        return None
    return [items for each in right.items if (items := items_of(each)) is not None]


def _tuple_member(
    interpreter: Interpreter, operator: str, items: tuple[Obj, ...], among: list[tuple[Obj, ...]],
    node: ast.AST,
) -> Obj:  # fmt: skip
    """Whether a tuple is one of some others: of those that have as many items, the items are
    compared."""
    found: Obj = public.literal(False)
    compare, connect = _of_items(interpreter, node)
    alike = [each for each in among if 0 < len(each) == len(items)]
    for at, each in enumerate(alike):
        same = compared_items("==", items, each, compare, connect)
        found = same if at == 0 else connect("or", [found, same])
    if interpreter.domain.decided:
        interpreter.shown.add(node)
    found = with_term(found, among_tuples(items, alike))
    if operator == "in":
        return found
    if not interpreter.has_private(found):
        return public.unary("not", cast(Value, found))
    return apply(interpreter, interpreter.named("logical_not", node), [found], {}, node, [None], {})


def _as_number(interpreter: Interpreter, value: Obj, other: Obj, node: ast.AST) -> Obj:
    """Bounded discrete data next to a private number are read as a number: `undisc`."""
    space, beside = getattr(value, "space", None), getattr(other, "space", None)
    if not (isinstance(space, Scalar) and isinstance(beside, Scalar)):
        return value
    if space.element != "Data" or space.kind == "str" or beside.element not in ("Real", "Int"):
        return value
    if not interpreter.has_private(other) or space.lo.is_infinite or space.hi.is_infinite:
        return value
    return apply(interpreter, interpreter.named("undisc", node), [value], {}, node, [None], {})


def unary_op(interpreter: Interpreter, node: ast.UnaryOp, frame: Frame) -> Obj:
    """`-a`, `not a`."""
    negated = isinstance(node.op, ast.Not)
    read = condition if negated else Interpreter.evaluate
    value = interpreter.seen(read(interpreter, node.operand, frame))
    operator = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not", ast.Invert: "~"}[type(node.op)]
    if not negated and (made := in_each_row(interpreter, node, [value], frame)) is not None:
        return made
    if not interpreter.has_private(value):
        if interpreter.domain.decided:
            totality.shown(interpreter, node, total.unary(operator, value))
        if isinstance(value, Value):
            negative = operator == "-" and kind(value) == "timedelta"
            found = (
                public_moments.binary("*", value, public.literal(-1))
                if negative
                else public.unary(operator, value)
            )
            interpreter.domain.drawn.computed(found, operator, value)
            return connected(found, operator, (value,)) if operator == "not" else found
        return Value(public.origin(value), source="computed")
    if operator == "+":
        if interpreter.domain.decided:
            totality.shown(interpreter, node, total.positive(value))
        return value
    record = by_operator("-u" if operator == "-" else operator)
    if record is None:
        raise interpreter.stop(
            node, "unsupported-syntax", f"`{operator}` on private values has no rule", "- or not",
            "use a supported operator",
        )  # fmt: skip
    result = apply(interpreter, record, [value], {}, node, [node.operand], {})
    if operator == "not" and isinstance(result, Value):
        return connected(result, operator, (value,))
    return result


def compare(interpreter: Interpreter, node: ast.Compare, frame: Frame) -> Obj:
    """`a < b <= c`, of which each operand is evaluated once."""
    left_node, result = node.left, None
    left = interpreter.evaluate(left_node, frame)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = _evaluated_if(interpreter, result, right_node, frame)
        values = [interpreter.seen(left), interpreter.seen(right)]
        if (made := in_each_row(interpreter, node, values, frame)) is not None:
            return made
        part = binary(interpreter, op, left, right, node, left_node, right_node)
        if result is not None:
            part = logic(interpreter, "and", [result, part], node, [None, None])
        result = part
        left, left_node = right, right_node
    assert result is not None
    return result


def bool_op(interpreter: Interpreter, node: ast.BoolOp, frame: Frame) -> Obj:
    """`a and b`, `a or b`."""
    asked, values = node in interpreter.conditions, list[Obj]()
    if asked:
        interpreter.conditions.update(node.values)
    for value in node.values:
        test = TupleValue(tuple(values)) if values else None
        with supposing(interpreter.domain, tuple(values), isinstance(node.op, ast.And)):
            found = _evaluated_if(interpreter, test, value, frame)
            values.append(as_condition(interpreter, found, value) if asked else found)
        if not asked and len(values) == 1:
            plain = _otherwise(values[0], node)
            if plain is not None:
                interpreter.act(node, "otherwise", "")
                return interpreter.evaluate(plain, frame)
    interpreter.handed_on(values, node)
    return logic(interpreter, OPERATORS[type(node.op)], values, node, list(node.values))


def _otherwise(first: Obj, node: ast.BoolOp) -> ast.IfExp | None:
    """`a or b`, `a and b` as a choice, where `a` is a private number or text, or may be missing."""
    if not isinstance(first, Value) or not first.private or is_boolean(first):
        return None
    return otherwise(node) if isinstance(first.space, Scalar | Maybe) else None


def _evaluated_if(interpreter: Interpreter, test: Obj | None, node: ast.expr, frame: Frame) -> Obj:
    """An operand that Python evaluates only if those before it (`test`) do not decide."""
    if test is None:
        return interpreter.evaluate(node, frame)
    private, lists = interpreter.has_private(test), dict(interpreter.heap.lists)
    interpreter.domain.private_tests += private
    value = interpreter.evaluate(node, frame)
    interpreter.domain.private_tests -= private
    interpreter.unchanged(lists, node, "an operand that may not be evaluated")
    return value


def logic(
    interpreter: Interpreter, operator: str, values: list[Obj], node: ast.AST, nodes: list[Any]
) -> Obj:
    """`and` or `or` of values, from left to right."""
    result = values[0]
    for value, value_node in zip(values[1:], nodes[1:], strict=True):
        if not (interpreter.has_private(result) or interpreter.has_private(value)):
            if interpreter.domain.decided:
                totality.shown(interpreter, node, total.truth(result))
            known = _decided(operator, result, value)
            kinds = {public.kind(result), public.kind(value)}
            made = Value(
                public.origin(result, value), literal=known, source="computed",
                holds="bool" if kinds == {"bool"} else "",
            )  # fmt: skip
            result = connected(made, operator, (result, value))
            continue
        record = by_operator(operator)
        assert record is not None
        both = (result, value)
        if interpreter.domain.decided:
            for each in both:
                if not interpreter.has_private(each):
                    totality.shown(interpreter, node, total.truth(each))
        result = apply(interpreter, record, list(both), {}, node, [nodes[0], value_node], {})
        if isinstance(result, Value):
            result = connected(result, operator, both)
    return result


def _decided(operator: str, a: Obj, b: Obj) -> Any:
    """What two public truth values give together; unknown where they do not say."""
    known = [getattr(v, "literal", UNKNOWN) for v in (a, b)]
    if not all(isinstance(k, bool) for k in known):
        decisive = operator == "or"
        return decisive if decisive in [k for k in known if isinstance(k, bool)] else UNKNOWN
    return all(known) if operator == "and" else any(known)
