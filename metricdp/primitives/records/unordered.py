"""unordered: the same rows, whose order is no longer observed.

Stability.  A row that is inserted or deleted is a row added or removed: 1 from insert-delete to
symmetric distance.  A row that differs at one position is one row replaced: 1 from Hamming to
change-one distance.
Tight: insert a row; replace one by another value.
Source: conversions between metrics on tables; OpenDP make_unordered.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.primitives.records._columns import replaced
from metricdp.primitives.records._metrics import as_it_is, reread, rows, under
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces.metrics import ROW_METRICS

example = "visits: dp.Records[float, dp.InsertDelete] = [3.0, 4.0]; dp.unordered(visits)"

run = rows
tabular = as_it_is
spelling = Spelling(opendp=("make_unordered",))

_AFTER = {name: metric.unordered for name, metric in ROW_METRICS.items() if metric.ordered}


def rule(x: Arg) -> Conclusion:
    """A table under the insert-delete or the Hamming distance."""
    return reread("unordered", x, _AFTER, "order of {} is not observed", 1)


def instances() -> Iterable[Instance]:
    return under(_AFTER)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows inserted, or replaced."""
    return replaced(instance.private["x"], 1, 2, d)
