"""Sums over rows that are replaced, released as one vector: no neighbour moves it further."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_python import checked

from metricdp.measures.readings import leaves

HEAD = """
@dp.measurement
def f(rows: dp.Records[int, dp.ChangeOne], b: float):
"""
END = "    return dp.laplace(out, scale=b)\n"
#: Body -> how far one replaced row moves the vector in L1.
BODIES = {
    """
    out = [0, 0, 0, 0]
    for r in rows:
        k = dp.clamp(r, 0, 3)
        out[k] += 1
""": 2,
    """
    counts = {0: 0, 1: 0, 2: 0}
    for r in rows:
        if r in counts:
            counts[r] += 1
    out = list(counts.values())
""": 2,
    """
    a = b_ = c = d = 0
    for r in rows:
        if r == 0:
            a += 1
        elif r == 1:
            b_ -= 3
        elif r > 2:
            c += dp.clamp(r, 0, 3)
        else:
            d += 1
    out = [a, b_, c, d]
""": 6,
    # Rows that stay where they are move a sum from one end to the other.
    """
    a = b_ = c = 0
    for r in rows:
        if r < 0:
            a += 1
        elif r == 0:
            b_ += 1
        else:
            c += dp.clamp(r - 2, -1, 1)
    out = [a, b_, c]
""": 2,
    # Sums that share rows add up.
    """
    a = b_ = c = 0
    for r in rows:
        if r == 0:
            a += 1
        if r <= 1:
            b_ += 1
        if r <= 2:
            c += 1
    out = [a, b_, c]
""": 3,
    """
    a = b_ = c = 0
    for r in rows:
        if r == 0:
            a += 1
        elif r == 1:
            b_ += 1
        else:
            c += 1
    out = [a, b_, c, a]
""": 3,
    """
    a = b_ = c = 0
    for r in rows:
        if r == 0:
            a += 1
        elif r == 1:
            b_ += 1
        else:
            c += 1
    out = [2 * a, b_ + a, c]
""": 4,
    # The rows of another table are others, although they are of the same people.
    """
    a = b_ = c = 0
    for r in rows:
        if r == 0:
            a += 1
    for r in [1 - r for r in rows]:
        if r == 1:
            b_ += 1
    for r in rows:
        if r == 2:
            c += 1
    out = [a, b_, c]
""": 3,
    """
    a = b_ = c = 0
    for r in rows:
        if r == 0:
            a += 1
            b_ += 1
            c += 1
        elif r == 1:
            b_ += 1
        else:
            c += 1
    out = [a, b_, c]
""": 3,
    """
    a = b_ = 0
    for r in rows:
        if r == 2:
            a += 1
    c = a
    for r in rows:
        if r == 0:
            c += 1
        elif r == 1:
            b_ += 1
    out = [a, b_, c]
""": 3,
}
VALUES = (-1, 0, 1, 2, 3)


def plainly(body: str, rows: tuple[int, ...]) -> list[Any]:
    """The vector that the program hides, by Python itself."""

    def clamp(x: int, low: int, high: int) -> int:
        return min(max(x, low), high)

    hidden: list[Any] = []
    names: dict[str, Any] = {
        "dp": SimpleNamespace(clamp=clamp, laplace=lambda x, scale: hidden.extend(x))
    }
    exec("def f(rows, b):\n" + body + END, names)
    names["f"](list(rows), 1)
    return hidden


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_no_replaced_rows_move_the_vector_further(number: int, tmp_path: Path) -> None:
    """Every table of three rows, and every one with one, two or three rows replaced."""
    body, proved = list(BODIES.items())[number]
    f = checked(tmp_path, HEAD + body + END)
    (leaf,) = leaves(f.guarantee.data.tree)
    (moved,) = leaf.moved.values()
    claims = [moved.upper({"d_in": d}) for d in (1, 2, 3)]
    assert claims == [proved, 2 * proved, 3 * proved]
    assert f.at(b=1.0).map(1) == proved
    vectors = {rows: plainly(body, rows) for rows in itertools.product(VALUES, repeat=3)}
    for (one, x), (other, y) in itertools.combinations(vectors.items(), 2):
        apart = sum(a != b for a, b in zip(one, other, strict=True))
        assert sum(abs(a - b) for a, b in zip(x, y, strict=True)) <= claims[apart - 1]
