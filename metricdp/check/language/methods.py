"""Method calls: NumPy's on private containers, Python's on lists that the program made."""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.language.base import Base, place
from metricdp.check.language.impure import refuse_impure
from metricdp.check.loops.lengths import filled, length, longer
from metricdp.check.source.advice import OF_DICTIONARIES, method_advice
from metricdp.check.values import public
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Aligned, ListRef, Obj, Tuple, Value
from metricdp.record import by_numpy

_CHANGING = frozenset("append extend insert pop remove clear sort reverse update add".split())

_ARRAY_CHANGING = frozenset("resize fill put itemset partition setfield setflags byteswap".split())

#: Objects whose attributes that are called are methods.
Data = Value | Tuple | Aligned | ListRef
DATA = (Value, Tuple, Aligned, ListRef)


class Methods(Base):
    """`base.name(...)` where `base` is data."""

    def method(self, node: ast.Call, func: ast.Attribute, base: Data, frame: Frame) -> Obj:
        """The result of a method call."""
        arguments = [self.evaluate(argument, frame) for argument in node.args]
        keywords = {k.arg or "": self.evaluate(k.value, frame) for k in node.keywords}
        if isinstance(base, ListRef) and func.attr in ("append", "extend") and len(arguments) == 1:
            self.act(node, "call", place(node))
            self._grow(base, func.attr, arguments[0], node)
            return public.literal(None)
        if isinstance(base, Value) and base.private:
            if func.attr in _CHANGING:
                raise self._escape(func.attr, node)
            record = by_numpy(f"numpy.{func.attr}")
            if record is None:
                raise self._no_method(func.attr, node, "private value")
            named = {k.arg: k.value for k in node.keywords if k.arg}
            result = self.apply(
                record, [base, *arguments], keywords, node, [None, *node.args], named
            )
            self.act(node, "method", record.name)
            return result
        private = any(self.has_private(a) for a in (base, *arguments, *keywords.values()))
        if func.attr in _CHANGING and (private or not isinstance(base, ListRef)):
            raise self._escape(func.attr, node)
        refuse_impure(self, func.attr, keywords, node)
        if isinstance(base, Value) and not private and not self._changes(func.attr):
            self.handed_on([*arguments, *keywords.values()], node)
            return Value(public.origin(base, *arguments), source="computed")
        if isinstance(base, Value) and not private:
            raise self._escape(func.attr, node)
        if func.attr in OF_DICTIONARIES:
            raise self._no_method(func.attr, node, "dictionary")
        raise self._no_method(func.attr, node, "list or tuple")

    def _changes(self, name: str) -> bool:
        """Whether a method may change its object: its length is charged for."""
        return name.startswith("_") or name in _ARRAY_CHANGING

    def _grow(self, base: ListRef, name: str, added: Obj, node: ast.AST) -> None:
        self.may_change(base, node)
        held = self.heap.lists[base.number]
        if name == "append":
            items: tuple[Obj, ...] | None = (added,)
        else:
            inside = self.heap.opened(added)
            items = self.items(inside, node) if isinstance(inside, Tuple) else None
        if isinstance(held, Tuple) and items is not None:
            self.heap.lists[base.number] = msgspec.structs.replace(
                held, items=(*held.items, *items)
            )
            return
        if self.has_private(held) or self.has_private(added):
            raise stop(
                self.module, node, "unsupported-call",
                "a list of private values whose length is not known here has no rule",
                "a sum, a comprehension, or a list of known length",
                "[f(row) for row in rows]   or   total += value",
            )  # fmt: skip
        self.handed_on([added], node)
        # A list that is appended is one item, whatever it holds.
        more = Tuple((added,)) if name == "append" else self.heap.opened(added)
        self.heap.lists[base.number] = filled(
            public.origin(held, self.seen(added)), (held, more), longer(held, length(more))
        )

    def _no_method(self, name: str, node: ast.AST, kind: str) -> Stop:
        return stop(
            self.module, node, "unsupported-call", f"the method `{name}` of a {kind} has no rule",
            *method_advice(name, kind),
        )  # fmt: skip

    def _escape(self, name: str, node: ast.AST) -> Stop:
        return stop(
            self.module, node, "private-escape",
            f"`.{name}` would change an object that other code can see",
            "a list made in this function, or a new value", "build a new value and give it a name",
        )  # fmt: skip
