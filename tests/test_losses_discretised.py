"""The lattice engine: brackets contain closed forms and exact sums, narrow as promised, and every
error that is bounded is one that occurs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import erf, exp, sqrt

import mpmath
import numpy as np
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.lattice.laws import Atoms, LatticeSpan, above, below
from metricdp.accounting.lattice.sums import composed
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Bracket, Loss
from metricdp.accounting.losses.sampled_cells import MixtureLoss
from metricdp.errors import InternalError, ParameterError, UncertifiedError

F = Fraction
mpmath.mp.dps = 60
Parts = list[tuple[Loss, int]]


def number(x: Fraction | int | float | object) -> object:
    """An mpmath number."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpmath.mpf(x)


def contains(bracket: Bracket, truth: object) -> bool:
    """lower <= truth <= upper, in many digits."""
    return bool(number(bracket.lower) <= truth <= number(bracket.upper))


def normal_profile(u: object, epsilon: object) -> object:
    """delta of N(0, 1) against N(u, 1)."""
    u, e = number(u), number(epsilon)
    return mpmath.ncdf(u / 2 - e / u) - mpmath.exp(e) * mpmath.ncdf(-u / 2 - e / u)


def response_profile(copies: int, each: object, epsilon: object) -> object:
    """Binomial sum of randomized response (Kairouz, Oh, Viswanath 2015)."""
    p = mpmath.exp(each) / (1 + mpmath.exp(each))
    q = 1 - p
    return sum(
        mpmath.binomial(copies, k)
        * max(0, p**k * q ** (copies - k) - mpmath.exp(epsilon) * p ** (copies - k) * q**k)
        for k in range(copies + 1)
    )


@pytest.mark.parametrize(
    ("ratio", "copies"), [(F(1), 1), (F(3), 2), (F(1, 50), 1000), (F(1, 200), 10**4)]
)
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(3)])
def test_gaussian_profiles(ratio: Fraction, copies: int, epsilon: Fraction) -> None:
    found = discretised.delta([(GaussianLoss(ratio), copies)], epsilon, width=1e-3)
    truth = normal_profile(mpmath.sqrt(copies) * number(ratio), epsilon)
    assert contains(found, truth)
    assert found.width < 0.02 * found.upper


@pytest.mark.parametrize("power", [5, 15, 30, 100, 250])
def test_gaussian_epsilon_at_small_delta(power: int) -> None:
    found = discretised.epsilon([(GaussianLoss(F(1, 10)), 100)], F(1, 10**power), width=1e-4)
    assert found.width < 1.1e-4
    low, high = normal_profile(1, found.lower), normal_profile(1, found.upper)
    assert high <= mpmath.mpf(10) ** -power <= low


@pytest.mark.parametrize("epsilon", [F(0), F(1, 3), F(9, 10), F(1), F(3, 2)])
def test_laplace_profile(epsilon: Fraction) -> None:
    found = discretised.delta([(LaplaceLoss(F(1)), 1)], epsilon, width=1e-4)
    truth = max(number(0), -mpmath.expm1((number(epsilon) - 1) / 2))
    assert contains(found, truth)
    assert found.width < 1.1e-4


@pytest.mark.parametrize(("copies", "each"), [(1, F(1, 10)), (50, F(1, 10)), (300, F(1, 50)),
                                              (10, F(3))])  # fmt: skip
@pytest.mark.parametrize("delta", [F(1, 1000), F(1, 10**9), F(1, 10**30)])
def test_atoms_on_the_lattice_leave_roundings_only(
    copies: int, each: Fraction, delta: Fraction
) -> None:
    found = discretised.epsilon([(ResponseLoss(each), copies)], delta)
    assert found.width < 1e-8
    low, high = (
        response_profile(copies, number(each), number(x)) for x in (found.lower, found.upper)
    )
    assert high <= number(delta) <= low


@pytest.mark.parametrize(
    ("loss", "copies", "delta", "reference"),
    [
        (MixtureLoss(GaussianLoss(F(1)), F(1, 100)), 10**4, F(1, 10**5), 6.187712),
        (MixtureLoss(GaussianLoss(F(10, 11)), F(256, 60000)), 14063, F(1, 10**5), 2.381690),
        (MixtureLoss(GaussianLoss(F(5, 3)), F(1, 1000)), 10**5, F(1, 10**6), 6.960844),
        (LaplaceLoss(F(1, 10)), 500, F(1, 10**6), 12.270368),
    ],
)
def test_reference_values(loss: Loss, copies: int, delta: Fraction, reference: float) -> None:
    """Contour integrals in 50 digits, made outside of this project, rounded to 1e-6."""
    found = discretised.epsilon([(loss, copies)], delta, width=2e-4)
    assert found.lower - F(1, 10**6) <= F(reference) <= found.upper + F(1, 10**6)
    assert found.upper - F(reference) < F(2, 10**4)
    assert found.width < 0.02


