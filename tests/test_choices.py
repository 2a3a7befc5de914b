"""Choices of several positions, quantiles and answers: samplers against exact laws, constants.

Chi-square checks have a false-alarm probability of `noise_checks.FALSE_ALARM`; seeds are fixed.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, expm1
from typing import Any

import numpy as np
import pytest
from depth import depth
from noise_checks import chi_square, middle

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import num
from metricdp.laws import binned
from metricdp.maps import make
from metricdp.noise import flips
from metricdp.noise.flips import flipped_in_turn
from metricdp.noise.source import SeededSource
from metricdp.noise.vector_discrete import exp_coins
from metricdp.primitives import load
from metricdp.primitives.mechanisms import interval_quantile, private_quantile
from metricdp.primitives.mechanisms._quantiles import score, spread
from metricdp.record import REGISTRY
from metricdp.spaces import Records, Scalar, Vector

load()
#: A chance that is off by 0.1 is seen, by 0.07 in `make thorough`.
DRAWS = depth(2000, 4000)
ROWS = [3, 7, 7, 1, 9]
CASES: list[Any] = [
    ("top_k", [0, 3, 1], {"scale": Fraction(2), "k": 2}, tuple),
    ("top_k", [0, 3, 1], {"scale": Fraction(2), "k": 3, "by": "exponential"}, tuple),
    ("private_quantile", ROWS,
     {"candidates": (0, 1, 2, 8), "alpha": Fraction(1, 3), "scale": Fraction(2)},
     (0, 1, 2, 8).index),
    ("private_quantile", ROWS,
     {"candidates": (0, 1, 2, 8), "alpha": Fraction(1, 3), "scale": Fraction(1),
      "by": "exponential"},
     (0, 1, 2, 8).index),
    ("interval_quantile", ROWS,
     {"lower": 0, "upper": 10, "alpha": Fraction(1, 2), "scale": Fraction(1)}, int),
    ("interval_quantile", [-5, 50],
     {"lower": 0, "upper": 4, "alpha": Fraction(1, 2), "scale": Fraction(1)}, int),
    ("randomized_response_kept", "b",
     {"prob": Fraction(1, 5), "choices": ("a", "b", "c")}, str),
    ("randomized_response_bits", [True, False, True], {"f": Fraction(2, 3)}, tuple),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "public", "outcome"), CASES)
def test_samplers_have_their_exact_laws(
    name: str, value: Any, public: dict[str, Any], outcome: Any
) -> None:
    record, source = REGISTRY[name], SeededSource(11)
    assert record.law is not None
    law = record.law(value, **public)
    if name == "interval_quantile":
        # In unit cells.
        law = binned(law, range(1, public["upper"]))
    found = Counter(outcome(record.run(value, **public, source=source)) for _ in range(DRAWS))
    support = law.support()
    assert set(found) <= set(support)
    chi_square([found[k] for k in support], [middle(law.pmf(k)) for k in support])


@pytest.mark.parametrize("scores", [[0, 3, 1], [5, 5, -200, 4], [-(2**61), 2**61]])
@pytest.mark.parametrize("unit", [Fraction(1, 2), Fraction(2**40), Fraction(1, 2**70)])
def test_coins_that_are_flipped_at_once(scores: list[int], unit: Fraction) -> None:
    """The law of one round of `top_k`; chi-square, 1e-9 false alarms."""
    law = REGISTRY["top_k"].law(scores, scale=1 / unit, k=1)  # type: ignore[misc]
    source = SeededSource(17)
    found = Counter(tuple(flipped_in_turn(np.array(scores), unit, 1, source)) for _ in range(DRAWS))
    chances = {outcome: middle(law.pmf(outcome)) for outcome in law.support()}
    likely = [outcome for outcome, chance in chances.items() if chance > Fraction(1, 10**4)]
    assert set(found) <= set(likely)
    if len(likely) > 1:
        chi_square([found[k] for k in likely], [chances[k] for k in likely])


@pytest.mark.parametrize(("scores", "k"), [([0, 3, 1, 2], 1), ([3, 1, 0, 1, 2], 2)])
def test_coins_of_far_scores(scores: list[int], k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that are far from 1 on, so that far ones are taken: chi-square, 1e-9 false alarms.

    So many draws show it if a round begins with a coin that an earlier one has seen.
    """
    monkeypatch.setattr(flips, "FAR", 1)
    monkeypatch.setattr(flips, "RARE", Fraction(1, 2))
    assert exp(-1) < 1 - exp(-0.5) and exp(-16) < -expm1(-(2.0**-23))
    law = REGISTRY["top_k"].law(scores, scale=Fraction(1), k=k)  # type: ignore[misc]
    source = SeededSource(23)
    ticks = np.array(scores)
    found = Counter(tuple(flipped_in_turn(ticks, Fraction(1), k, source)) for _ in range(2 * DRAWS))
    support = law.support()
    assert set(found) <= set(support)
    chi_square([found[o] for o in support], [middle(law.pmf(o)) for o in support])


