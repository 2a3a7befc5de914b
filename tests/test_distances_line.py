"""Distances between laws on the line: exact for steps, enclosures around independent integrals."""

from __future__ import annotations

from fractions import Fraction
from math import acosh, inf

import numpy as np
import pytest
from distance_cases import laws
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metricdp.errors import ParameterError
from metricdp.laws import (
    CauchyLaw,
    DiscreteLaplaceLaw,
    EmpiricalLaw,
    ExponentialLaw,
    FiniteLaw,
    GaussianLaw,
    GeometricLaw,
    LaplaceLaw,
    PiecewiseLaw,
    ProductLaw,
    RandomizedResponseLaw,
    UniformLaw,
    exponential_law,
    mixture,
)
from metricdp.laws.distances import (
    FiniteSpace,
    d_dp,
    d_dp_one_sided,
    d_em,
    d_tv,
    d_wc,
    hockey_stick_at,
    kl_divergence,
    privacy_profile,
    renyi_divergence,
    zcdp,
)
from metricdp.laws.distances.line_moves import prokhorov_densities
from metricdp.laws.distances.prokhorov_line import farther, prokhorov_line, simplest
from metricdp.laws.distances.steps import Steps, from_atoms, in_integers, refined, steps_of
from metricdp.laws.thresholded import ThresholdedLaw

F = Fraction
UNIFORM = UniformLaw(0, 1)


@st.composite
def piecewise(draw: st.DrawFn) -> PiecewiseLaw:
    ends = draw(
        st.lists(st.fractions(0, 2, max_denominator=6), min_size=2, max_size=5, unique=True)
    )
    weights = draw(st.lists(st.integers(0, 5), min_size=len(ends) - 1, max_size=len(ends) - 1))
    weights[0] += not any(weights)
    return PiecewiseLaw.of(sorted(ends), [F(w, sum(weights)) for w in weights])


@st.composite
def steps(draw: st.DrawFn):
    """Pieces, atoms, or both."""
    pieces, atoms = draw(piecewise()), FiniteLaw(draw(laws((F(0), F(1, 3), F(1), F(7, 4)))))
    kind = draw(st.sampled_from(["pieces", "atoms", "both"]))
    if kind == "both":
        return mixture([pieces, atoms], [F(1, 3), F(2, 3)])
    return pieces if kind == "pieces" else atoms


@given(
    st.lists(st.fractions(0, 9, max_denominator=5), min_size=1, max_size=7, unique=True), st.data()
)
@settings(deadline=None)
def test_atoms_on_the_line_agree_with_finite_spaces(points, data):
    p, q = data.draw(laws(points)), data.draw(laws(points))
    space = FiniteSpace.line(points)
    assert d_em(p, q).exact == d_em(p, q, space).exact
    assert d_wc(p, q).exact == d_wc(p, q, space).exact
    assert d_tv(p, q).exact == farther(in_integers(from_atoms(p), from_atoms(q)), F(0))


@given(steps(), steps())
@settings(max_examples=15, deadline=None)
def test_steps_are_the_limit_of_grids(p, q):
    """Masses of cells of width h, moved to their middles: each law moves by at most h / 2."""
    h = F(1, 20)
    left, right = (from_atoms(_cells(steps_of(law), h)) for law in (p, q))
    near, found = prokhorov_line(left, right), d_wc(p, q)
    assert near[0] - h <= found.low <= found.high <= near[1] + h
    assert abs(d_em(p, q).exact - d_em(_cells(steps_of(p), h), _cells(steps_of(q), h)).exact) <= h
    assert d_tv(_cells(steps_of(p), h), _cells(steps_of(q), h)).exact <= d_tv(p, q).exact


def _cells(law: Steps, h: Fraction) -> dict[Fraction, Fraction]:
    found = {}
    for i in range(-1, 41):
        if mass := law.cdf((i + 1) * h) - law.cdf(i * h):
            found[i * h + h / 2] = mass
    assert sum(found.values()) == 1
    return found


@given(steps(), steps(), steps())
@settings(max_examples=15, deadline=None)
def test_steps_form_metric_spaces(p, q, r):
    for distance in (d_tv, d_em, d_wc):
        there = distance(p, q)
        assert distance(q, p).low == there.low and distance(q, p).high == there.high
        assert distance(p, r).low <= there.high + distance(q, r).high
    assert d_dp(p, r) <= d_dp(p, q) + d_dp(q, r)
    tv, em, wc = d_tv(p, q).exact, d_em(p, q).exact, d_wc(p, q)
    assert tv <= d_dp(p, q).tanh_half
    assert wc.low <= tv and wc.low**2 <= em <= 3 * wc.high and em <= 2 * tv