outcomes = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any), min_size=2, max_size=4
).filter(lambda rows: all(map(sum, zip(*rows, strict=True))))


def exact_profile(pair: list[tuple[Fraction, Fraction]], copies: int, epsilon: object) -> object:
    grown, total = mpmath.exp(epsilon), mpmath.mpf(0)
    for word in product(pair, repeat=copies):
        p, q = F(1), F(1)
        for x, y in word:
            p, q = p * x, q * y
        total += max(0, number(p) - grown * number(q))
    return total


@settings(max_examples=depth(30, 60), deadline=None)
@given(outcomes, st.integers(1, 4), st.fractions(-1, 4, max_denominator=64))
def test_finite_laws_are_bracketed(
    rows: list[tuple[int, int]], copies: int, epsilon: Fraction
) -> None:
    """Atoms anywhere, leaks, and losses of -oo."""
    total = [sum(column) for column in zip(*rows, strict=True)]
    pair = [(F(p, total[0]), F(q, total[1])) for p, q in rows]
    found = discretised.delta([(FiniteLoss(tuple(pair)), copies)], epsilon, width=1e-3)
    truth = exact_profile(pair, copies, number(epsilon))
    assert contains(found, truth)
    assert found.width < 0.05


@pytest.mark.parametrize("loss", [GaussianLoss(F(1, 2)), MixtureLoss(GaussianLoss(F(1)), F(1, 5))])
def test_halving_the_step_quarters_the_bracket(loss: Loss) -> None:
    widths = [
        float(discretised.epsilon([(loss, 10)], F(1, 10**6), step=0.02 / 2**k).width)
        for k in range(3)
    ]
    assert widths[0] / widths[1] > 3 and widths[1] / widths[2] > 3


def test_copies_add_and_order_does_not_matter() -> None:
    gauss, laplace = GaussianLoss(F(1, 4)), LaplaceLoss(F(1, 3))
    orders: list[Parts] = [
        [(gauss, 7), (laplace, 5)],
        [(laplace, 5), (gauss, 7)],
        [(gauss, 3), (laplace, 2), (gauss, 4), (laplace, 3), (gauss, 0)],
    ]
    found = [discretised.epsilon(parts, F(1, 10**7), width=1e-4) for parts in orders]
    assert max(b.lower for b in found) <= min(b.upper for b in found)
    assert max(b.upper for b in found) - min(b.lower for b in found) < F(1, 10**3)


def test_delta_at_zero_is_total_variation() -> None:
    found = discretised.delta([(GaussianLoss(F(1, 2)), 9)], F(0), width=1e-4)
    assert contains(found, mpmath.mpf(erf(0.75 / sqrt(2))))


def test_nothing_read_costs_nothing() -> None:
    assert discretised.epsilon([], F(1, 10)).upper == 0
    assert discretised.epsilon([(GaussianLoss(F(1)), 0)], F(1, 10)).upper == 0
    assert discretised.delta([], F(1)).upper == 0
    assert contains(discretised.delta([], F(-1)), 1 - mpmath.exp(-1))


def test_delta_above_total_variation_needs_no_epsilon() -> None:
    found = discretised.epsilon([(GaussianLoss(F(1, 10)), 4)], F(1, 10))
    assert found.lower == found.upper == 0


def test_leaks_are_charged_exactly() -> None:
    leaky = ResponseLoss(F(1, 10), 2, F(1, 1000))
    found = discretised.delta([(leaky, 5)], F(1))
    assert contains(found, 1 - mpmath.mpf("0.999") ** 5)
    assert found.width < 1e-12


MIXED: list[Parts] = [
    [(GaussianLoss(F(1, 3)), 5), (LaplaceLoss(F(2, 7)), 3), (ResponseLoss(F(1, 5), 3), 10)],
    [(LaplaceLoss(F(1, 9)), 200), (ResponseLoss(F(1), 2, F(1, 10**30)), 2)],
    [(BoundedRangeLoss(F(1, 2)), 30), (LaplaceLoss(F(1)), 1)],
    [(GaussianLoss(F(1, 90)), 3000), (BoundedRangeLoss(F(1, 4)), 7), (GaussianLoss(F(1)), 1)],
    [(LaplaceLoss(F(888707, 10**7)), 10)],
]


