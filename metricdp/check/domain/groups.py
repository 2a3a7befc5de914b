"""How far one unit moves what is made of a table of which it changes rows of few groups.

One unit changes at most `rows` rows in each of at most `touched` groups, and kept * rows in all
(`record.Groups`): a person with at most so many groups, and so many rows in each.  A row is in the
group of the rows that are equal to it in some columns, which terms of the table's rows name; a row
that a function makes of a row is in the same group where it holds these values still.

One group.  Where only rows can move a value of which a filter says that they equal a public number,
text or date in these columns, one unit moves it as far as `rows` rows do: the rows outside of the
region may be left out, without moving the value.  Of a region in j groups it is j * rows.

Several numbers.  Numbers S_1, ..., S_n about one group each, of which those about group c make a
vector that moves by a_c(x) in Lp when x rows of c change, with a_c linear.  One unit changes x_c
rows of c, at most `rows`, and kept * rows in all; with s_c = x_c / rows the p-th power of what it
moves them by is at most the sum of s_c^p a_c(rows)^p, and s_c^p <= s_c: at most kept * max a_c^p.
So the vector moves by kept^(1/p) max a_c(rows), in LInf by max a_c(rows).  d units move it by at
most d times that: there is a path with one unit per step.

What is known here is of one value alone.  Values about disjoint regions share a unit's
kept * rows rows, and that is what they are charged for (`domain.parallel`), or they are parts that
one unit reaches several of (`domain.in_groups`).
Source: rules of tables, truncation to so many groups and so many rows in each: L1 km, L2 m sqrt(k),
LInf m.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from metricdp.check.values.forms import Movement
from metricdp.check.values.regions import (
    Conjunction,
    Region,
    Term,
    disjoint,
    is_constant,
    told_apart,
)
from metricdp.check.values.terms import Table
from metricdp.expr import D, Expr, best, linear_coefficient, maximum, num
from metricdp.record import Groups
from metricdp.spaces import Row, Space
from metricdp.spaces.norms import NORMS

#: Most numbers whose regions are compared, each with each, where no set tells groups apart.
_MOST = 64
#: The public values that the rows of a group are equal to.
Group = tuple[Term, ...]


class InGroups(msgspec.Struct, frozen=True):
    """Of how many groups of the rows of a table one unit changes rows.

    Attributes:
        by: terms of a row that are equal within a group.
        of: how many groups, and how many rows in each.
    """

    by: tuple[Term, ...]
    of: Groups

    def groups(self, region: Region) -> frozenset[Group] | None:
        """The groups whose rows a region holds; None where it may hold any."""
        if not region:
            return None
        found = {_group(one, self.by) for one in region}
        return None if None in found else frozenset(found)  # type: ignore[arg-type]

    def rows_of(self, region: Region) -> Expr | None:
        """How many rows of a region `d_in` units change; None where that may be all."""
        held = self.groups(region)
        return None if held is None else num(len(held)) * self.of.rows * D

    def of_each(self, slope: Expr, count: Expr | None = None) -> dict[str, Expr]:
        """The movement of a vector of numbers about one group each, no two about the same rows.

        Args:
            slope: how far the rows of one group move one of them.
            count: how many numbers there are, if that is known.
        """
        most = self.of.kept if count is None else best([self.of.kept, count])
        return {name: norm.of_ones(most) * slope * D for name, norm in NORMS.items()}


def named(table: Table, space: Space, groups: Groups) -> InGroups | None:
    """The groups of a table whose rows have these columns."""
    if not isinstance(space, Row) or not set(groups.columns) <= {*space.names}:
        return None
    places = (space.names.index(name) for name in groups.columns)
    return InGroups(tuple(("row", table, place) for place in places), groups)


def kept(known: InGroups | None, made: Term, table: Table) -> InGroups | None:
    """The groups of a table whose rows a function makes, one of each row.

    Args:
        known: the groups of the table whose rows the function is given.
        made: what it makes of a row.
    """
    if known is None:
        return None
    fields = {made: -1}
    if made[:2] == ("rule", "tuple"):
        fields = {term: place for place, (_, term) in reversed([*enumerate(made[2:])])}
    if not all(term in fields for term in known.by):
        return None
    return InGroups(tuple(("row", table, fields[term]) for term in known.by), known.of)


def of_parts(known: InGroups | None, key: Term | None) -> tuple[Expr, Expr] | None:
    """The most parts of a table by a key that one unit changes, and rows in each; None where a part
    may hold rows of several groups.

    Args:
        key: the key of a row.
    """
    if known is None or key is None:
        return None
    told = {term for _, term in key[2:]} if key[:2] == ("rule", "tuple") else {key}
    if not told >= {*known.by}:
        return None
    # Of a key that tells rows of one group apart, every row may be in a part of its own.
    same = told == {*known.by}
    return known.of.touched if same else known.of.kept * known.of.rows, known.of.rows


def of_categories(known: InGroups | None, table: Table) -> Movement:
    """How far the numbers of rows in every group move, where a row is its group."""
    if known is None or known.by != (("row", table, -1),):
        return {}
    return known.of_each(known.of.rows)


def vector(
    known: Iterable[InGroups], parts: Sequence[tuple[Region, Movement]]
) -> dict[str, Expr]:  # fmt: skip
    """The movement of a vector whose parts are each about rows of one group; empty where one may be
    about more, or where rows of two groups may be the same.

    Args:
        parts: of every number, or vector, the rows that move it, and how far it moves alone.
    """
    for each in known:
        of_group: dict[Group, list[tuple[Region, Movement]]] = {}
        for part in parts:
            (*held,) = each.groups(part[0]) or ()
            if len(held) != 1:
                break
            of_group.setdefault(held[0], []).append(part)
        else:
            groups = [*of_group.values()]
            pairs = ((a, b) for x, y in combinations(groups, 2) for a, _ in x for b, _ in y)
            apart = _all_different([*of_group]) or (
                len(parts) <= _MOST and all(disjoint(a, b) for a, b in pairs)
            )
            if apart:
                return _of_groups(each, [[m for _, m in group] for group in groups])
    return {}


def _all_different(groups: Sequence[Group]) -> bool:
    """Whether no row is in two of some groups, which numbers and texts in full name.

    Two groups with another value in one column share no row; which have is seen in a set of them,
    and not pair by pair.
    """
    told = {tuple(told_apart(value) for value in group) for group in groups}
    kinds = {tuple(value[0] for value in group) for group in groups}
    return len(told) == len(groups) and len(kinds) == 1 and not any(None in each for each in told)


def _of_groups(known: InGroups, groups: Sequence[Sequence[Movement]]) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    for name, norm in NORMS.items():
        slopes = [[linear_coefficient(m.get(name, D * D)) for m in parts] for parts in groups]
        if not any(slope is None for each in slopes for slope in each):
            each = (norm.combined(parts) for parts in slopes)  # type: ignore[arg-type]
            found[name] = known.of_each(maximum(*each), num(len(groups)))[name]
    return found


def _group(rows: Conjunction, by: Sequence[Term]) -> Group | None:
    """The values that all rows of a conjunction have in these columns; None where they may differ.

    Of two values that a row would have to equal at once any one will do: there is no such row.
    """
    found: list[Any] = []
    for term in by:
        equal = [x.constant for x in rows if x.term == term and x.op == "==" and x.holds]
        public = [value for value in equal if is_constant(value)]
        if not public:
            return None
        found.append(min(public, key=repr))
    return tuple(found)


def narrowed(
    known: InGroups | None, regions: Mapping[Any, Region], moves: Mapping[Any, Movement]
) -> dict[Any, Movement] | None:
    """How far a table moves of which only rows of a region count; None where no less is known.

    Args:
        moves: how far it moves, per source.
    """
    if known is None:
        return None
    rows = {source: known.rows_of(regions.get(source)) for source in moves}
    if all(each is None for each in rows.values()):
        return None
    return {
        source: movement if (most := rows[source]) is None else {"": best([movement[""], most])}
        for source, movement in moves.items()
    }
