"""Mechanisms that choose, end to end: what a checked program draws has the law that was proved.

Each program runs 2000 times with one seed; counts per outcome are binomial under the exact
law, so a correct program fails one comparison with probability below 1e-9 (two-sided binomial
tails), and there are fewer than 50.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import exp, factorial, inf, log
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from depth import depth
from foreign_mechanisms import family
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from metricdp.errors import NotProvedError, ParameterError, PostProcessingError
from metricdp.families.chosen import _differences
from metricdp.families.family import Draw
from metricdp.laws import max_divergence
from metricdp.laws.selection import (
    above_threshold_law,
    exponential_law,
    noisy_max_law,
    permute_and_flip_law,
    positions_above_law,
)
from metricdp.noise import SeededSource, certified, discrete_laplace
from metricdp.noise.discrete_scalar import open_laplaces
from metricdp.noise.grid import to_ticks
from metricdp.noise.selection import (
    exponential_choice,
    first_above,
    noisy_max,
    permuted_flips,
    positions_above,
)
from metricdp.noise.vector_discrete import open_in_arrays
from metricdp.run.emit import Recording, Replay, Seeded, handling

FALSE_ALARM = 1e-9
#: A chance that is off by 0.14 is seen, by 0.1 in `make thorough`.
ROUNDS = depth(1000, 2000)
#: Runs of a program: they see a scale that is twice or half of what it should be.
RUNS = 1200

PROGRAMS = """
@dp.measurement
def weighted(x: dp.Records[int], eps: float):
    score = lambda c: 2 * dp.count(lambda v: v < c, x)
    return dp.exponential_mechanism(2, eps, (3, 5, 9), score)


@dp.measurement
def weighted_by_target(x: dp.Records[int], candidates: tuple[int, ...], eps: float):
    score = lambda c: dp.count(lambda v: v < c, x)
    return dp.exponential_mechanism(candidates=candidates, score=score, epsilon=eps)


@dp.measurement
def largest(x: dp.Vector[Real, L1], b: float):
    return dp.report_noisy_max(x, scale=b)


@dp.measurement
def largest_of_list(x: Real, y: Real, eps: float):
    return dp.report_noisy_max([x, 2 * y, x + y], epsilon=eps)


@dp.measurement
def first(x: dp.Records[int], eps: float, threshold: float):
    queries = [lambda rows: dp.count(lambda v: v < 3, rows), lambda rows: dp.count(rows), dp.count]
    return dp.above_threshold(queries, eps, x, threshold)


@dp.measurement
def flipped(x: dp.Records[int], eps: float):
    score = lambda c: dp.count(lambda v: v < c, x)
    return dp.permute_and_flip((3, 5, 9), score, epsilon=eps, monotone=True)


@dp.measurement
def several(x: dp.Records[int], eps: float, c: int):
    queries = [dp.count, lambda rows: dp.count(lambda v: v > 5, rows), dp.count, dp.count]
    return dp.above_threshold(queries, eps, x, 5, reports=c)


@dp.measurement
def unmoved(x: Real, b: float):
    return dp.report_noisy_max([x, x + 1, x - 5], scale=b)


@dp.measurement
def with_count(x: dp.Records[int], eps: float):
    limits = [3, 9]
    i = dp.report_noisy_max([dp.count(lambda v: v < c, x) for c in limits], epsilon=eps)
    return limits[i], dp.laplace(dp.count(lambda v: v < limits[i], x), epsilon=eps)
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("selection"), PROGRAMS)


def fits(found: Counter[Any], law: Any) -> None:
    """Every count lies within the binomial quantiles of its probability."""
    rounds = sum(found.values())
    assert set(found) <= set(law.support())
    for outcome in law.support():
        low, high = (float(p) for p in law.pmf(outcome))
        at_most = binom.cdf(found[outcome], rounds, low)
        at_least = binom.sf(found[outcome] - 1, rounds, high)
        assert min(at_most, at_least) > FALSE_ALARM / 2, (outcome, found, low, high)


def draws(function: Any, *args: Any, seed: int = 7, **public: Any) -> Counter[Any]:
    with handling(Seeded(seed)):
        return Counter(function(*args, **public).value for _ in range(RUNS))


