"""The lattice engine where doubles end: losses that overflow, steps that would be too small, masses
that are no masses."""

from __future__ import annotations

from fractions import Fraction

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.lattice.laws import Atoms
from metricdp.accounting.lattice.sums import composed
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.loss import Bracket, CellMasses
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.accounting.losses.sampled_cells import MixtureLoss
from metricdp.errors import InternalError, ParameterError

F = Fraction
mpmath.mp.dps = 60


def number(x: Fraction) -> object:
    """An mpmath number."""
    return mpmath.mpf(x.numerator) / x.denominator


def contains(bracket: Bracket, truth: object) -> bool:
    """lower <= truth <= upper, in many digits."""
    return bool(number(bracket.lower) <= truth <= number(bracket.upper))


@pytest.mark.parametrize("copies", [1, 10])
@pytest.mark.parametrize("each", [700, 720, 750, 1000, 10**5])
def test_losses_that_overflow_are_not_charged_as_nothing(each: int, copies: int) -> None:
    """[0, 0] was answered: what lies below the window was charged e^600 at most."""
    parts = [(ResponseLoss(F(each)), copies)]
    with np.errstate(all="raise", under="ignore"):
        found = discretised.epsilon(parts, F(1, 10**6), width=1e-3)
    # All mass but e^-700 is on the largest loss: delta = 1 - e^(epsilon - top).
    truth = copies * each + mpmath.log1p(-(mpmath.mpf(10) ** -6))
    assert contains(found, truth)
    assert found.upper < copies * each * (1 + F(1, 1000)) + 1


def test_mass_below_the_window_is_charged_however_steep_the_tilt() -> None:
    """An atom at 0 seen through a window at 100..., tilted by 20 per point."""
    atom = Atoms(F(0), F(1), 0, np.array([1.0]), 0.0)
    law = composed([(atom, 1)], 20.0, 100, 16, (-1.0, 1.0))
    low, high = law.delta(-1.0)
    assert low <= 0.632120558 < 0.632120559 <= high  # 1 - 1/e
    assert law.delta(100.5)[1] < 1e-9


@pytest.mark.parametrize(
    ("p", "q"), [([float("nan")] * 2, [0.5, 0.5]), ([0.5, 0.5], [-1e-300, 1.0]),
                 ([float("inf"), 0.0], [0.5, 0.5])]
)  # fmt: skip
def test_masses_that_are_no_masses_are_refused(p: list[float], q: list[float]) -> None:
    with pytest.raises(InternalError, match="a mass of a cell"):
        CellMasses(np.array(p), np.array(q), 1e-15)


@pytest.mark.parametrize(("lower", "upper"), [(F(-1), F(1)), (F(1), F(1, 2))])
def test_brackets_that_enclose_nothing_are_refused(lower: Fraction, upper: Fraction) -> None:
    with pytest.raises(InternalError, match="encloses no answer"):
        Bracket(lower, upper, "discretised")


def test_atoms_much_nearer_than_the_window_is_wide() -> None:
    """Their gap of 1e-9 was made the step: 10^9 points."""
    near = FiniteLoss(((F(1, 2), F(1, 2) + F(1, 10**9)), (F(1, 2), F(1, 2) - F(1, 10**9))))
    far = FiniteLoss(((F(1000, 2001), F(2, 5)), (F(1, 2001), F(3, 5)), (F(1000, 2001), F(0))))
    found = discretised.delta([(far, 1), (near, 1)], F(1, 10), width=1e-5)
    assert found.nodes <= 1 << 21
    gains = [
        number(p * s) - number(q * t) * mpmath.exp(mpmath.mpf(1) / 10)
        for p, q in far.outcomes
        for s, t in near.outcomes
    ]
    assert contains(found, sum(max(gain, 0) for gain in gains))
    assert found.width < 1e-3


def test_a_delta_that_is_the_leak_exactly() -> None:
    leaks = FiniteLoss(((F(1, 2) - F(1, 10**9), F(1, 3)), (F(1, 2), F(2, 3)), (F(1, 10**9), F(0))))
    found = discretised.epsilon([(leaks, 1)], F(1, 10**9))
    assert contains(found, mpmath.log((number(F(1, 2)) - number(F(1, 10**9))) * 3))
    with pytest.raises(ParameterError, match="no epsilon"):
        discretised.epsilon([(leaks, 2)], F(1, 10**9))
    assert discretised.epsilon([(leaks, 2)], F(2, 10**9)).upper > F(8, 10)


def test_rough_brackets_enclose_fine_ones() -> None:
    parts = [(MixtureLoss(GaussianLoss(F(1)), F(1, 100)), 10**4)]
    rough = discretised.epsilon(parts, F(1, 10**5), width=0.18)
    assert rough.lower <= F(61877, 10**4) and F(61878, 10**4) <= rough.upper
    assert rough.width < F(3, 2) and rough.nodes <= 1 << 13


@pytest.mark.parametrize("back", [False, True])
def test_very_many_rounds_of_rare_samples_have_a_bound(back: bool) -> None:
    """1 was answered where q sqrt(n (e - 1) / (2 pi)) = 1.7e-5 is expected."""
    law = PoissonGaussianLoss(F(1), F(1, 10**9))
    found = discretised.delta([(law.reversed() if back else law, 10**9)], F(0))
    assert found.lower <= F(17, 10**6) and F(16, 10**6) <= found.upper <= F(1, 100)
