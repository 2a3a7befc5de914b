"""A number as a sum over the rows of a table: what one row adds, and which rows do."""

from __future__ import annotations

import msgspec

from metricdp.check.values.regions import Region
from metricdp.expr import Expr


class RowSum(msgspec.Struct, frozen=True):
    """Every row of a table adds a function of that row alone to a number.

    Attributes:
        region: the rows that may add something else than 0.
        lo, hi: what one of these adds at least, and at most.
    """

    region: Region
    lo: Expr
    hi: Expr