@pytest.mark.parametrize("parts", MIXED)
@pytest.mark.parametrize("power", [2, 8, 20])
def test_the_engines_meet(parts: Parts, power: int) -> None:
    """They share no step, so disagreement would be a defect of one of them."""
    found = discretised.epsilon(parts, F(1, 10**power), width=1e-3)
    other = contour.epsilon(parts, F(1, 10**power))
    assert max(found.lower, other.lower) <= min(found.upper, other.upper)
    assert found.width < 1e-2
    found, other = discretised.delta(parts, F(1), width=1e-3), contour.delta(parts, F(1))
    assert max(found.lower, other.lower) <= min(found.upper, other.upper)


@pytest.mark.parametrize(("guess", "slope"), [(3.0, 2.0), (0.0, 2.0), (40.0, 0.1), (2.9, 500.0)])
def test_crossings_are_found_from_bad_guesses(guess: float, slope: float) -> None:
    left, right = discretised.crossing(
        lambda x: max(0.0, exp(-2 * x) - 1e-3), F(1, 1000), guess, slope, 1e-9
    )
    assert exp(-2 * right) - 1e-3 <= 1e-3 < exp(-2 * left) - 1e-3
    assert 0 < right - left <= 1e-9
    assert discretised.crossing(lambda x: exp(-x), F(1), guess, slope, 1e-9) == (0.0, 0.0)
    with pytest.raises(UncertifiedError, match="certified"):
        discretised.crossing(lambda x: 0.5, F(1, 4), guess, slope, 1e-9)


# Every error that is charged occurs.


def test_rounding_down_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bracket of a law whose mass was moved to the lower point of its cell is too low."""

    def wrong(loss: Loss, span: object, thin: bool = False) -> Atoms:
        law = above(loss, span, thin)  # type: ignore[arg-type]
        return Atoms(law.shift - law.step, law.step, law.first, law.masses, law.failure)

    monkeypatch.setattr(discretised, "above", wrong)
    with pytest.raises(InternalError, match="encloses no answer"):
        discretised.delta([(GaussianLoss(F(1, 10)), 100)], F(1), width=1e-3)


def test_rounding_up_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a step too high from below is above the truth."""

    def wrong(loss: Loss, span: object, tilt: float, far: float) -> Atoms:
        law = below(loss, span, tilt, far)  # type: ignore[arg-type]
        return Atoms(law.shift + law.step / 2, law.step, law.first, law.masses, law.failure)

    monkeypatch.setattr(discretised, "below", wrong)
    with pytest.raises(InternalError, match="encloses no answer"):
        discretised.delta([(GaussianLoss(F(1, 10)), 100)], F(1), width=1e-3)


@pytest.mark.parametrize("offset", [0.0, 0.013, 0.031])
@pytest.mark.parametrize(
    "loss", [GaussianLoss(F(1, 4)), LaplaceLoss(F(1, 3)), MixtureLoss(GaussianLoss(F(1)), F(1, 5))]
)
def test_lattice_laws_are_on_both_sides_at_every_epsilon(loss: Loss, offset: float) -> None:
    """On coarse lattices, wherever they lie: what composition rests on."""
    h = 0.05
    span = LatticeSpan(offset, h, -60, 160)
    fine = LatticeSpan(offset, h / 64, -60 * 64, 160 * 64)

    def profile(law: Atoms, epsilon: float) -> float:
        places = float(law.shift) + float(law.step) * (law.first + np.arange(len(law.masses)))
        return law.failure + float((law.masses * np.maximum(-np.expm1(epsilon - places), 0)).sum())

    low, high = below(loss, span, 1.0), above(loss, span)
    for epsilon in np.linspace(-1.5, 2.5, 81):
        truth = profile(below(loss, fine, 1.0), epsilon), profile(above(loss, fine), epsilon)
        assert profile(low, epsilon) <= truth[1] * (1 + 1e-9) + 1e-13
        assert truth[0] <= profile(high, epsilon) * (1 + 1e-9) + 1e-13
    assert profile(high, 0.1) - profile(low, 0.1) < 0.02


def lattice_of(ratio: float, step: float, count: int) -> Atoms:
    points = step * np.arange(-count, count + 1)
    masses = np.exp(-0.5 * (points / ratio) ** 2)
    return Atoms(F(0), F(step), -count, masses / masses.sum(), 0.0)


