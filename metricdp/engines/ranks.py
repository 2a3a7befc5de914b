"""Numbers of rows that lie on an engine by their rank: counts beside public numbers, and some rows.

Which rows are asked for depends on what a mechanism drew; they are read where they are needed, a
window of ranks at a time, and nothing of them leaves the mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import inf, isfinite, nextafter
from typing import Any, Final, Protocol

from metricdp.columns import language
from metricdp.columns.keys import bin_of
from metricdp.columns.language import Node
from metricdp.columns.order import Between, neighbours
from metricdp.columns.table import Table
from metricdp.engines.dialect import NoForm

#: Parts of an interval whose rows are counted, so that few are put in order.
_PARTS: Final = 1024
#: Ranks beside a window that are read with it.
_BESIDE: Final = 4
#: Whole numbers up to here are doubles.
_EXACT: Final = 1 << 53


class Asks(Protocol):
    """Whoever queries the rows that count."""

    def counts(self, table: Table, node: Node) -> dict[int, int]:
        """How often a whole number occurs, that a node is."""

    def ranked(self, table: Table, node: Node, start: int, stop: int) -> list[float]:
        """The doubles of some ranks, from the smallest on."""


def sides(engine: Asks, table: Table, node: Node, numbers: Sequence[Any]) -> list[tuple[int, int]]:
    """How many rows lie below, and how many above, each of several numbers: one query."""
    x = language.real(node) if node.base == "boolean" else node
    pairs = [(Fraction(t), _next(Fraction(t), x.base)) for t in numbers]
    edges = sorted({edge for pair in pairs for edge in pair if edge is not None})
    found = engine.counts(table, bin_of(x, edges))
    below = [0, *accumulate(found.get(at, 0) for at in range(len(edges) + 1))]
    place = {edge: at for at, edge in enumerate(edges)}
    return [
        (below[place[t] + 1], 0 if after is None else below[-1] - below[place[after] + 1])
        for t, after in pairs
    ]


def _next(t: Fraction, base: str) -> Fraction | None:
    """The least number of a kind above one; None where there is none."""
    if base == "integer":
        return Fraction(t.numerator // t.denominator + 1)
    after = nextafter(neighbours(t, _DOUBLE)[0], inf)
    return Fraction(after) if isfinite(after) else None


class _Double:
    kind = "f"


_DOUBLE: Final = _Double()


def between(engine: Asks, table: Table, node: Node, low: Fraction, high: Fraction) -> Between:
    """The rows between two numbers.

    Raises:
        NoForm: whole numbers that are no doubles.
    """
    most = node.most if node.range is None else max(map(abs, node.range))
    if node.base == "integer" and most > _EXACT:
        raise NoForm("whole numbers beyond 53 bits in order")
    x = language.real(node)
    first, last = neighbours(low, _DOUBLE)[0], neighbours(high, _DOUBLE)[1]
    below = engine.counts(table, language.select(language.le(x, first), 1, 0))
    inside = table.filtered(language.both(language.lt(first, x), language.lt(x, last)))
    return Between(sum(below.values()), below.get(1, 0), Ranks(engine, inside, x, first, last))


class Ranks:
    """Rows in order of size, of which some are asked for.

    Args:
        first, last: all rows lie between them.
    """

    def __init__(self, engine: Asks, table: Table, x: Node, first: float, last: float) -> None:
        self._engine, self._table, self._x = engine, table, x
        scale = _PARTS / (last - first)
        if not (isfinite(first) and isfinite(scale) and scale > 0):
            first = scale = 0.0
        moved = language.mul(language.sub(x, first), scale)
        #: It rises with the rows, rounding included.
        self._part = language.floor(language.clamp(moved, 0, _PARTS - 1))
        found = engine.counts(table, self._part)
        self._begins = [0, *accumulate(found.get(at, 0) for at in range(_PARTS))]
        self._start = 0
        self._window: list[float] = []

    def __len__(self) -> int:
        return self._begins[-1]

    def __getitem__(self, ranks: Any) -> Any:
        """The row of a rank, or those of a slice, which goes forward in steps of one."""
        import numpy as np

        if not isinstance(ranks, slice):
            at = range(len(self))[ranks]
            return self._rows(at, at + 1)[0]
        start, stop, _ = ranks.indices(len(self))
        return np.array(self._rows(start, stop) if start < stop else [], float)

    def tolist(self) -> list[float]:
        """All rows."""
        return self._rows(0, len(self))

    def _rows(self, start: int, stop: int) -> list[float]:
        if not self._start <= start < stop <= self._start + len(self._window):
            self._start = max(0, start - _BESIDE)
            self._window = self._read(self._start, min(len(self), stop + _BESIDE))
        return self._window[start - self._start : stop - self._start]

    def _read(self, start: int, stop: int) -> list[float]:
        if start >= stop:
            return []
        parts = [
            at for at in range(_PARTS) if self._begins[at] < stop and self._begins[at + 1] > start
        ]
        here = language.both(language.le(parts[0], self._part), language.le(self._part, parts[-1]))
        begin = self._begins[parts[0]]
        return self._engine.ranked(self._table.filtered(here), self._x, start - begin, stop - begin)
