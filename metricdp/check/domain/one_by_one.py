"""Noise on the entries of one vector, one entry after the other: what one row pays for all of them.

Event j adds noise to a sum over the rows of a table.  What one row adds to the sum is a sum of
shares (`domain.row_shares`), and alone it moves the argument by at most m_j.  Let F bound the norm
of the vector of all movements, each divided by its own m_j, for every row: a ballot that gives 3,
2 and 1 points to three names has F = 1 in L1, however many names there are.  With x_j the movement
of argument j over m_j, what a row pays is the sum of f(x_j), f being what each of these events
costs at m_j x: events are taken together that cost the same at m_j.

  L1    where epsilon is linear in the movement: f(x) = x f(1), and the sum is at most F f(1);
  L2    where all that is known is a rho that goes with its square: at most F^2 f(1).

Events of other costs are taken together where they cost w_j times, or w_j^2 times, what the dearest
of them does, w_j being a number: x_j is then w_j times the movement over m_j, so that f(x_j) is
what the dearest event costs at x_j in place of 1, and F bounds the norm of these.

That is what parts of the table pay whose distances add up to 1, each moved by F m_j per unit
(`measures.events.Parallel`): the worst of them has all of the distance.  It holds for the law of
Laplace and of Gaussian noise as well.  Let T be the trade-off of P_0 and P_x, which for noise with
a log-concave density is that of all thresholds, so that the trade-offs of x and y follow each other
as that of x + y; and the trade-off of two pairs of laws at once is at least what both give one
after the other, by way of the law that has changed in the first place alone.  So a vector of
Laplace noise with L1 distance F is harder to tell apart than one number that moves by F; Gaussian
noise depends on the L2 distance alone.  Each |x_j| is at most F, so the events read one after the
other, each moved by F m_j, are a bound, too.

All shares are functions of the row that are fixed before data are read, so the queries are, and
the order of the events says nothing.

A loop whose shares are about rows of their own in every round: a row meets each share in one round,
at most.  So F is at most the sum of all shares of one round over m, in L1 and in L2; twice that
where a row is replaced, and in L2 the root of 2 times that where all shares have one sign, as an
entry then moves by the larger of what leaves and what comes.  Shares that exclude each other in
a round are met in different rounds, so that F is the norm of their sizes in L2.  As |x_j| is at
most 1, n rounds have F at most n in L1, and at most the root of n in L2.

d units move the vector by at most d times that.
Source: Dong, Roth, Su (2022), Gaussian differential privacy, Lemma A.5 and section 2.4; Bun and
Steinke (2016), Lemma 1.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import isqrt
from typing import Any

import msgspec
from msgspec.structs import replace

from metricdp.check.domain.row_shares import Share, of_one_sign, of_shares, times
from metricdp.check.values.forms import Source
from metricdp.check.values.regions import Region, Rely, disjoint, new_rows_each_round, union
from metricdp.check.values.row_sums import RowSum, ends_in
from metricdp.expr import ONE, Expr, best, compare, linear_coefficient, maximum, num, root
from metricdp.measures.events import Spent, noise_bound
from metricdp.record import MOVED, RATIO
from metricdp.spaces.norms import NORMS

#: Families whose laws are worst where one of several numbers has all of the movement.
_ONE_IS_WORST = frozenset({"laplace", "gaussian"})
#: Most shares of all entries.
_MOST = 160


class NoisedEntry(msgspec.Struct, frozen=True):
    """An event about a sum over rows.

    Attributes:
        leaf: the event.
        alone: how far one unit moves its argument, times d_in.
        shares: what one row adds to the argument.
    """

    leaf: Spent
    alone: Expr
    shares: tuple[RowSum, ...]


def known(leaf: Spent, alone: Expr, shares: tuple[RowSum, ...]) -> NoisedEntry | None:
    """The event as an entry of a vector; None where what it costs, or which query it asks, may be
    another one in another history."""
    if not shares or leaf.event.unit != ONE or leaf.event.drawn or _norm(leaf) is None:
        return None
    slope = linear_coefficient(alone)
    if slope is None or slope.is_zero or any(_changes(each.region) for each in shares):
        return None
    if any(name.startswith("_") for each in shares for name in ends_in(each)):
        return None
    surely = (each if not _changes(each.spared) else replace(each, spared=None) for each in shares)
    return NoisedEntry(leaf, alone, tuple(surely))


def alike(entries: Sequence[NoisedEntry]) -> list[list[int]]:
    """The positions of entries whose events cost the same when they are alone."""
    found: dict[Any, list[int]] = {}
    for place, entry in enumerate(entries):
        found.setdefault(_told(entry), []).append(place)
    return [*found.values()]


def weighed(entries: Sequence[NoisedEntry]) -> list[list[int]]:
    """The positions of entries of which it is known how many times as much one costs as another."""
    found: list[list[int]] = []
    for group in alike(entries):
        first = entries[group[0]]
        for other in found:
            if _ratio(first, entries[other[0]]) is not None:
                other += group
                break
        else:
            found.append(group)
    return [sorted(each) for each in found]


def weights(entries: Sequence[NoisedEntry]) -> list[Fraction]:
    """How far each event moves what is charged, at most, as a share of what the dearest does."""
    ratios = [_ratio(each, entries[0]) or Fraction(1) for each in entries]
    return [each / max(ratios) for each in ratios]


def costs(entries: Sequence[NoisedEntry]) -> list[Fraction]:
    """What each event costs when it is alone, as a share of what the dearest does."""
    squared = _norm(entries[0].leaf) == "L2"
    return [each * each if squared else each for each in weights(entries)]


def cost(entries: Sequence[NoisedEntry], adds: bool) -> Expr | None:
    """What one row pays for all of them, in units of what the dearest costs; None where that is not
    known.

    Args:
        adds: whether one unit adds or removes rows; else it replaces one.
    """
    most, norm = _most(entries, adds), _norm(entries[0].leaf)
    return most if most is None or norm == "L1" else most * most


def together(
    entries: Sequence[NoisedEntry], row: Source, parent: Source, adds: bool,
    below: Fraction | None = None,
) -> list[Spent] | None:  # fmt: skip
    """The events as parts whose distances add up to one unit; None where nothing less is known.

    Args:
        row: what the source of a part is called; `parent`: the table.
        adds: whether one unit adds or removes rows; else it replaces one.
        below: what one row has to pay less than, in units of what the dearest event costs; than
            for all of them, if that is not said.
    """
    most, norm = _most(entries, adds), _norm(entries[0].leaf)
    if most is None or norm is None:
        return None
    less = most if norm == "L1" else most * most
    if below is not None and compare(less, "<", num(below)) is not True:
        return None
    count = sum(costs(entries)) if below is None else below
    return _moved(entries, most, num(count), norm, row, parent)


def _most(entries: Sequence[NoisedEntry], adds: bool) -> Expr | None:
    shares: list[Share] = []
    for place, (entry, weight) in enumerate(zip(entries, weights(entries), strict=True)):
        own = _of_entry(entry, place)
        vector = of_shares(own)
        alone = (vector.come if adds else vector.replaced)["L1"]
        if compare(ONE, "<=", alone) is not True:
            return None  # a unit moves more than one row
        shares += [Share(place, each.turn, times(each.added, num(weight))) for each in own]
    norm = _norm(entries[0].leaf)
    if len(shares) > _MOST or norm is None:
        return None
    vector = of_shares(shares)
    return (vector.come if adds else vector.replaced)[norm]


def of_rounds(
    entry: NoisedEntry, index: str, count: Expr, row: Source, parent: Source, adds: bool
) -> tuple[list[Spent], Rely] | None:
    """The event of a round as a part, and the parameters whose items have to be different; None
    where a row may meet a share in two rounds.

    Args:
        adds: see `together`.
    """
    rely: Rely = frozenset()
    for share in entry.shares:
        if index in ends_in(share):
            return None
        own = new_rows_each_round(share.region, index)
        if own is None:
            return None
        rely |= own
    shares = _of_entry(entry, 0)
    alone, norm = of_shares(shares), _norm(entry.leaf)
    if (
        norm is None
        or compare(ONE, "<=", (alone.come if adds else alone.replaced)["L1"]) is not True
    ):
        return None
    sizes = [share.size for share in shares]
    # Shares that exclude each other in a round are met in rounds of their own.
    most = NORMS["L1" if not _apart(shares) else norm].combined(sizes)
    if not adds:  # one row leaves, another one comes, and they may meet their shares in any rounds
        most = most * (num(2) if norm == "L1" or not of_one_sign(shares) else root(num(2)))
    found = _moved([entry], most, maximum(ONE, count), norm, row, parent)
    return None if found is None else (found, rely)


def _apart(shares: Sequence[Share]) -> bool:
    pairs = combinations((share.added.region for share in shares), 2)
    return all(disjoint(a, b) for a, b in pairs)


def _of_entry(entry: NoisedEntry, place: int) -> list[Share]:
    slope = linear_coefficient(entry.alone)
    assert slope is not None
    met = (each for each in entry.shares if each.region != frozenset())
    return [Share(place, turn, times(each, ONE / slope)) for turn, each in enumerate(met)]


def _moved(
    entries: Sequence[NoisedEntry], most: Expr, count: Expr, norm: str, row: Source, parent: Source
) -> list[Spent] | None:
    worst = all(entry.leaf.event.family.name in _ONE_IS_WORST for entry in entries)
    if compare(most, "<=", ONE) is not True:
        less = most if norm == "L1" else most * most
        fewer = compare(less, "<", count)
        if not worst or fewer is False:
            return None
        if fewer is None:  # how many events there are is a parameter
            less = best([less, count])
            most = less if norm == "L1" else root(less)
    return [
        Spent(
            each.leaf.event,
            {row if s == parent else s: most / num(weight) * each.alone if s == parent else bound
             for s, bound in each.leaf.moved.items()},
            bound=noise_bound(each.leaf),
        )
        for each, weight in zip(entries, weights(entries), strict=True)
    ]  # fmt: skip


def _ratio(entry: NoisedEntry, other: NoisedEntry) -> Fraction | None:
    """How many times as far one event moves what is charged as another; None where that is not a
    number, or one of them is not worst where it has all of the movement."""
    if _told(entry) == _told(other):
        return Fraction(1)
    names = {each.leaf.event.family.name for each in (entry, other)}
    norm = _norm(entry.leaf)
    if not names <= _ONE_IS_WORST or norm is None or norm != _norm(other.leaf):
        return None
    measure = "pure" if norm == "L1" else "zcdp"
    ((a,), (b,)) = (dict(_told(each)[2])[measure] for each in (entry, other))
    if b.is_zero:
        return None
    found = (a / b).as_fraction()
    if found is not None and norm == "L2":
        found = _root(found)
    return found if found and _told(entry, ONE / num(found)) == _told(other) else None


def _root(square: Fraction) -> Fraction | None:
    """The root of a number that is the square of a fraction."""
    if square <= 0:
        return None
    found = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return found if found * found == square else None


def _norm(leaf: Spent) -> str | None:
    """The norm of the movements of several such events in which one row pays for all."""
    privacy = leaf.event.privacy
    twice = {name: 2 * each for each in (MOVED, RATIO) for name in each.symbols}
    if set(privacy) == {"zcdp"}:
        (rho,) = privacy["zcdp"]
        return "L2" if rho.subs(twice) == 4 * rho else None
    if "pure" in privacy and set(privacy) <= {"pure", "zcdp"}:
        (epsilon,) = privacy["pure"]
        return "L1" if epsilon.subs(twice) == 2 * epsilon else None
    return None


def _told(entry: NoisedEntry, part: Expr = ONE) -> Any:
    """The family of an event, and what it costs where its argument moves as far as it can, or this
    part of it."""
    leaf, slope = entry.leaf, linear_coefficient(entry.alone)
    assert slope is not None
    slope = part * slope
    (moved,), (ratio,) = MOVED.symbols, RATIO.symbols
    at = {moved: slope, ratio: slope / noise_bound(leaf)}
    costs = tuple(
        (measure, tuple(part.subs(at) for part in cost))
        for measure, cost in sorted(leaf.event.privacy.items())
    )
    return leaf.event.mechanism, leaf.event.family.name, costs


def _changes(region: Region) -> bool:
    """Whether which rows a region holds may depend on what was released before."""
    return region is None or any(
        _is_fixed(part) for one in region for each in one for part in (each.term, each.constant)
    )


def _is_fixed(term: Any) -> bool:
    return isinstance(term, tuple) and (
        term[:1] in (("fixed",), ("opaque",), ("state",)) or any(map(_is_fixed, term))
    )


def about(entries: Sequence[NoisedEntry]) -> Region:
    """The rows that can move any of the arguments."""
    return union(each.region for entry in entries for each in entry.shares)
