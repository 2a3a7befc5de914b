"""Keys of which each person weighs 1 in all, in Euclidean length: alike wherever rows lie, and no
further apart than persons are.

Pairs of tables differ by 1 to 3 persons, added, removed or replaced; the sums that the engine gives
are held against what the rule says of every norm, and weights that are not divided by the root of
how many values a person has are caught.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import erfc, expm1, log1p, sqrt
from random import Random
from typing import Any

import pytest
from depth import depth
from test_frequent import pair

import metricdp as dp
from metricdp.expr import ONE, num, root
from metricdp.primitives.mechanisms import gaussian_threshold
from metricdp.primitives.records import weighted_count_by
from metricdp.record import MOVED, Arg
from metricdp.spaces import Keyed, Scalar


@dataclass
class Visit:
    who: int
    where: str


PLACES = ("", "a", "ä", "b", "z")


@dp.transformation
def weighed(rows: dp.Records[Visit, dp.Ids("who")], k: int):
    return dp.weighted_count_by(rows, "who", by="where", groups=k)


@dp.measurement
def found(rows: dp.Records[Visit, dp.Ids("who")], sigma: float, threshold: float):
    weights = dp.weighted_count_by(rows, "who", by="where", groups=4)
    return dp.gaussian_threshold(weights, scale=sigma, threshold=threshold)


def table(persons: dict[int, list[int]], rng: Random) -> list[Visit]:
    rows = [Visit(who, PLACES[what % 5]) for who, all_of in persons.items() for what in all_of * 2]
    rng.shuffle(rows)
    return rows


def lengths(x: dict[str, Fraction], y: dict[str, Fraction]) -> tuple[int, float, float, float]:
    gaps = [abs(float(x.get(key, 0)) - float(y.get(key, 0))) for key in {**x, **y}]
    return (sum(gap > 0 for gap in gaps), sum(gaps), sqrt(sum(gap**2 for gap in gaps)),
            max(gaps, default=0))  # fmt: skip


def in_duckdb(connection: Any, name: str, rows: list[Visit]) -> Any:
    connection.execute(f"CREATE OR REPLACE TABLE {name} (who INT, where_ TEXT)")
    connection.execute(f'ALTER TABLE {name} RENAME where_ TO "where"')
    for row in rows:
        connection.execute(f"INSERT INTO {name} VALUES (?, ?)", (row.who, row.where))
    return connection.table(name)


def test_alike_on_lists_arrays_and_duckdb_and_as_far_apart_as_persons() -> None:
    duckdb, np = pytest.importorskip("duckdb"), pytest.importorskip("numpy")
    rng, connection = Random(4), duckdb.connect()
    for number in range(depth(12, 100)):
        d, k, sums = rng.choice((1, 2, 3)), rng.choice((1, 2, 3)), []
        for persons in pair(rng, d, False):
            rows = table({who: [w + who for w in all_of] for who, all_of in persons.items()}, rng)
            own = weighted_count_by.run([_built(row) for row in rows], "0", "1", k)
            columns = {name: np.array([vars(r)[name] for r in rows], t)
                       for name, t in (("who", np.int64), ("where", object))}  # fmt: skip
            given = [rows, columns, in_duckdb(connection, f"t{number}", rows)]
            assert all(weighed(each, k=k) == own for each in given)
            sums.append(own)
        bounds = (k * d, sqrt(k) * d, d, d)
        assert all(a <= b + 1e-9 for a, b in zip(lengths(*sums), bounds, strict=True))


def _built(row: Visit) -> Any:
    return (row.who, row.where)


@pytest.mark.parametrize("change", [False, True])
def test_no_pair_is_further_apart_and_a_wrong_weight_is_caught(change: bool) -> None:
    rng, caught, worst = Random(5), 0, 0.0
    for _ in range(depth(400, 5000)):
        d, k = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
        both = [[(who, what) for who, all_of in persons.items() for what in all_of]
                for persons in pair(rng, d, change)]  # fmt: skip
        sums = [weighted_count_by.run(rows, "0", "1", k) for rows in both]
        found = lengths(*sums)
        each = 2 if change else 1
        bounds = (each * k * d, each * sqrt(k) * d, sqrt(each) * d, d)
        assert all(a <= b + 1e-9 for a, b in zip(found, bounds, strict=True))
        worst = max(worst, found[2] / bounds[2])
        unweighted = [Counter(what for _, what in {*rows}) for rows in both]
        caught += lengths(*unweighted)[2] > bounds[2] + 1e-9  # type: ignore[arg-type]
    assert worst > 0.99 and caught > 5


def test_what_is_released_and_what_it_costs() -> None:
    rows = [Visit(who, "many") for who in range(200)] + [Visit(7, f"one {i}") for i in range(9)]
    with dp.handling(dp.Seeded(1)):
        release = found(rows, sigma=4.0, threshold=26.0)
    assert [*release.value] == ["many"] and 170 < release.value["many"] < 230
    text = str(found.guarantee)
    assert "1/(2*sigma**2)" in text and "at most 4 values of where of each who" in text
    # Four new keys that weigh 1 together, each a half, and not 1 each.
    alike = 4 * erfc((26 - 1 / 2) / 4 / sqrt(2)) / 2
    delta = float(release.privacy["delta"])
    assert alike <= delta <= 1.51 * alike < 4 * erfc((26 - 1) / 4 / sqrt(2)) / 2
    assert Fraction(release.privacy["rho"]) == Fraction(1, 32)


def test_a_person_with_few_keys_counts_more() -> None:
    rows = [Visit(who, "home") for who in range(10)]
    rows += [Visit(99, place) for place in ("home", "a", "b", "c")]
    sums = weighed(rows, k=4)
    assert sums["home"] == 10 + Fraction(1, 2) and sums["a"] == Fraction(1, 2)


# -- delta ------------------------------------------------------------------------------------


def claimed(sigma: float, threshold: float, k: int, d: int) -> float:
    """The delta that the rule gives for d persons with k keys each."""
    space = Keyed(Scalar("Data", kind="str"), Scalar("Real"), "L02Inf", (num(k), ONE, ONE))
    given = {name: Arg(value=num(Fraction(v)), text=name)
             for name, v in (("scale", sigma), ("threshold", threshold))}  # fmt: skip
    (event,) = gaussian_threshold.rule(Arg(space=space, private=True, text="x"), **given).events
    _, delta = event.privacy["approx_zcdp"]
    return float(delta.subs({str(MOVED): num(d)}).upper({}))


def seen(values: list[float], sigma: float, threshold: float) -> float:
    """The chance that one of the keys with these values is released, exactly."""
    hidden = 0.0
    for value in values:
        hidden += log1p(-erfc((threshold - value) / sigma / sqrt(2)) / 2)
    return -expm1(hidden)


def additions(rng: Random, k: int, d: int) -> list[float]:
    """What d persons add, of whom each has the same number of keys, or another one, in part the
    same keys."""
    many = [rng.choice((1, 2, 3, k, rng.randint(1, k))) for _ in range(d)]
    many = [min(k, n) for n in many]
    found: Counter[int] = Counter()
    for number, n in enumerate(many):
        first = number * k if rng.random() < 0.4 else rng.choice((0, 1))
        for key in range(first, first + n):
            found[key] += 1 / sqrt(n)  # type: ignore[assignment]
    return [*map(float, found.values())]


def too_small(rng: Random) -> bool:
    k, d = rng.choice((2, 3, 10, 100, 10**5)), rng.choice((1, 2, 3))
    sigma = rng.choice((0.25, 0.5, 1, 2, 5, 20))
    threshold = d * rng.choice((1, 1.01, 1.5, 2)) + sigma * rng.choice((0, 1, 3, 4.5, 5.5, 7))
    bound = claimed(sigma, threshold, k, d)
    small = [d / sqrt(k * d)] * min(k * d, 10**5)
    worst = max(seen(v, sigma, threshold) for v in (additions(rng, k, d), small, [float(d)]))
    return worst > bound * (1 + 1e-9)


def test_no_persons_are_seen_more_often_than_delta_says() -> None:
    rng = Random(6)
    assert not any(too_small(rng) for _ in range(depth(60, 2000)))


def _without(part: str) -> Any:
    """The two bounds with an end of the first, or a summand of the second, left out."""

    def wrong(sigma: Any, threshold: Any, moved: Any, whole: bool) -> Any:
        l0, l2, linf = moved
        chance = partial(gaussian_threshold._seen_once, sigma, threshold, whole=whole)
        if part == "start":
            return (l0 * chance(num(0)) + l2**2 / linf**2 * (chance(linf) - chance(num(0))),)
        if part == "others":
            return (l2**2 / linf**2 * chance(linf),)
        return (l0 * chance(l2 / root(l0)),)

    return wrong


@pytest.mark.parametrize("part", ["start", "others", "one alone"])
def test_a_delta_that_leaves_something_out_is_seen(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaussian_threshold, "_among", _without(part))
    rng = Random(6)
    assert any(too_small(rng) for _ in range(depth(150, 2000)))


def test_delta_is_near_that_of_one_person() -> None:
    """Ten keys at 1e-6: thresholds of 6.2 and 27.0 before; 5.753 and 26.313 are true."""
    for sigma, near, before in ((0.5, 3.378, 3.59), (1, 5.78, 6.19), (5, 26.33, 26.99)):
        assert claimed(sigma, near, 10, 1) <= 1e-6 < claimed(sigma, near - 0.06, 10, 1)
        assert 1 - (1 - erfc((before - 1) / sigma / sqrt(2)) / 2) ** 10 > 1e-6
