"""Invariants of accounting on generated events.

Adaptive composition is a commutative monoid of curves: m and n rounds are m + n rounds, in any
order; profiles fall; lower ends are below upper ends; a replacement costs at least an addition.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.measures import (
    Approximate,
    Composed,
    DiscreteLaplace,
    ExponentialMechanism,
    Finite,
    Gaussian,
    Group,
    Laplace,
    Poisson,
    Pure,
    RandomizedResponse,
    Repeated,
    TruncatedPoisson,
    WithoutReplacement,
    account,
)
from metricdp.measures.accounted import AccountedEvent

AOR = "add or remove"
SLACK = Fraction(1, 10**12)
scales = st.fractions(min_value=1, max_value=8, max_denominator=4)
small = st.fractions(min_value=Fraction(1, 10), max_value=1, max_denominator=10)
#: Events that the contour engine answers in milliseconds.
plain: st.SearchStrategy[AccountedEvent] = st.one_of(
    scales.map(Gaussian), small.map(Pure), scales.map(DiscreteLaplace),
    small.map(lambda e: Approximate(e, "1e-6")),
    small.map(lambda q: Poisson(q / 5, Gaussian(2))),
)  # fmt: skip
FEW = settings(max_examples=12, deadline=None)


def delta(event: Any, epsilon: Any, relation: str = AOR) -> Any:
    return account(event, relation, checked=False).delta(epsilon)


def meet(first: Any, second: Any) -> bool:
    return bool(first.lower <= second.upper and second.lower <= first.upper)


@FEW
@given(plain, st.integers(1, 40), st.integers(1, 40))
def test_rounds_add(event: AccountedEvent, m: int, n: int) -> None:
    together = delta(Repeated(event, m + n), "0.5")
    apart = delta([Repeated(event, m), Repeated(event, n)], "0.5")
    assert (together.lower, together.upper) == (apart.lower, apart.upper)
    nested = delta(Repeated(Repeated(event, m), 2), "0.5")
    assert meet(nested, delta(Repeated(event, 2 * m), "0.5"))


@FEW
@given(st.lists(plain, min_size=2, max_size=4))
def test_order_does_not_matter(events: list[AccountedEvent]) -> None:
    there, back = delta(events, "0.5"), delta(events[::-1], "0.5")
    assert meet(there, back)
    assert meet(there, delta(Composed([Composed(events[:1]), Composed(events[1:])]), "0.5"))


@FEW
@given(plain, st.integers(1, 30))
def test_profiles_fall_and_rounds_cost(event: AccountedEvent, rounds: int) -> None:
    guarantee = account(Repeated(event, rounds), AOR, checked=False)
    found = [guarantee.delta(epsilon) for epsilon in ("0", "0.5", "1", "2")]
    assert all(low.lower <= low.upper for low in found)
    assert all(after.lower <= before.upper for before, after in pairwise(found))
    more = account(Repeated(event, rounds + 1), AOR, checked=False).delta("0.5")
    assert more.upper >= found[1].lower
    # Convex in e^epsilon.
    ends = [float(point.upper) for point in found[:3]]
    share = (exp(0.5) - 1) / (exp(1) - 1)
    assert float(found[1].lower) <= (1 - share) * ends[0] + share * ends[2] + 1e-12


@FEW
@given(plain, st.integers(1, 30))
def test_epsilon_and_delta_are_inverse(event: AccountedEvent, rounds: int) -> None:
    guarantee = account(Repeated(event, rounds), AOR, checked=False)
    target = guarantee.delta("0.3")
    if target.upper < Fraction(1, 10**3) or target.upper == 1:
        return
    epsilon = guarantee.epsilon(target.upper)
    assert epsilon.lower <= Fraction(3, 10)
    assert guarantee.delta(epsilon.upper).lower <= target.upper
    assert guarantee.epsilon("0.5").lower <= guarantee.epsilon("0.4").upper


@FEW
@given(plain, st.integers(1, 30))
def test_a_replacement_costs_at_least_a_removal(event: AccountedEvent, rounds: int) -> None:
    try:
        replaced = delta(Repeated(event, rounds), "0.5", "replace")
    except Exception as error:
        assert "no theorem" in str(error)
        return
    assert replaced.upper >= delta(Repeated(event, rounds), "0.5").lower - SLACK


@FEW
@given(plain, st.integers(1, 30))
def test_add_or_remove_is_the_larger_direction(event: AccountedEvent, rounds: int) -> None:
    event = Repeated(event, rounds)
    both, add, remove = (delta(event, "0.5", r) for r in (AOR, "add", "remove"))
    assert both.upper == max(add.upper, remove.upper)
    assert both.lower == max(add.lower, remove.lower)
    assert meet(both, delta(event, "0.5", "zero out"))


@FEW
@given(scales, st.integers(1, 4))
def test_groups_move_as_far_as_their_rows(scale: Fraction, units: int) -> None:
    for kind in (Gaussian, Laplace):
        assert account(Group(kind(scale), units), AOR, checked=False).event.pieces
        group, wide = delta(Group(kind(scale), units), 1), delta(kind(scale / units), 1)
        assert (group.lower, group.upper) == (wide.lower, wide.upper)
    own = delta(Group(Gaussian(scale), 2), 1)
    assert own.upper >= delta(Gaussian(scale), 1).lower


@FEW
@given(scales)
def test_rates_at_their_ends(scale: Fraction) -> None:
    base = Gaussian(scale)
    full, nothing = Poisson(1, base), Poisson(0, base)
    assert delta(full, "0.5") == delta(base, "0.5")
    assert delta(nothing, 0).upper == 0
    assert delta(WithoutReplacement(5, 5, base), "0.5", "replace") == delta(base, "0.5", "replace")
    assert delta(WithoutReplacement(0, 5, base), 0, "replace").upper == 0
    sampled = delta(Poisson("0.3", base), "0.5")
    assert sampled.lower <= delta(base, "0.5").upper
    nested = delta(Poisson("0.5", Poisson("0.6", base)), "0.5")
    assert nested == delta(Poisson("0.3", base), "0.5")
    never_cut = delta(TruncatedPoisson("0.3", 9, 9, base), "0.5")
    assert (never_cut.lower, never_cut.upper) == (sampled.lower, sampled.upper)


laws = st.lists(st.integers(1, 9), min_size=3, max_size=3)


@FEW
@given(laws, laws)
def test_the_advantage_is_total_variation(p: list[int], q: list[int]) -> None:
    first = [Fraction(x, sum(p)) for x in p]
    second = [Fraction(x, sum(q)) for x in q]
    event = Finite(first, second, "add or remove")
    truth = sum((max(Fraction(0), a - b) for a, b in zip(first, second, strict=True)), Fraction(0))
    found = account(event, "add or remove", checked=False).advantage()
    assert found.lower - SLACK <= truth <= found.upper + SLACK


@settings(max_examples=6, deadline=None)
@given(small, st.integers(2, 5), st.integers(1, 12))
def test_symmetric_relations_give_symmetric_curves(e: Fraction, k: int, rounds: int) -> None:
    """The trade-off curve is its own inverse: beta(beta(alpha)) = alpha."""
    guarantee = account(Repeated(RandomizedResponse(e, k), rounds), "replace", checked=False)
    beta = guarantee.tradeoff("0.2")
    if Fraction(1, 100) < beta.lower < Fraction(99, 100):
        low, high = guarantee.tradeoff(beta.upper), guarantee.tradeoff(beta.lower)
        assert low.lower - Fraction(1, 10**4) <= Fraction(1, 5) <= high.upper + Fraction(1, 10**4)


@settings(max_examples=4, deadline=None)
@given(small, st.integers(1, 30))
def test_the_cheap_rules_are_upper_bounds(e: Fraction, rounds: int) -> None:
    for event in (Pure(e), Gaussian(1 / e), ExponentialMechanism(e), Poisson(e / 5, Gaussian(1))):
        guarantee = account(Repeated(event, rounds), AOR, checked=False)
        found = guarantee.epsilon("1e-5")
        assert guarantee.rdp("1e-5").upper >= found.lower
        assert guarantee.basic("1e-5").upper >= found.lower
    rho = account(Repeated(Gaussian(1 / e), rounds), AOR).zcdp().upper
    assert rho >= rounds * e * e / 2
    assert rho <= rounds * e * e / 2 * (1 + Fraction(1, 10**9))


def test_delta_zero_is_the_pure_epsilon() -> None:
    assert account(Repeated(Pure("0.1"), 10), AOR).epsilon(0).upper == 1
    assert account(DiscreteLaplace(2), "replace").epsilon(0).upper == 1
    with pytest.raises(Exception, match="delta = 0"):
        account(Gaussian(1), AOR).epsilon(0)
