"""Slices of private vectors and matrices, along one axis or two."""

from __future__ import annotations

import ast

from metricdp.check.language.comprehensions import Comprehensions
from metricdp.check.language.indexing import Reading, read_once
from metricdp.check.values import public
from metricdp.check.values.findings import stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Value
from metricdp.spaces import Matrix


class Slices(Comprehensions):
    """`v[a:b:c]`, `m[a:b, c:d]`, and an index beside a slice."""

    readings: list[Reading]

    def row_of_round(self, base: Obj, index: Obj, node: ast.AST) -> Obj | None:
        """The entry or row at a position that follows the round of a loop, each read once."""
        return read_once(self, self.readings, base, index, node)

    def private_slice(
        self, base: Value, node: ast.Subscript, part: ast.Slice, ends: list[Obj]
    ) -> Obj:
        """Some entries of a private vector, or some rows of a private matrix."""
        self.act(node, "axes", "slice")
        return self._cut("slice", base, node, part, ends)

    def axes(
        self, base: Value, node: ast.Subscript, indices: list[ast.expr], frame: Frame
    ) -> Obj:  # fmt: skip
        """A part of a private matrix by its rows and its columns, one of them a slice."""
        if not isinstance(base.space, Matrix):
            raise stop(
                self.module, node, "unsupported-syntax",
                "two positions of a value that is no matrix", "one position", "v[1:]",
            )  # fmt: skip
        rows, columns = indices
        found: Obj = base
        done = []
        if isinstance(rows, ast.Slice):
            if _ends(rows) != [None, None, None]:
                found = self._cut("slice", found, node, rows, self.ends(rows, frame))
                done.append("slice")
            else:
                done.append("")
            name = "slice_cols" if isinstance(columns, ast.Slice) else "column"
        else:
            index = self.evaluate(rows, frame)
            row = self.row_of_round(found, index, node)
            record = self.named("index", node)
            found = row or self.apply(record, [found, index], {}, node, [None, rows], {})
            done.append("index")
            name = "slice"
        if isinstance(columns, ast.Slice):
            if _ends(columns) != [None, None, None]:
                found = self._cut(name, found, node, columns, self.ends(columns, frame))
            else:
                name = ""
        else:
            index = self.evaluate(columns, frame)
            record = self.named(name, node)
            found = self.apply(record, [found, index], {}, node, [None, columns], {})
        self.act(node, "axes", ",".join([*done, name]))
        return found

    def ends(self, part: ast.Slice, frame: Frame) -> list[Obj]:
        """Start, stop and step; `...` for one that is left out."""
        return [
            public.literal(...) if end is None else self.evaluate(end, frame) for end in _ends(part)
        ]

    def _cut(
        self, name: str, base: Obj, node: ast.Subscript, part: ast.Slice, ends: list[Obj]
    ) -> Obj:
        # The first node is None: the action of a whole subscript is noted once, by its axes.
        nodes = [None, *_ends(part)]
        return self.apply(self.named(name, node), [base, *ends], {}, node, nodes, {})


def _ends(part: ast.Slice) -> list[ast.expr | None]:
    return [part.lower, part.upper, part.step]
