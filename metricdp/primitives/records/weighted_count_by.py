"""weighted_count_by: for every value of a column a sum over the persons who have it, each of whom
weighs 1 / sqrt(j) where they have j values; values that nobody has are not in it.

Of at most k different values of each person those are kept that `limit_groups` keeps, by a hash of
the person and the value.  1 / sqrt(j) is rounded down to a multiple of 2^-40, so that the squares
of what a person adds are at most 1 in all, and sums are exact.

Stability.  A person who is in one table only moves j <= k values by w_j <= 1 / sqrt(j) each: k in
L0, j w_j <= sqrt(k) in L1, at most 1 in L2 and in LInf; d persons d times that.  What a person adds
has no negative entry, so a person whose rows differ moves at most 2 k values, at most sqrt(2) in L2
(x . y >= 0 in |x - y|^2 = |x|^2 + |y|^2 - 2 x . y), 2 sqrt(k) in L1 and 1 in LInf, which is no more
than the distance 2 of such a person under add or remove allows, and what one unit is where it
changes a person.  Noise for L2 is then the same whatever k is, and whoever has few values counts
more for each.
Tight: persons with one value each, the same, are added; their value becomes another one.
Source: Gopi, Gulhane, Kulkarni, Shen, Shokouhi and Yekhanin (2020), "Differentially Private Set
Union", section 4 (weighted Gaussian), of which `gaussian_threshold` is the second half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from typing import Any

from metricdp.expr import INF, ONE, ZERO, D, num, root
from metricdp.primitives.records._groups import columns_of, first_groups
from metricdp.primitives.records._ids import by_ids, owned_table, owner, public_number
from metricdp.primitives.records._keys import row_keys, row_words
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Witness,
    refuse,
    told,
)
from metricdp.spaces import ChangeOne, Ids, Keyed, Owned, Row, Scalar, Symmetric
from metricdp.spaces.keyed import in_order

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ben', 3), ('Ben', 5)]; "
    "dp.weighted_count_by(visits, '0', by='1', groups=1)"
)

#: Weights are multiples of one over this.
_STEPS = 2**40


def rule(x: Arg, per: Arg, by: Arg, groups: Arg) -> Conclusion:
    """A table with ids, its column of ids, another column, and how many values each has of it."""
    space = owned_table(x, "weighted_count_by", _call(x, "person"))
    by_ids(per, x, space, _call(x, space.column))
    names = columns_of(by, x, space, _call(x, space.column))
    key = space.row.field(names[0])
    if len(names) > 1 or not isinstance(key, Scalar):
        raise refuse(
            "unsupported-call",
            f"`weighted_count_by` counts the values of one column, and {by.text} is none in which "
            "nothing is missing",
            need="a column of whole numbers, texts or truth values",
            help=_call(x, space.column).replace("group", names[0], 1),
        )
    need = f"a public bound on the groups of one {space.whose}"
    k = public_number(groups, space, "groups", _call(x, space.column), need)
    keys, square, total = (k, ONE, root(k))
    if space.replaces:
        keys, square, total = 2 * k, root(num(2)), 2 * root(k)
    moves = {"L0": keys * D, "L1": total * D, "L2": square * D, "LInf": D, "L02Inf": D}
    return Conclusion(
        Keyed(key, Scalar("Real", ZERO, INF), "L02Inf", (keys, square, ONE)),
        {"x": {(ONE_METRIC, norm): bound for norm, bound in moves.items()}},
        requires=(Requirement(k, ">=", ONE, remedy="choose `groups` >= 1"),),
        answers=(told("at most ", (k, "value"), f" of {names[0]} of each {space.whose}"),),
    )


def _call(x: Arg, column: str) -> str:
    return f'dp.weighted_count_by({x.text}, "{column}", by="group", groups=3)'


def _weight(values: int) -> int:
    """What one of so many values weighs, in steps: its square times their number is at most 1."""
    return isqrt(_STEPS**2 // values)


def run(x: Any, per: Any, by: Any, groups: Any) -> dict[Any, Fraction]:
    """The sums, keys sorted."""
    table, name = list(x), by if isinstance(by, str) else by[0]
    kept = first_groups(table, per, (name,), groups)
    who = [owner(table[places[0]], per) for places in kept]
    many = Counter(who)
    found: dict[Any, int] = {}
    for places, person in zip(kept, who, strict=True):
        key = owner(table[places[0]], name)
        found[key] = found.get(key, 0) + _weight(many[person])
    return in_order({key: Fraction(steps, _STEPS) for key, steps in found.items()})


def tabular(x: Any, per: Any, by: Any, groups: Any) -> dict[Any, Fraction]:
    """The same sums: how many persons with 1, with 2, ... values have each, found in arrays."""
    from metricdp.columns.owners import limited_groups, with_so_many
    from metricdp.columns.table import Table

    name, k = by if isinstance(by, str) else by[0], max(0, int(groups))
    field = owner(x.row, name)
    kept = limited_groups(x, owner(x.row, per), [field], [field], k, 1, row_words, row_keys)
    found: dict[Any, int] = {}
    for values in range(1, k + 1):
        some = with_so_many(kept, owner(kept.row, per), values, values)
        keys = Table(some.columns, owner(some.row, name), some.where, some.positions, some.value)
        rows, counts = keys.occurrences()
        weight = _weight(values)
        for row, count in zip(rows, counts.tolist(), strict=True):
            key = row if isinstance(row, str | bool) else x.value(row)
            found[key] = found.get(key, 0) + weight * count
    return in_order({key: Fraction(steps, _STEPS) for key, steps in found.items()})


def instances() -> Iterable[Instance]:
    kinds = {kind: Scalar("Data", kind=kind) for kind in ("str", "int", "bool")}
    for change in (Symmetric, ChangeOne):
        row = Row(("who", "where"), (kinds["str"], kinds["int"]), "Visit", "attributes")
        for k in (1, 2, 3):
            public = {"per": "who", "by": "where", "groups": k}
            yield Instance({"x": Owned.of(row, Ids("who", change))}, public)
        pair = Row(("0", "1"), (kinds["int"], kinds["bool"]), "tuple[int, bool]")
        public = {"per": "0", "by": "1", "groups": 2}
        yield Instance({"x": Owned.of(pair, Ids("0", change))}, public)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons with one value, the same, are added, or their value becomes another one."""
    space = instance.private["x"]
    assert isinstance(space, Owned)
    who = [str(i) if space.kind == "str" else i for i in range(d)]
    one, other = (False, True) if getattr(space.row.fields[1], "kind", "") == "bool" else (1, 2)
    mine = [space.row.build((person, one)) for person in who]
    theirs = [space.row.build((person, other)) for person in who]
    return {"x": theirs if space.replaces else []}, {"x": mine}
