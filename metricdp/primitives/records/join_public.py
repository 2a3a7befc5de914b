"""join_public: every row of a table beside each row of a public table that has its key.

`how="inner"` leaves rows out whose key the public table has not; "left" keeps them, with missing
values in its columns.  A key may stand in the public table several times: c is the largest number
of its rows of one key, a public fact, and 1 where keys are different.  Keys are whole numbers,
texts or truth values, of the kind of the column and never missing, so that equal ones are alike.

Stability.  A row becomes the rows of the public table with its key, at most c, whatever other rows
there are: c per row, under add or remove; in a left join one at least, which is no more.  A table
with ids keeps them: the rows of a person are made of those of this person alone, and who has none
has none in the result, so that d persons who enter, leave or change are d persons there: 1, without
any bound on rows.
Tight: rows with a key of c rows enter; persons do.
Source: rules of tables, flat maps, joins with a public table; Tumult's public joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives.records._ids import owner
from metricdp.primitives.records._joined import chosen, named, perhaps, shape, space_of
from metricdp.primitives.records._keys import fields_of
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Owned, Records, Row, Scalar, Symmetric

takes_ids = True

example = (
    "visits: dp.Records[tuple[str, int]] = [('Ann', 3), ('Ben', 5)]; "
    "dp.count(dp.join_public(visits, '1', ((3, 'north'), (3, 'coast')), columns=('region',)))"
)

_KINDS = {int: "int", str: "str", bool: "bool"}
#: Kind of a key -> a public table with such keys.
_TABLES = {"int": '((1, "north"), (2, "south"))', "str": '(("a", "north"), ("b", "south"))',
           "bool": '((True, "north"), (False, "south"))'}  # fmt: skip
INNER = Arg(literal="inner", text='"inner"')


def rule(x: Arg, on: Arg, table: Arg, columns: Arg, how: Arg = INNER) -> Conclusion:
    """A table; its column with the key; a public table, written out, whose rows begin with the key;
    the names of its other columns; "inner" or "left"."""
    space = _rows(x)
    call = _call(x, on, space.row)
    lines, kinds = _lines(table, call)
    field = space.row.field(on.literal) if not on.private and isinstance(on.literal, str) else None
    if not isinstance(field, Scalar) or field.kind != kinds[0]:
        raise _refused(
            f"{on.text} is no column of {x.text} that holds {kinds[0]} in every row",
            f"a column of the kind of the keys of {table.text}, in which none is missing",
            call,
        )
    names = (columns.literal,) if isinstance(columns.literal, str) else columns.literal
    usual = isinstance(names, tuple) and len(names) == len(set(names)) == len(kinds) - 1
    if columns.private or not usual or not all(_is_name(n, space.row) for n in names):
        raise _refused(
            f"{columns.text} are no names for the columns of {table.text} beside its keys",
            f"{len(kinds) - 1} names, written out, that {x.text} has not",
            call,
        )
    if how.private or how.literal not in ("inner", "left"):
        fact = f"there is no {how.text}: how is inner, left"
        raise _refused(fact, "one of them, written out", call)
    left = how.literal == "left"
    held = [Scalar("Data", kind=kind) for kind in kinds[1:]]
    fields = [*space.row.fields, *(map(perhaps, held) if left else held)]
    own = named(space.row)
    made = space_of(own, chosen(own, names), fields, f"{space.row} and {', '.join(names)}")
    if isinstance(space, Owned):
        column = made.names[space.place]
        result = Owned(made, column, space.whose, space.metric)
        return Conclusion(result, {"x": scalar_moves(D)})
    most = max(Counter(line[0] for line in lines).values())
    return Conclusion(Records(made), {"x": scalar_moves(num(most) * D)})


def _refused(fact: str, need: str, call: str) -> Exception:
    return refuse("unsupported-call", f"`join_public`: {fact}", need=need, help=call)


def _call(x: Arg, on: Arg, row: Row) -> str:
    """An example of a right call: by the column that is asked for, or the first that can be."""
    keys = {name: field.kind for name, field in zip(row.names, row.fields, strict=True)
            if isinstance(field, Scalar) and field.kind in _TABLES}  # fmt: skip
    column = on.literal if on.literal in keys else next(iter(keys), row.names[0])
    table = _TABLES[keys.get(column, "int")]
    name = next(n for n in ("region", "area", "zone", "place") if n not in row.names)
    return f'dp.join_public({x.text}, "{column}", {table}, columns="{name}")'


def _is_name(name: object, row: Row) -> bool:
    return isinstance(name, str) and name.isidentifier() and name not in row.names


def _rows(x: Arg) -> Any:
    """The space of the table.

    Raises:
        Refusal: rows of another kind, or under another metric.
    """
    space = x.space
    usual = isinstance(space, Owned)
    usual = usual or (isinstance(space, Records) and space.row_metric is Symmetric)
    if not x.private or not usual or not isinstance(getattr(space, "row", None), Row):
        raise _refused(
            f"{x.text} is no table of rows with several columns under add or remove",
            "a table with columns",
            f"declare {x.text} as Records[Row], with a class of rows",
        )
    return space


def _lines(table: Arg, call: str) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows of the public table, and the kinds of its columns.

    Raises:
        Refusal: a table that is not written out, or holds other things.
    """
    given = table.literal
    lines = [*given] if isinstance(given, tuple | list) else []
    known = not (table.private or table.released) and bool(lines)
    known = known and all(isinstance(line, tuple) and len(line) > 1 for line in lines)
    kinds = {tuple(_KINDS.get(type(value), "") for value in line) for line in lines if known}
    if len(kinds) != 1 or "" in (found := kinds.pop()):
        raise _refused(
            f"{table.text} is no public table that is written out, of rows of one kind",
            "tuples of a key and values: whole numbers, texts or truth values",
            call,
        )
    if any(type(v) is int and not -(1 << 63) < v < 1 << 63 for line in lines for v in line):
        raise _refused(f"{table.text} holds whole numbers beyond 64 bits", "smaller numbers", call)
    return lines, list(found)


