"""Loss laws of discrete Laplace and discrete Gaussian noise, against sums of their pmfs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses.balls import precision
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.errors import ParameterError

LAWS = [
    DiscreteLaplaceLoss(Fraction(3, 2), 1),
    DiscreteLaplaceLoss(Fraction(1, 3), 4),
    DiscreteGaussianLoss(Fraction(3, 2), 2),
    DiscreteGaussianLoss(Fraction(2, 5), 1),
    DiscreteGaussianLoss(Fraction(6), 3),
]
FAR = 150


@pytest.fixture(autouse=True)
def digits() -> Any:
    with mpmath.workdps(40):
        yield


def outcomes(law: Any) -> list[tuple[Any, Any]]:
    """(P, Q) of every outcome up to a distance beyond which nothing is left."""
    s = mpmath.mpf(law.scale.numerator) / law.scale.denominator

    def weight(k: int) -> Any:
        if isinstance(law, DiscreteLaplaceLoss):
            return mpmath.exp(-abs(k) / s)
        return mpmath.exp(-mpmath.mpf(k * k) / (2 * s * s))

    total = mpmath.fsum(weight(k) for k in range(-FAR, FAR + 1))
    return [(weight(k) / total, weight(k - law.movement) / total) for k in range(-FAR, FAR + 1)]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("c", [0.3, 2.0, 7.5])
def test_moments_are_sums_over_outcomes(law: Any, c: float) -> None:
    pairs = outcomes(law)
    with precision(128):
        line = law.on_line(c, 0.75, 4)
        at_zero = law.log_moment(c)
        for k, found in enumerate(line):
            z = mpmath.mpc(c, 0.75 * k)
            truth = mpmath.fsum(p * mpmath.exp(z * mpmath.log(p / q)) for p, q in pairs)
            gap = abs(complex(found.mid()) - complex(truth))
            assert gap <= 1e-12 * abs(complex(truth)) + 1e-12
            period = 2 * mpmath.pi / float(law.lattice.step)
            if 0 < 0.75 * k <= period / 2:
                fall = float(mpmath.log(abs(truth))) - at_zero
                assert fall <= law.log_decay_in_period(c, 0.75 * k) + 1e-9
        assert float(abs(mpmath.exp(at_zero) - line[0].real.mid())) < 1e-9 * float(
            line[0].real.mid()
        )


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rounds,epsilon", [(1, 0), (1, "1/3"), (2, 1)])
def test_both_engines_enclose_the_profile(law: Any, rounds: int, epsilon: Any) -> None:
    pairs = outcomes(law)
    e = Fraction(epsilon)
    x = mpmath.exp(mpmath.mpf(e.numerator) / e.denominator)
    if rounds == 1:
        truth = mpmath.fsum(max(0, p - x * q) for p, q in pairs)
    else:
        near = [(p, q) for p, q in pairs if p > 1e-25]
        truth = mpmath.fsum(max(0, p * a - x * q * b) for p, q in near for a, b in near)
    value, slack = Fraction(str(truth)), Fraction(1, 10**20)
    for engine in (contour, discretised):
        found = engine.delta([(law, rounds)], e)  # type: ignore[attr-defined]
        assert found.lower - slack <= value <= found.upper + slack
        assert found.width < Fraction(1, 10**4)


@pytest.mark.parametrize("law", LAWS)
def test_atoms_on_edges_are_above_them(law: Any) -> None:
    """Cells sum to 1, and the mass at the losses is where the outcomes say."""
    lattice = law.lattice
    edges = np.array([float(lattice.offset + lattice.step * k) for k in range(-3, 4)])
    cells = law.cells(np.sort(edges))
    assert abs(cells.p.sum() - 1) < 1e-9 and abs(cells.q.sum() - 1) < 1e-9
    half = np.sort(edges) - float(lattice.step) / 2
    shifted = law.cells(half)
    assert np.allclose(shifted.p[1:-1], cells.p[1:-1], rtol=1e-9)


def test_parameters_out_of_range_are_refused() -> None:
    for make in (DiscreteLaplaceLoss, DiscreteGaussianLoss):
        with pytest.raises(ParameterError):
            make(Fraction(0), 1)
        with pytest.raises(ParameterError):
            make(Fraction(1), 0)