@given(steps(), steps())
@settings(max_examples=15, deadline=None)
def test_prokhorov_of_steps_is_exact(p, q):
    """K(d) <= d, and every smaller radius has a larger K."""
    found = d_wc(p, q)
    assert found.low == found.high
    pair = in_integers(steps_of(p), steps_of(q))
    assert farther(pair, found.exact) <= found.exact
    for share in (F(1, 2), F(99, 100), 1 - F(1, 10**9)):
        assert found.exact == 0 or farther(pair, found.exact * share) > found.exact * share


@given(st.fractions(0, 5, max_denominator=40), st.fractions(F(1, 500), 1, max_denominator=500))
def test_simplest_has_the_least_denominator(low, length):
    found = simplest(low, low + length)
    assert low < found <= low + length
    smaller = range(1, found.denominator)
    assert not any(F((low * d).__floor__() + 1, d) <= low + length for d in smaller)


@pytest.mark.parametrize("n", [2, 3, 5, 16, 100])
def test_the_third_seed_has_these_numbers(n):
    """mu_n = U[1/n, 1], nu_n = mu / n + (n - 1) mu_n / n, and atoms at i / n, against U[0, 1]."""
    cut = PiecewiseLaw.of((0, F(1, n), 1), (0, 1))
    assert d_tv(cut, UNIFORM).exact == F(1, n)
    assert d_dp_one_sided(cut, UNIFORM).ratio == F(n, n - 1)
    assert d_dp_one_sided(UNIFORM, cut).ratio == inf == d_dp(cut, UNIFORM).ratio
    blend = mixture([UNIFORM, cut], [F(1, n), F(n - 1, n)])
    assert d_dp(blend, UNIFORM).ratio == n
    assert d_dp_one_sided(blend, UNIFORM).ratio == F(n + 1, n)
    assert d_tv(blend, UNIFORM).exact == F(n - 1, n * n)
    assert d_em(blend, UNIFORM).exact == F(n - 1, 2 * n * n)
    atoms = FiniteLaw({F(i, n): F(1, n) for i in range(1, n + 1)})
    assert d_tv(atoms, UNIFORM).exact == 1
    assert d_em(atoms, UNIFORM).exact == d_wc(atoms, UNIFORM).exact == F(1, 2 * n)
    assert d_dp(atoms, UNIFORM).ratio == inf


CONTINUOUS = [
    GaussianLaw(0, 1),
    GaussianLaw(F(1, 2), 1),
    GaussianLaw(1, F(5, 2)),
    LaplaceLaw(0, 1),
    LaplaceLaw(F(3, 2), 1),
    LaplaceLaw(-1, 3),
    CauchyLaw(0, 1),
    CauchyLaw(2, 1),
    CauchyLaw(1, 4),
    ExponentialLaw(1),
    ExponentialLaw(2, F(1, 2)),
    UniformLaw(-1, 2),
]
SAME = [(p, q) for p in CONTINUOUS for q in CONTINUOUS if type(p) is type(q) and p != q]
#: Pairs of families, the sign of whose difference is certified on cells.
MIXED = [
    (CONTINUOUS[0], CONTINUOUS[3]),
    (CONTINUOUS[5], CONTINUOUS[2]),
    (CONTINUOUS[4], CONTINUOUS[10]),
    (CONTINUOUS[11], CONTINUOUS[0]),
    (CONTINUOUS[9], CONTINUOUS[11]),
]


def peer(law):
    """The same law in SciPy."""
    match law:
        case UniformLaw(low=low, high=high):
            return stats.uniform(float(low), float(high - low))
        case ExponentialLaw(scale=scale, start=start):
            return stats.expon(float(start), float(scale))
        case FiniteLaw():
            points = sorted(law.support())
            masses = [float(law[x]) for x in points]
            return stats.rv_discrete(values=([int(x) for x in points], masses))
    family = {GaussianLaw: stats.norm, LaplaceLaw: stats.laplace, CauchyLaw: stats.cauchy}
    return family[type(law)](float(law.center), float(law.scale))


def integral(p, q, t):
    """Of max(0, p - t q), on a grid that follows the tails."""
    x = np.tan(np.linspace(-np.pi / 2 + 1e-5, np.pi / 2 - 1e-5, 400_001))
    return np.trapezoid(np.maximum(0, peer(p).pdf(x) - t * peer(q).pdf(x)), x)


@pytest.mark.parametrize(("p", "q"), [*SAME[::2], *MIXED], ids=repr)
def test_hockey_stick_is_the_integral(p, q):
    for t in (F(1), F(3, 2)):
        found = hockey_stick_at(p, q, t)
        assert found.high - found.low < F(1, 10**15)
        assert integral(p, q, float(t)) == pytest.approx(float(found), abs=1e-4)


