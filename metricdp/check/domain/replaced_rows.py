"""How far a row that is replaced moves sums over the rows of a table, alone and together.

A sum S adds g(row) for every row of a table, g being a function of that row alone, 0 outside of a
region R, and in [lo, hi] inside.  A count of the rows that a filter accepts is such a sum, with g
in {0, 1}; so is the sum of what a filter and functions of one row leave.  A row r that is replaced
by r' moves S by g(r') - g(r).  With up = max(hi, 0) and down = max(-lo, 0) that is at most
up + down: 1 for counts and for numbers in [0, 1], 2 for numbers in [-1, 1].  A filter alone moves
by two rows, of which one leaves and one enters, and the rules that follow it take the sum of what
both do: 2 max(up, down).

Several sums.  c_1 S_1 + ... + c_n S_n is again such a sum, of c_1 g_1 + ... + c_n g_n; one row adds
what the sums of a group do whose regions overlap, so its up is the largest sum of the c_i up_i (of
-c_i down_i where c_i < 0) of such a group (`domain.movements`).

Tables at distance d have a path of d tables in between, in each of which one row is replaced: d
replaced rows move everything by d times that.

What is known here is of one value alone.  It may not be put in the place of its movement where
values about disjoint regions are taken to share one unit (`domain.movements`, `domain.parallel`):
there each of them is charged for half a unit, and half of what is known here is less than what a
row does that leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from metricdp.check.domain import several_rows
from metricdp.check.domain.sums_of_rows import ends
from metricdp.check.values.forms import Form, Movement, Source, magnitude, total
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import EVERYTHING, Region, both, either
from metricdp.check.values.row_sums import RowSum, RowVector
from metricdp.expr import (
    ONE,
    ZERO,
    D,
    Expr,
    best,
    num,
    root,
)
from metricdp.record import Record
from metricdp.spaces import Records, Scalar, Space

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState

#: How far two entries that move by 1 move a vector.
PAIRS: Mapping[str, Expr] = {"L1": num(2), "L2": root(num(2)), "LInf": ONE}
#: Records that make one row, or none, of each row, by what is in that row.
_ROW_BY_ROW = frozenset({"filter", "map", "clamp"})

#: Form of a table -> the source whose rows, one by one, its rows are made of.
Made = dict[Form, Source]


def note_parameter(
    state: CheckState, made: Made, added: Made, value: Value, source: Source
) -> None:  # fmt: skip
    """A table of which one unit replaces a row, or adds or removes one."""
    space = value.space
    if value.form is None or not isinstance(space, Records):
        return
    if space.row_metric.replaces:
        made[value.form] = source
        state.replaced.add(source)
    elif source.kind == "param":
        added[value.form] = source
        state.come.add(source)
    state.all_rows.add(value.form)


def note(
    state: CheckState, made: Made, record: Record, given: Mapping[str, Obj], value: Value,
    selected: Region, left_out: Region, replaced: bool, shares: Sequence[RowSum] = (),
) -> None:  # fmt: skip
    """What a record makes of a table that is made of the rows of a source, one by one.

    Args:
        replaced: whether a unit replaces a row of the source.
        given: where nothing private is captured.
        selected: the rows of the table that the record does not leave out; `left_out`: those that
            it may leave out.
        shares: the parts of the number that each row is.
    """
    tables = [v for v in given.values() if isinstance(v, Value) and v.private]
    if len(tables) != 1 or tables[0].form not in made or value.form is None or not value.private:
        return
    (table,) = tables
    if record.name == "partition":
        made[value.form] = made[table.form]  # type: ignore[index]
        return
    assert table.form is not None and isinstance(table.space, Records)
    source, row = made[table.form], table.space.row
    if isinstance(value.space, Records):
        if record.name in _ROW_BY_ROW:
            made[value.form] = source
            if record.name != "filter" and table.form in state.all_rows:
                state.all_rows.add(value.form)
            several_rows.kept(state, table.form, value.form)
        return
    ((atom, factor), *others) = value.form.terms or ((-1, ZERO),)
    if others or factor != ONE or not value.form.constant.is_zero:
        return
    every = table.form in state.all_rows and selected in (None, EVERYTHING)
    if record.name in ("count", "len"):
        every = every and len(given) == 1  # and no predicate
        counted = RowSum(EVERYTHING if every else selected, ONE, ONE, every, spared=left_out)
        state.row_sums[atom] = {source: several_rows.of_unit(state, table.form, counted)}
    elif record.name == "sum" and isinstance(row, Scalar):
        if not (row.lo.is_infinite or row.hi.is_infinite):
            parts = tuple(
                replace(
                    each, region=both(selected, each.region), spared=either(left_out, each.spared)
                )
                for each in shares
            )
            lo = ONE if is_truth(row) else row.lo
            added = RowSum(selected, lo, row.hi, shares=parts, spared=left_out)
            state.row_sums[atom] = {source: several_rows.of_unit(state, table.form, added)}
    elif not replaced:
        return
    elif record.name == "count_distinct":
        # The row that leaves takes one value along at most, the one that enters brings one.
        state.alone[atom] = {source: {"": D}}
    elif record.name == "histogram":
        # A row lies in one bin at most.
        state.alone[atom] = {source: {norm: factor * D for norm, factor in PAIRS.items()}}
        once = dict.fromkeys(PAIRS, ONE)
        state.row_vectors[atom] = {source: RowVector(selected, once, PAIRS)}


def is_truth(row: Space) -> bool:
    """Whether the rows of a table are truth values: a sum counts those that hold."""
    return isinstance(row, Scalar) and "bool" in (row.kind, row.element.lower())


def alone(state: CheckState, form: Form) -> dict[Source, dict[str, Expr]]:
    """Movement of one value per source and norm, where nothing else shares the unit."""
    found = state.movement(form)
    if not any(atom in state.row_sums or atom in state.alone for atom, _ in form.terms):
        return found
    apart = total(
        (
            {s: state.alone.get(atom, {}).get(s, m) for s, m in state.atoms[atom].bounds.items()},
            magnitude(factor),
        )
        for atom, factor in form.terms
    )
    out = {}
    for source, movement in found.items():
        options: list[Movement] = [apart[source]]
        both = ends(state.atoms, state.row_sums, form, source)
        if both is not None and source in state.replaced:
            options.append({"": both[0] + both[1]})
        out[source] = _least(movement, options)
    return out


def _least(movement: Movement, options: Sequence[Movement]) -> dict[str, Expr]:
    return {
        norm: best([bound, *(each[norm] for each in options if norm in each)])
        for norm, bound in movement.items()
    }
