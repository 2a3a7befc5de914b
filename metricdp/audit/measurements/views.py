"""What is looked at in an output: its numbers, how they compare, their lowest bits, their labels.

A view is a function of one output.  Whatever it is, the probability of an event of it is one of the
mechanism's, so views decide what an audit finds, never whether it is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from metricdp.audit.measurements.outputs import Table

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


def views(table: Table) -> Iterator[View]:
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
