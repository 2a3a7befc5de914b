"""Samples drawn inside, private selection, parts, profiles and fixed deltas, against exact laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import pytest
from depth import depth

from metricdp.errors import ParameterError, SchemaError, SpaceError
from metricdp.expr import exp, num
from metricdp.laws.discrete import DiscreteLaplaceLaw
from metricdp.laws.divergence import hockey_stick, max_divergence
from metricdp.laws.finite import RandomizedResponseLaw
from metricdp.laws.mixture import ProductLaw
from metricdp.laws.private_selection import best_of_rounds
from metricdp.maps import Measurement, Transformation, make
from metricdp.maps.composition import compose
from metricdp.maps.conversions import fix_delta, in_measure, profile_at
from metricdp.maps.partitions import partitioned
from metricdp.maps.profiles import PrivacyProfile
from metricdp.maps.samples import sampled
from metricdp.maps.selection import best_of, first_above
from metricdp.run.emit import Seeded, current_handler, handling
from metricdp.spaces import Records, Scalar

BIT, REAL = Scalar("Int", num(0), num(1)), Scalar("Real")
TABLE = Records(Scalar("Data", kind="int"))
UNIT = Fraction(11, 10)
Law = dict[Hashable, Fraction]


def tables(metric: str, size: int | None = None) -> Records:
    return Records(Scalar("Data", kind="int"), metric, None if size is None else num(size))


def counted(space: Records, scale: int = 1) -> Measurement:
    """A noisy count of ones: a clamped sum with Laplace noise."""
    clamped = make("clamp", space, lower=0, upper=1)
    total = clamped >> make("sum", clamped.output_space)
    item: Measurement = total >> make("laplace", total.output_space, scale=scale)
    return item


# -- samples


def test_poisson_sampling_costs_its_theorem_and_is_attained() -> None:
    base = counted(TABLE)
    for rate in (Fraction(1, 10), Fraction(1, 2), 1):
        item = sampled(base, rate=rate)
        bound = exp(num(item.map(1))).enclose({})  # type: ignore[arg-type]
        exact = (1 + num(rate) * (exp(num(1)) - 1)).enclose({})
        assert exact[0] <= bound[1] and bound[0] <= exact[1] + Fraction(1, 10**9)
    assert item.map(1) == 1 and sampled(base, rate=0).map(5) == 0
    # Randomized response on "somebody is there" attains it.
    q, p = Fraction(1, 10), Fraction(3, 4)
    there, empty = q * p + (1 - q) * (1 - p), 1 - p
    assert there / empty == 1 + q * (p / (1 - p) - 1)


def test_the_sampler_draws_what_is_charged() -> None:
    """Share of sampled rows within 5 sigma of the rate: false alarm below 1e-6."""
    seen: list[Any] = []
    base = counted(TABLE)
    spy = Measurement(TABLE, lambda rows: seen.append(len(rows)), tree=base.tree)
    with handling(Seeded(11)):
        sampled(spy, rate=Fraction(3, 10))([1] * 20000)
        assert abs(seen[-1] - 6000) <= 5 * (20000 * 0.21) ** 0.5
        sampled(sampled(spy, rate=Fraction(1, 2)), rate=Fraction(1, 2))([1] * 20000)
        assert abs(seen[-1] - 5000) <= 5 * (20000 * 0.1875) ** 0.5
        part = Measurement(tables("ChangeOne", 3), lambda rows: seen.append(rows), tree=base.tree)
        draws: Counter[Any] = Counter()
        for _ in range(600):
            sampled(part, size=3, rows=6)(list(range(6)))
            draws.update(seen[-1])
            assert len(set(seen[-1])) == 3
    assert all(abs(draws[i] - 300) <= 5 * 150**0.5 for i in range(6))


def test_samples_of_samples_multiply_their_rates() -> None:
    base = counted(TABLE)
    twice = sampled(sampled(base, rate=Fraction(1, 2)), rate=Fraction(1, 2))
    assert abs(float(twice.map(1)) - float(sampled(base, rate=Fraction(1, 4)).map(1))) < 1e-12  # type: ignore[arg-type]


def test_fixed_sizes_need_the_base_of_that_size() -> None:
    base = counted(tables("ChangeOne", 10))
    item = sampled(base, size=10, rows=100)
    assert float(item.map(1)) == pytest.approx(0.158565, abs=1e-6)  # type: ignore[arg-type]
    assert sampled(base, size=10, rows=100, replace=True).map(1) > item.map(1)  # type: ignore[operator]
    with pytest.raises(SchemaError):
        item([1] * 10)
    refused: tuple[tuple[Measurement, dict[str, Any], str], ...] = (
        (base, {"rate": 0.5}, "private number of rows"),
        (base, {"size": 9, "rows": 100}, "9 rows"),
        (counted(TABLE), {"size": 9, "rows": 100}, "9 rows"),
        (make("laplace", REAL, scale=1), {"rate": 0.5}, "does not read rows"),
    )
    for item, given, words in refused:
        with pytest.raises(SpaceError, match=words):
            sampled(item, **given)
    wrongs: list[dict[str, Any]]
    wrongs = [{"rate": 2}, {"rate": 0.5, "rows": 3}, {}, {"rate": 0.5, "size": 10}]
    for wrong in wrongs:
        with pytest.raises(ParameterError):
            sampled(counted(TABLE), **wrong)
    with pytest.raises(ParameterError, match="10 of 5 rows"):
        sampled(base, size=10, rows=5)


def test_row_wise_maps_before_a_sample_keep_its_amplification() -> None:
    item = sampled(counted(TABLE), rate=Fraction(1, 10))
    chain = make("clamp", TABLE, lower=0, upper=1) >> item
    assert chain.map(1) == item.map(1) and chain.tree is not None
    doubled = Transformation(TABLE, TABLE, lambda rows: [*rows, *rows], 2) >> item
    assert doubled.map(1) == item.map(2) and doubled.tree is None
    assert isinstance(doubled([1, 0, 1]), float)


# -- selection

PAIRS = ((0, "a"), (1, "b"), (2, "c"))
WEIGHTS = ((9, 3, 1), (1, 3, 9))


def drawn(x: int) -> Any:
    """One of PAIRS with the weights of an input, out of 13."""
    place, source = 0, current_handler().source  # type: ignore[attr-defined]
    left = source.below(13)
    while left >= WEIGHTS[x][place]:
        left, place = left - WEIGHTS[x][place], place + 1
    return PAIRS[place]


#: ln 9 = 2.1972..
CHOICE = Measurement(BIT, drawn, {"pure": Fraction(22, 10)}, name="choice")


def first_law(x: int, stop: Fraction, threshold: int) -> Law:
    chances = {pair: Fraction(w, 13) for pair, w in zip(PAIRS, WEIGHTS[x], strict=True)}
    above = sum((p for pair, p in chances.items() if pair[0] >= threshold), Fraction(0))
    ends = stop + (1 - stop) * above
    law: Law = {pair: p / ends for pair, p in chances.items() if pair[0] >= threshold}
    return {**law, None: stop * (1 - above) / ends}


def test_first_above_costs_less_than_two_epsilon_and_not_much() -> None:
    item = first_above(CHOICE, Fraction(1, 1000), 2)
    laws = [first_law(x, Fraction(1, 1000), 2) for x in (0, 1)]
    assert all(sum(law.values()) == 1 for law in laws)
    ratio = max(max(laws[0][y] / laws[1][y], laws[1][y] / laws[0][y]) for y in laws[0])
    assert ratio <= exp(num(item.map(1))).upper({})  # type: ignore[arg-type]
    assert 4.38 < item.map(1) < Fraction(22, 5)
    # Above the threshold one pair grows by 9 and the other shrinks by 9: beyond 1.7 epsilon.
    small, large = (Fraction(1, 1000), Fraction(90, 1000)), (Fraction(9, 1000), Fraction(10, 1000))
    stop = Fraction(1, 10**6)
    odds = [pair[0] / (stop + (1 - stop) * sum(pair)) for pair in (small, large)]
    assert Fraction(9) ** 17 < (odds[1] / odds[0]) ** 10


#: A chance that is off by 0.1 is seen, by 0.07 in `make thorough`.
DRAWS = depth(1500, 3000)


def test_first_above_runs_by_its_law() -> None:
    """Chi-square with 2 degrees of freedom below 27.6: false alarm 1e-6 for each input."""
    for x in (0, 1):
        law = first_law(x, Fraction(1, 4), 1)
        with handling(Seeded(3 + x)):
            item = first_above(CHOICE, Fraction(1, 4), 1)
            found = Counter(item(x) for _ in range(DRAWS))
        assert set(found) <= set(law)
        chi = sum((found[y] - DRAWS * float(p)) ** 2 / (DRAWS * float(p)) for y, p in law.items())
        assert chi < 27.6


def test_best_of_runs_by_its_law_and_costs_its_epsilon() -> None:
    """Chi-square with 2 degrees of freedom below 27.6: false alarm 1e-6."""
    assert CHOICE.tree is None
    with pytest.raises(ParameterError, match="is not known"):
        best_of(CHOICE, Fraction(1, 4))
    response = make("laplace", REAL, scale=1)
    base = Measurement(REAL, drawn, tree=response.tree)
    item = best_of(base, Fraction(1, 4))
    # 1 + 2 ln((e + 1/4)/(1 + e/4)) and 1 + ln of the same.
    assert 2.138 < item.map(1) < 2.139 and 1.569 < best_of(base, Fraction(1, 4), 0).map(1) < 1.57
    chances: Law = {pair: Fraction(w, 13) for pair, w in zip(PAIRS, WEIGHTS[0], strict=True)}
    law = best_of_rounds(chances, lambda pair: int(pair[0]), Fraction(1, 4))
    with handling(Seeded(8)):
        found = Counter(item(0) for _ in range(DRAWS))
    expected = {y: DRAWS * float(law.pmf(y)[0]) for y in PAIRS}
    assert sum((found[y] - e) ** 2 / e for y, e in expected.items()) < 27.6


def test_failing_and_nan_rounds_are_below_every_threshold() -> None:
    def fails(x: Any) -> Any:
        raise ValueError(str(x))

    for function in (fails, lambda x: (float("nan"), x), lambda x: x):
        item = first_above(Measurement(BIT, function, {"pure": "d_in"}), Fraction(1, 2), 0)
        assert item(1) is None
    noise = make("laplace", REAL, scale=1).tree

    def sometimes(x: Any) -> Any:
        source: Any = getattr(current_handler(), "source")  # noqa: B009
        return (1, 1) if source.below(2) else fails(x)

    item = best_of(Measurement(BIT, sometimes, tree=noise), Fraction(1, 50))
    with handling(Seeded(1)):
        found = [item(1) for _ in range(5)]
    assert found == [(1, 1)] * 5
    for stop in (0, 1.5, -1):
        with pytest.raises(ParameterError, match="stop"):
            first_above(CHOICE, stop, 0)
    with pytest.raises(ParameterError, match="NaN"):
        first_above(CHOICE, 0.5, float("nan"))
    with pytest.raises(ParameterError, match="no epsilon"):
        first_above(make("gaussian", REAL, scale=1), 0.5, 0)


# -- parts


def test_parts_cost_the_worst_allocation() -> None:
    noisy = counted(TABLE, 2)
    unsized = partitioned(TABLE, None, (0, 1), noisy)
    swapped = partitioned(tables("ChangeOne", 4), None, (0, 1), noisy)
    assert unsized.map(1) == Fraction(1, 2) and swapped.map(1) == 1
    # One replaced row leaves a part and enters the other: with discrete noise it is attained.
    two = [
        ProductLaw(tuple(DiscreteLaplaceLaw(k, Fraction(2)) for k in n)) for n in ((2, 2), (1, 3))
    ]
    attained = max_divergence(*two)
    assert not isinstance(attained, float) and attained[1] == swapped.map(1)
    different = partitioned(TABLE, None, (0, 1), [counted(TABLE, 2), counted(TABLE, 4)])
    assert different.map(1) == Fraction(1, 2) and different.trust == "proved"


def test_parts_hold_the_rows_of_their_key() -> None:
    seen: list[Any] = []
    spy = Measurement(TABLE, lambda rows: seen.append(list(rows)), tree=counted(TABLE).tree)
    by = partitioned(TABLE, lambda row: 10 // row, (10, 5), spy)
    assert by([1, 0, 2, 3, 1]) == {10: None, 5: None} and seen == [[1, 1], [2]]
    assert by.trust == "asserted"
    with pytest.raises(ParameterError, match="all different"):
        partitioned(TABLE, None, (1, 1), spy)
    with pytest.raises(ParameterError, match="2 keys"):
        partitioned(TABLE, None, (1, 2), [spy])
    with pytest.raises(SpaceError, match="private"):
        partitioned(tables("ChangeOne", 3), None, (1,), counted(tables("ChangeOne", 3)))


# -- profiles


def test_profiles_of_what_was_drawn_are_exact() -> None:
    profile = profile_at(make("gaussian", REAL, scale=10), 1)
    assert profile.epsilon(1e-6) == pytest.approx(0.3968573776, abs=2e-6)
    assert profile.epsilon(1e-6) >= 0.39685737764
    assert PrivacyProfile.of_rho(Fraction(1, 200)).epsilon(1e-6) == pytest.approx(0.429941469)
    assert profile.delta(0.39685737764) <= 1.0001e-6 and profile.epsilon(0) == inf
    assert profile_at(make("gaussian", REAL, scale=10), 0).epsilon(0) == 0


def test_pairs_have_the_profile_of_randomized_response() -> None:
    laws = [RandomizedResponseLaw(i, 2, Fraction(1)) for i in (0, 1)]
    profile = PrivacyProfile.of_pair(1)
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        exact = hockey_stick(laws[0], laws[1], epsilon)
        assert exact[0] <= profile.exact_delta(epsilon) <= exact[1] + Fraction(1, 10**20)
    steps = [profile.exact_delta(Fraction(k, 10)) for k in range(12)]
    assert steps == sorted(steps, reverse=True) and steps[-1] == 0
    middle = profile.exact_epsilon(Fraction(1, 10))
    assert profile.exact_delta(middle) <= Fraction(1, 10) and middle < 1
    failing = PrivacyProfile.of_pair(1, Fraction(1, 100))
    half = hockey_stick(laws[0], laws[1], Fraction(1, 2))
    rest = Fraction(1, 100) + Fraction(99, 100) * half[0]
    assert rest <= failing.exact_delta(Fraction(1, 2)) <= rest + Fraction(1, 10**20)
    assert failing.delta(1) == 0.01 and failing.epsilon(Fraction(1, 1000)) == inf


def test_profiles_compose() -> None:
    gauss = profile_at(make("gaussian", REAL, scale=10), 1)
    both = gauss + gauss
    once, twice = gauss.epsilon(1e-6), both.epsilon(1e-6)
    assert once < twice < 2 * once
    curve = PrivacyProfile(lambda e: 1e-9 if e >= 0.25 else 1.0)
    mixed = gauss + curve
    assert 0.25 + once <= mixed.epsilon(1.002e-6) < 0.27 + once
    with pytest.raises(ParameterError, match="curve is 2"):
        PrivacyProfile(lambda e: 2.0).delta(1)
    with pytest.raises(ParameterError, match="delta is 3"):
        gauss.epsilon(3)
    with pytest.raises(ParameterError):
        gauss.delta(-1)


def test_fixed_deltas_compose_through_what_was_drawn() -> None:
    one = fix_delta(make("gaussian", REAL, scale=10), 1e-6)
    two = compose([one, one])
    (alone, _), (both, delta) = one.map(1), two.map(1)  # type: ignore[misc]
    assert delta == Fraction(2, 10**6) and alone < both < Fraction(15, 10) * alone
    drawn_once = compose([make("gaussian", REAL, scale=10)] * 2)
    assert both == drawn_once.epsilon(Fraction(2, 10**6)).epsilon
    far = make("clamp", Records(Scalar("Data", kind="float")), lower=0, upper=5)
    chain = far >> make("sum", far.output_space)
    again = chain >> compose([one, one])
    assert again.map(2) == two.map(10)
    by_hand = fix_delta(Measurement(REAL, abs, {"zcdp": "d_in**2/200"}), 1e-6)
    assert float(by_hand.map(1)[0]) == pytest.approx(0.429941469)  # type: ignore[index]
    pair = Measurement(REAL, abs, {"approx": ("d_in", "d_in/1000")})
    assert fix_delta(pair, Fraction(1, 10**6)).map(1)[0] == inf  # type: ignore[index]
    for delta in (0, 1, -1):
        with pytest.raises(ParameterError, match="delta"):
            fix_delta(one, delta)


def test_an_enormous_loss_is_bounded_without_a_search() -> None:
    steep = fix_delta(make("gaussian", REAL, scale=Fraction(1, 2**100)), 1e-6)
    loss = steep.map(1)[0]  # type: ignore[index]
    assert 2**199 <= loss < 2**200
    # Just beyond the limit of the search, it is above the exact profile and within a few percent.
    noise = make("gaussian", REAL, scale=Fraction(1, 64))
    exact = noise.epsilon(Fraction(1, 10**6), d_in=Fraction(11, 10)).epsilon
    bound = fix_delta(noise, 1e-6).map(Fraction(11, 10))[0]  # type: ignore[index]
    assert exact <= bound <= exact * Fraction(105, 100)


def test_readings_under_weaker_measures() -> None:
    pure = Measurement(REAL, abs, {"pure": "d_in"})
    assert in_measure(pure, "approx").map(2) == (2, 0)
    assert float(in_measure(pure, "zcdp").map(1)) == pytest.approx(0.46211715726)  # type: ignore[arg-type]
    # The law that attains it: randomized response; its KL divergence is epsilon tanh(epsilon / 2).
    with pytest.raises(ParameterError, match="no pure map"):
        in_measure(make("gaussian", REAL, scale=1), "pure")


def test_all_pairs_of_a_sampled_response_keep_the_bound() -> None:
    """Poisson samples of up to three rows, then randomized response on the parity of the sample."""
    q, keep = Fraction(1, 3), Fraction(3, 4)

    def law(rows: tuple[int, ...]) -> Fraction:
        total = Fraction(0)
        for taken in product((0, 1), repeat=len(rows)):
            chance = Fraction(1)
            for coin in taken:
                chance *= q if coin else 1 - q
            odd = sum(r for r, coin in zip(rows, taken, strict=True) if coin) % 2
            total += chance * (keep if odd else 1 - keep)
        return total

    bound = 1 + q * (keep / (1 - keep) - 1)
    attained = Fraction(0)
    for rows in ((0,), (1,), (1, 1), (0, 1)):
        for more in (0, 1):
            p, r = law(rows), law((*rows, more))
            attained = max(attained, p / r, r / p, (1 - p) / (1 - r), (1 - r) / (1 - p))
    assert attained <= bound
