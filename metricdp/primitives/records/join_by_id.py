"""join_by_id: the rows of every person in two tables about the same persons, side by side.

`how="inner"`: every row of a person in the first table beside each of theirs in the second one;
"semi": the rows of the first table of those who are in the second one too; "anti": of those who are
not.  Which rows a person has in the result is a function of the rows of this person alone, and who
has none in either table has none there.

Stability.  A unit of distance is a person with all of their rows.  Where one table changes, the
result changes for persons whose rows there differ, and for nobody else.  A person who is in or out
of that table is in or out of the result, or not there at all: 1.  A person whose rows differ is
counted 2 on both sides under add or remove, and 1 where one unit changes a person: 1.  So 1 in
either table, and the sum where both change on their own.  Tables that are one input change by the
same persons: d units of it are persons who enter or leave all tables at once, and whose rows differ
in some of them, counted twice; each of them counts as much in the result at most, so that it moves
by d, and not by 2d (`combine`).  No bound on the rows of a person is needed, nor would one be kept:
m rows beside n rows are m n.
Tight: persons who have rows in the second table enter the first one; for "anti", who have none.
Source: rules of tables, semi joins and joins by the unit; Tumult's joins on an id space.

Names.  The column of ids stands once, under its name in the first table.  Another name that both
tables have gets `_a` in the first table and `_b` in the second, as in `join`; rows of two kinds,
and tuples, make tuples.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D
from metricdp.primitives.records._ids import owned_table, owner
from metricdp.primitives.records._joined import built, named, space_of, without
from metricdp.primitives.records._keys import fields_of
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Owned, Row, Scalar, Symmetric
from metricdp.spaces.windows import out_of_words

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "bills: dp.Records[tuple[str, float], dp.Ids('0')] = [('Ann', 9.5), ('Cyd', 2.0)]; "
    "dp.count_ids(dp.join_by_id(visits, bills, '0'), '0')"
)

_HOWS = ("inner", "semi", "anti")
INNER = Arg(literal="inner", text='"inner"')


def rule(a: Arg, b: Arg, on: Arg, how: Arg = INNER) -> Conclusion:
    """Two tables about the same persons, and the column of ids: one name, or one for each table."""
    first, second = (owned_table(x, "join_by_id", _call(a, b, None, None)) for x in (a, b))
    _same_persons(a, b, first, second)
    call = _call(a, b, first, second)
    columns = (first.column, second.column)
    given = on.literal
    if on.private or given not in ((columns[0],) * (columns[0] == columns[1]) + (columns,)):
        raise refuse(
            "unsupported-call",
            f"these tables are joined by {first.whose}, and this asks for {on.text}",
            need="the columns of ids of both tables, written out",
            help=call,
        )
    if how.private or how.literal not in _HOWS:
        raise refuse(
            "unsupported-call",
            f"`join_by_id` has no {how.text}: how is {', '.join(_HOWS)}",
            need=f"one of {', '.join(_HOWS)}, written out",
            help=f'{call[:-1]}, "anti")',
        )
    made = first if how.literal != "inner" else _side_by_side(first, second)
    moves = scalar_moves(D)
    return Conclusion(made, {"a": moves, "b": moves}, combine="by_id")


def _call(a: Arg, b: Arg, first: Owned | None, second: Owned | None) -> str:
    """An example of a right call."""
    mine, theirs = getattr(first, "column", "person"), getattr(second, "column", "person")
    on = f'"{mine}"' if mine == theirs else f'("{mine}", "{theirs}")'
    return f"dp.join_by_id({a.text}, {b.text}, {on})"


def _same_persons(a: Arg, b: Arg, first: Owned, second: Owned) -> None:
    """Raises:
    Refusal: an id of one table says nothing of the ids of the other.
    """
    if (first.whose, first.kind, first.metric) == (second.whose, second.kind, second.metric):
        return
    raise refuse(
        "unsupported-call",
        f"{a.text} has the ids of one {first.whose} and {b.text} those of one {second.whose}, "
        "and nothing says that these are the same persons",
        need="two tables about the same persons",
        help=f"declare {b.text} with dp.{_ids_like(first, second.column)}",
    )


def _ids_like(first: Owned, column: str) -> str:
    """What makes the ids of another table those of the first one's unit."""
    whose, per = out_of_words(first.whose)
    change = ", dp.ChangeOne" if first.replaces else ""
    window = f', per="{per}", of="day"' if per else ""
    return f'Ids("{column}"{change}, unit="{whose}"{window})'


def _side_by_side(first: Owned, second: Owned) -> Owned:
    """The space of the rows of both tables, with one column of ids."""
    row, other = first.row, second.row
    fields = [field for i, field in enumerate(other.fields) if i != second.place]
    theirs = (other.kind, tuple(n for n in other.names if n != second.column))
    made = space_of(named(row), theirs, [*row.fields, *fields], f"{row} and {other}")
    column = made.names[first.place]
    return Owned(made, column, first.whose, first.metric)


def _columns(on: Any) -> tuple[str, str]:
    return (on, on) if isinstance(on, str) else (on[0], on[1])


def run(a: Any, b: Any, on: Any, how: Any = "inner") -> list[Any]:
    """The rows of the result, in the order of the first table, and of the second one."""
    mine, theirs = _columns(on)
    there: dict[Any, list[Any]] = {}
    for row in b:
        there.setdefault(owner(row, theirs), []).append(row)
    if how != "inner":
        return [row for row in a if (owner(row, mine) in there) == (how == "semi")]
    return [_beside(x, y, theirs) for x in a for y in there.get(owner(x, mine), ())]


def _beside(x: Any, y: Any, theirs: str) -> Any:
    other = without(y, theirs)
    return built(x, other, (*fields_of(x), *fields_of(other)))


def tabular(a: Any, b: Any, on: Any, how: Any = "inner") -> Any:
    """The same rows, in the same order, as a table."""
    from metricdp.columns.joins import beside, met

    mine, theirs = _columns(on)
    ids = owner(a.row, mine), owner(b.row, theirs)
    if how != "inner":
        return met(a, b, *ids, how == "semi")
    return beside(a, b, *ids, without(b.row, theirs), built)


def instances() -> Iterable[Instance]:
    kinds = (Scalar("Data", kind="str"), Scalar("Data", kind="int"))
    first = Row(("who", "what"), kinds, "Visit", "attributes")
    second = Row(("whom", "what"), kinds, "Bill", "attributes")
    for change in (Symmetric, ChangeOne):
        tables = {
            "a": Owned.of(first, Ids("who", change)),
            "b": Owned.of(second, Ids("whom", change, unit="who")),
        }
        for how in _HOWS:
            yield Instance(tables, {"on": ("who", "whom"), "how": how})
    pair = Row(("0", "1"), (kinds[1], kinds[0]), "tuple[int, str]")
    several = {name: Owned.of(pair, Ids("0")) for name in "ab"}
    yield Instance(several, {"on": "0"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons who have rows in the second table, or none, enter the first one."""
    a, b = instance.private["a"], instance.private["b"]
    assert isinstance(a, Owned)
    assert isinstance(b, Owned)

    def rows(space: Owned) -> list[Any]:
        who = [str(i) if space.kind == "str" else i for i in range(d)]
        what: Any = 1 if space.kind == "str" else "x"
        return [space.row.build((person, what)) for person in who]

    there = [] if instance.public.get("how") == "anti" else rows(b)
    return {"a": [], "b": there}, {"a": rows(a), "b": there}
