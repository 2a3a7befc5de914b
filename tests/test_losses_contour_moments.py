"""Privacy loss laws: moments, decay, cells and reversal against sums and quadratures."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.balls import ball, ends, power_sums, powers, precision
from metricdp.accounting.losses.decay import UniformParts
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss, mixture_powers
from metricdp.errors import ParameterError

F = Fraction
PAIR = FiniteLoss(((F(1, 2), F(1, 3)), (F(1, 3), F(1, 2)), (F(1, 6), F(1, 6))))
SAMPLED = [
    PoissonGaussianLoss(F(1), F(1, 100)),
    PoissonGaussianLoss(F(5, 3), F(1, 1000), added=True),
    PoissonGaussianLoss(F(4), F(1, 2)),
    PoissonGaussianLoss(F(1, 50), F(1, 3), added=True),
]
CUT = PoissonGaussianLoss(F(1, 2), F(1, 100), cut=6.0)
LAWS: list[Any] = [
    GaussianLoss(F(1, 50)),
    GaussianLoss(F(3)),
    LaplaceLoss(F(1, 10)),
    LaplaceLoss(F(7, 2)),
    ResponseLoss(F(1, 2)),
    ResponseLoss(F(1, 2), 5, F(1, 100)),
    PAIR,
    DiscreteLaplaceLoss(F(3), 7),
    DiscreteGaussianLoss(F(3, 2), 1),
    *SAMPLED,
]
DENSE = [LAWS[0], LAWS[1], LAWS[2], LAWS[3], *SAMPLED]


def mp(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def moment(law: Any, z: Any) -> Any:
    """E[e^(zL)] from the definition: a quadrature over the densities, or a sum over atoms."""
    if isinstance(law, GaussianLoss):
        u = mp(law.ratio)
        return mpmath.quad(
            lambda x: mpmath.npdf(x) * mpmath.exp(z * (u * x + u * u / 2)),
            mpmath.linspace(-13, 13 + 3 * u, 12),
        )
    if isinstance(law, LaplaceLoss):
        m = mp(law.ratio)
        return mpmath.quad(
            lambda x: mpmath.exp(-abs(x) + z * (abs(x - m) - abs(x))) / 2,
            [-60, 0, m / 2, m, m + 60],
        )
    if isinstance(law, PoissonGaussianLoss):
        u, q = mp(law.ratio), mp(law.rate)
        power = -z if law.added else z + 1
        return mpmath.quad(
            lambda x: (
                mpmath.npdf(x)
                * mpmath.exp(power * mpmath.log1p(q * mpmath.expm1(u * x - u * u / 2)))
            ),
            mpmath.linspace(-13, 13 + 3 * u, 12),
        )
    raise AssertionError(law)


def inside(truth: Any, found: Any, slack: float) -> bool:
    """Whether the ball contains the truth, which is known up to `slack`."""
    low, high = ends(found)
    return mp(low) - slack <= truth <= mp(high) + slack


@pytest.mark.parametrize("law", DENSE)
def test_moments_enclose_quadratures(law: Any) -> None:
    with mpmath.workdps(18), precision(100):
        line = law.on_line(1.25, 0.75, 8)
        for k in (0, 7):
            truth = moment(law, mpmath.mpc(1.25, 0.75 * k))
            slack = float(abs(truth)) * 1e-13 + float(line[0].real.mid()) * 1e-13
            assert inside(truth.real, line[k].real, slack)
            assert inside(truth.imag, line[k].imag, slack)
            assert line[k].real.rad() < 1e-20 * line[0].real


def test_moments_of_atoms() -> None:
    with mpmath.workdps(30), precision(100):
        line = PAIR.on_line(2.5, 0.5, 6)
        for k, found in enumerate(line):
            z = mpmath.mpc(2.5, 0.5 * k)
            truth = mpmath.fsum(mp(p) * (mp(p) / mp(q)) ** z for p, q in PAIR.outcomes)
            assert inside(truth.real, found.real, 1e-25)
            assert inside(truth.imag, found.imag, 1e-25)


@pytest.mark.parametrize("law", LAWS)
def test_mass_and_reversal(law: Any) -> None:
    """M(0) is the finite mass of P and M(-1 - z) the moment of the reversed pair."""
    with precision(100):
        at_zero = law.on_line(0.0, 0.0, 1)[0].real
        assert at_zero.overlaps(ball(1 - law.infinite[0]))
        assert at_zero.rad() < 1e-20
        there = law.on_line(-2.25, 0.5, 4)
        back = law.reversed().on_line(1.25, 0.5, 4)
        for x, y in zip(there, back, strict=True):
            assert x.overlaps(y.conjugate())


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("c", [0.01, 0.7, 5.0, 30.0])
def test_doubles_agree_with_balls(law: Any, c: float) -> None:
    with precision(100):
        log = float(law.on_line(c, 0.0, 1)[0].real.log().mid())
    assert law.log_moment(c) == pytest.approx(log, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("law", [*DENSE, CUT])
@pytest.mark.parametrize("c", [0.2, 2.0, 9.0])
def test_decay_bounds_every_later_modulus(law: Any, c: float) -> None:
    """At t and at up to 80 heights beyond it, near and far; and it is not vacuous."""
    spread = np.sqrt(
        max(
            2
            * (law.log_moment(c + 0.01) - 2 * law.log_moment(c) + law.log_moment(c - 0.01))
            / 1e-4,
            1e-12,
        )
    )
    step = 0.5 / spread
    count = 22 if isinstance(law, PoissonGaussianLoss) else 80
    with precision(96):
        line = law.on_line(c, step, count)
        logs = [float((abs(m).upper() / line[0].real).log().upper()) for m in line]
    for k in (1, 2, 5, 20):
        bound = law.log_decay(c, k * step)
        assert bound < 0
        assert max(logs[k:]) <= bound + 1e-12


@pytest.mark.parametrize(
    "law", [LAWS[4], LAWS[5], LAWS[7], LAWS[8], DiscreteLaplaceLoss(F(500), 80)]
)
@pytest.mark.parametrize("c", [0.2, 2.0])
def test_decay_in_a_period(law: Any, c: float) -> None:
    half = float(np.pi / float(law.lattice.step))
    step = half / 200
    with precision(96):
        line = law.on_line(c, step, 201)
        logs = [float((abs(m).upper() / line[0].real).log().upper()) for m in line]
    for k in (1, 5, 40, 120, 199):
        assert max(logs[k:]) <= law.log_decay_in_period(c, k * step) + 1e-12
    assert law.log_decay_in_period(c, 0.2 * half) < 0
    assert law.log_decay(c, half) == 0


def test_uniform_parts_are_the_uniform_law() -> None:
    """One cell: |sinc|; and claiming a little more density would be seen to be too much."""
    parts = UniformParts(np.array([0.0, 2.0]), np.array([0.5]))
    for t in (0.3, 1.5, 2.4):
        assert parts.log_decay(t) == pytest.approx(np.log(np.sin(t) / t), rel=1e-6)
    assert parts.log_decay(4.4934 * 1.0) >= np.log(0.21723)
    more = UniformParts(np.array([0.0, 2.0]), np.array([0.55]))
    assert more.log_decay(1.5) < np.log(np.sin(1.5) / 1.5)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0.1, 40))
@settings(max_examples=depth(30, 60), deadline=None)
def test_uniform_parts_of_any_histogram(heights: list[float], t: float) -> None:
    """A histogram's own characteristic function is below the bound at every later height."""
    if sum(heights) < 1e-3:
        return
    density = np.array(heights) / sum(heights)
    edges = np.arange(len(density) + 1.0)
    parts = UniformParts(edges, density)
    assert parts.masses.sum() <= 1 + 1e-12
    y = np.linspace(t, t + 50, 400)
    cells = np.exp(1j * np.outer(y, edges[:-1] + 0.5)) * np.sinc(y / (2 * np.pi))[:, None]
    assert np.log(np.abs(cells @ density) + 1e-300).max() <= parts.log_decay(t) + 1e-9


