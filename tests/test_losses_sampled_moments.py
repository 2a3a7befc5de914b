"""Moments of sampled laws with atoms or edges, and both engines on random compositions of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.contour.finite_sums import AtomicSum, ExpansionSum
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses import ratio_powers
from metricdp.accounting.losses import sampled_density as sampled_fall
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.balls import ball, ends, precision
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.sampled_atoms import (
    FixedSizeAtomsLoss,
    PoissonAtomsLoss,
    PoissonDiscreteGaussianLoss,
)
from metricdp.accounting.losses.sampled_density import SampledDensityLoss
from metricdp.errors import ParameterError, UncertifiedError

F = Fraction
SINGULAR = FiniteLoss(((F(1, 4), F(0)), (F(1, 2), F(1, 4)), (F(1, 4), F(1, 4)), (F(0), F(1, 2))))
DENSE = [
    SampledDensityLoss(base, rate, kind)
    for base, rate in (
        (LaplaceLoss(F(3, 2)), F(1, 20)),
        (LaplaceLoss(F(5)), F(3, 4)),
        (LaplaceLoss(F(1, 10)), F(1, 3)),
        (BoundedRangeLoss(F(2)), F(1, 5)),
    )
    for kind in ("removed", "added", "replaced")
]
DENSE += [
    SampledDensityLoss(GaussianLoss(F(1, 2)), F(1, 10), "replaced"),
    SampledDensityLoss(GaussianLoss(F(2)), F(2, 3), "replaced"),
]
ATOMIC = [
    PoissonAtomsLoss(ResponseLoss(F(2), 3, F(1, 50)), F(1, 10)),
    PoissonAtomsLoss(SINGULAR, F(1, 3), added=True),
    PoissonAtomsLoss(DiscreteLaplaceLoss(F(2), 3), F(2, 5)),
    FixedSizeAtomsLoss(ResponseLoss(F(1), 4, F(1, 50)), F(1, 4)),
    FixedSizeAtomsLoss(DiscreteLaplaceLoss(F(3), 4), F(1, 2)),
]


def mp(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def inside(truth: Any, found: Any, slack: float) -> bool:
    low, high = ends(found)
    return bool(mp(low) - slack <= truth <= mp(high) + slack)


def base_law(base: Any) -> tuple[Any, list[tuple[Any, Any]], Any]:
    """(density of the loss under Q, its atoms, the largest loss) of Laplace noise by its two laws,
    of Gaussian noise up to what is negligible, and of bounded range by its definition."""
    if isinstance(base, LaplaceLoss):
        # Q = Laplace(m): where |x - m| - |x| = t inside, x = (m - t)/2.
        m = mp(base.ratio)
        at = [(m, mpmath.exp(-m) / 2), (-m, mpmath.mpf(1) / 2)]
        return (lambda t: mpmath.exp(-abs((m - t) / 2 - m)) / 4), at, m
    if isinstance(base, GaussianLoss):
        u = mp(base.ratio)
        return (lambda t: mpmath.npdf((t + u * u / 2) / u) / u), [], 12 * u + 3 * u * u
    m = mp(base.epsilon)
    return (lambda t: mpmath.exp(-t) * mpmath.exp((t - m) / 2) / (2 - 2 * mpmath.exp(-m))), [], m


def moment(law: SampledDensityLoss, z: Any) -> Any:
    """E[e^(zL)] from the pair of the sampled law."""
    density, atoms, m = base_law(law.base)
    q = mp(law.rate)

    def mean(f: Any, low: Any) -> Any:
        smooth = mpmath.quad(lambda t: density(t) * f(t), mpmath.linspace(low, m, 13))
        return smooth + mpmath.fsum(mass * f(t) for t, mass in atoms if t >= low)

    def ratio(t: Any) -> Any:
        return 1 - q + q * mpmath.exp(t)

    if law.kind == "removed":
        return mean(lambda t: ratio(t) * ratio(t) ** z, -m)
    if law.kind == "added":
        return mean(lambda t: ratio(t) ** -z, -m)
    # Above 0 the mixture against Q, below 0 P against the mixture, and the rest of the mass at 0.
    above = mean(lambda t: ratio(t) * ratio(t) ** z, 0)
    below = mean(lambda t: ratio(t) ** -z, 0)
    return above + below + 1 - mean(lambda t: ratio(t) + 1, 0)


@pytest.mark.parametrize("law", DENSE)
def test_moments_enclose_quadratures(law: SampledDensityLoss) -> None:
    with mpmath.workdps(20), precision(100):
        line = law.on_line(1.25, 0.75, 8)
        size = float(line[0].real.mid())
        for k in (0, 7):
            truth = moment(law, mpmath.mpc(1.25, 0.75 * k))
            assert inside(truth.real, line[k].real, 1e-15 * size)
            assert inside(truth.imag, line[k].imag, 1e-15 * size)
            assert line[k].real.rad() < 1e-24 * size


@pytest.mark.parametrize("law", ATOMIC)
def test_moments_of_atoms_are_those_of_thin_cells(law: Any) -> None:
    """Cells come from the base's cells by other edges: another derivation of the same law."""
    edges = np.linspace(-8, 8, 400_001)
    cells = law.cells(edges)
    middle = edges[:-1] + 2e-5
    with precision(100):
        for z in (0.0, -1.0, 2.5):
            found = float(law.on_line(z, 0.0, 1)[0].real.mid())
            below = cells.q[0] if z == -1.0 else cells.p[0]
            known = float((cells.p[1:-1] * np.exp(z * middle)).sum())
            # What has P = 0 has no finite loss; all finite ones are within the edges.
            assert below == 0 or law.reversed().infinite[1]
            assert known == pytest.approx(found, rel=3e-4)


