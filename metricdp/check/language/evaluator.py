"""Expressions: names, operators, subscripts and comprehensions over the domain."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from metricdp.check.language.constants import public_constant
from metricdp.check.language.displays import Displays
from metricdp.check.language.narrowing import compared, connected, multiplied, truthful
from metricdp.check.source.advice import field_advice, free_names, operator_advice
from metricdp.check.source.declared import default_nodes
from metricdp.check.source.names import ALL_BUILTINS, BUILTINS
from metricdp.check.values import public
from metricdp.check.values.findings import Stop, report, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    UNKNOWN,
    Builtin,
    Closure,
    External,
    Library,
    ModuleRef,
    Obj,
    Tuple,
    Value,
)
from metricdp.expr import Expr
from metricdp.record import by_operator
from metricdp.spaces import Matrix, Scalar, Vector

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


class Evaluator(Displays):
    """Evaluates expressions to objects."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Obj:
        self.work += 1
        if not self.work & 63:
            self.worked()
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            name = _NAMES.get(type(node), type(node).__name__)
            raise stop(
                self.module, node, "unsupported-syntax",
                f"{name} is not part of the checked language",
                "names, numbers, operators, calls, tuples and comprehensions",
                f"write this without {name}",
            )  # fmt: skip
        return handler(self, node, frame)

    # -- names ------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant, frame: Frame) -> Obj:
        if isinstance(node.value, int) and node.value.bit_length() > public.LARGEST:
            raise stop(
                self.module, node, "too-large",
                f"this number has {node.value.bit_length()} bits, more than Python prints",
                f"numbers of at most {public.LARGEST} bits", "a power, or a smaller number",
            )  # fmt: skip
        return public.literal(node.value)

    def _name(self, node: ast.Name, frame: Frame) -> Obj:
        found = self.resolve(node.id, frame)
        self.heap.read(found)
        self.not_reserved({node.id}, node)
        if found is None:
            raise stop(
                self.module, node, "unknown-name", f"`{node.id}` has no meaning here",
                "a parameter, an assignment, an import or a function of the project",
                f"assign `{node.id}` before this line" ,
            )  # fmt: skip
        if isinstance(found, External):
            raise stop(
                self.module, node, found.code, found.reason, "a name whose meaning can be read",
                "put its file beside this one, or write it here" if found.code == "missing-import"
                else "use a literal, a checked function, or a public parameter",
            )  # fmt: skip
        if node.id in BUILTINS and self._shadowed(node.id, frame):
            raise stop(
                self.module, node, "shadowed-builtin",
                f"`{node.id}` is a builtin, and this file gives the name another meaning",
                "a name of its own for the new function", f"rename `{node.id}`",
            )  # fmt: skip
        return public_constant(found)

    def _shadowed(self, name: str, frame: Frame) -> bool:
        """Whether the top of the file assigns or defines a builtin's name."""
        if frame.lookup(name) is not None:
            return False
        statements = self.module.bindings.get(name, [])
        return any(not isinstance(s, ast.Import | ast.ImportFrom) for s in statements)

    def resolve(self, name: str, frame: Frame | None) -> Obj | None:
        """Frame, then module, then builtins."""
        found = frame.lookup(name) if frame is not None else None
        if found is None:
            found = self.module.lookup(name)
        if found is not None:
            return found
        star = self.module.star_import()
        if star is not None:
            raise star_import(self.module, star)
        return Builtin(name) if name in ALL_BUILTINS else None

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Obj:
        return self.attribute_of(self.evaluate(node.value, frame), node)

    def attribute_of(self, base: Obj, node: ast.Attribute) -> Obj:
        """`base.name`, where `base` is evaluated already."""
        if isinstance(base, Library):
            return public_constant(Library(f"{base.dotted}.{node.attr}"))
        if isinstance(base, ModuleRef):
            found = base.module.lookup(node.attr)
            if found is None or isinstance(found, External):
                raise stop(
                    self.module, node, "missing-import",
                    f"`{node.attr}` is not found in {base.module.path}",
                    "a function or constant of that file", "check the spelling",
                )  # fmt: skip
            return public_constant(found)
        if isinstance(base, Tuple) and node.attr in base.names and not base.is_list:
            return base.items[base.names.index(node.attr)]
        if isinstance(base, Value) and base.private and node.attr == "T":
            record = by_operator(".T")
            if record is not None:
                return self.apply(record, [base], {}, node, [node.value], {})
        if isinstance(base, Value) and node.attr == "shape" and (sizes := shape_of(base)):
            self.act(node, "shape", "")
            return Tuple(tuple(map(public.public_number, sizes)))
        if isinstance(base, Value) and not base.private:
            return Value(base.origin, source="computed")
        if isinstance(base, Closure):
            raise stop(
                self.module, node, "unsupported-call",
                f"`{ast.unparse(node.value)}` is a function, and has no `.{node.attr}` here",
                "a call of the function", f"{ast.unparse(node.value)}(...)",
            )  # fmt: skip
        raise stop(
            self.module, node, "unsupported-call", f"`.{node.attr}` of a private value has no rule",
            "a field of a row, or a function of metricdp",
            field_advice(getattr(base, "names", ()), node),
        )  # fmt: skip

    # -- operators --------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp, frame: Frame) -> Obj:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        return self.binary(node.op, left, right, node, node.left, node.right)

    def binary(
        self, op: ast.operator | ast.cmpop | ast.boolop, left: Obj, right: Obj, node: ast.AST,
        left_node: ast.expr, right_node: ast.expr,
    ) -> Obj:  # fmt: skip
        operator = OPERATORS[type(op)]
        both = (self.heap.opened(left), self.heap.opened(right))
        if isinstance(both[0], Tuple) and isinstance(both[1], Tuple) and operator == "+":
            items = (*self.items(both[0], node), *self.items(both[1], node))
            return Tuple(items, both[0].is_list)
        self.handed_on([left, right], node)
        left, right = self.seen(left), self.seen(right)
        if not (self.has_private(left) or self.has_private(right)):
            if isinstance(left, Value) and isinstance(right, Value):
                return compared(public.binary(operator, left, right), operator, left, right)
            return Value(public.origin(left, right), source="computed")
        if operator in ("+", "-"):
            left = self._as_number(left, right, node, left_node)
            right = self._as_number(right, left, node, right_node)
        record = by_operator(operator)
        if record is None:
            raise stop(
                self.module, node, "unsupported-syntax",
                f"`{operator}` on private values has no rule",
                *operator_advice(operator, left_node, right_node),
            )  # fmt: skip
        result = self.apply(record, [left, right], {}, node, [left_node, right_node], {})
        if not isinstance(result, Value):
            return result
        if operator == "*":
            return multiplied(result, left, right)
        return compared(result, operator, left, right)

    def _as_number(self, value: Obj, other: Obj, node: ast.AST, value_node: ast.expr) -> Obj:
        """Bounded discrete data next to a private number are read as a number: `undisc`."""
        space, beside = getattr(value, "space", None), getattr(other, "space", None)
        if not (isinstance(space, Scalar) and isinstance(beside, Scalar)):
            return value
        if space.element != "Data" or space.kind == "str" or beside.element not in ("Real", "Int"):
            return value
        if not self.has_private(other) or space.lo.is_infinite or space.hi.is_infinite:
            return value
        return self.apply(self.named("undisc", node), [value], {}, node, [None], {})

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Obj:
        value = self.seen(self.evaluate(node.operand, frame))
        operator = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not", ast.Invert: "~"}[type(node.op)]
        if not self.has_private(value):
            if isinstance(value, Value):
                found = public.unary(operator, value)
                return connected(found, operator, (value,)) if operator == "not" else found
            return Value(public.origin(value), source="computed")
        if operator == "+":
            return value
        record = by_operator("-u" if operator == "-" else operator)
        if record is None:
            raise stop(self.module, node, "unsupported-syntax",
                       f"`{operator}` on private values has no rule", "- or not",
                       "use a supported operator")  # fmt: skip
        result = self.apply(record, [value], {}, node, [node.operand], {})
        if operator == "not" and isinstance(result, Value):
            return connected(result, operator, (value,))
        return result

    def _compare(self, node: ast.Compare, frame: Frame) -> Obj:
        left_node, result = node.left, None
        left = self.evaluate(left_node, frame)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self._evaluated_if(result, right_node, frame)
            part = self.binary(op, left, right, node, left_node, right_node)
            result = part if result is None else self._both_true(result, part, node)
            left, left_node = right, right_node
        assert result is not None
        return result

    def _both_true(self, a: Obj, b: Obj, node: ast.AST) -> Obj:
        return self._logic("and", [a, b], node, [None, None])

    def _boolop(self, node: ast.BoolOp, frame: Frame) -> Obj:
        values: list[Obj] = []
        for value in node.values:
            values.append(
                self._evaluated_if(Tuple(tuple(values)) if values else None, value, frame)
            )
        self.handed_on(values, node)
        return self._logic(OPERATORS[type(node.op)], values, node, list(node.values))

    def _evaluated_if(self, test: Obj | None, node: ast.expr, frame: Frame) -> Obj:
        """An operand that Python evaluates only if those before it (`test`) do not decide."""
        if test is None:
            return self.evaluate(node, frame)
        private, lists = self.has_private(test), dict(self.heap.lists)
        self.domain.private_tests += private
        value = self.evaluate(node, frame)
        self.domain.private_tests -= private
        self.unchanged(lists, node, "an operand that may not be evaluated")
        return value

    def _logic(self, operator: str, values: list[Obj], node: ast.AST, nodes: list[Any]) -> Obj:
        result = values[0]
        for value, value_node in zip(values[1:], nodes[1:], strict=True):
            if not (self.has_private(result) or self.has_private(value)):
                known = _logic(operator, result, value)
                made = Value(public.origin(result, value), literal=known, source="computed")
                result = connected(made, operator, (result, value))
                continue
            record = by_operator(operator)
            assert record is not None
            both = (result, value)
            result = self.apply(record, list(both), {}, node, [nodes[0], value_node], {})
            if isinstance(result, Value):
                result = connected(result, operator, both)
        return result

    def truth(self, node: ast.expr, frame: Frame) -> Value:
        """The condition of a branch: a truth value, public with a literal if it is known."""
        value = self._truth(node, frame)
        known = value.literal if isinstance(value.literal, bool) else None
        self.decided.setdefault(node, set()).add(known)
        return value

    def _truth(self, node: ast.expr, frame: Frame) -> Value:
        value = self.seen(self.evaluate(node, frame))
        if isinstance(value, Tuple):
            return Value("public", literal=bool(value.items))
        if not isinstance(value, Value):
            raise stop(self.module, node, "unsupported-syntax",
                       "this condition is no number and no tuple", "a comparison, or a number",
                       "compare numbers: n > 0")  # fmt: skip
        if value.private:
            if getattr(value.space, "element", "") == "Bool":
                return truthful(value, value)
            record = by_operator("!=")
            assert record is not None
            zero = public.literal(0)
            result = self.apply(record, [value, zero], {}, node, [node, node], {})
            assert isinstance(result, Value)
            return truthful(result, value)
        if value.literal is UNKNOWN or isinstance(value.literal, bool):
            return truthful(value, value)
        return Value(value.origin, literal=bool(value.literal), source="computed")

    # -- containers -------------------------------------------------------------------------

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Obj:
        return Closure(node, self.module, frame, "the lambda", self.defaults(node.args, frame))

    def defaults(self, spec: ast.arguments, frame: Frame) -> dict[str, Obj]:
        """Default arguments of a nested function: evaluated here and now; lists stay aliases."""
        return {
            name: self.evaluate(default, frame) for name, default in default_nodes(spec).items()
        }


