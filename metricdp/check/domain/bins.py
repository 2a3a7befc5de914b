"""Entries of a histogram at written positions: numbers of the rows in one bin each.

A row is counted in one bin at most, and which one is a function of that row alone and of numbers
that were fixed before the histogram was made.  So the rows that can move the entry at position i
are those whose bin is i, no row lies in the bins of two positions, and noise on such entries is
noise on the numbers of what disjoint filters let through (`domain.parallel`).  An entry that is
read twice has one region twice, and is charged twice.

The term names the histogram, and the rounds that made it: bins of two histograms, or of two rounds,
are never held against each other.  Positions count from the front, so that two of them are one
entry only where they are one number.
Of tables of which one unit adds or removes one row; a row that is replaced moves two entries by 1,
which is half of what parts are charged for, and of that nothing is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import EVERYTHING, Literal, Region, Term, both

#: Form of a histogram -> the source of its rows, and the term of the bin of a row.
Bins = dict[Form, tuple[Source, Term]]


def entry(
    known: Bins, given: Mapping[str, Obj], bounds: Mapping[Source, Any],
    regions: Mapping[Source, Region],
) -> dict[Source, Region]:  # fmt: skip
    """The rows that can move an entry, by what is known of those that move the histogram."""
    base, index = given.get("x"), given.get("i")
    if not (isinstance(base, Value) and isinstance(index, Value)) or index.private:
        return dict(regions)
    at = None if index.expr is None else index.expr.as_fraction()
    if base.form not in known or at is None or at < 0 or at.denominator != 1:
        return dict(regions)
    source, term = known[base.form]
    if set(bounds) != {source}:
        return dict(regions)
    own = frozenset({frozenset({Literal(term, "==", ("number", index.expr))})})
    return {**regions, source: both(regions.get(source) or EVERYTHING, own)}
