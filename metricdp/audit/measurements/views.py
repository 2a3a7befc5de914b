"""What is looked at in an output: its numbers, how they compare, their lowest bits, their labels;
and scores of whole outputs that a few of them teach.

A view is a function of one output.  Whatever it is, the probability of an event of it is one of the
mechanism's, so views decide what an audit finds, never whether it is right.

The best event at any level is a set of the largest likelihood ratios (Neyman and Pearson 1933).
Three guesses of that ratio: independent views by their histograms, independent numbers by theirs,
and the linear score of normal outputs (Fisher 1936).  A guess only ranks outputs; it may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from metricdp.audit.measurements.outputs import OutputTable

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Columns whose differences are all taken; above, only those of neighbours.
_PAIRED = 6
#: Columns whose lowest bits are looked at.
_BITS = 4
#: Lowest bit of 0, which has none.
NO_BIT = 2048

#: (what it is, in words; "ordered" or "label"; one value per output, NaN where it has none, when
#: called: few of the views of a table are looked at).
View = tuple[str, str, Callable[[], "NDArray[Any]"]]
#: Views that are one of several numbers.
_SINGLE = re.compile(r"output\[\d+\]")
#: Bins of one histogram, and most views that a score adds up.
_BINS, _SCORED = 16, 40

ALL, NUMBERS, LINEAR = (
    "likelihood score of the output", "likelihood score of the numbers",
    "weighted sum of the outputs",
)  # fmt: skip
NAMES = (ALL, NUMBERS, LINEAR)


def views(table: OutputTable) -> Iterator[View]:
    """All views of a table, in an order that depends on its width only."""
    import numpy as np

    numbers = table.numbers
    width = numbers.shape[1]
    names = ["output"] if width == 1 else [f"output[{j}]" for j in range(width)]
    yield "how the output is built", "label", lambda: table.built
    yield "the output", "label", lambda: table.whole
    for j, name in enumerate(names):
        yield f"kind of {name}", "label", partial(_column, table.labels, j)
        yield name, "ordered", partial(_column, numbers, j)
    for j, name in list(enumerate(names))[:_BITS]:
        where = f"exponent of the lowest bit of {name}"
        yield where, "ordered", partial(_lowest, numbers, j)
    if width < 2:
        return
    pairs = combinations(range(width), 2) if width <= _PAIRED else pairwise(range(width))
    for i, j in pairs:
        where = f"{names[j]} - {names[i]}"
        yield where, "ordered", partial(_difference, numbers, i, j)

    highest, least = cache(partial(_highest, numbers)), cache(partial(_highest, -numbers))

    def present(values: NDArray[Any]) -> NDArray[Any]:
        return np.where(np.isfinite(numbers).any(axis=1), values, np.nan)

    def spread() -> NDArray[Any]:
        with np.errstate(all="ignore"):
            return present(highest() + least())

    yield "sum of the outputs", "ordered", lambda: present(np.nansum(numbers, axis=1))
    yield "largest output", "ordered", lambda: present(highest())
    yield "smallest output", "ordered", lambda: present(-least())
    yield "largest minus smallest output", "ordered", spread
    yield "place of the largest output", "label", lambda: _place(numbers)
    yield (
        "neighbouring outputs that are equal", "ordered",
        lambda: (numbers[:, 1:] == numbers[:, :-1]).sum(axis=1).astype(np.float64),
    )  # fmt: skip
    yield "outputs that are 0", "ordered", lambda: (numbers == 0).sum(axis=1).astype(np.float64)


def _column(values: NDArray[Any], j: int) -> NDArray[Any]:
    found: NDArray[Any] = values[:, j]
    return found


def _lowest(values: NDArray[Any], j: int) -> NDArray[Any]:
    return lowest_bit(values[:, j])


def _difference(values: NDArray[Any], i: int, j: int) -> NDArray[Any]:
    found: NDArray[Any] = values[:, j] - values[:, i]
    return found


def _highest(values: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    found: NDArray[Any] = np.where(np.isfinite(values), values, -np.inf).max(axis=1)
    return found


def _place(numbers: NDArray[Any]) -> NDArray[Any]:
    """Index of the largest number of each row; -1 without one."""
    import numpy as np

    seen = np.isfinite(numbers)
    at = np.where(seen, numbers, -np.inf).argmax(axis=1)
    found: NDArray[Any] = np.where(seen.any(axis=1), at, -1)
    return found


def lowest_bit(values: NDArray[Any]) -> NDArray[Any]:
    """e where a double is an odd number times 2**e: integers have e >= 0, tenths about -55.

    NaN where there is no number; `NO_BIT` at 0.
    """
    import numpy as np

    finite = np.isfinite(values)
    mantissa, exponent = np.frexp(np.where(finite, values, 1.0))
    digits = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    # The lowest bit of an integer is a power of two: exactly a double.
    _, place = np.frexp((digits & -digits).astype(np.float64))
    found = (exponent + place - 54).astype(np.float64)
    found[digits == 0] = NO_BIT
    found[~finite] = np.nan
    return found


class Scores:
    """The scores that outputs on two inputs teach.

    Args:
        first, second: tables of equal width, of outputs that count for nothing else.
    """

    def __init__(self, first: OutputTable, second: OutputTable) -> None:
        known = list(zip(_ordered(first), _ordered(second), strict=True))[:_SCORED]
        self._parts = {
            name: part
            for (name, _, a), (_, _, b) in known
            if (part := _histograms(a(), b())) is not None
        }
        self._numbers = first.numbers.shape[1]
        self._line = _line(first.numbers, second.numbers) if self._numbers > 1 else None

    def views(self, table: OutputTable) -> Iterator[View]:
        """The scores of outputs as views: the larger, the likelier on the first input."""
        several = self._numbers > 1
        yield ALL, "ordered", lambda: self._total(table, list(self._parts))
        if several:
            single = [name for name in self._parts if _SINGLE.fullmatch(name)]
            yield NUMBERS, "ordered", lambda: self._total(table, single)
        if self._line is not None:
            weights, middle = self._line
            yield LINEAR, "ordered", lambda: _filled(table.numbers, middle) @ weights

    def _total(self, table: OutputTable, names: list[str]) -> NDArray[Any]:
        import numpy as np

        total = np.zeros(len(table))
        for name, _, values in _ordered(table):
            if name in names:
                edges, weights = self._parts[name]
                total += weights[_bins(values(), edges)]
        return total


def _ordered(table: OutputTable) -> list[View]:
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
