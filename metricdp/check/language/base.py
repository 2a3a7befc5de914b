"""What every layer of the interpreter shares: the domain, the heap, the trail of calls."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any
from weakref import ref

from metricdp.check.domain.privacy import Domain
from metricdp.check.source.ownership import Ownership
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.heap import Heap
from metricdp.check.values.objects import Closure, ListRef, Obj, SourceFile, Tuple
from metricdp.effort import MOST_READ, Exhausted, tick
from metricdp.record import REGISTRY, Record

Nodes = Sequence[ast.expr | None]
#: Names that the compiled program uses itself.
RESERVED = frozenset({"_machine", "_Exact", "_held", "__builtins__"})


class Base:
    """State of one check; the layers above say what syntax means."""

    def __init__(self, module: SourceFile) -> None:
        #: The file of the function that is being read.
        self.module = module
        self.heap = Heap()
        # Weakly: with the check of a function all that it made is gone, without a collector.
        own = ref(self)
        self.domain = Domain(lambda *call: own().call_object(*call))  # type: ignore[union-attr]
        self.domain.site = lambda node: own().site(node)  # type: ignore[union-attr]
        self.active: list[ast.AST] = []
        #: Functions that were read for the present call.
        self.reached: set[ast.AST] = set()
        self.path: list[str] = []
        #: What the compiled program does at a node: ("over", "sum" | "min" | "max", None) for the
        #: items of a tuple, ("primitive" | "method" | "mechanism", record
        #: name, permutation or None), ("call", place, None), ("box", name, None),
        #: ("compare", "", None) or ("rows", "", None).
        self.actions: dict[ast.AST, tuple[str, str, tuple[int, ...] | None]] = {}
        #: Condition of a branch -> what it was known to be, each time that it was read.
        self.decided: dict[ast.AST, set[bool | None]] = {}
        #: Expressions that were read, each time that they were.
        self.work = 0
        #: The statement that is being read.
        self.here: ast.AST | None = None
        #: Names that in-place operators may rebind; see `check.source.ownership`.
        self.ownership = Ownership()
        #: Functions of the program that were interpreted, with their modules.
        self.used: dict[ast.AST, SourceFile] = {}

    @abstractmethod
    def evaluate(self, node: ast.expr, frame: Frame) -> Obj: ...

    @abstractmethod
    def run(self, function: Closure, arguments: dict[str, Obj]) -> Obj: ...

    @abstractmethod
    def resolve(self, name: str, frame: Frame | None) -> Obj | None: ...

    @abstractmethod
    def call_object(
        self, function: Obj, arguments: tuple[Obj, ...], module: Any, node: ast.AST
    ) -> Obj: ...

    @abstractmethod
    def apply(
        self,
        record: Record,
        arguments: list[Obj],
        keywords: dict[str, Obj],
        node: ast.AST,
        nodes: Nodes,
        keyword_nodes: dict[str, ast.expr],
    ) -> Obj: ...

    def worked(self) -> None:
        """Raises:
        Exhausted: the function was read for too long, or too much of it.
        """
        tick()
        if self.work > MOST_READ:
            raise Exhausted(
                "too-large",
                f"reading `{{}}` takes more than {MOST_READ} expressions, with every call of its "
                "helpers",
                "helpers that are called a limited number of times",
                "call a helper once and use its result twice; write repetitions as a loop",
            )  # fmt: skip

    def site(self, node: ast.AST) -> str:
        """Address of a call: the calls that led here, then its own place."""
        return "/".join([*self.path, place(node)])

    def seen(self, value: Obj) -> Obj:
        """The value with every list replaced by its present contents."""
        return self.heap.seen(value)

    def has_private(self, value: Obj) -> bool:
        """Whether anything private is inside."""
        return self.heap.has_private(value)

    def items(self, value: Tuple, node: ast.AST) -> tuple[Obj, ...]:
        """The items of a tuple or list in order.

        Raises:
            Stop: a dictionary, of which Python would give the keys.
        """
        if value.is_list and value.names:
            raise stop(
                self.module, node, "unsupported-syntax", "a dictionary is used as a sequence",
                "its values by their keys", _by_keys(value, node),
            )  # fmt: skip
        return value.items

    def handed_on(self, values: Sequence[Obj], node: ast.AST) -> None:
        """Lists that become part of a value which is not followed may not change from now on.

        Raises:
            Stop: one is changed by other rounds of the present loop.
        """
        for value in values:
            for number in self.heap.numbers(value):
                self.heap.fixed.add(number)
                if self.heap.rounds and number in self.heap.changed:
                    raise self._fixed(node)

    def may_change(self, base: ListRef, node: ast.AST) -> None:
        """A list is about to change.

        Raises:
            Stop: another value, which is not followed, may hold it.
        """
        if base.number in self.heap.fixed:
            raise self._fixed(node)
        self.heap.changed.add(base.number)

    def _fixed(self, node: ast.AST) -> Stop:
        return stop(
            self.module, node, "unsupported-syntax",
            "this list changes although it may be known under another name that is not followed",
            "a list that is only changed under its own name", "build a new list",
        )  # fmt: skip

    def not_reserved(self, names: Iterable[str], node: ast.AST) -> None:
        """Raises:
        Stop: a name that the compiled program uses itself.
        """
        for name in RESERVED.intersection(names):
            raise stop(
                self.module, node, "unknown-name", f"`{name}` is a name of metricdp itself",
                "another name", f"rename `{name}`",
            )  # fmt: skip

    def unchanged(self, lists: dict[int, Obj], node: ast.AST, where: str) -> None:
        """Lists that existed before have the contents that they had.

        Raises:
            Stop: one was changed in a place that runs a private or unknown number of times.
        """
        if any(self.heap.lists[number] != held for number, held in lists.items()):
            raise stop(
                self.module, node, "unsupported-syntax", f"{where} changes a list",
                "lists that are changed by statements of their own", "append on a line of its own",
            )  # fmt: skip

    def named(self, name: str, node: ast.AST) -> Record:
        """The record of a name."""
        record = REGISTRY.get(name)
        if record is None:
            raise stop(self.module, node, "unsupported-call", f"`{name}` has no rule",
                       "a function of metricdp", "dp.sum, dp.map, dp.clamp, ...")  # fmt: skip
        return record

    def act(
        self, node: ast.AST, kind: str, name: str, order: tuple[int, ...] | None = None
    ) -> None:
        """Note what the compiled program does at a node.

        Raises:
            Stop: the node was given another meaning in an earlier call of the same function.
        """
        known = self.actions.setdefault(node, (kind, name, order))
        if known != (kind, name, order):
            raise stop(
                self.module, node, "unsupported-call",
                "this call means one thing for some arguments of its function and another for "
                "others",
                "one meaning per call", "write one function per kind of argument",
            )  # fmt: skip

    def text(self, node: ast.expr | None) -> str:
        """Source text of an expression on one line; the argument of a function that is named
        and not called is a row."""
        if isinstance(node, ast.Name) and node.id == "_value":
            return "row"
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


def _by_keys(value: Tuple, node: ast.AST) -> str:
    if any(name[:1] == "\0" for name in value.names):
        return "texts as keys, or a tuple of values"
    base, keys = "row", [repr(name) for name in value.names]
    if isinstance(node, ast.Subscript):
        base, at = ast.unparse(node.value), getattr(node.slice, "value", None)
        if isinstance(at, int) and 0 <= at < len(keys):
            keys = keys[at : at + 1]
    elif isinstance(node, ast.Name):
        base = node.id
    return ", ".join(f"{base}[{key}]" for key in keys[:3])
