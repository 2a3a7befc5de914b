"""Rationals that are made without a look for a common divisor have none: equality rests on it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from metricdp.columns.grids import scaled
from metricdp.expr import num
from metricdp.expr.reduced import dyadic, of_decimal
from metricdp.noise.enclose import exp_bounds, ln_above, ln_below, ln_bounds
from metricdp.noise.parameters import rational
from metricdp.spaces import L2, Bool, Data, Real, Size, Vector, space_of
from metricdp.spaces.lengths import apart, root_of, squared, summed
from metricdp.values import Exact
from metricdp.values.exact import exact

NUMBERS = [
    0, 1, -1, 6, -4, 2**70, Fraction(1, 2), Fraction(-3, 2), Fraction(6, 4), Fraction(5, 6),
    Fraction(1, 6), Fraction(7, 2**60), Exact(3), Exact(Fraction(9, 6)),
]  # fmt: skip


def holds(found: Fraction, wanted: Fraction) -> bool:
    """Equal, in lowest terms, over a positive denominator, of plain integers."""
    terms = (found.numerator, found.denominator)
    return terms == (wanted.numerator, wanted.denominator) and {*map(type, terms)} == {int}


def test_lengths_and_numbers_are_in_lowest_terms() -> None:
    for x, y in product(NUMBERS, NUMBERS):
        p, q = Fraction(x), Fraction(y)
        assert holds(apart(x, y), abs(p - q)), (x, y)
        assert holds(summed([x, y]), p + q) and holds(summed([x, y, x]), p + q + p), (x, y)
    assert holds(summed([]), Fraction(0)) and holds(Fraction(0), summed([1, -1]))
    for x in NUMBERS:
        p = Fraction(x)
        assert holds(squared(x), p * p) and holds(root_of(squared(x)).whole, abs(p)), x
        assert holds(rational(x, "x"), p) and holds(exact(x), p), x
        for e in (-3, 0, 2):
            assert holds(scaled(x, e), p * Fraction(2) ** e), (x, e)
        number = num(p).as_fraction()
        assert number is not None and holds(number, p)


def test_floats_booleans_and_decimals_are_in_lowest_terms() -> None:
    for x in (0.0, -0.0, 0.5, 6.0, -1.75, 5e-324, 1.7976931348623157e308, 0.1, True, False):
        assert holds(exact(x), Fraction(x)) and holds(Exact(x), Fraction(x)), x
    for text in ("0", "6", "-0.50", "1.25e-7", "4e3"):
        assert holds(of_decimal(Decimal(text)), Fraction(text))
    for top, places in product((0, 1, -6, 8, 12, 2**80), (0, 1, 3, 80)):
        assert holds(dyadic(top, places), Fraction(top, 2**places))
    for x in (Fraction(1, 3), Fraction(4), Fraction(9, 6)):
        for end in (*exp_bounds(x), *ln_bounds(x), ln_below(x), ln_above(x)):
            assert holds(end, Fraction(*end.as_integer_ratio()))


def test_gaps_of_one_value_are_zero_or_one() -> None:
    for space in (space_of(Bool), space_of(Data)):
        assert holds(space.gap(True, True), Fraction(0)) and holds(
            space.gap(True, False), Fraction(1)
        )
    halves = Vector[Real, L2].refined(Size(2)).length([Fraction(3, 2), 0], [0, Fraction(2)])
    assert holds(halves.whole, Fraction(5, 2))


@given(st.integers(), st.integers(0, 200))
def test_rationals_that_are_made_reduced_are_reduced(numerator: int, places: int) -> None:
    found, same = dyadic(numerator, places), Fraction(numerator, 1 << places)
    assert (found.numerator, found.denominator) == (same.numerator, same.denominator)
    low, _ = exp_bounds(Fraction(numerator % 50, places + 1), 96)
    assert Fraction(low.numerator, low.denominator).denominator == low.denominator
