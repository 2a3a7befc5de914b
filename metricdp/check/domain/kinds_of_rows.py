"""What one row adds to several sums at once, by all kinds of rows that conditions tell apart.

Shares (`domain.row_shares`) name conditions of a row: literals, each true or false of it.  A kind
of row is a choice for each literal, in which no two exclude each other.  Every row is of one kind:
its literals are what they are, and two that exclude each other are not both so.  Of a kind a share
is

  nothing   where no conjunction of its region holds: the row adds 0;
  all       where one holds, and none of the rows that are spared: it adds lo to hi;
  some      else: it adds 0, or lo to hi.

So an entry is moved by a sum of ranges, in which what is added here and taken there cancels:
`c[1] - c[2]` of counts with c[2] among c[1] is 0 for a row of both.  The largest norm of all kinds
is what a row does that comes or goes.  A row that is replaced goes over from one kind to another
one, or the same, and moves an entry by what lies between a number of one range and one of the
other.  A unit of several rows moves by at most so many times what one row does, and may bring fewer
rows: it may go over from no row, or to none.

There may be kinds of which there is no row (x > 0, y > 0 and x + y < 0): they make the bound
larger, never smaller.  Nothing is said where there are too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

from metricdp.check.values.regions import Literal, Region, disjoint
from metricdp.check.values.row_sums import RowSum
from metricdp.expr import ZERO, Expr, absolute, maximum, minimum
from metricdp.primitives._common import Range, add_ranges
from metricdp.spaces.norms import NORMS

#: Most literals, kinds, and shares of all kinds, that are followed.
_MOST_LITERALS, _MOST_KINDS, _MOST_IN_ALL = 60, 1200, 40_000
#: Most kinds of which each is held against each.
_MOST_PAIRED = 64

#: Bits of shares that a row meets, and bits of those that it may meet.
Kind = tuple[int, int]
#: Entry -> range of what is added to it, where that is not 0.
Added = tuple[tuple[int, Range], ...]


def kinds(shares: Sequence[RowSum]) -> list[Kind] | None:
    """What rows of every kind meet of some shares; None where there are too many kinds."""
    literals = _literals(shares)
    if len(literals) > _MOST_LITERALS:
        return None
    conditions = [(_masks(each.region, literals), _masks(each.spared, literals)) for each in shares]
    found: dict[Kind, None] = {}
    for count, truths in enumerate(_truths(literals)):
        if count >= _MOST_KINDS or count * len(shares) > _MOST_IN_ALL:
            return None
        surely = perhaps = 0
        for place, (region, spared) in enumerate(conditions):
            if _holds(region, truths):
                if _holds(spared, truths):
                    perhaps |= 1 << place
                else:
                    surely |= 1 << place
        found[surely, perhaps] = None
    return [*found] or None  # a row is of some kind


def added(shares: Sequence[RowSum], entries: Sequence[int], met: Iterable[Kind]) -> list[Added]:
    """The different vectors of ranges that rows add; `entries` says of which entry a share is."""
    of_entry: dict[int, int] = {}
    for place, entry in enumerate(entries):
        of_entry[entry] = of_entry.get(entry, 0) | 1 << place
    ranges: dict[tuple[int, int, int], Range] = {}
    found: dict[Added, None] = {}
    for surely, perhaps in met:
        vector = []
        for entry, mask in of_entry.items():
            if not (surely | perhaps) & mask:
                continue
            key = entry, surely & mask, perhaps & mask
            if key not in ranges:
                ranges[key] = _range(shares, *key[1:])
            vector.append((entry, ranges[key]))
        found[tuple(vector)] = None
    return [*found]


def moves(vectors: Sequence[Added]) -> dict[str, Expr]:
    """The largest norm of what a row adds."""
    return _norms(Counter(_size(each) for _, each in vector) for vector in vectors)


def replaced(vectors: Sequence[Added]) -> dict[str, Expr] | None:
    """The largest norm of the difference of what two rows add, or one and none; None where they are
    too many."""
    if len(vectors) > _MOST_PAIRED:
        return None
    either = combinations_with_replacement([(), *vectors], 2)
    return _norms(_difference(dict(a), dict(b)) for a, b in either)


def _difference(a: Mapping[int, Range], b: Mapping[int, Range]) -> Counter[Expr]:
    none = ZERO, ZERO
    return Counter(
        maximum(hi - other_lo, other_hi - lo, ZERO)
        for entry in {**a, **b}
        for (lo, hi), (other_lo, other_hi) in [(a.get(entry, none), b.get(entry, none))]
    )


def _size(each: Range) -> Expr:
    lo, hi = each
    return absolute(lo) if lo == hi else maximum(hi, -lo, ZERO)


def _norms(sizes: Iterable[Counter[Expr]]) -> dict[str, Expr]:
    different = {frozenset((s, n) for s, n in each.items() if not s.is_zero) for each in sizes}
    listed = [[s for s, n in sorted(each, key=repr) for _ in range(n)] for each in different]
    return {
        name: maximum(ZERO, *dict.fromkeys(norm.combined(each) for each in listed if each))
        for name, norm in NORMS.items()
    }


def _range(shares: Sequence[RowSum], surely: int, perhaps: int) -> Range:
    total: Range = (ZERO, ZERO)
    for place in _bits(surely):
        total = add_ranges(total, (shares[place].lo, shares[place].hi))
    for place in _bits(perhaps):
        lo, hi = shares[place].lo, shares[place].hi
        total = add_ranges(total, (minimum(lo, ZERO), maximum(hi, ZERO)))
    return total


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


# -- literals ----------------------------------------------------------------------------------


def _literals(shares: Sequence[RowSum]) -> list[Literal]:
    """All literals, as they hold, those of one term side by side."""
    found: dict[Any, dict[Literal, None]] = {}
    for share in shares:
        for region in (share.region, share.spared):
            for each in (each for one in region or () for each in one):
                found.setdefault(each.term, {})[_held(each)] = None
    return [each for of_term in found.values() for each in of_term]


def _held(each: Literal, holds: bool = True) -> Literal:
    return Literal(each.term, each.op, each.constant, holds)


def _masks(region: Region, literals: Sequence[Literal]) -> list[tuple[int, int]]:
    """Of each conjunction the literals that have to hold, and to fail."""
    if region is None:
        return [(0, 0)]
    places = {each: 1 << place for place, each in enumerate(literals)}
    found = []
    for one in region:
        yes = sum({places[_held(each)] for each in one if each.holds})
        found.append((yes, sum({places[_held(each)] for each in one if not each.holds})))
    return found


def _holds(conjunctions: Sequence[tuple[int, int]], truths: int) -> bool:
    return any(yes & truths == yes and not no & truths for yes, no in conjunctions)


def _truths(literals: Sequence[Literal]) -> Iterator[int]:
    """The literals that hold, for every choice in which no two exclude each other."""
    excluded = _excluded(literals)
    waiting = [(0, 0, 0, 0)]
    while waiting:
        at, truths, not_true, not_false = waiting.pop()
        if at == len(literals):
            yield truths
            continue
        bit = 1 << at
        for holds, barred in ((False, not_false), (True, not_true)):
            if not barred & bit:
                more_true, more_false = excluded[at][holds]
                chosen = truths | bit if holds else truths
                waiting.append((at + 1, chosen, not_true | more_true, not_false | more_false))


def _excluded(literals: Sequence[Literal]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Of each literal that fails, and that holds, which later ones cannot hold, and cannot fail."""
    both = [
        [frozenset({frozenset({_held(x, holds)})}) for holds in (False, True)] for x in literals
    ]
    found = []
    for i, x in enumerate(literals):
        masks = [[0, 0], [0, 0]]
        for j in range(i + 1, len(literals)):
            if literals[j].term != x.term:
                continue
            for holds in (False, True):
                for place, other in enumerate((True, False)):
                    if disjoint(both[i][holds], both[j][other]):
                        masks[holds][place] |= 1 << j
        found.append((tuple(masks[False]), tuple(masks[True])))
    return found  # type: ignore[return-value]
