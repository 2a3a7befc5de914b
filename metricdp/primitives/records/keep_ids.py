"""keep_ids: the rows of those persons who have so many rows, all of them; of others none.

Whether a person is kept is decided by how many rows this person has: at least `least`, and no more
than `most` where that is given.  As SQL says it: the rows of those who are among
`SELECT person ... GROUP BY person HAVING COUNT(*) >= least`.  With a `value` of every row it is
what these add up to, the number that `sum_per_id` makes of them: HAVING SUM(value) >= least.

Stability.  What a person has in the result is a function of this person's rows alone, and who has
no rows has none there.  A person whose rows are the same in both tables counts nothing.  A person
who is in one table only is in one result or in none: 1.  A person whose rows differ is 2 under add
or remove, and so much at most in the result, where the rows differ, or stand in one of them only:
1; and 1 where one unit changes a person: 1.  No bound on the rows of a person, or on their values,
is needed, nor does `most` make one that another rule uses.  A private variable that `value`
captures may turn everybody: no bound.
Tight: persons with `least` rows each are added.
Source: rules of tables, functions of the rows of one unit; SQL's HAVING over groups by the unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D
from metricdp.primitives.records._ids import (
    by_ids,
    captured_numbers,
    number_of_rows,
    owned_table,
    owner,
    public_number,
    rounded_once,
)
from metricdp.record import (
    Arg,
    Body,
    Conclusion,
    Instance,
    Requirement,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import ChangeOne, Ids, Maybe, Owned, Row, Scalar, Space, Symmetric

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "dp.count_ids(dp.keep_ids(visits, '0', 2), '0')"
)

NONE = Arg(literal=None, text="None")


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the function receives: one row."""
    return (_table(args["x"]).row,)


formals = {"value": _formals}


def _table(x: Arg) -> Owned:
    return owned_table(x, "keep_ids", f'dp.keep_ids({x.text}, "person", 3)')


def rule(x: Arg, per: Arg, least: Arg, most: Arg = NONE, value: Arg = NONE) -> Conclusion:
    """A table with ids, its column of ids, how many rows those have who are kept, or what a number
    of their rows adds up to."""
    space = _table(x)
    by_ids(per, x, space, f'dp.keep_ids({x.text}, "{space.column}", {least.text})')
    call = f'dp.keep_ids({x.text}, "{space.column}", 3)'
    if value is not NONE:
        number_of_rows("keep_ids", value, f"{call[:-1]}, value=lambda row: 1)")
        for end in (least, most):
            _public_end(end, space, call)
        if not (_given(least) or _given(most)):
            raise refuse(
                "unsupported-call", f"nothing says which {space.whose} is kept",
                need="`least`, `most` or both", help=f"{call[:-1]}, value={value.text})",
            )  # fmt: skip
        why = captured_numbers()
        return Conclusion(space, {"x": scalar_moves(D)}, captured=INF, why_infinite=why)
    need = f"a public number of rows of one {space.whose}"
    low = public_number(least, space, "rows", call, need)
    requires = [Requirement(low, ">=", ONE, remedy="choose `least` >= 1")]
    if _given(most):
        high = public_number(most, space, "rows", call, need)
        requires.append(Requirement(high, ">=", low, remedy="choose `most` >= `least`"))
    return Conclusion(space, {"x": scalar_moves(D)}, requires=tuple(requires))


def _given(end: Arg) -> bool:
    return end.literal is not None or end.value is not None or end.private


def _public_end(end: Arg, space: Owned, call: str) -> None:
    if _given(end) and (end.value is None or end.private or end.released):
        raise refuse(
            "unsupported-call",
            f"what the rows of one {space.whose} add up to is compared with {end.text}, which is "
            "no public number",
            need="numbers that are the same for all data",
            help=f"{call[:-1]}, value=lambda row: 1)",
        )


def run(
    x: Any, per: Any, least: Any, most: Any = None, value: Callable[[Any], Any] | None = None
) -> list[Any]:
    """The rows that are kept, in the order of the table."""
    rows, sums = list(x), dict[Any, Fraction]()
    for row in rows:
        mine = owner(row, per)
        sums[mine] = sums.get(mine, Fraction(0)) + Fraction(1 if value is None else value(row))
    low, high = (None if end is None else Fraction(end) for end in (least, most))
    kept = {
        who for who, n in sums.items()
        if (low is None or low <= rounded_once(n)) and (high is None or rounded_once(n) <= high)
    }  # fmt: skip
    return [row for row in rows if owner(row, per) in kept]


def tabular(
    x: Any, per: Any, least: Any, most: Any = None, value: Callable[[Any], Any] | None = None
) -> Any:
    """The same rows, in the same order, as a table."""
    from metricdp.columns.owners import with_so_many, with_so_much

    if value is not None:
        ends = (None if end is None else Fraction(end) for end in (least, most))
        return with_so_much(x, owner(x.row, per), value, *ends)
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
        body = {"value": Body(Scalar("Data", kind="int"), (scalar_moves(D),))}
        for ends in ({"least": 3}, {"least": None, "most": 2}, {"least": -1, "most": 4}):
            public = {"per": "who", **ends, "value": _what}
            yield Instance({"x": Owned.of(row, Ids("who", change))}, public, body)


def _what(row: Any) -> Any:
    return row.what


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons who have just so many rows, or so much in one row, are added."""
    space, least = instance.private["x"], instance.public["least"]
    assert isinstance(space, Owned)
    who = [str(i) if space.kind == "str" else i for i in range(d)]
    if "value" in instance.public:
        what = instance.public["most"] if least is None else least
        return {"x": []}, {"x": [space.row.build((p, what)) for p in who]}
    return {"x": []}, {"x": [space.row.build((p, 1)) for p in who for _ in range(least)]}
