"""Laws of different kinds that meet: numbers where they compare, typed errors where they do not.

Lumps of infinitely many outcomes are compared with sums outcome by outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from itertools import product
from math import e as base
from math import exp, inf, log
from typing import Any

import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.errors import MetricdpError, ParameterError
from metricdp.laws import (
    DiscreteLaplaceLaw,
    EmpiricalLaw,
    EnclosedLaw,
    FiniteLaw,
    GaussianLaw,
    GridLaw,
    LaplaceLaw,
    ProductLaw,
    RandomizedResponseLaw,
    best_event,
    hockey_stick,
    max_divergence,
    mixture,
    renyi,
    rounded,
    total_variation,
    zcdp_rho,
)
from metricdp.laws.distances import d_dp, d_em, d_tv, d_wc
from metricdp.laws.grid import CellsLaw
from metricdp.laws.lumped import lumped
from metricdp.laws.piecewise import WeightedPiecesLaw
from metricdp.laws.thresholded import MORE, ThresholdedLaw, ThresholdedNumbersLaw

COIN = FiniteLaw([F(1, 2), F(1, 2)])
TILTED = FiniteLaw([F(1, 3), F(2, 3)])
KINDS: dict[str, Any] = {
    "two": ProductLaw((COIN, COIN)),
    "three": ProductLaw((COIN, COIN, COIN)),
    "infinite": ProductLaw((DiscreteLaplaceLaw(0, F(2)), COIN)),
    "keys": ThresholdedLaw({"a": 3}, F(1), 4),
    "higher": ThresholdedLaw({"a": 3}, F(1), 5),
    "normal": ThresholdedLaw({"b": 3}, F(1), 5, True),
    "values": ThresholdedNumbersLaw({"a": F(3)}, F(1), F(4)),
    "large values": ThresholdedNumbersLaw({"a": F(7)}, F(1), F(4), True),
    "finite": FiniteLaw({"a": 1}),
    "enclosed": EnclosedLaw({"a": (F(1, 3), F(1, 3)), (0, 1): (F(2, 3), F(2, 3))}),
    "integers": DiscreteLaplaceLaw(0, F(2)),
    "grid": rounded(LaplaceLaw(0, 1), F(1, 4)),
    "line": GaussianLaw(0, 1),
    "mixed": mixture([DiscreteLaplaceLaw(k, F(2)) for k in (0, 3)], [F(1, 2), F(1, 2)]),
    "response": RandomizedResponseLaw(0, 2, F(1)),
    "samples": EmpiricalLaw([1, 2, 3]),
    "nothing": 7,
}
QUANTITIES: list[Callable[[Any, Any], Any]] = [
    max_divergence,
    lambda p, q: hockey_stick(p, q, F(1)),
    lambda p, q: renyi(p, q, F(2)),
    zcdp_rho,
    lambda p, q: best_event(p, q, F(0)),
    d_dp,
    d_tv,
    d_em,
    d_wc,
]


@pytest.mark.parametrize("name", KINDS)
def test_every_pair_of_kinds_has_a_number_or_a_typed_error(name: str) -> None:
    for other, quantity in product(KINDS.values(), QUANTITIES):
        for p, q in ((KINDS[name], other), (other, KINDS[name])):
            try:
                quantity(p, q)
            except MetricdpError as error:
                assert error.fact


@pytest.mark.parametrize(
    ("p", "q", "said"),
    [
        ("keys", "higher", "a ThresholdedLaw at 4 and a ThresholdedLaw at 5 call different events"),
        ("keys", "finite", "a ThresholdedLaw at 4 and a FiniteLaw call different events"),
        ("infinite", "three", "a ProductLaw of 2 and a ProductLaw of 3 do not compare"),
        ("infinite", "finite", "a ProductLaw of 2 and a FiniteLaw do not compare"),
        ("finite", "samples", "a EmpiricalLaw gives no probabilities"),
        ("finite", "nothing", "a int gives no probabilities"),
    ],
)
def test_what_is_refused_says_what_compares(p: str, q: str, said: str) -> None:
    for quantity in (max_divergence, zcdp_rho, total_variation):
        with pytest.raises(ParameterError, match=said) as caught:
            quantity(KINDS[p], KINDS[q])
        assert caught.value.remedy


def test_joint_laws_and_lists_of_their_outcomes_are_the_same_laws() -> None:
    joint = ProductLaw((COIN, TILTED))
    listed = COIN.product(TILTED)
    for quantity in (max_divergence, total_variation, lambda p, q: renyi(p, q, F(3))):
        low, high = quantity(joint, listed)
        assert low <= 0 <= high < F(1, 10**30)
    assert max_divergence(joint, KINDS["two"]) == max_divergence(TILTED, COIN)
    assert max_divergence(joint, KINDS["three"]) == inf
    assert total_variation(joint, KINDS["three"])[0] > 1 - F(1, 10**30)
    assert joint.pmf(3) == joint.pmf((0,)) == (0, 0)


def test_what_was_not_released_has_no_probability() -> None:
    law = ThresholdedLaw({"a": 3, "b": 5}, F(1), 4)
    for outcome in (3, "a", frozenset({"a"}), frozenset({("a", 3)}), frozenset({("c", MORE)})):
        assert law.pmf(outcome) == (0, 0)
    assert law.pmf(frozenset({("a", 4), ("a", MORE)})) == (0, 0)
    total = [law.pmf(outcome) for outcome in law.support()]
    assert sum(p[0] for p in total) <= 1 <= sum(p[1] for p in total)


def test_entries_that_are_the_same_change_no_hockey_stick() -> None:
    still = GaussianLaw(0, 1)
    p, q = (ProductLaw((DiscreteLaplaceLaw(k, F(2)), still)) for k in (0, 1))
    alone = DiscreteLaplaceLaw(0, F(2)), DiscreteLaplaceLaw(1, F(2))
    assert hockey_stick(p, q, F(1, 10)) == hockey_stick(*alone, F(1, 10))


CENTRES = st.lists(st.integers(-4, 4), min_size=1, max_size=3)


@given(CENTRES, CENTRES, st.integers(1, 4), st.sampled_from([F(0), F(1, 5), F(1)]))
@settings(max_examples=12, deadline=None)
def test_lumps_of_mixtures_lose_nothing(a: list[int], b: list[int], scale: int, e: F) -> None:
    def mixed(centres: list[int]) -> Any:
        laws = [DiscreteLaplaceLaw(k, F(scale)) for k in centres]
        return mixture(laws, [F(1, len(laws))] * len(laws))

    p, q = mixed(a), mixed(b)
    far = range(-40 * scale, 40 * scale)
    outcomes = [(p.pmf(k)[0], q.pmf(k)[0]) for k in far]
    largest = max(float(x / y) for x, y in outcomes)
    assert float(max_divergence(p, q)[1]) == pytest.approx(log(largest), abs=1e-12)
    gain = sum(max(0.0, float(x) - exp(e) * float(y)) for x, y in outcomes)
    assert float(hockey_stick(p, q, e)[1]) == pytest.approx(gain, abs=1e-12)


def test_joint_lumps_are_the_product() -> None:
    """Two entries that move: by lumps, and by a sum over the plane."""
    p, q = (ProductLaw(tuple(DiscreteLaplaceLaw(k, F(1)) for k in at)) for at in ((0, 0), (1, 2)))
    found = hockey_stick(p, q, F(1))
    far = range(-40, 42)
    masses = [[{k: float(part.pmf(k)[0]) for k in far} for part in law.parts] for law in (p, q)]
    total = sum(
        max(0.0, masses[0][0][i] * masses[0][1][j] - base * masses[1][0][i] * masses[1][1][j])
        for i in far
        for j in far
    )
    assert float(found[0]) == pytest.approx(total, abs=1e-12)
    assert found[1] - found[0] < F(1, 10**20)


@given(
    st.lists(st.integers(0, 24), min_size=0, max_size=3),
    st.lists(st.integers(0, 24), min_size=0, max_size=3),
    st.sampled_from([F(1), F(2), F(3, 2)]),
)
@settings(max_examples=depth(30, 60), deadline=None)
def test_lumps_of_cells_lose_nothing(a: list[int], b: list[int], step: F) -> None:
    """Densities on pieces in cells of a grid, against all cells one by one."""
    laws = []
    for inner in (a, b):
        edges = [F(0), *sorted(F(x, 2) for x in inner), F(13)]
        laws.append(
            CellsLaw(WeightedPiecesLaw.exponential(edges, range(len(edges) - 1), F(1)), step, F(0))
        )
    pair = lumped(*laws)
    assert pair is not None
    cells = [tuple(law.pmf(k) for law in laws) for k in range(14)]
    largest = max(float(p[1] / q[0]) for p, q in cells if q[0])
    assert float(max_divergence(*laws)[1]) == pytest.approx(log(largest), abs=1e-12)
    gain = sum(max(F(0), p[1] - q[0]) for p, q in cells)
    assert float(total_variation(*laws)[1]) == pytest.approx(float(gain), abs=1e-12)
    grids = [GridLaw(law, step) for law in laws]
    assert max_divergence(*grids) == max_divergence(*laws)


def test_pieces_by_weight_refuse_what_is_no_law() -> None:
    wrong: list[Callable[[], Any]] = [
        lambda: WeightedPiecesLaw((F(0), F(1)), ((F(0), F(1, 2)),)),
        lambda: WeightedPiecesLaw((F(1), F(0)), ((F(1), F(1)),)),
        lambda: WeightedPiecesLaw.exponential([0, 1], [1, 2], 1),
        lambda: WeightedPiecesLaw.exponential([0, 0], [1], 1),
        lambda: WeightedPiecesLaw.exponential([0, 1], [1], 0),
    ]
    for make in wrong:
        with pytest.raises(ParameterError):
            make()


def test_pieces_by_weight_answer_as_exact_pieces_do() -> None:
    from metricdp.laws import PiecewiseLaw

    exact = PiecewiseLaw.of([0, 1, 3], [F(1, 3), F(2, 3)])
    ours = WeightedPiecesLaw.exponential([0, 1, 1, 3], [5, 9, 5], 2)
    for x in (F(-1), F(0), F(1, 2), F(1), F(2), F(3), F(4)):
        assert ours.cdf(x)[0] <= exact.cdf(x)[0] <= ours.cdf(x)[1]
        assert ours.tail(x)[0] <= exact.tail(x)[0] <= ours.tail(x)[1]
        assert ours.density(x)[0] <= exact.density(x)[0] <= ours.density(x)[1]
    assert ours.between(F(1, 2), 2)[0] <= F(1, 2) <= ours.between(F(1, 2), 2)[1]