@pytest.mark.parametrize("size", [129, 1000, 2048])
def test_the_largest_entry_but_some(size: int) -> None:
    """Found among the largest of lines, also where one has all large ones, or all are alike."""
    numbers = np.random.default_rng(5).integers(-9, 9, size)
    for entries in (numbers, np.arange(size), np.arange(size) % 64, np.zeros(size, np.int64)):
        for k in (1, 2, 7, size):
            assert flips._largest_but(entries, k) == sorted(entries.tolist())[-k]


def test_many_candidates_are_chosen_from_in_arrays() -> None:
    """Five of 70 stand out so far that no other is chosen; their order follows the exact law."""
    draws = DRAWS // 2
    scores = [0] * 65 + [900, 901, 903, 905, 907]
    run, source = REGISTRY["top_k"].run, SeededSource(4)
    law = REGISTRY["top_k"].law(scores[65:], scale=Fraction(2), k=2)  # type: ignore[misc]
    found = Counter(
        tuple(i - 65 for i in run(scores, scale=Fraction(2), k=2, source=source))
        for _ in range(draws)
    )
    support = law.support()
    assert set(found) <= set(support)
    likely = [k for k in support if middle(law.pmf(k)) > 0.002]
    rest = draws - sum(found[k] for k in likely)
    chances = [middle(law.pmf(k)) for k in likely]
    chi_square([*(found[k] for k in likely), rest], [*chances, 1 - sum(chances)])
    assert sorted(run(scores, scale=Fraction(2), k=70, source=source)) == list(range(70))


def test_noise_on_many_scores_is_drawn_in_arrays() -> None:
    """Three of 70 stand out so far that no other wins; chi-square, 1e-9 false alarms."""
    ticks = [0] * 67 + [900, 901, 903]
    record, source = REGISTRY["report_noisy_max"], SeededSource(6)
    assert record.law is not None
    law = record.law(ticks[67:], scale=Fraction(2))
    found = Counter(record.run(ticks, scale=Fraction(2), source=source) for _ in range(DRAWS))
    assert set(found) <= {67, 68, 69}
    chances = [middle(law.pmf(k)) for k in range(3)]
    chi_square([found[67 + k] for k in range(3)], chances)


def test_the_interval_is_cut_finely() -> None:
    drawn = {
        interval_quantile.run([2], 0, 4, Fraction(1, 2), Fraction(1), SeededSource(seed))
        for seed in range(200)
    }
    assert len(drawn) == 200 and all(0 <= x <= 4 for x in drawn)


def test_equal_rows_leave_intervals_of_no_length() -> None:
    drawn = interval_quantile.run([2] * 50, 2, 4, Fraction(1, 2), Fraction(1), SeededSource(1))
    assert 2 <= drawn <= 4


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)])
def test_scores_of_quantiles_move_apart_by_the_spread_and_no_more(alpha: Fraction) -> None:
    """Every table of up to 4 rows over 5 values: no move is missed, and the constant is met."""
    numbers, candidates = range(5), (0, 1, 2, 3, 4)
    row = Scalar("Data", kind="int")
    farthest = {"Symmetric": Fraction(0), "ChangeOne": Fraction(0)}

    def apart(x: list[int], y: list[int]) -> Fraction:
        pairs = zip(
            private_quantile.scores(x, candidates, alpha),
            private_quantile.scores(y, candidates, alpha),
            strict=True,
        )
        moves = [b - a for a, b in pairs]
        return max(moves) - min(moves)

    for size in range(4):
        for rest in combinations_with_replacement(numbers, size):
            for new in numbers:
                there = [*rest, new]
                farthest["Symmetric"] = max(farthest["Symmetric"], apart([*rest], there))
                for other in numbers:
                    moved = apart([*rest, other], there)
                    farthest["ChangeOne"] = max(farthest["ChangeOne"], moved)
    for metric, seen in farthest.items():
        bound = spread(Records(row, metric), num(alpha)).as_fraction()
        assert bound is not None and seen <= bound
    assert farthest["Symmetric"] == spread(Records(row), num(alpha)).as_fraction()
    assert farthest["ChangeOne"] == (2 if alpha else 1)


def test_score_is_zero_at_the_quantile() -> None:
    assert score(1, 3, Fraction(1, 4)) == 0
    assert score(4, 0, Fraction(1, 4)) == -3


def test_more_positions_than_candidates() -> None:
    scores = Vector("Int", "LInf", num(3))
    with pytest.raises(ParameterError, match="3 >= `k` does not hold"):
        make("top_k", scores, k=4, scale=1)
    short = make("top_k", Vector("Int", "LInf"), k=4, scale=1)
    assert sorted(short([5, 6, 7])) == [0, 1, 2]


def test_real_scores_are_not_rounded_before_the_noise() -> None:
    """Laplace noise on scores that lie between grid points is not offered by the library."""
    with pytest.raises(SpaceError, match="between its points"):
        make("report_noisy_max", Vector("Real", "LInf", num(3)), scale=1)
    assert make("report_noisy_max", Vector("Int", "LInf", num(3)), scale=1).map(1) == 2