@pytest.mark.parametrize("law", [*DENSE, *ATOMIC])
def test_mass_and_reversal(law: Any) -> None:
    with precision(100):
        at_zero = law.on_line(0.0, 0.0, 1)[0].real
        assert at_zero.overlaps(ball(1 - law.infinite[0])) and at_zero.rad() < 1e-20
        there = law.on_line(-2.25, 0.5, 4)
        back = law.reversed().on_line(1.25, 0.5, 4)
        for x, y in zip(there, back, strict=True):
            assert x.overlaps(y.conjugate())


@pytest.mark.parametrize("law", [*DENSE, *ATOMIC])
@pytest.mark.parametrize("c", [0.01, 0.7, 5.0, 90.0])
def test_doubles_agree_with_balls(law: Any, c: float) -> None:
    with precision(100):
        log = float(law.on_line(c, 0.0, 1)[0].real.log().mid())
    assert law.log_moment(c) == pytest.approx(log, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("law", DENSE)
@pytest.mark.parametrize("c", [0.2, 2.0, 9.0])
def test_decay_bounds_every_later_modulus(law: Any, c: float) -> None:
    h = 0.01
    bend = law.log_moment(c + h) - 2 * law.log_moment(c) + law.log_moment(c - h)
    step = 0.5 * h / float(np.sqrt(bend))
    with precision(96):
        line = law.on_line(c, step, 120)
        logs = [float((abs(m).upper() / line[0].real).log().upper()) for m in line]
    for k in (1, 2, 5, 20, 60):
        bound = law.log_decay(c, k * step)
        assert max(logs[k:]) <= bound + 1e-12 and bound < 0
    # Not vacuous: within a factor of the truth where it matters.
    assert law.log_decay(c, step) < 0.2 * logs[1]


@pytest.mark.parametrize("law", [x for x in DENSE if isinstance(x.base, LaplaceLoss)])
@pytest.mark.parametrize("c", [0.5, 12.0])
def test_pairs_of_atoms(law: SampledDensityLoss, c: float) -> None:
    """Their tilted masses are those of thin cells where a pair at that distance is."""
    total, top = law.log_moment(c), float(law.largest[0]) if law.largest else 0.0
    bottom = -float(law.reversed().largest[0])  # type: ignore[index]

    def tilted(x: float) -> float:
        return float(law.cells(np.array([x - 1e-9, x + 1e-9])).p[1]) * np.exp(c * x - total)

    places = {
        x: tilted(x) for x in ({top, bottom, 0.0} if law.kind == "replaced" else {top, bottom})
    }
    for p, q, gap in sampled_fall.fall(law, c).pairs:
        pairs = [(x, y) for x in places for y in places if x - y == pytest.approx(gap)]
        assert any(
            sorted((p, q)) == pytest.approx(sorted((places[x], places[y])), rel=1e-6)
            for x, y in pairs
        )


@pytest.mark.parametrize("a", [6.0, -9.0])
def test_coarse_quadrature_is_still_enclosed(a: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With half the nodes the bound carries the answer; without the bound it is wrong."""
    request = (F(1, 4), F(-3), F(3), a, 1.5, 6)
    with precision(120):
        truth = ratio_powers.ratio_powers(*request)
        whole = ratio_powers.chosen_rule

        def coarse(*args: Any) -> Any:
            rule = whole(*args)
            return ratio_powers.Rule(rule.panels, rule.nodes // 2, rule.axis)

        monkeypatch.setattr(ratio_powers, "chosen_rule", coarse)
        found = ratio_powers.ratio_powers(*request)
        assert found[0].real.rad() > 1e-25 * truth[0].real
        assert all(x.overlaps(y) for x, y in zip(found, truth, strict=True))
        monkeypatch.setattr(ratio_powers, "_largest", lambda *args: ball(0))
        wrong = ratio_powers.ratio_powers(*request)
        assert not all(x.overlaps(y) for x, y in zip(wrong, truth, strict=True))


def test_heights_count_in_the_bound_of_the_quadrature(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule for height 0 is too coarse at others: the growth of |B^(iy)| on ellipses is needed."""
    request = (F(1, 2), F(-4), F(4), 2.0, 20.0, 4)
    with precision(100):
        truth = ratio_powers.ratio_powers(*request)
        whole = ratio_powers.chosen_rule

        def flat(q: float, low: float, high: float, a: float, y: float, *rest: float) -> Any:
            return whole(q, low, high, a, 0.0, *rest)

        monkeypatch.setattr(ratio_powers, "chosen_rule", flat)
        found = ratio_powers.ratio_powers(*request)
        assert all(x.overlaps(y) for x, y in zip(found, truth, strict=True))
        monkeypatch.setattr(ratio_powers, "_turn", lambda *args: ball(0))
        wrong = ratio_powers.ratio_powers(*request)
        assert not all(x.overlaps(y) for x, y in zip(wrong, truth, strict=True))


@pytest.mark.parametrize("law", DENSE)
@pytest.mark.parametrize("c", [0.5, 12.0])
def test_densities_of_cells_are_bounded_from_below(
    law: SampledDensityLoss, c: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On wide cells, where the density dips between their ends, against masses of thin ones."""
    seen: list[Any] = []
    monkeypatch.setattr(sampled_fall, "UniformParts", lambda *args: seen.append(args))
    monkeypatch.setattr(sampled_fall, "_CELLS", 4)
    sampled_fall.fall.__wrapped__(law, c)
    ((edges, density),) = seen
    assert density.max() > 0
    total = law.log_moment(c)
    for low, high, least in zip(edges[:-1], edges[1:], density, strict=True):
        gap = (high - low) * 1e-3
        fine = np.linspace(low + gap, high - gap, 200)
        masses = law.cells(fine).p[1:-1]
        true = masses * np.exp(c * (fine[1:] + fine[:-1]) / 2 - total) / np.diff(fine)
        assert least <= true.min() * (1 + 1e-4)


def test_too_many_points_are_refused() -> None:
    with precision(100), pytest.raises(UncertifiedError, match="points"):
        SampledDensityLoss(LaplaceLoss(F(9)), F(1, 2)).on_line(250.0, 40.0, 4000)


@pytest.mark.parametrize("rounds", [1, 2, 9])
def test_sums_of_atoms_agree_with_the_expansion(rounds: int) -> None:
    parts = [(ATOMIC[0], rounds), (ResponseLoss(F(1, 3), 2), 3)]
    with precision(160):
        one, other = AtomicSum(parts), ExpansionSum(parts)
        for e in (F(-1), F(0), F(1, 3), F(1), F(7, 3)):
            x, y = one.enclose(e)[0], other.enclose(e)[0]
            assert x.overlaps(y) and x.rad() < 1e-35


def test_sums_of_atoms_next_to_an_atom() -> None:
    """The largest loss is above e by less than a double can tell."""
    gap = F(1, 10**25)
    with precision(200):
        low, high = AtomicSum([(ResponseLoss(F(1)), 3)]).enclose(3 - gap)
        mass = (1 / (1 + ball(-1).exp())) ** 3
        assert low.overlaps(mass * -(-ball(gap)).expm1()) and high.rad() < 1e-50
        at = AtomicSum([(ResponseLoss(F(1)), 3)]).enclose(F(3))[1]
        assert at.contains(0) and at.upper() < 1e-50


@pytest.mark.parametrize("rounds", [1, 40, 1000])
def test_sampled_response_is_a_binomial_sum(rounds: int) -> None:
    law, e = PoissonAtomsLoss(ResponseLoss(F(1)), F(1, 50)), F(1, 100)
    found = contour.delta([(law, rounds)], e)
    with mpmath.workdps(60):
        s, q = 1 / (1 + mpmath.e), mpmath.mpf(1) / 50
        ups = [(1 - q) * s + q * (1 - s), s], [(1 - q) * (1 - s) + q * s, 1 - s]
        (p1, q1), (p2, q2) = ups
        known = mpmath.mpf(0)
        for k in range(rounds + 1):
            ways = mpmath.binomial(rounds, k)
            p = ways * p1**k * p2 ** (rounds - k)
            other = ways * q1**k * q2 ** (rounds - k)
            known += max(mpmath.mpf(0), p - mpmath.exp(mp(e)) * other)
        assert mp(found.lower) * (1 - mpmath.mpf(10) ** -40) <= known
        assert known <= mp(found.upper) * (1 + mpmath.mpf(10) ** -40)
    assert found.engine == "exact sum" and found.width <= found.upper * F(1, 10**9)


@pytest.mark.parametrize("law", DENSE)
@pytest.mark.parametrize("e", [F(-1), F(-1, 10), F(0), F(1, 9), F(3, 2), F(6)])
def test_one_round_by_quadrature(law: SampledDensityLoss, e: Fraction) -> None:
    found = contour.delta([(law, 1)], e)
    density, atoms, m = base_law(law.base)
    with mpmath.workdps(20):
        q, grown = mp(law.rate), mpmath.exp(mp(e))
        kind = law.kind
        if kind == "replaced":
            kind = "removed" if e >= 0 else "added"

        def excess(t: Any) -> Any:
            ratio = 1 - q + q * mpmath.exp(t)
            return max(ratio - grown if kind == "removed" else 1 - grown * ratio, mpmath.mpf(0))

        inner = ((grown if kind == "removed" else 1 / grown) - 1 + q) / q
        edge = mpmath.log(inner) if inner > 0 else -m
        edges = sorted({-m, min(max(edge, -m), m), m / 3, m})
        known = mpmath.fsum(mass * excess(t) for t, mass in atoms)
        known += mpmath.quad(lambda t: density(t) * excess(t), edges)
        assert abs(mp(found.lower) - known) < 1e-15 and abs(mp(found.upper) - known) < 1e-15
    if found.upper:
        assert found.engine == "closed form" and found.width <= found.upper * F(1, 10**9)


@pytest.mark.parametrize("rate", [F(0), F(1), F(-1), F(2)])
def test_rates_outside(rate: Fraction) -> None:
    for make, base in (
        (SampledDensityLoss, LaplaceLoss(F(1))),
        (PoissonAtomsLoss, ResponseLoss(F(1))),
        (FixedSizeAtomsLoss, ResponseLoss(F(1))),
    ):
        with pytest.raises(ParameterError, match="rate"):
            make(base, rate)


def test_sampled_gaussians_have_a_law_of_their_own() -> None:
    with pytest.raises(ParameterError, match="PoissonGaussianLoss"):
        SampledDensityLoss(GaussianLoss(F(1)), F(1, 2))


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("scale", [F(1, 2), F(3)])
def test_sampled_discrete_gaussians(scale: Fraction, added: bool) -> None:
    """Moments from the definition; mass 1; what is left out is known and next to nothing."""
    law = PoissonDiscreteGaussianLoss(DiscreteGaussianLoss(scale, 2), F(1, 7), added)
    with mpmath.workdps(40), precision(160):
        s, q = mp(scale) ** 2, mpmath.mpf(1) / 7
        keys = range(-150, 153)
        p = [mpmath.exp(-mpmath.mpf(k * k) / (2 * s)) for k in keys]
        other = [mpmath.exp(-mpmath.mpf((k - 2) ** 2) / (2 * s)) for k in keys]
        total = mpmath.fsum(p)
        for z in (-1.0, 0.0, 1.5):
            terms = [
                y * (1 - q + q * x / y) ** (-z if added else z + 1)
                for x, y in zip(p, other, strict=True)
            ]
            found = law.on_line(z, 0.0, 1)[0].real
            assert inside(mpmath.fsum(terms) / total, found, 1e-30) and found.rad() < 1e-30
        outside = mpmath.fsum(x for k, x in zip(keys, p, strict=True) if k < -law.reach) / total
        assert outside <= mp(law.infinite[1]) < mpmath.mpf(10) ** -300
    reach = law.reach
    assert law.size == len(law.atoms()) == 2 * reach + 3
    assert law.reversed().reversed() == law


def test_large_bases_are_left_to_the_lattice() -> None:
    law = PoissonAtomsLoss(DiscreteLaplaceLoss(F(2000), 5000), F(1, 10))
    with pytest.raises(UncertifiedError, match="moments"):
        contour.delta([(law, 10)], 1)
    assert discretised.delta([(law, 10)], F(1), width=1e-2).upper < 1
    wide = PoissonDiscreteGaussianLoss(DiscreteGaussianLoss(F(100)), F(1, 10))
    assert wide.infinite == (0, 0) and wide.span[1] == 0


def test_one_round_of_a_thousand_atoms() -> None:
    """Exact sums take them one by one."""
    law = PoissonDiscreteGaussianLoss(DiscreteGaussianLoss(F(20)), F(1, 10))
    assert law.size > 1000
    first = contour.delta([(law, 1)], F(1, 20))
    second = discretised.delta([(law, 1)], F(1, 20), width=1e-3)
    assert first.engine == "exact sum" and first.width < first.upper * F(1, 10**9)
    assert second.lower <= first.upper and first.lower <= second.upper


@pytest.mark.parametrize("law", [*ATOMIC, SINGULAR])
@pytest.mark.parametrize("c", [0.3, 20.0])
def test_moduli_of_atoms_at_every_height(law: Any, c: float) -> None:
    """Upper bounds that are nearly the truth, at heights of millions as well."""
    with precision(128):
        for step in (0.37, 41234.5):
            line = law.on_line(c, step, 60)
            true = np.array([float((abs(x) / line[0].real).log().mid()) for x in line])
            found = law.log_moduli(c, step * np.arange(60))
            assert (true <= found + 1e-15).all()
            assert np.abs(np.exp(true) - np.exp(found)).max() < 1e-7
        some = law.on_nodes(c, 0.37, [0, 3, 58, 900])
        near = law.on_nodes(c, 0.37, [0, 1, 3, 4])
        line = law.on_line(c, 0.37, 901)
        assert all(x.overlaps(line[k]) for x, k in zip(some, (0, 3, 58, 900), strict=True))
        assert all(x.overlaps(line[k]) for x, k in zip(near, (0, 1, 3, 4), strict=True))
