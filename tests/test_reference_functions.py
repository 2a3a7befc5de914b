"""Reference functions of irrational primitives: within 2**-98 of the real value, in their image."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy

from metricdp.primitives import load
from metricdp.record import REGISTRY

load()
ERROR = sympy.Rational(1, 2**98)
POINTS = [
    *map(Fraction, (0, 11, -30, -71, 10**6, 10**60)),
    *map(Fraction, ("1/3", "-1/3", "-22/7", "355/113", "1e-40", "-1e17")),
]
VALUES = {
    "tanh": sympy.tanh,
    "sigmoid": lambda x: 1 / (1 + sympy.exp(-x)),
    "softplus": lambda x: sympy.Max(x, 0) + sympy.log(1 + sympy.exp(-sympy.Abs(x))),
    "sin": sympy.sin,
    "cos": sympy.cos,
}
IMAGES = {
    "tanh": (-1, 1),
    "sigmoid": (0, 1),
    "softplus": (0, 10**61),
    "sin": (-1, 1),
    "cos": (-1, 1),
}


def rational(x: Any) -> Any:
    return sympy.Rational(x.numerator, x.denominator)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("x", POINTS, ids=str)
def test_error_and_image(name: str, x: Fraction) -> None:
    found = REGISTRY[name].run(x)
    low, high = IMAGES[name]
    assert low <= found <= high
    # Beyond 2**20 the exponential parts are below the error: 0, or 1 in the quotients.
    if abs(x) > 2**20 and name not in ("sin", "cos"):
        limits = {
            "tanh": 1 if x > 0 else -1,
            "sigmoid": int(x > 0),
            "softplus": max(x, Fraction(0)),
        }
        assert abs(found - limits[name]) <= Fraction(1, 2**98)
        return
    exact = VALUES[name](rational(x)).evalf(130)
    assert sympy.Abs(rational(found) - exact) < ERROR


def test_softmax_sums_to_one_and_logsumexp_is_its_potential() -> None:
    entries = [Fraction(3), Fraction(-1, 2), Fraction(7, 3), Fraction(-60)]
    shares = REGISTRY["softmax"].run(entries)
    assert sum(shares) == 1
    total = sum(sympy.exp(rational(v)) for v in entries)
    for share, v in zip(shares, entries, strict=True):
        assert sympy.Abs(rational(share) - (sympy.exp(rational(v)) / total).evalf(60)) < 3 * ERROR
    found = REGISTRY["logsumexp"].run(entries)
    assert sympy.Abs(rational(found) - sympy.log(total).evalf(60)) < 3 * ERROR


def test_an_error_of_the_reference_is_noticed() -> None:
    x = Fraction(1, 3)
    wrong = REGISTRY["sin"].run(x) + Fraction(1, 2**97)
    assert sympy.Abs(rational(wrong) - sympy.sin(rational(x)).evalf(60)) > ERROR


@pytest.mark.parametrize("x", [-99, -71, -50, -30, -1, 0, 1, 30])
def test_exponential_is_close_wherever_it_is_small(x: int) -> None:
    """Arguments in [-100, -45] once raised an error that depended on private data."""
    from metricdp.noise.enclose import exp_bounds
    from metricdp.primitives._exact import exponential

    low, high = exp_bounds(Fraction(x), 300)
    assert low - Fraction(1, 2**100) <= exponential(Fraction(x)) <= high + Fraction(1, 2**100)
