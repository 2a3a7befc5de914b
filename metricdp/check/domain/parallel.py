"""Events about disjoint rows, under the node that charges one part: filters as parts of a table.

Event i reads the rows of a table in a region p_i.  A row that is added or removed moves the
arguments of those events alone in whose regions it lies; no row lies in two disjoint ones.  So of
groups of events about disjoint regions one row pays for one group, and k rows for k_i of each,
which add up to k: the events are parts of the table in the sense of `measures.events.Parallel`,
whose reading takes the worst allocation, and where it has none takes the events one after the
other.

Later events may depend on what earlier ones released, and so may their regions, in the released
values that their terms name.  Such a value is fixed before the first event whose region mentions
it, and two regions that are disjoint by it name the very same value: they are disjoint in every
history.  Along every history a row is in the regions of events of one group alone, and which group
that is, is known when the first of them happens: a choice that released values make, which `Choice`
reads by its worst item, followed by events of that item, some of which the row may miss.  What k
rows pay along a history is at most what the worst allocation pays, and a bound on the sum of every
history bounds an adaptive composition.

Under a metric that replaces rows one unit takes a row out of one region and puts one into another,
or the same.  A part then moves by half a unit, and the halves add up to the distance: movements
that are shared are those of filters, whose results move by two rows per unit.  Of one event alone
less may be known (`domain.replaced_rows`): that is what an event moves by that stands in no parts,
and what both of two events do that follow each other.  Of events whose rho is c^2 / 2 times the
square of a movement, a unit that moves the argument of one by h and of another by h as well costs
c^2 h^2, as one does that moves by sqrt(2) h; one that stays in a part costs what its own movement m
does.  So they are read with the larger of sqrt(2) h and m in place of 2 h: the movements of all
arguments, each times its c, are one vector, whose L2 norm one unit moves by at most that, d units
by d times that, and the cost of which is half the square.  Of events with an (epsilon, delta) alone
a replaced row moves those of two parts, each by h, or those of one, by m: both epsilons add up, and
both deltas, of the two parts that cost most, each moved by the larger of h and m; d replaced rows
are d such steps, one after the other (`Reach`).  Parts that `partition` makes are rows of
their own, h being what one row of a part moves an argument by, and m what a row does that is
replaced within its part: at most 2 h.

Where one person has many rows, regions are of a table of at most m rows of each (or of one number
per person), and m d rows of it change at most, or 2 m d.  A part with k_i of them moves by k_i
shares of a unit, which add up to d: its movement is that of the table's m d rows, at d = k_i / m.
Terms name the table, so that regions of two tables that were made of one parameter are never
disjoint by what a row holds; by released values they are where one of the two is empty.
Where a person has rows in few groups, and a part is about one of these, it moves by the rows of one
group (`domain.in_groups`).

Events that one row may all meet are those of one vector where it is known what a row adds to the
argument of each, and how many times as much one costs as another (`domain.one_by_one`).  So are
events of which some share no row, where a row pays for fewer of them so than along the longest
chain of alternatives: of windows of 3 months, one after the other, every row is in 3.

A loop.  What its rounds spend on regions that no two rounds share is one round's, charged once;
what else a round spends is charged in every round.
Source: McSherry (2009), Theorem 4; Kifer and Machanavajjhala (2011), section 2; for events that
depend on earlier releases, Feldman and Zrnic (2021), Theorem 3.1; for (epsilon, delta), whose sums
are bounded along every history, Rogers, Roth, Ullman and Vadhan (2016).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Sequence as Costs
from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import replace

from metricdp.check.domain import one_by_one
from metricdp.check.domain.groups import InGroups
from metricdp.check.domain.in_groups import Split, split
from metricdp.check.values.forms import Source
from metricdp.check.values.regions import (
    Region,
    Rely,
    arranged,
    keys_in,
    new_rows_each_round,
    of_all_rounds,
    outside,
    union,
)
from metricdp.check.values.row_sums import RowSum, ends_in
from metricdp.expr import (
    ONE,
    ZERO,
    D,
    Expr,
    best,
    compare,
    linear_coefficient,
    maximum,
    minimum,
    num,
    root,
)
from metricdp.measures.events import (
    Choice,
    Parallel,
    Reach,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    Tree,
    apart,
    consumed,
    no_node,
    nodes,
    noise_bound,
    numbers_in,
    with_parts,
    with_source,
)
from metricdp.measures.readings import leaves
from metricdp.record import MOVED, RATIO


class AboutRows(Spent, frozen=True):
    """An event, with the regions of its sources that can move its argument.

    It stands in trees that are being made; `in_parts` leaves none of them.

    Attributes:
        alone: source -> how far it moves the argument where no other event shares its units, if
            that is less than `moved`, which is what parts share.
        within: source that is a part of a table whose rows are replaced -> how far the argument
            moves where a row of this part is replaced by another one of it.
        sums: source that is a table, of which a unit is one row -> what a row adds to the argument
            (`domain.row_shares`).
    """

    regions: Mapping[Source, Region] = {}
    alone: Mapping[Source, Expr] = {}
    within: Mapping[Source, Expr] = {}
    sums: Mapping[Source, tuple[RowSum, ...]] = {}


def about_rows(
    leaf: Spent, regions: Mapping[Source, Region], shared: Mapping[Source, Expr],
    within: Mapping[Source, Expr], sums: Mapping[Source, tuple[RowSum, ...]],
) -> AboutRows:  # fmt: skip
    """An event about some rows.

    Args:
        leaf: the event, with its movement where nothing else shares a unit.
        shared: the movement of which a part of a table is charged for half, where a unit replaces
            a row.
        within: how far a row moves it that is replaced within a part.
        sums: what a row adds to it.
    """
    alone = {s: leaf.moved[s] for s in regions if leaf.moved[s] != shared[s]}
    moved = {s: shared[s] if s in alone else bound for s, bound in leaf.moved.items()}
    bound = noise_bound(leaf) if alone else leaf.bound
    return AboutRows(leaf.event, moved, leaf.ways, bound, regions, alone, within, sums)


class _All(msgspec.Struct, frozen=True):
    """Parts that one row may meet all of; `parts` are positions of items, or parts again."""

    parts: list[Shape]


class _OneOf(msgspec.Struct, frozen=True):
    """Parts of which one row meets one."""

    parts: list[Shape]


Shape = int | _All | _OneOf
#: A tree without regions; and of every source that it reads which of its rows can move an event.
Read = tuple[Tree, Mapping[Any, Region]]


def in_parts(
    tree: Tree, adds: Mapping[Source, bool], rounds: Collection[str], first: int,
    persons: Collection[Source], groups: Collection[InGroups],
) -> tuple[Tree, Rely, Rely]:  # fmt: skip
    """The tree with events about disjoint rows side by side, and none that names a region; the
    parameters whose items have to be different, so that these rows are disjoint; and all that these
    regions compare with.

    Args:
        adds: sources that are tables -> whether one unit adds or removes one row.
        rounds: symbols of all rounds.
        first: number of the first part that is made.
        persons: those of the sources whose units are persons with several rows.
        groups: of how many groups of tables one unit changes rows.
    """
    if not any(isinstance(leaf, AboutRows) for leaf in leaves(tree)):
        return tree, frozenset(), frozenset()
    parts = _Parts(adds, rounds, first, persons, groups)
    whole = _finished(parts.read(tree, frozenset())[0], persons, parts.vectors)
    return whole, frozenset(parts.rely), frozenset(parts.told)


class _Parts:
    def __init__(
        self, adds: Mapping[Source, bool], rounds: Collection[str], number: int,
        persons: Collection[Source], groups: Collection[InGroups],
    ) -> None:  # fmt: skip
        self.adds, self.rounds, self.number, self.groups = adds, rounds, number, groups
        self.persons = persons
        #: Parameters that rounds without a row in common rely on: their items are different.
        self.rely: set[str] = set()
        #: Parameters whose items the regions of such rounds compare with.
        self.told: set[str] = set()
        #: Whether one unit of every source is one row here.
        self.alone = True
        #: Sources of parts whose events are those of one vector, whose norm is charged.
        self.vectors: set[Source] = set()

    def read(self, tree: Tree, around: frozenset[str]) -> Read:
        """A tree inside of these rounds."""
        if isinstance(tree, Spent):
            return self._event(tree, around)
        if isinstance(tree, Sequence):
            return self._joined([self.read(item, around) for item in _flat(tree)])
        if isinstance(tree, Choice):
            found = [self.read(item, around) for item in tree.items]
            choice = msgspec.structs.replace(tree, items=tuple(item for item, _ in found))
            return choice, _union(found)
        if isinstance(tree, Repeat):
            return self._repeated(tree, around)
        if isinstance(tree, Selected):
            body, regions = self.read(tree.body, around)
            return msgspec.structs.replace(tree, body=body), regions
        if isinstance(tree, Parallel):
            # Of parts that are read together what a row adds is not what a unit moves.
            before, self.alone = self.alone, self.alone and not tree.each and tree.reach is None
            inside = with_parts(tree, lambda part: self.read(part, around)[0])
            self.alone = before
            return _anywhere(inside)
        if isinstance(tree, Sampled):
            # What reads a sample stays together under its node.
            return _anywhere(with_parts(tree, _plain))
        raise no_node(tree)

    def _event(self, leaf: Spent, around: frozenset[str]) -> Read:
        if not isinstance(leaf, AboutRows):
            return _anywhere(leaf)

        def stays(name: str) -> bool:
            # A round that is over is no fixed number any more.
            return name in around or name not in self.rounds

        regions = {source: outside(region, stays) for source, region in leaf.regions.items()}
        sums = {
            source: tuple(
                replace(
                    each, region=outside(each.region, stays), spared=outside(each.spared, stays)
                )
                for each in shares
            )
            for source, shares in leaf.sums.items()
            if all(map(stays, (name for each in shares for name in ends_in(each))))
        }
        return replace(leaf, sums=sums), {s: regions.get(s) for s in leaf.moved}

    def _joined(self, items: list[Read], inside: bool = False) -> Read:
        """Items one after the other, those about disjoint rows of one table side by side.

        Args:
            inside: whether this is a part of a table already, of which a share of a unit is known.
        """
        regions = _union(items)
        for source in self.adds:
            about = [i for i in items if _table(i) == source and not _reaches(i[0], source)]
            if len(about) < 2:
                continue
            shape: Shape = arranged(
                [item[1][source] for item in about], _All, _OneOf, lambda place: place
            )
            found = None if inside else self._one_vector([tree for tree, _ in about], shape, source)
            found = found or self._made(shape, about, source, inside)
            place = next(i for i, item in enumerate(items) if item is about[0])
            joined = found, _union(about)
            rest = [item for item in items if not any(item is each for each in about)]
            items = [*rest[:place], joined, *rest[place:]]
        kept = tuple(item for item, _ in items)
        return kept[0] if len(kept) == 1 else Sequence(kept), regions

    def _made(self, shape: Shape, about: list[Read], source: Source, inside: bool) -> Tree:
        """The tree of items that are arranged so."""
        if isinstance(shape, int):
            return about[shape][0]
        if isinstance(shape, _All):
            items = [self._made(each, about, source, inside) for each in shape.parts]
            return Sequence(tuple(items if inside else self._one_by_one(items, source)))
        regions = [union(about[i][1][source] for i in _places(each)) for each in shape.parts]
        found = None if inside else split(self.groups, regions)
        if found is None:
            parts = tuple(self._made(each, about, source, True) for each in shape.parts)
            return self._parts(parts, source, ONE)
        alone = [(_alone(tree, source), held) for tree, held in about]
        each = [self._made(part, alone, source, True) for part in shape.parts]
        of_groups = [
            each[group[0]]
            if len(group) == 1
            else self._parts(tuple(each[place] for place in group), source, ONE)
            for group in found.groups
        ]
        return self._parts(tuple(of_groups), source, ONE, found)

    def _one_by_one(self, items: list[Tree], source: Source) -> list[Tree]:
        """Items that one row may meet all of, with those side by side that are about the entries of
        a vector (`domain.one_by_one`)."""
        if not self.alone:
            return items
        entries = {at: found for at, item in enumerate(items) if (found := _entry(item, source))}
        places, known = list(entries), list(entries.values())
        for group in self._of_one_vector(known, source):
            row = self._row(source)
            leaves = one_by_one.together(
                [known[at] for at in group], row, source, self._comes(source)
            )
            if leaves is not None:
                first, *rest = (places[at] for at in group)
                items[first] = self._vector(leaves, row, source, ONE)
                for at in rest:
                    items[at] = Sequence()
        return [item for item in items if item != Sequence()]

    def _of_one_vector(
        self, known: list[one_by_one.NoisedEntry], source: Source
    ) -> Iterator[list[int]]:
        """The positions of entries that are taken together: all of which it is known how many times
        as much one costs as another, where one row pays for fewer of them so than for those that
        cost the same."""
        for group in one_by_one.weighed(known):
            entries = [known[at] for at in group]
            parts = one_by_one.alike(entries)
            if len(parts) > 1:
                shares, alone = one_by_one.costs(entries), ZERO
                for part in parts:
                    held = [entries[at] for at in part]
                    own = one_by_one.cost(held, self._comes(source)) if len(part) > 1 else None
                    share = num(shares[part[0]])
                    alone = alone + share * (num(len(part)) if own is None else own)
                whole = one_by_one.cost(entries, self._comes(source))
                if whole is not None and compare(whole, "<", alone) is True:
                    yield group
                    continue
            yield from ([group[at] for at in part] for part in parts if len(part) > 1)

    def _one_vector(self, items: list[Tree], shape: Shape, source: Source) -> Tree | None:
        """Events that cost the same as those of one vector, where one row pays for fewer of them
        than it may meet by how their rows are arranged."""
        entries = [_entry(item, source) for item in items] if self.alone else [None]
        known = [each for each in entries if each is not None]
        if len(known) < len(items) or len(one_by_one.weighed(known)) > 1:
            return None
        row = self._row(source)
        comes = self._comes(source)
        below = _depth(shape, 1 if comes else 2, one_by_one.costs(known))
        leaves = one_by_one.together(known, row, source, comes, below)
        return None if leaves is None else self._vector(leaves, row, source, ONE)

    def _comes(self, source: Source) -> bool:
        """Whether what a row adds is known for rows that one unit adds or removes."""
        return self.adds[source] or source in self.persons

    def _row(self, source: Source) -> Source:
        self.number += 1
        return Source("part", source.name, self.number - 1)

    def _vector(self, leaves: list[Spent], row: Source, source: Source, count: Expr) -> Tree:
        self.vectors.add(row)
        body = Choice(tuple(leaves))
        return Parallel(body, row, source, count=count, each=True)

    def _parts(
        self, parts: tuple[Tree, ...], source: Source, count: Expr, split: Split | None = None
    ) -> Tree:
        row = self._row(source)
        body = Choice(tuple(with_source(part, source, row) for part in parts))
        whole = self.adds[source] and source not in self.persons
        found = Parallel(body, row, source, whole=whole, count=count, each=True)
        if split is None:
            return found
        return msgspec.structs.replace(found, factor=split.factor, reach=split.reach)

    def _repeated(self, tree: Repeat, around: frozenset[str]) -> Read:
        inside = around | {tree.index}
        items = [self.read(item, inside) for item in _flat(Sequence((tree.body,)))]
        after = {
            source: of_all_rounds(region, tree.index, tree.count)
            for source, region in _union(items).items()
        }
        found: list[Tree] = []
        for source in self.adds:
            about, rely = _of_own_rows(items, source, tree.index)
            self.rely |= rely
            self.told |= keys_in(_union(about).get(source))
            if about:
                items = [item for item in items if not any(item is each for each in about)]
                region = _union(about)[source]
                groups = split(self.groups, [region], tree.count, tree.index, self.rely)
                if groups is not None:
                    about = [(_alone(body, source), held) for body, held in about]
                parts = (self._joined(about, inside=True)[0],)
                found.append(self._parts(parts, source, tree.count, groups))
            for place, item in enumerate(items):
                if (vector := self._entry_of_rounds(item[0], tree, source)) is not None:
                    found.append(vector)
                    items[place] = Sequence(), {}
            items = [item for item in items if item[0] != Sequence()]
        if items:
            rest = self._joined(items)[0]
            found.insert(0, msgspec.structs.replace(tree, body=rest))
        return found[0] if len(found) == 1 else Sequence(tuple(found)), after

    def _entry_of_rounds(self, item: Tree, tree: Repeat, source: Source) -> Tree | None:
        """The event of all rounds of a loop where they are about the entries of a vector."""
        fixed = self.alone and not _varies(item, tree.index)
        entry = _entry(item, source) if fixed else None
        row = self._row(source)
        found = entry and one_by_one.of_rounds(
            entry, tree.index, tree.count, row, source, self._comes(source)
        )
        if not found:
            return None
        leaves, rely = found
        self.rely |= rely
        self.told |= keys_in(union(each.region for each in entry.shares))  # type: ignore[union-attr]
        return self._vector(leaves, row, source, tree.count)


def _entry(item: Tree, source: Source) -> one_by_one.NoisedEntry | None:
    """An event about a sum over rows; None of any other tree."""
    if not isinstance(item, AboutRows) or set(item.moved) != {source} or item.ways:
        return None
    own = item.alone.get(source, item.moved[source])
    return one_by_one.known(item, own, item.sums.get(source, ()))


def _of_own_rows(items: list[Read], source: Source, index: str) -> tuple[list[Read], Rely]:
    """Items of a round about rows that it shares with no other round, and the parameters whose
    items are different if that is so."""
    about, relies = [], []
    for item in items:
        if _table(item) != source or _varies(item[0], index) or _reaches(item[0], source):
            continue
        rely = new_rows_each_round(item[1][source], index)
        if rely is not None:
            about.append(item)
            relies.append(rely)
    if not about:
        return [], frozenset()
    rely = new_rows_each_round(_union(about)[source], index)
    return (about, rely) if rely is not None else (about[:1], relies[0])


def _depth(shape: Shape, parts: int, costs: Costs[Fraction]) -> Fraction:
    """What one unit pays for the items that it may meet.

    Args:
        parts: of how many parts without a row in common it moves some: those of a row that is
            replaced are two.
        costs: of the items.
    """
    if isinstance(shape, int):
        return costs[shape]
    if isinstance(shape, _All):
        return sum((_depth(each, parts, costs) for each in shape.parts), Fraction(0))
    return parts * max(_depth(each, 1, costs) for each in shape.parts)


def _reaches(tree: Tree, source: Source) -> bool:
    """Whether some parts are charged for whole units: in a part of a unit they may not stand."""
    return any(
        isinstance(node, Parallel) and node.reach is not None and node.parent == source
        for node in nodes(tree)
    )


def _alone(tree: Tree, source: Source, named: Source | None = None) -> Tree:
    """The tree whose events are charged for the rows that each sees when it is alone.

    Args:
        named: what the source is called in this part of the tree.
    """
    here = named or source
    if isinstance(tree, Parallel) and tree.parent == here:
        return with_parts(tree, lambda part: _alone(part, source, tree.row))
    if not isinstance(tree, Spent):
        return with_parts(tree, lambda part: _alone(part, source, here))
    if not isinstance(tree, AboutRows) or source not in tree.alone or here not in tree.moved:
        return tree
    moved = {**tree.moved, here: tree.alone[source]}
    left = {other: bound for other, bound in tree.alone.items() if other != source}
    return msgspec.structs.replace(tree, moved=moved, alone=left, bound=noise_bound(tree))


def _places(shape: Shape) -> Iterator[int]:
    if isinstance(shape, int):
        yield shape
    else:
        for part in shape.parts:
            yield from _places(part)


def _table(item: Read) -> Source | None:
    """The one table that an item reads, where something is known of its rows."""
    regions = item[1]
    ((source, region),) = regions.items() if len(regions) == 1 else ((None, None),)
    return source if region is not None else None


def _union(items: list[Read]) -> dict[Any, Region]:
    sources = dict.fromkeys(source for _, regions in items for source in regions)
    return {
        source: union(regions[source] for _, regions in items if source in regions)
        for source in sources
    }


def _anywhere(tree: Tree) -> Read:
    return tree, dict.fromkeys(consumed(tree))


def _plain(tree: Tree) -> Tree:
    """A tree whose regions are forgotten."""
    if isinstance(tree, Spent):
        return _without_regions(tree)
    return with_parts(tree, _plain)


def _without_regions(leaf: Spent) -> Spent:
    """An event that shares no unit with others: in parts it has the source of a part."""
    if not isinstance(leaf, AboutRows):
        return leaf
    found = Spent(leaf.event, {s: leaf.alone.get(s, m) for s, m in leaf.moved.items()}, leaf.ways)
    if leaf.bound is None or leaf.bound == noise_bound(found):
        return found
    return msgspec.structs.replace(found, bound=leaf.bound)


def _finished(tree: Tree, persons: Collection[Source], vectors: Collection[Source]) -> Tree:
    """A tree in which no event names a region, or two movements of one source."""
    if isinstance(tree, Spent):
        return _without_regions(tree)
    if isinstance(tree, Parallel) and tree.row not in vectors and _halves(tree):
        tree = _of_replaced(tree, persons)
    return with_parts(tree, lambda part: _finished(part, persons, vectors))


def _halves(tree: Parallel) -> bool:
    """Whether a unit moves two parts, each by half of it."""
    return tree.each and not tree.whole and tree.reach is None


def _of_replaced(tree: Parallel, persons: Collection[Source]) -> Tree:
    """Parts of a table whose rows are replaced, of whose events more may be known."""
    items = tree.body.items if isinstance(tree.body, Choice) else ()
    if tree.count == ONE and len(items) == 2 and all(_halved(item, tree) for item in items):
        return apart(tree)
    stated = all({"pure", "zcdp"} & leaf.event.privacy.keys() for leaf in leaves(tree.body))
    if tree.parent in persons:
        # Who may have more than two parts of what a unit moves.
        return tree if stated else apart(tree)
    if not stated:  # of (epsilon, delta) no worst allocation is known
        return _two_of(tree)
    plain = all(isinstance(node, Spent | Sequence | Choice | Repeat) for node in nodes(tree.body))
    if plain and all(tree.row in each.moved and _by_square(each) for each in leaves(tree.body)):
        return with_parts(tree, lambda part: _in_one_norm(part, tree))
    return tree


def _two_of(tree: Parallel) -> Tree:
    """Parts of which a replaced row moves one, or two, each by what one row does to it alone."""
    items = tree.body.items if isinstance(tree.body, Choice) else ()
    plain = all(isinstance(node, Spent | Sequence | Choice | Repeat) for node in nodes(tree.body))
    changed = [_of_one_row(item, tree) for item in items]
    if not plain or None in changed:
        return apart(tree)
    most = best([num(2), num(len(items)) * tree.count])
    body = Choice(tuple(item for item in changed if item is not None))
    return msgspec.structs.replace(tree, body=body, factor=most, reach=Reach(most, ONE))


def _of_one_row(tree: Tree, parts: Parallel) -> Tree | None:
    """The events of a part, each moved by a row that comes or goes, or is replaced within the part,
    whichever is more; None where a movement is not linear."""
    moves = [_more_of_one_row(leaf, parts) for leaf in leaves(tree) if parts.row in leaf.moved]
    if None in moves:
        return None

    def one(leaf: Spent) -> Spent:
        if parts.row not in leaf.moved:
            return leaf
        found = _more_of_one_row(leaf, parts)
        assert found is not None
        moved = {**leaf.moved, parts.row: found}
        return msgspec.structs.replace(leaf, moved=moved, bound=noise_bound(leaf))

    return _leaves_changed(tree, one)


def _more_of_one_row(leaf: Spent, parts: Parallel) -> Expr | None:
    shared = leaf.moved[parts.row]
    own = leaf.alone.get(parts.parent, shared) if isinstance(leaf, AboutRows) else shared
    slopes = linear_coefficient(own), linear_coefficient(shared)
    if slopes[0] is None or slopes[1] is None:
        return None
    return maximum(slopes[0], slopes[1] / 2) * D


def _halved(item: Tree, tree: Parallel) -> bool:
    """Whether an event moves by no more than half of what is charged for a unit that stays in its
    part: after another one it costs no more than as a part."""
    if not isinstance(item, AboutRows) or tree.parent not in item.alone:
        return False
    own, shared = item.alone[tree.parent], item.moved[tree.row]
    slopes = linear_coefficient(own), linear_coefficient(shared)
    return None not in slopes and compare(2 * slopes[0], "<=", slopes[1]) is True  # type: ignore


def of_replaced(tree: Tree, row: Source, parent: Source, count: Expr) -> Tree | None:
    """A loop over the parts of a table whose rows are replaced, its events read as one vector, or
    as those of two parts (`_two_of`); None where their costs are no squares of their movements, and
    other than (epsilon, delta), or more is to be paid for a row that stays in its part.

    Args:
        tree: what a round spends on its part, `row`.
        count: the number of parts.
    """
    plain = all(isinstance(node, Spent | Sequence | Choice | Repeat) for node in nodes(tree))
    moves = [linear_coefficient(leaf.moved[row]) for leaf in leaves(tree) if row in leaf.moved]
    squares = all(map(_by_square, leaves(tree)))
    stated = all({"pure", "zcdp"} & leaf.event.privacy.keys() for leaf in leaves(tree))
    if not plain or None in moves or (stated and not squares):
        return None
    more: list[bool] = []

    def both(leaf: Spent) -> Spent:
        if row not in leaf.moved:
            return leaf
        own = leaf.within.get(row) if isinstance(leaf, AboutRows) else None
        slopes = (
            linear_coefficient(leaf.moved[row]),
            linear_coefficient(D * D if own is None else own),
        )
        h: Expr = slopes[0]  # type: ignore[assignment]
        m = 2 * h if slopes[1] is None else minimum(slopes[1], 2 * h)
        more.append(compare(m, "<=", h) is not True)
        moved = {**leaf.moved, row: (maximum(m, root(num(2)) * h) if squares else h) * D}
        return msgspec.structs.replace(leaf, moved=moved, bound=noise_bound(leaf))

    body = Choice((_leaves_changed(tree, both),))
    if squares:
        return Parallel(body, row, parent, count=count, each=True)
    if any(more):
        return None
    most = best([num(2), count])
    return Parallel(body, row, parent, count=count, each=True, factor=most, reach=Reach(most, ONE))


def _leaves_changed(tree: Tree, change: Callable[[Spent], Spent]) -> Tree:
    if isinstance(tree, Spent):
        return change(tree)
    return with_parts(tree, lambda part: _leaves_changed(part, change))


def _by_square(leaf: Spent) -> bool:
    """Whether rho is a number times the square of the movement, and all that is known."""
    privacy = leaf.event.privacy
    if set(privacy) != {"zcdp"}:
        return False
    (rho,) = privacy["zcdp"]
    twice = {name: 2 * each for each in (MOVED, RATIO) for name in each.symbols}
    return rho.subs(twice) == 4 * rho


def _in_one_norm(tree: Tree, parts: Parallel) -> Tree:
    if not isinstance(tree, Spent):
        return with_parts(tree, lambda part: _in_one_norm(part, parts))
    shared = tree.moved[parts.row]
    own = tree.alone.get(parts.parent, shared) if isinstance(tree, AboutRows) else shared
    slopes = linear_coefficient(own), linear_coefficient(shared)
    if slopes[0] is None or slopes[1] is None:
        return tree
    both = maximum(slopes[0], slopes[1] / root(num(2))) * D
    return msgspec.structs.replace(
        tree, moved={**tree.moved, parts.row: both}, bound=noise_bound(tree)
    )


def _flat(tree: Sequence) -> Iterator[Tree]:
    for item in tree.items:
        if isinstance(item, Sequence):
            yield from _flat(item)
        else:
            yield item


def _varies(tree: Tree, index: str) -> bool:
    """Whether anything but regions depends on the number of a round."""
    alone = (
        bound
        for node in nodes(tree)
        if isinstance(node, AboutRows)
        for bound in node.alone.values()
    )
    numbers = (each for node in nodes(tree) for each in numbers_in(node))
    return any(index in each.symbols for each in (*numbers, *alone))
