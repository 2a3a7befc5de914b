"""Poisson samples when a row is replaced, or several rows differ: no data are above the laws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, exp, log

import numpy as np
import pytest
from depth import depth
from scipy.stats import norm

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses.atomic import ResponseLoss
from metricdp.accounting.losses.laplace_mixtures import IdleResponseLoss
from metricdp.accounting.losses.loss import Loss
from metricdp.accounting.losses.mixtures import Mixture
from metricdp.measures import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Group,
    Laplace,
    Poisson,
    Pure,
    Repeated,
    account,
)
from metricdp.measures.accounted import Case, RelationError

F = Fraction
STILL: Mixture = ((F(1), F(0)),)
LEVELS = [0.3, 0.8, 1.0, 1.05, 1.3, 2.0, 4.0]


def binomial(rows: int, rate: Fraction, each: Fraction) -> Mixture:
    """(probability of j rows, j movements)."""
    return tuple(
        (comb(rows, j) * rate**j * (1 - rate) ** (rows - j), j * each) for j in range(rows + 1)
    )


def above(loss: Loss, x: float) -> float:
    """An upper bound of the profile at ln x."""
    return float(discretised.delta([(loss, 1)], F(log(x)), width=1e-5).upper)


def only(event: object, kind: str, units: int, *, upper: bool = True, forward: bool = True) -> Loss:
    pieces = event.pieces(Case(kind, forward, units))  # type: ignore[attr-defined]
    ((loss, count),) = pieces.upper if upper else pieces.lower
    assert count == 1
    found: Loss = loss
    return found


# Any mechanism with a pure epsilon: random laws of the data with every set of rows.


def close(laws: dict[tuple[int, ...], np.ndarray], epsilon: float) -> bool:
    """Whether data that differ in one contribution are within epsilon."""
    pairs = [(s, t) for s, t in product(laws, repeat=2) if sum(s) + 1 == sum(t)
             and all(a <= b for a, b in zip(s, t, strict=True))]  # fmt: skip
    return all(np.abs(np.log(laws[s] / laws[t])).max() <= epsilon * (1 + 1e-12) for s, t in pairs)


def sampled(laws: dict[tuple[int, ...], np.ndarray], rate: float) -> np.ndarray:
    found = np.zeros(len(next(iter(laws.values()))))
    for s, law in laws.items():
        found += rate ** sum(s) * (1 - rate) ** (len(s) - sum(s)) * law
    return found


def hockey_stick(p: np.ndarray, q: np.ndarray, x: float) -> float:
    return float(np.maximum(p - x * q, 0).sum())


def random_laws(
    generator: np.random.Generator, rows: int, epsilon: float, empty: np.ndarray
) -> dict[tuple[int, ...], np.ndarray]:
    """Tilts of the empty data's law by the rows of the set, most of them as far as they may."""
    while True:
        sharp = generator.choice([1.0, generator.uniform(0.3, 1)])
        signs = generator.choice([-1.0, 1.0], size=(rows, len(empty))) * epsilon * sharp
        if generator.random() < 0.5:
            signs[1:] = signs[0]
        laws = {}
        for s in product((0, 1), repeat=rows):
            law = empty * np.exp(np.array(s) @ signs)
            laws[s] = law / law.sum()
        if close(laws, epsilon):
            return laws
        signs = generator.uniform(-epsilon / 2, epsilon / 2, size=(rows, len(empty)))
        for s in laws:
            law = empty * np.exp(np.array(s) @ signs)
            laws[s] = law / law.sum()
        return laws


