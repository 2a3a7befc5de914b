"""Numbers and vectors as sums over the rows of a table: what one row adds, and which rows do."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from metricdp.check.values.regions import Region
from metricdp.expr import Expr


class RowSum(msgspec.Struct, frozen=True):
    """Every row of a table adds a function of that row alone to a number.

    Attributes:
        region: the rows that may add something else than 0.
        lo, hi: what one of these adds at least, and at most.
        every: whether every row of the table adds one and the same number, `lo` and `hi`.
        shares: what the number that a row adds is the sum of, if more is known of its parts
            (`domain.row_shares`); else empty.
        spared: those of its rows that may add 0 all the same; None where any of them may. Of the
            other rows of the region it is known that they add `lo` to `hi`.
    """

    region: Region
    lo: Expr
    hi: Expr
    every: bool = False
    shares: tuple[RowSum, ...] = ()
    spared: Region = None


class RowVector(msgspec.Struct, frozen=True):
    """How far one row of a table moves a vector of sums over its rows, per unit and norm.

    Attributes:
        region: the rows that can move it.
        come: what a row does that comes or goes.
        replaced: what a row does that is replaced by another one.
    """

    region: Region
    come: Mapping[str, Expr]
    replaced: Mapping[str, Expr]


def ends_in(known: RowSum) -> frozenset[str]:
    """The public names in what a row adds at least, and at most."""
    return known.lo.symbols | known.hi.symbols
