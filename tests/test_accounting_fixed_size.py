"""Gaussian noise on samples of fixed size: no data are above the law, and some are near it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, log

import numpy as np
import pytest
from depth import depth
from scipy.special import ndtr

from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses.by_cells import SymmetricLoss
from metricdp.accounting.losses.fixed_size_gaussian import FixedSizeHalfLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.loss import Loss
from metricdp.accounting.losses.sampled_density import SampledDensityLoss
from metricdp.accounting.losses.with_replacement import with_replacement_loss
from metricdp.errors import ParameterError
from metricdp.measures import (
    Gaussian,
    Group,
    Laplace,
    WithoutReplacement,
    WithReplacement,
    account,
)
from metricdp.measures.accounted import Case, RelationError
from metricdp.measures.sampled_losses import power_down

F = Fraction
LEVELS = [0.2, 0.6, 0.9, 1.0, 1.1, 1.5, 3.0, 10.0]
EDGES = np.concatenate(([-np.inf], np.linspace(-14, 14, 1501), [np.inf]))


def binomial(draws: int, hit: Fraction) -> tuple[Fraction, ...]:
    return tuple(comb(draws, j) * hit**j * (1 - hit) ** (draws - j) for j in range(draws + 1))


def bracket(loss: Loss, x: float) -> tuple[float, float]:
    found = discretised.delta([(loss, 1)], F(log(x)), width=1e-4)
    return float(found.lower), float(found.upper)


def ends(event: object, units: int = 1) -> tuple[Loss, Loss]:
    pieces = event.pieces(Case("replace", True, units))  # type: ignore[attr-defined]
    return pieces.lower[0][0], pieces.upper[0][0]


def law(samples: Iterable[Sequence[float]], noise: float) -> np.ndarray:
    """Cells of the noisy sum of one of these samples, each as likely."""
    sums: dict[float, int] = {}
    for sample in samples:
        at = round(sum(sample), 9)
        sums[at] = sums.get(at, 0) + 1
    total = sum(sums.values())
    tails = sum(n * ndtr((at - EDGES) / noise) for at, n in sums.items())
    return np.asarray(-np.diff(tails) / total)


def hockey_stick(p: np.ndarray, q: np.ndarray, x: float) -> float:
    return float(np.maximum(p - x * q, 0).sum())


def drawn(rows: Sequence[float], draws: int) -> Iterable[Sequence[float]]:
    return product(rows, repeat=draws)


@pytest.mark.parametrize(("rows", "draws", "units"), [(3, 2, 1), (2, 4, 1), (4, 3, 2), (5, 1, 3)])
def test_no_data_are_above_the_law_of_draws(rows: int, draws: int, units: int) -> None:
    noise = 1.5
    lower, upper = ends(WithReplacement(draws, rows, Gaussian(noise)), units)
    check(drawn, rows, draws, units, noise, lower, upper)


@pytest.mark.parametrize(("rows", "size", "units"), [(5, 2, 2), (6, 3, 3), (7, 2, 2)])
def test_no_data_are_above_the_law_of_sets(rows: int, size: int, units: int) -> None:
    noise = 1.0
    lower, upper = ends(WithoutReplacement(size, rows, Gaussian(noise)), units)
    check(combinations, rows, size, units, noise, lower, upper)


def check(
    sampler: object, rows: int, size: int, units: int, noise: float, lower: Loss, upper: Loss
) -> None:
    """All kinds of data; the first ones attain the lower end."""
    high = {x: bracket(upper, x)[1] for x in LEVELS}
    attained = {x: bracket(lower, x) for x in LEVELS}
    generator = np.random.default_rng(rows * 100 + size)
    # The first trial attains the law; the others look above it.
    for trial in range(depth(16, 40)):
        values = generator.choice([-1.0, -0.5, 0.0, 1.0], size=rows + units)
        if trial % 2:
            values = generator.choice([-1.0, 1.0], size=rows + units)
        if not trial:
            values = np.array([1.0] * units + [-1.0] * rows)
        same = list(values[2 * units :])
        p, q = (
            law(sampler([*changed, *same], size), noise)  # type: ignore[operator]
            for changed in (values[:units], values[units : 2 * units])
        )
        for x in LEVELS:
            assert hockey_stick(p, q, x) <= high[x] + 1e-12
            assert hockey_stick(q, p, x) <= high[x] + 1e-12
            if not trial:
                assert hockey_stick(p, q, x) >= attained[x][0] - 1e-3
                assert hockey_stick(p, q, x) <= attained[x][1] + 1e-9


@pytest.mark.parametrize("ratio", [F(1, 2), F(2)])
@pytest.mark.parametrize("hit", [F(1, 100), F(1, 3)])
def test_the_law_has_the_profile_of_the_bound(ratio: Fraction, hit: Fraction) -> None:
    """B(x) with both suprema on fine grids."""
    weights, d = binomial(4, hit), float(ratio)
    loss = SymmetricLoss(FixedSizeHalfLoss(ratio, weights))
    places, steps = np.linspace(-9, 1, 601)[:, None], np.linspace(0, 1, 801)
    for x in (1.0, 1.2, 2.0, 6.0):
        total = float(weights[0]) * (1 - x) * ndtr(places[:, 0])
        for j in range(1, 5):
            moved = places + d * j * steps
            inner = ndtr(moved) - x * ndtr(moved - d * j)
            total = total + float(weights[j]) * inner.max(axis=1)
        low, high = bracket(loss, x)
        assert low <= total.max() * (1 + 1e-3) and total.max() <= high
        assert high <= low * 1.005


def test_one_copy_is_a_sample_without_replacement() -> None:
    rate = F(1, 20)
    one = SymmetricLoss(FixedSizeHalfLoss(F(3, 2), (1 - rate, rate)))
    two = SampledDensityLoss(GaussianLoss(F(3, 2)), rate, "replaced")
    edges = np.linspace(-3, 3, 301)
    for masses in ("p", "q"):
        here, there = (getattr(loss.cells(edges), masses) for loss in (one, two))
        assert np.allclose(here, there, rtol=1e-9, atol=1e-15)


def test_the_law_is_below_that_of_published_copies() -> None:
    """Balle, Barthe, Gaboardi 2018, Theorem 10, tells how many copies there are."""
    known = with_replacement_loss(lambda k: GaussianLoss(F(2 * k)), 100, 10_000)
    laws = ends(WithReplacement(100, 10_000, Gaussian(1)))
    for rounds in (1, 50):
        lower, upper, before = (
            discretised.epsilon([(law, rounds)], F(1, 10**5), width=1e-2) for law in (*laws, known)
        )
        assert lower.lower <= upper.upper < F(7, 10) * before.lower
        assert upper.upper - lower.lower < F(1, 4)


def test_zeroed_rows_and_noise_with_smaller_movements() -> None:
    def found(noise: Gaussian, kind: str) -> tuple[float, float]:
        pieces = WithReplacement(20, 100, noise).pieces(Case(kind))  # type: ignore[arg-type]
        low, high = pieces.lower, pieces.upper
        assert low and high
        return bracket(low[0][0], 1.5)[0], bracket(high[0][0], 1.5)[1]

    whole, zero = found(Gaussian(4), "replace"), found(Gaussian(4), "zero out")
    small = found(Gaussian(4, replaced=1), "replace")
    assert small[1] < whole[0] and zero[0] < whole[0] <= zero[1]
    assert zero[0] == pytest.approx(small[0], rel=1e-3)


def test_more_rows_cost_more() -> None:
    for event in (WithReplacement(10, 100, Gaussian(2)), WithoutReplacement(10, 100, Gaussian(2))):
        one, three = (ends(event, k) for k in (1, 3))
        # The law of one row in place of three is seen at each of them.
        for x in depth((1.1, 3.0), LEVELS[3:]):
            for few, many in zip(one, three, strict=True):
                assert bracket(few, x)[1] < bracket(many, x)[0]


def test_what_has_no_theorem_is_refused() -> None:
    for event in (WithReplacement(10, 100, Laplace(2)), WithoutReplacement(10, 100, Laplace(2))):
        with pytest.raises(RelationError, match="in every number"):
            account(Group(event, 2), "replace")
    with pytest.raises(RelationError, match="do not fill"):
        account(Group(WithoutReplacement(9, 10, Gaussian(2)), 2), "replace")
    with pytest.raises(RelationError, match="every row"):
        account(Group(WithReplacement(9, 10, Gaussian(2)), 10), "replace")


def test_parameters() -> None:
    for bad in ((F(1),), (F(1, 2), F(3, 4)), (F(3, 2), F(-1, 2))):
        with pytest.raises(ParameterError, match="no probabilities"):
            FixedSizeHalfLoss(F(1), bad)
    with pytest.raises(ParameterError, match="ratio"):
        FixedSizeHalfLoss(F(0), (F(1, 2), F(1, 2)))
    for x, power in ((F(1, 3), 7), (F(9999, 10_000), 60_000), (F(1, 2), 0)):
        found = power_down(x, power)
        assert found <= x**power
        assert found >= x**power * (1 - F(1, 10**60))
