"""The rows of everybody in a table: the first few in a public order, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, fsum, inf, nextafter
from typing import Any

import numpy as np

from metricdp.columns.evaluators import by_reference
from metricdp.columns.language import Node, Untraceable, nearest, single
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.occurrences import coded
from metricdp.columns.parted import Parted, bits_of, marked, number_of_parts, values_of
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.columns.tracing import row_of, traced

#: Base, position among different values and these values, of every field -> arrays for `lexsort`.
Order = Callable[[Sequence[tuple[str, Any, list[Any]]]], tuple[Any, ...]]
#: Values of every field, and which of them are there -> a hash of every row.
Hash = Callable[[Sequence[tuple[Any, Any]]], Any]


def limited(
    table: Table, owner: Any, fields: Sequence[Any], most: int, hashed: Hash, order: Order
) -> Table:
    """At most so many rows of every owner, in the order of the table.

    Args:
        owner: the field that says whose row it is.
        fields: all fields of a row, by which an owner's rows are put in order.
        hashed: for every field an array of its values, or `Texts`; and where they are there, None
            for all -> a hash of every row, the first thing by which rows are put in order.
        order: base, codes and values of every field of some rows -> arrays that put them in that
            order; the code after the last value is that of a value that is missing.

    Raises:
        Untraceable: an owner that is no single value.
    """
    if table.engine is not None:
        return table.engine.limited(table, owner, fields, most)
    owner = single(owner)

    def first(some: Table, ids: Any) -> Any:
        codes, size = numbered(ids)
        return _first(some, codes, size, fields, most, hashed, order)

    return _chosen(table, owner, first)


def _chosen(table: Table, owner: Node, first: Callable[[Table, Any], Any]) -> Table:
    """The rows that are among the first of their owner, in the order of the table.

    Args:
        first: which of some rows of some owners are among the first; None for all.  Of these rows
            and others the same ones are chosen as of all together.
    """
    if by_reference() or number_of_parts(table.size()) == 1:
        kept = first(table, values_of(table, owner))
        return table if kept is None else table.taken(np.flatnonzero(kept))
    parted = Parted(table, [owner])
    marks = parted.marks()
    for part in range(parted.count):
        chosen = np.zeros(0, np.int64)
        for rows in parted.slices(part):
            rows, (ids,) = parted.read(part, np.append(chosen, rows) if len(chosen) else rows)
            kept = first(parted.every.taken(rows), ids)
            chosen = rows if kept is None else rows[kept]
        marks[chosen] = True
    return marked(table, marks)


def numbered(values: Any) -> tuple[Any, int]:
    """For every row a number of its value, the same of equal ones; and a bound on these.

    Args:
        values: an array, or `Texts`.
    """
    if isinstance(values, Texts):
        if len(values.values) > len(values):
            found, codes = np.unique(values.codes, return_inverse=True)
            if len(np.unique(bits_of(values)[found])) == len(found):
                return codes, len(found)
        codes, held = coded([values])
        return codes, len(held)
    if values.dtype == object:
        codes, held = coded([values])
        return codes, len(held)
    if values.dtype.kind in "bi" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * len(values):
            return values.astype(np.int64) - low, high - low + 1
    different, codes = np.unique(values, return_inverse=True)
    return codes, len(different)


def limited_groups(
    table: Table, owner: Any, by: Sequence[Any], fields: Sequence[Any],
    groups: int, most: int, hashed: Hash, order: Order,
) -> Table:  # fmt: skip
    """At most so many groups of every owner, and so many rows in each, in the order of the table.

    Args:
        by: the fields that are equal within a group; groups of an owner are put in order by these
            and the owner alone, rows of a group by all `fields`.
        owner, fields, hashed, order: see `limited`.

    Raises:
        Untraceable: an owner, or a part of `by`, that is no single value.
    """
    if table.engine is not None:
        return table.engine.limited_groups(table, owner, by, fields, groups, most)
    owner = single(owner)

    def first(some: Table, ids: Any) -> Any:
        rows, places, size = _of_first_groups(some, owner, ids, by, groups, hashed, order)
        within = some if rows is None else some.taken(rows)
        kept = _first(within, places, size, fields, most, hashed, order)
        if rows is None:
            return kept
        marks = np.zeros(some.size(), np.bool_)
        marks[rows if kept is None else rows[kept]] = True
        return marks

    return _chosen(table, owner, first)


def _of_first_groups(
    table: Table, owner: Node, ids: Any, by: Sequence[Any], groups: int, hashed: Hash, order: Order
) -> tuple[Any, Any, int]:
    """The rows of so many groups of every owner, None for all; which group each is in; and a bound
    on these.

    Args:
        ids: whose each row is.
    """
    owners, different = numbered(ids)
    first, places = _together(owners, [_coded(table, field)[1] for field in by])
    of_each = table.taken(first)
    kept = _first(of_each, owners[first], different, [owner, *by], groups, hashed, order)
    if kept is None:
        return None, places, len(first)
    rows = np.flatnonzero(kept[places])
    return rows, places[rows], len(first)


def with_so_many(table: Table, owner: Any, least: int, most: int | None) -> Table:
    """The rows of owners who have so many, in the order of the table.

    Raises:
        Untraceable: an owner that is no single value.
    """
    if table.engine is not None:
        return table.engine.with_so_many(table, owner, least, most)

    def enough(some: Table, codes: Any, size: int) -> Any:
        counts = np.bincount(codes, minlength=size)
        return counts >= least if most is None else (counts >= least) & (counts <= most)

    return _of_owners(table, single(owner), enough)


def with_so_much(
    table: Table, owner: Any, value: Callable[[Any], Any], least: Fraction | None,
    most: Fraction | None,
) -> Table:  # fmt: skip
    """The rows of owners for whom a number of every row adds up to so much, as `summed` adds it, in
    the order of the table.

    Raises:
        Untraceable: an owner that is no single value, or a function without a form.
    """
    node = _number(table, value)
    low, high = _ends(_base(node), least, most)
    if table.engine is not None:
        return table.engine.with_so_much(table, owner, node, low, high)

    def enough(some: Table, codes: Any, size: int) -> Any:
        sums, first = _sums(some, codes, node)
        kept = np.ones(len(sums), np.bool_)
        if low is not None:
            kept &= (sums >= low).astype(np.bool_)
        if high is not None:
            kept &= (sums <= high).astype(np.bool_)
        found = np.zeros(size, np.bool_)
        found[codes[first[kept]]] = True
        return found

    return _of_owners(table, single(owner), enough)


def _of_owners(table: Table, owner: Node, enough: Callable[[Table, Any, int], Any]) -> Table:
    """The rows of the owners who are kept, in the order of the table.

    Args:
        enough: all rows of some owners, a number of the owner of each, and a bound on these ->
            for every number whether its owner is kept.
    """
    parted = Parted(table, [owner])
    marks = parted.marks()
    for part in range(parted.count):
        rows, (ids,) = parted.whole(part)
        if not len(rows):
            continue
        codes, size = numbered(ids)
        marks[rows[enough(parted.every.taken(rows), codes, size)[codes]]] = True
    return marked(table, marks)


def _ends(base: str, least: Fraction | None, most: Fraction | None) -> tuple[Any, Any]:
    """The same ends among the sums of a kind: whole numbers, or doubles."""
    if base == "integer":
        return None if least is None else ceil(least), None if most is None else floor(most)
    low, high = (None if end is None else nearest(end) for end in (least, most))
    if low is not None and least is not None and Fraction(low) < least:
        low = nextafter(low, inf)
    if high is not None and most is not None and Fraction(high) > most:
        high = nextafter(high, -inf)
    return low, high


def summed_by_group(
    table: Table, owner: Any, by: Sequence[Any], value: Callable[[Any], Any], groups: int,
    hashed: Hash, order: Order,
) -> Table:  # fmt: skip
    """The groups of so many of every owner, in the order in which they come: the fields `by`, and
    what a number of every row adds up to, exactly, rounded once.

    Args:
        owner, by, hashed, order: see `limited_groups`.

    Raises:
        Untraceable: an owner, or a part of `by`, that is no single value; no form of the function.
    """
    numbers = _number(table, value)
    if table.engine is not None:
        return table.engine.summed(table, [owner, *by], numbers, groups)
    owner = single(owner)

    def added(some: Table, ids: Any) -> tuple[Any, Any]:
        rows, places, _ = _of_first_groups(some, owner, ids, by, groups, hashed, order)
        within = some if rows is None else some.taken(rows)
        sums, first = _sums(within, places, numbers)
        return sums, first if rows is None else rows[first]

    return _with_sums(table, owner, numbers, added, lambda sums: (*by, sums))


def _with_sums(
    table: Table, owner: Node, numbers: Node, added: Callable[[Table, Any], tuple[Any, Any]],
    row: Callable[[Node], Any],
) -> Table:  # fmt: skip
    """A row for every sum, in the order in which the first row of each comes.

    Args:
        numbers: what is added up.
        added: all rows of some owners, and whose each is -> the sums, and the first row of each.
        row: the sum -> the row.
    """
    base = _base(numbers)
    parted = Parted(table, [owner])
    marks, positions = parted.marks(), table.positions
    # The sums stand in a column of their own, where the first row of each stands.
    data = table.room()(len(table.columns[0]), np.float64 if base == "double" else np.int64)
    data[:] = 0
    for part in range(parted.count):
        rows, (ids,) = parted.whole(part)
        if not len(rows):
            continue
        sums, first = added(parted.every.taken(rows), ids)
        first = rows[first]
        if sums.dtype == object and data.dtype != object:
            data = data.astype(object)
        data[first if positions is None else positions[first]] = sums
        marks[first] = True
    held = Stored(base, data)
    columns, made = (*table.columns, held), row(held.node(len(table.columns)))
    return marked(Table(columns, made, table.where, positions, table.value), marks)


def _together(codes: Any, more: Sequence[Any]) -> tuple[Any, Any]:
    """Every different combination of codes: a row that has it; and for every row which one it has.

    Args:
        codes, more: numbers from 0, all of the same length.
    """
    for others in more:
        # Both are places among different ones, so that their product is below the rows squared.
        _, codes = np.unique(codes, return_inverse=True)
        _, others = np.unique(others, return_inverse=True)
        codes = codes.astype(np.int64) * (int(others.max(initial=0)) + 1) + others
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    return first, places


def _first(
    table: Table, codes: Any, size: int, fields: Sequence[Any], most: int, hashed: Hash,
    order: Order,
) -> Any:  # fmt: skip
    """Which rows are among the first so many with their code, below `size`; None for all."""
    counts = np.bincount(codes, minlength=size)
    several = counts > most
    if not several.any():
        return None
    # Few have more rows than are kept: only their rows are read and put in order.
    often = several[codes]
    busy = np.flatnonzero(often)
    of_busy = table.taken(busy)
    mine = (np.cumsum(several) - 1)[codes[busy]].astype(np.uint64)
    bits = np.uint64(max(int(several.sum() - 1).bit_length(), 1))
    # Whose row it is, then as much of the hash as there is room for.
    key = mine << (np.uint64(64) - bits) | hashed([_read(of_busy, f) for f in fields]) >> bits
    ordered = np.argsort(key)
    alike = key[ordered[1:]] == key[ordered[:-1]]
    tied = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
    if len(tied):
        rows = ordered[tied]
        found = order([_coded(of_busy.taken(rows), field) for field in fields])
        ordered[tied] = rows[np.lexsort((rows, *found, key[rows]))]
    counts = counts[several]
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    kept = ~often
    kept[busy[ordered[np.arange(len(starts)) - starts < most]]] = True
    return kept


def _read(table: Table, field: Any) -> tuple[Any, Any]:
    node, there = parts(field)
    return values_of(table, node), None if there is None else table.array(there)


def parts(field: Any) -> tuple[Node, Node | None]:
    """The value of a field, and whether it is there."""
    there = None
    if isinstance(field, Nullable):
        field, there = field.value, field.there
    return single(field.number if isinstance(field, Instant) else field), there


def _coded(table: Table, field: Any) -> tuple[str, Any, list[Any]]:
    node, there = parts(field)
    codes, values = table.coded(node)
    if there is not None:
        codes = np.where(table.array(there), codes, len(values))
    return node.base, codes, values


def summed(table: Table, owner: Any, value: Callable[[Any], Any]) -> Table:
    """What a number of every row adds up to for each owner, in the order in which they come.

    Doubles are added exactly and rounded once, whatever their order is; integers are exact.

    Raises:
        Untraceable: an owner that is no single value, or a function without a form.
    """
    node = _number(table, value)
    if table.engine is not None:
        return table.engine.summed(table, [owner], node, None)
    owner = single(owner)

    def added(some: Table, ids: Any) -> tuple[Any, Any]:
        return _sums(some, numbered(ids)[0], node)

    return _with_sums(table, owner, node, added, lambda sums: sums)


def _base(node: Node) -> str:
    """Of sums of a number."""
    return "double" if node.base == "double" else "integer"


def _number(table: Table, value: Callable[[Any], Any]) -> Node:
    """A number of every row."""
    node = single(row_of(traced(value, table.row)))
    if node.base == "text":
        raise Untraceable("what is no number of a row")
    return node


def _sums(table: Table, codes: Any, node: Node) -> tuple[Any, Any]:
    """What a number adds up to over the rows of each code, and the first row of each."""
    numbers = table.array(node)
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    made = (_doubles if _base(node) == "double" else _integers)(numbers[order], starts)
    return made, order[starts]


def _doubles(numbers: Any, starts: Any) -> Any:
    """Sums of the doubles from each start to the next, each rounded once."""
    sizes = np.diff(starts, append=len(numbers))
    with np.errstate(over="ignore"):
        found = np.add.reduceat(numbers, starts) if len(starts) else np.zeros(0)
    # One number is itself, and two are added with one rounding.
    exact = (sizes <= 2) & np.isfinite(found)
    for place in np.flatnonzero(~exact).tolist():
        start = int(starts[place])
        found[place] = rounded_once(numbers[start : start + int(sizes[place])].tolist())
    return found + 0.0


def rounded_once(numbers: list[float]) -> float:
    """The double nearest to the exact sum of some doubles."""
    try:
        return fsum(numbers)
    except OverflowError:  # of a part of the sum, perhaps
        return nearest(sum(map(Fraction, numbers)))


def _integers(numbers: Any, starts: Any) -> Any:
    """Exact sums of the integers from each start to the next."""
    if numbers.dtype != object:
        numbers = numbers.astype(np.int64) if numbers.dtype != np.uint64 else numbers.astype(object)
    if len(starts) and numbers.dtype != object:
        most = max(abs(int(numbers.min())), abs(int(numbers.max())))
        if most * int(np.diff(starts, append=len(numbers)).max()) >= 1 << 63:
            numbers = numbers.astype(object)
    return np.add.reduceat(numbers, starts) if len(starts) else np.zeros(0, np.int64)
