"""Laws that noise decides: closed forms against the sums themselves, at any scale."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.errors import ParameterError
from metricdp.laws import DiscreteLaplaceLaw, above_threshold_law, noisy_max_law
from metricdp.laws.selection import decided, positions_above_law

F = Fraction
ticks = st.lists(st.integers(-4, 4), max_size=3)


def summed(
    center: int, decisive: Fraction, silent: list[int], loud: list[int], scale: Fraction
) -> float:
    """The sum over the decisive noise, term by term."""
    noise, own = DiscreteLaplaceLaw(0, scale), DiscreteLaplaceLaw(center, decisive)
    reach, total = 40, 0.0
    for u in range(center - reach, center + reach + 1):
        term = float(own.pmf(u)[0])
        for c in silent:
            term *= float(noise.cdf(u - c)[0])
        for c in loud:
            term *= float(noise.tail(u - c + 1)[0])
        total += term
    return total


@settings(max_examples=15, deadline=None)
@given(
    st.integers(-3, 3), ticks, ticks,
    st.sampled_from([F(1, 2), F(1), F(5, 3)]), st.sampled_from([F(1, 3), F(1), F(2)]),
)  # fmt: skip
def test_closed_forms_are_the_sums(
    center: int, silent: list[int], loud: list[int], decisive: Fraction, scale: Fraction
) -> None:
    low, high = decided(center, decisive, silent, loud, scale)
    assert 0 < low <= high <= low * (1 + F(1, 10**30))
    assert float(low) == pytest.approx(summed(center, decisive, silent, loud, scale), rel=1e-9)


def test_outcomes_partition() -> None:
    """Of each comparison one side happens: 2**n cases have total chance 1."""
    cs = [-2, 0, 0, 5]
    low = high = F(0)
    for sides in product((0, 1), repeat=4):
        parts = [[c for c, s in zip(cs, sides, strict=True) if s == side] for side in (0, 1)]
        found = decided(1, F(3, 2), parts[0], parts[1], F(7, 3))
        low, high = low + found[0], high + found[1]
    assert low <= 1 <= high and high - low < F(1, 10**30)


def test_tiny_chances_keep_their_relative_accuracy() -> None:
    law = above_threshold_law([-3000, 0], F(1), F(2), 0)
    low, high = law.pmf(0)
    assert low > 0 and high - low < low / 10**30
    # Far below the threshold the query's own noise decides: e**-1500, times a constant.
    assert 0.1 < float(high / F(exp(-700)) / F(exp(-700)) / F(exp(-100))) < 10


@pytest.mark.parametrize("scale", [F(1024), F(2**40), F(2**40) + F(1, 3)])
def test_fine_grids_approach_the_continuous_law(scale: Fraction) -> None:
    """Two scores at distance x scales: P = 1 - e**-x / 2 - x e**-x / 4 (Laplace, closed form)."""
    for x in (1, 2):
        low, high = noisy_max_law([0, int(scale * x)], scale).pmf(1)
        expected = 1 - exp(-x) / 2 - x * exp(-x) / 4
        assert float(low) == pytest.approx(expected, abs=2 / float(scale))
        assert high - low < F(1, 10**30)


def test_a_tie_goes_to_the_first() -> None:
    law = noisy_max_law([0, 0], F(1))
    same = sum(float(DiscreteLaplaceLaw(0, F(1)).pmf(k)[0]) ** 2 for k in range(-60, 61))
    assert float(law.pmf(0)[0]) == pytest.approx((1 + same) / 2)


@pytest.mark.parametrize("reports", [1, 2, 3])
def test_positions_have_total_chance_one(reports: int) -> None:
    law = positions_above_law([1, -2, 0, 3], F(2), F(3), 1, reports)
    masses = [law.pmf(k) for k in law.support()]
    assert sum(m[0] for m in masses) <= 1 <= sum(m[1] for m in masses)
    assert all(len(k) <= reports for k in law.support())  # type: ignore[arg-type]
    first = above_threshold_law([1, -2, 0, 3], F(2), F(3), 1)
    for i in range(4):
        whole = sum(law.pmf(k)[0] for k in law.support() if k and k[0] == i)  # type: ignore[index]
        assert abs(whole - first.pmf(i)[0]) < F(1, 10**30)


def test_bad_noise_is_refused() -> None:
    for call in (
        lambda: noisy_max_law([0, 1], F(0)),
        lambda: noisy_max_law([0, F(1, 2)], F(1)),  # type: ignore[list-item]
        lambda: above_threshold_law([0], F(-1), F(1), 0),
        lambda: above_threshold_law([0], F(1), F(1), float("nan")),  # type: ignore[arg-type]
    ):
        with pytest.raises(ParameterError):
            call()
