"""The law of row independence: what a function gives for a row does not depend on other rows.

Privacy asks that a row's result is a function of that row alone, bit for bit: NumPy's own vector
loops may give one value other last bits at another place or in another layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

#: Rows that take other branches than most, to stand beside the rows of a test.
STRANGE = (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -1e-310, 1.7e308, -1e300, 1e15, -745.0)


def bits(x: Any) -> np.ndarray:
    """The bits of doubles, which tell 0.0 from -0.0."""
    return np.ascontiguousarray(x, dtype=np.float64).view(np.int64)


def unaligned(x: np.ndarray) -> np.ndarray:
    """The same doubles one byte beside the places where the machine wants them."""
    found = np.frombuffer(b"\0" + x.tobytes(), dtype=np.float64, offset=1)
    assert not found.flags.aligned
    return found


def _field(x: np.ndarray) -> np.ndarray:
    rows = np.zeros(x.size, dtype=np.dtype([("tag", "i1"), ("value", "f8"), ("more", "i2")]))
    rows["value"] = x
    return rows["value"]


def _column(x: np.ndarray) -> np.ndarray:
    matrix = np.full((x.size, 3), 0.5)
    matrix[:, 1] = x
    return matrix[:, 1]


def _fortran(x: np.ndarray) -> np.ndarray:
    matrix = np.full((3, x.size), 0.5, order="F")
    matrix[1] = x
    return matrix[1]


def _among(x: np.ndarray, neighbours: tuple[float, ...]) -> np.ndarray:
    found = np.resize(np.array(neighbours), 3 * x.size + 5)
    found[5::3] = x
    return found


def arrangements(
    columns: tuple[np.ndarray, ...], rng: np.random.Generator
) -> Iterator[tuple[str, tuple[np.ndarray, ...], Any, Any]]:
    """Name, columns, which of their rows are meant, and which rows of the first order these are."""
    size = columns[0].size
    every = np.arange(size)

    def each(layout: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, ...]:
        return tuple(map(layout, columns))

    order = rng.permutation(size)
    yield "shuffled", each(lambda x: x[order]), every, order
    yield "reversed view", each(lambda x: x[::-1]), every, every[::-1]
    yield "strided", each(lambda x: np.repeat(x, 3)[1::3]), every, every
    yield "column of a matrix", each(_column), every, every
    yield "row of a matrix by columns", each(_fortran), every, every
    yield "unaligned", each(unaligned), every, every
    yield "field of records", each(_field), every, every
    yield "big-endian", each(lambda x: x.astype(">f8")), every, every
    yield "read only", each(lambda x: np.frombuffer(x.tobytes())), every, every
    padding = rng.normal(size=17)
    yield "padded", each(lambda x: np.concatenate([padding, x, padding])), every + 17, every
    beside = 5 + 3 * every
    yield "among strange rows", each(lambda x: _among(x, STRANGE)), beside, every
    yield "among plain rows", each(lambda x: _among(x, (0.25, 0.75))), beside, every
    kept = np.flatnonzero(rng.random(size) < 0.7)
    yield "some removed", each(lambda x: x[kept]), np.arange(kept.size), kept
    for start, stop in [(0, 1), (0, 2), (0, 7), (1, 9), (3, 20), (5, size), (size - 1, size)]:
        some = every[start:stop]
        rows = np.arange(some.size)
        yield f"rows {start} to {stop}", each(lambda x, s=some: x[s[0] : s[-1] + 1]), rows, some
    for row in rng.integers(size, size=20):
        yield f"row {row} alone", each(lambda x, r=row: x[r : r + 1]), np.zeros(1, int), [row]


def dependence(function: Callable[..., Any], *columns: np.ndarray, seed: int = 0) -> list[str]:
    """The arrangements in which a function of columns gives some row another result: none."""
    plain = tuple(np.ascontiguousarray(x, dtype=np.float64) for x in columns)
    first = bits(function(*plain))
    found = []
    for name, moved, rows, meant in arrangements(plain, np.random.default_rng(seed)):
        before = [x.copy() for x in moved]
        if not np.array_equal(bits(function(*moved))[rows], first[meant]):
            found.append(name)
        # The columns belong to the caller.
        if not all(
            np.array_equal(x, y, equal_nan=True) for x, y in zip(moved, before, strict=True)
        ):
            found.append(f"{name}: written on")
    return found
