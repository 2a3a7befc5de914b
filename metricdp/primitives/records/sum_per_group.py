"""sum_per_group: what the rows of every person in every group add up to, of at most k groups each.

Rows of a person that are equal in the columns `by` are one group; which k groups of a person are
kept is decided as `limit_groups` decides it, by a hash of the person and the group.  The result has
one row for each: the values of these columns, and the exact sum of a number over all rows of the
person in the group, rounded once to the nearest double, or an integer of any size.

Stability.  The rows that a person has in the result are made of that person's rows alone.  A person
who is in one table only brings at most k rows: k per unit under add or remove.  A person whose rows
differ loses at most k and brings at most k: 2 k, which is the distance 2 of such a person under add
or remove, and 1 where one unit changes a person: 2 k per unit then.  However many rows there are:
what bounds a person in a group is a clamp of the sum.  A private variable that the function
captures may change every number: no bound.
In groups.  A unit changes one row in each of k groups (under change: takes one out of k groups and
puts one into k), which is `record.Groups` with one row in each: a sum of sums clamped to [0, b]
costs b in one group, and k b, b sqrt(k) and b in L1, L2 and LInf in all of them.
Tight: persons with k groups are added; persons have other sums in k groups.
Source: rules of tables, truncation to so many groups; PipelineDP and Google's partial sums, clamped
per person and partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D, num
from metricdp.primitives.records._groups import columns_of, first_groups, names_of
from metricdp.primitives.records._ids import (
    by_ids,
    captured_numbers,
    number_of_rows,
    owned_table,
    owner,
    public_number,
    rounded_once,
)
from metricdp.primitives.records._keys import row_keys, row_words
from metricdp.record import (
    Arg,
    Body,
    Conclusion,
    Groups,
    Instance,
    Requirement,
    Witness,
    scalar_moves,
    told,
)
from metricdp.spaces import ChangeOne, Ids, Owned, Records, Row, Scalar, Space, Symmetric

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 3), ('Ben', 5)]; "
    "dp.sum_per_group(visits, '0', lambda v: 1, by='1', groups=2)"
)


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the function receives: one row."""
    return (_table(args["x"]).row,)


formals = {"value": _formals}


def _table(x: Arg) -> Owned:
    return owned_table(x, "sum_per_group", _call(x, "person"))


def _call(x: Arg, column: str, value: str = "lambda row: 1") -> str:
    return f'dp.sum_per_group({x.text}, "{column}", {value}, by="group", groups=3)'


def rule(x: Arg, per: Arg, value: Arg, by: Arg, groups: Arg) -> Conclusion:
    """A table with ids, its column of ids, a deterministic function of one row, the columns that a
    group is equal in, and how many groups of an id are kept."""
    space = _table(x)
    by_ids(per, x, space, _call(x, space.column, value.text))
    columns = columns_of(by, x, space, _call(x, space.column, value.text))
    need = f"a public bound on the groups of one {space.whose}"
    k = public_number(groups, space, "groups", _call(x, space.column, value.text), need)
    made = number_of_rows("sum_per_group", value, _call(x, space.column))
    fields = (*(space.row.field(name) for name in columns), made)
    names = tuple(map(str, range(len(fields))))
    kinds = ", ".join([*(str(getattr(f, "kind", "") or f) for f in fields)])
    both = num(2) if space.replaces else ONE
    return Conclusion(
        Records(Row(names, fields, f"tuple[{kinds}]")),  # type: ignore[arg-type]
        {"x": scalar_moves(both * k * D)},
        captured=INF,
        why_infinite=captured_numbers(),
        requires=(Requirement(k, ">=", ONE, remedy="choose `groups` >= 1"),),
        answers=(
            told("at most ", (k, "group"), f" of each {space.whose} by {', '.join(columns)}"),
        ),
        groups=Groups(names[:-1], k, both * k, both),
    )


def run(x: Any, per: Any, value: Callable[[Any], Any], by: Any, groups: Any) -> list[Any]:
    """The groups that are kept and their sums, in the order in which their first rows come."""
    table, names = list(x), names_of(by)
    kept = sorted(first_groups(table, per, names, groups))
    return [
        (
            *(owner(table[places[0]], name) for name in names),
            rounded_once(sum((Fraction(value(table[at])) for at in places), Fraction(0))),
        )
        for places in kept
    ]


def tabular(x: Any, per: Any, value: Callable[[Any], Any], by: Any, groups: Any) -> Any:
    """The same rows of a table: only groups of which there are more are put in order."""
    from metricdp.columns.owners import summed_by_group

    fields = [owner(x.row, name) for name in names_of(by)]
    k, mine = max(0, int(groups)), owner(x.row, per)
    return summed_by_group(x, mine, fields, value, k, row_words, row_keys)


def instances() -> Iterable[Instance]:
    kinds = (Scalar("Data", kind="str"), Scalar("Data", kind="int"), Scalar("Data", kind="int"))
    row = Row(("who", "where", "what"), kinds, "Visit", "attributes")
    body = {"value": Body(Scalar("Data", kind="int"), (scalar_moves(D),))}
    for change in (Symmetric, ChangeOne):
        for k in (1, 2):
            public = {"per": "who", "value": _what, "by": "where", "groups": k}
            yield Instance({"x": Owned.of(row, Ids("who", change))}, public, body)


def _what(row: Any) -> Any:
    return row.what


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons who are added with all of their groups, or whose sums are others."""
    space, k = instance.private["x"], instance.public["groups"]
    assert isinstance(space, Owned)

    def rows(what: int) -> list[Any]:
        return [space.row.build((str(p), group, what)) for p in range(d) for group in range(k)]

    return {"x": rows(2) if space.replaces else []}, {"x": rows(1)}
