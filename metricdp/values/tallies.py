"""What rules ask of a whole column at NumPy speed: occurrences, and the exact sum of squares."""

from __future__ import annotations

from fractions import Fraction
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


_LIMB = 21
#: 2**20 products of 42 bits fit a sum of 63 bits.
_CHUNK = 1 << 20
#: Places of the products of three limbs of a square, in limbs, and how often each occurs.
_PAIRS = ((0, 0, 1), (0, 1, 2), (0, 2, 2), (1, 1, 1), (1, 2, 2), (2, 2, 1))


def sum_of_squares(column: Column) -> Exact:
    """The sum of x**2, exact whatever the order."""
    if column.on_grid:
        assert column.ticks is not None
        total = sum(_of_integers(part) for part in _parts(column.ticks))
        return Exact(_shifted(total, 2 * column.exponent))
    assert column.floats is not None
    found = Fraction(0)
    for part in _parts(column.floats):
        found += _of_floats(part)
    return Exact(found)


def _parts(array: NDArray[Any]) -> list[NDArray[Any]]:
    return [array[i : i + _CHUNK] for i in range(0, len(array), _CHUNK)]


def _limbs(x: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """x = a 2**42 + b 2**21 + c with b, c in [0, 2**21): returned as (c, b, a)."""
    mask = (1 << _LIMB) - 1
    return x & mask, (x >> _LIMB) & mask, x >> 2 * _LIMB


def _of_integers(x: NDArray[np.int64]) -> int:
    import numpy as np

    limbs = _limbs(x)
    return sum(times * int(np.dot(limbs[i], limbs[j])) << _LIMB * (i + j) for i, j, times in _PAIRS)


def _of_floats(x: NDArray[np.float64]) -> Fraction:
    """Numbers of one exponent are integers on one grid: their squares are added exponent-wise."""
    import numpy as np

    if not len(x):
        return Fraction(0)
    fraction, exponent = np.frexp(x)
    order = np.argsort(exponent.astype(np.int16), kind="stable")
    exponent = exponent[order]
    limbs = _limbs(np.ldexp(fraction[order], 53).astype(np.int64))
    starts = np.flatnonzero(np.diff(exponent, prepend=exponent[0] - 1))
    sums = [
        (i + j, times, np.add.reduceat(limbs[i] * limbs[j], starts).tolist())
        for i, j, times in _PAIRS
    ]
    total = Fraction(0)
    for place, e in enumerate(exponent[starts].tolist()):
        part = sum(times * each[place] << _LIMB * at for at, times, each in sums)
        total += _shifted(part, 2 * (e - 53))
    return total


def _shifted(x: int, exponent: int) -> Fraction:
    return Fraction(x << exponent) if exponent >= 0 else Fraction(x, 1 << -exponent)