def direct(law: Atoms, copies: int, tilt: float, epsilon: float) -> float:
    """The profile by direct convolution in long doubles."""
    y = law.masses.astype(np.longdouble)
    total = y
    for _ in range(copies - 1):
        total = np.convolve(total, y)
    places = float(law.step) * (np.arange(len(total)) + copies * law.first)
    return float((total * np.maximum(-np.expm1(epsilon - places), 0)).sum())


@pytest.mark.parametrize("size", [16, 64, 256])
def test_wrapping_is_charged(size: int) -> None:
    """Windows that are too small give wide brackets, not wrong ones."""
    law, tilt, epsilon = lattice_of(1.0, 0.25, 24), 0.1, 1.0
    truth = direct(law, 6, tilt, epsilon)
    found = composed([(law, 6)], tilt, -size // 2, size, (-0.3, 0.3))
    low, high = found.delta(epsilon)
    assert low <= truth <= high
    bare = without_tails(found).delta(epsilon)
    assert (size == 256) == (bare[0] <= truth <= bare[1])


def without_tails(found: object) -> object:
    import msgspec

    return msgspec.structs.replace(found, low=0.0, high=0.0)  # type: ignore[type-var]


@pytest.mark.parametrize("copies", [1, 7, 60])
def test_errors_of_transforms_are_below_their_bound(copies: int) -> None:
    law, size, tilt = lattice_of(1.0, 0.25, 24), 1 << 11, 0.05
    found = composed([(law, copies)], tilt, copies * law.first, size, (-0.1, 0.1))
    x = law.masses.astype(np.longdouble) * np.exp(
        tilt * np.arange(len(law.masses), dtype=np.longdouble)
    )
    x /= x.sum()
    y = x
    for _ in range(copies - 1):
        y = np.convolve(y, x)
    folded = np.zeros(size, dtype=np.longdouble)
    np.add.at(folded, np.arange(len(y)) % size, y)
    error = float(np.sqrt(((found.y - folded) ** 2).sum()))
    assert 0 < error < found.noise < 1e-11


def test_tilting_is_what_keeps_small_deltas() -> None:
    law, copies = lattice_of(0.3, 0.05, 60), 40
    truth = direct(law, copies, 0.0, 12.0)
    assert truth < 1e-8
    slopes = (-0.3, 0.3)
    flat = composed([(law, copies)], 0.0, -1024, 2048, slopes).delta(12.0)
    tilted = composed([(law, copies)], 0.16, -1024, 2048, slopes).delta(12.0)
    assert flat[0] <= truth <= flat[1] and tilted[0] <= truth <= tilted[1]
    assert tilted[1] - tilted[0] < 1e-3 * (flat[1] - flat[0])
    assert tilted[1] - tilted[0] < 1e-6 * truth


# Bad input.


@pytest.mark.parametrize("delta", [F(-1), F(1), F(2)])
def test_delta_outside_its_range(delta: Fraction) -> None:
    with pytest.raises(ParameterError, match="delta"):
        discretised.epsilon([(GaussianLoss(F(1)), 1)], delta)


@pytest.mark.parametrize("delta", [F(0), F(1, 10**280)])
def test_delta_below_doubles(delta: Fraction) -> None:
    with pytest.raises(UncertifiedError, match="range of doubles"):
        discretised.epsilon([(GaussianLoss(F(1)), 1)], delta)


def test_delta_below_the_leak() -> None:
    with pytest.raises(ParameterError, match="infinite with a probability above delta"):
        discretised.epsilon([(ResponseLoss(F(1), 2, F(1, 100)), 3)], F(1, 100))


@pytest.mark.parametrize("copies", [-1, 1.5, True])
def test_copies_that_are_no_number(copies: int) -> None:
    with pytest.raises(ParameterError, match="count"):
        discretised.delta([(GaussianLoss(F(1)), copies)], F(1))


@pytest.mark.parametrize("width", [0.0, -1.0, float("nan"), float("inf")])
def test_widths_and_steps_are_positive(width: float) -> None:
    parts: Parts = [(GaussianLoss(F(1)), 1)]
    with pytest.raises(ParameterError, match="width"):
        discretised.delta(parts, F(1), width=width)
    with pytest.raises(ParameterError, match="step"):
        discretised.delta(parts, F(1), step=width)


def test_a_step_that_would_fill_the_memory() -> None:
    with pytest.raises(ParameterError, match="points"):
        discretised.delta([(GaussianLoss(F(1)), 1)], F(1), step=1e-9)


def test_losses_beyond_doubles() -> None:
    with pytest.raises(ParameterError, match="range of doubles"):
        discretised.delta([(GaussianLoss(F(10**6)), 1)], F(1))
