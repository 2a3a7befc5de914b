"""What is said beside a query, and what a query becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from metricdp.sql.clause import Clause
    from metricdp.sql.parts import GroupKey, Output
    from metricdp.sql.program import ProgramText

ReleasedRow = Mapping[str, Any]


class Asking(Protocol):
    """Whatever is planned, a query or a chain of methods: how it is refused."""

    @property
    def text(self) -> str:
        """As it was written."""

    @property
    def clause(self) -> Clause:
        """What is said in it of privacy."""

    @property
    def grouping(self) -> Any:
        """By what rows are grouped."""

    def fail(self, node: Any, fact: str, remedy: str, *in_sql: str) -> NoReturn:
        """Refuse a part of it; some remedies are for queries in SQL alone."""


@dataclass(frozen=True)
class Options:
    """What is said beside a query.

    Attributes:
        epsilon, delta, rho: what it may cost one unit: epsilon alone, epsilon with the delta that
            finds private keys, or rho for Gaussian noise.
        keys: column -> public keys.
        bounds: column -> (low, high), for columns that are added up as they are.
        max_groups, max_rows: groups of a person, and rows of a person in each.
        shares: output -> its share of the budget, 1 for those that are not named.
        dialect: "duckdb" or "bigquery".
    """

    epsilon: Any = None
    delta: Any = None
    rho: Any = None
    keys: Mapping[str, Iterable[Any]] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)
    max_groups: int | None = None
    max_rows: int | None = None
    shares: Mapping[str, Any] = field(default_factory=dict)
    dialect: str | None = None


@dataclass(frozen=True)
class Finish:
    """What is done to released rows.

    Attributes:
        having: whether a row stays; None: all do.
        order: column and whether it falls, in turn.
        chosen: whether released numbers choose which rows are there: then a number that is there
            was chosen for being large or small, and has no interval.
    """

    having: Callable[[ReleasedRow], bool] | None
    order: tuple[tuple[str, bool], ...]
    limit: int | None
    offset: int
    chosen: bool

    def done(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows that are shown, in their order; what is NULL stands last."""
        found = [row for row in rows if self.having is None or self.having(row)]
        for column, falls in reversed(self.order):
            there = [row for row in found if row[column] is not None]
            missing = [row for row in found if row[column] is None]
            there.sort(key=lambda row: row[column], reverse=falls)
            found = there + missing
        end = None if self.limit is None else self.offset + self.limit
        return found[self.offset : end]


@dataclass(frozen=True)
class Lowered:
    """A query as programs.

    Attributes:
        columns: of the answer, in their order.
        outputs, groups: what was asked, and by what rows are grouped.
        main: the program that draws; None where the counts of found keys are all that is asked.
        keys: the program that finds private keys first; None where they are public.
        budget: name of the unit ("eps" or "rho") and what is spent of it.
        codes: what each column is in a row, of those that are keys; "" for the others.
        counted: outputs that are the counts of the keys program.
        finish: what is done to the released table.
        shares: words, which part of the budget each draw has.
        most: groups of one person.
    """

    columns: tuple[str, ...]
    codes: tuple[str, ...]
    outputs: tuple[Output, ...]
    groups: tuple[GroupKey, ...]
    main: ProgramText | None
    keys: ProgramText | None
    budget: tuple[str, Fraction]
    delta: Fraction | None
    counted: tuple[str, ...]
    finish: Finish
    shares: tuple[str, ...]
    most: int | None


def exact(value: Any, name: str) -> Fraction:
    """A number above 0 as it was typed.

    Raises:
        ParameterError: anything else.
    """
    try:
        number = Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise ParameterError("a number above 0 is needed", place=name, remedy=f"{name}=1") from None
    if isinstance(value, bool) or number <= 0:
        raise ParameterError("a number above 0 is needed", place=name, remedy=f"{name}=1")
    return number


def whole(value: Any, name: str) -> int | None:
    """A whole number above 0, or None.

    Raises:
        ParameterError: anything else.
    """
    if value is None:
        return None
    if type(value) is not int or value < 1:
        raise ParameterError("a whole number above 0 is needed", place=name, remedy=f"{name}=3")
    return value
