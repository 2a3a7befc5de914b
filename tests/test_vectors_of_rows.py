"""Vectors of the numbers of one row: what enters the noise is what plain Python computes.

Both evaluators put the same vectors into the noise, to the last bit; and what they put in is what
the program gives in plain Python with NumPy on rows that neither overflow nor divide by 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.run.emit import Recording, Seeded, handling

HEAD = """
import math
import numpy as np
import metricdp as dp

@dp.measurement
def program(rows: dp.Records[tuple[float, float, bool]], rho: float):
    w = np.array([0.5, -0.25])
    M = np.array([[0.5, -1.0], [2.0, 0.25], [0.0, 1.0]])
    total = np.zeros({size})
    for a, b, yes in rows:
{body}
    return dp.gaussian(total, rho=rho)
"""
#: Size of the sum, and what a round does to it.
BODIES = {
    "divided by the larger": (2, "g = np.array([a, b])\nlength = np.linalg.norm(g)\n"
                                 "total = total + g / max(1, length / 0.5)"),
    "times the smaller": (2, "g = np.array([a, b])\nlength = max(np.linalg.norm(g), 1e-12)\n"
                             "total += g * min(1, 2 / length)"),
    "normalised": (2, "g = np.array([a, b])\ntotal += g / (math.sqrt(g @ g) + 0.5)"),
    "root of a sum": (2, "g = np.array([a, b])\ntotal += g / max(1, np.sqrt(np.sum(g ** 2)))"),
    "in L1": (3, "g = np.array([a, 1.0, b])\ntotal += 3 * g / max(3, np.linalg.norm(g, 1))"),
    "logistic": (2, "x = np.array([a, b])\np = 1 / (1 + np.exp(-(w @ x)))\ng = (p - yes) * x\n"
                    "total = total + g / max(1.0, np.linalg.norm(g))"),
    "perceptron": (2, "x = np.array([min(max(a, 0.0), 1.0), min(max(b, 0.0), 1.0)])\n"
                      "y = 1 if yes else -1\nif y * np.dot(w, x) <= 0:\n    total += y * x"),
    "outer": ((2, 2), "x = np.clip(np.array([a, b]), -1, 1)\ntotal += np.outer(x, x)"),
    "array in a ball": ((3, 2), "x = np.clip(np.array([a, b]), 0.0, 1.0)\nz = M @ x\n"
                                "e = np.exp(z - np.max(z))\ng = np.outer(e / e.sum() - 0.5, x)\n"
                                "size = math.sqrt((g**2).sum())\n"
                                "total = total + g / max(1.0, size / 0.25)"),
    "beside a public array": ((3, 2), "x = np.array([a, b])\n"
                                      "g = np.outer(np.array([b, 1.0, a]), x) - 2 * M\n"
                                      "total = total + g / max(1.0, np.linalg.norm(g))"),
    "vector times array": (2, "g = np.array([a, 1.0, b]) @ M\n"
                              "total = total + g / max(1.0, np.linalg.norm(g))"),
    "chosen array": ((3, 2), "x = np.clip(np.array([a, b]), 0.0, 1.0)\ng = np.outer(M @ x, x)\n"
                             "if yes:\n    total = total + g / max(1.0, np.linalg.norm(g))"),
    "clipped entries": (3, "total += np.clip(np.array([a, b, float(yes)]), -1, 1)"),
}  # fmt: skip
ROWS = [
    (0.5, -2.0, True), (3.0, 4.0, False), (-0.125, 0.0625, True), (1e3, -7.5, False),
    (0.0, 1.0, True),
]  # fmt: skip
#: Besides: what overflows, vanishes or is none.
EXTREME = [*ROWS, (0.0, -0.0, True), (1e308, 1e308, False), (5e-324, -1e-300, True),
           (float("nan"), 2.0, True), (float("inf"), -1.0, False)]  # fmt: skip


def source(name: str) -> str:
    size, body = BODIES[name]
    return HEAD.format(size=size, body="\n".join(f"        {line}" for line in body.split("\n")))


def entered(function: Any, rows: list[Any], evaluator: str) -> list[float]:
    record = Recording(dp.Seeded(3))
    with evaluated_by(evaluator, rows=3), dp.handling(record):
        function(rows, rho=1.0)
    (entry,) = record.log
    return [float(x) for x in np.ravel(plain(entry.value))]


def by_hand(name: str) -> Callable[[list[Any]], Any]:
    """The same lines in plain Python."""
    text = (
        source(name).replace("@dp.measurement", "").replace("dp.gaussian(total, rho=rho)", "total")
    )
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return lambda rows: names["program"](rows, 1.0)


@pytest.mark.parametrize("name", BODIES)
def test_vectors_enter_the_noise_as_python_computes_them(name: str, tmp_path: Any) -> None:
    function = load(tmp_path, source(name), "").program
    assert not function.guarantee.data.by_row, name
    for rows in ([], ROWS, EXTREME):
        found = entered(function, rows, "arrays")
        assert found == entered(function, rows, "reference"), (name, rows)
        assert all(map(math.isfinite, found))
        assert np.shape(function(rows, rho=1.0).value) == np.shape(np.zeros(BODIES[name][0]))
        if rows is not EXTREME:
            assert np.allclose(found, np.ravel(by_hand(name)(rows)), rtol=1e-9, atol=1e-9), (
                name,
                rows,
            )


SUMMED = """
import numpy as np
import metricdp as dp

def direction(row):
    g = np.array([row[0], row[1], 0.5 * row[2]])
    return g / max(1, np.linalg.norm(g))

@dp.measurement
def program(rows: dp.Records[tuple[float, float, bool]], rho: float):
    return dp.gaussian(sum(direction(row) for row in rows), rho=rho)
"""


def test_a_sum_of_vectors_is_the_loop_that_adds_them_up(tmp_path: Any) -> None:
    function = load(tmp_path, SUMMED, "").program
    assert not function.guarantee.data.by_row
    names: dict[str, Any] = {}
    text = SUMMED.replace("@dp.measurement", "").replace("dp.gaussian(sum", "(sum")
    exec(compile(text.replace(", rho=rho)\n", ")\n"), "summed", "exec"), names)
    for rows in ([], ROWS, EXTREME):
        found = entered(function, rows, "arrays")
        assert found == entered(function, rows, "reference")
        if rows is ROWS:
            assert np.allclose(found, names["program"](rows, 1.0), rtol=1e-9)


@pytest.mark.parametrize("joined", ["np.concatenate([x, 2 * x])", "np.hstack((x, 2 * x))"])
def test_private_vectors_are_joined_as_numpy_writes_it(tmp_path: Any, joined: str) -> None:
    text = (
        "import numpy as np\n@dp.measurement\ndef f(x: dp.Vector[dp.Real, dp.L1]):\n"
        f"    return dp.laplace({joined}, scale=1)\n"
    )
    f, recorder = load(tmp_path, text).f, Recording(Seeded(1))
    with handling(recorder):
        f([1.5, -2.0])
    (entry,) = recorder.log
    assert [float(value) for value in plain(entry.value)] == [1.5, -2.0, 3.0, -4.0]