@pytest.mark.parametrize("count", [1, 2, 7, 50])
def test_power_sums(count: int) -> None:
    with precision(80) as flint:
        weights = [flint.acb(0.5), flint.acb(0.25), flint.acb(2)]
        ratios = [flint.acb(0, angle).exp() for angle in (0.1, 1.0, 3.0)]
        found = power_sums(weights, ratios, count)
        assert len(found) == count
        for k, value in enumerate(found):
            truth = sum((w * r**k for w, r in zip(weights, ratios, strict=True)), flint.acb(0))
            assert value.overlaps(truth) and value.real.rad() < 1e-15
        # Halving keeps the radius of high powers small: one factor at a time would not.
        assert powers(ratios[2], 3000)[-1].real.rad() < 1e-14


@pytest.mark.parametrize("a", [3.5, -40.0])
def test_coarse_quadrature_is_still_enclosed(a: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a step that is too wide the error bound carries the answer; without it, it is wrong."""
    from metricdp.accounting.losses import poisson_gaussian as module

    with precision(120):
        truth = mixture_powers(F(2), F(1, 4), a, 0.5, 4)
        rule = module._rule
        monkeypatch.setattr(module, "_rule", lambda *args: (rule(*args)[0], rule(*args)[1] * 4.5))
        coarse = mixture_powers(F(2), F(1, 4), a, 0.5, 4)
        assert coarse[0].real.rad() > 1e-25 * truth[0].real
        for x, y in zip(coarse, truth, strict=True):
            assert x.overlaps(y)
        monkeypatch.setattr(module, "_share", lambda *args: ball(0))
        wrong = mixture_powers(F(2), F(1, 4), a, 0.5, 4)
        assert not all(x.overlaps(y) for x, y in zip(wrong, truth, strict=True))


@pytest.mark.parametrize("a", [3.5, -40.0])
def test_short_quadrature_is_still_enclosed(a: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points left out on both sides are in the bound of the tails."""
    from metricdp.accounting.losses import poisson_gaussian as module

    with precision(120):
        truth = mixture_powers(F(2), F(1, 4), a, 0.5, 4)
        limits = module._range
        for shrink in ((0.45, 1.0), (1.0, 0.75)):
            monkeypatch.setattr(
                module,
                "_range",
                lambda *args, by=shrink: tuple(
                    int(end * share) for end, share in zip(limits(*args), by, strict=True)
                ),
            )
            short = mixture_powers(F(2), F(1, 4), a, 0.5, 4)
            for x, y in zip(short, truth, strict=True):
                assert x.overlaps(y)
            with monkeypatch.context() as inner:
                inner.setattr(module, "_left", lambda *args: ball(0))
                inner.setattr(module, "_right", lambda *args: ball(0))
                wrong = mixture_powers(F(2), F(1, 4), a, 0.5, 4)
            assert not all(x.overlaps(y) for x, y in zip(wrong, truth, strict=True))


@pytest.mark.parametrize("a", [1.0, 8.0])
def test_moments_of_cut_laws(a: float) -> None:
    """E[B^(a + iy) Phi(2 (X - x))] by quadrature; and what the cut takes away from P is known."""
    law = PoissonGaussianLoss(F(2), F(1, 4), cut=4.0)
    with mpmath.workdps(18), precision(100):
        line = mixture_powers(law.ratio, law.rate, a, 0.5, 3, 4.0)

        def value(x: Any, power: Any) -> Any:
            ratio = mpmath.log1p(mpmath.expm1(2 * x - 2) / 4)
            return mpmath.npdf(x) * mpmath.exp(power * ratio) * mpmath.ncdf(2 * (4 - x))

        for k in (0, 2):
            truth = mpmath.quad(lambda x, k=k: value(x, mpmath.mpc(a, k / 2)), [-10, 0, 4, 8, 14])
            slack = 1e-13 * float(line[0].real.mid())
            assert inside(truth.real, line[k].real, slack)
            assert inside(truth.imag, line[k].imag, slack)
            assert line[k].real.rad() < 1e-20 * line[0].real
        if a == 1.0:
            lost = 1 - ends(line[0].real)[0]
            assert law.infinite[1] >= lost > law.infinite[1] * F(999, 1000)


def _normal_mass(law: Any, a: Any, b: Any, sign: int) -> Any:
    u = mp(law.ratio)
    x, y = ((edge - sign * u * u / 2) / u for edge in (a, b))
    # From the nearer tail: 60 digits do not reach masses of 1e-78 from 1.
    x, y = (x, y) if x + y > 0 else (-y, -x)
    return (mpmath.erfc(x / mpmath.sqrt(2)) - mpmath.erfc(y / mpmath.sqrt(2))) / 2


def _laplace_mass(law: Any, a: Any, b: Any, sign: int) -> Any:
    m = mp(law.ratio)
    low, high = max(a, -m), min(b, m)
    density = (mpmath.exp((high - m) / 2) - mpmath.exp((low - m) / 2)) / 2
    if sign < 0:
        density = (mpmath.exp(-(low + m) / 2) - mpmath.exp(-(high + m) / 2)) / 2
    near, far = (mpmath.mpf(0.5), mpmath.exp(-m) / 2)[::sign]
    return max(density, 0) + (near if a <= m < b else 0) + (far if a <= -m < b else 0)


@pytest.mark.parametrize(
    "law,mass",
    [
        (GaussianLoss(F(1, 50)), _normal_mass),
        (GaussianLoss(F(3)), _normal_mass),
        (LaplaceLoss(F(1, 8)), _laplace_mass),
        (LaplaceLoss(F(3)), _laplace_mass),
    ],
)
@pytest.mark.parametrize("width", [2**-10, 2**-3, 1.0])
def test_cells(law: Any, mass: Callable[..., Any], width: float) -> None:
    """Every mass within the stated relative error, far in the tails too."""
    edges = np.arange(-24, 25) * width
    cells = law.cells(edges)
    assert cells.p.sum() == pytest.approx(1, abs=1e-13)
    assert cells.q.sum() == pytest.approx(1, abs=1e-13)
    errors = np.broadcast_to(cells.error, cells.p.shape)
    ends_of = [-np.inf, *edges, np.inf]
    with mpmath.workdps(60):
        for i, (a, b) in enumerate(pairwise(ends_of)):
            for found, sign in ((cells.p[i], 1), (cells.q[i], -1)):
                truth = mass(law, mpmath.mpf(a), mpmath.mpf(b), sign)
                assert abs(found - truth) <= float(errors[i]) * truth + 1e-290


def test_atoms_on_edges_are_above_them() -> None:
    cells = ResponseLoss(F(1, 2)).cells(np.array([-0.5, 0.5]))
    assert cells.p[0] == 0 and cells.p[1] > 0.3 and cells.p[2] > 0.6
    assert PAIR.cells(np.array([0.0])).p.tolist() == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize(
    "make",
    [
        lambda: GaussianLoss(F(0)),
        lambda: LaplaceLoss(F(-1)),
        lambda: ResponseLoss(F(0)),
        lambda: ResponseLoss(F(1), 1),
        lambda: ResponseLoss(F(1), 2, F(1)),
        lambda: FiniteLoss(()),
        lambda: FiniteLoss(((F(1, 2), F(1)), (F(1, 3), F(0)))),
        lambda: FiniteLoss(((F(3, 2), F(1)), (F(-1, 2), F(0)))),
        lambda: PoissonGaussianLoss(F(1), F(0)),
        lambda: PoissonGaussianLoss(F(1), F(1)),
        lambda: PoissonGaussianLoss(F(0), F(1, 2)),
        lambda: DiscreteLaplaceLoss(F(1), 0),
        lambda: DiscreteGaussianLoss(F(0)),
    ],
)
def test_parameters_outside_their_ranges(make: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError):
        make()
