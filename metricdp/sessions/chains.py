"""A table of a session in the words of data frames: what it will be asked, and nothing of it.

    t = session["visits"]
    asked = t.filter(t.year == 1).group_by("plan", keys=PLANS).aggregate(n=t.count())
    asked.release(epsilon=0.5, max_groups=2, max_rows=3)

Until it is released a chain is syntax.  Then it becomes the source text of a checked function, as a
query in SQL does, which is checked, charged and run as any other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from metricdp.errors import ParameterError
from metricdp.plain import plain
from metricdp.sessions.chain_values import ChainColumn, ChainNumber
from metricdp.sessions.tracked import refused
from metricdp.sql.chain_syntax import ChainPart, RowColumns, leaf, name_of, shown
from metricdp.sql.tables import SqlTable, is_plain_name

if TYPE_CHECKING:
    from metricdp.sessions.plans import SessionPlan
    from metricdp.sql import QueryAnswer
    from metricdp.sql.chained import AskedChain
    from metricdp.sql.plan import Options

#: Outputs and columns of one chain have shorter names.
_LONGEST = 80


class ChainSession(Protocol):
    """The session of a chain."""

    def answer_chain(self, asked: AskedChain, options: Options) -> QueryAnswer:
        """Check, charge and run the programs of a chain."""

    def explain_chain(self, asked: AskedChain, options: Options) -> SessionPlan:
        """What a chain would do and cost."""


class TableChain:
    """A table and what was done to its rows and columns.

    Args:
        asks: the session.
        table: its columns, and whose rows they are.
        columns: what the columns are by now, of one row.
        where: conditions on rows.
        steps: texts of the methods that were called, one after the other.
    """

    __slots__ = ("_asks", "_columns", "_steps", "_table", "_where")

    def __init__(
        self, asks: ChainSession, table: SqlTable, columns: RowColumns,
        where: tuple[ast.expr, ...] = (), steps: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self._asks, self._table, self._columns = asks, table, columns
        self._where, self._steps = where, steps

    def __repr__(self) -> str:
        return f"<table {''.join((self._table.name, *self._steps))}>"

    def later(self, other: TableChain) -> TableChain:
        """The one of two chains that goes on where the other one ends.

        Raises:
            TrackedError: they are about other rows.
        """
        same = self._asks is other._asks and self._table.name == other._table.name
        short, long = sorted((self, other), key=lambda each: len(each._steps))
        if not same or long._steps[: len(short._steps)] != short._steps:
            raise refused(
                f"what is of {other!r} in a chain of {self!r}",
                "columns of the table that the chain begins with; tables are joined in a checked "
                "function, or in session.sql",
            )
        return long

    def _mine(self, given: ChainColumn | ChainNumber) -> None:
        if self.later(given._chain) is not self and self._steps != given._chain._steps:
            raise refused(
                f"what is of {given._chain!r} in {self!r}", "columns of the table as it is here"
            )

    def _next(
        self, step: str, columns: RowColumns | None = None, where: tuple[ast.expr, ...] = ()
    ) -> TableChain:
        return TableChain(
            self._asks, self._table, columns or self._columns, (*self._where, *where),
            (*self._steps, step),
        )  # fmt: skip

    # -- columns ----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> ChainColumn:
        if not isinstance(name, str):
            raise refused("indexing a table with anything but the name of a column",
                          "t.filter(t.age > 18), t.select('age')")  # fmt: skip
        return ChainColumn(self, leaf(str.__str__(name)))

    def __getattr__(self, name: str) -> ChainColumn:
        if name.startswith("_"):
            raise AttributeError(name)
        return ChainColumn(self, leaf(name))

    # -- rows -------------------------------------------------------------------------------

    def filter(self, *conditions: Any) -> TableChain:
        """The rows that meet all of these."""
        tests = []
        for each in conditions:
            if not isinstance(each, ChainColumn):
                raise refused("a condition that is no column", "t.filter(t.age > 18)")
            self._mine(each)
            tests.append(self._columns.of(each._node))
        if not tests:
            raise refused("filter() without a condition", "t.filter(t.age > 18)")
        words = ", ".join(shown(each._node) for each in conditions)
        return self._next(f".filter({words})", where=tuple(tests))

    def mutate(self, **columns: Any) -> TableChain:
        """More columns, each of the row it stands in; those of a known name are replaced."""
        made = {}
        for name, each in columns.items():
            if not isinstance(each, ChainColumn):
                raise refused("a column that is none", "t.mutate(v=t.visits.clip(0, 20))")
            self._mine(each)
            made[_named(name)] = self._columns.of(each._node)
        words = ", ".join(f"{name}={shown(each._node)}" for name, each in columns.items())
        return self._next(f".mutate({words})", self._columns.with_columns(made))

    def select(self, *columns: str | ChainColumn) -> TableChain:
        """Only these columns."""
        names = tuple(map(self._column_name, columns))
        for name in names:
            self._columns.of(leaf(name))
        words = ", ".join(map(repr, names))
        return self._next(f".select({words})", self._columns.only(names))

    def _column_name(self, given: Any) -> str:
        if isinstance(given, ChainColumn):
            self._mine(given)
            given = name_of(given._node)
        if not isinstance(given, str):
            raise refused("what is not the name of a column", 't.group_by("plan", keys=[...])')
        return str.__str__(given)

    # -- numbers ----------------------------------------------------------------------------

    def count(self, where: Any = None) -> ChainNumber:
        """The number of rows; with a condition, of those that meet it."""
        test = None
        if where is not None:
            if not isinstance(where, ChainColumn):
                raise refused("a condition that is no column", "t.count(t.age > 18)")
            self._mine(where)
            test = where._node
        return ChainNumber(self, ast.Name("p0", ast.Load()), (ChainPart("count", None, test),))

    def group_by(self, *columns: str | ChainColumn, keys: Any = None) -> GroupedChain:
        """Groups by columns.

        Args:
            keys: public ones, of one column; of several, a dictionary with those of each.  Left
                out, they are found when it is released with a delta.
        """
        names = tuple(map(self._column_name, columns))
        if not names or len(set(names)) < len(names):
            raise refused("groups by no column, or twice by one", 't.group_by("plan", keys=[...])')
        given = keys if isinstance(keys, Mapping) else {names[0]: keys}
        if given.keys() - set(names) or (len(names) > 1 and not isinstance(keys, Mapping | None)):
            raise ParameterError(
                "keys of several columns are a dictionary with those of each",
                place="keys",
                remedy='keys={"plan": [...], "year": [...]}',
            )
        found = tuple((name, _keys(given.get(name))) for name in names)
        return GroupedChain(self, found)

    def aggregate(self, **numbers: Any) -> ChainQuestion:
        """What is asked of these rows."""
        return GroupedChain(self, ()).aggregate(**numbers)

    agg = aggregate

    def _no(self, *args: Any, **keywords: Any) -> NoReturn:
        raise refused("this on a table that will be asked",
                      "filter, mutate, select, group_by, count, aggregate")  # fmt: skip

    __iter__ = __len__ = __bool__ = __hash__ = __call__ = __array__ = _no


class GroupedChain:
    """Groups of the rows of a table."""

    __slots__ = ("_chain", "_groups")

    def __init__(
        self, chain: TableChain, groups: tuple[tuple[str, tuple[Any, ...] | None], ...]
    ) -> None:
        self._chain, self._groups = chain, groups

    def __repr__(self) -> str:
        return f"<groups of {self._chain!r} by {', '.join(name for name, _ in self._groups)}>"

    def aggregate(self, **numbers: Any) -> ChainQuestion:
        """What is asked of every group."""
        found = {}
        for name, each in numbers.items():
            if not isinstance(each, ChainNumber):
                raise refused(
                    f"{_named(name)}, which is no number of the table",
                    "t.count(), t.v.sum(), t.v.mean(), t.v.quantile(0.9), t.person.nunique()",
                )
            self._chain._mine(each)
            if name in (group for group, _ in self._groups):
                raise ParameterError(f"two columns are called {name}", place="aggregate",
                                     remedy="another name for the number")  # fmt: skip
            found[_named(name)] = each
        if not found:
            raise refused("nothing that is counted or added up", "aggregate(n=t.count())")
        return ChainQuestion(self._chain, self._groups, found)

    agg = aggregate


class ChainQuestion:
    """What a table will be asked: nothing is checked, charged or read before it is released."""

    __slots__ = ("_chain", "_groups", "_numbers")

    def __init__(
        self, chain: TableChain, groups: tuple[tuple[str, tuple[Any, ...] | None], ...],
        numbers: Mapping[str, ChainNumber],
    ) -> None:  # fmt: skip
        self._chain, self._groups, self._numbers = chain, groups, numbers

    def __repr__(self) -> str:
        return f"<question {self._text()}>"

    def _text(self) -> str:
        grouped = (
            f".group_by({', '.join(repr(n) for n, _ in self._groups)})" if self._groups else ""
        )
        asked = ", ".join(f"{name}={each.words()}" for name, each in self._numbers.items())
        steps = "".join(self._chain._steps)
        return f"{self._chain._table.name}{steps}{grouped}.aggregate({asked})"

    def _asked(self) -> AskedChain:
        from metricdp.sql.chained import AskedChain

        chain = self._chain
        numbers = {name: (each._node, each._parts) for name, each in self._numbers.items()}
        return AskedChain(
            self._text(), chain._table, chain._columns, chain._where, self._groups, numbers
        )

    def release(
        self, epsilon: Any = None, *, delta: Any = None, rho: Any = None,
        max_groups: int | None = None, max_rows: int | None = None,
        shares: Mapping[str, Any] | None = None,
    ) -> QueryAnswer:  # fmt: skip
        """Ask it: the programs are checked, charged and run.

        Args:
            epsilon, delta, rho: what it may cost one unit of distance in the table: epsilon;
                epsilon with the delta that finds private keys; or rho, for Gaussian noise.
            max_groups, max_rows: groups of one person, and rows of one person in each.
            shares: output -> its share of the budget; 1 each.

        Returns:
            A table with intervals.

        Raises:
            ParameterError, TrackedError: an option or an expression that means nothing here.
            NotProvedError: the program that it means is rejected.
            BudgetError: more than what is left.
        """
        options = _options(epsilon, delta, rho, max_groups, max_rows, shares)
        return self._chain._asks.answer_chain(self._asked(), options)

    def explain(
        self, epsilon: Any = None, *, delta: Any = None, rho: Any = None,
        max_groups: int | None = None, max_rows: int | None = None,
        shares: Mapping[str, Any] | None = None,
    ) -> SessionPlan:  # fmt: skip
        """What `release` would do and cost: nothing is read, charged or written."""
        options = _options(epsilon, delta, rho, max_groups, max_rows, shares)
        return self._chain._asks.explain_chain(self._asked(), options)


def _options(
    epsilon: Any, delta: Any, rho: Any, groups: Any, rows: Any, shares: Mapping[str, Any] | None
) -> Options:
    from metricdp.sql.plan import Options

    return Options(epsilon, delta, rho, max_groups=groups, max_rows=rows, shares=dict(shares or {}))


def _named(name: str) -> str:
    found = str.__str__(name)
    if not is_plain_name(found) or len(found) > _LONGEST:
        raise ParameterError("a name that is long, or no name of Python", place="aggregate",
                             remedy="n=t.count()")  # fmt: skip
    return found


def _keys(given: Any) -> tuple[Any, ...] | None:
    """Public keys, all different; None where they have to be found."""
    if given is None:
        return None
    found = plain(given, "keys")
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise ParameterError("keys are a list", place="keys", remedy='keys=["gold", "basic"]')
    keys = tuple(found)
    if not keys or len(set(keys)) < len(keys):
        raise ParameterError("keys are some, and all different", place="keys",
                             remedy='keys=["gold", "basic"]')  # fmt: skip
    return keys


def chain_of(asks: ChainSession, name: str, space: Any) -> TableChain:
    """The chain that is a table of a session.

    Raises:
        SpaceError: a table whose rows no question can name.
    """
    from metricdp.sql.chained import fields_of
    from metricdp.sql.tables import table_of

    table = table_of(name, space)
    return TableChain(asks, table, fields_of(table))


def has_columns(space: Any) -> bool:
    """Whether a space is one of rows with fields."""
    row = getattr(space, "row", None)
    return getattr(row, "names", None) is not None and getattr(row, "kind", "tuple") != "tuple"
