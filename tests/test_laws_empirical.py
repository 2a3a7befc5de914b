"""Samples: counts, the band of the distribution function, intervals of events."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy
import pytest
from scipy.stats import beta

from metricdp import noise
from metricdp.errors import ParameterError
from metricdp.laws import EmpiricalLaw, FiniteLaw, UniformLaw

F = Fraction


def test_counts_and_frequencies() -> None:
    law = EmpiricalLaw(["a", "b", "a"])
    assert law.counts == {"a": 2, "b": 1} and len(law) == 3
    assert law.frequencies == FiniteLaw({"a": F(2, 3), "b": F(1, 3)})
    numbers = EmpiricalLaw(numpy.array([3.0, 1.0, 2.0, 2.0]))
    assert [numbers.cdf(x) for x in (0, 1, 2, 2.5, 3)] == [0, F(1, 4), F(3, 4), F(3, 4), 1]
    assert [numbers.tail(x) for x in (1, 2, 2.5, 4)] == [1, F(3, 4), F(1, 4), 0]
    assert repr(numbers) == "EmpiricalLaw(4 samples, 3 outcomes)"


@pytest.mark.parametrize("n", [1, 100, 54321])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 1 - F(1, 10**6)])
def test_the_radius_is_that_of_massart(n: int, confidence: Fraction) -> None:
    found = EmpiricalLaw([0] * n).radius(confidence)
    expected = min(1.0, sqrt(log(2 / (1 - float(confidence))) / (2 * n)))
    assert float(found) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (57, 400)])
def test_intervals_are_those_of_clopper_and_pearson(hits: int, n: int) -> None:
    low, high = EmpiricalLaw([1] * hits + [0] * (n - hits)).interval(lambda x: x == 1, 0.99)
    assert float(low) == pytest.approx(beta.ppf(0.005, hits, n - hits + 1) if hits else 0)
    assert float(high) == pytest.approx(beta.ppf(0.995, hits + 1, n - hits) if hits < n else 1)


def test_statements_hold_as_often_as_they_say() -> None:
    """300 repetitions at confidence 0.8: 60 or fewer misses are expected; more than 120 would be a
    false alarm of probability below 1e-12."""
    source, misses_of_band, misses_of_interval = noise.SeededSource("coverage"), 0, 0
    law = UniformLaw(0, 1)
    for _ in range(300):
        words = [F(source.randbits(53), 2**53) for _ in range(40)]
        seen = EmpiricalLaw(words)
        r = seen.radius(0.8)
        # The band breaks at a sample, from the left or the right, if anywhere.
        far = max(
            max(abs(seen.cdf(x) - law.cdf(x)[0]), abs(1 - seen.tail(x) - law.cdf(x)[0]))
            for x in words
        )
        misses_of_band += far > r
        low, high = seen.interval(lambda x: x < F(1, 3), 0.8)
        misses_of_interval += not low <= F(1, 3) <= high
    assert 0 < misses_of_band <= 120 and 0 < misses_of_interval <= 120


@pytest.mark.parametrize(
    "call",
    [
        lambda: EmpiricalLaw([]),
        lambda: EmpiricalLaw(3),
        lambda: EmpiricalLaw([1.0, float("nan")]),
        lambda: EmpiricalLaw(numpy.array([numpy.nan])),
        lambda: EmpiricalLaw([[1], [2]]),
        lambda: EmpiricalLaw([1, 1.0]),
        lambda: EmpiricalLaw(["a"]).cdf(1),
        lambda: EmpiricalLaw([1]).radius(1),
        lambda: EmpiricalLaw([1]).band(1, 0),
        lambda: EmpiricalLaw([1]).interval(lambda x: x, float("nan")),
    ],
)
def test_bad_samples_are_refused(call: object) -> None:
    with pytest.raises(ParameterError):
        call()  # type: ignore[operator]
