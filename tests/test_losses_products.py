"""Several mechanisms on the same data: laws above and below their product, and samples of it."""

from __future__ import annotations

import random
from fractions import Fraction
from math import exp, log
from typing import Any

import numpy as np
import pytest
from depth import depth

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses import product
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.product import ProductAtomsLoss, ProductLoss
from metricdp.accounting.losses.sampled_cells import MixtureLoss
from metricdp.errors import ParameterError
from metricdp.measures import (
    Composed,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    Repeated,
    WithoutReplacement,
    account,
)
from metricdp.measures.sampled_losses import merged, poisson

F = Fraction
EPSILONS = [F(-1), F(0), F(1, 2), F(2)]
SKEW = FiniteLoss(((F(1, 2), F(1, 8)), (F(3, 8), F(1, 4)), (F(1, 8), F(5, 8))))
LEAKY = FiniteLoss(((F(1, 4), F(0)), (F(1, 2), F(1, 4)), (F(1, 4), F(1, 4)), (F(0), F(1, 2))))
FACTORS: list[Any] = [
    ((GaussianLoss(F(1)), 1), (LaplaceLoss(F(1, 2)), 1)),
    ((LaplaceLoss(F(1, 3)), 2), (LaplaceLoss(F(3, 4)), 1)),
    ((GaussianLoss(F(1, 3)), 1), (SKEW, 1)),
    ((GaussianLoss(F(2)), 1), (LEAKY, 1), (BoundedRangeLoss(F(1)), 1)),
]


def reversed_of(factors: Any) -> Any:
    return tuple((loss.reversed(), copies) for loss, copies in factors)


def curve(loss: Any, e: Fraction, rounds: int = 1) -> tuple[float, float]:
    found = discretised.delta([(loss, rounds)], e, width=1e-4)
    return float(found.lower), float(found.upper)


@pytest.mark.parametrize("factors", FACTORS)
@pytest.mark.parametrize("flipped", [False, True])
def test_lattice_laws_enclose_the_composition(factors: Any, flipped: bool) -> None:
    """In both orders of the pair, against the other engine."""
    above, below = (ProductLoss(factors, side, flipped) for side in (True, False))
    for e in EPSILONS:
        true = contour.delta(reversed_of(factors) if flipped else factors, e)
        high, low = curve(above, e)[1], curve(below, e)[0]
        assert low <= float(true.upper) and float(true.lower) <= high
        assert high - low < 2e-3


@pytest.mark.parametrize("factors", FACTORS)
@pytest.mark.parametrize("upper", [False, True])
def test_lattice_laws_are_pairs_of_probability_laws(factors: Any, upper: bool) -> None:
    law = ProductLoss(factors, upper)
    cells = law.cells(np.array([0.0]))
    assert cells.p.sum() + float(law.infinite[0]) == pytest.approx(1, abs=1e-11)
    back = law.reversed()
    assert cells.q.sum() + float(back.infinite[0]) == pytest.approx(1, abs=1e-11)
    assert back.reversed() == law and law.largest is not None


@pytest.mark.parametrize("factors", FACTORS)
@pytest.mark.parametrize("forward", [False, True])
def test_one_sampled_round_is_amplification(factors: Any, forward: bool) -> None:
    """delta'(ln(1 + q (e^x - 1))) is q delta(x) removed, and (1 - e^eps (1 - q)) delta_rev(-x)."""
    rate, q = F(1, 5), 0.2
    laws = [poisson(ProductLoss(factors, side), rate, forward) for side in (False, True)]
    for x in (F(1, 2), F(2)) if forward else (F(-1), F(-1, 4)):
        grown = log(1 + q * (exp(float(x)) - 1))
        e = grown if forward else -grown
        base = contour.delta(factors, x) if forward else contour.delta(reversed_of(factors), -x)
        share = q if forward else 1 - exp(e) * (1 - q)
        true = share * float(base.upper)
        low, high = curve(laws[0], F(e))[0], curve(laws[1], F(e))[1]
        assert low <= true * (1 + 1e-9) and true <= high * (1 + 1e-9)
        assert high - low < 1e-3


def test_small_deltas_of_added_rows_keep_their_accuracy() -> None:
    """The lattice law of the other order would leave much that no epsilon takes away."""
    rate, e = 1 - F(1, 10**9), F(7)
    below, above = (poisson(ProductLoss(FACTORS[0], x), rate, False) for x in (False, True))
    low, high = (discretised.delta([(law, 1)], e, width=1e-4) for law in (below, above))
    true = contour.delta(FACTORS[0], e)
    assert low.lower <= true.upper < F(1, 10**9) and true.lower * F(99, 100) < high.upper
    assert high.upper < low.lower * F(101, 100)
    other = MixtureLoss(ProductLoss(FACTORS[0], True), rate).reversed()
    assert discretised.delta([(other, 1)], e, width=1e-4).upper > 2 * high.upper


def split(losses: np.ndarray, masses: np.ndarray, step: float, size: int) -> np.ndarray:
    """Masses on a lattice modulo its size, each shared by its two neighbours."""
    k = np.floor(losses / step)
    share, place = losses / step - k, k.astype(int)
    found = np.zeros(size)
    np.add.at(found, place % size, masses * (1 - share))
    np.add.at(found, (place + 1) % size, masses * share)
    return found


