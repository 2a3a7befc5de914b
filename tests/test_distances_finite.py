"""Distances between finite laws: against all events, against their duals, and as metrics."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise, permutations
from math import inf, log

import pytest
from depth import depth
from distance_cases import (
    events,
    excess_by_events,
    laws,
    mass,
    prokhorov_by_events,
    situated,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.errors import ParameterError
from metricdp.laws import FiniteLaw, RandomizedResponseLaw, max_divergence, total_variation
from metricdp.laws.distances import (
    FiniteSpace,
    d_dp,
    d_dp_one_sided,
    d_em,
    d_tv,
    d_wc,
    hockey_stick_at,
    privacy_profile,
)

F = Fraction
PAIR = st.tuples(laws("abcd"), laws("abcd"))
FACTORS = st.fractions(0, 8, max_denominator=7)


@given(PAIR, FACTORS)
def test_hockey_stick_is_the_best_of_all_events(pair, factor):
    p, q = pair
    found = hockey_stick_at(p, q, factor, evidence=True)
    assert found.exact == excess_by_events(p, q, factor)
    event = found.evidence
    assert (event.p, event.q) == (mass(p, event.outcomes), mass(q, event.outcomes))
    assert event.p - factor * event.q == found.exact
    assert privacy_profile(p, q).at(factor) == found.exact


@given(PAIR)
def test_dp_distance_is_the_best_of_all_events(pair):
    p, q = pair
    ratios = [
        mass(p, s) / mass(q, s) if mass(q, s) else inf for s in events([*{**p, **q}]) if mass(p, s)
    ]
    assert d_dp_one_sided(p, q).ratio == max(ratios)
    assert d_dp(p, q).ratio == d_dp(q, p).ratio
    assert d_dp(p, q).ratio == max(d_dp_one_sided(p, q).ratio, d_dp_one_sided(q, p).ratio)


@given(PAIR)
def test_the_outcome_attains_the_ratio(pair):
    p, q = pair
    found = d_dp_one_sided(p, q)
    if p == q:
        assert found.outcome is None and found.ratio == 1
    elif found.ratio == inf:
        assert p[found.outcome] and found.outcome not in q
    else:
        assert p[found.outcome] / q[found.outcome] == found.ratio


@given(PAIR, FACTORS)
def test_profiles_turn_around(pair, factor):
    p, q = pair
    profile = privacy_profile(p, q)
    assert profile.reversed() == privacy_profile(q, p)
    assert profile.reversed().reversed() == profile
    worst = profile.worst(profile.reversed())
    assert worst.at(factor) == max(excess_by_events(p, q, factor), excess_by_events(q, p, factor))
    assert profile <= worst and profile.reversed() <= worst
    assert (worst <= profile) == (worst == profile)


@given(PAIR, st.fractions(0, F(49, 50), max_denominator=50))
def test_epsilon_at_delta_is_the_least(pair, delta):
    p, q = pair
    profile = privacy_profile(p, q)
    found = profile.epsilon(delta)
    if found.ratio == inf:
        assert profile.knots[-1][1] > delta
        return
    assert profile.at(found.ratio) <= delta
    if found.ratio > 1:
        assert profile.at(found.ratio) == delta
        assert profile.at(found.ratio * F(999, 1000)) > delta
    assert profile.epsilon(0).ratio == d_dp_one_sided(p, q).ratio or p == q


@given(PAIR, st.fractions(-3, 3, max_denominator=9))
def test_delta_at_epsilon_encloses(pair, epsilon):
    low, high = privacy_profile(*pair).delta(epsilon)
    assert low <= high <= low + F(1, 2**100)
    assert low <= privacy_profile(*pair).at(F.from_float(2.718281828459045 ** float(epsilon))) + F(
        1, 10**12
    )


@given(PAIR, st.fractions(0, 1, max_denominator=30))
def test_trade_off_is_the_best_test(pair, alpha):
    """All deterministic tests, and all mixtures of two of them."""
    p, q = pair
    tests = [(mass(q, s), 1 - mass(p, s)) for s in events([*{**p, **q}])]
    best = min(b for a, b in tests if a <= alpha)
    for a, u in tests:
        for b, v in tests:
            if a <= alpha < b:
                best = min(best, u + (v - u) * (alpha - a) / (b - a))
    profile = privacy_profile(p, q)
    trade = profile.trade_off()
    assert trade.beta(alpha) == best
    assert trade.inverse() == profile.reversed().trade_off()
    assert trade.inverse().inverse() == trade
    assert trade.advantage == profile.total_variation == d_tv(p, q).exact


@settings(max_examples=depth(30, 60), deadline=None)
@given(situated())
def test_prokhorov_by_its_definition(case):
    space, p, q = case
    found = d_wc(p, q, space)
    assert found.exact == prokhorov_by_events(p, q, space) == d_wc(q, p, space).exact


@settings(deadline=None)
@given(situated())
def test_evidence_proves_both_sides(case):
    space, p, q = case
    moved = d_em(p, q, space, evidence=True)
    plan, f = moved.evidence.coupling, moved.evidence.potential
    _is_coupling(plan, p, q)
    assert sum(m * space.distance(x, y) for (x, y), m in plan.items()) == moved.exact
    assert all(f[x] - f[y] <= space.distance(x, y) for x in f for y in f)
    assert sum(f[x] * (p.get(x, 0) - q.get(x, 0)) for x in f) == moved.exact
    near = d_wc(p, q, space, evidence=True)
    plan, event = near.evidence.coupling, near.evidence.event
    _is_coupling(plan, p, q)
    assert sum(m for (x, y), m in plan.items() if space.distance(x, y) > near.exact) <= near.exact
    if near.exact:
        below = [y for y in space.points if any(space.distance(x, y) < near.exact for x in event)]
        assert mass(p, event) - mass(q, below) >= near.exact


def _is_coupling(plan, p, q):
    assert all(m > 0 for m in plan.values())
    for x in {**p, **q}:
        assert sum(m for (a, _), m in plan.items() if a == x) == p.get(x, 0)
        assert sum(m for (_, b), m in plan.items() if b == x) == q.get(x, 0)


@settings(deadline=None)
@given(situated())
def test_shapes_do_not_change_distances(case):
    """Trees and cycles have formulas of their own; the same distances without a shape agree."""
    space, p, q = case
    plain = FiniteSpace(space.points, space.distances)
    assert d_em(p, q, space).exact == d_em(p, q, plain).exact


@given(st.permutations(range(5)), st.lists(st.integers(0, 9), min_size=25, max_size=25))
def test_earth_mover_of_five_equal_masses_is_the_best_matching(order, numbers):
    """Birkhoff: between uniform laws on five points each some permutation is optimal."""
    points = [(i, numbers[2 * i] % 4, numbers[2 * i + 1] % 4) for i in range(10)]
    space = FiniteSpace.from_function(points, lambda x, y: (x != y) + _far(x, y))
    here, there = points[:5], [points[5 + i] for i in order]
    p, q = dict.fromkeys(here, F(1, 5)), dict.fromkeys(there, F(1, 5))
    best = min(
        sum(space.distance(x, y) for x, y in zip(here, chosen, strict=True))
        for chosen in permutations(there)
    )
    assert d_em(p, q, space).exact == best / 5


def _far(x, y):
    return abs(x[1] - y[1]) + abs(x[2] - y[2])


@settings(deadline=None)
@given(situated(3))
def test_triangle_and_the_inequalities_between_distances(case):
    """TV <= tanh(d_DP / 2); d_P <= TV; d_P^2 <= W1 <= (1 + diam) d_P; W1 <= diam TV."""
    space, p, q, r = case
    for distance in (lambda a, b: d_tv(a, b), lambda a, b: d_em(a, b, space),
                     lambda a, b: d_wc(a, b, space)):  # fmt: skip
        assert distance(p, r).exact <= distance(p, q).exact + distance(q, r).exact
        assert (distance(p, q).exact == 0) == (p == q)
        assert distance(p, q).exact == distance(q, p).exact
    assert d_dp(p, r) <= d_dp(p, q) + d_dp(q, r)
    assert (d_dp(p, q).ratio == 1) == (p == q)
    tv, em, wc = d_tv(p, q).exact, d_em(p, q, space).exact, d_wc(p, q, space).exact
    assert tv <= d_dp(p, q).tanh_half
    assert wc <= tv
    assert wc * wc <= em <= (1 + space.diameter) * wc
    assert em <= space.diameter * tv


@given(laws("abcdef"), laws("abcdef"), st.lists(st.integers(0, 2), min_size=6, max_size=6), FACTORS)
def test_data_processing(p, q, images, factor):
    function = dict(zip("abcdef", images, strict=True))
    pushed = []
    for law in (p, q):
        image = {}
        for x, m in law.items():
            image[function[x]] = image.get(function[x], F(0)) + m
        pushed.append(image)
    assert d_dp(*pushed) <= d_dp(p, q)
    assert privacy_profile(*pushed) <= privacy_profile(p, q)
    assert hockey_stick_at(*pushed, factor).exact <= hockey_stick_at(p, q, factor).exact


def test_randomized_response_attains_tanh():
    keep = F(3, 4)
    p, q = {0: keep, 1: 1 - keep}, {0: 1 - keep, 1: keep}
    assert d_dp(p, q).ratio == 3
    assert d_tv(p, q).exact == d_dp(p, q).tanh_half == F(1, 2)
    assert float(d_dp(p, q)) == pytest.approx(log(3), abs=1e-15)
    assert float(d_dp(p, q)) >= log(3)


def test_exact_and_enclosed_masses_agree():
    p, q = RandomizedResponseLaw(0, 3, F(1)), RandomizedResponseLaw(1, 3, F(1))
    assert (d_dp(p, q).low, d_dp(p, q).high) == max_divergence(p, q) == (1, 1)
    low, high = total_variation(p, q)
    found = d_tv(p, q)
    assert found.low <= high and low <= found.high
    on = FiniteSpace.discrete(range(3))
    for distance in (d_em(p, q, on), d_wc(p, q, on)):
        assert distance.low <= high and low <= distance.high
        assert distance.high - distance.low < F(1, 10**30)
    assert d_em(p, q).high - high < F(1, 10**30)
    first, second = FiniteLaw({0: F(1, 3), 1: F(2, 3)}), FiniteLaw({0: F(1, 2), 1: F(1, 2)})
    assert d_tv(first, second).exact == total_variation(first, second)[0]


#: Wrong definitions that are easily written, in terms of the gap at a radius.
MUTANTS = {
    "only at distances that occur": lambda gaps: min(t for t, gap in gaps if gap <= t),
    "the gap alone": lambda gaps: gaps[0][1],
    "the other side of the step": lambda gaps: min(
        max(t, after) for (t, _), (_, after) in pairwise([*gaps, gaps[-1]])
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_wrong_prokhorov_distances_are_noticed(name):
    source = random.Random(5)
    space = FiniteSpace.line([F(0), F(1, 4), F(1, 3), F(1, 2), F(9, 10)])
    differ = 0
    for _ in range(40):
        p, q = (drawn(source, space.points) for _ in range(2))
        gaps = [(t, largest_gap(p, q, space, t)) for t in space.radii]
        assert min(max(t, gap) for t, gap in gaps) == d_wc(p, q, space).exact
        differ += MUTANTS[name](gaps) != d_wc(p, q, space).exact
    assert differ > 0


def drawn(source, points):
    weights = [source.randint(0, 5) for _ in points]
    weights[0] += 1
    return {x: F(w, sum(weights)) for x, w in zip(points, weights, strict=True) if w}


def largest_gap(p, q, space, t):
    def near(event):
        return [y for y in space.points if any(space.distance(x, y) <= t for x in event)]

    return max(mass(p, s) - mass(q, near(s)) for s in events(space.points))


def test_40_points_in_general_position():
    points = [((i * i * 7) % 101, (i * i * i * 3) % 97) for i in range(40)]
    space = FiniteSpace.from_function(points, taxi_of_pairs)
    p = {x: F(1 + i % 7, sum(1 + i % 7 for i in range(40))) for i, x in enumerate(points)}
    q = {x: F(1 + i % 5, sum(1 + i % 5 for i in range(40))) for i, x in enumerate(points)}
    em, wc, tv = d_em(p, q, space), d_wc(p, q, space), d_tv(p, q)
    assert 0 < wc.exact <= tv.exact
    assert wc.exact**2 <= em.exact <= (1 + space.diameter) * wc.exact


def taxi_of_pairs(x, y):
    return F(abs(x[0] - y[0]) + abs(x[1] - y[1]), 101)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: FiniteSpace("ab", [[0, -1], [-1, 0]]), "not positive"),
        (lambda: FiniteSpace("ab", [[0, 0], [0, 0]]), "not positive"),
        (lambda: FiniteSpace("ab", [[0, 1], [2, 0]]), "order"),
        (lambda: FiniteSpace("ab", [[1, 1], [1, 0]]), "itself"),
        (lambda: FiniteSpace("ab", [[0, 1]]), "2 rows of 2"),
        (lambda: FiniteSpace("aa", [[0, 1], [1, 0]]), "different"),
        (lambda: FiniteSpace("abc", [[0, 1, 3], [1, 0, 1], [3, 1, 0]]), "'a' to 'c'.*'b'"),
        (lambda: FiniteSpace("ab", [[0, float("nan")], [1, 0]]), "number"),
        (lambda: FiniteSpace("ab", [[0, float("inf")], [1, 0]]), "number"),
        (lambda: FiniteSpace.from_function("abc", lambda x, y: (ord(x) - ord(y)) ** 2), "triangle"),
        (lambda: FiniteSpace.line([0, 1, 1.0]), "equal"),
        (lambda: FiniteSpace.cycle("abc", [1, 0, 1]), "positive"),
        (lambda: FiniteSpace.tree([("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]), "no tree"),
        (lambda: FiniteSpace.tree([("a", "b", 1), ("c", "d", 1), ("d", "c", 2)]), "connected"),
        (lambda: FiniteSpace.tree([("a", "b", 0)]), "positive"),
        (lambda: d_tv({"a": "1/2"}, {"a": 1}), "sum"),
        (lambda: d_tv({"a": "3/2", "b": "-1/2"}, {"a": 1}), "'b' is -1/2"),
        (lambda: d_em({"a": 1}, {"b": 1}), "space"),
        (lambda: d_wc({"a": 1}, {"b": 1}), "space"),
        (lambda: d_em({"a": 1}, {"z": 1}, FiniteSpace.discrete("ab")), "no point"),
        (lambda: hockey_stick_at({"a": 1}, {"b": 1}, -1), "negative"),
        (lambda: privacy_profile({"a": 1}, {"b": 1}).epsilon(1), "0, 1"),
        (lambda: privacy_profile({"a": 1}, {"b": 1}).at(-1), "negative"),
        (lambda: d_tv({"a": 1}, 5), "int"),
        (lambda: d_em({"a": 1}, {"a": 1}, 5), "FiniteSpace"),
    ],
)  # fmt: skip
def test_bad_input(make, said):
    with pytest.raises(ParameterError, match=said):
        make()
