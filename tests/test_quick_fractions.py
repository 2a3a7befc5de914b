"""The arithmetic of `quick_fractions` is Python's: value, type, lowest terms, or the same error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, nan
from typing import Any

import numpy
import pytest
import quick_fractions
from quick_fractions import OWN, QUICK


class Half(Fraction):
    """A class of the user's."""


#: Signs, zeros, common divisors on either side, numbers of many digits, bools, what is no number.
RATIONAL = [
    *(Fraction(n, d) for n in (-6, -1, 0, 1, 4, 15) for d in (1, 2, 9, 10)),
    Fraction(10**40, 3**50), Fraction(-(3**50), 10**40), Half(1, 2),
]  # fmt: skip
OTHERS = [-3, 0, 1, 10, 10**45, True, 0.5, -0.0, inf, nan, 1j, numpy.int64(2), numpy.float64(3)]
WORDS = ["1/2", None, Decimal(1)]


def _outcome(function: Callable[..., Any], *given: Any) -> Any:
    try:
        found = function(*given)
    except Exception as error:
        return type(error), str(error)
    if isinstance(found, Fraction):
        parts = found.numerator, found.denominator
        return type(found), parts, tuple(map(type, parts))
    return type(found), repr(found)


def _pairs() -> Iterator[tuple[Any, Any]]:
    yield from product(RATIONAL, [*RATIONAL, *OTHERS, *WORDS])


@pytest.mark.parametrize("name", QUICK)
def test_operators(name: str) -> None:
    if name in ("__hash__", "__neg__"):
        for a in RATIONAL:
            assert _outcome(QUICK[name], a) == _outcome(OWN[name], a), a
        return
    for a, b in _pairs():
        assert _outcome(QUICK[name], a, b) == _outcome(OWN[name], a, b), (a, b)


def test_fractions_are_made_alike() -> None:
    quick, own = quick_fractions._new, quick_fractions._own_new
    given = [(a, b) for a in [*RATIONAL, *OTHERS, *WORDS] for b in [*RATIONAL, *OTHERS, *WORDS]]
    for kind in (Fraction, Half):
        for a, b in [*given, (6, 4), (6, -4), (6, 0)]:
            assert _outcome(quick, kind, a, b) == _outcome(own, kind, a, b), (a, b)
    for a in [*RATIONAL, *OTHERS, *WORDS, "x"]:
        assert _outcome(quick, Fraction, a) == _outcome(own, Fraction, a), a


@pytest.mark.parametrize("defect", ["sign", "terms"])
def test_a_wrong_formula_is_seen(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if defect == "sign":
        monkeypatch.setitem(QUICK, "__sub__", QUICK["__rsub__"])
        with pytest.raises(AssertionError):
            test_operators("__sub__")
    else:
        monkeypatch.setattr(quick_fractions, "gcd", lambda a, b: 1)
        with pytest.raises(AssertionError):
            test_operators("__add__")