def shape_of(base: Value) -> tuple[Expr, ...]:
    """Public sizes of a private vector or matrix; () for anything else."""
    space = base.space if base.private else None
    if isinstance(space, Matrix) and space.rows is not None and space.cols is not None:
        return space.rows, space.cols
    return (space.size,) if isinstance(space, Vector) and space.size is not None else ()


def star_import(module: Any, node: ast.ImportFrom) -> Stop:
    """The rejection of a star import."""
    return Stop(
        report(
            module, node, "star-import", f"`from {node.module} import *` hides what names mean",
            "imports by name", f"from {node.module} import {free_names(module.tree)}",
        )
    )  # fmt: skip


def _logic(operator: str, a: Obj, b: Obj) -> Any:
    known = [getattr(v, "literal", UNKNOWN) for v in (a, b)]
    if not all(isinstance(k, bool) for k in known):
        decisive = operator == "or"
        return decisive if decisive in [k for k in known if isinstance(k, bool)] else UNKNOWN
    return all(known) if operator == "and" else any(known)


_EXPRESSIONS: dict[type, Callable[..., Obj]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.BinOp: Evaluator._binop,
    ast.UnaryOp: Evaluator._unary,
    ast.Compare: Evaluator._compare,
    ast.BoolOp: Evaluator._boolop,
    ast.Tuple: Evaluator.tuple_display,
    ast.List: Evaluator.tuple_display,
    ast.Dict: Evaluator.dict_display,
    ast.JoinedStr: Evaluator.joined_display,
    ast.Subscript: Evaluator.subscript,
    ast.ListComp: Evaluator.comprehension,
    ast.GeneratorExp: Evaluator.kept_generator,
    ast.Lambda: Evaluator._lambda,
    ast.Call: Evaluator.call_expression,
    ast.IfExp: lambda self, node, frame: self.conditional(node, frame),
}
_NAMES = {
    ast.NamedExpr: "`:=`", ast.Await: "`await`", ast.Yield: "`yield`",
    ast.YieldFrom: "`yield from`", ast.Starred: "`*`", ast.Set: "a set display",
    ast.SetComp: "a set comprehension", ast.DictComp: "a dictionary comprehension",
}  # fmt: skip
