"""Laws on the line against independent formulas; post-processing of them; the third seed's laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.errors import ParameterError
from metricdp.laws import (
    CauchyLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    EnclosedLaw,
    ExponentialLaw,
    FiniteLaw,
    GaussianLaw,
    GeometricLaw,
    GridLaw,
    LaplaceLaw,
    PiecewiseLaw,
    RoundedLaplaceLaw,
    UniformLaw,
    best_event,
    binned,
    clamp,
    hockey_stick,
    max_divergence,
    mixture,
    rounded,
    threshold,
    zcdp_rho,
)
from metricdp.laws.interval import arctangent

F = Fraction
TINY = F(1, 2**100)
LINE = [
    LaplaceLaw(F(1, 3), F(5, 2)),
    GaussianLaw(-2, F(3, 7)),
    CauchyLaw(1, 2),
    ExponentialLaw(F(3, 2), start=-1),
    UniformLaw(-2, F(1, 2)),
    PiecewiseLaw((0, F(1, 5), 1), (F(1, 5), F(6, 5))),
    mixture([LaplaceLaw(0, 1), UniformLaw(0, 1)], [F(1, 4), F(3, 4)]),
    clamp(GaussianLaw(0, 1), -1, F(1, 2)),
]


def precisely(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def encloses(bounds: Any, value: Any, width: Fraction = TINY) -> None:
    """The value inside, and a relative width of less than 2**-100."""
    low, high = bounds
    assert high - low <= width * high
    slack = mpmath.mpf(10) ** -55 * abs(value)
    assert precisely(low) - slack <= value <= precisely(high) + slack


@pytest.fixture(autouse=True)
def digits() -> Any:
    with mpmath.workdps(60):
        yield


@pytest.mark.parametrize("x", [F(-40), F(-3), F(1, 7), F(1, 3), F(5), F(70), F(3000)])
def test_known_tails_and_densities(x: Fraction) -> None:
    z = precisely((x - F(1, 3)) / F(5, 2))
    law = LaplaceLaw(F(1, 3), F(5, 2))
    encloses(law.tail(x), mpmath.exp(-z) / 2 if z > 0 else 1 - mpmath.exp(z) / 2)
    encloses(law.density(x), mpmath.exp(-abs(z)) / 5)
    if x < 100:
        gauss = GaussianLaw(F(1, 3), F(5, 2))
        encloses(gauss.tail(x), mpmath.erfc(z / mpmath.sqrt(2)) / 2)
        encloses(gauss.density(x), mpmath.npdf(z) / precisely(F(5, 2)))
    cauchy = CauchyLaw(F(1, 3), F(5, 2))
    encloses(cauchy.tail(x), mpmath.atan2(1, z) / mpmath.pi)
    encloses(cauchy.density(x), 1 / (mpmath.pi * precisely(F(5, 2)) * (1 + z * z)))
    waiting = ExponentialLaw(F(5, 2), F(1, 3))
    encloses(waiting.tail(x), mpmath.exp(-max(z, 0)))


@pytest.mark.parametrize("x", [F(1, 10**30), F(1, 3), F(99, 100), F(1), F(101, 100), F(10**40)])
def test_arctangent(x: Fraction) -> None:
    encloses(arctangent(x), mpmath.atan(precisely(x)), F(1, 2**170))


@pytest.mark.parametrize("law", LINE, ids=lambda law: repr(law)[:40])
def test_distribution_functions_are_monotone_and_masses_add_up(law: Any) -> None:
    points = [F(k, 4) for k in range(-14, 15)]
    values = [law.cdf(x) for x in points]
    assert all(a[0] <= b[1] for a, b in pairwise(values))
    for x in points:
        whole = law.cdf(x)[0] + law.tail(x)[0] - law.pmf(x)[1]
        assert abs(whole - 1) < TINY
    for a, b in pairwise(points):
        low, high = law.between(a, b)
        direct = 1 - (1 - law.cdf(b)[0]) - (1 - law.tail(a)[0])
        assert low - TINY <= direct <= high + TINY
        assert law.cell(a, b)[1] <= high + TINY
    cells = [law.cell(a, b) for a, b in pairwise(points)]
    rest = law.cdf(points[0])[0] - law.pmf(points[0])[0] + law.tail(points[-1])[0]
    assert abs(sum(c[0] for c in cells) + rest - 1) < TINY


@pytest.mark.parametrize("law", LINE[:4], ids=repr)
@pytest.mark.parametrize("at", [F(0), F(20)])
def test_narrow_and_distant_intervals_keep_their_relative_accuracy(law: Any, at: Fraction) -> None:
    """Differences of tails would lose every digit of these."""
    width = F(1, 2**200)
    low, high = law.between(at, at + width)
    assert 0 < low <= high <= low * (1 + F(1, 2**90))
    assert low <= law.density(at)[1] * width * (1 + TINY)
    assert high >= law.density(at + width)[0] * width * (1 - TINY)


def test_integer_laws_answer_at_any_number() -> None:
    for law in (
        DiscreteLaplaceLaw(2, F(3)),
        DiscreteGaussianLaw(2, F(3)),
        RoundedLaplaceLaw(F(7, 3), F(3)),
        GeometricLaw(F(1, 3)),
    ):
        assert law.cdf(F(5, 2)) == law.cdf(2) and law.tail(F(5, 2)) == law.tail(3)
        assert law.pmf(F(5, 2)) == (0, 0)
        assert law.between(5, 3) == (0, 0)
        for a, b in ((-9, -4), (-3, 6), (4, 9)):
            total = sum(law.pmf(k)[0] for k in range(a, b + 1))
            low, high = law.between(a, b)
            assert low - TINY <= total <= high + TINY
        with pytest.raises(ParameterError):
            law.cdf(float("nan"))
    # Rounded down by hand, the tail of half a step would be that of a wrong power.
    law = DiscreteLaplaceLaw(0, F(1))
    assert law.cdf(F(-1, 2)) == law.cdf(-1) != law.cdf(0)


@settings(max_examples=depth(30, 60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=6).filter(
        lambda pieces: any(m for _, m in pieces)
    ),
    st.fractions(-2, 50, max_denominator=8),
    st.fractions(0, 1, max_denominator=9),
)
def test_constant_pieces_are_exact(pieces: list[tuple[int, int]], x: Fraction, w: Fraction) -> None:
    edges, masses, total = [F(0)], [], sum(m for _, m in pieces)
    for length, mass in pieces:
        edges.append(edges[-1] + length)
        masses.append(F(mass, total))
    law = PiecewiseLaw.of(edges, masses)
    assert law.masses == tuple(masses)
    parts = zip(masses, pairwise(edges), strict=True)
    expected = sum(
        (m * min(max((x - a) / (b - a), F(0)), F(1)) for m, (a, b) in parts),
        F(0),
    )
    assert law.cdf(x) == (expected, expected) and law.tail(x)[0] == 1 - expected
    other = UniformLaw(1, 3)
    mixed = law.mix(other, w)
    assert mixed.cdf(x)[0] == (1 - w) * expected + w * other.cdf(x)[0]
    assert mixture([law, other], [1 - w, w]).cdf(x) == mixed.cdf(x)
    assert other.mix(law, w).cdf(x)[0] == w * expected + (1 - w) * other.cdf(x)[0]


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_laws_of_the_third_seed(n: int) -> None:
    """mu uniform, mu_n with density n/(n-1) on [1/n, 1], nu_n = mu/n + (n-1)/n mu_n."""
    mu, mu_n = UniformLaw(0, 1), PiecewiseLaw((F(1, n), 1), (F(n, n - 1),))
    nu_n = mu.mix(mu_n, F(n - 1, n))
    assert nu_n.density(0)[0] == F(1, n) and nu_n.density(F(1, n))[0] == F(n + 1, n)
    assert mu_n.density(F(1, 2 * n)) == (0, 0)
    # The largest difference is at 1/n: TV(nu_n, mu) = (n - 1) / n**2.
    assert mu.cdf(F(1, n))[0] - nu_n.cdf(F(1, n))[0] == F(n - 1, n * n)


@pytest.mark.parametrize("law", [LINE[0], LINE[2], LINE[4], LINE[6], LINE[7]], ids=repr)
def test_push_forwards_keep_mass(law: Any) -> None:
    above = threshold(law, F(1, 4))
    low, high = above.pmf(True)
    assert low <= law.tail(F(1, 4))[1] and law.tail(F(1, 4))[0] <= high
    edges = [F(-1), F(0), F(1, 3), F(1, 2)]
    cells = binned(law, edges)
    masses = [cells.pmf(i) for i in range(5)]
    assert sum(m[0] for m in masses) <= 1 <= sum(m[1] for m in masses)
    assert abs(masses[2][0] - (law.tail(0)[0] - law.tail(F(1, 3))[0])) < TINY
    grid = rounded(law, F(1, 3))
    for k in range(-3, 4):
        expected = law.tail((k - F(1, 2)) / 3)[0] - law.tail((k + F(1, 2)) / 3)[0]
        assert abs(grid.pmf(F(k, 3))[0] - expected) < TINY
        assert abs(grid.tail(F(k, 3))[0] - law.tail((k - F(1, 2)) / 3)[0]) < TINY
    assert grid.pmf(F(1, 6)) == (0, 0) and grid.cdf(F(1, 2)) == grid.cdf(F(1, 3))
    clamped = clamp(law, -1, F(1, 2))
    assert clamped.pmf(-1)[0] == law.cdf(-1)[0] and clamped.pmf(F(1, 2))[0] == law.tail(F(1, 2))[0]
    assert clamped.cdf(F(-5, 4)) == (0, 0) and clamped.tail(F(-5, 4)) == (1, 1)


def test_push_forwards_of_laws_on_integers_and_finite_laws() -> None:
    law = DiscreteLaplaceLaw(0, F(2))
    clamped = clamp(law, -2, F(5, 2))
    assert isinstance(clamped, EnclosedLaw)
    assert set(clamped.support()) == {-2, -1, 0, 1, 2, F(5, 2)}
    assert abs(clamped.pmf(-2)[0] - law.cdf(-2)[0]) < TINY
    assert abs(clamped.pmf(F(5, 2))[0] - law.tail(3)[0]) < TINY
    assert all(type(k) is int for k in clamp(law, -1, 1).support())
    dice = FiniteLaw.uniform(range(1, 7))
    assert threshold(dice, 5) == FiniteLaw({True: F(1, 3), False: F(2, 3)})
    assert clamp(dice, 2, 4) == FiniteLaw({2: F(1, 3), 3: F(1, 6), 4: F(1, 2)})
    assert binned(dice, [2, 4]) == FiniteLaw([F(1, 6), F(1, 3), F(1, 2)])
    mixed = mixture([dice, UniformLaw(0, 2)], [F(1, 2), F(1, 2)])
    assert binned(mixed, [0, 1, 2]).pmf(2) == (F(1, 12) + F(1, 4),) * 2
    assert clamp(mixed, 0, 1).pmf(1) == (F(1, 2) + F(1, 4),) * 2


def test_laws_on_one_grid_have_distances_and_events_in_their_units() -> None:
    step = F(1, 1024)
    p, q = (rounded(LaplaceLaw(x, 1), step) for x in (0, F(1, 4)))
    assert max_divergence(p, q) == (F(1, 4), F(1, 4))
    words, here, there = best_event(p, q, F(1, 10))
    assert words.startswith("output <= 0.07")
    gain = here[0] - there[1] * F(11052, 10000)
    assert gain > 0 and abs(gain - hockey_stick(p, q, F(1, 10))[0]) < F(1, 1000)
    a, b = (rounded(GaussianLaw(x, 1), step) for x in (0, F(1, 4)))
    assert zcdp_rho(a, b)[1] >= F(1, 32) > zcdp_rho(a, b)[0] > F(31, 1000)
    assert p.log_ratio(q, -1) == (F(1, 4), F(1, 4))
    assert p.ideal == LaplaceLaw(0, 1) and a.ideal == GaussianLaw(0, 1)
    coarser = GridLaw(RoundedLaplaceLaw(F(0), F(8)), F(1, 8))
    with pytest.raises(ParameterError, match="not available"):
        max_divergence(p, coarser)
    assert rounded(CauchyLaw(0, 1), 1).ideal == CauchyLaw(0, 1)
    with pytest.raises(ParameterError, match="no continuous law"):
        _ = GridLaw(DiscreteLaplaceLaw(0, F(1)), F(1, 2)).ideal


def test_ratios_of_densities() -> None:
    assert LaplaceLaw(0, 2).log_ratio(LaplaceLaw(3, 2), -1) == (F(3, 2), F(3, 2))
    assert GaussianLaw(0, 2).log_ratio(GaussianLaw(2, 2), 0) == (F(1, 2), F(1, 2))
    encloses(
        GaussianLaw(0, 2).log_ratio(GaussianLaw(2, 3), 0),
        mpmath.log(mpmath.mpf(3) / 2) + mpmath.mpf(2) / 9,
    )
    encloses(CauchyLaw(0, 1).log_ratio(CauchyLaw(1, 2), 0), mpmath.log(mpmath.mpf(5) / 2))
    with pytest.raises(ParameterError, match="is 0"):
        UniformLaw(0, 1).log_ratio(UniformLaw(0, 2), 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: LaplaceLaw(0, 0),
        lambda: GaussianLaw(0, -1),
        lambda: CauchyLaw(float("nan"), 1),
        lambda: ExponentialLaw(float("inf")),
        lambda: UniformLaw(1, 1),
        lambda: PiecewiseLaw((0, 1), (F(1, 2),)),
        lambda: PiecewiseLaw((0, 1, 1), (1, 1)),
        lambda: PiecewiseLaw((0, 1, 2), (2, -1)),
        lambda: PiecewiseLaw((0, 1), (1, 1)),
        lambda: PiecewiseLaw.of((0, 1, 2), (1,)),
        lambda: UniformLaw(0, 1).mix(UniformLaw(0, 1), 2),
        lambda: DiscreteLaplaceLaw(F(1, 2), 1),
        lambda: DiscreteLaplaceLaw(0, float("nan")),
        lambda: DiscreteGaussianLaw(0, float("inf")),
        lambda: RoundedLaplaceLaw(float("nan"), 1),
        lambda: rounded(LaplaceLaw(0, 1), 0),
        lambda: rounded(FiniteLaw.sure(1), 1),
        lambda: threshold(EnclosedLaw({"a": (F(1), F(1))}), 1),
        lambda: threshold(LaplaceLaw(0, 1), float("nan")),
        lambda: binned(LaplaceLaw(0, 1), [1, 1]),
        lambda: binned(LaplaceLaw(0, 1), []),
        lambda: clamp(LaplaceLaw(0, 1), 1, 0),
        lambda: clamp(rounded(LaplaceLaw(0, 1), F(1, 2**30)), -1, 1),
        lambda: LaplaceLaw(0, 1).tail("a"),
    ],
)
def test_bad_numbers_are_refused(call: Any) -> None:
    with pytest.raises(ParameterError):
        call()
