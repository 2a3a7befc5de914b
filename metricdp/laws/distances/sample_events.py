"""Events that may tell two laws apart, chosen on samples that are not used to bound them.

How an event is chosen has no part in the validity of a bound on other samples, so the choice is
made in floating point.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, sqrt
from typing import Any

import msgspec

#: Numbers that differ more often than this are put into cells.
_FEW = 64


class OutcomesIn(msgspec.Struct, frozen=True):
    """The outcome is one of these."""

    outcomes: frozenset[Hashable]

    def __contains__(self, x: Any) -> bool:
        return x in self.outcomes

    def __repr__(self) -> str:
        inside = sorted(map(repr, self.outcomes))
        return f"output = {inside[0]}" if len(inside) == 1 else f"output in {{{', '.join(inside)}}}"


class CellsIn(msgspec.Struct, frozen=True):
    """The outcome lies in one of these intervals (a, b], in increasing order."""

    cells: tuple[tuple[float, float], ...]

    def __contains__(self, x: Any) -> bool:
        i = bisect_right(self.cells, x, key=lambda cell: cell[1])
        # x at the right end of a cell belongs to it.
        return any(a < x <= b for a, b in self.cells[max(0, i - 1) : i + 1])

    def __repr__(self) -> str:
        return "output in " + " or ".join(f"({a:.6g}, {b:.6g}]" for a, b in self.cells)


def _joined(cells: Iterable[tuple[float, float]]) -> CellsIn:
    """Cells that meet become one."""
    found: list[tuple[float, float]] = []
    for a, b in sorted(cells):
        start = found.pop()[0] if found and found[-1][1] == a else a
        found.append((start, b))
    return CellsIn(tuple(found))


SampleEvent = OutcomesIn | CellsIn


def best_event(p: Sequence[Any], q: Sequence[Any], factor: float, ratio: bool) -> SampleEvent:
    """The event that looks best for P(S) - factor Q(S), or with `ratio` for P(S) / Q(S)."""
    score = _log_ratio if ratio else _excess
    best: tuple[float, SampleEvent] = (-inf, OutcomesIn(frozenset()))
    for event in _candidates(p, q, factor):
        here, there = sum(x in event for x in p), sum(x in event for x in q)
        value = score(here / len(p), there / len(q), len(p), len(q), factor)
        if value > best[0]:
            best = value, event
    return best[1]


def _candidates(p: Sequence[Any], q: Sequence[Any], factor: float) -> Iterator[SampleEvent]:
    here, there = Counter(p), Counter(q)
    known = {*here, *there}
    if len(known) <= _FEW:
        ratios = sorted(known, key=lambda x: _smoothed(here[x], there[x], p, q), reverse=True)
        for size in range(1, len(ratios) + 1):
            yield OutcomesIn(frozenset(ratios[:size]))
        return
    if not all(isinstance(x, int | float | Fraction) for x in known):
        yield OutcomesIn(
            frozenset(x for x in known if here[x] / len(p) > factor * there[x] / len(q))
        )
        return
    pooled = sorted([*p, *q])
    count = max(4, min(32, int(len(pooled) ** (1 / 3))))
    ends = [pooled[len(pooled) * i // count] for i in range(1, count)]
    edges = [-inf, *sorted({float(x) for x in ends}), inf]
    cells = list(pairwise(edges))
    heights = {
        (a, b): _smoothed(sum(a < x <= b for x in p), sum(a < x <= b for x in q), p, q)
        for a, b in cells
    }
    ranked = sorted(cells, key=heights.__getitem__, reverse=True)
    for size in range(1, len(ranked)):
        yield _joined(ranked[:size])
    for x in edges[1:-1]:
        yield CellsIn(((-inf, x),))
        yield CellsIn(((x, inf),))


def _smoothed(here: int, there: int, p: Sequence[Any], q: Sequence[Any]) -> float:
    return (here + 0.5) / len(p) / ((there + 0.5) / len(q))


def _excess(a: float, b: float, n: int, m: int, factor: float) -> float:
    """About a lower confidence bound of P - factor Q."""
    return a - factor * b - 2 * sqrt(a * (1 - a) / n + factor**2 * b * (1 - b) / m)


def _log_ratio(a: float, b: float, n: int, m: int, factor: float) -> float:
    """About a lower confidence bound of P / Q, four standard deviations away."""
    del factor
    low = a - 4 * sqrt(a * (1 - a) / n) - 4 / n
    return low / (b + 4 * sqrt(b * (1 - b) / m) + 4 / m)