@pytest.mark.parametrize(("p", "q"), [*SAME, *MIXED], ids=repr)
def test_complements_turn_hockey_sticks_around(p, q):
    """delta of (P, Q) at t is t delta of (Q, P) at 1/t, and 1 - t more: two methods, one number."""
    t = F(7, 5)
    here, there = hockey_stick_at(p, q, t), hockey_stick_at(q, p, 1 / t)
    assert here.low <= t * there.high + 1 - t and t * there.low + 1 - t <= here.high
    assert abs(d_tv(p, q).low - d_tv(q, p).low) < F(1, 10**15)


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (LaplaceLaw(0, 2), LaplaceLaw(3, 2), 1.5),
        (LaplaceLaw(0, 1), LaplaceLaw(3, 2), inf),
        (GaussianLaw(0, 1), GaussianLaw(1, 1), inf),
        (CauchyLaw(0, 1), CauchyLaw(1, 1), acosh(1.5)),
        (CauchyLaw(0, 1), CauchyLaw(1, 3), acosh(1 + 5 / 6)),
        (ExponentialLaw(1), ExponentialLaw(1, 1), inf),
        (GaussianLaw(0, 1), LaplaceLaw(0, 1), inf),
        (UNIFORM, GaussianLaw(0, 1), inf),
        (FiniteLaw({0: 1}), GaussianLaw(0, 1), inf),
    ],
)
def test_dp_distances_of_families(p, q, expected):
    found = d_dp(p, q)
    assert float(found) == pytest.approx(expected, rel=1e-15)
    assert (d_dp(q, p).low, d_dp(q, p).high) == (found.low, found.high)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (LaplaceLaw(1, 1), LaplaceLaw(3, 2)),
        (GaussianLaw(1, 1), GaussianLaw(3, 2)),
        (CauchyLaw(1, 1), CauchyLaw(3, 2)),
        (CauchyLaw(1, 2), CauchyLaw(3, F(1, 2))),
        (ExponentialLaw(1, 2), ExponentialLaw(3, 1)),
    ],
)
def test_one_sided_ratios_are_the_largest_on_a_grid(p, q):
    found = d_dp_one_sided(p, q)
    x = np.linspace(-300, 300, 600_001)
    x = x[peer(p).pdf(x) > 0]
    largest = max(peer(p).logpdf(x) - peer(q).logpdf(x))
    assert largest - 1e-9 <= float(found) <= largest + 1e-3


@pytest.mark.parametrize("law", [GaussianLaw, LaplaceLaw, CauchyLaw])
def test_prokhorov_of_a_shift(law):
    """The root against grids: rounding to cells moves each law by half a cell."""
    p, q = law(0, 1), law(F(3, 2), 1)
    found = d_wc(p, q)
    assert found.high - found.low < F(1, 2**60)
    x = found.low
    assert abs(d_tv(law(0, 1), law(F(3, 2) - x, 1)).low - x) < F(1, 2**50)
    h, reach = F(1, 8), 60
    grids = []
    for each in (p, q):
        cells = {i * h: each.between(i * h - h / 2, i * h + h / 2)[0] for i in range(-reach, reach)}
        cells[reach * h] = 1 - sum(cells.values())
        grids.append({x: m.limit_denominator(10**6) for x, m in cells.items()})
        grids[-1][reach * h] += 1 - sum(grids[-1].values())
    near = d_wc(*grids)
    # The tails beyond the grid count for as much as their mass.
    slack = h + 2 * float(p.tail(reach * h - 3 * h)[1])
    assert abs(float(near) - float(found)) <= slack


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (GaussianLaw(0, 1), GaussianLaw(1, 2)),
        (GaussianLaw(0, 1), GaussianLaw(0, 3)),
        (CauchyLaw(0, 1), CauchyLaw(1, 2)),
        (LaplaceLaw(0, 1), LaplaceLaw(F(1, 2), 2)),
        (ExponentialLaw(1, 1), ExponentialLaw(2)),
    ],
    ids=repr,
)
def test_prokhorov_of_two_scales(p, q):
    """Against the best union of intervals on a grid, in floating point."""
    found = d_wc(p, q)
    assert found.high - found.low < F(1, 10**8)
    assert found.low <= d_wc(q, p).high and d_wc(q, p).low <= found.high
    assert largest_gap(p, q, float(found) - 1e-4) > float(found) - 1e-4
    assert largest_gap(p, q, float(found) + 1e-4) < float(found) + 1e-4


def largest_gap(p, q, t):
    x = np.concatenate([-np.geomspace(1e5, 30, 500), np.linspace(-30, 30, 24_001),
                        np.geomspace(30, 1e5, 500)])  # fmt: skip
    here, f, g = peer(p).cdf(x), peer(q).cdf(x - t), peer(q).cdf(x + t)
    best, held = 0.0, -9.0
    for buy, sell in zip(here - f, here - g, strict=True):
        held = max(held, best - buy)
        best = max(best, held + sell)
    return best


