"""Numbers as sums over the rows of a table: how far one row that is added moves them, up and down.

A sum S adds g(row) for every row, g being a function of that row alone.  c_1 S_1 + ... + c_n S_n is
again such a sum, of c_1 g_1 + ... + c_n g_n.  A sum to which every row adds one number, as the
number of all rows is, adds that of its own, whatever the row is; any other may add nothing.  So one
row moves them up by all numbers of the first kind, and by the largest sum of what one row may add
to the others (`domain.movements`), or what a row of some kind adds, in which they cancel
(`domain.kinds_of_rows`); and down alike.  2 * count(rows) - count(some of the rows) is moved by 1
or by 2, up.  One row that is added or removed moves a number by the larger of both ends, k rows by
k times that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metricdp.check.domain import kinds_of_rows
from metricdp.check.domain.movements import added, together
from metricdp.check.values.forms import Form, Movement, Quantity, Source
from metricdp.check.values.regions import Region, union
from metricdp.check.values.row_sums import RowSum
from metricdp.expr import ZERO, D, Expr, absolute, best, compare, linear_coefficient, maximum
from metricdp.primitives._common import scale_range

#: Atom -> source -> what one row adds to it.
RowSums = Mapping[int, Mapping[Source, RowSum]]


def region(sums: RowSums, form: Form, source: Source) -> Region:
    """The rows that can move a sum over the rows of a source."""
    known = (sums.get(atom, {}).get(source) for atom, _ in form.terms)
    return union(each.region for each in known if each is not None)


def ends(
    atoms: Sequence[Quantity], sums: RowSums, form: Form, source: Source
) -> tuple[Expr, Expr] | None:  # fmt: skip
    """How far one row of a source that is added moves a number up and down, each times d_in; None
    where it is no sum over its rows.  An end below 0 says that every row moves it the other way."""
    always, some = [ZERO, ZERO], ([], [])  # type: ignore[var-annotated]
    shares: list[RowSum] = []
    found = False
    for atom, factor in form.terms:
        if source not in atoms[atom].bounds:
            continue
        known = sums.get(atom, {}).get(source)
        if known is None:
            return None
        found = True
        for side, most in enumerate(_of_row(known, factor)):
            if known.every:
                always[side] = always[side] + most
            else:
                some[side].append((known.region, {"": maximum(most, ZERO) * D}))
        if not known.every:
            shares += [_times(each, factor) for each in known.shares or (known,)]
    if not found:
        return None
    up, down = (_largest(each) if each else ZERO for each in some)
    by_kinds = _by_kinds(shares) if len(shares) > 1 else None
    if by_kinds is not None:
        up, down = best([up, by_kinds[0] * D]), best([down, by_kinds[1] * D])
    return always[0] * D + up, always[1] * D + down


def _by_kinds(shares: Sequence[RowSum]) -> tuple[Expr, Expr] | None:
    """How far a row of some kind moves a number up and down, or none does."""
    kinds = kinds_of_rows.kinds(shares)
    if kinds is None:
        return None
    vectors = kinds_of_rows.added(shares, [0] * len(shares), kinds)
    ranges = [each for vector in vectors for _, each in vector]
    return maximum(ZERO, *(hi for _, hi in ranges)), maximum(ZERO, *(-lo for lo, _ in ranges))


def _times(share: RowSum, factor: Expr) -> RowSum:
    lo, hi = scale_range((share.lo, share.hi), factor)
    return RowSum(share.region, lo, hi, spared=share.spared)


def moves_by(
    atoms: Sequence[Quantity], sums: RowSums, form: Form, source: Source
) -> Expr | None:  # fmt: skip
    """How far one row of a source that is added or removed moves a number; None where that is not
    known."""
    both = ends(atoms, sums, form, source)
    slopes = [linear_coefficient(each) for each in both or ()]
    if not slopes or None in slopes:
        return None
    return maximum(*slopes, ZERO)  # type: ignore[arg-type]


def _largest(parts: Sequence[tuple[Region, Movement]]) -> Expr:
    return together(parts, added)[""]


def _of_row(known: RowSum, factor: Expr) -> tuple[Expr, Expr]:
    """The most that one row adds to a multiple of a sum, and the most that it takes away."""
    up, down = known.hi, -known.lo
    if compare(factor, ">=", ZERO) is True:
        return factor * up, factor * down
    if compare(factor, "<=", ZERO) is True:
        return -factor * down, -factor * up
    both = absolute(factor) * maximum(up, down, ZERO)
    return both, both
