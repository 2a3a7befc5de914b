"""Loss laws of sampled mechanisms: cells, and domination of every pair of small inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import exp, log

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.gaussian_mixtures import GaussianMixtureLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Loss
from metricdp.accounting.losses.sampled_cells import MixtureLoss, WithoutReplacementLoss
from metricdp.accounting.losses.with_replacement import PublicMixture, with_replacement_loss
from metricdp.errors import ParameterError, UncertifiedError

F = Fraction
Law = tuple[Fraction, ...]
EPSILONS = [F(-3, 2), F(-1, 2), F(-1, 8), F(0), F(1, 8), F(1, 2), F(1), F(2)]
PAIR = ((F(1, 2), F(1, 8)), (F(3, 8), F(1, 4)), (F(1, 8), F(5, 8)))
SINGULAR = ((F(1, 4), F(0)), (F(1, 2), F(1, 4)), (F(1, 4), F(1, 4)), (F(0), F(1, 2)))


def hockey_stick(p: Sequence[Fraction], q: Sequence[Fraction], epsilon: Fraction) -> float:
    """sum (p - e^eps q)_+, to 30 digits."""
    with mpmath.workdps(30):
        grown = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        return float(sum(
            max(0, mpmath.mpf(a.numerator) / a.denominator
                - grown * mpmath.mpf(b.numerator) / b.denominator)
            for a, b in zip(p, q, strict=True)
        ))  # fmt: skip


def curve(loss: Loss, epsilon: Fraction) -> tuple[float, float]:
    found = discretised.delta([(loss, 1)], epsilon, width=1e-4)
    return float(found.lower), float(found.upper)


def mixed(p: Sequence[Fraction], q: Sequence[Fraction], rate: Fraction) -> Law:
    """(1 - rate) q + rate p."""
    return tuple((1 - rate) * b + rate * a for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("pair", [PAIR, SINGULAR])
@pytest.mark.parametrize("rate", [F(1, 10), F(2, 3)])
def test_poisson_is_the_exact_mixture_in_both_directions(
    pair: tuple[tuple[Fraction, Fraction], ...], rate: Fraction
) -> None:
    p, q = zip(*pair, strict=True)
    law, both = MixtureLoss(FiniteLoss(pair), rate), mixed(p, q, rate)
    for epsilon in EPSILONS:
        for loss, first, second in ((law, both, q), (law.reversed(), q, both)):
            low, high = curve(loss, epsilon)
            assert low <= hockey_stick(first, second, epsilon) * (1 + 1e-12)
            assert hockey_stick(first, second, epsilon) <= high * (1 + 1e-12)
            assert high - low < 2e-3


@pytest.mark.parametrize("base", [GaussianLoss(F(1)), LaplaceLoss(F(1)), FiniteLoss(PAIR)])
def test_cells_of_a_mixture_are_those_of_a_fine_sum(base: Loss) -> None:
    """Masses by the loss of each of very many thin cells of the base."""
    fine = base.cells(np.linspace(-12, 12, 400_001))
    p, q = fine.p[1:-1], fine.q[1:-1]
    middle = np.linspace(-12, 12, 400_001)[:-1] + 3e-5
    image = np.log1p(0.3 * np.expm1(middle))
    edges = np.array([-0.5, -0.33, -0.1, 0.0, 0.2, 0.21, 1.5, 6.0])
    found = MixtureLoss(base, F(3, 10)).cells(edges)
    where = np.searchsorted(edges, image, side="right")
    for masses, weights in ((found.p, 0.7 * q + 0.3 * p), (found.q, q)):
        expected = np.bincount(where, weights, minlength=len(edges) + 1)
        assert np.abs(masses - expected).max() < 2e-4
        assert abs(masses.sum() - 1) < 1e-10


def test_reversing_keeps_atoms_on_edges_above_them() -> None:
    law = MixtureLoss(ResponseLoss(F(1)), F(1, 2))
    top = float(np.log1p(0.5 * np.expm1(1.0)))
    forward = law.cells(np.array([top]))
    backward = law.reversed().cells(np.array([-top]))
    assert forward.p[1] > 0.3
    assert backward.p[1] == pytest.approx(1.0) and backward.p[0] == 0


def test_rates_beside_zero_and_one() -> None:
    base = GaussianLoss(F(1))
    whole = discretised.epsilon([(base, 5)], F(1, 10**5), width=1e-4)
    almost = discretised.epsilon([(MixtureLoss(base, 1 - F(1, 10**9)), 5)], F(1, 10**5), width=1e-4)
    assert abs(float(almost.upper - whole.upper)) < 3e-4
    for rate in (F(1, 10**3), F(1, 10**4)):
        one = discretised.delta([(MixtureLoss(base, rate), 1)], F(0), width=1e-4)
        whole_variation = float(rate) * (2 * norm.cdf(0.5) - 1)
        assert float(one.lower) <= whole_variation <= float(one.upper) < 1.1 * whole_variation


@pytest.mark.parametrize("rate", [F(0), F(1), F(-1), F(2)])
def test_rates_outside(rate: Fraction) -> None:
    for make in (MixtureLoss, WithoutReplacementLoss):
        with pytest.raises(ParameterError, match="rate"):
            make(GaussianLoss(F(1)), rate)


def test_laws_without_contours_say_so() -> None:
    with pytest.raises(UncertifiedError, match="discretised"):
        WithoutReplacementLoss(GaussianLoss(F(1)), F(1, 2)).on_line(1.0, 0.1, 3)


# Brute force: all neighbouring inputs of small mechanisms.

Kernel = Callable[[int], Law]


def parity(keep: Fraction) -> Kernel:
    """Randomized response on the parity of the number of ones in the sample."""
    return lambda ones: (keep, 1 - keep) if ones % 2 else (1 - keep, keep)


def counted(weight: Fraction, most: int) -> Kernel:
    """A noisy count with weights weight^|y - ones| on 0..most."""

    def law(ones: int) -> Law:
        terms = [weight ** abs(y - ones) for y in range(most + 1)]
        return tuple(term / sum(terms) for term in terms)

    return law


def without(rows: Sequence[int], size: int, kernel: Kernel) -> Law:
    """Law of the kernel on a uniform subset."""
    laws = [kernel(sum(rows[i] for i in s)) for s in combinations(range(len(rows)), size)]
    return tuple(sum(column) / len(laws) for column in zip(*laws, strict=True))


def with_repeats(rows: Sequence[int], draws: int, kernel: Kernel) -> Law:
    """Law of the kernel on uniform draws."""
    laws = [kernel(sum(rows[i] for i in s)) for s in product(range(len(rows)), repeat=draws)]
    return tuple(sum(column) / len(laws) for column in zip(*laws, strict=True))


def worst(kernel: Kernel, size: int) -> Fraction:
    """The pure epsilon of one replaced row of a sample, rounded up."""
    ratio = max(
        a / b
        for ones in range(size)
        for x, y in ((ones, ones + 1), (ones + 1, ones))
        for a, b in zip(kernel(x), kernel(y), strict=True)
    )
    return F(log(ratio) * (1 + 1e-12))


def neighbours(rows: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs that differ in the first row; rows are exchangeable."""
    rest = [tuple(int(i < ones) for i in range(rows - 1)) for ones in range(rows)]
    return [pair for r in rest for pair in (((0, *r), (1, *r)), ((1, *r), (0, *r)))]