VISITS = [1, 1, 4, 4, 8]  # below 3, 5, 9: 2, 4, 5


def test_exponential_weights(programs: ModuleType) -> None:
    found = draws(programs.weighted, VISITS, eps=1.0)
    # T = 2 s / eps = 4 and scores 4, 8, 10.
    law = exponential_law([4, 8, 10], Fraction(4))
    fits(Counter({(3, 5, 9).index(c): n for c, n in found.items()}), law)


def test_exponential_weights_by_target(programs: ModuleType) -> None:
    found = draws(programs.weighted_by_target, VISITS, candidates=(9, 3), eps=0.5)
    # Counts rise together: T = 1 / eps.
    law = exponential_law([5, 2], Fraction(2))
    fits(Counter({(9, 3).index(c): n for c, n in found.items()}), law)


def fine(scores: list[Fraction | int], scale: int) -> Any:
    """Law of the noisy maximum, on a grid of 2**-7: within 1e-4 of any finer one."""
    return noisy_max_law([int(s * 128) for s in scores], Fraction(scale * 128))


def near(found: Counter[Any], law: Any) -> None:
    """Within 6 standard deviations and the grid's error: false alarm below 1e-8 per outcome."""
    rounds = sum(found.values())
    for outcome in law.support():
        p = float(law.pmf(outcome)[0])
        assert abs(found[outcome] / rounds - p) < 6 * (p * (1 - p) / rounds) ** 0.5 + 0.02


def test_noisy_maximum(programs: ModuleType) -> None:
    near(
        draws(programs.largest, [0.5, 2.5, 1.0], b=1.0),
        fine([Fraction(1, 2), Fraction(5, 2), 1], 1),
    )


def test_noise_of_a_list_comes_from_its_largest_bound(programs: ModuleType) -> None:
    # x, 2 y and x + y move apart by 2 at most: the scale is 2 / eps = 1.
    near(draws(programs.largest_of_list, 3.0, 2.0, eps=2.0), fine([3, 4, 5], 1))


def test_first_above_the_threshold(programs: ModuleType) -> None:
    # D = 1, and all rise together: scales 2 / eps and 2 / eps; answers 2, 5, 5.
    found = draws(programs.first, VISITS, eps=2.0, threshold=4.0)
    near(found, above_threshold_law([2 * 16, 5 * 16, 5 * 16], Fraction(16), Fraction(16), 4 * 16))


def test_no_query_above(programs: ModuleType) -> None:
    with handling(Seeded(1)):
        release = programs.first(VISITS, eps=2.0, threshold=1000.0)
    assert release.value is None and release.interval() is None


def test_scores_that_move_together_cost_nothing(programs: ModuleType) -> None:
    with handling(Seeded(1)):
        release = programs.unmoved(0.1, b=1e-9)
    assert release.value == 1 and release.privacy["epsilon"] == "0"
    for x in (0.1, 1e300, -1e-300):
        # The shared part cancels exactly, so the very same noise gives the very same position.
        with handling(Seeded(5)):
            values = [programs.unmoved(x, b=3.0).value for _ in range(20)]
        with handling(Seeded(5)):
            assert values == [programs.unmoved(0.0, b=3.0).value for _ in range(20)]


COMPARED = """
@dp.measurement
def noisy(x: dp.Records[int], b: float):
    return dp.report_noisy_max([dp.count(lambda v: v < c, x) for c in (2, 3, 9)], scale=b)


@dp.measurement
def both(x: dp.Records[int], b: float):
    return dp.report_noisy_max([dp.count(x), 0 - dp.count(x), 3], scale=b)


@dp.measurement
def replaced(x: dp.Records[int, dp.ChangeOne], b: float):
    return dp.report_noisy_max([dp.count(lambda v: v == c, x) for c in (1, 2)], scale=b)


@dp.measurement
def flips(x: dp.Records[int], b: float):
    large = dp.count(lambda v: v > 1, x)
    scores = [dp.count(lambda v: v == c, x) + large for c in (1, 2, 3)]
    return dp.top_k(scores, 1, scale=b)


@dp.measurement
def above(x: dp.Records[int], b: float):
    queries = [lambda d: dp.count(lambda v: v < 2, d), lambda d: dp.sum(dp.clamp(d, 0, 2))]
    return dp.above_threshold(queries, data=x, threshold=2, scale=b, query_scale=b)


@dp.measurement
def above_apart(x: dp.Records[int], b: float):
    queries = [lambda d: dp.count(d), lambda d: 4 - dp.count(lambda v: v > 1, d)]
    return dp.above_threshold(queries, data=x, threshold=2, scale=b, query_scale=b)
"""


