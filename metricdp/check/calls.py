"""Calls: of primitives by any of their names, of functions of the program, of public functions."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from metricdp.check import public
from metricdp.check.frames import Frame
from metricdp.check.objects import (
    Aligned,
    Builtin,
    Closure,
    External,
    Library,
    Obj,
    Primitive,
    Range,
    Tuple,
    Value,
)
from metricdp.check.privacy import Domain
from metricdp.check.program import Module, stop
from metricdp.check.signatures import bind_function, bind_rule
from metricdp.expr import ZERO, ceil, maximum, num
from metricdp.record import REGISTRY, Record, by_numpy, by_operator

Nodes = Sequence[ast.expr | None]


class Calls:
    """How a call is resolved; shares the state of one check with the other layers."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.domain = Domain(self.call_object)
        self.domain.site = self.site
        self.active: list[ast.AST] = []
        self.path: list[str] = []
        #: What the compiled program does at a node: ("primitive", record name, permutation or None),
        #: ("mechanism", record name, None), ("call", place, None) or ("rows", "", None).
        self.actions: dict[ast.AST, tuple[str, str, tuple[int, ...] | None]] = {}
        #: Functions of the program that were interpreted, with their modules.
        self.used: dict[ast.AST, Module] = {}

    @abstractmethod
    def evaluate(self, node: ast.expr, frame: Frame) -> Obj: ...

    @abstractmethod
    def run(self, function: Closure, arguments: dict[str, Obj]) -> Obj: ...

    @abstractmethod
    def resolve(self, name: str, frame: Frame | None) -> Obj | None: ...

    def site(self, node: ast.AST) -> str:
        """Address of a call: the calls that led here, then its own place."""
        return "/".join([*self.path, place(node)])

    def has_private(self, value: Obj) -> bool:
        """Whether anything private is inside."""
        if isinstance(value, Value):
            return value.private
        if isinstance(value, Tuple):
            return any(self.has_private(item) for item in value.items)
        return isinstance(value, Aligned)

    def named(self, name: str, node: ast.AST) -> Record:
        record = REGISTRY.get(name)
        if record is None:
            raise stop(self.module, node, "unsupported-call", f"`{name}` has no rule",
                       "a function of metricdp", "metricdp explain unsupported-call")  # fmt: skip
        return record

    # -- the call expression ----------------------------------------------------------------

    def call_expression(self, node: ast.Call, frame: Frame) -> Obj:
        if isinstance(node.func, ast.Attribute):
            method = self._method(node, node.func, frame)
            if method is not None:
                return method
        callee = self.evaluate(node.func, frame)
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise stop(self.module, node, "unsupported-syntax", "`*` and `**` in a call are not part "
                       "of the checked language", "explicit arguments", "write the arguments out")  # fmt: skip
        arguments = [self.evaluate(argument, frame) for argument in node.args]
        keywords = {k.arg: self.evaluate(k.value, frame) for k in node.keywords if k.arg is not None}
        return self.dispatch(callee, arguments, keywords, node, list(node.args),
                             {k.arg: k.value for k in node.keywords if k.arg})  # fmt: skip

    def dispatch(
        self, callee: Obj, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr],
    ) -> Obj:  # fmt: skip
        """Call an object."""
        if isinstance(callee, Closure):
            return self._closure(callee, arguments, keywords, node)
        if isinstance(callee, Primitive):
            return self.apply(callee.record, arguments, keywords, node, nodes, keyword_nodes)
        private = any(self.has_private(a) for a in (*arguments, *keywords.values()))
        if isinstance(callee, Builtin):
            return self._builtin(callee.name, arguments, keywords, node, nodes, keyword_nodes, private)
        if isinstance(callee, Library):
            record = self._library(callee.dotted, private)
            if record is not None:
                return self.apply(record, arguments, keywords, node, nodes, keyword_nodes)
            if callee.dotted.startswith("metricdp."):
                raise self._no_such_function(callee.dotted, node)
            if not private:
                values = [a if isinstance(a, Value) else Value("public") for a in arguments]
                return public.call(callee.dotted, values)
            raise stop(
                self.module, node, "unsupported-call", f"`{callee.dotted}` on private values has no rule",
                "a function of metricdp, or a NumPy function that has a rule",
                "wrap it in a function decorated with @dp.black_box, or use a function of metricdp",
            )  # fmt: skip
        if isinstance(callee, External):
            raise stop(self.module, node, "unknown-name", callee.reason, "a function that can be read",
                       "use a function of metricdp or of this project")  # fmt: skip
        raise stop(self.module, node, "unsupported-call", "this value is not a function",
                   "a function", "call a function by its name")  # fmt: skip

    def call_object(self, function: Obj, arguments: tuple[Obj, ...], module: Any, node: ast.AST) -> Obj:
        """Call back from the domain: a function argument on fresh formals."""
        assert isinstance(function, Closure)
        return self._closure(function, list(arguments), {}, node)

    def _closure(self, callee: Closure, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST) -> Obj:
        bound = bind_function(self, callee, arguments, keywords, node)
        if isinstance(node, ast.Call) and node not in self.actions:
            self.actions[node] = ("call", place(node), None)
        self.path.append(place(node))
        try:
            return self.run(callee, bound)
        finally:
            self.path.pop()

    def _library(self, dotted: str, private: bool) -> Record | None:
        if dotted.startswith("metricdp."):
            name = dotted.rsplit(".", 1)[-1]
            return REGISTRY.get(name) or _seed_names().get(name)
        return by_numpy(dotted) if private else None

    def _no_such_function(self, dotted: str, node: ast.AST) -> Any:
        from difflib import get_close_matches

        name = dotted.rsplit(".", 1)[-1]
        close = get_close_matches(name, [*REGISTRY, *_seed_names()], 1)
        return stop(
            self.module, node, "unknown-name", f"metricdp has no function `{name}`",
            "a function of metricdp", f"dp.{close[0]}" if close else "see the list of rules",
        )  # fmt: skip

    # -- builtins and methods ---------------------------------------------------------------

    def _builtin(
        self, name: str, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr], private: bool,
    ) -> Obj:  # fmt: skip
        if name == "range":
            return self._range(arguments, node)
        if name in ("zip", "enumerate", "reversed") or (name in ("list", "tuple") and not private):
            if name == "zip" and private:
                return Tuple(tuple(arguments), names=("zip",) * 0)
        if name == "len" and arguments and isinstance(arguments[0], Tuple):
            return public.literal(len(arguments[0].items))
        if not private:
            if name in ("min", "max", "sum") and len(arguments) == 1 and isinstance(arguments[0], Tuple):
                arguments = list(arguments[0].items)
                if name == "sum":
                    return self._fold_public(arguments)
            values = [a if isinstance(a, Value) else Value(public.origin(a)) for a in arguments]
            return public.call(name, values)
        if name in ("sum", "min", "max") and len(arguments) == 1 and isinstance(arguments[0], Tuple):
            return self._over_tuple(name, arguments[0], node)
        if name == "float" and isinstance(arguments[0], Value):
            return arguments[0]
        record = by_operator(name)
        if record is None and name in ("map", "filter"):
            record = REGISTRY.get(name)
        if record is None:
            raise stop(
                self.module, node, "unsupported-call", f"`{name}` on private values has no rule",
                "sum, min, max, abs, len, round, or a function of metricdp", "use a function of metricdp",
            )  # fmt: skip
        return self.apply(record, arguments, keywords, node, nodes, keyword_nodes)

    def _fold_public(self, arguments: list[Obj]) -> Value:
        total: Value = public.literal(0)
        for item in arguments:
            total = public.binary("+", total, item if isinstance(item, Value) else Value("public"))
        return total

    def _over_tuple(self, name: str, values: Tuple, node: ast.AST) -> Obj:
        items = list(values.items)
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
        for argument in arguments:
            if not isinstance(argument, Value) or argument.private:
                raise stop(
                    self.module, node, "private-loop-bound", "a private value sets the number of rounds",
                    "a public number of rounds", "use a public parameter as the bound",
                )  # fmt: skip
            if argument.origin == "released" or argument.expr is None:
                raise stop(
                    self.module, node, "private-loop-bound",
                    "the number of rounds is not known as a public expression",
                    "a public parameter, a literal or a size", "use a public parameter as the bound",
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

    def _method(self, node: ast.Call, func: ast.Attribute, frame: Frame) -> Obj | None:
        """`x.sum()` and the like on private containers; None if this is no such call."""
        if isinstance(func.value, ast.Name) and not isinstance(
            self.resolve(func.value.id, frame), Value | Tuple | Aligned
        ):
            return None
        base = self.evaluate(func.value, frame)
        arguments = [self.evaluate(argument, frame) for argument in node.args]
        keywords = {k.arg or "": self.evaluate(k.value, frame) for k in node.keywords}
        private = any(self.has_private(a) for a in (*arguments, *keywords.values()))
        if isinstance(base, Value) and base.private:
            record = by_numpy(f"numpy.{func.attr}")
            if record is None:
                raise stop(self.module, node, "unsupported-call", f"the method `{func.attr}` of a "
                           "private value has no rule", "a function of metricdp",
                           f"dp.sum, dp.clamp, ... in place of .{func.attr}()")  # fmt: skip
            result = self.apply(record, [base, *arguments], keywords, node, [func.value, *node.args],
                                {k.arg: k.value for k in node.keywords if k.arg})  # fmt: skip
            self.actions[node] = ("method", record.name, None)
            return result
        if isinstance(base, Value | Tuple) and private:
            raise stop(
                self.module, node, "private-escape",
                f"`.{func.attr}` would put a private value into an object that other code can see",
                "a new value", "build a new value and give it a name",
            )  # fmt: skip
        if isinstance(base, Value):
            return Value(public.origin(base, *arguments), source="computed")
        if isinstance(base, Tuple | Aligned):
            raise stop(self.module, node, "unsupported-call", f"the method `{func.attr}` of a tuple or "
                       "list is not part of the checked language", "a new value",
                       "build a new value and give it a name")  # fmt: skip
        return None

    # -- primitives -------------------------------------------------------------------------

    def apply(
        self, record: Record, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr],
    ) -> Obj:  # fmt: skip
        """Apply a record to positional and keyword arguments."""
        given, order, texts, permutation = bind_rule(
            self, record, arguments, keywords, node, nodes, keyword_nodes
        )
        self._act(record, node, permutation, nodes)
        if record.kind == "mechanism":
            self._tuple_argument(given, node)
        for value in given.values():
            if isinstance(value, External):
                raise stop(self.module, node, "unknown-name", value.reason, "a known value", "name it")
        return self.domain.apply(record, given, self.module, node, texts, order)

    def _act(
        self, record: Record, node: ast.AST, permutation: tuple[int, ...] | None, nodes: Nodes
    ) -> None:
        if None in nodes or node in nodes:
            return
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            self.actions[node] = ("rows", "", None)
        else:
            kind = "mechanism" if record.kind == "mechanism" else "primitive"
            self.actions[node] = (kind, record.name, permutation)

    def _tuple_argument(self, given: dict[str, Obj], node: ast.AST) -> None:
        if any(isinstance(v, Tuple) and self.has_private(v) for v in given.values()):
            raise stop(
                self.module, node, "unsupported-call", "noise on several values at once is not supported",
                "one number or one vector per mechanism", "add noise to each value",
            )  # fmt: skip

    def text(self, node: ast.expr | None) -> str:
        """Source text of an expression on one line."""
        if node is None or getattr(node, "end_lineno", 0) != node.lineno:
            return "x"
        line = self.module.lines[node.lineno - 1] if node.lineno <= len(self.module.lines) else ""
        if not line.isascii():
            line_bytes = line.encode()
            return line_bytes[node.col_offset : node.end_col_offset].decode(errors="replace")
        return line[node.col_offset : node.end_col_offset]


def place(node: ast.AST) -> str:
    """line:column of a node, as an address."""
    return f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


_SEEDS: dict[str, Record] = {}


def _seed_names() -> dict[str, Record]:
    if not _SEEDS:
        for record in REGISTRY.values():
            for name in record.spelling.seed:
                if name.isidentifier():
                    _SEEDS.setdefault(name, record)
    return _SEEDS