@pytest.mark.parametrize(("rows", "size"), [(3, 1), (4, 2), (5, 2), (5, 3)])
@pytest.mark.parametrize("kernel", [parity(F(4, 5)), counted(F(1, 3), 3)])
def test_no_pair_is_above_the_law_of_sampling_without_replacement(
    rows: int, size: int, kernel: Kernel
) -> None:
    base = ResponseLoss(worst(kernel, size))
    law = WithoutReplacementLoss(base, F(size, rows))
    for epsilon in EPSILONS:
        low, high = curve(law, epsilon)
        assert high - low < 2e-3
        for one, two in neighbours(rows):
            pair = without(one, size, kernel), without(two, size, kernel)
            assert hockey_stick(*pair, epsilon) <= high * (1 + 1e-12)


@pytest.mark.parametrize("rate", [F(1, 3), F(1, 2)])
def test_sampling_without_replacement_is_attained(rate: Fraction) -> None:
    """One row that differs among equal ones, under randomized response on the parity: for eps >= 0
    the mixture against the base, for eps < 0 the base against the mixture."""
    keep, size, rows = F(4, 5), rate.numerator, rate.denominator
    law = WithoutReplacementLoss(ResponseLoss(worst(parity(keep), size)), rate)
    zeros, one = (0,) * rows, (1,) + (0,) * (rows - 1)
    laws = [without(data, size, parity(keep)) for data in (zeros, one)]
    for epsilon in EPSILONS:
        low, _ = curve(law, epsilon)
        attained = max(hockey_stick(*laws, epsilon), hockey_stick(*laws[::-1], epsilon))
        assert low <= attained * (1 + 1e-9) + 1e-12
        assert attained < low + 2e-3


def test_the_reverse_halves_are_needed() -> None:
    """For eps < 0 the first pair alone is too small: it is no bound of that half."""
    base = ResponseLoss(F(2))
    low, _ = curve(WithoutReplacementLoss(base, F(1, 2)), F(-1, 2))
    _, alone = curve(MixtureLoss(base, F(1, 2)), F(-1, 2))
    assert alone < low


@pytest.mark.parametrize(("rows", "draws"), [(2, 2), (3, 2), (3, 3), (4, 3)])
@pytest.mark.parametrize("kernel", [parity(F(3, 4)), counted(F(1, 2), 3)])
def test_no_pair_is_above_the_law_of_sampling_with_replacement(
    rows: int, draws: int, kernel: Kernel
) -> None:
    each = worst(kernel, draws)
    law = with_replacement_loss(lambda k: ResponseLoss(k * each), draws, rows)
    for epsilon in EPSILONS:
        low, high = curve(law, epsilon)
        assert high - low < 5e-3
        for one, two in neighbours(rows):
            pair = with_repeats(one, draws, kernel), with_repeats(two, draws, kernel)
            assert hockey_stick(*pair, epsilon) <= high * (1 + 1e-12)


