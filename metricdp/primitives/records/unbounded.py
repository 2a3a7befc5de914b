"""unbounded: the same rows, whose number is no longer taken as public.

Stability.  A replaced row is one removed and one added: 2 from change-one to symmetric distance; at
its position one deleted and one inserted: 2 from Hamming to insert-delete distance.
Tight: replace rows by other values.
Source: conversions between metrics on tables; OpenDP make_metric_unbounded.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.primitives.records._columns import replaced
from metricdp.primitives.records._metrics import as_it_is, reread, rows, under
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces.metrics import ROW_METRICS

example = "visits: dp.Records[float, dp.ChangeOne] = [3.0, 4.0]; dp.unbounded(visits)"

run = rows
tabular = as_it_is
spelling = Spelling(opendp=("make_metric_unbounded",))

_AFTER = {name: metric.adding for name, metric in ROW_METRICS.items() if metric.public_size()}


def rule(x: Arg) -> Conclusion:
    """A table under the change-one or the Hamming distance."""
    return reread("unbounded", x, _AFTER, "number of rows of {} is private", 2, size=None)


def instances() -> Iterable[Instance]:
    return under(_AFTER)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows replaced by another value."""
    return replaced(instance.private["x"], 1, 2, d)