def _names(columns: Any) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def run(x: Any, on: Any, table: Any, columns: Any, how: Any = "inner") -> list[Any]:
    """The rows in the order of the table, and of the public one."""
    there: dict[Any, list[Any]] = {}
    for key, *values in table:
        there.setdefault(key, []).append(values)
    names = _names(columns)
    nothing = [[None] * len(names)] if how == "left" else []
    return [
        shape(named(row), chosen(named(row), names)).build([*fields_of(row), *values])
        for row in x
        for values in there.get(owner(row, on), nothing)
    ]


def tabular(x: Any, on: Any, table: Any, columns: Any, how: Any = "inner") -> Any:
    """The same rows, in the same order, as a table."""
    from metricdp.columns.joins import beside, beside_public, public_table

    own = named(x.row)
    made = shape(own, chosen(own, _names(columns)))
    columns = [*zip(*table, strict=True)]
    if x.engine is None and len(set(columns[0])) == len(columns[0]):
        return beside_public(x, owner(x.row, on), columns, made.build, how == "left")
    public = public_table if x.engine is None else x.engine.public
    key, *rest = (other := public(columns, x.value)).row
    return beside(x, other, owner(x.row, on), key, rest, made.build, how == "left")


_REGIONS = ((0, "a", 5), (0, "b", 6), (1, "a", 7))


def instances() -> Iterable[Instance]:
    fields = (Scalar("Data", kind="int"), Scalar("Data", kind="str"))
    row = Row(("ward", "who"), fields, "Visit", "attributes")
    public = {"on": "ward", "table": _REGIONS, "columns": ("region", "beds")}
    for how in ("inner", "left"):
        yield Instance({"x": Records(row)}, {**public, "how": how})
        for change in (Symmetric, ChangeOne):
            yield Instance({"x": Owned.of(row, Ids("who", change))}, {**public, "how": how})
    pair = Row(("0", "1"), fields, "tuple[int, str]")
    one = {"on": "1", "table": (("x", True), ("", False)), "columns": "yes"}
    yield Instance({"x": Records(pair)}, one)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Rows, or persons, with the key that stands most often."""
    space: Any = instance.private["x"]
    key = instance.public["table"][0][0]
    mine = [[key, str(i)] if isinstance(key, int) else [i, key] for i in range(d)]
    return {"x": []}, {"x": [space.row.build(each) for each in mine]}