def test_comparisons_cost_what_neighbours_show(tmp_path: Path) -> None:
    """Every table of up to 4 rows over {1, 2, 3}, and those 1, 2 and 3 rows away, by exact laws.

    The noise is small, so that tables of few rows come near to the ends.
    """
    module = load(tmp_path, COMPARED)
    tables = [list(t) for n in range(5) for t in combinations_with_replacement((1, 2, 3), n)]
    costs = {"noisy": 1, "both": 2, "replaced": 2, "flips": 1, "above": 4, "above_apart": 3}
    for name, cost in costs.items():
        function = getattr(module, name)
        assert function.at(b=0.25).map(1) == 4 * cost, name
        worst = dict.fromkeys((1, 2, 3), 0.0)
        laws = {tuple(t): function.law(t, b=0.25) for t in tables}
        for one, other in product(laws, laws):
            rows = sum((Counter(one) - Counter(other)).values())
            gone = sum((Counter(other) - Counter(one)).values())
            swapped = name == "replaced"
            if swapped and len(one) != len(other):
                continue
            d = rows if swapped else rows + gone
            if d in worst:
                found = float(max_divergence(laws[one], laws[other])[0])
                worst[d] = max(worst[d], found)
                assert found <= 4 * cost * d * (1 + 1e-9), (name, one, other)
        # The tight pairs of the rules come closer.
        assert worst[1] > 4 * cost * 0.4, (name, worst)


def test_a_position_steers_what_follows(programs: ModuleType) -> None:
    with handling(Seeded(3)):
        release = programs.with_count([1] * 500 + [5] * 500, eps=1.0)
    limit, count = release.value
    assert (limit, abs(count - 1000) < 60) == (9, True)
    assert release.privacy["epsilon"] == "2"
    assert [draw.mechanism for draw in release.draws] == ["report_noisy_max", "laplace"]


def test_draws_are_recorded_and_replayed(programs: ModuleType) -> None:
    recorder = Recording(Seeded(2))
    with handling(recorder):
        first = programs.first(VISITS, eps=1.0, threshold=4.0).value
    (entry,) = recorder.log
    assert entry.draw.scale == 2 and entry.draw.extra["query_scale"] == 2
    with handling(Replay(recorder.log)):
        assert programs.first(VISITS, eps=1.0, threshold=4.0).value == first


def test_nothing_to_choose_from(programs: ModuleType) -> None:
    with pytest.raises(ParameterError), handling(Seeded(2)):
        programs.weighted_by_target(VISITS, candidates=(), eps=1.0)
    with pytest.raises(ParameterError):
        exponential_choice([], 1)


def test_a_wrong_claim_does_not_run(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        """
@dp.measurement
def claimed(x: Real, eps: float):
    return dp.exponential_mechanism(1, eps, (1, 2), lambda c: 3 * x if c == 1 else 0)
""",
    )
    with pytest.raises(NotProvedError):
        module.claimed(1.0, eps=1.0)


@pytest.mark.parametrize("scores", [[0, 0], [0, 3, 1], [5, 0, 0, 0]])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3)])
def test_samplers_have_their_exact_laws(scores: list[int], scale: Fraction) -> None:
    source = SeededSource(f"{scores} {scale}")
    exact = [Fraction(s) for s in scores]
    fits(
        Counter(exponential_choice(exact, scale, source) for _ in range(ROUNDS)),
        exponential_law(scores, scale),
    )
    fits(
        Counter(permuted_flips(exact, scale, source) for _ in range(ROUNDS)),
        permute_and_flip_law(scores, scale),
    )
    fits(
        Counter(noisy_max(scores, scale, source) for _ in range(ROUNDS)),
        noisy_max_law(scores, scale),
    )
    fits(
        Counter(first_above(scores, 2, scale, 2 * scale, source) for _ in range(ROUNDS)),
        above_threshold_law(scores, scale, 2 * scale, 2),
    )


