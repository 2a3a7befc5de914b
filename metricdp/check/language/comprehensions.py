"""Comprehensions: over private rows they are `filter` and `map`; over public things, loops."""

from __future__ import annotations

import ast
from abc import abstractmethod

from metricdp.check.language.calls import Calls
from metricdp.check.values.findings import stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Obj, Value
from metricdp.spaces import Keyed
from metricdp.spaces.products import Parts


class Comprehensions(Calls):
    """How comprehensions and generators are read."""

    def kept_generator(self, node: ast.GeneratorExp, frame: Frame) -> Obj:
        """A generator that is not consumed at once: rejected."""
        raise stop(self.module, node, "unsupported-syntax", "a generator runs later than it is "
                                                            "written",
                   "a generator only as the argument of a function that consumes it",
                   "[...] in place of (...)")  # fmt: skip

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Obj:
        """A list comprehension, or a generator that is consumed at once."""
        if any(generator.is_async for generator in node.generators):
            raise stop(self.module, node, "unsupported-syntax",
                       "an asynchronous comprehension is not part of the checked language",
                       "a plain `for`", "remove `async`")  # fmt: skip
        generator = node.generators[0]
        evaluated = self.evaluate(generator.iter, frame)
        source = self.seen(evaluated)
        if not isinstance(source, Value) or not source.private or isinstance(source.space, Parts):
            return self.public_comprehension(node, evaluated, frame)
        if len(node.generators) > 1:
            raise stop(
                self.module, node, "unsupported-syntax",
                "a comprehension over private rows has one loop", "one `for`",
                "a function of one row that sums over the inner loop",
            )  # fmt: skip
        values: Obj = source
        for test in generator.ifs:
            record = self.named("filter", node)
            predicate = self.closure(generator.target, test, frame)
            values = self.apply(record, [predicate, values], {}, node, [test, generator.iter], {})
        if (
            isinstance(node.elt, ast.Name)
            and isinstance(generator.target, ast.Name)
            and (node.elt.id == generator.target.id)
            and not isinstance(source.space, Keyed)
        ):
            return values
        name = "map_rows" if type(source.space).__name__ == "Matrix" else "map"
        function = self.closure(generator.target, node.elt, frame)
        return self.apply(
            self.named(name, node), [function, values], {}, node, [node.elt, generator.iter], {}
        )

    @abstractmethod
    def public_comprehension(
        self, node: ast.ListComp | ast.GeneratorExp, source: Obj, frame: Frame
    ) -> Obj: ...

    def closure(self, target: ast.expr, body: ast.expr, frame: Frame) -> Closure:
        """`lambda target: body`, for one clause of a comprehension."""
        if isinstance(target, ast.Name):
            arguments = ast.arguments([], [ast.arg(target.id)], None, [], [], None, [])
            node = ast.copy_location(ast.Lambda(arguments, body), body)
            return Closure(node, self.module, frame, "the comprehension")
        raise stop(self.module, target, "unsupported-syntax", "unpacking in a comprehension over "
                   "private rows is not part of the checked language", "one name",
                   "use row[0], row[1] or a for loop")  # fmt: skip