@pytest.mark.parametrize("relation", ["remove", "add"])
def test_many_rounds_against_a_plain_convolution(relation: str) -> None:
    """200 rounds of Gaussian and Laplace noise on one sample, on a fine grid in two dimensions."""
    rate, u, m, rounds, e = 0.05, 0.5, 1.0, 200, 1.0
    x = np.linspace(-8, 8, 801)
    weights = np.exp(-x * x / 2)
    t, w = np.polynomial.legendre.leggauss(60)
    other = np.concatenate((m * t, [m, -m]))
    masses = np.concatenate((m * w * np.exp(-(m * t + m) / 2) / 4, [exp(-m) / 2, 0.5]))
    base = (u * x[:, None] - u * u / 2 + other[None, :]).ravel()
    q = (weights[:, None] / weights.sum() * masses[None, :]).ravel()
    loss = np.log1p(rate * np.expm1(base))
    step, size = 1e-4, 1 << 18
    one = (
        split(-loss, q, step, size)
        if relation == "add"
        else split(loss, q * np.exp(loss), step, size)
    )
    total = np.fft.irfft(np.fft.rfft(one) ** rounds, size)
    places = np.arange(size)
    places[places > size // 2] -= size
    gains = np.where(places * step > e, -np.expm1(np.minimum(e - places * step, 0.0)), 0.0)
    event = Repeated(Poisson("0.05", Composed([Gaussian(2), Laplace(1)])), rounds)
    found = account(event, relation).delta(1)
    # Sharing adds rounds step^2 / 6 at most to the variance: a few 1e-6 of delta.
    true = float((total * gains).sum())
    assert float(found.lower) <= true * (1 + 1e-4) and true * (1 - 1e-4) <= float(found.upper)
    assert float(found.upper) < 1.01 * float(found.lower)


def test_products_of_finite_laws_are_exact() -> None:
    parts = ((SKEW, 2), (LEAKY, 1))
    outcomes = [(F(1), F(1))]
    for loss, copies in parts:
        for _ in range(copies):
            outcomes = [(p * a, q * b) for p, q in outcomes for a, b in loss.outcomes]
    whole = FiniteLoss(tuple((p, q) for p, q in outcomes if p or q))
    law = ProductAtomsLoss(parts)
    assert law.infinite == whole.infinite and law.reversed().infinite == whole.reversed().infinite
    for forward in (False, True):
        one, other = (poisson(x, F(1, 3), forward) for x in (law, whole))
        for e in (F(-1, 5), F(0), F(2, 3), F(3, 2)):
            x, y = contour.delta([(one, 2)], e), contour.delta([(other, 2)], e)
            assert x.lower <= y.upper and y.lower <= x.upper
            assert x.width <= F(1, 10**12)


@pytest.mark.parametrize("seed", range(depth(6, 12)))
def test_engines_agree_on_random_products_of_atoms(seed: int) -> None:
    rng = random.Random(seed)
    parts = tuple(
        (rng.choice((
            ResponseLoss(F(rng.randint(1, 20), 10), rng.choice((2, 3))),
            DiscreteLaplaceLoss(F(rng.randint(5, 40), 10), rng.choice((1, 2))),
            LEAKY,
        )), rng.choice((1, 2)))
        for _ in range(2)
    )  # fmt: skip
    ((law, _),) = merged(parts, upper=True)
    assert isinstance(law, ProductAtomsLoss)
    sampled = poisson(law, F(rng.randint(1, 99), 100), rng.random() < 0.5)
    for e in (F(1, 10), F(1)):
        first = contour.delta([(sampled, 2)], e)
        second = discretised.delta([(sampled, 2)], e, width=1e-3)
        assert first.lower <= second.upper and second.lower <= first.upper


def test_accounts_of_several_mechanisms_on_one_sample() -> None:
    """More than any of them alone, less than all of them on all the data."""
    events = [Gaussian(2), Laplace(3), Pure("0.2")]
    for relation in ("remove", "add"):
        together = account(Repeated(Poisson("0.1", Composed(events)), 30), relation).epsilon(1e-5)
        for event in events:
            alone = account(Repeated(Poisson("0.1", event), 30), relation).epsilon(1e-5)
            assert alone.lower <= together.upper
        everything = account(Repeated(Composed(events), 30), relation).epsilon(1e-5)
        assert 0 < together.lower <= together.upper < everything.upper
        assert together.upper - together.lower < 0.01 * together.upper


def test_samples_of_fixed_size_of_several_mechanisms() -> None:
    inner = Composed([Gaussian(4), Laplace(8)])
    found = account(Repeated(WithoutReplacement(100, 1000, inner), 20), "replace").epsilon(1e-4)
    for event in (Gaussian(4), Laplace(8)):
        alone = account(Repeated(WithoutReplacement(100, 1000, event), 20), "replace").epsilon(1e-4)
        assert alone.lower <= found.upper
    assert (
        0 < found.lower <= found.upper < account(Repeated(inner, 20), "replace").epsilon(1e-4).lower
    )


def test_the_lattice_is_fine_enough_to_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coarse lattice is wider and still on either side."""
    factors = FACTORS[0]
    fine = [curve(ProductLoss(factors, side), F(1))[side] for side in (False, True)]
    monkeypatch.setattr(product, "_POINTS", 400)
    product._pair.cache_clear()
    coarse = [curve(ProductLoss(factors, side), F(1))[side] for side in (False, True)]
    product._pair.cache_clear()
    assert coarse[0] < fine[0] <= fine[1] < coarse[1]


def test_too_many_mechanisms_are_refused() -> None:
    with pytest.raises(ParameterError, match="one sample"):
        account(Poisson("0.1", Repeated(Laplace(1), 65)), "remove").epsilon(1e-5)
    with pytest.raises(ParameterError, match="factor"):
        ProductAtomsLoss(())
