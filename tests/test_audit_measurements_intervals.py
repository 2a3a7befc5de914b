"""Clopper-Pearson bounds: certified in rationals, and as sharp as SciPy's."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log

import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from metricdp.errors import ParameterError
from metricdp.laws.binomial import (
    log_ratio_at_least,
    proportion_at_least,
    proportion_at_most,
    tail_at_most,
)


def exact_tail(hits: int, trials: int, p: Fraction) -> Fraction:
    """P(Bin(trials, p) >= hits), by its definition."""
    return sum(
        (comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(hits, trials + 1)),
        Fraction(0),
    )


@given(st.data())
@settings(max_examples=depth(30, 60), deadline=None)
def test_the_bound_is_wrong_with_at_most_the_stated_probability(data: st.DataObject) -> None:
    trials = data.draw(st.integers(1, 60))
    hits = data.draw(st.integers(1, trials))
    alpha = Fraction(1, data.draw(st.sampled_from([3, 20, 1000, 10**6, 10**12])))
    low = proportion_at_least(hits, trials, alpha)
    # At the bound itself the tail is exactly at most alpha; a little above it, it is not.
    assert exact_tail(hits, trials, low) <= alpha
    assert exact_tail(hits, trials, low * (1 + Fraction(1, 10**7))) > alpha
    high = proportion_at_most(trials - hits, trials, alpha)
    assert high == 1 - low


@given(st.integers(1, 300), st.data())
@settings(max_examples=depth(30, 60), deadline=None)
def test_the_tail_is_enclosed_from_above(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(1, trials))
    p = Fraction(data.draw(st.integers(1, 1000)), 1000) * Fraction(hits, trials)
    bound, exact = tail_at_most(hits, trials, p), exact_tail(hits, trials, p)
    assert exact <= bound <= exact * (1 + Fraction(1, 10**4))


@pytest.mark.parametrize(
    ("hits", "trials", "alpha"),
    [
        (0, 10, 0.05), (10, 10, 0.05), (1, 10, 1e-6), (1, 10**6, 1e-7), (37, 10**5, 1e-9),
        (3000, 10**4, 1e-12), (5 * 10**5, 10**6, 1e-6), (10**6 - 1, 10**6, 1e-6),
    ],
)  # fmt: skip
def test_as_sharp_as_scipy(hits: int, trials: int, alpha: float) -> None:
    low = float(proportion_at_least(hits, trials, Fraction(alpha)))
    high = float(proportion_at_most(hits, trials, Fraction(alpha)))
    assert low == pytest.approx(beta.ppf(alpha, hits, trials - hits + 1) if hits else 0, rel=1e-8)
    assert 1 - high == pytest.approx(
        beta.ppf(alpha, trials - hits, hits + 1) if hits < trials else 0, rel=1e-8
    )


def test_epsilon_is_rounded_down() -> None:
    p, q = Fraction(1, 2), Fraction(1, 7)
    found = log_ratio_at_least(p, q)
    assert float(found) == pytest.approx(log(3.5), rel=1e-15)
    assert log_ratio_at_least(q, p) == 0


@pytest.mark.parametrize("wrong", [(-1, 5, 0.1), (6, 5, 0.1), (0, 0, 0.1), (1, 5, 0), (1, 5, 1)])
def test_bad_input(wrong: tuple[int, int, float]) -> None:
    hits, trials, alpha = wrong
    with pytest.raises(ParameterError):
        proportion_at_least(hits, trials, Fraction(alpha))