@pytest.mark.parametrize("factor", [1.0, 2.0**40, inf])
@pytest.mark.parametrize(
    "scale", [Fraction(1, 3), Fraction(7, 2), 2**31 + Fraction(1, 3), Fraction(2**49), 2**80]
)
def test_the_largest_is_that_of_all_noise_drawn(
    scale: Fraction, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certified, "FACTOR", factor)  # wide margins: more is settled exactly
    rng = Random(str(scale))
    for seed in range(depth(30, 60)):
        source, again, third = (SeededSource(f"{scale} {seed}") for _ in range(3))
        drawn, left = discrete_laplace(scale, None, source), open_laplaces(scale, 1, again)
        assert left.least[0] <= drawn <= left.most[0] and left.value(0) == drawn == left.least[0]
        plain, arrays = (
            enclosing(scale, 20, SeededSource(seed))
            for enclosing in (open_laplaces, open_in_arrays)
        )
        assert (plain.least, plain.most) == (arrays.least, arrays.most)
        spread = rng.choice([0, 1, int(scale) + 1, 5 * int(scale) + 5])
        ticks = [rng.randint(-spread, spread) for _ in range(rng.choice([1, 2, 20]))]
        source = SeededSource(f"{scale} {seed}")
        noisy = [tick + discrete_laplace(scale, None, source) for tick in ticks]
        assert noisy_max(ticks, scale, third) == max(range(len(ticks)), key=noisy.__getitem__)


@given(st.lists(st.fractions(max_denominator=10**6), min_size=1, max_size=5), st.integers(-70, 70))
def test_differences_of_scores_are_the_nearest_steps(scores: list[Fraction], e: int) -> None:
    expected = [to_ticks(score - scores[0], e) for score in scores]
    assert _differences(scores, e) == expected


@pytest.mark.parametrize("law", [
    exponential_law([0, 3, -2], Fraction(1, 3)),
    permute_and_flip_law([0, 3, -2, 3, 1], Fraction(5, 2)),
    noisy_max_law([0, 3, -2, 3], Fraction(5, 2)),
    noisy_max_law([7], Fraction(1)),
    above_threshold_law([0, 3, -2, 9], Fraction(2), Fraction(4), 3),
])  # fmt: skip
def test_laws_are_probabilities(law: Any) -> None:
    low = sum(law.pmf(outcome)[0] for outcome in law.support())
    high = sum(law.pmf(outcome)[1] for outcome in law.support())
    assert low <= 1 <= high and high - low < Fraction(1, 10**30)


def test_a_choice_pays_for_the_rounding_of_its_scores() -> None:
    draw = Draw("s", family("report_noisy_max"), "LInf", Fraction(2), Fraction(1))
    assert draw.grid().tick_scale * draw.grid().step > 2


def enumerated_flips(scores: list[int], scale: float) -> list[float]:
    """The law of permute-and-flip, order by order."""
    coins = [exp((score - max(scores)) / scale) for score in scores]
    found = [0.0] * len(scores)
    for order in permutations(range(len(scores))):
        left = 1 / factorial(len(scores))
        for i in order:
            found[i] += left * coins[i]
            left *= 1 - coins[i]
    return found


@pytest.mark.parametrize("scores", [[0, 0], [0, 3, 1], [5, 0, 0, 4], [2]])
def test_the_closed_form_of_permute_and_flip(scores: list[int]) -> None:
    law = permute_and_flip_law(scores, Fraction(3, 2))
    for i, p in enumerate(enumerated_flips(scores, 1.5)):
        assert float(law.pmf(i)[0]) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("law", [exponential_law, permute_and_flip_law])
def test_monotone_scores_cost_half_and_others_do_not(law: Any) -> None:
    # T = 2: 1/2 for scores that move by 1 in one direction, 1 for any others.
    starts, moves = list(product(range(0, 13, 4), repeat=3)), list(product((0, 1), repeat=3))
    for start in starts:
        for move in moves:
            up = [a + b for a, b in zip(start, move, strict=True)]
            p, q = law(list(start), Fraction(2)), law(up, Fraction(2))
            assert max_divergence(p, q)[0] <= Fraction(1, 2)
            assert max_divergence(q, p)[0] <= Fraction(1, 2)
    worst = max_divergence(law([1, 40, 40], Fraction(2)), law([0, 41, 41], Fraction(2)))
    assert Fraction(99, 100) < worst[0] <= 1


