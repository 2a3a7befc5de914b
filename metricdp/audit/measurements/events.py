"""The event that tells two samples apart best: half-lines, intervals, points, sets of labels.

An event is scored by the epsilon that its counts would show: ln((p - delta) / q), p bounded from
below and q from above by Chernoff's inequality (relative entropy form, Okamoto 1958), which is
close to Clopper and Pearson's bounds and quick on arrays.  Scores only choose; what is reported is
bounded anew on outputs that the choice has not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, log
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.measurements.outputs import OutputCodes, OutputTable
from metricdp.audit.measurements.views import NAMES, Scores, View, views

if TYPE_CHECKING:
    from numpy.typing import NDArray

_QUANTILES, _INTERVALS, _POINTS = 128, 24, 24
#: Each rank of a cut in the tails over the one before.
_TAIL = 1.5
#: Times that a value must occur to be a member of an event; most values of an event.
_REPEATED, _MOST_VALUES = 6, 256
#: Counts that get a sharp score, and halvings of its bracket.
_LOOKED, _HALVINGS = 32, 16


#: delta and alpha of the epsilon that counts show, and outputs that will count; see `choices`.
Aim = tuple[float, float, int | None]


class OutputEvent(msgspec.Struct, frozen=True):
    """A set of outputs: a view's value lies in (above, upto] or outside, or is one of `members`.

    Attributes:
        view: the view's name.
        members: values or codes; None for an interval.
        above, upto: ends of the interval.
        swapped: the event is likelier on the second input.
        score: the epsilon that the counts it was chosen by would show.
        outside: of the interval, on either side.
    """

    view: str
    members: tuple[float, ...] | None = None
    above: float = -inf
    upto: float = inf
    swapped: bool = False
    score: float = 0.0
    outside: bool = False

    @property
    def strangeness(self) -> float:
        """How much epsilon a reader would give for a plainer event: 0 for the plainest."""
        if self.view.startswith("exponent"):
            return 0.5
        several = self.members is not None and len(self.members) > 3
        return 0.1 * several + 0.2 * (self.view in NAMES)

    def hits(self, table: OutputTable, scores: Scores | None) -> int:
        """Outputs of a table that lie in the event."""
        import numpy as np

        values = next(of for name, _, of in _all(table, scores) if name == self.view)()
        if self.members is not None:
            return int(np.isin(values, np.array(self.members)).sum())
        if self.outside:
            return int(((values <= self.above) | (values > self.upto)).sum())
        return int(((values > self.above) & (values <= self.upto)).sum())

    def describe(self, codes: OutputCodes) -> str:
        """The event in words."""
        name = self.view
        if self.members is not None:
            labelled = name.startswith(("how", "kind", "the output"))
            shown = [codes.text(int(m)) if labelled else f"{m:.17g}" for m in self.members[:6]]
            more = f" and {len(self.members) - 6} more" if len(self.members) > 6 else ""
            if len(self.members) == 1:
                return f"{name}: {shown[0]}" if labelled else f"{name} = {shown[0]}"
            return f"{name} in {{{', '.join(shown)}}}{more}"
        if self.outside:
            return f"{name} <= {self.above:.6g} or > {self.upto:.6g}"
        if self.above == -inf:
            return f"{name} <= {self.upto:.6g}"
        if self.upto == inf:
            return f"{name} > {self.above:.6g}"
        return f"{self.above:.6g} < {name} <= {self.upto:.6g}"


def _all(table: OutputTable, scores: Scores | None) -> Iterator[View]:
    yield from views(table)
    if scores is not None:
        yield from scores.views(table)


def choose(
    first: OutputTable,
    second: OutputTable,
    scores: Scores | None,
    delta: float,
    alpha: float,
    bits: bool = True,
) -> OutputEvent:
    """The event of the best score between two tables of equal width; see `choices`."""
    return choices(first, second, scores, delta, alpha, bits, 1)[0]


def choices(
    first: OutputTable,
    second: OutputTable,
    scores: Scores | None,
    delta: float,
    alpha: float,
    bits: bool = True,
    most: int = 3,
    trials: int | None = None,
) -> list[OutputEvent]:
    """The events of the best scores between two tables of equal width, of different views.

    Args:
        scores: of whole outputs; further views.
        delta, alpha: of the epsilon that counts show.
        bits: whether the lowest bits of doubles are looked at.
        most: number of events; there is at least one.
        trials: outputs of each input that will count the event; these ones when left out.
    """
    found: list[OutputEvent] = []
    aim = (delta, alpha, trials)
    both = zip(_all(first, scores), _all(second, scores), strict=True)
    for (name, kind, of_first), (_, _, of_second) in both:
        if not bits and name.startswith("exponent"):
            continue
        a, b = of_first(), of_second()
        events = [] if name in NAMES else [_members(name, kind, a, b, aim)]
        if kind == "ordered":
            events.append(_interval(name, a, b, aim))
        found.append(max(events, key=_worth))
    # In the order of the views where nothing tells them apart.
    best = sorted((e for e in found if e.score > 0), key=_worth, reverse=True)[:most]
    return best or [OutputEvent("the output", ())]


def _worth(event: OutputEvent) -> float:
    return event.score - event.strangeness


def _interval(name: str, a: NDArray[Any], b: NDArray[Any], aim: Aim) -> OutputEvent:
    import numpy as np

    sizes = len(a), len(b)
    a, b = np.sort(a[np.isfinite(a)]), np.sort(b[np.isfinite(b)])
    both = np.sort(np.concatenate([a, b]))
    if not len(both) or both[0] == both[-1]:
        return OutputEvent(name)
    # Few outputs at either end may be all that differs.
    cuts = np.unique(np.concatenate([_spaced(both), _ends(a), _ends(b)]))
    below = [np.searchsorted(side, cuts, "right") for side in (a, b)]
    lows, highs = [np.full(len(cuts), -inf), cuts], [cuts, np.full(len(cuts), inf)]
    hits = [[below[k], len((a, b)[k]) - below[k]] for k in (0, 1)]
    picked = np.unique(np.linspace(0, len(cuts) - 1, _INTERVALS).astype(int))
    i, j = np.triu_indices(len(picked), 1)
    lows += [cuts[picked[i]]] * 2
    highs += [cuts[picked[j]]] * 2
    for k in (0, 1):
        inside = below[k][picked[j]] - below[k][picked[i]]
        hits[k] += [inside, len((a, b)[k]) - inside]
    counts = [np.concatenate(h) for h in hits]
    at, swapped, score = _best(counts[0], counts[1], sizes, aim)
    low, high = float(np.concatenate(lows)[at]), float(np.concatenate(highs)[at])
    return OutputEvent(name, None, low, high, swapped, score, bool(at >= len(counts[0]) - len(i)))


def _spaced(ordered: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    found: NDArray[Any] = ordered[np.linspace(0, len(ordered) - 1, _QUANTILES).astype(int)]
    return found


def _ends(ordered: NDArray[Any]) -> NDArray[Any]:
    """Values in the tails, at ranks that grow by a factor."""
    import numpy as np

    steps = max(0, int(log(max(1, len(ordered) / _QUANTILES)) / log(_TAIL))) + 8
    ranks = np.unique((_TAIL ** np.arange(steps)).astype(int)) - 1
    ranks = ranks[ranks < len(ordered)]
    return np.concatenate([ordered[ranks], ordered[::-1][ranks]])


def _members(name: str, kind: str, a: NDArray[Any], b: NDArray[Any], aim: Aim) -> OutputEvent:
    """The best set of repeated values: those of a ratio above some bound, or a single one.

    One half of the outputs puts the values in order, the other counts: a set that was chosen for
    what it counted would owe its score to chance.
    """
    import numpy as np

    values, inverse = np.unique(np.concatenate([a, b]), return_inverse=True)
    sides = inverse[: len(a)], inverse[len(a) :]
    halves = [len(side) // 2 for side in sides]
    p, q = (
        np.bincount(side[:half], minlength=len(values))
        for side, half in zip(sides, halves, strict=True)
    )
    # -1 is no label; NaN no number.
    known = ~np.isnan(values) & ((kind == "ordered") | (values != -1))
    common = np.flatnonzero((p + q >= _REPEATED) & known)
    common = common[np.argsort(-(p + q)[common], kind="stable")][:_MOST_VALUES]
    if not len(common) or (len(common) == 1 and p[common[0]] + q[common[0]] == sum(halves)):
        return OutputEvent(name, ())
    ratio = np.log((p[common] + 0.5) / (q[common] + 0.5))
    order = common[np.argsort(-ratio, kind="stable")]
    counted = [
        np.bincount(side[half:], minlength=len(values))
        for side, half in zip(sides, halves, strict=True)
    ]
    single = common[:_POINTS]
    totals = []
    for side in counted:
        upto = np.cumsum(side[order])
        totals.append(np.concatenate([upto, upto[-1] - upto, side[single]]))
    # As if all outputs had been counted, so that scores compare with those of intervals.
    grown = [t * (len(s) / (len(s) - h)) for t, s, h in zip(totals, (a, b), halves, strict=True)]
    at, swapped, score = _best(grown[0], grown[1], (len(a), len(b)), aim)
    if score <= 0:
        return OutputEvent(name, ())
    k, size = at % len(order), len(order)
    chosen = order[: k + 1] if at < size else order[k + 1 :]
    if at >= 2 * size:
        chosen = single[at - 2 * size :][:1]
    return OutputEvent(name, tuple(map(float, values[chosen])), -inf, inf, swapped, score)


def _best(
    p: NDArray[Any], q: NDArray[Any], sizes: tuple[int, int], aim: Aim
) -> tuple[int, bool, float]:
    """Place, direction and score of the best pair of counts."""
    import numpy as np

    delta, alpha, trials = aim
    counted = []
    for hits, others, n, m in ((p, q, *sizes), (q, p, *sizes[::-1])):
        if trials is not None:
            # The counts to expect of so many outputs; what was not seen once may come yet.
            hits, others = hits * (trials / n), (others + 1) * (trials / m)
            n, m = trials, trials
            others = np.minimum(others, trials)
        rough = np.log(np.maximum(_wilson(hits, n, alpha, -1) - delta, 1e-300))
        rough -= np.log(_wilson(others, m, alpha, 1))
        few = np.argsort(-rough, kind="stable")[:_LOOKED]
        counted.append((few, hits[few], others[few], n, m))
    # All of them at once: the upper bound of hits is the lower one of misses.
    asked = [x for _, hits, others, n, m in counted for x in ((hits, n), (m - others, m))]
    shares = np.concatenate([hits for hits, _ in asked])
    of = np.concatenate([np.full(len(hits), n) for hits, n in asked])
    bounds = at_least(shares, of, alpha)
    found: list[tuple[int, float]] = []
    start = 0
    for few, *_ in counted:
        low = bounds[start : start + len(few)] - delta
        high = 1 - bounds[start + len(few) : start + 2 * len(few)]
        start += 2 * len(few)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(low > 0, np.log(low / high), -inf)
        found.append((int(few[np.argmax(score)]), float(np.max(score))))
    swapped = found[1][1] > found[0][1]
    return (found[swapped][0], swapped, found[swapped][1])


def _wilson(hits: NDArray[Any], trials: int, alpha: float, side: int) -> NDArray[Any]:
    """Wilson's bound of a proportion, closed and rough: which counts are worth a sharper one."""
    import numpy as np

    z2 = 2 * log(1 / alpha)
    spread = np.sqrt(z2 * (hits * (trials - hits) / trials + z2 / 4))
    bound: NDArray[Any] = np.maximum((hits + z2 / 2 + side * spread) / (trials + z2), 1e-300)
    return bound


def at_least(hits: NDArray[Any], trials: Any, alpha: float) -> NDArray[Any]:
    """Chernoff's lower bound of a proportion, by bisection of its logarithm on all counts at once.

    It starts at share e^(-limit / share - 1), where the relative entropy is above the limit:
    KL(share, m) >= share ln(share / m) - share + m.
    """
    import numpy as np

    share = np.asarray(hits, dtype=np.float64) / trials
    limit = log(1 / alpha) / trials
    with np.errstate(divide="ignore", invalid="ignore"):
        top = high = np.log(share)
        low = high - np.minimum(limit / share + 1, 600)
        misses = np.log1p(-share)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            found = np.exp(middle)
            entropy = share * (top - middle)
            rest = (1 - share) * (misses - np.log1p(-found))
            far = ~(entropy + np.where(share < 1, rest, 0.0) <= limit)
            low, high = np.where(far, middle, low), np.where(far, high, middle)
        bound: NDArray[Any] = np.where(share > 0, np.exp(low), 0.0)
    return bound
