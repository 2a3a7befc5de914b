"""One reading of a function: what it knows, and how it goes from node to node.

An `Interpreter` holds the state of one check.  What each kind of node means is said by functions
that take the interpreter, one module per kind; `Semantics` is the table of them, and `python` the
one file that fills it.  So those functions never import each other in a circle: the parts of a node
are read by `evaluate`, `block` and `call`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from weakref import ref

import msgspec

from metricdp.check.domain.by_row import Loop
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.language.told import CodeRead
from metricdp.check.loops.plans import Ending
from metricdp.check.loops.positions import ReadPositions
from metricdp.check.source.advice import expression_advice, expression_name, statement_advice
from metricdp.check.source.names import ALL_BUILTINS, star_import
from metricdp.check.source.ownership import Ownership
from metricdp.check.source.statements import Jump, local_names
from metricdp.check.values.dictionaries import as_object, is_dictionary, keys_of
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.heap import Heap
from metricdp.check.values.objects import (
    Builtin,
    Closure,
    ListRef,
    Obj,
    RecordClass,
    SourceFile,
    TupleValue,
)
from metricdp.check.values.public import literal
from metricdp.effort import MOST_READ, Exhausted, tick
from metricdp.expr import Expr
from metricdp.record import REGISTRY, Record
from metricdp.run.grouping import WRITTEN
from metricdp.run.plainer import body_of

Nodes = Sequence[ast.expr | None]
#: Names that the compiled program uses itself.
RESERVED = frozenset({"_machine", "_Exact", "_held", "__builtins__"})
NONE = literal(None)
#: Stands among what was read for a call that a black box was called.
BOXED = ast.Pass()
#: Expressions that evaluate their parts, and do nothing else.
_MADE_OF_PARTS = frozenset(
    {ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Lambda, ast.IfExp}
)


class Semantics(msgspec.Struct, frozen=True):
    """What every kind of node means; a kind that stands in no table is rejected by its name.

    Attributes:
        expressions: (interpreter, node, frame) -> the object that an expression evaluates to.
        statements: (interpreter, node, frame) -> None, for a statement after which the next one is
            read.
        control: (interpreter, node, statements after it, frame) -> whether the block ends here, and
            what it gives, for a statement that may return, jump or branch.
        enter: (interpreter, function of the program, arguments, keywords, node) -> its result.
    """

    expressions: Mapping[type[ast.expr], Callable[..., Obj]]
    statements: Mapping[type[ast.stmt], Callable[..., None]]
    control: Mapping[type[ast.stmt], Callable[..., tuple[bool, Obj | Jump | None]]]
    enter: Callable[..., Obj]


class Interpreter:
    """State of one check, and the ways into the program."""

    def __init__(self, module: SourceFile, semantics: Semantics) -> None:
        #: The file of the function that is being read, and of the function that is checked.
        self.module = self.home = module
        self.semantics = semantics
        self.heap = Heap()
        # Weakly: with the check of a function all that it made is gone, without a collector.
        own = ref(self)
        self.domain = PrivacyDomain(lambda *call: own().call(*call))  # type: ignore[union-attr]
        self.domain.site = lambda node: own().site(node)  # type: ignore[union-attr]
        self.active: list[ast.AST] = []
        #: Functions that were read for the present call.
        self.reached: set[ast.AST] = set()
        self.path: list[str] = []
        #: What the compiled program does at a node: ("over", "sum" | "min" | "max", None) for the
        #: items of a tuple, ("primitive" | "method" | "mechanism", record
        #: name, permutation or None), ("call", place, None), ("box" | "public box", name, None),
        #: ("compare", "", None) or ("rows", "", None).
        self.actions: dict[ast.AST, tuple[str, str, tuple[int, ...] | None]] = {}
        #: Black box -> what its first call was given, by position and by name.
        self.boxed: dict[str, tuple[tuple[Obj, ...], dict[str, Obj]]] = {}
        #: Condition of a branch -> what it was known to be, each time that it was read.
        self.decided: dict[ast.AST, set[bool | None]] = {}
        #: Loop over rows whose rounds only add to names -> these names; None where its readings
        #: differ.
        self.folds: dict[ast.AST, tuple[str, ...] | None] = {}
        #: Calls that go through private rows, and targets of loops over private rows.
        self.of_rows: set[ast.AST] = set()
        #: Targets of the outermost loops over something public.
        self.of_rounds: set[ast.AST] = set()
        #: Names that are given a number, of what was released, on which noise may depend.
        self.noted: set[ast.AST] = set()
        #: Branches whose condition was private in some reading; and those of which a side changed a
        #: list that was there before.
        self.private_branches: set[ast.AST] = set()
        self.changing_branches: set[ast.AST] = set()
        #: Read of a value that may be missing -> what would stand for it where it is known to be
        #: there (`presence`); None where it is not.
        self.there: dict[ast.AST, Any] = {}
        #: Call of a function of the program -> whether nothing private was in its arguments, and
        #: nothing around it, whenever it was read: there an operation does what Python does.
        self.public_calls: dict[ast.AST, bool] = {}
        #: Calls that were read as Python's own, and may raise.
        self.plain_calls: set[ast.AST] = set()
        #: What was shown to be total, where private data decide whether it runs (`totality`).
        self.shown: set[ast.AST] = set()
        #: What errors of the run may say.
        self.told = CodeRead()
        #: Expressions that were read, each time that they were.
        self.work = 0
        #: The statement that is being read.
        self.here: ast.AST | None = None
        #: Names that in-place operators may rebind; see `check.source.ownership`.
        self.ownership = Ownership()
        #: Functions of the program that were interpreted, with their modules.
        self.used: dict[ast.AST, SourceFile] = {}
        #: Loops of the present function that the present statement is inside of.
        self.endings: list[Ending] = []
        #: Constants that are built from literals, by their expressions.
        self.built: dict[ast.AST, Obj] = {}
        #: Whether such a constant is being read.
        self.building = False
        #: Classes of instances and rows, by `TupleValue.kind`; None where there is not one alone.
        self.classes: dict[str, RecordClass | None] = {}
        #: Expressions whose items are gone through once, at once: a generator may stand there.
        self.consumed: set[ast.AST] = set()
        #: Statements that can be read in several ways -> how they were read.
        self.ways: dict[ast.AST, str] = {}
        #: Expressions of which only the truth counts.
        self.conditions: set[ast.AST] = set()
        #: A call of `numpy.arange` of whole numbers -> the array, its first number and its step.
        self.in_steps: dict[ast.AST, tuple[Obj, Expr, Expr]] = {}
        #: What the loop of a comprehension runs over -> the expression that was written.
        self.written_as: dict[ast.AST, ast.expr] = {}
        #: Rounds of loops over written ranges that are written out around, multiplied.
        self.written_out = 1
        #: Symbols of positions at which one of several written items was read.
        self.picked: set[str] = set()
        #: What the present rounds of all loops around have read by position.
        self.readings: list[ReadPositions] = []

    # -- ways into the program --------------------------------------------------------------

    def evaluate(self, node: ast.expr, frame: Frame) -> Obj:
        """What an expression evaluates to."""
        self.work += 1
        if not self.work & 63:
            self.worked()
        handler = self.semantics.expressions.get(type(node))
        if handler is None:
            name = expression_name(node)
            raise self.stop(
                node, "unsupported-syntax", f"{name} is not part of the checked language",
                "names, numbers, operators, calls, tuples and comprehensions",
                expression_advice(node),
            )  # fmt: skip
        if self.domain.decided:
            self.shown.discard(node)  # what was said of an earlier reading
        value = handler(self, node, frame)
        self.told.expression(node, self._holds_private(value, node), self.domain.decided)
        if self.domain.decided and type(node) not in _MADE_OF_PARTS:
            self._was_shown(node)
        return value

    def _holds_private(self, value: Obj, node: ast.expr) -> bool:
        """`has_private`, of what an expression of the program gives: a function of a file has
        captured nothing, and what a lambda reads is told of its own expressions."""
        if isinstance(value, Closure) and not value.given and not value.given_names:
            return value.frame is not None and not isinstance(node, ast.Lambda)
        return self.has_private(value)

    def _was_shown(self, node: ast.AST) -> None:
        """Where private data decide what runs, an operation that nothing was said of is refused."""
        if node not in self.shown:
            raise self.stop(
                node, "partial-operation",
                "private data decide whether this runs, and nothing shows that it never fails",
                "an operation that has a value for all public arguments",
                "compute it first, outside of what private data decide",
            )  # fmt: skip
        self.shown.discard(node)

    def block(self, body: list[ast.stmt], frame: Frame) -> Obj | Jump | None:
        """Run statements; the returned object or jump, or None if control falls off the end."""
        for position, statement in enumerate(body):
            self.here = statement
            self.told.statement(statement, self.domain.decided)
            control = self.semantics.control.get(type(statement))
            if control is None:
                self.statement(statement, frame)
                continue
            done, result = control(self, statement, body[position + 1 :], frame)
            if done:
                return result
        return None

    def statement(self, node: ast.stmt, frame: Frame) -> None:
        """Run a statement that neither branches nor jumps."""
        handler = self.semantics.statements.get(type(node))
        control = self.semantics.control.get(type(node))
        if control is not None:  # read alone, where what follows is read in any case
            control(self, node, [], frame)
            return
        if handler is None:
            name, help = statement_advice(node)
            raise self.stop(
                node, "unsupported-syntax", f"`{name}` is not part of the checked language",
                "assignments, if, for, return and calls", help,
            )  # fmt: skip
        handler(self, node, frame)
        if isinstance(node, ast.AugAssign) and self.domain.decided:
            self._was_shown(node)

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
            returned = self.block(body_of(node), frame)
            return NONE if returned is None or isinstance(returned, Jump) else returned
        except Stop:
            raise
        except (Exhausted, Exception):
            self.domain.state.stopped.append((module, self.here or node))
            raise
        finally:
            self.module, self.endings, self.here = outer, around, there
            self.active.pop()

    def call(self, function: Obj, arguments: tuple[Obj, ...], module: Any, node: ast.AST) -> Obj:
        """A function that a rule calls, on fresh formals; it changes no list."""
        assert isinstance(function, Closure)
        lists = dict(self.heap.lists)
        result = self.seen(self.semantics.enter(self, function, list(arguments), {}, node))
        self.unchanged(lists, node, "a function that runs once per row")
        return result

    def resolve(self, name: str, frame: Frame | None) -> Obj | None:
        """What a name means: in its frame, then in its file, then to Python."""
        found = frame.lookup(name) if frame is not None else None
        if found is None:
            found = self.module.lookup(name)
        if found is not None:
            return found
        star = self.module.star_import()
        if star is not None:
            raise star_import(self.module, star)
        return Builtin(name) if name in ALL_BUILTINS else None

    def before_rounds(
        self, node: ast.For | ast.While, enter: Callable[[], None], frame: Frame
    ) -> None:
        """All rounds of a loop are about to be read as one; `enter` binds what a round binds."""

    # -- what was found out -----------------------------------------------------------------

    def over_rounds(self, node: ast.For) -> None:
        """Note a loop over something public that stands in no other and in no function of rows."""
        inside = self.heap.rounds or self.domain.by_row.reading
        if not inside and not any("#" in step for step in self.path):
            self.of_rounds.add(node.target)

    def over_rows(self, node: ast.For, what: str, written: bool) -> None:
        """Note a loop over private rows, and why its round has no form in columns.

        Args:
            written: it is a loop of the program, and not one that stands for a comprehension.
        """
        self.of_rows.add(node.target)
        self.domain.by_row.loops[self.site(node)] = Loop(
            self.module, node, self.active[-1] if self.active else None, what, written
        )

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

    def items(self, value: TupleValue, node: ast.AST) -> tuple[Obj, ...]:
        """The items of a tuple or list in order.

        Raises:
            Stop: a dictionary, of which Python would give the keys.
        """
        if is_dictionary(value):
            raise self.stop(
            node, "unsupported-syntax", "a dictionary is used as a sequence",
                "its values by their keys", _by_keys(value, node),
            )  # fmt: skip
        return value.items

    def iterated(self, value: TupleValue, node: ast.AST) -> tuple[Obj, ...]:
        """What iterating a tuple, list or dictionary gives: of a dictionary, its keys."""
        if is_dictionary(value):
            return tuple(map(as_object, keys_of(value)))
        return self.items(value, node)

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

    def may_change(self, base: ListRef, node: ast.AST, scattered: bool = False) -> None:
        """A list is about to change.

        Args:
            scattered: something is added to entries that private data choose, and no more.

        Raises:
            Stop: another value, which is not followed, may hold it.
        """
        if base.number in self.heap.fixed:
            raise self._fixed(node)
        self.heap.changed.add(base.number)
        (self.heap.scattered if scattered else self.heap.stored).add(base.number)

    def _fixed(self, node: ast.AST) -> Stop:
        return self.stop(
            node, "unsupported-syntax",
            "this list changes although it may be known under another name that is not followed",
            "a list that is only changed under its own name", "build a new list",
        )  # fmt: skip

    def not_reserved(self, names: Iterable[str], node: ast.AST) -> None:
        """Raises:
        Stop: a name that the compiled program uses itself.
        """
        for name in RESERVED.intersection(names):
            raise self.stop(
            node, "unknown-name", f"`{name}` is a name of metricdp itself",
                "another name", f"rename `{name}`",
            )  # fmt: skip

    def unchanged(self, lists: dict[int, Obj], node: ast.AST, where: str) -> None:
        """Lists that existed before have the contents that they had, to anybody who could look.

        Raises:
            Stop: one was changed in a place that runs a private or unknown number of times.
        """
        if self.heap.changed_since(lists):
            raise self.stop(
            node, "unsupported-syntax", f"{where} changes a list",
                "lists that are changed by statements of their own", "append on a line of its own",
            )  # fmt: skip

    def named(self, name: str, node: ast.AST) -> Record:
        """The record of a name."""
        record = REGISTRY.get(name)
        if record is None:
            raise self.stop(
                node, "unsupported-call", f"`{name}` has no rule", "a function of metricdp",
                "dp.sum, dp.map, dp.clamp, ...",
            )  # fmt: skip
        return record

    def act(
        self, node: ast.AST, kind: str, name: str, order: tuple[int, ...] | None = None
    ) -> None:
        """Note what the compiled program does at a node.

        Raises:
            Stop: the node was given another meaning in an earlier call of the same function.
        """
        if self.domain.decided:
            self.shown.add(node)  # a record, or a function that is read itself
        known = self.actions.setdefault(node, (kind, name, order))
        if known != (kind, name, order) or node in self.plain_calls:
            raise self._of_two_meanings(node)

    def as_python_does(self, node: ast.AST) -> None:
        """A call of a public function on public values, which may raise where a record does not.

        Raises:
            Stop: another reading of the node applies the record.
        """
        if node in self.actions:
            raise self._of_two_meanings(node)
        self.plain_calls.add(node)

    def one_way(self, node: ast.AST, way: str) -> None:
        """Note how a statement was read, which is how a run executes it.

        Raises:
            Stop: it was read in another way in an earlier call of the same function.
        """
        if self.ways.setdefault(node, way) != way:
            raise self._of_two_meanings(node)

    def _of_two_meanings(self, node: ast.AST) -> Stop:
        return self.stop(
            node, "unsupported-call",
            "this call means one thing for some arguments of its function and another for others",
            "one meaning per call", "write one function per kind of argument",
        )  # fmt: skip

    def read_inside(self, node: ast.AST) -> None:
        """A call of a function of the program was read, and maybe was read inside of itself."""
        if self.domain.decided:
            self.shown.add(node)

    def stop(self, node: ast.AST, code: str, message: str, need: str = "", help: str = "") -> Stop:
        """A rejection at a node of the file that is being read, to raise."""
        return stop(self.module, node, code, message, need, help)

    def text(self, node: ast.expr | None) -> str:
        """Source text of an expression on one line; the argument of a function that is named
        and not called is a row."""
        if isinstance(node, ast.Name) and node.id == "_value":
            return "row"
        if node is None or getattr(node, "end_lineno", 0) != node.lineno:
            return "x"
        if (written := getattr(node, WRITTEN, None)) is not None:
            return str(written)
        line = self.module.lines[node.lineno - 1] if node.lineno <= len(self.module.lines) else ""
        if not line.isascii():
            line_bytes = line.encode()
            return line_bytes[node.col_offset : node.end_col_offset].decode(errors="replace")
        return line[node.col_offset : node.end_col_offset]


def place(node: ast.AST) -> str:
    """line:column of a node, as an address."""
    return f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


def _by_keys(value: TupleValue, node: ast.AST) -> str:
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
