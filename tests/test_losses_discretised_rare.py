"""Rare samples: losses whose high moments drown the saddle point of the query are left out first.

Where a sampled row changes nearly nothing, the sum of many losses is nearly normal, and the known
answers are those of quadratures of one round or of a normal law with bounds of its error.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.lattice.sketch import Cumulant, aim, sketch
from metricdp.accounting.losses.atomic import ResponseLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss

F = Fraction


@pytest.mark.parametrize(
    "rate,rounds,delta,share",
    [
        (F(1, 10**6), 1000, F(1, 10**5), F(1, 1000)),
        (F(1, 10**6), 10**6, F(1, 10**5), F(1, 1000)),
        (F(1, 1000), 20, F(1, 10**5), F(1, 100)),
    ],
)
def test_rare_samples_have_narrow_answers(
    rate: Fraction, rounds: int, delta: Fraction, share: Fraction
) -> None:
    found = discretised.epsilon([(PoissonGaussianLoss(F(1), rate), rounds)], delta, width=1e-5)
    assert found.lower > 0 and found.width < share * found.upper


def test_many_rare_rounds_against_random_draws() -> None:
    """E(1 - e^(eps - L))_+ of a million rounds at rate 1e-6, from sums of 10^4 blocks.

    L of a round is ln(1 + q (r - 1)), r = e^(x - 1/2); under P nearly all x are normal, and a sum
    over n rounds is q (sum r - n) but for less than 1e-5 of its spread.  5 standard errors: alarm
    below 1e-6.
    """
    rng, rounds, q = np.random.default_rng(11), 20_000, 1e-6
    draws = 4000
    totals = np.array(
        [q * (np.exp(rng.standard_normal(rounds) - 0.5) - 1).sum() for _ in range(draws)]
    )
    e = 1e-4
    gains = -np.expm1(np.minimum(e - totals, 0.0))
    found = discretised.delta([(PoissonGaussianLoss(F(1), F(1, 10**6)), rounds)], F(e), width=1e-5)
    assert found.width < found.upper / 100
    assert abs(gains.mean() - float(found.upper)) < 5 * gains.std() / draws**0.5 + 1e-7


@pytest.mark.parametrize("rounds", [10**4, 10**5])
def test_where_the_contour_answers_too(rounds: int) -> None:
    parts: Any = [(PoissonGaussianLoss(F(1), F(1, 1000)), rounds)]
    near = contour.epsilon(parts, F(1, 10**6))
    far = discretised.epsilon(parts, F(1, 10**6), width=1e-4)
    assert far.lower <= near.lower and near.upper <= far.upper
    assert far.width < F(1, 100) * far.upper


def test_sketches_without_their_largest_losses() -> None:
    whole = sketch(PoissonGaussianLoss(F(1), F(1, 10**6)))
    near = whole.below(1e-20)
    left = np.exp(whole.logs).sum() - np.exp(near.logs).sum()
    assert len(near.edges) == len(near.losses) + 1 < len(whole.edges)
    assert np.exp(whole.logs[len(near.logs) :]).sum() <= 1e-20
    assert np.exp(whole.logs[len(near.logs) - 1 :]).sum() > 1e-20 and left < 1e-15
    assert whole.below(0.0) is whole
    # High moments of what is rare drown the saddle point.
    drowned = aim(Cumulant([(whole, 1000)]), None, -11.5)
    clear = aim(Cumulant([(near.below(1e-12), 1000)]), None, -11.5)
    assert clear.tilt > 3 * drowned.tilt and clear.spread < drowned.spread / 3


def test_many_sketches_at_once() -> None:
    laws = [PoissonGaussianLoss(F(1), F(1, 10 + 7 * k), k % 2 == 0) for k in range(6)]
    parts = [(sketch(law), k + 1) for k, law in enumerate(laws)]
    parts[2] = (parts[2][0].below(1e-9), 3)
    together = Cumulant(parts)
    for z in (-3.0, 0.0, 0.7, 12.0, 300.0):
        alone = [Cumulant([part])(z) for part in parts]
        for side in range(3):
            assert together(z)[side] == pytest.approx(sum(k[side] for k in alone), rel=1e-9)


def test_losses_far_smaller_than_the_step() -> None:
    """Rounds that cost nearly nothing beside one that costs much: one point of the lattice each."""
    parts: Any = [
        (PoissonGaussianLoss(F(287, 10**5), F(43, 10**6)), 8),
        (PoissonGaussianLoss(F(2), F(3, 100)), 22),
    ]
    alone = discretised.epsilon(parts[1:], F(1, 1000), width=0.01)
    found = discretised.epsilon(parts, F(1, 1000), width=0.01)
    assert found.width < F(1, 20)
    assert found.lower <= alone.upper + F(1, 1000) and alone.lower <= found.upper


def test_windows_reach_the_least_loss() -> None:
    """Mass piles up above ln(1 - q), and the window has to begin there."""
    parts: Any = [
        (ResponseLoss(F(7, 50000)), 18),
        (PoissonGaussianLoss(F(2), F(3, 100)), 22),
    ]
    found = discretised.epsilon(parts, F(1, 1000), width=0.01)
    assert 0 < found.width < F(1, 1000) and found.lower > 4
