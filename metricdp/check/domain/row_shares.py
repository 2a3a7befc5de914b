"""How far one row moves a vector of sums to whose entries it adds several times.

Entry j of the vector is a sum over the rows of a table, and what one row adds to it is a sum of
shares: `points[b.first] += 3` gives entry j a share that lies in [0, 3], and is 0 unless b.first
is j.  Where every share has the region of the rows for which it may be something else than 0, a row
meets at most one of several shares whose regions have no row in common.  So let the shares of all
entries be put into groups, each of shares that exclude each other.  One row meets at most one share
of a group, w_g at most in size, and the vector that it adds is a sum of one vector for each group,
with one entry that is not 0:

  L1    at most the sum of all w_g;
  L2    at most the sum of all w_g, by the triangle inequality; and where the shares of each entry
        exclude each other, so that no two groups meet one entry, the root of the sum of all w_g^2;
  LInf  there at most the largest w_g.

A row that is replaced takes v away and brings v'.  Where no entry has shares of both signs, v and
v' have entries of one sign: each entry of v' - v is at most the larger of both in size, so its p-th
power is at most the sum of theirs, and the vector moves by at most 2^(1/p) times what one row adds.
Otherwise it moves by at most twice that.  d rows move it by d times what one does.

Which groups are made decides nothing but how good the bound is.  Where rows are of few enough
kinds, the largest norm of what a row of each kind adds is another bound, in which shares of one
entry cancel (`domain.kinds_of_rows`).

A number of one row is a sum of such shares as well, and lies between the sums of what the groups
add at least and at most.  This is a range as any other: a run moves what a row gives into it.

What a row adds by exact numbers is what was proved.  Doubles are rounded where they are added, and
where a run moves them onto a grid, so shares are followed only where a run moves each of them into
its range, and then adds exactly: what `counts[i] += v` adds to an entry of a list or a dictionary
(`language.scattering`).  And whole numbers that are written in the program, of which a branch
chooses one, are what they are: `sum(points(r) for r in rows)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from metricdp.check.domain import kinds_of_rows
from metricdp.check.values.forms import Form, Source, single
from metricdp.check.values.objects import Value
from metricdp.check.values.regions import (
    EVERYTHING,
    NOWHERE,
    Literal,
    Region,
    Term,
    accepted,
    both,
    disjoint,
    either,
    rejected,
    union,
)
from metricdp.check.values.row_sums import RowSum, RowVector
from metricdp.expr import ZERO, Expr, best, compare, maximum, minimum, num
from metricdp.primitives._common import EVERYTHING as EVERY_NUMBER
from metricdp.primitives._common import Range, add_ranges, scale_range
from metricdp.spaces import Scalar
from metricdp.spaces.norms import NORMS

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState

#: Most shares that are held against each other; and that a branch adds to one entry.
_MOST, _MOST_OF_ENTRY = 160, 16


class Share(msgspec.Struct, frozen=True):
    """A part of what one row adds to an entry.

    Attributes:
        entry: which entry; `turn`: which of its shares, in the order in which they are added.
        added: the rows for which it may not be 0, and its range.
    """

    entry: int
    turn: int
    added: RowSum

    @property
    def size(self) -> Expr:
        """The most that it moves the entry by, one way or the other."""
        return maximum(self.added.hi, -self.added.lo, ZERO)


# -- what a round adds --------------------------------------------------------------------------


def added(state: CheckState, value: Form, lo: Expr, hi: Expr) -> None:
    """Note that an entry is given a number which a run moves into a range."""
    if not (lo.is_infinite or hi.is_infinite or _are_whole(state.shares.get(value, ()))):
        state.shares[value] = (_of_every_row(EVERYTHING, lo, hi),)


def chosen(state: CheckState, result: Form, term: Term | None, then: Value, orelse: Value) -> None:
    """Note what a branch adds.

    Args:
        term: of the condition.
        then, orelse: what both sides add, with the ranges that they have there.
    """
    if not isinstance(then.space, Scalar) or not isinstance(orelse.space, Scalar):
        return
    yes, no = accepted(term), rejected(term)
    for known, side in ((state.shares, _exactly), (state.by_rows, _about)):
        a, b = side(state, then), side(state, orelse)
        if a is not None and b is not None and len(a) + len(b) <= _MOST_OF_ENTRY:
            known[result] = (
                *(_within(x, yes, no) for x in a), *(_within(x, no, yes) for x in b)
            )  # fmt: skip


def _exactly(state: CheckState, side: Value) -> tuple[RowSum, ...] | None:
    form = side.form or Form(())
    if not form.terms:
        c = form.constant
        return () if c.is_zero else (_of_every_row(EVERYTHING, c, c),)
    return state.shares.get(form)


def _about(state: CheckState, side: Value) -> tuple[RowSum, ...] | None:
    form, space = side.form or Form(()), side.space
    assert isinstance(space, Scalar)
    if form == Form(()):
        return ()
    return state.by_rows.get(form) or (_of_every_row(EVERYTHING, space.lo, space.hi),)


def range_of(state: CheckState, form: Form) -> Range:
    """The range of a number of one row, by which of its shares exclude each other."""
    shares: list[RowSum] = []
    out: Range = (form.constant, form.constant)
    for atom, factor in form.terms:
        known, space = state.by_rows.get(single(atom)), state.atoms[atom].space
        if known is not None:
            shares += [times(each, factor) for each in known]
        elif isinstance(space, Scalar):
            out = add_ranges(out, scale_range((space.lo, space.hi), factor))
        else:
            return EVERY_NUMBER
    if len(shares) > _MOST:
        return EVERY_NUMBER
    for group in _grouped(range(len(shares)), _excluding(shares)):
        lo = minimum(*(shares[i].lo for i in group), ZERO)
        out = add_ranges(out, (lo, maximum(*(shares[i].hi for i in group), ZERO)))
    return out


def times(share: RowSum, factor: Expr) -> RowSum:
    """A share of a multiple of the sum."""
    lo, hi = scale_range((share.lo, share.hi), factor)
    return RowSum(share.region, lo, hi, spared=share.spared)


def _excluding(shares: Sequence[RowSum]) -> list[list[bool]]:
    """Of every two shares whether no row meets both."""
    count = len(shares)
    apart = [[False] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            apart[i][j] = apart[j][i] = disjoint(shares[i].region, shares[j].region)
    return apart


def _of_every_row(region: Region, lo: Expr, hi: Expr) -> RowSum:
    return RowSum(region, lo, hi, spared=NOWHERE)


def _within(share: RowSum, rows: Region, others: Region) -> RowSum:
    """A share of some rows alone.

    Args:
        others: all rows that may be none of these.
    """
    region, spared = both(rows, share.region), either(others, share.spared)
    return msgspec.structs.replace(share, region=region, spared=spared)


def of_round(
    state: CheckState, rest: Form, about: Region, left_out: Region,
    of_row: Callable[[Term], Term | None],
) -> tuple[RowSum, ...]:  # fmt: skip
    """The shares of what a round adds to an entry; empty where they are not known.

    Args:
        about: the rows that the loop goes through; `left_out`: those that it may not go through.
        of_row: a term as a function of one row of the table; None where it is none.
    """
    found = []
    for atom, factor in rest.terms:
        for known in state.shares.get(single(atom), ()):
            here = msgspec.structs.replace(
                times(known, factor),
                region=_of_table(known.region, of_row), spared=_of_table(known.spared, of_row),
            )  # fmt: skip
            found.append(_within(here, about, left_out))
        if single(atom) not in state.shares:
            return ()
    if not rest.constant.is_zero:
        found.append(RowSum(about, rest.constant, rest.constant, spared=left_out))
    return tuple(found)


def of_rows(
    state: CheckState, made: Form, of_row: Callable[[Term], Term | None]
) -> tuple[RowSum, ...]:  # fmt: skip
    """The shares of the number that a function makes of a row: whole numbers of the program, of
    which branches choose one; empty where it may be something else."""
    return whole_of_round(state, made, EVERYTHING, NOWHERE, of_row)


def whole_of_round(
    state: CheckState, rest: Form, about: Region, left_out: Region,
    of_row: Callable[[Term], Term | None],
) -> tuple[RowSum, ...]:  # fmt: skip
    """The shares of what a round adds to a number that is no entry, where they are whole numbers of
    the program; empty where they may be something else."""
    found = of_round(state, rest, about, left_out, of_row)
    return found if _are_whole(found) else ()


def _are_whole(shares: Sequence[RowSum]) -> bool:
    """Whether each is a whole number that is written in the program."""
    known = [each.lo.as_fraction() for each in shares if each.lo == each.hi]
    whole = all(one is not None and one.denominator == 1 for one in known)
    return 0 < len(known) == len(shares) and whole


def together(before: tuple[RowSum, ...], more: RowSum) -> RowSum:
    """A sum over rows to which more is added."""
    if not before:
        return more
    shares = (*before, *(more.shares or (more,)))
    lo, hi = ZERO, ZERO
    for share in (*before, more):
        lo, hi = lo + minimum(share.lo, ZERO), hi + maximum(share.hi, ZERO)
    return RowSum(union(share.region for share in shares), lo, hi, shares=shares)


def _of_table(region: Region, of_row: Callable[[Term], Term | None]) -> Region:
    """A region of the rows of a table: what is no function of one row is left out of it."""
    if region is None:
        return None
    conjunctions = []
    for one in region:
        kept = []
        for each in one:
            term, constant = of_row(each.term), of_row(each.constant) if each.constant else ()
            if term is not None and constant is not None:
                kept.append(Literal(term, each.op, constant, each.holds))
        conjunctions.append(frozenset(kept))
    return frozenset(conjunctions)


# -- what one row does to a vector ----------------------------------------------------------------


def vector(state: CheckState, forms: Sequence[Form], source: Source) -> RowVector | None:
    """What one row of a source does to several numbers; None where its shares are not known, or
    too many."""
    shares: list[Share] = []
    for entry, form in enumerate(forms):
        held = of_number(state, form, source)
        if held is None:
            return None
        met = (each for each in held if each.region != frozenset())
        shares += [Share(entry, turn, each) for turn, each in enumerate(met)]
    if not shares or len(shares) > _MOST:
        return None
    return of_shares(shares)


def of_number(state: CheckState, form: Form, source: Source) -> tuple[RowSum, ...] | None:
    """The shares of what one row of a source adds to a number; None where they are not known."""
    found = []
    for atom, factor in form.terms:
        if source not in state.atoms[atom].bounds:
            continue
        known = state.row_sums.get(atom, {}).get(source)
        if known is None:
            return None
        parts = [each for part in known.shares or (known,) for each in _told_apart(part)]
        found += [times(part, factor) for part in parts]
    return tuple(found)


def _told_apart(share: RowSum) -> list[RowSum]:
    """A share as one for each way to be in its region: the rows in none of the ways before.

    Rows that are "a" here or there meet one share by being "a" here, another one by being "a" there
    alone, which exclude the shares of those that are "b" here, and there.
    """
    ways = sorted(share.region or (), key=lambda one: sorted(map(repr, one)))
    if len(ways) < 2 or all(disjoint(frozenset({a}), frozenset({b})) for a in ways for b in ways
                            if a is not b):  # fmt: skip
        return [share]
    shared = frozenset.intersection(*ways)
    if len(ways) > _MOST_OF_ENTRY or any(len(each - shared) != 1 for each in ways):
        return [share]
    before: list[Literal] = []
    found = []
    for each in ways:
        (own,) = each - shared
        found.append(msgspec.structs.replace(share, region=frozenset({each | {*before}})))
        before.append(msgspec.structs.replace(own, holds=not own.holds))
    return found


def of_shares(shares: Sequence[Share]) -> RowVector:
    """What one row does to a vector of sums with these shares."""
    apart = _excluding([share.added for share in shares])
    of_entry: dict[int, list[int]] = {}
    for place, share in enumerate(shares):
        of_entry.setdefault(share.entry, []).append(place)
    alone = all(apart[i][j] for each in of_entry.values() for i in each for j in each if j < i)
    sizes = [share.size for share in shares]
    options: dict[str, list[Expr]] = {name: [] for name in NORMS}
    for order in _orders(shares, sizes):
        most = [maximum(*(sizes[i] for i in group)) for group in _grouped(order, apart)]
        for name, norm in NORMS.items():
            options[name].append(norm.combined(most) if alone else NORMS["L1"].combined(most))
    come = {name: best(each) for name, each in options.items()}
    one_way = all(of_one_sign([shares[i] for i in each]) for each in of_entry.values())
    twice = {name: norm.of_ones(num(2)) if one_way else num(2) for name, norm in NORMS.items()}
    about = union(share.added.region for share in shares)
    found = RowVector(about, come, {name: twice[name] * come[name] for name in NORMS})
    if compare(come["L1"], "<=", maximum(ZERO, *sizes)) is True and one_way:
        return found  # what a row does that meets the largest share
    return least(found, _by_kinds(about, shares, twice) or found)


def _by_kinds(
    about: Region, shares: Sequence[Share], twice: Mapping[str, Expr]
) -> RowVector | None:  # fmt: skip
    """What rows of every kind do; None where there are too many kinds."""
    added_by = [share.added for share in shares]
    kinds = kinds_of_rows.kinds(added_by)
    if kinds is None:
        return None
    vectors = kinds_of_rows.added(added_by, [share.entry for share in shares], kinds)
    come = kinds_of_rows.moves(vectors)
    both_ways = kinds_of_rows.replaced(vectors) or {n: twice[n] * each for n, each in come.items()}
    return RowVector(about, come, both_ways)


def of_one_sign(parts: Sequence[Share]) -> bool:
    """Whether all that one row adds to an entry has one sign, whatever the row is."""
    up = all(compare(part.added.lo, ">=", ZERO) is True for part in parts)
    return up or all(compare(part.added.hi, "<=", ZERO) is True for part in parts)


def _orders(shares: Sequence[Share], sizes: Sequence[Expr]) -> list[list[int]]:
    """Orders in which shares are put into groups: turn by turn, large ones first, as they come."""
    places = [*range(len(shares))]
    known = [size.as_fraction() for size in sizes]
    found = [sorted(places, key=lambda i: shares[i].turn), places]
    if all(size is not None for size in known):
        found.insert(0, sorted(places, key=lambda i: (-known[i], shares[i].turn)))  # type: ignore[operator]
    return found


def _grouped(order: Sequence[int], apart: Sequence[Sequence[bool]]) -> list[list[int]]:
    """Groups of shares that exclude each other: each share in the first that it fits into."""
    groups: list[list[int]] = []
    for place in order:
        for group in groups:
            if all(apart[place][other] for other in group):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def least(a: RowVector, b: RowVector) -> RowVector:
    """The better of two bounds of one vector, norm by norm."""
    return RowVector(a.region, _best(a.come, b.come), _best(a.replaced, b.replaced))


def _best(a: Mapping[str, Expr], b: Mapping[str, Expr]) -> dict[str, Expr]:
    return {norm: best([a[norm], b[norm]]) for norm in a}
