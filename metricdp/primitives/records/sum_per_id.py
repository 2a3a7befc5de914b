"""sum_per_id: what the rows of every person add up to, one number per person.

The number of a person is made of that person's rows alone, as a multiset: the exact sum, rounded
once to the nearest double, or an integer of any size.  It does not depend on the order of rows.

Stability.  A person who is in one table only brings one number: 1 per unit under add or remove.  A
person whose rows differ has one number before and another one after: 2, which is the distance 2 of
such a person under add or remove, and 1 where one unit changes a person: 2 per unit then.  However
many rows there are: what bounds a person is a clamp of the result.  A private variable that the
function captures may change every number: no bound.
Tight: persons are added; persons have other rows.
Source: rules of tables, group_by and aggregate as a table; Google's and PipelineDP's partial sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D, num
from metricdp.primitives.records._ids import (
    by_ids,
    captured_numbers,
    number_of_rows,
    owned_table,
    owner,
    rounded_once,
)
from metricdp.record import Arg, Body, Conclusion, Instance, Witness, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Owned, Records, Row, Scalar, Space, Symmetric

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "dp.sum_per_id(visits, '0', lambda v: v[1])"
)


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the function receives: one row."""
    return (_table(args["x"]).row,)


formals = {"value": _formals}


def _table(x: Arg) -> Owned:
    return owned_table(x, "sum_per_id", f'dp.sum_per_id({x.text}, "person", lambda row: row.pay)')


def rule(x: Arg, per: Arg, value: Arg) -> Conclusion:
    """A table with ids, its column of ids, and a deterministic function of one row."""
    space = _table(x)
    by_ids(per, x, space, f'dp.sum_per_id({x.text}, "{space.column}", {value.text})')
    call = f'dp.sum_per_id({x.text}, "{space.column}", lambda row: 1)'
    row = number_of_rows("sum_per_id", value, call)
    moves = scalar_moves((num(2) if space.replaces else ONE) * D)
    return Conclusion(Records(row), {"x": moves}, captured=INF, why_infinite=captured_numbers())


def run(x: Any, per: Any, value: Callable[[Any], Any]) -> list[Any]:
    """One number per person, in the order in which persons come first."""
    found: dict[Any, Fraction] = {}
    for row in x:
        mine = owner(row, per)
        found[mine] = found.get(mine, Fraction(0)) + Fraction(value(row))
    return [*map(rounded_once, found.values())]


def tabular(x: Any, per: Any, value: Callable[[Any], Any]) -> Any:
    """The same numbers as a column, each rounded once where they are doubles."""
    from metricdp.columns.owners import summed

    return summed(x, owner(x.row, per), value)


def instances() -> Iterable[Instance]:
    kinds = (Scalar("Data", kind="str"), Scalar("Data", kind="int"))
    row = Row(("who", "what"), kinds, "Visit", "attributes")
    body = {"value": Body(Scalar("Data", kind="int"), (scalar_moves(D),))}
    for change in (Symmetric, ChangeOne):
        public = {"per": "who", "value": _what}
        yield Instance({"x": Owned.of(row, Ids("who", change))}, public, body)


def _what(row: Any) -> Any:
    return row.what


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons who are added, or whose number is another one."""
    space = instance.private["x"]
    assert isinstance(space, Owned)
    mine = [space.row.build((str(person), 1)) for person in range(d)]
    other = [space.row.build((str(person), 2)) for person in range(d)]
    return {"x": other if space.replaces else []}, {"x": mine}