@pytest.mark.parametrize("rows", [1, 2])
def test_no_mechanism_with_a_pure_epsilon_is_above_the_law(rows: int) -> None:
    rate, epsilon = F(1, 4), F(1)
    event = Poisson(rate, Pure(epsilon))
    levels = {x: above(only(event, "replace", rows), x) for x in LEVELS}
    gone = {
        (x, way): above(only(Poisson(rate, Pure(epsilon)), "add or remove", rows, forward=way), x)
        for x in LEVELS for way in (True, False)
    } if rows > 1 else {}  # fmt: skip
    generator = np.random.default_rng(3)
    best = dict.fromkeys(LEVELS, 0.0)
    a = exp(1.0)
    worst = np.array([1 / (1 + a), (a - 1) / (a + 1), 1 / (1 + a)])
    for trial in range(depth(100, 300)):
        empty = worst if trial % 2 else generator.dirichlet(np.ones(4))
        one = random_laws(generator, rows, 1.0, empty)
        two = random_laws(generator, rows, 1.0, empty)
        if trial < 2:
            # Discrete Laplace noise at +j and -j, in outcomes below 0, 0 and above.
            def moved(j: int) -> np.ndarray:
                masses = [1 / a ** abs(n - j) * (a - 1) / (a + 1) for n in range(-60, 61)]
                cut = [sum(masses[: 60 - rows + 1]), *masses[60 - rows + 1 : 60 + rows],
                       sum(masses[60 + rows :])]  # fmt: skip
                return np.array(cut)

            one = {s: moved(sum(s)) for s in product((0, 1), repeat=rows)}
            two = {s: moved(-sum(s)) for s in product((0, 1), repeat=rows)}
            empty = moved(0)
        p, q = sampled(one, 0.25), sampled(two, 0.25)
        for x in LEVELS:
            found = hockey_stick(p, q, x)
            assert found <= levels[x] * (1 + 1e-9) + 1e-12
            best[x] = max(best[x], found)
            if gone:
                assert hockey_stick(p, empty, x) <= gone[x, True] * (1 + 1e-9) + 1e-12
                assert hockey_stick(empty, p, x) <= gone[x, False] * (1 + 1e-9) + 1e-12
    for x in LEVELS:
        # Attained by that noise.
        assert best[x] >= levels[x] - 3e-5


def test_a_replaced_row_of_a_pure_event_costs_less_than_both_directions_together() -> None:
    rate, e = F(1, 50), F(1)
    q, a = float(rate), exp(1)
    odds = log((1 - q + q * a) / (1 - q + q / a))
    law = only(Poisson(rate, Pure(e)), "replace", 1)
    low = only(Poisson(rate, Pure(e)), "replace", 1, upper=False)
    assert isinstance(law, IdleResponseLoss) and isinstance(low, IdleResponseLoss)
    assert low.epsilon <= law.epsilon and low.active <= law.active
    assert float(law.epsilon) == pytest.approx(odds, rel=1e-13)
    both = account(Repeated(Poisson(rate, Pure(e)), 200), "replace").epsilon(1e-5)
    assert both.upper - both.lower < F(1, 10**8)
    loose = contour.epsilon([(ResponseLoss(law.epsilon), 200)], F(1, 10**5))
    assert both.upper < F(9, 10) * loose.lower


# Noise on a line.


def tails(noise: str) -> Callable[[np.ndarray], np.ndarray]:
    """P(noise > t)."""
    if noise == "gaussian":
        return lambda t: norm.sf(t)
    return lambda t: np.where(t > 0, np.exp(-np.abs(t)) / 2, 1 - np.exp(-np.abs(t)) / 2)


def cells(noise: str, places: Sequence[float]) -> np.ndarray:
    """Masses of a box of cells under noise at a place of the plane: a post-processing of it."""
    edges = np.concatenate(([-np.inf], np.linspace(-6, 7, 160), [np.inf]))
    one, two = (-np.diff(tails(noise)(edges - at)) for at in places)
    return np.asarray(np.outer(one, two))


def test_groups_of_gaussian_rows_against_another_accountant() -> None:
    """dp-accounting 0.6, from_mixture_gaussian_mechanism, interval 1e-4: upper bounds."""
    for rows, rate, noise, rounds, peer in (
        (3, "0.02", 1, 200, 6.29655763660306), (4, "0.01", 1, 1000, 8.89919032147461),
        (2, "0.1", 2, 50, 3.6182562644766736), (8, "0.05", 4, 100, 4.69992952634561),
    ):  # fmt: skip
        event = Repeated(Poisson(rate, Gaussian(noise)), rounds)
        found = account(Group(event, rows), "add or remove").epsilon(1e-5)
        assert found.engines == ("contour", "discretised")
        assert peer - 1e-5 < found.lower <= found.upper <= peer


