"""The event that tells two samples apart best: half-lines, intervals, points, sets of labels.

An event is scored by the epsilon that its counts would show: ln((p - delta) / q), p bounded from
below and q from above by Chernoff's inequality (relative entropy form, Okamoto 1958), which is
close to Clopper and Pearson's bounds and quick on arrays.  Scores only choose; what is reported is
bounded anew on outputs that the choice has not seen.
"""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.measurements.outputs import Codes, Table
from metricdp.audit.measurements.views import views

if TYPE_CHECKING:
    from numpy.typing import NDArray

_QUANTILES, _INTERVALS, _POINTS, _BINS = 128, 24, 24, 16
#: Times that a value must occur to be a member of an event; most values of an event.
_REPEATED, _MOST_VALUES = 6, 256
#: Counts that get a sharp score.
_LOOKED = 32
#: Columns that the score of a classifier uses.
_SCORED = 40


class Event(msgspec.Struct, frozen=True):
    """A set of outputs: a view's value lies in (above, upto], or is one of `members`.

    Attributes:
        view: the view's name; "score" for that of a classifier.
        members: values or codes; None for an interval.
        above, upto: ends of the interval.
        swapped: the event is likelier on the second input.
        score: the epsilon that the counts it was chosen by would show.
    """

    view: str
    members: tuple[float, ...] | None = None
    above: float = -inf
    upto: float = inf
    swapped: bool = False
    score: float = 0.0

    @property
    def strangeness(self) -> float:
        """How much epsilon a reader would give for a plainer event: 0 for the plainest."""
        if self.view.startswith("exponent"):
            return 0.5
        several = self.members is not None and len(self.members) > 3
        return 0.1 * (several + (self.view == "score"))

    def hits(self, table: Table, classifier: Classifier | None) -> int:
        """Outputs of a table that lie in the event."""
        import numpy as np

        values = _values(self.view, table, classifier)
        if self.members is not None:
            return int(np.isin(values, np.array(self.members)).sum())
        return int(((values > self.above) & (values <= self.upto)).sum())

    def describe(self, codes: Codes) -> str:
        """The event in words."""
        name = "likelihood score of the output" if self.view == "score" else self.view
        if self.members is not None:
            labelled = name.startswith(("how", "kind", "the output"))
            shown = [codes.text(int(m)) if labelled else f"{m:.17g}" for m in self.members[:6]]
            more = f" and {len(self.members) - 6} more" if len(self.members) > 6 else ""
            if len(self.members) == 1:
                return f"{name}: {shown[0]}" if labelled else f"{name} = {shown[0]}"
            return f"{name} in {{{', '.join(shown)}}}{more}"
        if self.above == -inf:
            return f"{name} <= {self.upto:.6g}"
        if self.upto == inf:
            return f"{name} > {self.above:.6g}"
        return f"{self.above:.6g} < {name} <= {self.upto:.6g}"


class Classifier:
    """Naive Bayes on histograms: the sum over views of the log ratio of their bins."""

    def __init__(self, first: Table, second: Table) -> None:
        import numpy as np

        self._parts: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
        for (name, kind, a), (_, _, b) in zip(views(first), views(second), strict=True):
            if len(self._parts) == _SCORED:
                break
            if kind != "ordered" or name.startswith("exponent"):
                continue
            both = np.concatenate([a, b])
            both = both[np.isfinite(both)]
            if not len(both):
                continue
            both.sort()
            edges = np.unique(both[np.linspace(0, len(both) - 1, _BINS + 1).astype(int)[1:-1]])
            p, q = _histogram(a, edges), _histogram(b, edges)
            self._parts[name] = edges, np.log((p + 0.5) / (len(a) + 1) * (len(b) + 1) / (q + 0.5))

    def score(self, table: Table) -> NDArray[Any]:
        """One number per output: the larger, the likelier on the first input."""
        import numpy as np

        total = np.zeros(len(table))
        for name, _, values in views(table):
            if name in self._parts:
                edges, weights = self._parts[name]
                total += weights[_bins(values, edges)]
        return total


