"""limit_rows: at most so many rows of every person, so that one person is so many rows.

Of a person's rows those are kept that come first in the order of a hash of their content
(`_keys`), equal hashes by the content itself; a person with fewer rows keeps all of them.  The
order depends on that person's rows alone, and neither on the order of the table nor on anybody
else.

Stability.  Rows of a person whose rows are the same in both tables are kept alike.  A person who is
in one table only brings at most m rows: m per unit under add or remove.  A person whose rows differ
loses at most m and brings at most m others: 2m, which is the distance 2 of such a person under add
or remove, and 1 where one unit changes a person: 2m per unit then.
Tight: persons with m rows each who are added; who have m other rows.
Source: rules of tables, truncation per user; OpenDP `truncate_per_group`, Tumult `MaxRowsPerID`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, num
from metricdp.primitives.records._ids import by_ids, owned_table, owner, public_number
from metricdp.primitives.records._keys import fields_of, row_key, row_keys, row_words
from metricdp.record import Arg, Conclusion, Instance, Requirement, Witness, scalar_moves, told
from metricdp.spaces import (
    ChangeOne,
    Ids,
    Maybe,
    Moment,
    Owned,
    Records,
    Row,
    Scalar,
    Symmetric,
)

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "dp.limit_rows(visits, '0', 1)"
)


def rule(x: Arg, per: Arg, most: Arg) -> Conclusion:
    """A table with ids, its column of ids, and how many rows of one id are kept."""
    space = owned_table(x, "limit_rows", f'dp.limit_rows({x.text}, "person", 5)')
    by_ids(per, x, space, f'dp.limit_rows({x.text}, "{space.column}", {most.text})')
    call = f'dp.limit_rows({x.text}, "{space.column}", 5)'
    need = f"a public bound on the rows of one {space.whose}"
    kept = public_number(most, space, "rows", call, need)
    moved = kept * (num(2) if space.replaces else ONE) * D
    return Conclusion(
        Records(space.row, "Symmetric", None, space.drop_nan),
        {"x": scalar_moves(moved)},
        requires=(Requirement(kept, ">=", ONE, remedy="choose `most` >= 1"),),
        answers=(told("at most ", (kept, "row"), f" of each {space.whose}"),),
    )


def run(x: Any, per: Any, most: Any) -> list[Any]:
    """The rows that are kept, in the order of the table."""
    rows = list(x)
    found: dict[Any, list[int]] = {}
    for place, row in enumerate(rows):
        found.setdefault(owner(row, per), []).append(place)
    kept = max(0, int(most))
    first = (sorted(places, key=lambda at: row_key(fields_of(rows[at])))[:kept]
             for places in found.values())  # fmt: skip
    return [rows[place] for place in sorted(place for places in first for place in places)]


def tabular(x: Any, per: Any, most: Any) -> Any:
    """The same rows of a table: only those of whom there are more are put in order."""
    from metricdp.columns.owners import limited

    return limited(x, owner(x.row, per), fields_of(x.row), max(0, int(most)), row_words, row_keys)


def instances() -> Iterable[Instance]:
    kinds: tuple[Any, ...] = (Scalar("Data", kind="int"), Scalar("Data", kind="str"))
    for change in (Symmetric, ChangeOne):
        for most in (1, 2, 3):
            row = Row(("who", "what"), (kinds[1], kinds[0]), "Visit", "attributes")
            yield Instance({"x": Owned.of(row, Ids("who", change))}, {"per": "who", "most": most})
        gaps = (kinds[0], Maybe(Scalar("Data", kind="float")), Moment("date"))
        several = Row(("0", "1", "2"), gaps, "tuple[int, float | None, date]")
        yield Instance(
            {"x": Owned.of(several, Ids("0", change))}, {"per": "0", "most": 2}, tight="unknown"
        )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Persons who have all of their rows, and are added, or have others."""
    if instance.tight == "unknown":
        return None
    space, most = instance.private["x"], instance.public["most"]
    assert isinstance(space, Owned)
    mine = [space.row.build((str(person), i)) for person in range(d) for i in range(most)]
    other = [space.row.build((str(person), -1 - i)) for person in range(d) for i in range(most)]
    return {"x": other if space.replaces else []}, {"x": mine}
