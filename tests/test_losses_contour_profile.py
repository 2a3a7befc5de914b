"""Sums that many epsilons share: the same answers, whatever was asked before; trade-off queries."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

import mpmath
import msgspec
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.contour import engine as contour_profile
from metricdp.accounting.contour.engine import ContourProfile
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.measures import (
    Gaussian,
    Laplace,
    Poisson,
    RandomizedResponse,
    Repeated,
    account,
    tradeoff,
)

F = Fraction
CASES: Any = [
    ((GaussianLoss(F(1, 3)), 20),),
    ((LaplaceLoss(F(1, 10)), 200),),
    ((PoissonGaussianLoss(F(1), F(1, 50)), 400),),
    ((LaplaceLoss(F(1, 4)), 9), (PoissonGaussianLoss(F(1), F(1, 9), True), 30)),
    ((ResponseLoss(F(1, 4)), 25), (GaussianLoss(F(1, 4)), 2)),
    ((FiniteLoss(((F(1, 2), F(1, 3)), (F(2, 5), F(2, 3)), (F(1, 10), F(0)))), 3),),
]


@pytest.mark.parametrize("parts", CASES)
def test_shared_sums_give_the_same_answers(parts: Any) -> None:
    shared = ContourProfile(parts)
    for e in (F(0), F(1, 7), F(1), F(8, 7), F(3), F(2), F(9)):
        near, alone = shared.delta(e), contour.delta(parts, e)
        assert near.lower <= alone.upper and alone.lower <= near.upper
        assert near.width <= max(F(1, 10**9) * near.upper, alone.width * 2)


@given(st.sampled_from(CASES), st.lists(st.fractions(0, 6, max_denominator=50), max_size=6))
@settings(max_examples=depth(12, 25), deadline=None)
def test_answers_do_not_depend_on_those_before(parts: Any, asked: list[Fraction]) -> None:
    shared = ContourProfile(parts)
    for e in asked:
        shared.delta(e)
    assert shared.delta(F(7, 5)) == ContourProfile(parts).delta(F(7, 5))


def test_sums_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = contour_profile.Maker

    def counted(*args: Any) -> Any:
        made.append(args)
        return whole(*args)

    monkeypatch.setattr(contour_profile, "Maker", counted)
    shared = ContourProfile(CASES[2])
    step = shared.spacing / 40
    for k in range(-15, 16):
        shared.delta(4 * shared.spacing + k * step)
    assert len(made) == 1
    # One that is asked for more accuracy than was planned for is not used.
    shared.delta(4 * shared.spacing, 1e-13)
    assert len(made) == 2


@pytest.mark.parametrize("mu", [F(1, 5), F(1), F(4)])
@pytest.mark.parametrize("rate", ["0.001", "0.2", "0.7"])
def test_the_power_against_gaussians(mu: Fraction, rate: str) -> None:
    """1 - beta = Phi(mu + Phi^-1(alpha)) (Dong, Roth, Su 2022, equation 6)."""
    with mpmath.workdps(40):
        place = mpmath.findroot(lambda x: mpmath.ncdf(x) - mpmath.mpf(rate), -0.5)
        known = F(str(mpmath.ncdf(place + mpmath.mpf(mu.numerator) / mu.denominator)))
    noise = 10 / mu
    found = account(Repeated(Gaussian(noise), 100), "add").true_positive_rate(rate)
    assert found.lower <= known + F(1, 10**30) and known - F(1, 10**30) <= found.upper
    assert found.error < F(1, 10**8)


def test_doubts_of_the_profile_are_doubts_of_the_power(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tradeoff.side_delta
    guarantee = account(Repeated(Gaussian(5), 25), "add")
    known = guarantee.true_positive_rate("0.1")

    def vague(*args: Any) -> Any:
        found = whole(*args)
        low, high = found.lower - F(1, 100), found.upper + F(1, 100)
        return msgspec.structs.replace(found, lower=max(F(0), low), upper=high)

    monkeypatch.setattr(tradeoff, "side_delta", vague)
    found = guarantee.true_positive_rate("0.1")
    assert known.upper + F(99, 10**4) <= found.upper <= known.upper + F(101, 10**4)
    assert found.lower <= known.lower


def test_the_power_against_randomized_response() -> None:
    """Two values, kept with probability p: the line through (0, 0), (1 - p, p) and (1, 1)."""
    guarantee = account(RandomizedResponse("1", 2), "replace")
    p = exp(1) / (1 + exp(1))
    for rate in (0.05, 0.2, 0.5, 0.9):
        known = rate * p / (1 - p) if rate <= 1 - p else p + (rate - 1 + p) * (1 - p) / p
        found = guarantee.true_positive_rate(F(rate))
        assert float(found.lower) - 1e-9 <= known <= float(found.upper) + 1e-9
        assert found.error < F(1, 10**4)


@pytest.mark.parametrize(
    "event",
    [
        Repeated(Laplace(10), 300),
        [Repeated(Poisson("0.1", Gaussian(1)), 40), Repeated(Laplace(5), 3)],
        Poisson("0.05", Gaussian(1)),
    ],
)
def test_powers_are_at_most_every_line(event: Any) -> None:
    """rate e^eps + delta(eps) bounds the power for every eps, and so do both ends' own sides."""
    guarantee = account(event, "add or remove", checked=False)
    for rate in (F(1, 1000), F(1, 10), F(3, 5)):
        found = guarantee.true_positive_rate(rate)
        assert found.lower <= found.upper and found.error < F(1, 10**6)
        lines = [
            float(rate) * exp(e) + float(guarantee.delta(F(e)).upper)
            for e in (0.0, 0.05, 0.1, 0.3, 0.6, 1.0, 2.0)
        ]
        assert float(found.lower) <= min(lines) + 1e-12


@pytest.mark.parametrize("centre", [-3.0, 0.0, 1e-3, 2.5, 40.0])
@pytest.mark.parametrize("shape", ["square", "corner", "steep"])
def test_valleys_are_found(centre: float, shape: str) -> None:
    asked = 0

    def f(x: float) -> float:
        nonlocal asked
        asked += 1
        gap = x - centre
        return {"square": gap * gap, "corner": abs(gap), "steep": exp(gap) + exp(-4 * gap)}[shape]

    found = tradeoff._searched(f)
    least = centre + (mpmath.log(4) / 5 if shape == "steep" else 0)
    assert abs(found - least) < 2e-5 * max(1.0, abs(centre))
    assert asked < 60


def test_mass_below_the_largest_loss_is_seen() -> None:
    """One row added: losses pile up below -ln(1 - q), where steep tilts look."""
    parts: Any = [(PoissonGaussianLoss(F(1), F(1, 20), True), 1)]
    e = F(475, 10000)
    found = discretised.delta(parts, e, width=0.03)
    known = contour.delta(parts, e)
    assert found.lower <= known.lower and known.upper <= found.upper
    assert found.width < known.upper / 100 and found.nodes < 5000
