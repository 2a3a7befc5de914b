"""What a `for` loop runs over: unrolled tuples, ranges, rows of private containers, zips."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from metricdp.check.forms import Source, start
from metricdp.check.frames import Frame
from metricdp.check.objects import Aligned, Obj, Range, Tuple, Value
from metricdp.check.program import stop
from metricdp.check.public import literal
from metricdp.check.rounds import Plan
from metricdp.expr import Expr, sym
from metricdp.spaces import Matrix, Records, Row, Scalar, Space, Vector

if TYPE_CHECKING:
    from metricdp.check.calls import Calls

#: Element of a single-column row by its declared type: inside a row function it is a number.
ROW_ELEMENTS = {"float": "Real", "int": "Int", "bool": "Bool", "str": "Data", "": "Real"}


class Iteration:
    """One `for` loop: its iterable, and the object bound in each round."""

    def __init__(self, calls: Calls, node: ast.For, frame: Frame) -> None:
        self.calls, self.node = calls, node
        self.iterable, self.counted = self._iterable(frame)
        self.number = calls.domain.state.loop_number()
        self._sources: tuple[Source, ...] = ()
        self._index = ""

    def _iterable(self, frame: Frame) -> tuple[Obj, bool]:
        node = self.node.iter
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate":
            return self.calls.evaluate(node.args[0], frame), True
        return self.calls.evaluate(node, frame), False

    def items(self) -> list[Obj] | None:
        """The items of a tuple of known length, to unroll; None for anything else."""
        value = self.iterable
        is_zip = (
            isinstance(self.node.iter, ast.Call)
            and isinstance(self.node.iter.func, ast.Name)
            and self.node.iter.func.id == "zip"
        )
        if is_zip and isinstance(value, Tuple):
            parts = value.items
            if all(isinstance(p, Tuple) for p in parts):
                rows = zip(*[p.items for p in parts if isinstance(p, Tuple)], strict=False)
                return [Tuple(row) for row in rows]
            self.iterable = Aligned(tuple(p for p in parts if isinstance(p, Value)))
            return None
        if isinstance(value, Tuple):
            if self.counted:
                return [Tuple((literal(i), item)) for i, item in enumerate(value.items)]
            return list(value.items)
        return None

    def plan(self) -> Plan:
        """The loop over anything that is not unrolled."""
        value = self.iterable
        if isinstance(value, Range):
            self._index = f"i{self.number}"
            return Plan(self.number, value.count, index=self._index)
        rows = value.parts if isinstance(value, Aligned) else (value,)
        if all(isinstance(v, Value) and v.private and _rows_of(v.space) is not None for v in rows):
            values = tuple(v for v in rows if isinstance(v, Value))
            self._sources = tuple(Source("row", f"r{i}", self.number) for i in range(len(values)))
            return Plan(self.number, self._count(values), values, self._sources)
        if any(self.calls.has_private(v) for v in rows):
            raise stop(
                self.calls.module, self.node.iter, "unsupported-syntax",
                "this private value cannot be looped over", "rows, records, a vector or a range",
                "loop over a vector, a matrix or records",
            )  # fmt: skip
        raise stop(
            self.calls.module, self.node.iter, "private-loop-bound",
            "the number of rounds of this loop is not known as a public expression",
            "range(n) with a public n, or a tuple display", "for i in range(n): ...",
        )  # fmt: skip

    def _count(self, values: tuple[Value, ...]) -> Expr | None:
        if any(isinstance(v.space, Records) for v in values):
            if len(values) > 1:
                raise stop(
                    self.calls.module, self.node.iter, "unordered-loop",
                    "records are not aligned row by row", "Aligned[...] inputs",
                    "declare the inputs together as Aligned[A, B]",
                )  # fmt: skip
            return None
        counts = [getattr(v.space, "rows", None) or getattr(v.space, "size", None) for v in values]
        for count in counts[1:]:
            if count != counts[0]:
                raise stop(
                    self.calls.module, self.node.iter, "size-mismatch",
                    f"these containers have {counts[0]} and {count} rows", "one row count",
                    'give both Size("n")',
                )  # fmt: skip
        return counts[0]

    def element(self) -> Obj:
        """What the target is bound to in a round."""
        value = self.iterable
        if isinstance(value, Range):
            index = sym(self._index, nonneg=True, integer=True)
            assert value.start.expr is not None
            return Value("public", expr=value.start.expr + index * value.step, source="computed")
        rows = value.parts if isinstance(value, Aligned) else (value,)
        made = []
        for each, source in zip(rows, self._sources, strict=True):
            assert isinstance(each, Value)
            row = _rows_of(each.space)
            assert row is not None
            made.append(fresh_row(self.calls, row, source))
        element = made[0] if not isinstance(value, Aligned) else Tuple(tuple(made))
        if self.counted:
            return Tuple((Value("public", expr=self.calls.domain.state.unknown()), element))
        return element


def _rows_of(space: Space | None) -> Space | None:
    if isinstance(space, Vector):
        return Scalar(space.element, space.lo, space.hi)
    if isinstance(space, Matrix):
        return space.row
    if isinstance(space, Records):
        return space.row
    return None


def fresh_row(calls: Calls, space: Space, source: Source) -> Obj:
    """A fresh row: a number, a vector, or one object per field."""
    domain = calls.domain
    if isinstance(space, Row):
        items = tuple(fresh_row(calls, field, source) for field in space.fields)
        return Tuple(items, names=space.names)
    if isinstance(space, Scalar) and space.kind:
        element = ROW_ELEMENTS[space.kind]
        space = Scalar(element, space.lo, space.hi, space.kind if element == "Data" else "")
        return domain.private(space, domain.state.atom(space, {source: {"": field_move(element)}}))
    return domain.private(space, domain.state.atom(space, start(space, source)))


def field_move(element: str) -> Expr:
    """A record's field under the discrete metric, seen as a number, moves by any amount."""
    from metricdp.expr import INF, ONE

    return ONE if element in ("Data", "Bool") else INF


__all__ = ["Iteration", "fresh_row"]
