"""What samples prove about distances: one-sided bounds, each at a stated confidence.

How an event is chosen has no part in the validity of a bound on other samples, so the choice is
made in floating point.

An event that was chosen on one half of the samples is bounded on the other half by Clopper and
Pearson's intervals, P(S) from below and Q(S) from above, each wrong with probability at most half
of 1 - confidence.  Their difference and ratio are lower bounds of the hockey-stick divergence, the
total variation and d_DP.  No upper bound of these exists: laws that differ only on outcomes that
were not drawn have any ratio there, and a large total variation when such outcomes are many.

The earth mover's distance does have one, on an interval [low, high] that holds all outcomes: by the
band of Dvoretzky, Kiefer, Wolfowitz and Massart the integral of |F - F_n| is at most r times its
length.
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

from metricdp.errors import ParameterError
from metricdp.laws.distances.distance import Distance, decimals
from metricdp.laws.distances.public import d_em
from metricdp.laws.empirical import EmpiricalLaw
from metricdp.laws.interval import log, over, point
from metricdp.laws.numbers import real, share

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


class AtLeastFromSamples(msgspec.Struct, frozen=True):
    """distance >= low with this confidence; nothing is said about how large it may be.

    Attributes:
        low: the bound, 0 when the samples show nothing.
        confidence: of the bound, over the samples.
        event: what shows it, chosen on other samples than those that bound it.
        p, q: the lower bound of P(event) and the upper bound of Q(event).
        turned: whether P and Q change places in the event's probabilities.
    """

    low: Fraction
    confidence: Fraction
    event: SampleEvent
    p: Fraction
    q: Fraction
    turned: bool = False

    def __repr__(self) -> str:
        return f">= {decimals(self.low, False, 6)} at confidence {decimals(self.confidence, False)}"


def tv_from_samples(p: Any, q: Any, confidence: Any = "0.999") -> AtLeastFromSamples:
    """Lower bound of the total variation; arguments and errors as `hockey_stick_from_samples`."""
    return hockey_stick_from_samples(p, q, 1, confidence)


def hockey_stick_from_samples(
    p: Any, q: Any, factor: Any, confidence: Any = "0.999"
) -> AtLeastFromSamples:
    """Lower bound of sup P(S) - factor Q(S) from independent samples of both laws.

    Args:
        p, q: `EmpiricalLaw`s, or sequences of samples, four or more each.
        factor: e**epsilon >= 0.
        confidence: in (0, 1).

    Raises:
        ParameterError: other samples, factor or confidence.
    """
    t = share(factor, "factor")
    if t < 0:
        raise ParameterError("must not be negative", place="factor")
    here, there = _samples(p), _samples(q)
    event = best_event(here.samples[::2], there.samples[::2], float(t), False)
    return _bounded(here, there, event, t, confidence)


def d_dp_from_samples(p: Any, q: Any, confidence: Any = "0.999") -> AtLeastFromSamples:
    """Lower bound of d_DP: an epsilon that the mechanism's d_DP is not below; see above."""
    first, second = _samples(p), _samples(q)
    chosen = []
    for turned, (a, b) in ((False, (first, second)), (True, (second, first))):
        event = best_event(a.samples[::2], b.samples[::2], 1.0, True)
        share_of = [sum(x in event for x in s.samples[::2]) / len(s.samples[::2]) for s in (a, b)]
        chosen.append(((share_of[0] + 1e-3) / (share_of[1] + 1e-3), turned, event))
    _, turned, event = max(chosen, key=lambda choice: choice[:2])
    here, there = (second, first) if turned else (first, second)
    return _bounded(here, there, event, None, confidence, turned)


def _bounded(
    here: EmpiricalLaw,
    there: EmpiricalLaw,
    event: SampleEvent,
    t: Fraction | None,
    confidence: Any,
    turned: bool = False,
) -> AtLeastFromSamples:
    """The bound of P(event) - t Q(event), or without t of ln P(event) / Q(event)."""
    low = EmpiricalLaw(here.samples[1::2]).interval(event.__contains__, confidence)[0]
    high = EmpiricalLaw(there.samples[1::2]).interval(event.__contains__, confidence)[1]
    if t is not None:
        found = low - t * high
    else:
        found = log(over(point(low), point(high)))[0] if low > high else Fraction(0)
    return AtLeastFromSamples(
        max(Fraction(0), found), share(confidence, "confidence"), event, low, high, turned
    )


def em_from_samples(p: Any, q: Any, low: Any, high: Any, confidence: Any = "0.999") -> Distance:
    """Both bounds of the earth mover's distance of laws on [low, high], with this confidence.

    Raises:
        ParameterError: a sample outside of [low, high]; other samples or confidence.
    """
    here, there = _samples(p), _samples(q)
    start, end = real(low, "low"), real(high, "high")
    if any(not start <= real(x, "samples") <= end for s in (here, there) for x in s.counts):
        raise ParameterError(
            "a sample lies outside of [low, high]",
            place="samples",
            remedy="clamp the mechanism's output, or give a range that holds all outputs",
        )
    half = 1 - (1 - share(confidence, "confidence")) / 2
    slack = (end - start) * (here.radius(half) + there.radius(half))
    between = d_em(here.frequencies, there.frequencies).exact
    return Distance(
        max(Fraction(0), between - slack), min(end - start, between + slack),
        f"samples, confidence {confidence}",
    )  # fmt: skip


def _samples(law: Any) -> EmpiricalLaw:
    found = law if isinstance(law, EmpiricalLaw) else EmpiricalLaw(law)
    if len(found) < 4:
        raise ParameterError("four or more are needed", place="samples")
    return found