def test_with_replacement_is_the_sum_of_the_theorem() -> None:
    draws, rows, epsilon = 3, 4, 0.4
    law = with_replacement_loss(lambda k: GaussianLoss(F(k, 2)), draws, rows)
    some = 1 - (1 - 1 / rows) ** draws
    inner = log((exp(epsilon) - 1) / some + 1)
    terms = [(3, 1), (3, 2), (1, 3)]
    expected = sum(
        ways * rows**-k * (1 - 1 / rows) ** (draws - k)
        * (norm.cdf(k / 4 - 2 * inner / k) - exp(inner) * norm.cdf(-k / 4 - 2 * inner / k))
        for ways, k in terms
    )  # fmt: skip
    low, high = curve(law, F(epsilon))
    assert low <= expected <= high < expected * 1.001


def test_rare_numbers_of_copies_are_charged() -> None:
    law = with_replacement_loss(lambda k: GaussianLoss(F(k)), 400, 10**6)
    assert 0 < law.infinite[1] <= F(1, 10**60)
    assert discretised.delta([(law, 3)], F(2), width=1e-2).upper < F(1, 100)


def test_a_mixture_of_one_law_is_that_law() -> None:
    base = GaussianLoss(F(1))
    mixture = PublicMixture(((F(1, 4), base), (F(3, 4), base)))
    edges = np.linspace(-3, 3, 50)
    assert np.allclose(mixture.cells(edges).p, base.cells(edges).p, rtol=1e-14)
    assert mixture.log_moment(2.5) == pytest.approx(base.log_moment(2.5))
    for weights in ((F(1, 2), F(1, 4)), (F(3, 2), F(-1, 2))):
        with pytest.raises(ParameterError, match="probabilit"):
            PublicMixture(tuple((w, base) for w in weights))


# A replaced row under Poisson samples and Gaussian noise.


def replaced(ratio: Fraction, rate: Fraction) -> GaussianMixtureLoss:
    """Contributions in opposite directions."""
    there = ((1 - rate, F(0)), (rate, ratio))
    return GaussianMixtureLoss(there, there)


def replaced_profile(a: np.ndarray, b: np.ndarray, rate: float, epsilon: float) -> float:
    """Profile of (1 - q) N(0) + q N(a) against (1 - q) N(0) + q N(b) in the plane, on a grid."""
    axis = np.linspace(-7.5, 7.5, 251)
    x, y = np.meshgrid(axis, axis)
    centre, one, two = (
        np.exp(-((x - m[0]) ** 2 + (y - m[1]) ** 2) / 2) / (2 * np.pi) for m in ((0, 0), a, b)
    )
    p, q = (1 - rate) * centre + rate * one, (1 - rate) * centre + rate * two
    return float(np.maximum(p - exp(epsilon) * q, 0).sum() * (axis[1] - axis[0]) ** 2)


@pytest.mark.parametrize("rate", [F(1, 10), F(3, 5)])
@pytest.mark.parametrize("ratio", [F(1, 2), F(3, 2)])
def test_contributions_of_replaced_rows_are_worst_when_opposite(
    rate: Fraction, ratio: Fraction
) -> None:
    u, law = float(ratio), replaced(ratio, rate)
    turn = [(1.0, t) for t in (0.0, 1.2, 2.4, np.pi)] + [(0.5, 2.0), (0.0, 0.0)]
    for epsilon in (F(-1, 2), F(0), F(2, 3)):
        low, high = curve(law, epsilon)
        assert high - low < 1e-3
        first = np.array([u, 0.0])
        for radius, angle in turn:
            second = radius * u * np.array([np.cos(angle), np.sin(angle)])
            for a, b in ((first, second), (second, first)):
                found = replaced_profile(a, b, float(rate), float(epsilon))
                assert found <= high + 1e-4
        attained = replaced_profile(first, -first, float(rate), float(epsilon))
        assert low - 1e-4 <= attained < high + 1e-4


def test_replacing_costs_more_than_removing_and_less_than_both() -> None:
    base, rate = GaussianLoss(F(1)), F(1, 20)
    swapped = discretised.epsilon([(replaced(F(1), rate), 50)], F(1, 10**6))
    removed = discretised.epsilon([(MixtureLoss(base, rate), 50)], F(1, 10**6))
    twice = discretised.epsilon([(MixtureLoss(GaussianLoss(F(2)), rate), 50)], F(1, 10**6))
    assert removed.upper < swapped.lower and swapped.upper < twice.lower


def test_extreme_parameters_do_not_overflow() -> None:
    for ratio, rate in ((F(50), F(1, 10**6)), (F(1, 10**6), F(1, 2)), (F(1), F(1, 10**30))):
        cells = replaced(ratio, rate).cells(np.array([-60.0, -1e-9, 0.0, 1.0, 900.0]))
        assert np.isfinite(cells.p).all() and abs(cells.p.sum() - 1) < 1e-9
        assert (cells.p >= 0).all() and (cells.q >= 0).all()
