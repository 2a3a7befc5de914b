"""Renyi curves of Poisson samples against sums over the laws themselves, both ways round."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from metricdp.accounting.renyi import DiscreteLaplaceCurve, LaplaceCurve, PureCurve
from metricdp.accounting.renyi_sampled import PoissonLaplace, PoissonResponse
from metricdp.expr import num
from metricdp.measures.paid import amplified_step
from metricdp.measures.sampling import PoissonSampling

F = Fraction
ORDERS = [F(5, 4), F(2), F(5, 2), F(3), F(7)]
RATES = [F(1, 100), F(1, 4), F(9, 10), F(1)]


def renyi(p: list[float], q: list[float], alpha: float) -> float:
    logs = ((math.log(u), math.log(v)) for u, v in zip(p, q, strict=True))
    total = math.fsum(math.exp(alpha * u + (1 - alpha) * v) for u, v in logs)
    return math.log(total) / (alpha - 1)


def response(epsilon: float) -> tuple[list[float], list[float]]:
    keep = 1 / (1 + math.exp(-epsilon))
    return [1 - keep, keep], [keep, 1 - keep]


def steps(ticks: int, scale: float) -> tuple[list[float], list[float]]:
    """Discrete Laplace noise around 0 and around `ticks`."""
    ends = range(-round(60 * scale), ticks + round(60 * scale) + 1)
    a = math.exp(-1 / scale)
    none, one = ([(1 - a) / (1 + a) * a ** abs(z - at) for z in ends] for at in (0, ticks))
    return none, one


@pytest.mark.parametrize("rate", RATES)
def test_any_pure_mechanism_costs_at_most_what_two_answers_do(rate: Fraction) -> None:
    for epsilon in (F(1, 10), F(2), F(6)):
        curve, none, one = PoissonResponse(rate, epsilon), *response(float(epsilon))
        mixed = [(1 - float(rate)) * u + float(rate) * v for u, v in zip(none, one, strict=True)]
        for alpha in ORDERS:
            high = float(curve.divergence(alpha)[1])
            first, second = (renyi(*way, float(alpha)) for way in ((mixed, none), (none, mixed)))
            assert second <= first * (1 + 1e-9) + 1e-12 and first <= high + 1e-12
            assert high <= first * (1 + 1e-6) + 1e-9
            # Laplace noise of this epsilon is such a mechanism.
            assert float(PoissonLaplace(rate, LaplaceCurve(epsilon)).divergence(F(3))[1]) <= float(
                curve.divergence(F(3))[1]
            ) * (1 + 1e-9)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("ticks", "scale"), [(1, F(1, 2)), (3, F(2)), (20, F(20))])
def test_sampled_laplace_noise_is_exact_at_integers(
    rate: Fraction, ticks: int, scale: Fraction
) -> None:
    base = DiscreteLaplaceCurve(ticks / scale, 1 / scale, ticks)
    none, one = steps(ticks, float(scale))
    mixed = [(1 - float(rate)) * u + float(rate) * v for u, v in zip(none, one, strict=True)]
    for alpha in ORDERS:
        high = float(PoissonLaplace(rate, base).divergence(alpha)[1])
        first, second = (renyi(*way, float(alpha)) for way in ((mixed, none), (none, mixed)))
        assert second <= first * (1 + 1e-9) + 1e-12 and first <= high * (1 + 1e-9) + 1e-12
        if alpha.denominator == 1:
            assert high <= first * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("units", [1, 2, 3])
def test_sampled_steps_take_the_least_of_what_is_known(units: int) -> None:
    rate, scale, alpha = F(1, 10), F(1, 2), F(5, 2)
    base = DiscreteLaplaceCurve(1 / scale, 1 / scale, 1)
    curve, leak = amplified_step(
        base, F(0), PoissonSampling(num(rate)), "add or remove", F(0), units
    )
    law = [1.0]
    for _ in range(units):
        law = [
            (1 - float(rate)) * u + float(rate) * v
            for u, v in zip([*law, 0.0], [0.0, *law], strict=True)
        ]
    ends = range(-60, 61)
    a = math.exp(-1 / float(scale))
    none = [(1 - a) / (1 + a) * a ** abs(z) for z in ends]
    some = [sum(w * (1 - a) / (1 + a) * a ** abs(z - k) for k, w in enumerate(law)) for z in ends]
    seen = max(renyi(some, none, float(alpha)), renyi(none, some, float(alpha)))
    claim = float(curve.divergence(alpha)[1])
    assert not leak and seen <= claim + 1e-12
    # The epsilon of the sample alone, as for any mechanism that has it, is far from it.
    epsilon = units * math.log1p(float(rate) * math.expm1(2))
    plain = float(PureCurve(F(epsilon)).divergence(alpha)[1])
    assert claim < plain / (3 if units == 1 else 1.2)
