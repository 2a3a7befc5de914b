"""Comprehensions and generator sums over public things: loops that append, or that add up."""

from __future__ import annotations

import ast

from metricdp.check.domain.samples import close_samples, refuse_escapes
from metricdp.check.language.indexing import Reading
from metricdp.check.language.iteration import Iteration
from metricdp.check.language.looping import UNROLLED, Looping
from metricdp.check.loops.collecting import collected
from metricdp.check.loops.loop_costs import charge
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Range, Value
from metricdp.check.values.public import public_number
from metricdp.expr import ZERO

Made = ast.ListComp | ast.GeneratorExp


class Generating(Looping):
    """`[f(i) for i in range(n)]`, `sum(f(i) for i in range(n))`."""

    def public_comprehension(self, node: Made, source: Obj, frame: Frame) -> Obj:
        """A comprehension over public things, as the loop that appends to a new list."""
        vector = self._vector(node, source, frame)
        if vector is not None:
            return vector
        inner = Frame({"@out": self.heap.new(()), "@in": source}, frame)
        out = ast.Attribute(ast.Name("@out", ast.Load()), "append", ast.Load())
        self.run_for(_nested(node, ast.Expr(ast.Call(out, [node.elt], []))), inner)
        return self.seen(inner.names["@out"])

    def summed(self, node: ast.Call, frame: Frame) -> Obj | None:
        """`sum(f(i) for i in range(n))`: the loop that adds up; None for anything else."""
        if len(node.args) != 1 or node.keywords:
            return None
        (made,) = node.args
        if not isinstance(made, Made):
            return None
        source = made.generators[0].iter
        if not isinstance(source, ast.Call) or not isinstance(source.func, ast.Name):
            return None
        mark, lists = self.domain.state.checkpoint(), dict(self.heap.lists)
        iterated = self.evaluate(source, frame)
        if not isinstance(iterated, Range):  # it is read once more, as what it is
            self.domain.state.rollback(mark)
            self.heap.lists = lists
            return None
        inner = Frame({".sum": public_number(ZERO), "@in": iterated}, frame)
        add = ast.AugAssign(ast.Name(".sum", ast.Store()), ast.Add(), made.elt)
        self.run_for(_nested(made, add), inner)
        if isinstance(made, ast.GeneratorExp):
            self.unchanged(lists, made, "a generator")
        return inner.names[".sum"]

    def _vector(self, node: Made, source: Obj, frame: Frame) -> Value | None:
        """Private entries over a number of rounds that is not written out: one vector; or None."""
        (generator, *more), state = node.generators, self.domain.state
        if more or generator.ifs:
            return None
        mark, lists = state.checkpoint(), dict(self.heap.lists)
        iteration = Iteration(self, source, generator.iter)
        if iteration.items(UNROLLED) is not None:
            state.rollback(mark)
            return None
        plan = iteration.plan()
        if plan.unordered or plan.count is None:
            state.rollback(mark)
            return None
        plan.index = iteration.index = self.round_name(plan)
        inner, reading = Frame({}, frame), Reading(self, plan)
        self.readings.append(reading)
        self.heap.rounds += 1
        try:
            self.bind(generator.target, iteration.element(), inner)
            entry = self.evaluate(node.elt, inner)
        finally:
            self.readings.pop()
            self.heap.rounds -= 1
        if not isinstance(entry, Value) or not entry.private:
            state.rollback(mark)
            self.heap.lists = lists
            return None
        self.unchanged(lists, node, "an entry of a comprehension")
        refuse_escapes(self.domain, mark, [entry], self.module, node)
        vector = collected(self.domain, plan, entry, self.module, node)
        close_samples(state, mark)
        charge(self.domain, plan, {}, {}, mark, self.module, node)
        self.act(node, "rows", "")
        return vector


def _nested(node: Made, innermost: ast.stmt) -> ast.For:
    """The loops of a comprehension around a statement; the first one runs over `@in`."""
    body: ast.stmt = innermost
    for generator in reversed(node.generators):
        if generator.ifs:
            tests = generator.ifs
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
            body = ast.If(test, [body], [])
        first = generator is node.generators[0]
        source = ast.Name("@in", ast.Load()) if first else generator.iter
        body = ast.For(generator.target, source, [body], [])
    for part in ast.walk(body):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    assert isinstance(body, ast.For)
    return body
