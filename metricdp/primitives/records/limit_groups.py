"""limit_groups: at most k groups of every person, and at most m rows of the person in each.

Rows of a person that are equal in the columns `by` are one group.  Of a person's groups those are
kept that come first in the order of a hash of the person and the group (`_keys`), equal hashes by
these values themselves; of a kept group the first rows in the order of a hash of their content.
Whoever has no more keeps all.  Which groups are kept has nothing to do with how many rows they
have, or what these hold beside `by`; and neither choice depends on the order of the table or on
anybody else.

Stability.  Rows of a person whose rows are the same in both tables are kept alike.  A person who is
in one table only brings at most k m rows: k m per unit under add or remove.  A person whose rows
differ loses at most k m and brings at most k m others: 2 k m, which is the distance 2 of such a
person under add or remove, and 1 where one unit changes a person: 2 k m per unit then.
In groups.  A unit that adds or removes a person changes m rows in each of k groups at most; one
that changes a person takes m rows out of k groups and puts m into k others or the same: m rows in
each of 2 k groups, or 2 m in some, and no more than 2 k m in all.  That is the conclusion `Groups`,
which counts and sums by group are charged by (`check.domain.groups`).
Tight: persons with m rows in each of k groups, who are added; who have m others in k others.
Source: rules of tables, truncation to so many groups of a person and so many rows in each; Tumult
`MaxGroupsPerID` and `MaxRowsPerGroupPerID`, PipelineDP's L0 and Linf.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, num
from metricdp.primitives.records._groups import columns_of, first_groups, names_of
from metricdp.primitives.records._ids import by_ids, owned_table, owner, public_number
from metricdp.primitives.records._keys import fields_of, row_key, row_keys, row_words
from metricdp.record import (
    Arg,
    Conclusion,
    Groups,
    Instance,
    Requirement,
    Witness,
    scalar_moves,
    told,
)
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
    "dp.limit_groups(visits, '0', by='1', groups=1, rows=1)"
)


def rule(x: Arg, per: Arg, by: Arg, groups: Arg, rows: Arg) -> Conclusion:
    """A table with ids, its column of ids, the columns that a group is equal in, how many groups of
    an id are kept, and how many rows of it in each."""
    space = owned_table(x, "limit_groups", _call(x, "person"))
    by_ids(per, x, space, _call(x, space.column))
    columns = columns_of(by, x, space, _call(x, space.column))
    what = f"a public bound on the %s of one {space.whose}"
    k = public_number(groups, space, "groups", _call(x, space.column), what % "groups")
    m = public_number(rows, space, "rows in a group", _call(x, space.column), what % "rows")
    both = num(2) if space.replaces else ONE
    return Conclusion(
        Records(space.row, "Symmetric", None, space.drop_nan),
        {"x": scalar_moves(both * k * m * D)},
        requires=(
            Requirement(k, ">=", ONE, remedy="choose `groups` >= 1"),
            Requirement(m, ">=", ONE, remedy="choose `rows` >= 1"),
        ),
        answers=(
            told(
                "at most ",
                (k, "group"),
                f" of each {space.whose} by {', '.join(columns)}, and ",
                (m, "row"),
                " in each",
            ),
        ),
        groups=Groups(columns, k, both * k, both * m),
    )


def _call(x: Arg, column: str) -> str:
    return f'dp.limit_groups({x.text}, "{column}", by="group", groups=3, rows=5)'


def run(x: Any, per: Any, by: Any, groups: Any, rows: Any) -> list[Any]:
    """The rows that are kept, in the order of the table."""
    table = list(x)
    kept: list[int] = []
    for places in first_groups(table, per, names_of(by), groups):
        in_order = sorted(places, key=lambda at: row_key(fields_of(table[at])))
        kept += in_order[: max(0, int(rows))]
    return [table[place] for place in sorted(kept)]


def tabular(x: Any, per: Any, by: Any, groups: Any, rows: Any) -> Any:
    """The same rows of a table: only groups, and rows, of which there are more are ordered."""
    from metricdp.columns.owners import limited_groups

    fields = [owner(x.row, name) for name in names_of(by)]
    k, m = max(0, int(groups)), max(0, int(rows))
    mine = owner(x.row, per)
    return limited_groups(x, mine, fields, fields_of(x.row), k, m, row_words, row_keys)


def instances() -> Iterable[Instance]:
    kinds: tuple[Any, ...] = (Scalar("Data", kind="int"), Scalar("Data", kind="str"))
    for change in (Symmetric, ChangeOne):
        row = Row(("who", "where", "what"), (kinds[1], kinds[0], kinds[0]), "Visit", "attributes")
        for k, m in ((1, 1), (2, 1), (1, 2), (2, 3)):
            public = {"per": "who", "by": "where", "groups": k, "rows": m}
            yield Instance({"x": Owned.of(row, Ids("who", change))}, public)
        gaps = (kinds[0], Maybe(kinds[1]), Moment("date"), Maybe(Scalar("Data", kind="float")))
        several = Row(("0", "1", "2", "3"), gaps, "tuple[int, str | None, date, float | None]")
        public = {"per": "0", "by": ("1", "2"), "groups": 2, "rows": 2}
        yield Instance({"x": Owned.of(several, Ids("0", change))}, public, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Persons who have all of their rows, and are added, or have others."""
    if instance.tight == "unknown":
        return None
    space, k, m = instance.private["x"], *(instance.public[n] for n in ("groups", "rows"))
    assert isinstance(space, Owned)

    def rows(first: int) -> list[Any]:
        return [
            space.row.build((str(person), group, first + i))
            for person in range(d) for group in range(k) for i in range(m)
        ]  # fmt: skip

    return {"x": rows(-m) if space.replaces else []}, {"x": rows(0)}
