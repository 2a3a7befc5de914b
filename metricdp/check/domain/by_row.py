"""What runs row by row: functions of rows with no form in the columnar language, and why.

A run traces functions of rows to columns; what it cannot trace it calls once per row, in Python.
This is the same question asked while the program is read, of the same records.  It decides nothing:
a program is proved alike, and only takes longer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from metricdp.check.domain.drawn import RELEASED
from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Value
from metricdp.record import Record
from metricdp.spaces import Matrix, Maybe, Moment, Owned, Records, Row, Scalar, Space, Vector
from metricdp.spaces.base import symbols_of
from metricdp.spaces.vectors import Entries

#: Rows of real containers are read with exact numbers, whatever their function is.
EXACT = "a function of numbers that are kept exact"
LISTED = "a function of rows that are held one by one"
APPENDING = "a loop that appends"
MORE = "a round that does more than to add"
UNBOUNDED = "a sum of which no bound is known"
LATE = "a range that only a run knows"


class Noted(msgspec.Struct, frozen=True):
    """One place, and why it runs row by row; "" where it does not.

    Attributes:
        listed: what is made there is a list of rows, and no table.
    """

    module: Any
    node: ast.AST
    what: str
    listed: bool


class Loop(msgspec.Struct, frozen=True):
    """A loop over private rows.

    Attributes:
        function: the function that it stands in.
        what: why its round is not traced; "" where nothing is in the way.
        written: a loop of the program, and not one that stands for a comprehension.
    """

    module: Any
    node: ast.For
    function: ast.AST | None
    what: str
    written: bool


class RowReading:
    """One function of a row that is being read.

    Attributes:
        what: why it has no form; "" where it has one.
        called: what a form calls for one value after the other all the same; "" for nothing.
    """

    __slots__ = ("called", "sources", "what")

    def __init__(self, sources: Iterable[Source], what: str) -> None:
        self.sources, self.what, self.called = frozenset(sources), what, ""


class RowByRow:
    """What was met in the functions of rows of one check."""

    def __init__(self) -> None:
        self._open: list[RowReading] = []
        #: (address, which function of that node) -> what was found the last time that it was read.
        self.found: dict[tuple[str, str], Noted] = {}
        self.loops: dict[str, Loop] = {}
        #: Address of a loop -> its states, and why what is added to them has no form.
        self.sums: dict[str, dict[str, str]] = {}
        #: Tables that a rule made row by row: they are lists.
        self._listed: set[Form] = set()

    @property
    def reading(self) -> bool:
        """Whether a function of rows is being read."""
        return bool(self._open)

    def kept(self) -> tuple[Any, ...]:
        """What was met so far, to go back to (`restore`)."""
        sums = {address: dict(each) for address, each in self.sums.items()}
        return list(self._open), dict(self.found), dict(self.loops), sums, set(self._listed)

    def restore(self, kept: tuple[Any, ...]) -> None:
        """What was met since is forgotten."""
        self._open, self.found, self.loops, self.sums, self._listed = kept

    def begin(self, containers: Iterable[Value], sources: Iterable[Source]) -> RowReading:
        """A function of the rows of these containers is read from now on."""
        what = next(filter(None, map(self._held, containers)), "")
        reading = RowReading(sources, what)
        self._open.append(reading)
        return reading

    def end(self, reading: RowReading) -> str:
        """It was read: why it runs row by row, or ""."""
        del self._open[self._open.index(reading) :]
        return reading.what or reading.called

    def applied(
        self, record: Record, given: Mapping[str, Any], movement: Callable[[Value], Iterable[Any]]
    ) -> None:
        """A record is applied, perhaps to values of a row."""
        if not self._open or record.columnar is not None or _takes_many(given):
            return
        moved = {
            source
            for value in given.values()
            if isinstance(value, Value) and value.private
            for source in movement(value)
        }
        self.meets(moved, _named(record, given), _is_called(record, given))

    def meets(self, moved: Iterable[Source], what: str, called: bool = False) -> None:
        """Something is done with a value that these sources move.

        Args:
            called: it has a form that calls it for one value after the other.
        """
        moved = frozenset(moved)
        for reading in self._open:
            if reading.sources.isdisjoint(moved):
                continue
            if called:
                reading.called = reading.called or what
            else:
                reading.what = reading.what or what

    def table(self, record: Record, given: Mapping[str, Any], result: Any) -> str:
        """Why a record of whole tables goes through them row by row; "" where it does not."""
        tables = [v for v in given.values() if isinstance(v, Value) and _is_table(v)]
        if not tables:
            return ""
        listed = any(map(self._held, tables))
        what = "" if listed or _has_form(record, tables) else f"`{record.name}`"
        if what or listed:
            self.lists(result)
        return what

    def lists(self, result: Any) -> None:
        """What a rule made is a list of rows."""
        if isinstance(result, Value) and result.form is not None:
            self._listed.add(result.form)

    def is_listed(self, value: Value) -> bool:
        """Whether a value is held as a list of rows."""
        return value.form in self._listed

    def part(self, whole: Value, part: Any) -> None:
        """A part of what is held as a list is a list."""
        if whole.form in self._listed:
            self.lists(part)

    def note(
        self,
        key: tuple[str, str],
        module: Any,
        node: ast.AST,
        what: str,
        listed: bool | None = None,
    ) -> None:
        """What was found at a place; an earlier reading of the same call counts no more."""
        self.found[key] = Noted(module, node, what, bool(what) if listed is None else listed)

    def _held(self, value: Value) -> str:
        """Why the rows of a container are not columns; "" where they are."""
        if not isinstance(value.space, Records | Owned):
            return EXACT
        row = value.space.row
        fields = row.fields if isinstance(row, Row) else (row,)
        one_kind = all(map(_of_one_kind, fields))
        return "" if one_kind and fields and value.form not in self._listed else LISTED


def _of_one_kind(field: Space) -> bool:
    if isinstance(field, Row):
        return all(map(_of_one_kind, field.fields))
    if isinstance(field, Maybe):
        return bool(field.inner.kind)
    return isinstance(field, Vector | Moment) or (
        isinstance(field, Scalar) and bool(field.kind or field.element != "Data")
    )


def within(row: Space) -> str:
    """Why what a function of a row gives is not moved into its space; "" where it is."""
    if not all(isinstance(each, Scalar | Moment | Maybe) or _is_free(each) for each in _each(row)):
        return f"rows that lie in {row}"
    return LATE if _late(row) else ""


def _each(space: Space) -> Iterable[Space]:
    """The values that a row holds."""
    if not isinstance(space, Row):
        return (space,)
    return (each for field in space.fields for each in _each(field))


def _is_free(space: Space) -> bool:
    """Whether a space holds vectors of discrete data without a norm to keep."""
    return isinstance(space, Vector) and space.element == "Data" and not space.radius


def summed(space: Space) -> str:
    """Why what a row adds is not moved into its space; "" where it is."""
    if _late(space):
        return LATE
    if isinstance(space, Scalar):
        return UNBOUNDED if space.lo.is_infinite or space.hi.is_infinite else ""
    if not isinstance(space, Entries):
        return MORE
    radii = [radius for _, radius in space.radius if not radius.is_infinite]
    boxed = not (space.lo.is_infinite or space.hi.is_infinite)
    return "" if radii or boxed else UNBOUNDED


def containers(given: Mapping[str, Any]) -> list[Value]:
    """The private containers among the arguments of a rule."""
    kinds = (Records, Owned, Vector, Matrix)
    return [
        v
        for v in given.values()
        if isinstance(v, Value) and v.private and isinstance(v.space, kinds)
    ]


def _late(space: Space) -> bool:
    """Whether a number of the space is known while it runs only."""
    names = symbols_of(space)
    return any(name.startswith("_") and not name.startswith(RELEASED) for name in names)


def _is_table(value: Value) -> bool:
    return value.private and isinstance(value.space, Records | Owned)


def _has_form(record: Record, tables: list[Value]) -> bool:
    chooses = record.family is not None and record.family.chooses
    if record.tabular is not None or chooses:  # what is chosen by: functions, read as such
        return True
    rows = [v.space.row for v in tables if isinstance(v.space, Records | Owned)]
    if record.columnar is not None and len(rows) == 1:
        return isinstance(rows[0], Scalar | Moment | Maybe | Vector)
    return False


def _takes_many(given: Mapping[str, Any]) -> bool:
    """Whether it is a black box that is called with many rows at once."""
    return getattr(given.get("batched"), "literal", None) is True


def _is_called(record: Record, given: Mapping[str, Any]) -> bool:
    """Whether it is a black box that a run calls for the different values of rows, in columns."""
    if record.name != "black_box":
        return False
    made: Space = given["returns"].space
    spaces = [v.space for v in given.values() if isinstance(v, Value) and v.private]
    if isinstance(made, Scalar):
        return all(map(_is_single, (made, *spaces)))
    if not _is_free(made) or len(spaces) > 1:
        return False
    (space,) = spaces
    double = isinstance(space, Scalar) and (space.kind or space.element) in ("float", "Real")
    return double or isinstance(space, Vector)


def _is_single(space: Space | None) -> bool:
    """Whether a column holds values of a space, one in a row."""
    return space is not None and not isinstance(space, Vector) and _of_one_kind(space)


def _named(record: Record, given: Mapping[str, Any]) -> str:
    name = getattr(given.get("name"), "literal", None)
    return f"black box {name}" if record.name == "black_box" and name else f"`{record.name}`"
