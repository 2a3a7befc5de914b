"""Powers of transforms: against forty digits, near one atom and elsewhere; rare samples that need
them."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import Any

import mpmath
import numpy as np
import pytest

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.lattice.sums import convolved, norm
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.errors import UncertifiedError

F = Fraction
UNIT = 2.0**-53


def exact(laws: list[tuple[Any, int, int]], size: int, ahead: int) -> Any:
    """The sum's law modulo `size`, from the index `ahead` on."""
    with mpmath.workdps(40):
        spectrum = []
        for j in range(size):
            turn = [mpmath.expjpi(-mpmath.mpf(2 * ((j * k) % size)) / size) for k in range(size)]
            value = mpmath.mpc(1)
            for x, _, n in laws:
                value *= mpmath.fsum(mpmath.mpf(float(m)) * turn[k] for k, m in enumerate(x)) ** n
            spectrum.append(value * mpmath.expjpi(mpmath.mpf(2 * ((j * ahead) % size)) / size))
        return np.array(
            [
                float(
                    mpmath.fsum(
                        z * mpmath.expjpi(mpmath.mpf(2 * ((j * k) % size)) / size)
                        for j, z in enumerate(spectrum)
                    ).real
                    / size
                )
                for k in range(size)
            ]
        )


@pytest.mark.parametrize("rare,n", [(1e-6, 10**6), (1e-3, 1000), (0.15, 20), (0.15, 3), (0.6, 40)])
def test_powers_are_as_near_as_they_say(rare: float, n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.uniform(0, 1, 12)
    x[5] = 0.0
    x *= rare / x.sum()
    x[5] = 1 - rare
    wide = rng.uniform(0, 1, 16)
    wide /= wide.sum()
    size = 16
    order = 16 * log2(size) * UNIT
    for laws in ([(x, 5, n)], [(wide, 3, 2), (x, 5, n)], [(x, 5, n), (x[::-1].copy(), 6, 17)]):
        y, noise, powers, ahead = convolved(laws, size, order)
        bound = noise + (powers + order) * norm(y)
        assert np.linalg.norm(y - exact(laws, size, ahead)) <= bound
        if rare < 0.01 and len(laws) == 1:
            # In proportion to what is not on the atom, of all copies together.
            assert bound < 1e-12


@pytest.mark.parametrize(
    "rate,noise,rounds,delta,most",
    [
        (F(1, 10**6), F(1, 2), 10**4, F(1, 10**12), F(2, 1000)),
        (F(1, 10**5), F(1), 10**4, F(1, 10**8), F(2, 10**6)),
        (F(1, 10**4), F(1, 2), 10**3, F(1, 10**10), F(1, 10**5)),
    ],
)
def test_rare_large_losses(
    rate: Fraction, noise: Fraction, rounds: int, delta: Fraction, most: Fraction
) -> None:
    """Most rounds change nothing, and delta is what a few change much."""
    law = PoissonGaussianLoss(1 / noise, rate)
    found = discretised.epsilon([(law, rounds)], delta, width=1e-5)
    assert 0 < found.width < most


def test_where_the_contour_answers_too() -> None:
    rng = np.random.default_rng(29)
    met = 0
    for _ in range(6):
        noise, rounds = F(round(float(rng.uniform(0.6, 2)), 3)), int(rng.integers(40, 400))
        law = PoissonGaussianLoss(1 / noise, F(round(float(10 ** rng.uniform(-3, -1)), 5)))
        try:
            near = contour.epsilon([(law, rounds)], F(1, 10**6))
        except UncertifiedError:
            continue
        met += 1
        found = discretised.epsilon([(law, rounds)], F(1, 10**6), width=1e-6)
        assert found.lower <= near.upper and near.lower <= found.upper
        assert found.width < F(1, 10**4)
    assert met >= 2
