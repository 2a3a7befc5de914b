"""What rules ask of a whole column at NumPy speed: occurrences, and how many lie on a side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricdp.values.column import Column
from metricdp.values.exact import Exact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def occurrences(column: Column) -> tuple[list[Exact], NDArray[np.int64]]:
    """The distinct numbers of a column in increasing order, and how often each occurs."""
    import numpy as np

    values, counts = np.unique(_array(column), return_counts=True)
    return [_number(column, value) for value in values.tolist()], counts


def distinct(column: Column) -> int:
    """How many different numbers a column holds."""
    import numpy as np

    return len(np.unique(_array(column)))


def below_and_above(column: Column, points: list[Any]) -> list[tuple[int, int]]:
    """Per point, how many numbers of the column lie below it and how many above it."""
    import numpy as np

    values, counts = np.unique(_array(column), return_counts=True)
    until = [0, *np.cumsum(counts).tolist()]
    found = []
    for point in points:
        left = _position(column, values, point, False)
        right = _position(column, values, point, True)
        found.append((until[left], until[-1] - until[right]))
    return found


def _position(column: Column, values: Any, point: Any, after: bool) -> int:
    """The first place whose number is not below the point, or the first above it; exact."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        number = _number(column, values[middle].item())
        if number < point or (after and number == point):
            low = middle + 1
        else:
            high = middle
    return low


def _array(column: Column) -> Any:
    return column.ticks if column.on_grid else column.floats


def _number(column: Column, value: int | float) -> Exact:
    if not column.on_grid:
        return Exact(value)
    exponent = column.exponent
    return Exact(value << exponent) if exponent >= 0 else Exact(value) / (1 << -exponent)  # type: ignore[operator]
