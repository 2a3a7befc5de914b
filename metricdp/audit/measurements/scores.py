"""Scores of whole outputs, learned from a few of them: how much likelier on the first input.

The best event at any level is a set of the largest likelihood ratios (Neyman and Pearson 1933).
Three guesses of that ratio: independent views by their histograms, independent numbers by theirs,
and the linear score of normal outputs (Fisher 1936).  A guess only ranks outputs; it may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metricdp.audit.measurements.outputs import Table
from metricdp.audit.measurements.views import View, views

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Views that are one of several numbers.
_SINGLE = re.compile(r"output\[\d+\]")
#: Bins of one histogram, and most views that a score adds up.
_BINS, _SCORED = 16, 40

ALL, NUMBERS, LINEAR = (
    "likelihood score of the output", "likelihood score of the numbers",
    "weighted sum of the outputs",
)  # fmt: skip
NAMES = (ALL, NUMBERS, LINEAR)


class Scores:
    """The scores that outputs on two inputs teach.

    Args:
        first, second: tables of equal width, of outputs that count for nothing else.
    """

    def __init__(self, first: Table, second: Table) -> None:
        known = list(zip(_ordered(first), _ordered(second), strict=True))[:_SCORED]
        self._parts = {
            name: part
            for (name, _, a), (_, _, b) in known
            if (part := _histograms(a(), b())) is not None
        }
        self._numbers = first.numbers.shape[1]
        self._line = _line(first.numbers, second.numbers) if self._numbers > 1 else None

    def views(self, table: Table) -> Iterator[View]:
        """The scores of outputs as views: the larger, the likelier on the first input."""
        several = self._numbers > 1
        yield ALL, "ordered", lambda: self._total(table, list(self._parts))
        if several:
            single = [name for name in self._parts if _SINGLE.fullmatch(name)]
            yield NUMBERS, "ordered", lambda: self._total(table, single)
        if self._line is not None:
            weights, middle = self._line
            yield LINEAR, "ordered", lambda: _filled(table.numbers, middle) @ weights

    def _total(self, table: Table, names: list[str]) -> NDArray[Any]:
        import numpy as np

        total = np.zeros(len(table))
        for name, _, values in _ordered(table):
            if name in names:
                edges, weights = self._parts[name]
                total += weights[_bins(values(), edges)]
        return total


def _ordered(table: Table) -> list[View]:
    return [v for v in views(table) if v[1] == "ordered" and not v[0].startswith("exponent")]


def _histograms(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Edges of bins, and the log ratio of the two shares in each; None without numbers."""
    import numpy as np

    both = np.concatenate([a, b])
    both = np.sort(both[np.isfinite(both)])
    if not len(both):
        return None
    edges = np.unique(both[np.linspace(0, len(both) - 1, _BINS + 1).astype(int)[1:-1]])
    p, q = (np.bincount(_bins(side, edges), minlength=len(edges) + 2) for side in (a, b))
    return edges, np.log((p + 0.5) / (len(a) + 1) * (len(b) + 1) / (q + 0.5))


def _bins(values: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
    """Bin of each value; the last one for no number."""
    import numpy as np

    return np.where(np.isfinite(values), np.searchsorted(edges, values), len(edges) + 1)


def _line(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Weights of the numbers, and their middles, which stand for what is no number."""
    import numpy as np

    with np.errstate(all="ignore"):
        both = np.concatenate([a, b])
        seen = np.isfinite(both)
        middle = np.where(seen, both, 0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
        p, q = _filled(a, middle), _filled(b, middle)
        spread = (np.cov(p, rowvar=False) + np.cov(q, rowvar=False)) / 2
        # A little of the diagonal: noise that is the same in two numbers leaves no inverse.
        spread += np.diag(1e-9 * np.diag(spread) + 1e-12 * max(1.0, float(np.max(spread))))
        try:
            weights = np.linalg.solve(spread, p.mean(axis=0) - q.mean(axis=0))
        except np.linalg.LinAlgError:
            return None
    return (weights, middle) if np.isfinite(weights).all() and weights.any() else None


def _filled(numbers: NDArray[Any], middle: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return np.where(np.isfinite(numbers), numbers, middle)
