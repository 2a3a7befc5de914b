"""Functions of rows over tables: traced to the columnar language, or called row by row.

What a row gives is moved into the space that check proved for it: numbers into their range, what is
added up into its range or ball.  So a proof rests on nothing that the arithmetic of rows does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor
from typing import Any, NamedTuple

from metricdp.columns import nullable
from metricdp.columns.grids import Ball, Bound, GridRange, Squares, ball_of, range_of, whole_range
from metricdp.columns.language import (
    Node,
    RowSumState,
    Untraceable,
    as_double,
    clamp,
    constant,
    nearest_integer,
)
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.planned import kept_rows
from metricdp.columns.table import Table
from metricdp.columns.tracing import merged, symbolic, traced
from metricdp.errors import ExpressionError, SpaceError
from metricdp.run.addresses import without_sides
from metricdp.spaces import Maybe, Moment, Row, Scalar, Space, Vector
from metricdp.spaces.base import bound_value, symbols_of
from metricdp.spaces.vectors import Entries

#: A name that has no value yet.
UNBOUND = object()


class ProvedBounds:
    """What check proved of the rows at every address, at the public numbers of one run.

    Attributes:
        lasting: whether later runs at the same numbers have the same object.
    """

    def __init__(
        self, spaces: Mapping[str, Space | None], env: Mapping[str, Any], lasting: bool = False
    ) -> None:
        self.lasting = lasting
        self._spaces: dict[str, Space | None] = {}
        for address, space in spaces.items():
            # What both sides of a branch read after it is at one place of the run.
            plain = without_sides(address)
            same = self._spaces.setdefault(plain, space) == space
            self._spaces[plain] = space if same else None
        self._env = env
        self._known: dict[str, Space | None] = {}
        #: Address -> a row that came there, and that row moved into its space.
        self._moved: dict[str, tuple[Any, Any]] = {}

    def at(self, address: str) -> Space | None:
        """The space of what a row gives there; None if no number is known for it."""
        if address not in self._known:
            space = self._spaces.get(without_sides(address))
            try:
                self._known[address] = None if space is None else space.at(self._env)
            except ExpressionError:
                self._known[address] = None
            if symbols_of(self._known[address]):  # a number that changes from round to round
                self._known[address] = None
        return self._known[address]

    def within(self, table: Table, address: str) -> Table:
        """The table with every number of its rows in the range that was proved at an address.

        Every round of a loop that filters rows brings the same one.

        Raises:
            Untraceable: no range was proved, or of rows of another shape.
        """
        known = self._moved.get(address)
        if known is None or known[0] is not table.row:
            space = self.at(address)
            if space is None:
                raise Untraceable("rows of which no range is known")
            try:
                known = self._moved[address] = table.row, _inside(table.row, space)
                kept = kept_rows() if self.lasting else None
                if kept is not None and kept.row(table.row) is table.row:
                    kept.hold(known[1])
            except SpaceError:
                raise Untraceable("rows whose range no public number says") from None
        return table.with_row(known[1])


def _inside(row: Any, space: Space) -> Any:
    if isinstance(space, Maybe):
        if isinstance(space.inner, Moment):
            if isinstance(row, Nullable):
                return Nullable(_inside(row.value, space.inner), row.there)
            return Nullable(_inside(row, space.inner), constant(True))
        value, there = nullable.parts(row)
        return Nullable(_inside(value, space.inner), there)
    if isinstance(space, Moment) and isinstance(row, Instant) and row.kind == space.kind:
        return row  # within the ends of its kind already
    if isinstance(space, Scalar) and isinstance(row, Node):
        if row.base in ("text", "boolean"):
            return row
        low, high = bound_value(space.lo, False), bound_value(space.hi, True)
        if _is_whole(space):
            row = nearest_integer(row)
            low, high = low and Fraction(ceil(low)), high and Fraction(floor(high))
        return row if low is None and high is None else clamp(row, low, high)
    if isinstance(space, Vector) and isinstance(row, Node) and row.width is not None:
        if space.element != "Data" or space.radius:
            raise Untraceable(f"rows that lie in {space}")
        low, high = bound_value(space.lo, False), bound_value(space.hi, True)
        return row if low is None and high is None else clamp(row, low, high)
    if isinstance(space, Row):
        parts = tuple(row.values()) if isinstance(row, dict) else row
        if isinstance(parts, tuple) and len(parts) == len(space.fields):
            made = [_inside(part, field) for part, field in zip(parts, space.fields, strict=True)]
            if isinstance(row, dict):
                return dict(zip(row, made, strict=True))
            return type(row)(*made) if hasattr(row, "_fields") else tuple(made)
    raise Untraceable(f"rows that lie in {space}")


def _is_whole(space: Scalar) -> bool:
    """Whether check proved that a number is an integer."""
    return space.kind == "int" or space.element in ("Int", "Bool")


def bound_of(space: Space | None, added: Node) -> GridRange | Ball | None:
    """Where what one row adds is moved; None if check proved no bound for it, or one that another
    round of a loop has another number for."""
    try:
        return _bound_of(space, added)
    except SpaceError:
        return None


def _bound_of(space: Space | None, added: Node) -> GridRange | Ball | None:
    if isinstance(space, Scalar) and added.width is None:
        low, high = bound_value(space.lo, False), bound_value(space.hi, True)
        if low is None or high is None or low > high:
            return None
        if added.base in ("integer", "boolean"):
            return whole_range(low, high)
        return range_of(low, high)
    if isinstance(space, Entries) and added.width is not None:
        radii = [(norm, bound_value(radius, True)) for norm, radius in space.radius]
        known: list[tuple[str, Fraction]] = [(n, r) for n, r in radii if r is not None]
        whole = space.element in ("Int", "Bool")
        low, high = bound_value(space.lo, False), bound_value(space.hi, True)
        return _ball(low, high, tuple(known), whole)
    return None


#: Every round of a loop asks for the same ball.
_ball = lru_cache(64)(ball_of)


class AskedSums(NamedTuple):
    """What a loop adds up over the rows of a table.

    Attributes:
        sums: what is asked of the table.
        answers: for every state of the loop, the table and its sums -> what all rows add to it.
    """

    sums: tuple[tuple[Node, Bound], ...]
    answers: list[Callable[[Table, list[Any]], Any]]

    def of(self, table: Table) -> list[Any]:
        """What all rows add to the states; None to a state that nothing is added to, and a list to
        one to whose entries rows add."""
        totals = table.totals(self.sums) if self.sums else []
        return [answer(table, totals) for answer in self.answers]


def asked(
    body: Callable[..., Any],
    row: Any,
    names: tuple[str, ...],
    space_of: Callable[[str], Space | None],
    keys: Sequence[Sequence[Any]],
) -> AskedSums:
    """What all rows add to the states of a loop.

    Args:
        body: (row, *states) -> the states after a round.
        row: of a table.
        keys: of every state, what its positions stand for.
        space_of: state -> the space of what one row adds to it.

    Raises:
        Untraceable: a round does more than to add, or adds something without a proved bound.
    """
    states = [RowSumState(name, None, of) for name, of in zip(names, keys, strict=True)]
    after = traced(body, row, *states)
    sums: list[tuple[Node, Bound]] = []
    answers: list[Callable[[Table, list[Any]], Any]] = []
    for name, state in zip(names, after, strict=True):
        if not isinstance(state, RowSumState) or state.name != name:
            raise Untraceable("a round that does more than to add to its names")
        more = state.added
        if state.placed:
            answers.append(partial(_placed, state))
        elif more is None:
            answers.append(lambda table, totals: None)
        elif isinstance(more, int | Fraction) and space_of(name) is None:
            # The same public number in every row, as it is.
            answers.append(lambda table, totals, more=more: len(table) * more)  # type: ignore[misc]
        else:
            answers.append(partial(_at, len(sums)))
            sums.append(_bounded(constant(more), space_of, name))
    return AskedSums(tuple(sums), answers)


def _at(position: int, table: Table, totals: list[Any]) -> Any:
    return totals[position]


def _placed(state: RowSumState, table: Table, totals: list[Any]) -> list[Any]:
    """What all rows add to each entry of a state."""
    from metricdp.columns import placed

    count = len(state.keys)
    found: list[Any] = [0] * count
    for position, more, space in state.placed:
        if isinstance(more, Node):
            node, bound = _bounded(more, lambda _, space=space: space, state.name)  # type: ignore[misc]
            (here,) = placed.sums_at(table, position, count, [(node, bound)])
        else:
            here = [rows * more for rows in placed.counts_at(table, position, count)]
        found = [total + each for total, each in zip(found, here, strict=True)]
    return found


def _bounded(added: Node, space_of: Callable[[str], Space | None], name: str) -> tuple[Node, Bound]:
    """What is added up, and where it is moved: of products, their factor."""
    space, factor = space_of(name), space_of(f"{name}:outer")
    if space is None and factor is not None and added.operator == "outer":
        (added,) = added.arguments
        ball = bound_of(factor, added)
        if isinstance(ball, Ball):
            return added, Squares(ball)
    if isinstance(space, Scalar) and added.base == "double" and _is_whole(space):
        added = nearest_integer(added)
    bound = bound_of(space, added)
    if bound is None:
        raise Untraceable("a sum of which no bound is known")
    return as_double(added) if isinstance(bound, Ball) else added, bound


def branch(test: Any, then: Any, other: Any, held: tuple[Callable[[], Any], ...]) -> Any:
    """A branch whose sides are functions of names; both are taken where the condition is a node.

    Args:
        held: the present value of every name, or a function that finds none.
    """
    values = [_value(each) for each in held]
    if not symbolic(test):
        return (then if test else other)(*values)
    pairs = zip(then(*values), other(*values), strict=True)
    return tuple(_joined(test, x, y) for x, y in pairs)


def _value(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except NameError:
        return UNBOUND


def _joined(test: Any, x: Any, y: Any) -> Any:
    return UNBOUND if x is UNBOUND or y is UNBOUND else merged(test, x, y)
