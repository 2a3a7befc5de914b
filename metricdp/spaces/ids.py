"""Tables in which one unit has any number of rows, told by a column of ids.

`Records[Visit, Ids("person")]`, which type checkers read as `Annotated[Records[Visit],
Ids("person")]`, is a space of its own and no `Records`: a rule that counts rows says
nothing about it, so it refuses it instead of charging one row for a whole person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF
from metricdp.spaces.base import NEG_INF, Refinement, Space
from metricdp.spaces.lengths import Length, rational
from metricdp.spaces.markers import is_marker, show
from metricdp.spaces.moments import FIELDS, Moment
from metricdp.spaces.rows import Row
from metricdp.spaces.scalars import Scalar, canonical
from metricdp.spaces.windows import (
    PERIODS,
    in_words,
    known_day,
    of_kind,
    out_of_words,
    unit_of,
)

if TYPE_CHECKING:
    from random import Random

_ADD, _REPLACE = "UserAddRemove", "UserChange"
#: Kinds of columns that tell units apart: two doubles may print alike, and NaN is no one.
_KINDS: Final = ("int", "str")


class Ids(Refinement):
    """The metric of `Records[Row, Ids("person")]`: how many persons differ.

    Args:
        column: the field of a row that says whose row it is: whole numbers or texts.
        change: what one unit of distance is.  By default one person with all of their rows is
            added or removed; with `ChangeOne` the rows of one person become any others, which may
            be none.
        unit: what an id tells apart, in one word: "person".  By default the name of the column.
            Tables of one program with one unit are about the same persons: one unit of distance
            is a person with all of their rows in all of these tables.
        per, of: a window, "day", "week", "month" or "year", and the field with the date by which a
            row is in it.  One unit of distance is then what a person does in one window; programs
            read the id as a text of both, "Ann 2024-03".

    Raises:
        SpaceError: no name of a field, no word, no window, or a metric that is not one of these
            two.
    """

    __slots__ = ("column", "metric", "of", "per", "whose")

    def __init__(
        self, column: object, change: object = "Symmetric", *, unit: object = None,
        per: object = None, of: object = None,
    ) -> None:  # fmt: skip
        metric = change.name if is_marker(change) else change
        if not isinstance(column, str) or not column:
            raise SpaceError(
                f"Ids takes the name of a column, and {show(column)} is none",
                remedy='write Ids("person")',
            )
        if metric not in ("Symmetric", "ChangeOne"):
            raise SpaceError(
                f"persons are added and removed, or changed, and {show(change)} is neither",
                remedy='write Ids("person"), or Ids("person", ChangeOne)',
            )
        if unit is not None and not (isinstance(unit, str) and unit.isidentifier()):
            raise SpaceError(
                f"what an id tells apart is one word, and {show(unit)} is none",
                remedy=f'write Ids("{column}", unit="person")',
            )
        if (per, of) != (None, None) and not (per in PERIODS and isinstance(of, str)):
            raise SpaceError(
                f"a window is one of {', '.join(PERIODS)}, of the date in a field",
                remedy=f'write Ids("{column}", per="month", of="day")',
            )
        self.per, self.of = str(per or ""), str(of or "")
        self.column, self.whose = column, column if unit is None else unit
        self.metric = _ADD if metric == "Symmetric" else _REPLACE

    def apply(self, space: Any) -> Space | None:
        rows = getattr(space, "row", None)
        plain = getattr(space, "metric", "") == "Symmetric" and rows is not None
        if not plain:
            return None
        owned = Owned.of(rows, self)
        return msgspec.structs.replace(owned, drop_nan=space.drop_nan)

    def __repr__(self) -> str:
        return _written(self.column, self.metric, self.whose, self.per, self.of)


def _written(column: str, metric: str, whose: str, per: str, of: str) -> str:
    more = ", ChangeOne" if metric == _REPLACE else ""
    more += f', unit="{whose}"' if whose != column else ""
    more += f', per="{per}"' if per else ""
    more += f', of="{of}"' if of else ""
    return f'Ids("{column}"{more})'


class Owned(Space, frozen=True):
    """A table, `Records[Row, Ids(column)]`; the reference value is a list of rows.

    Attributes:
        row: the space of one row.
        column: the field that says whose row it is.
        whose: what one unit is, in words: "person", "person in one calendar month".
        metric: "UserAddRemove": the ids that stand in one table only, and 2 for each id whose rows
            differ; "UserChange": the ids whose rows differ.  The order of rows is not seen.
        drop_nan: rows with NaN are dropped when data enter, instead of replaced by 0.
        day: field with the date by which a row is in a window, of data that have not entered yet;
            "" where the id says all, as it does in programs.
    """

    row: Row
    column: str
    whose: str
    metric: str = _ADD
    drop_nan: bool = False
    day: str = ""

    @classmethod
    def of(cls, row: object, ids: Ids) -> Owned:
        """The space of `Records[row, ids]`.

        Raises:
            SpaceError: the rows have no such column, or one that cannot tell persons apart.
        """
        if not isinstance(row, Row):
            raise SpaceError(
                f"rows of {show(row)} have no column {ids.column}",
                remedy="a dataclass, NamedTuple or TypedDict with this field",
            )
        field = row.field(ids.column)
        if field is None:
            raise SpaceError(
                f"{row} has no column {ids.column}",
                remedy=f"its columns are {', '.join(row.names)}",
            )
        if not isinstance(field, Scalar) or field.kind not in _KINDS:
            what = field.kind or field.element if isinstance(field, Scalar) else field
            raise SpaceError(
                f"the column {ids.column} of {row} holds {what}, which tells nobody apart",
                remedy="ids are int or str; drop the rows without one before they enter",
            )
        if (field.lo, field.hi) != (NEG_INF, INF):
            raise SpaceError(
                f"the column {ids.column} of {row} has bounds, which would make two persons one",
                remedy=f"declare {ids.column} without bounds, and filter rows instead",
            )
        when = row.field(ids.of)
        if ids.per and not (isinstance(when, Moment) and when.kind in FIELDS):
            raise SpaceError(
                f"{ids.of} is no column of {row} with the date of every row",
                remedy="a field of the type date or datetime, in which none is missing",
            )
        whose = in_words(ids.whose, ids.per)
        return cls(row, ids.column, whose, ids.metric, day=ids.of)

    def __str__(self) -> str:
        return f"Records[{self.row}, {self.ids}]"

    @property
    def ids(self) -> str:
        """The metric as it is written."""
        return self.ids_of(out_of_words(self.whose)[0])

    def ids_of(self, unit: str) -> str:
        """The metric as it is written where an id tells something else apart."""
        return _written(self.column, self.metric, unit, out_of_words(self.whose)[1], self.day)

    @property
    def inside(self) -> Owned:
        """The space of the table in a program, where an id says all: also in which window."""
        if not self.day:
            return self
        fields = list(self.row.fields)
        fields[self.place] = Scalar("Data", kind="str")
        row = msgspec.structs.replace(self.row, fields=tuple(fields))
        return msgspec.structs.replace(self, row=row, day="")

    def entered(self, row: Any) -> Any:
        """A row as programs see it; None of one whose window is not known."""
        if not self.day:
            return row
        parts = list(self.row.parts(row))
        when = parts[self._when]
        parts[self.place] = unit_of(parts[self.place], out_of_words(self.whose)[1], when)
        return self.inside.row.build(parts) if known_day(when) else None

    @property
    def replaces(self) -> bool:
        """Whether one unit of distance replaces the rows of a person."""
        return self.metric == _REPLACE

    @property
    def unit(self) -> str:
        return self.unit_in("")

    def unit_in(self, tables: str) -> str:
        """The unit in words, of a person who has rows in all of these tables."""
        done = "changed" if self.replaces else "added or removed"
        where = f" in {tables}" if tables else ""
        return f"all records of one {self.whose}{where} {done}"

    @property
    def place(self) -> int:
        """The position of the column of ids."""
        return self.row.names.index(self.column)

    @property
    def kind(self) -> str:
        """What an id is: "int" or "str"."""
        return str(getattr(self.row.fields[self.place], "kind", ""))

    def _facts(self) -> list[str]:
        words = [
            f"{name} {fact}"
            for name, field in zip(self.row.names, self.row.fields, strict=True)
            for fact in field._facts()
        ]
        return [*words, "records with NaN dropped"] if self.drop_nan else words

    def contains(self, value: Any) -> bool:
        return isinstance(value, (list, tuple)) and all(map(self.row.contains, value))

    def owner(self, row: Any) -> Hashable:
        """Whose row it is."""
        return self._told(self.person(row))

    def _told(self, person: Any) -> Hashable:
        if self.day:
            return unit_of(person[0], out_of_words(self.whose)[1], person[1])
        owner: Hashable = canonical(person)
        return owner

    def rows_of_each(self, x: Sequence[Any]) -> dict[Hashable, Counter[Hashable]]:
        """Owner -> how often which rows of theirs are there."""
        held: dict[Hashable, Counter[Hashable]] = {}
        for row in x:
            held.setdefault(self.owner(row), Counter())[self.row.row_key(row)] += 1
        return held

    def length(self, x: Any, y: Any) -> Length:
        left, right = self.rows_of_each(x), self.rows_of_each(y)
        shared = sum(left[owner] != right[owner] for owner in left.keys() & right.keys())
        apart = len(left.keys() ^ right.keys())
        return rational(apart + (1 if self.replaces else 2) * shared)

    def sample(self, rng: Random, size_hint: int = 4, known: Sequence[Any] = ()) -> Any:
        """Rows of some persons, among them perhaps some of these."""
        rows: list[Any] = []
        for _ in range(rng.randint(0, size_hint)):
            owner = self.somebody([*known, *map(self.person, rows)], rng)
            rows += [self._row(owner, rng) for _ in range(rng.choice((1, 1, 2, 4)))]
        rng.shuffle(rows)
        return rows

    def person(self, row: Any) -> Any:
        """The id in a row, as it stands there; with the date of the row where that decides too."""
        parts = self.row.parts(row)
        return (parts[self.place], parts[self._when]) if self.day else parts[self.place]

    @property
    def _when(self) -> int:
        return self.row.names.index(self.day)

    def somebody(self, known: Sequence[Any], rng: Random) -> Any:
        """One of the ids that are there, or any."""
        if known and rng.random() < 0.5:
            return rng.choice(known)
        places = (self.place, self._when) if self.day else (self.place,)
        fields = [self.row.fields[place] for place in places]
        drawn = [rng.choice(f.extremes()) if rng.random() < 0.5 else f.sample(rng) for f in fields]
        return tuple(drawn) if self.day else drawn[0]

    def _row(self, owner: Any, rng: Random) -> Any:
        drawn = rng.choice(self.row.extremes()) if rng.random() < 0.5 else self.row.sample(rng)
        parts = list(self.row.parts(drawn))
        if self.day:
            day = self.row.fields[self._when]
            assert isinstance(day, Moment)
            owner, parts[self._when] = owner[0], of_kind(day.kind, owner[1])
        parts[self.place] = owner
        return self.row.build(parts)

    def extremes(self) -> list[Any]:
        edges = self.row.extremes()
        one = [self.row.build([*self.row.parts(edge)]) for edge in edges]
        return [[], *([edge] for edge in one), *([edge] * 3 for edge in one), one]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        rows = list(x)
        for _ in range(int(d)):
            owner = self.somebody([*map(self.person, rows)], rng)
            others = self.without(rows, owner)
            absent = len(others) == len(rows)
            # One unit adds everything that a person has, or takes it away; or changes it.
            new = [] if not (absent or self.replaces) else self.rows_for(owner, rng, absent)
            rows = others + new
        rng.shuffle(rows)
        return rows

    def without(self, rows: Sequence[Any], owner: Any) -> list[Any]:
        """The rows of everybody else."""
        key = self._told(owner)
        return [row for row in rows if self.owner(row) != key]

    def rows_for(self, owner: Any, rng: Random, some: bool = True) -> list[Any]:
        """A few rows of an owner, or perhaps none."""
        few = rng.choice((1, 2, 4)) if some else rng.choice((0, 1, 2, 4))
        return [self._row(owner, rng) for _ in range(few)]

    def shrink(self, x: Any) -> Iterator[Any]:
        x = list(x)
        for i in range(len(x)):
            yield x[:i] + x[i + 1 :]
        for i, row in enumerate(x):
            for simpler in self.row.shrink(row):
                yield [*x[:i], simpler, *x[i + 1 :]]