def test_answers_rarer_than_the_others_pay_too() -> None:
    """p < 1/k: ln(p/q) is negative, and taking it would make every answer free."""
    from metricdp.laws import max_divergence

    record = REGISTRY["randomized_response_kept"]
    assert record.law is not None
    public = {"prob": Fraction(1, 10), "choices": ("a", "b", "c")}
    exact = max_divergence(record.law("a", **public), record.law("b", **public))
    made = make("randomized_response_kept", Scalar("Data", kind="str"), **public)
    assert not isinstance(exact, float)
    assert 0 < exact[0] <= made.map(1) <= exact[1] + Fraction(1, 10**12)


@pytest.mark.parametrize("prob", [0, 1, -1, 2])
def test_certain_answers_are_refused(prob: int) -> None:
    with pytest.raises(ParameterError):
        make("randomized_response_kept", Scalar("Bool"), prob=prob)


PROGRAM = """
import metricdp as dp


@dp.measurement
def first_limit(ages: dp.Records[float], limits: tuple[float, ...], eps: float):
    return dp.above_threshold(
        lambda rows, c: dp.count(lambda a: a < c, rows), eps, ages, 40, candidates=limits
    )


@dp.measurement
def best(ages: dp.Records[float], eps: float):
    counts = [dp.count(lambda a: a < c, ages) for c in (20, 60, 40)]
    return dp.top_k(counts, 2, epsilon=eps, monotone=True)


@dp.measurement
def middle_of(ages: dp.Records[float], eps: float):
    return dp.interval_quantile(ages, 0, 100, 0.5, epsilon=eps)


@dp.measurement
def nearest(ages: dp.Records[float], limits: tuple[float, ...], eps: float):
    return dp.private_quantile(ages, limits, 0.5, epsilon=eps)


@dp.measurement
def words(said: dp.Records[str], eps: float, delta: float):
    return dp.stable_histogram(said, epsilon=eps, delta=delta)


@dp.measurement
def by_key(said: dp.Records[str]):
    return dp.laplace_threshold(dp.count_by(said), scale=2, threshold=30)


@dp.measurement
def truth(x: dp.Bool, p: float):
    return dp.randomized_response_kept(x, prob=p)
"""


def test_programs_run(tmp_path: Any) -> None:
    from checked_modules import load as loaded

    programs = loaded(tmp_path, PROGRAM, head="")
    ages = [float(i) for i in range(100)]
    # With epsilon 200 a wrong answer has a chance below e^-40.
    assert programs.first_limit(ages, (10.0, 30.0, 60.0, 80.0), eps=200.0).value == 2
    assert programs.best(ages, eps=200.0).value == [1, 2]
    assert 40 < programs.middle_of(ages, eps=200.0).value < 60
    assert programs.nearest(ages, (1.0, 50.0, 99.0), eps=200.0).value == 50
    told = programs.words(["a"] * 90 + ["b"] * 2, eps=200.0, delta=1e-9)
    assert told.value == {"a": 90, "b": 2}
    assert told.privacy == {"epsilon": "200", "delta": "1e-9"}
    few = programs.words(["a"] * 500 + ["b"] * 2, eps=1.0, delta=1e-9)
    assert list(few.value) == ["a"]
    assert list(programs.by_key(["a"] * 200 + ["b"]).value) == ["a"]
    assert programs.truth(True, p=0.5).value in (True, False)


@pytest.mark.parametrize("last", [0, 2**62])
def test_few_gaps_and_many_flip_the_same_coins(last: int) -> None:
    """A byte that is below the chance is heads, one above it tails, whatever follows; with one huge
    gap the chances are computed for every coin, without it once for every gap."""
    unit, gaps = Fraction(1, 7), np.append(np.arange(4000) % 100, last)
    coins = exp_coins(gaps, unit, SeededSource(3))
    first = np.frombuffer(SeededSource(3).take(len(gaps)), "u1").astype(float)
    chances = 256 * np.exp(-gaps.astype(float) / 7)
    assert coins[first + 1 < chances * (1 - 1e-9)].all()
    assert not coins[first > chances * (1 + 1e-9)].any()
    assert (abs(first + 0.5 - chances) < 0.5).sum() > 5 and coins[-1] == (not last)


def test_rounds_that_share_chances_flip_the_same_coins() -> None:
    """Also where the gaps of a round decide how many kinds there are, and none are shared."""
    known: dict[int, Any] = {}
    for gaps in (np.arange(900) % 400, np.arange(700) % 3, np.arange(300) % 5, np.arange(300) * 9):
        own = exp_coins(gaps, Fraction(1, 10), SeededSource(4))
        shared = exp_coins(gaps, Fraction(1, 10), SeededSource(4), known)
        assert (own == shared).all() and 0 < own.sum() < len(gaps)
    assert set(known) == {602}
