"""Functions of exact numbers of a million digits answer, soon, and are as stable there."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from metricdp.primitives import _exact
from metricdp.primitives.scalars._smooth import cosine, sine

flint = pytest.importorskip("flint")
Wave = Callable[[Fraction | int], Fraction]
ERROR = Fraction(1, 2**98)
END = 1 << 2048


def _pi(bits: int) -> Fraction:
    flint.ctx.prec, before = bits + 64, flint.ctx.prec
    try:
        mantissa, exponent = (flint.arb.pi() * flint.arb(2) ** bits).mid().man_exp()
    finally:
        flint.ctx.prec = before
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent) / 2**bits


@pytest.mark.parametrize("function", [sine, cosine])
def test_waves_of_huge_numbers_end(function: Wave) -> None:
    huge = _exact.exponential(2**63 - 1)
    assert huge.numerator.bit_length() > 10**6
    for x in (huge, -huge, huge * huge, Fraction(huge.numerator + 1, 3)):
        assert function(x) == 0


@pytest.mark.parametrize("function, name", [(sine, "sin"), (cosine, "cos")])
def test_waves_of_large_numbers_are_close(
    function: Wave, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flint.ctx, "prec", 5000)
    for x in (10**300, 2**2040 + 1, END, 3 * END, -3 * END, Fraction(10**400, 7)):
        ratio = flint.arb(x.numerator) / flint.arb(x.denominator)
        true = getattr(ratio, name)()
        found = function(x)
        error = flint.arb(found.numerator) / flint.arb(found.denominator) - true
        assert found and abs(error) < flint.arb(2) ** -98


def test_waves_stop_where_they_are_zero() -> None:
    pi = _pi(5000)
    for function, end in ((sine, END * pi), (cosine, (END + Fraction(1, 2)) * pi)):
        for d in (Fraction(1, 1000), Fraction(1, 2), Fraction(1)):
            inside, outside = function(end - d), function(end + d)
            assert outside == 0 and inside != 0
            assert abs(inside - outside) <= d + 2 * ERROR
            assert function(-end - d) == 0 and abs(function(-end + d)) <= d + 2 * ERROR


def test_logarithms_of_long_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flint.ctx, "prec", 300)
    huge = _exact.exponential(10**6)
    assert abs(_exact.logarithm(huge) - 10**6) < Fraction(1, 2**99)
    assert abs(_exact.logarithm(1 / huge) + 10**6) < Fraction(1, 2**99)
    near_one = Fraction(2**20000 + 1, 2**20000 - 12345)
    assert abs(_exact.logarithm(near_one)) < Fraction(1, 2**99)
    # Just as long as decimals go, and longer: the same number.
    short = Fraction(3**10330, 7**5000)
    long = Fraction(3**10330 * 2**99, 7**5000 * 2**99 + 1)
    assert abs(_exact.logarithm(short) - _exact.logarithm(long)) < Fraction(1, 2**99)
