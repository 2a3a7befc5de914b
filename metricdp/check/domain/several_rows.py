"""Tables of which one unit brings or takes several rows: limited ones of persons, and joined ones.

`limit_rows` leaves at most m rows of a person, `join_public` puts a row beside at most c public
ones.  Where one unit moves such a table by m rows, added or removed, a sum over its rows moves by
the sum of what m of them add, each alike.  So what one row adds is multiplied by m, its range and
that of every share: a norm of the sum of m vectors is at most m times the largest of one of them.

Bounds of rows grow with their shares (`domain.row_shares`, `domain.sums_of_rows`), so that what
they say of a unit is m times what they say of a row.  Rows of m that exclude each other's shares
may be of one unit; all m of them meet one share at worst, which counts m times.  That every row
adds one number is not said of a unit, which may bring fewer rows.

All rows that one unit has in a limited table, or in a filter of it, have one id, which no other
unit has.  So a unit that comes, goes or changes brings one id or takes one away, or does neither:
how many different ids there are moves by 1.  This is so of one number alone: of a part of the table
the share of a unit that is one of m rows may bring an id as well.

A person who is changed, and moves the table by 2m, takes m rows away and brings m others.
Terms name the table, so that rows of two tables never exclude each other by what they hold.  Nor
does what they add cancel: a unit may have rows in one of them alone.  So a region says of which
table a row is, and a row of any kind may be no row of it (`domain.kinds_of_rows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from metricdp.check.domain.row_shares import times
from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Value
from metricdp.check.values.regions import Literal, Region, both
from metricdp.check.values.row_sums import RowSum
from metricdp.check.values.terms import Table
from metricdp.expr import INF, D, Expr, linear_coefficient

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState


def note_table(
    state: CheckState, added: dict[Form, Source], table: Form, named: Table, source: Source
) -> None:  # fmt: skip
    """A table that one source moves, by several rows per unit.

    Args:
        named: the name under which terms speak of its rows.
    """
    most = linear_coefficient(state.movement(table)[source].get("", INF))
    if most is None or most.is_infinite:
        return
    added[table] = source
    state.several[table] = most, frozenset({frozenset({Literal(("of table", named), "", ())})})
    state.come.add(source)


def kept(state: CheckState, table: Form, made: Form) -> None:
    """A table with rows that were made, one by one, of those of another one."""
    if table in state.several:
        state.several[made] = state.several[table]


def of_unit(state: CheckState, table: Form, of_row: RowSum) -> RowSum:
    """What one unit adds to a sum over the rows of a table.

    Args:
        of_row: what one of its rows adds.
    """
    if table not in state.several:
        return of_row
    most, own = state.several[table]
    shares = tuple(_of_unit(each, most, own) for each in of_row.shares)
    return replace(_of_unit(of_row, most, own), shares=shares)


def _of_unit(of_row: RowSum, most: Expr, own: Region) -> RowSum:
    found = times(of_row, most)
    return replace(found, region=both(own, found.region))


def note_ids(state: CheckState, value: Value, source: Source) -> None:
    """The number of different ids in a table of which a unit has several rows."""
    assert value.form is not None
    ((atom, _),) = value.form.terms
    state.alone[atom] = {source: {"": D}}