def _bins(values: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
    """Bin of each value; the last one for no number."""
    import numpy as np

    return np.where(np.isfinite(values), np.searchsorted(edges, values), len(edges) + 1)


def _histogram(values: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return np.bincount(_bins(values, edges), minlength=len(edges) + 2)


def _values(view: str, table: Table, classifier: Classifier | None) -> NDArray[Any]:
    if view == "score":
        assert classifier is not None
        return classifier.score(table)
    return next(values for name, _, values in views(table) if name == view)


def choose(
    first: Table,
    second: Table,
    classifier: Classifier | None,
    delta: float,
    alpha: float,
    bits: bool = True,
) -> Event:
    """The event of the best score between two tables of equal width.

    Args:
        classifier: its score is one more view.
        delta, alpha: of the epsilon that counts show.
        bits: whether the lowest bits of doubles are looked at.
    """
    best = Event("the output", ())
    pairs = list(zip(views(first), views(second), strict=True))
    if classifier is not None:
        scored = (classifier.score(first), classifier.score(second))
        pairs.append((("score", "ordered", scored[0]), ("score", "ordered", scored[1])))
    for (name, kind, a), (_, _, b) in pairs:
        if not bits and name.startswith("exponent"):
            continue
        found = [] if name == "score" else [_members(name, a, b, delta, alpha)]
        if kind == "ordered":
            found.append(_interval(name, a, b, delta, alpha))
        for event in found:
            if event.score - event.strangeness > best.score - best.strangeness:
                best = event
    return best


def _interval(name: str, a: NDArray[Any], b: NDArray[Any], delta: float, alpha: float) -> Event:
    import numpy as np

    sizes = len(a), len(b)
    a, b = np.sort(a[np.isfinite(a)]), np.sort(b[np.isfinite(b)])
    both = np.sort(np.concatenate([a, b]))
    if not len(both) or both[0] == both[-1]:
        return Event(name)
    # Few outputs at either end may be all that differs.
    ends = np.concatenate([side[i : i + 1] for side in (a, b) for i in (0, 8, -9, -1)])
    spaced = both[np.linspace(0, len(both) - 1, _QUANTILES).astype(int)]
    cuts = np.unique(np.concatenate([spaced, ends]))
    below = [np.searchsorted(side, cuts, "right") for side in (a, b)]
    lows, highs = [np.full(len(cuts), -inf), cuts], [cuts, np.full(len(cuts), inf)]
    hits = [[below[k], len((a, b)[k]) - below[k]] for k in (0, 1)]
    picked = np.unique(np.linspace(0, len(cuts) - 1, _INTERVALS).astype(int))
    i, j = np.triu_indices(len(picked), 1)
    lows.append(cuts[picked[i]])
    highs.append(cuts[picked[j]])
    for k in (0, 1):
        hits[k].append(below[k][picked[j]] - below[k][picked[i]])
    counts = [np.concatenate(h) for h in hits]
    at, swapped, score = _best(counts[0], counts[1], sizes, delta, alpha)
    low, high = float(np.concatenate(lows)[at]), float(np.concatenate(highs)[at])
    return Event(name, None, low, high, swapped, score)


def _members(name: str, a: NDArray[Any], b: NDArray[Any], delta: float, alpha: float) -> Event:
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
    common = np.flatnonzero((p + q >= _REPEATED) & ~np.isnan(values) & (values != -1))
    common = common[np.argsort(-(p + q)[common], kind="stable")][:_MOST_VALUES]
    if not len(common) or (len(common) == 1 and p[common[0]] + q[common[0]] == sum(halves)):
        return Event(name, ())
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
    at, swapped, score = _best(grown[0], grown[1], (len(a), len(b)), delta, alpha)
    if score <= 0:
        return Event(name, ())
    k, size = at % len(order), len(order)
    chosen = order[: k + 1] if at < size else order[k + 1 :]
    if at >= 2 * size:
        chosen = single[at - 2 * size :][:1]
    return Event(name, tuple(map(float, values[chosen])), -inf, inf, swapped, score)


def _best(
    p: NDArray[Any], q: NDArray[Any], sizes: tuple[int, int], delta: float, alpha: float
) -> tuple[int, bool, float]:
    """Place, direction and score of the best pair of counts."""
    import numpy as np

    counted = []
    for hits, others, n, m in ((p, q, *sizes), (q, p, *sizes[::-1])):
        rough = np.log(np.maximum(_wilson(hits, n, alpha, -1) - delta, 1e-300))
        rough -= np.log(_wilson(others, m, alpha, 1))
        few = np.argsort(-rough, kind="stable")[:_LOOKED]
        counted.append((few, hits[few], others[few], n, m))
    # All of them at once: the upper bound of hits is the lower one of misses.
    asked = [x for _, hits, others, n, m in counted for x in ((hits, n), (m - others, m))]
    shares = np.concatenate([hits for hits, _ in asked])
    trials = np.concatenate([np.full(len(hits), n) for hits, n in asked])
    bounds = at_least(shares, trials, alpha)
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
    """Chernoff's lower bound of a proportion, by bisection on all counts at once."""
    import numpy as np

    share = np.asarray(hits, dtype=np.float64) / trials
    limit = log(1 / alpha) / trials
    low: NDArray[Any] = np.zeros_like(share)
    high = share.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(30):
            middle = (low + high) / 2
            entropy = np.where(share > 0, share * np.log(share / middle), 0.0)
            rest = (1 - share) * np.log((1 - share) / (1 - middle))
            entropy = entropy + np.where(share < 1, rest, 0.0)
            far = ~(entropy <= limit)
            low, high = np.where(far, middle, low), np.where(far, high, middle)
    return low
