"""What a `for` loop runs over: unrolled tuples, ranges, rows of private containers, zips."""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.domain.owned import unbounded
from metricdp.check.domain.privacy import refused
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.zipping import zipped
from metricdp.check.loops.plans import LoopPlan, LoopRows
from metricdp.check.loops.positions import fresh_row
from metricdp.check.source.advice import KEYS_OF_ROWS
from metricdp.check.values import moments, sequences
from metricdp.check.values.dictionaries import is_dictionary
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import (
    AlignedParts,
    Numbered,
    Obj,
    Range,
    TupleValue,
    Value,
    Zip,
)
from metricdp.check.values.public import (
    literal,
    of_declared,
    one_of,
    origin,
    public_count,
    public_length,
)
from metricdp.expr import ZERO, Expr, compare, maximum, num, sym
from metricdp.record import Requirement
from metricdp.spaces import Keyed, Matrix, Records, Scalar, Space, Vector
from metricdp.spaces.products import Parts

#: Longest text whose letters are told apart.
_LETTERS = 64


class Iteration:
    """One `for` loop: its iterable, and the object bound in each round."""

    def __init__(self, interpreter: Interpreter, iterable: Obj, node: ast.expr) -> None:
        self.interpreter, self.node = interpreter, node
        self.number = self.interpreter.domain.state.loop_number()
        self.first: Expr | None = None
        if isinstance(iterable, Numbered):
            self.first = iterable.start
            iterable = iterable.inner
        iterable = sequences.opened(iterable)
        together = zipped(interpreter, iterable, node) if isinstance(iterable, Zip) else None
        iterable = iterable if together is None else together
        self.zipped = isinstance(iterable, Zip)
        parts = iterable.parts if isinstance(iterable, Zip) else (iterable,)
        self.parts: tuple[Obj, ...] = tuple(self._opened(part, at) for at, part in enumerate(parts))
        if any(isinstance(part, AlignedParts) for part in self.parts):
            raise self.interpreter.stop(
                node, "unsupported-syntax",
                "Python loops over aligned containers as over a tuple: one container in each round",
                "the rows, which zip gives", "for a, b in zip(*data): ...",
            )  # fmt: skip
        self.index = f"i{self.number}"
        self._rows: tuple[LoopRows, ...] = ()
        #: First number and step of whole numbers that the loop itself counts, by `numpy.arange`, or
        #: None, for each part: an array that has a name may be changed in place.
        self.steps = tuple(
            made[1:] if made is not None and made[0] is part else None
            for made, part in zip(
                _made(interpreter, node, len(self.parts)), self.parts, strict=True
            )
        )
        #: Something public whose number of items is not known: no round may spend or be private.
        self.uncounted: Obj | None = None

    def _opened(self, part: Obj, at: int) -> Obj:
        """What a list holds, what a dictionary gives, its keys, and the letters of a text."""
        opened = sequences.opened(self.interpreter.heap.opened(part))
        known = opened.literal if isinstance(opened, Value) and opened.origin == "public" else ""
        if isinstance(known, str) and 0 < len(known) <= _LETTERS:
            return TupleValue(tuple(literal(letter) for letter in known))
        if isinstance(known, frozenset):
            # Two sets of the same items may give them in different orders: this one is itself.
            return sequences.of_a_set(known, f"set {at} of loop {self.number}") or opened
        if isinstance(opened, TupleValue) and is_dictionary(opened):
            return TupleValue(self.interpreter.iterated(opened, self.node))
        return opened

    def items(self, longest: int = 0) -> list[Obj] | None:
        """The items of tuples of known length, to unroll; None for anything else."""
        columns = []
        for part in self.parts:
            if isinstance(part, TupleValue):
                columns.append(self.interpreter.items(part, self.node))
            elif isinstance(part, Range) and (known := known_items(part, longest)) is not None:
                columns.append(known)
            else:
                return None
        found: list[Obj] = [
            TupleValue(row) if self.zipped else row[0] for row in zip(*columns, strict=False)
        ]
        if self.first is None:
            return found
        return [TupleValue((public_count(self.first + i), item)) for i, item in enumerate(found)]

    def plan(self) -> LoopPlan:
        """The loop over anything that is not unrolled."""
        parts = tuple(_sequence(part, self.interpreter) for part in self.parts)
        self.parts = tuple(map(self._counted, parts))
        values = [part for part in self.parts if isinstance(part, Value) and part.private]
        for part in self.parts:
            readable = isinstance(part, Range) or public_length(part) is not None
            if not (readable or (part in values and _rows_of(part) is not None)):
                raise self._unreadable(part)
        if any(isinstance(v.space, Records) for v in values):
            return self._records(values)
        self._rows = self._row_sources(values)
        counts = [part.count if isinstance(part, Range) else row_count(part) for part in self.parts]
        known = [count.as_fraction() for count in counts if count is not None]
        written = [count for count in known if count is not None]
        if not values and len(written) == len(counts):
            # Public things of known lengths: Python leaves out what the longer ones have more.
            return LoopPlan(self.number, num(min(written)), self._rows, self.index)
        for count in counts[1:]:
            self._as_long(count, counts[0])
        return LoopPlan(self.number, counts[0], self._rows, self.index)

    def _as_long(self, count: Expr | None, first: Expr | None) -> None:
        """Require that two parts of a zip have as many items, so that none is left out."""
        if count == first:
            return
        if count is None or first is None or not _may_be_equal(count, first):
            raise self.interpreter.stop(
                self.node, "size-mismatch",
                f"these containers have {count} and {first} rows", "one row count",
                'give both Size("n")',
            )  # fmt: skip
        asked = Requirement(count, "==", first, remedy="give both as many items")
        self.interpreter.domain.require((asked,), self.interpreter.module, self.node)

    def _counted(self, part: Obj) -> Obj:
        """Something public with a number of items, which is a new symbol where it is not known."""
        known = not isinstance(part, Value) or part.private or public_length(part) is not None
        if known or len(self.parts) > 1:
            return part
        self.uncounted = part
        size = self.interpreter.domain.state.unknown(integer=True)
        return msgspec.structs.replace(part, space=None, size=maximum(ZERO, size))

    def refuse_uncounted(self) -> None:
        """Raises:
        Stop: how often this loop runs decides what is spent, or how far something private moves.
        """
        assert self.uncounted is not None
        raise self._unreadable(self.uncounted)

    def _records(self, values: list[Value]) -> LoopPlan:
        if len(self.parts) > 1:
            raise self.interpreter.stop(
                self.node, "unordered-loop",
                "records are not aligned row by row: they were not made of the same rows, or a "
                "filter stands between them",
                "Aligned[...] inputs, or tables made of the same rows",
                "declare the inputs together as Aligned[A, B]",
            )  # fmt: skip
        if self.first is not None:
            raise self.interpreter.stop(
                self.node, "unordered-loop",
                "the position of a row would show the order of the records",
                "a loop without enumerate",
                "for row in records: ...",
            )  # fmt: skip
        self._rows = self._row_sources(values)
        return LoopPlan(self.number, None, self._rows, self.index)

    def _row_sources(self, values: list[Value]) -> tuple[LoopRows, ...]:
        """One source per container; parts of one aligned parameter share the person's source."""
        rows = []
        for i, value in enumerate(values):
            person = (
                self.interpreter.domain.aligned.get(value.form) if value.form is not None else None
            )
            name = f"r{i}" if person is None else f"r.{person.name}"
            rows.append(LoopRows(value, Source("row", name, self.number), person))
        return tuple(rows)

    def element(self) -> Obj:
        """What the target is bound to in a round."""
        index = sym(self.index, nonneg=True, integer=True)
        rows = iter(self._rows)
        made: list[Obj] = []
        for at, part in enumerate(self.parts):
            if isinstance(part, Range):
                assert part.start.expr is not None
                made.append(public_count(part.start.expr + index * part.step))
                continue
            if public_length(part) is not None:
                item = _item(part, index)
                if (steps := self.steps[at]) is not None:
                    # Its kind, and with it arithmetic, is NumPy's.
                    start, step = steps
                    item = msgspec.structs.replace(item, term=("number", start + index * step))
                made.append(item)
                continue
            each = next(rows)
            space = _rows_of(each.value)
            assert space is not None
            domain, form = self.interpreter.domain, each.value.form
            table = domain.tables.get(form) if form is not None else None
            row = fresh_row(domain, space, each.source, each.person is not None, table)
            self.interpreter.domain.by_row.part(each.value, row)
            if isinstance(each.value.space, Parts) and form in domain.of_replaced:
                assert isinstance(row, Value) and row.form is not None
                domain.of_replaced[row.form] = each.source
                domain.state.come.add(each.source)
                domain.of_parts.add(each.source)
            elif isinstance(each.value.space, Parts) and form in domain.of_added:
                assert isinstance(row, Value) and row.form is not None
                domain.of_added[row.form] = each.source
                domain.state.come.add(each.source)
            made.append(row)
        element = TupleValue(tuple(made)) if self.zipped else made[0]
        if self.first is not None:
            return TupleValue((public_count(self.first + index), element))
        return element

    @property
    def of_a_set(self) -> bool:
        """Whether nothing says in which order the items come."""
        keys = (part.keys for part in self.parts if isinstance(part, Value))
        return any(each is not None and not each.ordered for each in keys)

    def refuse_order(self) -> None:
        """Raises:
        Stop: what the rounds fill would show the order of a set, of which no reader knows.
        """
        text = self.interpreter.text(self.node)
        raise self.interpreter.stop(
            self.node, "unordered-loop",
            "a set has no order, so that nobody can tell which entry of this result is whose",
            "items in an order that is known, or a dictionary by key",
            f"sorted({'set(keys)' if text == 'x' else text})",
        )  # fmt: skip

    def _unreadable(self, part: Obj) -> Exception:
        if isinstance(part, Value) and isinstance(part.space, Keyed):
            return self.interpreter.stop(self.node, "private-length", *KEYS_OF_ROWS)
        held = (self.interpreter.text(self.node), getattr(part, "space", None))
        if (why := unbounded([held])) is not None:
            return refused(why, self.interpreter.module, self.node)
        if self.interpreter.has_private(part):
            return self.interpreter.stop(
                self.node, "unsupported-syntax",
                "this private value cannot be looped over", "rows, records, a vector or a range",
                "loop over a vector, a matrix or records",
            )  # fmt: skip
        return self.interpreter.stop(
            self.node, "private-loop-bound",
            "the number of rounds of this loop is not known as a public expression",
            "range(n) with a public n, or a tuple display", "for i in range(n): ...",
        )  # fmt: skip


