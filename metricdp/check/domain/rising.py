"""Numbers that one more record can only raise: what `monotone=True` of a choice needs.

A table under the symmetric distance is a path of tables, each with one record more or less than the
one before.  One more record is one more record of a table that was filtered, or mapped record by
record, by functions of that record alone; it raises a count of them, and a sum of numbers that are
not negative, or leaves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metricdp.check.values.forms import Form, Source, single
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import ZERO, compare
from metricdp.record import Record
from metricdp.spaces import Records, Scalar, Symmetric

#: Form of a table, or of a number made of one, that grows with the records of a source.
Rising = dict[Form, Source]
#: Records that make one record, or none, of each record.
_ROW_BY_ROW = frozenset({"filter", "map", "clamp"})


def note_parameter(rising: Rising, value: Value, source: Source) -> None:
    """A parameter of records that are added or removed."""
    space = value.space
    if value.form is not None and isinstance(space, Records) and space.row_metric is Symmetric:
        rising[value.form] = source


def note(rising: Rising, record: Record, given: Mapping[str, Obj], value: Value) -> None:
    """What a record makes of a table that grows; nothing private may be captured in it."""
    tables = [v for v in given.values() if isinstance(v, Value) and v.private]
    if len(tables) != 1 or tables[0].form not in rising or value.form is None or not value.private:
        return
    (table,) = tables
    assert table.form is not None
    row = table.space.row if isinstance(table.space, Records) else None
    kept = isinstance(value.space, Records) and record.name in _ROW_BY_ROW
    added = record.name == "sum" and isinstance(row, Scalar) and compare(row.lo, ">=", ZERO) is True
    if row is not None and (kept or added or record.name == "count"):
        rising[value.form] = rising[table.form]


def one_direction(rising: Rising, forms: Iterable[Form]) -> bool:
    """Whether one more record moves all of these numbers up, or all of them down."""
    signs: dict[Source, set[bool]] = {}
    for form in forms:
        for atom, coefficient in form.terms:
            source = rising.get(single(atom))
            up, down = (compare(coefficient, op, ZERO) is True for op in (">=", "<="))
            if source is None or not (up or down):
                return False
            if not (up and down):
                signs.setdefault(source, set()).add(up)
    return all(len(found) == 1 for found in signs.values())