def test_the_rho_of_exponential_weights_does_not_hold_for_permute_and_flip() -> None:
    # No score moves by more than 1: epsilon = 2/T, and KL <= rho.
    epsilon = 0.5
    p, q = (enumerated_flips(scores, 2 / epsilon) for scores in ([0, 0], [1, -1]))
    divergence = max(
        sum(a * log(a / b) for a, b in zip(x, y, strict=True)) for x, y in ((p, q), (q, p))
    )
    assert divergence > epsilon**2 / 8


def test_flips_in_a_program(programs: ModuleType) -> None:
    # Monotone counts at eps = 1/2: T = 2.
    found = draws(programs.flipped, VISITS, eps=0.5)
    fits(
        Counter({(3, 5, 9).index(c): n for c, n in found.items()}),
        permute_and_flip_law([2, 4, 5], Fraction(2)),
    )


@pytest.mark.parametrize("reports", [1, 2, 3])
def test_several_reports_have_their_exact_law(reports: int) -> None:
    source, scale, scores = SeededSource(reports), Fraction(2), [0, 3, 1, 2]
    law = positions_above_law(scores, scale, 2 * scale, 2, reports)
    found = Counter(
        tuple(positions_above(scores, 2, scale, 2 * scale, reports, source)) for _ in range(ROUNDS)
    )
    fits(found, law)
    total = sum(law.pmf(outcome)[0] for outcome in law.support())
    assert 1 - Fraction(1, 10**30) < total <= 1


def test_one_report_is_the_law_of_the_first() -> None:
    several = positions_above_law([0, 3, 1], Fraction(2), Fraction(4), 2, 1)
    first = above_threshold_law([0, 3, 1], Fraction(2), Fraction(4), 2)
    for outcome in (0, 1, 2, None):
        assert several.pmf(() if outcome is None else (outcome,)) == first.pmf(outcome)


def test_noise_for_one_report_does_not_pay_for_two() -> None:
    # D = 1: 1/b1 + 2 c/b2 with b1 = 1/4 and b2 = 1/2 is 8 for one report, and 12 for two.
    p, q = (
        positions_above_law([400 + up] * 8 + [1 - up] * 2, Fraction(1, 4), Fraction(1, 2), 0, 2)
        for up in (0, 1)
    )
    assert 8 < max_divergence(p, q)[0] <= 12


def test_a_program_reports_as_often_as_it_may(programs: ModuleType) -> None:
    with handling(Seeded(1)):
        release = programs.several([1] * 9, eps=1000.0, c=2)
    assert release.value == [0, 2] and release.privacy["epsilon"] == "1000"


FAILING = """
import metricdp as dp


@dp.measurement
def never(ages: dp.Records[float], eps: float):
    def once():
        n = dp.discrete_laplace(dp.count(ages), epsilon=eps)
        return n, 1 // (n - n)
    return dp.private_selection(once, stop=0.5)


@dp.measurement
def sometimes(ages: dp.Records[float], eps: float):
    def once():
        n = dp.discrete_laplace(dp.count(ages), epsilon=eps)
        return n, 10 // (n % 2)
    return dp.private_selection(once, stop=0.05)
"""


def test_a_round_that_raises_is_no_candidate(tmp_path: Path) -> None:
    """In a checked program: even counts divide by 0, so the best is odd; no trace of the others."""
    programs: Any = load(tmp_path, FAILING, "")
    with handling(Seeded(4)):
        told = programs.sometimes([1.0] * 5, eps=1.0)
    assert told.value[0] % 2 == 1 and told.value[1] == 10
    assert len(told.draws) == 1 and told.privacy == {"epsilon": "2.78158", "delta": "0"}
    with handling(Seeded(4)), pytest.raises(PostProcessingError) as caught:
        programs.never([1.0] * 5, eps=1.0)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