def _made(
    interpreter: Interpreter, node: ast.expr, count: int
) -> list[tuple[Obj, Expr, Expr] | None]:
    """The arrays that a loop makes by calls of its own, in `enumerate` and `zip` too."""
    written = [interpreter.written_as.get(node, node)]
    for name in ("enumerate", "zip"):
        call = written[0]
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name:
            written = call.args if name == "zip" else call.args[:1]
    found = [interpreter.in_steps.get(each) for each in written]
    return found if len(found) == count else [None] * count


def _may_be_equal(count: Expr, other: Expr) -> bool:
    """Whether two public numbers of items can be required to be equal before data are read."""
    hidden = any(name.startswith("_") for name in count.symbols | other.symbols)
    return not hidden and compare(count, "==", other) is not False


def known_items(part: Range, longest: int) -> tuple[Obj, ...] | None:
    """The numbers of a range, if they are known and not more than `longest`."""
    count = part.count.as_fraction()
    if count is None or count > longest or part.start.expr is None:
        return None
    return tuple(public_count(part.start.expr + i * part.step) for i in range(int(count)))


def _item(part: Obj, position: Expr) -> Value:
    """One item of a public sequence, whose value is not known while checking."""
    known = sequences.one(part, position) if isinstance(part, Value) else None
    if known is not None:
        return known
    if (moment := moments.one_of(part)) is not None:
        return moment
    rows = _rows_of(part)
    if isinstance(rows, Scalar) and rows.element == "Data":
        rows = Scalar("Data", kind="str")
    whole = isinstance(rows, Scalar) and rows.element == "Int" and of_declared(part)
    return Value(origin(part), rows, source="computed", holds="int" if whole else "")


def _sequence(part: Obj, interpreter: Interpreter) -> Obj:
    """A tuple of public items beside a container, read as a sequence of which one item is seen."""
    if not isinstance(part, TupleValue) or interpreter.has_private(part):
        return part
    if not all(isinstance(item, Value) for item in part.items):
        return part
    size = num(len(part.items))
    one = one_of(part.items, origin(*part.items))
    element = getattr(getattr(one, "space", None), "element", "")
    space = Vector(element, "LInf", size) if element else None
    return Value(origin(*part.items), space, source="computed", size=size)


def row_count(value: Obj) -> Expr | None:
    """Number of rows of a container of public length, or of items of a public sequence."""
    if (length := public_length(value)) is not None:
        return length
    space = getattr(value, "space", None)
    return space.rows if isinstance(space, Matrix) else getattr(space, "size", None)


def _rows_of(value: Obj) -> Space | None:
    space = getattr(value, "space", None)
    if isinstance(space, Vector):
        return Scalar(space.element, space.lo, space.hi)
    if isinstance(space, Matrix | Records):
        return space.row
    return space.part if isinstance(space, Parts) else None
