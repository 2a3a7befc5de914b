"""Loss laws of mixtures of noise on a line: cells, moments, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, log
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses import gaussian_mixtures as mixture_moments
from metricdp.accounting.losses.atomic import ResponseLoss
from metricdp.accounting.losses.balls import precision
from metricdp.accounting.losses.by_cells import SymmetricLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.gaussian_mixtures import GaussianMixtureLoss
from metricdp.accounting.losses.laplace_mixtures import (
    GeometricMixtureLoss,
    IdleResponseLoss,
    LaplaceMixtureLoss,
)
from metricdp.accounting.losses.mixtures import Mixture
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.accounting.losses.sampled_cells import MixtureLoss, WithoutReplacementLoss
from metricdp.errors import ParameterError

F = Fraction
STILL: Mixture = ((F(1), F(0)),)


def binomial(rows: int, rate: Fraction, each: Fraction) -> Mixture:
    """(probability of j rows, j movements)."""
    return tuple(
        (comb(rows, j) * rate**j * (1 - rate) ** (rows - j), j * each) for j in range(rows + 1)
    )


def tails(noise: str) -> Callable[[np.ndarray], np.ndarray]:
    """P(noise > t)."""
    if noise == "gaussian":
        return lambda t: norm.sf(t)
    return lambda t: np.where(t > 0, np.exp(-np.abs(t)) / 2, 1 - np.exp(-np.abs(t)) / 2)


def profile(noise: str, first: Mixture, second: Mixture, x: float) -> float:
    """Of noise at the first shifts against noise at minus the second: the best half-line."""
    tail = tails(noise)

    def event(t: np.ndarray) -> np.ndarray:
        p = sum(float(w) * tail(t - float(s)) for w, s in first)
        return np.asarray(p - x * sum(float(w) * tail(t + float(s)) for w, s in second))

    grid = np.linspace(-16, 16, 4_001)
    best = grid[event(grid).argmax()]
    return max(0.0, 1 - x, float(event(np.linspace(best - 0.01, best + 0.01, 4_001)).max()))


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("rows", [1, 3])
def test_laws_on_a_line_have_the_profiles_of_their_densities(noise: str, rows: int) -> None:
    make = GaussianMixtureLoss if noise == "gaussian" else LaplaceMixtureLoss
    some = binomial(rows, F(1, 5), F(3, 4))
    for first, second in (
        (some, STILL),
        (STILL, some),
        (some, some),
        (some, binomial(1, F(1, 2), F(1))),
    ):
        loss = make(first, second)
        for x in (0.7, 1.0, 1.4, 3.0):
            found = discretised.delta([(loss, 1)], F(log(x)), width=1e-5)
            expected = profile(noise, first, second, x)
            assert float(found.lower) - 1e-9 <= expected <= float(found.upper) + 1e-9
            assert found.upper - found.lower < F(1, 10**4)


def test_both_engines_on_mixtures() -> None:
    some = binomial(3, F(1, 50), F(1))
    for first, second in ((some, STILL), (STILL, some), (some, some)):
        parts = [(GaussianMixtureLoss(first, second), 60)]
        one = contour.epsilon(parts, F(1, 10**7))
        two = discretised.epsilon(parts, F(1, 10**7), width=1e-4)
        assert one.upper - one.lower < F(1, 10**8)
        assert two.lower <= one.upper and one.lower <= two.upper
        assert two.upper - two.lower < F(1, 1000)


def test_one_row_is_the_sampled_gaussian() -> None:
    some, rate = binomial(1, F(1, 100), F(1)), F(1, 100)
    for loss, known in (
        (GaussianMixtureLoss(some, STILL), PoissonGaussianLoss(F(1), rate)),
        (GaussianMixtureLoss(STILL, some), PoissonGaussianLoss(F(1), rate, added=True)),
    ):
        one, two = (contour.epsilon([(law, 500)], F(1, 10**6)) for law in (loss, known))
        assert abs(one.upper - two.upper) < F(1, 10**8)
        assert (loss.largest is None) == (known.largest is None)
        edges = np.linspace(-2, 2, 401)
        for masses in ("p", "q"):
            here, there = (getattr(law.cells(edges), masses) for law in (loss, known))
            assert np.allclose(here, there, rtol=1e-8, atol=1e-280)


def test_the_symmetric_law_is_that_of_fixed_sizes() -> None:
    for base in (GaussianLoss(F(1)), ResponseLoss(F(1))):
        one, two = SymmetricLoss(MixtureLoss(base, F(1, 3))), WithoutReplacementLoss(base, F(1, 3))
        top = float(one.largest[1]) if one.largest else 1.0
        edges = np.array([-2, -top, -0.3, 0.0, 0.1, top, 2.0])
        for masses in ("p", "q"):
            here, there = (getattr(law.cells(edges), masses) for law in (one, two))
            assert np.allclose(here, there, rtol=1e-12, atol=1e-15)


def moment(first: Mixture, second: Mixture, z: complex) -> complex:
    """E_P[e^(zL)] by a sum on fine points."""
    x = np.arange(-20, 26, 1 / 32)
    one, two = (
        np.log(sum(float(w) * np.exp(way * float(s) * x - float(s * s) / 2) for w, s in mixture))
        for mixture, way in ((first, 1), (second, -1))
    )
    terms = np.exp((1 + z) * one - z * two - x * x / 2)
    return complex(terms.sum() / 32 / np.sqrt(2 * np.pi))


@pytest.mark.parametrize("spoilt", ["", "spacing", "left", "right"])
def test_moments_are_enclosed_however_coarse_the_rule(
    monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    """With nodes too far apart or too few, the bounds of what is missed have to hold."""
    rule, span = mixture_moments._rule, mixture_moments._range

    def coarse(*args: Any) -> tuple[float, float]:
        reach, spacing = rule(*args)
        return reach, spacing * (2.2 if spoilt == "spacing" else 1)

    def short(*args: Any) -> tuple[float, float]:
        left, right = span(*args)
        return left + 4.5 * (spoilt == "left"), right - 4.5 * (spoilt == "right")

    monkeypatch.setattr(mixture_moments, "_rule", coarse)
    monkeypatch.setattr(mixture_moments, "_range", short)
    some = ((F(1, 2), F(0)), (F(1, 4), F(1)), (F(1, 4), F(2)))
    for first, second in ((some, STILL), (STILL, some), (some, some)):
        for c in (0.5, 2.0, -2.5):
            loss = GaussianMixtureLoss(first, second)
            with precision(64) as module:
                found = loss.on_line(c, 2.0, 4)
                size = abs(moment(first, second, complex(c)))
                radii = [float(ball.real.rad()) for ball in found]
                for k, ball in enumerate(found):
                    true = moment(first, second, complex(c, 2.0 * k))
                    slack = 1e-13 * size
                    gap = ball - module.acb(true.real, true.imag)
                    wide = module.arb(0, slack)
                    assert (gap + module.acb(wide, wide)).contains(module.acb(0))
            assert (max(radii) > 1e-12 * size) == bool(spoilt)


def test_bad_mixtures() -> None:
    for make in (
        GaussianMixtureLoss,
        LaplaceMixtureLoss,
        lambda a, b: GeometricMixtureLoss(F(1), a, b),
    ):
        for bad in (((F(1, 2), F(1)),), ((F(2), F(1)), (F(-1), F(0))), ((F(1), F(-1)),)):
            with pytest.raises(ParameterError, match="no mixture"):
                make(bad, STILL)
        with pytest.raises(ParameterError, match="nothing moves"):
            make(STILL, STILL)
    with pytest.raises(ParameterError, match="whole"):
        GeometricMixtureLoss(F(1), binomial(1, F(1, 2), F(1, 2)), STILL)
    with pytest.raises(ParameterError, match="unit"):
        GeometricMixtureLoss(F(0), binomial(1, F(1, 2), F(1)), STILL)
    for epsilon, active in ((F(0), F(1)), (F(1), F(0)), (F(1), F(2))):
        with pytest.raises(ParameterError):
            IdleResponseLoss(epsilon, active)
