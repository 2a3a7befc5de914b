"""count_ids: how many different persons a table has.

Stability.  The ids of two tables differ by those that stand in one of them only, and each of these
is at least one unit of distance: 1, whether persons are added and removed or changed.  A person
whose rows differ and who is in both is counted in both.
Tight: add persons with one row each.
Source: rules of tables, count of different values; OpenDP make_count_distinct over identifiers.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ZERO, D
from metricdp.primitives.records._ids import by_ids, owned_table, owner
from metricdp.record import Arg, Conclusion, Instance, Witness, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Owned, Row, Scalar, Symmetric

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "dp.count_ids(visits, '0')"
)


def rule(x: Arg, per: Arg) -> Conclusion:
    """A table with ids, and its column of ids."""
    space = owned_table(x, "count_ids", f'dp.count_ids({x.text}, "person")')
    by_ids(per, x, space, f'dp.count_ids({x.text}, "{space.column}")')
    return Conclusion(Scalar("Int", ZERO), {"x": scalar_moves(D)})


def run(x: Any, per: Any) -> int:
    """How many different ids there are."""
    return len({owner(row, per) for row in x})


def tabular(x: Any, per: Any) -> int:
    """How many different ids there are."""
    from metricdp.columns.distinct import different

    return different(x, owner(x.row, per))


def instances() -> Iterable[Instance]:
    for kind in ("int", "str"):
        for change in (Symmetric, ChangeOne):
            fields = (Scalar("Data", kind=kind), Scalar("Data", kind="int"))
            row = Row(("0", "1"), fields, f"tuple[{kind}, int]")
            yield Instance({"x": Owned.of(row, Ids("0", change))}, {"per": "0"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons with one row each."""
    space = instance.private["x"]
    assert isinstance(space, Owned)
    text = getattr(space.row.fields[0], "kind", "") == "str"
    return {"x": []}, {"x": [(str(i) if text else i, 0) for i in range(d)]}
