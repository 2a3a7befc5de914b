"""keep_ids: the rows of those persons who have so many rows, all of them; of others none.

Whether a person is kept is decided by how many rows this person has: at least `least`, and no more
than `most` where that is given.  As SQL says it: the rows of those who are among
`SELECT person ... GROUP BY person HAVING COUNT(*) >= least`.

Stability.  What a person has in the result is a function of this person's rows alone, and who has
no rows has none there.  A person whose rows are the same in both tables counts nothing.  A person
who is in one table only is in one result or in none: 1.  A person whose rows differ is 2 under add
or remove, and so much at most in the result, where the rows differ, or stand in one of them only:
1; and 1 where one unit changes a person: 1.  No bound on the rows of a person is needed, nor does
`most` make one that another rule uses.
Tight: persons with `least` rows each are added.
Source: rules of tables, functions of the rows of one unit; SQL's HAVING over groups by the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D
from metricdp.primitives.records._ids import by_ids, owned_table, owner, public_number
from metricdp.record import Arg, Conclusion, Instance, Requirement, Witness, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Maybe, Owned, Row, Scalar, Symmetric

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "dp.count_ids(dp.keep_ids(visits, '0', 2), '0')"
)

NONE = Arg(literal=None, text="None")


def rule(x: Arg, per: Arg, least: Arg, most: Arg = NONE) -> Conclusion:
    """A table with ids, its column of ids, and how many rows those have who are kept."""
    space = owned_table(x, "keep_ids", f'dp.keep_ids({x.text}, "person", 3)')
    by_ids(per, x, space, f'dp.keep_ids({x.text}, "{space.column}", {least.text})')
    call = f'dp.keep_ids({x.text}, "{space.column}", 3)'
    need = f"a public number of rows of one {space.whose}"
    low = public_number(least, space, "rows", call, need)
    requires = [Requirement(low, ">=", ONE, remedy="choose `least` >= 1")]
    if most is not NONE and (most.literal is not None or most.value is not None or most.private):
        high = public_number(most, space, "rows", call, need)
        requires.append(Requirement(high, ">=", low, remedy="choose `most` >= `least`"))
    return Conclusion(space, {"x": scalar_moves(D)}, requires=tuple(requires))


def run(x: Any, per: Any, least: Any, most: Any = None) -> list[Any]:
    """The rows that are kept, in the order of the table."""
    rows = list(x)
    many = Counter(owner(row, per) for row in rows)
    low, high = int(least), None if most is None else int(most)
    kept = {who for who, n in many.items() if low <= n and (high is None or n <= high)}
    return [row for row in rows if owner(row, per) in kept]


def tabular(x: Any, per: Any, least: Any, most: Any = None) -> Any:
    """The same rows, in the same order, as a table."""
    from metricdp.columns.owners import with_so_many

    return with_so_many(x, owner(x.row, per), int(least), None if most is None else int(most))


def instances() -> Iterable[Instance]:
    kinds = (Scalar("Data", kind="str"), Scalar("Data", kind="int"))
    row = Row(("who", "what"), kinds, "Visit", "attributes")
    several = Row(("0", "1"), (kinds[1], Maybe(Scalar("Data", kind="float"))), "tuple[int, float]")
    for change in (Symmetric, ChangeOne):
        for least, most in ((1, None), (2, None), (1, 1), (2, 3)):
            public = {"per": "who", "least": least} | ({} if most is None else {"most": most})
            yield Instance({"x": Owned.of(row, Ids("who", change))}, public)
        yield Instance({"x": Owned.of(several, Ids("0", change))}, {"per": "0", "least": 2})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons who have just so many rows are added."""
    space, least = instance.private["x"], instance.public["least"]
    assert isinstance(space, Owned)
    who = [str(i) if space.kind == "str" else i for i in range(d)]
    return {"x": []}, {"x": [space.row.build((p, 1)) for p in who for _ in range(least)]}
