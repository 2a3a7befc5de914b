"""Statements and functions: Python's own semantics over the domain.

Names bind to objects, calls are interpreted where they happen, and every unsupported construct is
rejected by its name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from metricdp.check.domain import joins
from metricdp.check.language.appending import starts_empty
from metricdp.check.language.generating import Generating
from metricdp.check.language.in_place import owned_alone, stored_into
from metricdp.check.language.narrowing import assuming, known_when
from metricdp.check.language.unpacking import parts_of
from metricdp.check.source.statements import Jump, jumps, local_names
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    Aligned,
    Closure,
    Enumerated,
    ListRef,
    Obj,
    Tuple,
    Value,
    Zip,
)
from metricdp.check.values.public import literal, unknown_values
from metricdp.effort import Exhausted
from metricdp.measures.events import Choice
from metricdp.spaces import Records

NONE = literal(None)
#: What joining two branches takes, in expressions that are read.
BRANCH = 50


class Interpreter(Generating):
    """Interprets functions; `run` is the entry for one call."""

    def run(self, function: Closure, arguments: dict[str, Obj]) -> Obj:
        """The result of a call whose arguments are bound already."""
        node, module = function.node, function.module
        self.active.append(function.node)
        self.used[function.node] = module
        local = frozenset() if isinstance(node, ast.Lambda) else local_names(node)
        self.not_reserved({function.name, *arguments, *local}, function.node)
        frame = Frame(dict(arguments), function.frame, local)
        outer, around, there = self.module, self.endings, self.here
        self.module, self.endings = module, []
        try:
            if isinstance(node, ast.Lambda):
                return self.evaluate(node.body, frame)
            returned = self.block(node.body, frame)
            return NONE if returned is None or isinstance(returned, Jump) else returned
        except Stop:
            raise
        except (Exhausted, Exception):
            self.domain.state.stopped.append((module, self.here or node))
            raise
        finally:
            self.module, self.endings, self.here = outer, around, there
            self.active.pop()

    def block(self, body: list[ast.stmt], frame: Frame) -> Obj | Jump | None:
        """Run statements; the returned object or jump, or None if control falls off the end."""
        for position, statement in enumerate(body):
            self.here = statement
            if isinstance(statement, ast.Return):
                return NONE if statement.value is None else self.evaluate(statement.value, frame)
            if isinstance(statement, ast.Break | ast.Continue):
                return self.jump(statement)
            if isinstance(statement, ast.If):
                rest = body[position + 1 :]
                done, returned = self.branch(statement, rest, frame)
                if done:
                    return returned
                continue
            self.statement(statement, frame)
        return None

    def statement(self, node: ast.stmt, frame: Frame) -> None:
        """Run a statement that neither branches nor jumps."""
        handler = _STATEMENTS.get(type(node))
        if handler is None:
            name = _NAMES.get(type(node), type(node).__name__.lower())
            raise stop(
                self.module, node, "unsupported-syntax",
                f"`{name}` is not part of the checked language",
                "assignments, if, for, return and calls",
                _HELP.get(type(node), f"write this without `{name}`"),
            )  # fmt: skip
        handler(self, node, frame)

    # -- simple statements ------------------------------------------------------------------

    def _expression(self, node: ast.Expr, frame: Frame) -> None:
        if not isinstance(node.value, ast.Constant):
            self.evaluate(node.value, frame)

    def _assign(self, node: ast.Assign, frame: Frame) -> None:
        value = self.evaluate(node.value, frame)
        for target in node.targets:
            self.bind(target, value, frame)
        starts_empty(self, node, value)

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value, frame), frame)

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            if self._added_to_item(node, target, frame):
                return
            held = self.evaluate(target.value, frame)
            if isinstance(held, Value) and held.private:
                raise stored_into(self, target)
        if not isinstance(target, ast.Name):
            raise self._no_store(target)
        if target.id in frame.outside:
            raise self._outside(target)
        if isinstance(frame.names.get(target.id), ListRef | Tuple):
            raise stop(
                self.module, node, "unsupported-syntax",
                "`+=` on a list or tuple changes or rebinds it",
                "append, extend, or a new value", f"{target.id}.extend(...) for a list",
            )  # fmt: skip
        if target.id not in frame.names:
            raise stop(
                self.module, target, "unknown-name", f"`{target.id}` has no value here yet",
                "an assignment before this line", f"{target.id} = 0 before this line",
            )  # fmt: skip
        known = self.resolve(target.id, frame)
        assert known is not None
        owned_alone(self, node, target.id, known, frame)
        value = self.binary(node.op, known, self.evaluate(node.value, frame), node, target,
                            node.value)  # fmt: skip
        self.bind(target, value, frame)

    def _added_to_item(self, node: ast.AugAssign, target: ast.Subscript, frame: Frame) -> bool:
        """`values[0] += v`, in a list that the function made; names are read twice."""
        index = target.slice.operand if isinstance(target.slice, ast.UnaryOp) else target.slice
        if not isinstance(target.value, ast.Name) or not isinstance(index, ast.Name | ast.Constant):
            return False
        if not isinstance(frame.lookup(target.value.id), ListRef):
            return False
        held = self.evaluate(target, frame)
        if isinstance(held, ListRef | Tuple):
            return False
        owned_alone(self, node, "", held, frame)
        value = self.evaluate(node.value, frame)
        result = self.binary(node.op, held, value, node, target, node.value)
        return self._stored(target, result, frame)

    def _function(self, node: ast.FunctionDef, frame: Frame) -> None:
        if node.decorator_list:
            raise stop(
                self.module, node, "unknown-decorator",
                f"the nested function `{node.name}` has a decorator",
                "nested functions without decorators", "remove the decorator",
            )  # fmt: skip
        if node.name in frame.outside:
            raise self._outside(node)
        defaults = self.defaults(node.args, frame)
        frame.names[node.name] = Closure(node, self.module, frame, node.name, defaults)

    def bind(self, target: ast.expr, value: Obj, frame: Frame) -> None:
        """Bind a name, or the names of a tuple target."""
        if isinstance(value, Zip | Enumerated):
            raise stop(self.module, target, "unsupported-syntax", "an iterator is kept under a "
                                                                  "name",
                       "zip and enumerate in a for loop", "loop over it at once")  # fmt: skip
        if isinstance(target, ast.Name):
            if target.id in frame.outside:
                raise self._outside(target)
            frame.names[target.id] = value
            self.name_step(target.id, value)
            return
        if isinstance(target, ast.Tuple | ast.List):
            items = parts_of(self, target.elts, value, target)
            if items is None:
                items = list(self.unpack(value, len(target.elts), target))
            for part, item in zip(target.elts, items, strict=True):
                self.bind(part.value if isinstance(part, ast.Starred) else part, item, frame)
            return
        if isinstance(target, ast.Subscript):
            if self._stored(target, value, frame):
                return
            held = self.evaluate(target.value, frame)
            if isinstance(held, Value) and held.private:
                raise stored_into(self, target)
        raise self._no_store(target)

    def _stored(self, target: ast.Subscript, value: Obj, frame: Frame) -> bool:
        """`values[i] = v` in a list that the function made, at a position known here."""
        base = self.evaluate(target.value, frame)
        index = self.evaluate(target.slice, frame)
        known = getattr(index, "literal", None)
        if not isinstance(base, ListRef) or not isinstance(known, int):
            return False
        held = self.heap.lists[base.number]
        if not isinstance(held, Tuple) or not -len(held.items) <= known < len(held.items):
            return False
        items = list(held.items)
        items[known] = value
        self.may_change(base, target)
        self.heap.lists[base.number] = Tuple(tuple(items), True)
        return True

    def _outside_names(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> None:
        if isinstance(node, ast.Global) and frame.parent is not None:
            raise stop(
                self.module, node, "unsupported-syntax", "`global` stands in a nested function",
                "names of the function itself", "pass the value as an argument",
            )  # fmt: skip
        frame.outside |= set(node.names)

    def _outside(self, target: ast.Name | ast.FunctionDef) -> Stop:
        name = target.id if isinstance(target, ast.Name) else target.name
        return stop(
            self.module, target, "private-escape",
            f"`{name}` belongs to code outside of this function, which would see what is "
            f"stored",
            "names of this function", "return the value instead",
        )  # fmt: skip

    def _raise(self, node: ast.Raise, frame: Frame) -> None:
        if self.domain.private_tests or (
            node.exc is not None
            and isinstance(node.exc, ast.Call)
            and any(self.has_private(self.evaluate(a, frame)) for a in node.exc.args)
        ):
            raise stop(
                self.module, node, "private-escape",
                "an exception would show what private data decide",
                "a value in every case", "return a default value instead",
            )  # fmt: skip
        raise stop(
            self.module, node, "unsupported-syntax", "`raise` is not part of the checked language",
            "assignments, if, for, return and calls", "return a default value instead",
        )  # fmt: skip

    def _assert(self, node: ast.Assert, frame: Frame) -> None:
        if self.domain.private_tests or self.has_private(self.evaluate(node.test, frame)):
            raise stop(
                self.module, node, "private-escape",
                "a failing assertion would show a private value",
                "facts about public values", "dp.clamp(value, lower, upper) makes the fact true",
            )  # fmt: skip
        raise stop(
            self.module, node, "unsupported-syntax", "`assert` is not part of the checked language",
            "assignments, if, for, return and calls", _HELP[ast.Assert],
        )  # fmt: skip

    def name_step(self, name: str, value: Obj) -> None:
        """The step that made a value is printed under the name it is given."""
        steps = self.domain.state.steps
        if isinstance(value, Value) and steps and steps[-1].id == value.step and not steps[-1].name:
            steps[-1].name = name

    def _no_store(self, target: ast.expr) -> Stop:
        if isinstance(target, ast.Subscript):
            return stop(
                self.module, target, "private-escape",
                "an entry is stored into something that is no list of this function, "
                "a dictionary for example",
                "a list that this function made",
                "out.append((key, value)) in the loop, and return dict(out)",
            )  # fmt: skip
        return stop(
            self.module, target, "private-escape",
            "storing into an object that other code can see is not part of the checked language",
            "assignment to a plain name", "build a new value and give it a name",
        )  # fmt: skip

    # -- branches ---------------------------------------------------------------------------

    def condition(self, node: ast.If, frame: Frame) -> Value:
        """The condition of an `if`."""
        return self.truth(node.test, frame)

    def branch(
        self, node: ast.If, rest: list[ast.stmt], frame: Frame
    ) -> tuple[bool, Obj | Jump | None]:
        test = self.condition(node, frame)
        if isinstance(test.literal, bool):
            chosen = node.body if test.literal else node.orelse
            if not jumps(node):
                return False, self.block(chosen, frame)
            # A jump may hide under a further condition inside: it decides what the rest does.
            return True, self.block([*chosen, *rest], frame)
        if not jumps(node):
            rest = []
        branches: list[Callable[[], Any]] = [
            lambda: self.on_side(node, node.body, rest, frame),
            lambda: self.on_side(node, node.orelse, rest, frame),
        ]
        if not jumps(node) or self.endings:
            results = self.either(test, branches, node, frame)
            if jumps(node) and test.origin == "released":
                self.endings[-1].origin = "released"
            stopped = all(result is Jump.BREAK for result in results)
            return jumps(node), Jump.BREAK if stopped else None
        then, orelse = (NONE if r is None else r for r in self.both(test, branches, node, frame))
        return True, joins.join(self.domain, test, then, orelse, self.module, node, "the result")

    def both(
        self, test: Value, branches: list[Callable[[], Any]], node: ast.AST, frame: Frame
    ) -> list[Any]:
        """Interpret both branches from the same names; their spending is a choice."""
        self.work += BRANCH
        state, before, lists = self.domain.state, frame.names, self.heap.lists
        results, trees, heaps = [], [], []
        self.domain.private_tests += test.private
        for branch, holds in zip(branches, (True, False), strict=True):
            frame.names, self.heap.lists = dict(before), dict(lists)
            mark = state.checkpoint()
            results.append(assuming(self.domain, frame, test, holds, branch))
            trees.append(state.cut(mark))
            heaps.append(self.heap.lists)
        self.domain.private_tests -= test.private
        self.heap.lists = joins.join_lists(self.domain, test, heaps[0], heaps[1], self.module, node)
        spent = [
            (tree, known_when(test, holds))
            for tree, holds in zip(trees, (True, False), strict=True)
            if tree is not None
        ]
        if spent:
            items, conditions = zip(*spent, strict=True)
            state.spend(Choice(items, conditions))
        return results

    def conditional(self, node: ast.IfExp, frame: Frame) -> Obj:
        """`a if test else b`."""
        test = self.truth(node.test, frame)
        if isinstance(test.literal, bool):
            return self.evaluate(node.body if test.literal else node.orelse, frame)
        then, orelse = self.both(
            test,
            [lambda: self.evaluate(node.body, frame), lambda: self.evaluate(node.orelse, frame)],
            node,
            frame,
        )
        return joins.join(self.domain, test, then, orelse, self.module, node, "the result")

    def unpack(self, value: Obj, count: int, node: ast.AST) -> tuple[Obj, ...]:
        """The items of a tuple of known length."""
        value = self.heap.opened(value)
        if isinstance(value, Aligned):
            value = Tuple(value.parts)
        if isinstance(value, Tuple) and len(value.items) == count:
            return self.items(value, node)
        if isinstance(value, Value) and not value.private:
            return unknown_values(value.origin, count)
        records = isinstance(value, Value) and isinstance(value.space, Records)
        raise stop(
            self.module, node, "unsupported-syntax",
            f"this value does not unpack into {count} names",
            f"a tuple of {count} values",
            "zip(keys, dp.partition(...)) gives keys with their parts" if records
            else "index it instead: x[0], x[1]",
        )  # fmt: skip


_STATEMENTS: dict[type, Callable[..., None]] = {
    ast.Expr: Interpreter._expression,
    ast.Assign: Interpreter._assign,
    ast.AnnAssign: Interpreter._annotated,
    ast.AugAssign: Interpreter._augmented,
    ast.For: Interpreter.run_for,
    ast.While: Interpreter.run_while,
    ast.FunctionDef: Interpreter._function,
    ast.Pass: lambda self, node, frame: None,
    ast.Global: Interpreter._outside_names,
    ast.Nonlocal: Interpreter._outside_names,
    ast.Raise: Interpreter._raise,
    ast.Assert: Interpreter._assert,
}
_NAMES = {
    ast.With: "with", ast.Try: "try", ast.Raise: "raise", ast.Assert: "assert",
    ast.Global: "global", ast.Nonlocal: "nonlocal", ast.Delete: "del", ast.ClassDef: "class",
    ast.Import: "import", ast.ImportFrom: "import", ast.AsyncFunctionDef: "async def",
    ast.Match: "match", ast.AsyncFor: "async for",
}  # fmt: skip
_HELP = {
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Raise: "return a default value instead",
    ast.Assert: "state the fact as a requirement on a public parameter",
}