def test_prokhorov_two_ways():
    """A shift has a closed form; the method for two scales finds the same number."""
    for law in (GaussianLaw, LaplaceLaw, CauchyLaw):
        p, q = law(0, 1), law(F(3, 2), 1)
        one, other = d_wc(p, q), prokhorov_densities(p, q)
        assert one.low <= other.high and other.low <= one.high


EVERY = [
    {0: 1},
    FiniteLaw({"a": F(1, 2), "b": F(1, 2)}),
    RandomizedResponseLaw(0, 3, F(1)),
    ProductLaw((FiniteLaw({0: F(1, 2), 1: F(1, 2)}),) * 2),
    exponential_law([0, 1], F(1)),
    GaussianLaw(0, 1),
    ExponentialLaw(1),
    UNIFORM,
    DiscreteLaplaceLaw(0, F(2)),
    GeometricLaw(F(1, 2)),
    mixture([GaussianLaw(0, 1), FiniteLaw({0: 1})], ["1/2", "1/2"]),
    ThresholdedLaw({"a": 3}, F(1), 2),
    EmpiricalLaw([1, 2, 3, 4]),
]


@pytest.mark.parametrize(
    "distance",
    [d_dp, d_dp_one_sided, d_tv, d_em, d_wc, kl_divergence, zcdp, privacy_profile,
     lambda p, q: hockey_stick_at(p, q, 2), lambda p, q: hockey_stick_at(p, q, F(1, 2)),
     lambda p, q: renyi_divergence(p, q, 2)],
)  # fmt: skip
def test_every_pair_has_an_answer_or_a_typed_refusal(distance):
    for p in EVERY:
        for q in EVERY:
            try:
                found = distance(p, q)
            except ParameterError:
                continue
            if distance is not privacy_profile:
                assert 0 <= found.low <= found.high


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (GaussianLaw(0, 1), GaussianLaw(1, 2)),
        (GaussianLaw(0, 3), GaussianLaw(1, 2)),
        (LaplaceLaw(0, 1), LaplaceLaw(-1, 2)),
        (ExponentialLaw(1), ExponentialLaw(2, 1)),
        (ExponentialLaw(3), ExponentialLaw(2, 1)),
        (GaussianLaw(0, 1), LaplaceLaw(1, 1)),
        (UniformLaw(-1, 2), GaussianLaw(0, 1)),
        (FiniteLaw({0: F(1, 2), 1: F(1, 2)}), LaplaceLaw(0, 1)),
        (ExponentialLaw(1), GaussianLaw(1, 1)),
    ],
    ids=repr,
)
def test_earth_mover_is_the_area_between_the_distributions(p, q):
    found = d_em(p, q)
    assert found.high - found.low < F(1, 10**15)
    x = np.linspace(-200, 200, 400_001)
    area = np.abs(peer(p).cdf(x) - peer(q).cdf(x)).sum() / 1000
    assert float(found) == pytest.approx(area, abs=2e-3)


def test_moves_of_heavy_tails_and_of_whole_numbers():
    assert d_em(CauchyLaw(0, 1), CauchyLaw(2, 1)).exact == 2
    assert float(d_em(CauchyLaw(0, 1), CauchyLaw(2, 3))) == inf
    assert float(d_em(CauchyLaw(0, 1), GaussianLaw(0, 1))) == inf
    p, q = DiscreteLaplaceLaw(0, F(2)), DiscreteLaplaceLaw(3, F(2))
    assert d_em(p, q).exact == 3
    assert (d_wc(p, q).low, d_wc(p, q).high) == (d_tv(p, q).low, d_tv(p, q).high)


def test_refinements_keep_masses():
    p, q = steps_of(UNIFORM), steps_of(mixture([UNIFORM, FiniteLaw({F(1, 2): 1})], [F(1, 2)] * 2))
    for law in refined(p, q):
        assert sum(law.values()) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: d_wc(GaussianLaw(0, 1), LaplaceLaw(0, 1)),
        lambda: d_dp_one_sided(GaussianLaw(0, 1), LaplaceLaw(0, 1)),
        lambda: d_em(DiscreteLaplaceLaw(0, F(1)), DiscreteLaplaceLaw(0, F(2))),
        lambda: d_em(GaussianLaw(0, 1), GaussianLaw(1, 1), FiniteSpace.discrete("ab")),
        lambda: d_tv(mixture([GaussianLaw(0, 1), FiniteLaw({0: 1})], ["1/2", "1/2"]), UNIFORM),
        lambda: hockey_stick_at(GaussianLaw(0, 1), GaussianLaw(1, 1), float("nan")),
    ],
)
def test_what_cannot_be_certified_is_refused(call):
    with pytest.raises(ParameterError):
        call()
