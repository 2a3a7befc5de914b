"""Displays: tuples, lists, dictionaries and texts that are written out."""

from __future__ import annotations

import ast

from metricdp.check.language.subscripts import Subscripts
from metricdp.check.language.unpacking import starred
from metricdp.check.values import public
from metricdp.check.values.findings import stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import UNKNOWN, Obj, Tuple, Value


class Displays(Subscripts):
    """What is made of parts that are evaluated from left to right."""

    def tuple_display(self, node: ast.Tuple | ast.List, frame: Frame) -> Obj:
        """`(a, *b)`, `[a, *b]`."""
        items: list[Obj] = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                items += starred(self, self.evaluate(item.value, frame), item)
            else:
                items.append(self.evaluate(item, frame))
        return self.heap.new(items) if isinstance(node, ast.List) else Tuple(tuple(items))

    def dict_display(self, node: ast.Dict, frame: Frame) -> Obj:
        """`{k: v}`, each key before its value, as Python evaluates them."""
        values, keys = [], []
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            if key_node is not None:
                keys.append(self.evaluate(key_node, frame))
            values.append(self.evaluate(value_node, frame))
        if any(self.has_private(v) for v in keys) or len(keys) < len(values):
            raise stop(self.module, node, "unsupported-syntax", "this dictionary has private keys",
                       "public keys", "use a tuple of values")  # fmt: skip
        literals = [getattr(k, "literal", UNKNOWN) for k in keys]
        known = all(isinstance(k, str | int | float) for k in literals)
        if not known or len(set(literals)) < len(literals):
            raise stop(self.module, node, "unsupported-syntax",
                       "the keys of this dictionary are not known to be different",
                       "literal keys, each of them once", "use a tuple of values")  # fmt: skip
        # Only texts are looked up: the others are told apart by type and value.
        names = tuple(k if isinstance(k, str) else f"\0{k!r}" for k in literals)
        return Tuple(tuple(values), True, names)

    def joined_display(self, node: ast.JoinedStr, frame: Frame) -> Obj:
        """An f-string, each value before its format."""
        shown = [v for v in node.values if isinstance(v, ast.FormattedValue)]
        values = []
        for part in shown:
            values.append(self.evaluate(part.value, frame))
            if part.format_spec is not None:
                values.append(self.evaluate(part.format_spec, frame))
        if any(self.has_private(v) for v in values):
            raise stop(self.module, node, "private-escape", "this text would show a private value",
                       "released or public values", "release the value first")  # fmt: skip
        return Value(public.origin(*values), source="computed")
