"""Which positions of a table a slice keeps, as a term of one row of it.

Under Hamming distance a row stays where it stands: both rows of a pair that differ stand at one
position, so a slice keeps both or neither, and the position is a number that one row has in every
reading (`values.regions`).  It speaks of the positions of one table: those of a part of it are
others, and of these nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.check.values.objects import UNKNOWN, Obj, Value
from metricdp.check.values.regions import Term
from metricdp.check.values.terms import Table
from metricdp.expr import ONE, Expr, num


def kept(table: Table, size: Expr, given: Mapping[str, Obj]) -> Term | None:
    """The truth value that a position of the table is kept; None where nothing says that.

    Args:
        size: of the table; an end below 0 counts from it.
        given: `start`, `stop` and `step`, as a rule has accepted them.
    """
    position: Term = ("position", table)
    start, stop, step = (_end(given[name], size) for name in ("start", "stop", "step"))
    by = ONE if step is None else step
    if by.sign() != "+":
        return None
    found: Term | None = None
    if start is not None:
        found = _both(found, _compared("ge", position, start))
    if stop is not None:
        found = _both(found, _compared("lt", position, stop))
    first, every = num(0) if start is None else start, by.as_fraction()
    at = first.as_fraction()
    if every is not None and at is not None and every > 1 and at >= 0:
        rest: Term = ("rule", "mod", ("x", position), ("y", ("number", by)))
        found = _both(found, _compared("eq", rest, num(at % every)))
    return found


def _end(value: Obj, size: Expr) -> Expr | None:
    """An end counted from the first row; None where it is left out."""
    if not isinstance(value, Value) or value.literal is ... or value.expr is None:
        assert isinstance(value, Value) and value.literal is not UNKNOWN
        return None
    return size + value.expr if value.expr.sign() == "-" else value.expr


def _compared(name: str, left: Term, right: Expr) -> Term:
    return ("rule", name, ("x", left), ("y", ("number", right)))


def _both(found: Term | None, more: Term) -> Term:
    return more if found is None else ("rule", "logical_and", ("x", found), ("y", more))
