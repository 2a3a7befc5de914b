"""Items that a round reads by its number, strides and copies: a run is what Python would do."""

from __future__ import annotations

from pathlib import Path

import pytest
from plain_python import checked, same

from metricdp.errors import ParameterError

PROGRAM = """
EDGES = (-5.0, 0.0, 1.5, 9.0)
NAMES = ("a", "b", "a")

def band(xs, i, eps):
    return dp.laplace(len([v for v in xs if EDGES[i - 1] <= v < EDGES[i]]), epsilon=eps)

@dp.measurement
def f(xs: dp.Records[float], b: int, eps: float):
    out, before = [], [0, 0]
    for i in range(1, len(EDGES)):
        out.append(band(xs, i, eps))
    for i in range(-3, 0):
        more = before.copy()
        more.append(NAMES[i])
        out.append((more, dp.laplace(sum(1 for v in xs.copy() if v < EDGES[i]), epsilon=eps)))
    steps = []
    for low in range(-4, 9, b):
        steps.append(dp.laplace(sum(1 for v in xs if low <= v < low + b), epsilon=eps))
    return out, steps, before
"""


@pytest.mark.parametrize("step", [1, 3, 20])
def test_a_run_is_what_python_would_do(tmp_path: Path, step: int) -> None:
    for rows in ([], [-4.5, 0.0, 0.0, 1.5, 8.75]):
        same(tmp_path, PROGRAM, rows, b=step, eps=1.0)


def test_no_row_is_read_at_a_step_of_zero(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="b >= 1"):
        checked(tmp_path, PROGRAM)([1.0], b=0, eps=1.0)
