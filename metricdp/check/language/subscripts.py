"""Subscripts: entries, rows and columns by an index; slices of tuples and lists."""

from __future__ import annotations

import ast
from typing import Any

from metricdp.check.language.slices import Slices
from metricdp.check.values import public
from metricdp.check.values.findings import stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import UNKNOWN, Aligned, Obj, Tuple, Value
from metricdp.record import by_operator


class Subscripts(Slices):
    """What `base[index]` is."""

    def subscript(self, node: ast.Subscript, frame: Frame) -> Obj:
        """An entry, or a part."""
        base = self.evaluate(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            return self._slice(base, node, node.slice, frame)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) == 2 and any(isinstance(i, ast.Slice) for i in indices):
            return self._line(base, node, indices, frame)
        if len(indices) > 1 and isinstance(self.heap.opened(base), Tuple | Aligned):
            raise stop(
                self.module, node, "unsupported-syntax",
                f"a list or tuple is read at {len(indices)} positions at once",
                "one position", "x[0][1]",
            )  # fmt: skip
        for index_node in indices:
            index = self.evaluate(index_node, frame)
            base = self.entry(self.heap.opened(base), index, node, index_node)
        return base

    def _slice(self, base: Obj, node: ast.Subscript, part: ast.Slice, frame: Frame) -> Obj:
        """`values[1:3]` of a tuple or a list whose items are known."""
        opened = self.heap.opened(base)
        ends = self.ends(part, frame)
        known: list[Any] = [getattr(end, "literal", UNKNOWN) for end in ends]
        known = [None if k is ... else k for k in known]
        plain = all(k is None or type(k) is int for k in known) and known[2] != 0
        if isinstance(opened, Tuple) and plain and not opened.names:
            items = opened.items[slice(known[0], known[1], known[2])]
            return self.heap.new(items) if opened.is_list else Tuple(items)
        if isinstance(opened, Value) and opened.private:
            return self.private_slice(opened, node, part, ends)
        self.handed_on([base], node)
        if self.has_private(base) or any(self.has_private(end) for end in ends):
            raise stop(
                self.module, node, "unsupported-syntax",
                "the length of this slice is not known while checking",
                "a slice of a vector or a matrix, or of a tuple with literal ends",
                "index single entries",
            )  # fmt: skip
        return Value(public.origin(base), source="computed")

    def _line(self, base: Obj, node: ast.Subscript, indices: list[ast.expr], frame: Frame) -> Obj:
        """A part of a matrix by rows and columns: `m[i, :]` is row i, `m[:, j]` is column j."""
        base = self.heap.opened(base)
        if isinstance(base, Value) and base.private:
            return self.axes(base, node, indices, frame)
        read: list[Obj] = [base]
        for index in indices:
            if isinstance(index, ast.Slice):
                read += self.ends(index, frame)
            else:
                read.append(self.evaluate(index, frame))
        if not any(self.has_private(value) for value in read):
            return Value(public.origin(*read), source="computed")
        raise stop(
            self.module, node, "unsupported-syntax",
            "this part of a matrix is not part of the checked language",
            "a row m[i, :], a column m[:, j] or an entry m[i, j]", "m[i, :]   or   m[:, j]",
        )  # fmt: skip

    def entry(self, base: Obj, index: Obj, node: ast.Subscript, index_node: ast.expr) -> Obj:
        row = self.row_of_round(base, index, node)
        if row is not None:
            self.act(node, "primitive", "index")
            return row
        if isinstance(base, Aligned):
            base = Tuple(base.parts)
        if isinstance(base, Tuple):
            known = getattr(index, "literal", UNKNOWN)
            if isinstance(known, str) and base.is_list and known in base.names:
                return base.items[base.names.index(known)]
            items = self.items(base, node)
            if isinstance(known, int) and -len(items) <= known < len(items):
                return items[known]
            self.handed_on(items, node)
            if not any(self.has_private(item) for item in (*base.items, index)):
                return public.one_of(base.items, public.origin(*base.items, index))
            raise stop(self.module, index_node, "private-index", "the index of this tuple is "
                                                                 "not known "
                       "while checking", "a literal index inside the tuple",
                       f"{self.text(node.value)}[0]")  # fmt: skip
        if not (self.has_private(base) or self.has_private(index)):
            return public.item(base, index)
        record = by_operator("[]")
        assert record is not None
        return self.apply(record, [base, index], {}, node, [node.value, index_node], {})
