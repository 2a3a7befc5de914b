"""Laws of measurements around measurements: samples of rows, and private selection.

Closed forms are compared with sums over the rounds and with every sample by hand, samplers by
chi-square with false-alarm probability 1e-9 per check, seeds fixed.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from itertools import pairwise, product
from typing import Any

import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st
from noise_checks import chi_square, middle

import metricdp as dp
from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.laws import (
    DiscreteLaplaceLaw,
    FiniteLaw,
    GridLaw,
    mixture,
)
from metricdp.laws.mixture import MixtureLaw
from metricdp.laws.private_selection import best_of_rounds, best_round_law, first_round_law
from metricdp.laws.row_samples import MOST, row_samples
from metricdp.maps import compose, make
from metricdp.maps.distances import space_of
from metricdp.maps.samples import sampled
from metricdp.maps.selection import best_of, first_above
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Records, Scalar

SCORES = space_of(dp.Vector[dp.Int, dp.LInf], "x")
ROWS = space_of(dp.Records[float], "x")
SIZED = Records(Scalar("Data", kind="float"), "ChangeOne", num(2))
DRAWS = 2000


def draws(measurement: Any, x: Any, seed: str) -> list[Any]:
    with handling(Seeded(seed)):
        return [measurement(x) for _ in range(DRAWS)]


def fits(law: Any, drawn: list[Any]) -> None:
    counts = Counter(drawn)
    assert counts.keys() <= set(law.support())
    chi_square([counts[k] for k in law.support()], [middle(law.pmf(k)) for k in law.support()])


def pairs(scale: int = 2) -> Any:
    """(score, value): two positions, each chosen privately."""
    return compose([make("permute_and_flip", SCORES, scale=s) for s in (scale, 1)])


def noisy_count(mechanism: str = "discrete_laplace", space: Any = ROWS) -> Any:
    count = make("count", space)
    return count >> make(mechanism, count.output_space, scale=1)


def noisy_sum(space: Any, mechanism: str = "laplace") -> Any:
    clamped = make("clamp", space, lower=0, upper=4)
    total = make("sum", clamped.output_space)
    return clamped >> total >> make(mechanism, total.output_space, scale=2)


SHAPES = [F(1), F(0), F(-1, 2), F(1, 3)]
MASSES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(MASSES, st.sampled_from([F(1, 3), F(3, 5), F(1)]), st.sampled_from(SHAPES))
@settings(max_examples=depth(20, 40), deadline=None)
def test_the_best_round_in_closed_form_is_the_sum_over_rounds(
    weights: list[int], stop: F, shape: F
) -> None:
    base = FiniteLaw.counts(weights)

    def score(y: int) -> int:
        return y // 2  # with ties

    closed = best_round_law(base, score, stop, shape)
    summed = best_of_rounds(dict(base.probability), score, stop, shape, 150)
    for y in base.support():
        (a, b), (c, d) = closed.pmf(y), summed.pmf(y)
        assert a <= d and c <= b and b - a < F(1, 10**40) and d - c < F(1, 10**20)
    assert shape != 1 or isinstance(closed, FiniteLaw)


@given(MASSES, st.integers(0, 4), st.sampled_from([F(1, 3), F(1)]))
@settings(max_examples=depth(15, 30), deadline=None)
def test_the_first_round_that_is_reached_by_the_series(
    weights: list[int], least: int, stop: F
) -> None:
    base = FiniteLaw.counts(weights)
    found = first_round_law(base, lambda y: y >= least, stop)
    below = base.event(lambda y: y < least)
    for y in base.support():
        if y >= least:
            series = sum(base[y] * (below * (1 - stop)) ** k for k in range(400))
            assert abs(found.pmf(y)[0] - series) < F(1, 10**15)
        else:
            assert not found.pmf(y)[1]
    assert abs(sum(found.pmf(k)[0] for k in found.support()) - 1) == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_best_of_releases_by_its_law(shape: F) -> None:
    made = best_of(pairs(), F(1, 3), shape)
    fits(made.law([0, 1, 3]), draws(made, [0, 1, 3], f"best {shape}"))


def test_first_above_releases_by_its_law() -> None:
    made = first_above(pairs(), F(1, 4), 1)
    fits(made.law([0, 1, 3]), draws(made, [0, 1, 3], "first"))
    assert None in made.law([0, 1, 3]).support()
    never = first_above(pairs(), F(1, 4), 9)
    assert never.law([0, 1]).pmf(None)[1] == 1


def test_selection_of_what_has_no_finite_law_is_refused() -> None:
    noisy = compose([noisy_count(), noisy_count()])
    with pytest.raises(ParameterError, match="infinitely many outcomes"):
        best_of(noisy, F(1, 3)).law([1.0])
    single = make("permute_and_flip", SCORES, scale=1)
    with pytest.raises(ParameterError, match="releases no pairs"):
        first_above(single, F(1, 3), 1).law([1, 2])


@pytest.mark.parametrize(
    ("scheme", "number", "count"),
    [("Poisson", F(1, 3), 4), ("WithoutReplacement", F(2), 4), ("WithReplacement", F(3), 3)],
)
def test_samples_have_the_probabilities_of_their_scheme(scheme: str, number: F, count: int) -> None:
    from metricdp.noise import SeededSource
    from metricdp.run.sampling import positions

    found = dict(row_samples(scheme, number, count))
    assert sum(found.values()) == 1
    source = SeededSource(scheme)
    counts = Counter(tuple(positions(scheme, number, count, source)) for _ in range(DRAWS))
    assert counts.keys() <= found.keys()
    chi_square([counts[k] for k in found], [float(p) for p in found.values()])


def test_samples_at_the_ends_of_the_rate() -> None:
    assert dict(row_samples("Poisson", F(0), 50)) == {(): 1}
    assert dict(row_samples("Poisson", F(1), 3)) == {(0, 1, 2): 1}


def test_a_sampled_count_is_a_mixture_over_binomial_counts() -> None:
    made = sampled(noisy_count(), rate=0.25)
    law = made.law([1.0, 2.0])
    assert isinstance(law, MixtureLaw) and len(law.parts) == 3
    wanted = mixture(
        [DiscreteLaplaceLaw(k, F(1)) for k in range(3)], [F(9, 16), F(6, 16), F(1, 16)]
    )
    assert all(law.pmf(k) == wanted.pmf(k) for k in range(-5, 6))
    drawn = draws(made, [1.0, 2.0], "count")
    edges = range(-4, 8)
    above = [len(drawn), *(sum(x >= e for x in drawn) for e in edges), 0]
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    chi_square(
        [a - b for a, b in pairwise(above)],
        [a - b for a, b in pairwise(tails)],
    )


@pytest.mark.parametrize("replace", [False, True])
def test_samples_of_a_size_mix_over_all_of_them(replace: bool) -> None:
    made = sampled(noisy_sum(SIZED), size=2, rows=3, replace=replace)
    rows = [0.0, 1.0, 3.0]
    law = made.law(rows)
    assert all(isinstance(part, GridLaw) for part in law.parts)
    chosen = [(i, j) for i, j in product(range(3), repeat=2) if replace or i != j]
    centres = Counter(F(rows[i] + rows[j]) for i, j in chosen)
    found = {p.ideal.center: w for p, w in zip(law.parts, law.weights, strict=True)}
    assert found == {c: F(n, len(chosen)) for c, n in centres.items()}
    drawn = draws(made, rows, f"size {replace}")
    edges = [F(k, 2) for k in range(-8, 20)]
    above = [len(drawn), *(sum(x >= e for x in drawn) for e in edges), 0]
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    chi_square(
        [a - b for a, b in pairwise(above)],
        [a - b for a, b in pairwise(tails)],
    )


def test_a_choice_from_a_sample_has_a_finite_law() -> None:
    made = sampled(
        make("private_quantile", ROWS, candidates=[1, 2, 3], alpha=F(1, 2), scale=1), rate=0.5
    )
    fits(made.law([1.0, 3.0, 3.0]), draws(made, [1.0, 3.0, 3.0], "choice"))


def test_a_sample_of_one_law_is_that_law() -> None:
    assert sampled(noisy_count(), rate=0.5).law([]) == DiscreteLaplaceLaw(0, F(1))


def test_too_many_samples_are_refused() -> None:
    with pytest.raises(ParameterError, match=f"13 rows have 8192 samples.*{MOST}"):
        sampled(noisy_count(), rate=0.5).law([1.0] * 13)


def test_mixtures_of_what_are_no_numbers_have_no_tail() -> None:
    both = compose([noisy_count(), noisy_count()])
    law = sampled(both, rate=0.5).law([1.0])
    assert law.pmf((0, 0))[0] > 0
    with pytest.raises(ParameterError, match="ProductLaw is no law of numbers"):
        law.tail(1)
