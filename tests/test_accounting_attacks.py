"""Descriptions that were once charged too little, or not at all, and what they really cost."""

from __future__ import annotations

from fractions import Fraction
from math import comb, erfc, exp, sqrt

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.renyi import ComposedCurve, LaplaceCurve
from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.measures import sampled_losses
from metricdp.measures.accountant import certified
from metricdp.measures.accounted import AccountedEvent, AccountedStep, Case, RelationError
from metricdp.measures.additive import DiscreteLaplace, Gaussian, Laplace
from metricdp.measures.combined import Composed, Repeated
from metricdp.measures.finite import Finite
from metricdp.measures.guarantee import account
from metricdp.measures.private import ExponentialMechanism, Pure
from metricdp.measures.sampled import Poisson, WithoutReplacement, WithReplacement
from metricdp.measures.sampling import PoissonSampling as PoissonScheme

pytest.importorskip("flint")


def _above(x: float) -> float:
    return erfc(x / sqrt(2)) / 2


def test_draws_from_a_sample_are_not_charged_as_one_draw() -> None:
    """30 draws with replacement from 5 of 10 rows: a row of the 5 is drawn about 6 times.

    The attack takes the half-line above 25: its probability on both data sets is summed over the
    number of draws of the row, which moves the sum by that number, up or down.
    """
    inner = WithReplacement(30, 5, Gaussian(10))
    guarantee = account(WithoutReplacement(5, 10, Composed([inner])), "replace")
    found = guarantee.epsilon("1e-5")
    chances = [comb(30, k) * 0.2**k * 0.8 ** (30 - k) for k in range(31)]
    up, down = (
        0.5 * _above(2.5) + 0.5 * sum(c * _above(2.5 - s * k / 10) for k, c in enumerate(chances))
        for s in (1, -1)
    )
    assert up - exp(0.7515) * down > 1e-3  # what was answered: epsilon <= 0.7515
    assert up - exp(found.upper) * down <= 1e-5
    with pytest.raises(ParameterError):
        guarantee.rdp("1e-5")


def test_a_sample_of_a_sample_has_a_curve() -> None:
    twice = account(Poisson("0.5", Poisson("0.2", Gaussian(1))), "add or remove")
    once = account(Poisson("0.1", Gaussian(1)), "add or remove")
    assert twice.rdp("1e-5").upper == once.rdp("1e-5").upper


@pytest.mark.parametrize(
    "sample", [lambda e: WithoutReplacement(1, 2, e), lambda e: WithReplacement(1, 2, e)]
)
def test_samples_of_fixed_size_read_pairs_in_both_directions(sample) -> None:  # type: ignore[no-untyped-def]
    """(1, 0) against (1/2, 1/2) at rate 1/2: the order that was not looked at costs ln 2."""
    with pytest.raises(RelationError, match="worse in one direction"):
        account(sample(Finite(["1", "0"], ["1/2", "1/2"], "replace")), "replace")
    with pytest.raises(RelationError, match="worse in one direction"):
        # In two rounds the row may come first once and second once.
        account(Repeated(Finite(["1", "0"], ["1/2", "1/2"], "replace"), 2), "replace")
    both = Finite(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "replace")
    found = account(sample(both), "replace").epsilon("1e-9")
    assert found.lower <= found.upper
    assert exp(found.upper) >= 2 - 1e-6  # (1/3, 1/3, 1/3) against (1/6, 1/3, 1/2): 1/3 by 1/6


def test_samples_of_finite_pairs_are_finite_pairs() -> None:
    """Answered at every delta: the largest ratio is (1/2 3/8 + 1/2 5/8) by 3/8."""
    event = Poisson("1/2", Finite(["5/8", "3/8"], ["3/8", "5/8"], "add or remove"))
    found = account(event, "remove").epsilon("1e-300")
    assert abs(exp(found.upper) - 4 / 3) < 1e-9 and found.lower <= found.upper


