"""Entries of a histogram at written positions: numbers of the rows in one bin each.

A row is counted in one bin at most, and which one is a function of that row alone and of numbers
that were fixed before the histogram was made.  So the rows that can move the entry at position i
are those whose bin is i, no row lies in the bins of two positions, and noise on such entries is
noise on the numbers of what disjoint filters let through (`domain.parallel`).  An entry that is
read twice has one region twice, and is charged twice.

The term names the histogram, and the rounds that made it: bins of two histograms, or of two rounds,
are never held against each other.  Positions count from the front, so that two of them are one
entry only where they are one number.
Of tables of which one unit adds or removes one row.  A row that is replaced moves two entries by 1,
which is half of what parts are charged for.  Of both it is known what a row adds to an entry: 1
where it is counted there, and 0 else (`domain.row_shares`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import EVERYTHING, Literal, Region, Term, both, either
from metricdp.check.values.row_sums import RowSum
from metricdp.expr import ONE, Expr

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState


class Binned(msgspec.Struct, frozen=True):
    """What is counted in a histogram.

    Attributes:
        source: of the rows.
        term: the bin of a row.
        adds: whether one unit adds or removes a row; else it replaces one.
        left_out: the rows of the source that may not be counted in any bin.
    """

    source: Source
    term: Term
    adds: bool
    left_out: Region


Bins = dict[Form, Binned]


def entry(
    known: Bins, given: Mapping[str, Obj], bounds: Mapping[Source, Any],
    regions: Mapping[Source, Region],
) -> dict[Source, Region]:  # fmt: skip
    """The rows that can move an entry, by what is known of those that move the histogram."""
    held, position = _read(known, given)
    if held is None or not held.adds or set(bounds) != {held.source}:
        return dict(regions)
    own = _in_bin(held.term, position, True)
    return {**regions, held.source: both(regions.get(held.source) or EVERYTHING, own)}


def note_entry(
    state: CheckState, known: Bins, given: Mapping[str, Obj], bounds: Mapping[Source, Any],
    rows: Mapping[Source, Region], form: Form,
) -> None:  # fmt: skip
    """Note what a row adds to an entry.

    Args:
        rows: those that can move the histogram; `form`: of the entry.
    """
    held, position = _read(known, given)
    if held is None or set(bounds) != {held.source}:
        return
    region = both(rows.get(held.source) or EVERYTHING, _in_bin(held.term, position, True))
    spared = either(held.left_out, _in_bin(held.term, position, False))
    ((atom, _),) = form.terms
    state.row_sums[atom] = {held.source: RowSum(region, ONE, ONE, spared=spared)}


def _read(known: Bins, given: Mapping[str, Obj]) -> tuple[Binned | None, Expr]:
    """The histogram of which an entry is read at a position that is written, and the position."""
    base, index = given.get("x"), given.get("i")
    if not (isinstance(base, Value) and isinstance(index, Value)) or index.private:
        return None, ONE
    at = None if index.expr is None else index.expr.as_fraction()
    if base.form not in known or index.expr is None or at is None or at < 0 or at.denominator != 1:
        return None, ONE
    return known[base.form], index.expr


def _in_bin(term: Term, position: Expr, holds: bool) -> Region:
    return frozenset({frozenset({Literal(term, "==", ("number", position), holds)})})
