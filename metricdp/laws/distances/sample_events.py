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
    for event, here, there in candidates(p, q, factor):
        value = score(here / len(p), there / len(q), len(p), len(q), factor)
        if value > best[0]:
            best = value, event
    return best[1]


def candidates(
    p: Sequence[Any], q: Sequence[Any], factor: float
) -> Iterator[tuple[SampleEvent, int, int]]:
    """(event, how often it is seen in p, and in q): samples are counted once for all events."""
    here, there = Counter(p), Counter(q)
    known = {*here, *there}
    if len(known) <= _FEW:
        ratios = sorted(known, key=lambda x: _smoothed(here[x], there[x], p, q), reverse=True)
        first = second = 0
        for size, x in enumerate(ratios, 1):
            first, second = first + here[x], second + there[x]
            yield OutcomesIn(frozenset(ratios[:size])), first, second
    elif all(isinstance(x, int | float | Fraction) for x in known):
        yield from _intervals(sorted(p), sorted(q))
    else:
        more = frozenset(x for x in known if here[x] / len(p) > factor * there[x] / len(q))
        yield OutcomesIn(more), sum(here[x] for x in more), sum(there[x] for x in more)


def _intervals(p: Sequence[Any], q: Sequence[Any]) -> Iterator[tuple[SampleEvent, int, int]]:
    """Cells of about as many samples each, the likelier ones first; half-lines.  Both sorted."""
    pooled = sorted([*p, *q])
    count = max(4, min(32, int(len(pooled) ** (1 / 3))))
    ends = [pooled[len(pooled) * i // count] for i in range(1, count)]
    edges = [-inf, *sorted({float(x) for x in ends}), inf]
    inside = {(a, b): (_between(p, a, b), _between(q, a, b)) for a, b in pairwise(edges)}
    ranked = sorted(
        inside, key=lambda cell: _smoothed(inside[cell][0], inside[cell][1], p, q), reverse=True
    )
    here = there = 0
    for size in range(1, len(ranked)):
        first, second = inside[ranked[size - 1]]
        here, there = here + first, there + second
        yield _joined(ranked[:size]), here, there
    for x in edges[1:-1]:
        for a, b in ((-inf, x), (x, inf)):
            yield CellsIn(((a, b),)), _between(p, a, b), _between(q, a, b)


def _between(ordered: Sequence[Any], a: float, b: float) -> int:
    """How many lie in (a, b]."""
    return bisect_right(ordered, b) - bisect_right(ordered, a)


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
