"""join_by_id: the rows of every person in two tables about the same persons, side by side.

`how="inner"`: every row of a person in the first table beside each of theirs in the second one;
"left": the same, and the rows of the first table of those who are not in the second one, with
missing values in its columns; "semi": the rows of the first table of those who are in the second
one too; "anti": of those who are not.  Ids are never missing, and meet where they are equal: whole
numbers as such, texts character by character; ids of two kinds are refused.  Which rows a person
has in the result is a function of the rows of this person alone, and who has none in either table
has none there.

Stability.  A unit of distance is a person with all of their rows.  Where one table changes, the
result changes for persons whose rows there differ, and for nobody else.  A person who is in or out
of that table is in or out of the result, or not there at all: 1.  A person whose rows differ is
counted 2 on both sides under add or remove, and 1 where one unit changes a person: 1.  So 1 in
either table, and the sum where both change on their own; but in a left join a person who leaves the
second table alone stays in the result with other rows, which is 2 under add or remove.  Tables that
are one input change by the same persons: d units of it are persons who enter or leave all tables at
once, and whose rows differ in some of them, counted twice; each of them counts as much in the
result at most, so that it moves by d, and not by 2d or 3d (`combine`).  No bound on the rows of a
person is needed, nor would one be kept: m rows beside n rows are m n.
Tight: persons who have rows in the second table enter the first one; for "anti", who have none; for
"left", who have rows in the first one enter the second.
Source: rules of tables, semi joins and joins by the unit; Tumult's joins on an id space.

Names.  The column of ids stands once, under its name in the first table.  Another name that both
tables have gets `_a` in the first table and `_b` in the second, as in `join`; rows of two kinds,
and tuples, make tuples.  `columns` names those of the second table that come along, in this order
and under their names, whatever kind its rows are.  A left join needs it: where the second table has
no row at all, nothing else would say what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, num
from metricdp.primitives.records._ids import owned_table, owner
from metricdp.primitives.records._joined import Named, chosen, named, perhaps, shape, space_of
from metricdp.primitives.records._keys import fields_of
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Owned, Row, Scalar, Symmetric
from metricdp.spaces.rows import Single
from metricdp.spaces.windows import out_of_words

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int], dp.Ids('0')] = [('Ann', 3), ('Ann', 4), ('Ben', 5)]; "
    "bills: dp.Records[tuple[str, float], dp.Ids('0')] = [('Ann', 9.5), ('Cyd', 2.0)]; "
    "dp.count_ids(dp.join_by_id(visits, bills, '0'), '0')"
)

_HOWS = ("inner", "left", "semi", "anti")
INNER = Arg(literal="inner", text='"inner"')
EVERY = Arg(literal=None, text="None")


def rule(a: Arg, b: Arg, on: Arg, how: Arg = INNER, columns: Arg = EVERY) -> Conclusion:
    """Two tables about the same persons, the column of ids (one name, or one for each table), and
    the columns of the second one that come along."""
    first, second = (owned_table(x, "join_by_id", _call(a, b, None, None)) for x in (a, b))
    _same_persons(a, b, first, second)
    call = _call(a, b, first, second)
    ids = (first.column, second.column)
    given = on.literal
    if on.private or given not in ((ids[0],) * (ids[0] == ids[1]) + (ids,)):
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
    left = how.literal == "left"
    names = _come_along(columns, b, second, how.literal, call)
    made = _side_by_side(first, second, names, left) if left or how.literal == "inner" else first
    # Who leaves the second table alone stays in a left join, with other rows.
    stays = num(2) if left and not first.replaces else ONE
    return Conclusion(made, {"a": scalar_moves(D), "b": scalar_moves(stays * D)}, combine="by_id")


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


def _come_along(
    columns: Arg, b: Arg, second: Owned, how: object, call: str
) -> tuple[str, ...] | None:
    """The columns of the second table that come along; None for all but the ids.

    Raises:
        Refusal: names that are not written out, or no such columns; none where they are needed.
    """
    others = tuple(name for name in second.row.names if name != second.column)
    given = columns.literal
    if given is None and columns.text == EVERY.text and how != "left":
        return None
    names = (given,) if isinstance(given, str) else given
    usual = isinstance(names, tuple) and len(set(names)) == len(names) > 0
    if not columns.private and how in ("inner", "left") and usual and set(names) <= {*others}:
        return names
    help = f'{call[:-1]}, "{how}", columns={_written(others)})' if others else call
    if how not in ("inner", "left"):
        fact, help = f'"{how}" keeps columns of the first table alone', f'{call[:-1]}, "{how}")'
    elif given is None and columns.text == EVERY.text:
        fact = f"where {b.text} has no row, nothing says which of its columns are missing"
    else:
        fact = f"{columns.text} are no columns of {b.text} beside its ids, each written out once"
    raise refuse(
        "unsupported-call",
        f"`join_by_id`: {fact}",
        need=f"columns of {b.text}: {', '.join(others) or 'it has none beside its ids'}",
        help=help,
    )


def _written(names: tuple[str, ...]) -> str:
    inside = ", ".join(f'"{name}"' for name in names)
    return f"({inside},)" if len(names) == 1 else f"({inside})"


def _side_by_side(
    first: Owned, second: Owned, columns: tuple[str, ...] | None, left: bool
) -> Owned:
    """The space of the rows of both tables, with one column of ids.

    Args:
        columns: of the second table that come along; None for all.
        left: whether they may be missing.
    """
    row, other = first.row, second.row
    names = _of_second(columns, other.names, second.column)
    mine, all_theirs = _single(row), _single(other)
    fields = [all_theirs[other.names.index(name)] for name in names]
    fields = [perhaps(field) for field in fields] if left else fields
    theirs = _theirs(named(row), named(other), columns, second.column)
    made = space_of(named(row), theirs, [*mine, *fields], f"{row} and {other}")
    column = made.names[first.place]
    return Owned(made, column, first.whose, first.metric)


def _of_second(
    columns: tuple[str, ...] | None, names: tuple[str, ...], ids: str
) -> tuple[str, ...]:
    """The columns of the second table that come along, of all that it has."""
    return tuple(name for name in names if name != ids) if columns is None else columns


def _theirs(first: Named, second: Named, columns: tuple[str, ...] | None, ids: str) -> Named:
    """How the columns of the second table that come along are read, and their names."""
    if columns is not None:
        return chosen(first, columns)
    return second[0], tuple(name for name in second[1] if name != ids)


def _single(row: Row) -> list[Single]:
    """The fields of a row.

    Raises:
        Refusal: one holds several values.
    """
    fields: list[Single] = []
    for name, field in zip(row.names, row.fields, strict=True):
        if isinstance(field, Row):
            raise refuse(
                "unsupported-call",
                f"`join_by_id` reads fields of one value, and {name} of {row} holds several",
                need="fields of one value each",
                help="a field for each value: x0: float and x1: float in place of "
                "x: tuple[float, float]",
            )
        fields.append(field)
    return fields


def _columns(on: Any) -> tuple[str, str]:
    return (on, on) if isinstance(on, str) else (on[0], on[1])


def _names(columns: Any) -> tuple[str, ...] | None:
    return (columns,) if isinstance(columns, str) else None if columns is None else tuple(columns)


def run(a: Any, b: Any, on: Any, how: Any = "inner", columns: Any = None) -> list[Any]:
    """The rows of the result, in the order of the first table, and of the second one."""
    mine, theirs = _columns(on)
    there: dict[Any, list[Any]] = {}
    for row in b:
        there.setdefault(owner(row, theirs), []).append(row)
    if how in ("semi", "anti"):
        return [row for row in a if (owner(row, mine) in there) == (how == "semi")]
    nobody = [None] if how == "left" else []
    names = _names(columns)
    return [_beside(x, y, theirs, names) for x in a for y in there.get(owner(x, mine), nobody)]


def _beside(x: Any, y: Any, ids: str, columns: tuple[str, ...] | None) -> Any:
    if y is None:
        assert columns is not None
        return _row(x, columns, [None] * len(columns))
    names = _of_second(columns, _names_of(y), ids)
    fields = [owner(y, name) for name in names]
    if columns is not None:
        return _row(x, columns, fields)
    return shape(named(x), _theirs(named(x), named(y), None, ids)).build([*fields_of(x), *fields])


def _row(x: Any, columns: tuple[str, ...], fields: list[Any]) -> Any:
    return shape(named(x), chosen(named(x), columns)).build([*fields_of(x), *fields])


def _names_of(row: Any) -> tuple[str, ...]:
    """The names of the fields of a row; their places, of a tuple."""
    return named(row)[1] or tuple(map(str, range(len(row))))


def tabular(a: Any, b: Any, on: Any, how: Any = "inner", columns: Any = None) -> Any:
    """The same rows, in the same order, as a table."""
    from metricdp.columns.joins import beside, met

    mine, theirs = _columns(on)
    ids = owner(a.row, mine), owner(b.row, theirs)
    if how in ("semi", "anti"):
        return met(a, b, *ids, how == "semi")
    names = _names(columns)
    made = shape(named(a.row), _theirs(named(a.row), named(b.row), names, theirs))
    fields = [owner(b.row, name) for name in _of_second(names, _names_of(b.row), theirs)]
    return beside(a, b, *ids, fields, made.build, how == "left")


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
            more = {"columns": ("what",)} if how == "left" else {}
            yield Instance(tables, {"on": ("who", "whom"), "how": how, **more})
    pair = Row(("0", "1"), (kinds[1], kinds[0]), "tuple[int, str]")
    several = {name: Owned.of(pair, Ids("0")) for name in "ab"}
    yield Instance(several, {"on": "0"})
    yield Instance(several, {"on": "0", "how": "left", "columns": "1"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Persons who have rows in the second table, or none, enter the first one; of a left join,
    those who have rows in the first one enter the second."""
    a, b = instance.private["a"], instance.private["b"]
    assert isinstance(a, Owned)
    assert isinstance(b, Owned)

    def rows(space: Owned) -> list[Any]:
        who = [str(i) if space.kind == "str" else i for i in range(d)]
        what: Any = 1 if space.kind == "str" else "x"
        return [space.row.build((person, what)) for person in who]

    how = instance.public.get("how")
    if how == "left":
        return {"a": rows(a), "b": []}, {"a": rows(a), "b": rows(b)}
    there = [] if how == "anti" else rows(b)
    return {"a": [], "b": there}, {"a": rows(a), "b": there}