def test_no_direction_of_gaussian_rows_is_above_the_line() -> None:
    """Contributions of two rows in the plane, in the ball of radius 1."""

    def law(places: Sequence[np.ndarray], rate: float) -> np.ndarray:
        found = np.zeros(1)
        for s in product((0, 1), repeat=len(places)):
            at = sum((k * place for k, place in zip(s, places, strict=True)), np.zeros(2))
            share = rate ** sum(s) * (1 - rate) ** (len(s) - sum(s))
            found = found + share * cells("gaussian", at)
        return found

    generator = np.random.default_rng(5)
    event = Poisson("0.3", Gaussian(1))
    apart = {x: above(only(event, "replace", 2), x) for x in LEVELS}
    gone = {x: above(only(event, "add or remove", 2), x) for x in LEVELS}
    half = Poisson("0.3", Gaussian(1, replaced="1.5"))
    near = {x: above(only(half, "replace", 1), x) for x in LEVELS}
    for trial in range(depth(6, 12)):
        angles = generator.uniform(0, 2 * np.pi, 4) if trial else np.array([0, 0, np.pi, np.pi])
        radii = np.sqrt(generator.uniform(0.3, 1, 4)) if trial else np.ones(4)
        points = [r * np.array([np.cos(t), np.sin(t)]) for r, t in zip(radii, angles, strict=True)]
        p, q, empty = law(points[:2], 0.3), law(points[2:], 0.3), law([], 0.3)
        one, two = law(points[:1], 0.3), law(points[2:3], 0.3)
        for x in LEVELS:
            assert hockey_stick(p, q, x) <= apart[x] + 1e-12
            assert hockey_stick(p, empty, x) <= gone[x] + 1e-12
            if np.linalg.norm(points[0] - points[2]) <= 1.5:
                assert hockey_stick(one, two, x) <= near[x] + 1e-12
            if not trial:
                assert hockey_stick(p, q, x) >= apart[x] - 1e-3
                assert hockey_stick(p, empty, x) >= gone[x] - 1e-3


def test_no_place_of_a_replaced_row_is_above_the_two_halves() -> None:
    """Contributions in [-1, 1] that differ by at most r, with Laplace noise of scale 1."""
    for r in (F(1), F(3, 2), F(2)):
        event = Poisson("0.3", Laplace(1, replaced=r))
        upper = {x: above(only(event, "replace", 1), x) for x in LEVELS}
        best = dict.fromkeys(LEVELS, 0.0)
        places = [F(k, 4) for k in range(-4, 5)]
        t = np.concatenate(([-np.inf], np.linspace(-2, 2, 8001), [np.inf]))
        still, tail = -np.diff(tails("laplace")(t)), tails("laplace")
        laws = {at: 0.7 * still - 0.3 * np.diff(tail(t - float(at))) for at in places}
        for one, two in product(places, repeat=2):
            if abs(one - two) <= r:
                for x in LEVELS:
                    found = hockey_stick(laws[one], laws[two], x)
                    assert found <= upper[x] + 1e-12
                    best[x] = max(best[x], found)
        for x in LEVELS:
            assert best[x] >= upper[x] - 1e-4


def test_no_vector_with_laplace_noise_is_above_the_number() -> None:
    """Two entries that move by shares of 1 in L1, in any directions, on a grid."""
    event = Poisson("0.4", Laplace(1))
    upper = {x: above(only(event, "replace", 1), x) for x in LEVELS}
    for m, n in ((1.0, 0.0), (0.5, 0.5), (0.25, 0.75)):
        for m2, n2 in ((-m, -n), (-m, n), (m, -n), (-1.0, 0.0), (0.0, -1.0)):
            p, q = (
                0.6 * cells("laplace", (0, 0)) + 0.4 * cells("laplace", place)
                for place in ((m, n), (m2, n2))
            )
            for x in LEVELS:
                assert hockey_stick(p, q, x) <= upper[x] + 1e-12


