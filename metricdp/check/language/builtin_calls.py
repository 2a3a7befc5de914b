"""Calls of Python's builtins: rules for private values, plain arithmetic for public ones."""

from __future__ import annotations

import ast

from metricdp.check.language.base import Base, Nodes
from metricdp.check.language.public_sequences import in_order, of_range
from metricdp.check.source.advice import beside, without
from metricdp.check.source.names import BUILTINS
from metricdp.check.values import public
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.objects import (
    Enumerated,
    Obj,
    Range,
    Tuple,
    Value,
    Zip,
)
from metricdp.expr import ZERO, ceil, maximum, num
from metricdp.record import REGISTRY, by_operator


class BuiltinCalls(Base):
    """What a builtin does to abstract objects."""

    def builtin(
        self, name: str, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr],
    ) -> Obj:  # fmt: skip
        """Call a builtin by its name."""
        if name not in BUILTINS:
            raise stop(
                self.module, node, "unsupported-call",
                f"`{name}` is not part of the checked language",
                "a function of metricdp, or a supported builtin",
                without(name),
            )  # fmt: skip
        given, arguments = arguments, [self.seen(argument) for argument in arguments]
        private = any(self.has_private(a) for a in (*arguments, *keywords.values()))
        if name == "range":
            return self._range(arguments, node)
        if name == "zip":
            # `strict` compares lengths, which are public.
            others = {k: v for k, v in keywords.items() if k != "strict" or self.has_private(v)}
            self._no_keywords(name, others, node)
            return Zip(tuple(given))
        if name == "enumerate":
            return self._enumerate(given, keywords, node)
        if arguments and isinstance(arguments[0], Range) and not keywords:
            known = of_range(self.heap, name, arguments[0]) if len(arguments) == 1 else None
            if known is not None:
                return known
        if name == "print" and private:
            raise stop(self.module, node, "private-escape", "a private value would be printed",
                       "released or public values", "release the value first")  # fmt: skip
        if name == "len" and arguments and isinstance(arguments[0], Tuple):
            return public.literal(len(arguments[0].items))
        if name == "len" and arguments:
            length = public.public_length(arguments[0])
            if length is not None:
                return public.public_number(length)
        if name == "reversed" and arguments and isinstance(arguments[0], Tuple):
            self.handed_on(given[:1], node)  # an iterator: it reads the list later
            return Tuple(self.items(arguments[0], node)[::-1])
        if name in ("list", "tuple") and arguments and isinstance(arguments[0], Tuple):
            inside = self.heap.opened(given[0])
            assert isinstance(inside, Tuple)
            items = self.items(inside, node)
            return self.heap.new(items) if name == "list" else Tuple(items)
        if name == "list" and not arguments:
            return self.heap.new(())
        if name == "sorted" and len(arguments) == 1 and not private and not keywords:
            ordered = in_order(self.heap, arguments[0])
            if ordered is not None:
                return ordered
        if not private:
            alone = len(given) == 1 and name not in ("map", "filter")
            inner = self.heap.opened(given[0]) if alone else None
            self.handed_on(inner.items if isinstance(inner, Tuple) else given, node)
            if keywords:
                return Value(public.origin(*arguments, *keywords.values()), source="computed")
            return self._public(name, arguments, node)
        if (
            name in ("sum", "min", "max")
            and len(arguments) == 1
            and isinstance(arguments[0], Tuple)
        ):
            self._no_keywords(name, keywords, node)
            return self.over_tuple(name, arguments[0], node)
        number = arguments[0] if len(arguments) == 1 else None
        if name == "float" and isinstance(number, Value):
            # Discrete data of any type may be text, which is no number to Python.
            element, kind = (getattr(number.space, field, "") for field in ("element", "kind"))
            if element == "Data" and kind not in ("float", "int", "bool"):
                raise self._no_rule(name, node)
            return number
        record = by_operator(name)
        if record is None and name in ("map", "filter"):
            record = REGISTRY.get(name)
        if record is None:
            raise self._no_rule(name, node)
        return self.apply(record, arguments, keywords, node, nodes, keyword_nodes)

    def _no_rule(self, name: str, node: ast.AST) -> Stop:
        return stop(
            self.module, node, "unsupported-call", f"`{name}` on private values has no rule",
            "sum, min, max, abs, len, round, or a function of metricdp",
            beside(name, f"dp.sum, dp.map, dp.clamp, ... in place of {name}(...)"),
        )  # fmt: skip

    def _no_keywords(self, name: str, keywords: dict[str, Obj], node: ast.AST) -> None:
        for keyword in keywords:
            raise stop(
                self.module, node, "unsupported-keyword", f"`{name}` has no rule for `{keyword}=`",
                "positional arguments", f"remove `{keyword}=`",
            )  # fmt: skip

    def _enumerate(self, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST) -> Obj:
        start = arguments[1] if len(arguments) > 1 else keywords.get("start", public.literal(0))
        if not arguments or not isinstance(start, Value) or start.private or start.expr is None:
            raise stop(self.module, node, "wrong-arguments", "`enumerate` needs something to "
                                                             "count, and "
                       "a public start", "enumerate(values)", "enumerate(values)")  # fmt: skip
        return Enumerated(arguments[0], start.expr)

    def _public(self, name: str, arguments: list[Obj], node: ast.AST) -> Value:
        if (
            name in ("min", "max", "sum")
            and len(arguments) == 1
            and isinstance(arguments[0], Tuple)
        ):
            arguments = list(self.items(arguments[0], node))
            if name == "sum":
                return self._fold_public(arguments)
        values = [a if isinstance(a, Value) else Value(public.origin(a)) for a in arguments]
        return public.call(name, values)

    def _fold_public(self, arguments: list[Obj]) -> Value:
        total: Value = public.literal(0)
        for item in arguments:
            total = public.binary("+", total, item if isinstance(item, Value) else Value("public"))
        return total

    def over_tuple(self, name: str, values: Tuple, node: ast.AST) -> Obj:
        """sum, min or max of a tuple or list display."""
        items = list(self.items(values, node))
        if isinstance(node, ast.Call) and len(node.args) == 1:
            self.act(node, "over", name)
        if name != "sum":
            record = by_operator(name)
            assert record is not None
            return self.apply(record, items, {}, node, [None] * len(items), {})
        record = by_operator("+")
        assert record is not None
        total: Obj = public.literal(0)
        for item in items:
            if not self.has_private(total) and not self.has_private(item):
                total = self._fold_public([total, item])
            else:
                total = self.apply(record, [total, item], {}, node, [None, None], {})
        return total

    def _range(self, arguments: list[Obj], node: ast.AST) -> Obj:
        values = []
        if not 1 <= len(arguments) <= 3:
            raise stop(self.module, node, "wrong-arguments", "`range` takes one to three numbers",
                       "range(n)", "range(n)")  # fmt: skip
        for argument in arguments:
            if not isinstance(argument, Value) or argument.private:
                raise stop(
                    self.module, node, "private-loop-bound",
                    "a private value sets the number of rounds",
                    "a public number of rounds", "use a public parameter as the bound",
                )  # fmt: skip
            if (
                argument.origin == "released"
                or argument.expr is None
                or argument.source == "irrational"
            ):
                raise stop(
                    self.module, node, "private-loop-bound",
                    "the number of rounds is not known as a public expression",
                    "a public parameter, a literal or a size",
                    "use a public parameter as the bound",
                )  # fmt: skip
            values.append(argument)
        zero, one = public.literal(0), public.literal(1)
        start, stop_, step = {
            1: lambda: (zero, values[0], one),
            2: lambda: (values[0], values[1], one),
            3: lambda: (values[0], values[1], values[2]),
        }[len(values)]()
        assert start.expr is not None and stop_.expr is not None and step.expr is not None
        if step.expr.sign() not in ("+", "-"):
            raise stop(self.module, node, "private-loop-bound", "the step of this range may be 0",
                       "a step that is not 0", "use a literal step")  # fmt: skip
        span = stop_.expr - start.expr
        count = span if step.expr == num(1) else ceil(span / step.expr)
        return Range(start, maximum(ZERO, count), step.expr)