def test_finite_pairs_with_one_law_of_losses_are_recognised() -> None:
    def parts(*outcomes: tuple[int, int]):  # type: ignore[no-untyped-def]
        from metricdp.accounting.losses.atomic import FiniteLoss

        total = sum(p for p, _ in outcomes)
        return ((FiniteLoss(tuple((Fraction(p, total), Fraction(q, total)) for p, q in outcomes)),
                 1),)  # fmt: skip

    split = parts((1, 3), (1, 3), (6, 2), (0, 0))
    assert sampled_losses.same_law(split, parts((6, 2), (2, 6)))
    assert not sampled_losses.same_law(parts((1, 3), (3, 1)), parts((1, 2), (3, 2)))
    assert not sampled_losses.same_law(parts((0, 2), (4, 2)), parts((2, 0), (2, 4)))


def test_two_kinds_of_noise_on_one_sample_have_an_answer() -> None:
    both = ComposedCurve(((LaplaceCurve(Fraction(1)), 1), (LaplaceCurve(Fraction(1, 2)), 1)))
    scheme = PoissonScheme(num(Fraction(1, 10)))
    step = AccountedStep(both, 10, scheme=scheme, adjacency="add or remove")
    assert certified([step], Fraction(1, 10**5)).epsilon < 4


def test_noise_on_a_grid_is_not_charged_as_continuous_noise() -> None:
    """TV of discrete Laplace noise of step s that moves by s is tanh(s/2) > 1 - e^(-s/2)."""
    step = Fraction(1, 1 << 40)
    ((law, _),) = LaplaceCurve(step, step).losses() or ()
    assert isinstance(law, LaplaceLoss)
    with mpmath.workdps(80):
        x, charged = mpmath.mpf(2) ** -41, mpmath.mpf(law.ratio.numerator) / law.ratio.denominator
        assert -mpmath.expm1(-x) < mpmath.tanh(x) <= -mpmath.expm1(-charged / 2)
        assert charged < 2 * x * (1 + x)


@pytest.mark.parametrize("event", [Laplace("1e-3"), ExponentialMechanism(1000)])
def test_cells_of_large_losses_do_not_overflow(event: AccountedEvent) -> None:
    """Their masses were NaN, which counted for nothing: delta <= 7e-279 was answered, not 1."""
    ((law, _),) = event.pieces(Case("add or remove")).upper or ()
    edges = np.array([-1200.0, -1e-9, 1e-9, 900.0, 1200.0])
    with np.errstate(all="raise", under="ignore"):
        cells = law.cells(edges)
    assert abs(cells.p.sum() - 1) < 1e-9 and abs(cells.q.sum() - 1) < 1e-9
    assert float(account(event, "add or remove").delta(0)) > 0.999
    assert abs(float(account(event, "add or remove").epsilon("1e-6")) - 1000) < 0.01


def test_mechanisms_that_release_everything_twice() -> None:
    event = Repeated(Finite([1, 0], [0, 1], "replace"), 2)
    found = account(event, "replace").delta(1)
    assert found.lower == found.upper == 1


def test_atoms_of_very_different_sizes_do_not_take_all_memory() -> None:
    """The gap of the losses near 1e-9 was made the step of a lattice: 34 GB were asked for."""
    leaks = Finite(["1000/2001", "1/2001", "1000/2001"], ["2/5", "3/5", 0], "add or remove")
    rare = Poisson("1e-9", Finite(["1/2", "1/2"], ["2/9", "7/9"], "add or remove"))
    found = account([leaks, rare], "add or remove").delta("0.1")
    # Of the other direction of the first alone: 3/5 - e^0.1 / 2001.
    assert abs(found.upper - (Fraction(3, 5) - Fraction(exp(0.1)) / 2001)) < 1e-8


@pytest.mark.parametrize(
    ("event", "answer"),
    [(Pure(1000), 1000), (DiscreteLaplace("1e-3"), 1000), (Laplace("1e-7"), 10**7),
     (Gaussian("0.001"), 504752.43)],
)  # fmt: skip
def test_mechanisms_that_hardly_protect_are_answered(event: AccountedEvent, answer: float) -> None:
    """The engines disagreed, or told users to ask an engine that they cannot ask."""
    found = account(event, "add or remove").epsilon("1e-6")
    assert found.lower <= found.upper and abs(float(found.upper) - answer) < 0.01