def test_two_rows_that_move_by_less_than_twice_a_contribution() -> None:
    event = Poisson("0.3", Gaussian(1, replaced="1.5"))
    upper = {x: above(only(event, "replace", 2), x) for x in LEVELS}
    lower = only(event, "replace", 2, upper=False)
    t = np.concatenate(([-np.inf], np.linspace(-7, 7, 3001), [np.inf]))
    some = [(1, 1), (1, 0.5), (1, 0), (0.5, 0.5), (0.5, -0.5), (0.75, 0.75)]
    some += [tuple(-at for at in places) for places in some]

    def law(places: Sequence[float]) -> np.ndarray:
        shares = {0: 0.49, 1: 0.21, 2: 0.21, 3: 0.09}
        at = {0: 0.0, 1: places[0], 2: places[1], 3: sum(places)}
        return sum(w * -np.diff(norm.sf(t - at[k])) for k, w in shares.items())  # type: ignore[return-value]

    best = dict.fromkeys(LEVELS, 0.0)
    for one, two in product(some, repeat=2):
        if all(abs(a - b) <= 1.5 for a, b in zip(one, two, strict=True)):
            for x in LEVELS:
                found = hockey_stick(law(one), law(two), x)
                assert found <= upper[x] + 1e-12
                best[x] = max(best[x], found)
    for x in LEVELS:
        known = discretised.delta([(lower, 1)], F(log(x)), width=1e-5)
        assert float(known.lower) <= best[x] + 1e-5


# Events.


def test_more_rows_cost_more_and_less_than_the_rule_for_groups() -> None:
    for base in (Gaussian(2), Laplace(3), Pure("0.4"), DiscreteLaplace(3)):
        for relation in ("add or remove", "replace", "zero out"):
            found = [
                account(Group(Repeated(Poisson("0.1", base), 20), k), relation).epsilon("1e-4")
                for k in (1, 2, 3)
            ]
            assert found[0].upper < found[1].lower and found[1].upper < found[2].lower
    one = account(Repeated(Poisson("0.1", Pure("0.4")), 20), "add or remove").epsilon(0)
    three = account(Group(Repeated(Poisson("0.1", Pure("0.4")), 20), 3), "add or remove").epsilon(0)
    assert float(three.upper) == pytest.approx(3 * float(one.upper), rel=1e-15)


def test_at_rates_near_one_the_group_moves_by_all_of_it() -> None:
    rate = 1 - F(1, 10**12)
    for base in (Gaussian(4), Laplace(4), Pure("0.25")):
        for relation in ("add or remove", "replace"):
            event = Group(base, 3)
            whole = account(Repeated(event, 3), relation).epsilon("1e-3")
            almost = account(Group(Repeated(Poisson(rate, base), 3), 3), relation).epsilon("1e-3")
            assert abs(float(almost.upper) - float(whole.upper)) < 1e-3


def test_which_ends_are_attained() -> None:
    for base, exact in (
        (Gaussian(1), True), (Gaussian(1, replaced=1), False), (Laplace(2), True), (Pure(1), True),
        (DiscreteLaplace(2), True), (ExponentialMechanism(1), False),
    ):  # fmt: skip
        pieces = Poisson("0.1", base).pieces(Case("replace"))
        upper, lower = pieces.upper[0][0], pieces.lower[0][0]
        assert (upper == lower or (isinstance(upper, IdleResponseLoss) and exact)) == exact
        assert Poisson("0.1", base).pieces(Case("add or remove", True, 2)).lower
    # A row whose contribution moves by at most 1/2 is not worth one that is taken out.
    small = Poisson("0.1", Gaussian(1, replaced="0.5"))
    found = account(Repeated(small, 30), "replace").epsilon(1e-5)
    removed = account(Repeated(small, 30), "add or remove").epsilon(1e-5)
    assert found.lower < removed.lower / 2


@pytest.mark.parametrize("relation", ["replace", "add or remove"])
def test_what_has_no_theorem_is_refused(relation: str) -> None:
    with pytest.raises(RelationError, match="known for Gaussian and Laplace noise"):
        account(Group(Poisson("0.1", DiscreteGaussian(2)), 2), relation)
    with pytest.raises(RelationError, match="more than 256"):
        account(Group(Poisson("0.1", Gaussian(2)), 257), relation)
