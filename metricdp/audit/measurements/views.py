"""What is looked at in an output: its numbers, how they compare, their lowest bits, their labels.

A view is a function of one output.  Whatever it is, the probability of an event of it is one of the
mechanism's, so views decide what an audit finds, never whether it is right.
"""

from __future__ import annotations

from collections.abc import Iterator
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

#: (what it is, in words; "ordered" or "label"; one value per output, NaN where it has none).
View = tuple[str, str, "NDArray[Any]"]


def views(table: Table) -> Iterator[View]:
    """All views of a table, in an order that depends on its width only."""
    import numpy as np

    numbers = table.numbers
    width = numbers.shape[1]
    names = ["output"] if width == 1 else [f"output[{j}]" for j in range(width)]
    yield "how the output is built", "label", table.built
    yield "the output", "label", table.whole
    for j, name in enumerate(names):
        yield name, "ordered", numbers[:, j]
        yield f"kind of {name}", "label", table.labels[:, j]
    for j, name in list(enumerate(names))[:_BITS]:
        yield f"exponent of the lowest bit of {name}", "ordered", lowest_bit(numbers[:, j])
    if width < 2:
        return
    pairs = combinations(range(width), 2) if width <= _PAIRED else pairwise(range(width))
    for i, j in pairs:
        yield f"{names[j]} - {names[i]}", "ordered", numbers[:, j] - numbers[:, i]
    with np.errstate(all="ignore"):
        seen = np.isfinite(numbers)
        some = seen.any(axis=1)
        highest = np.where(seen, numbers, -np.inf).max(axis=1)
        least = np.where(seen, numbers, np.inf).min(axis=1)
        yield "sum of the outputs", "ordered", np.where(some, np.nansum(numbers, axis=1), np.nan)
        yield "largest output", "ordered", np.where(some, highest, np.nan)
        yield "smallest output", "ordered", np.where(some, least, np.nan)
        yield "largest minus smallest output", "ordered", np.where(some, highest - least, np.nan)
    at = np.where(seen, numbers, -np.inf).argmax(axis=1)
    yield "place of the largest output", "label", np.where(some, at, -1)
    equal = (numbers[:, 1:] == numbers[:, :-1]).sum(axis=1)
    yield "neighbouring outputs that are equal", "ordered", equal.astype(np.float64)
    zero = (numbers == 0).sum(axis=1)
    yield "outputs that are 0", "ordered", zero.astype(np.float64)


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
