"""Real values above a threshold: their law against the sampler, and distances against events.

Samples are compared by chi-square with false-alarm probability 1e-9 per check, seeds fixed.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from itertools import pairwise
from math import exp, log
from typing import Any

import numpy as np
import pytest
from noise_checks import chi_square, middle
from scipy.stats import laplace as laplace_law
from scipy.stats import norm

from metricdp import noise
from metricdp.errors import ParameterError
from metricdp.laws import hockey_stick, max_divergence, renyi, total_variation
from metricdp.laws.thresholded import ThresholdedNumbersLaw
from metricdp.maps import make
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Keyed, Scalar

load()
DATA = {"a": F(3), "b": F(13, 2), "c": F(0), "d": F(-1)}
DRAWS = 4000
NOISES = ["laplace", "gaussian"]


def law_at(name: str, values: dict[str, F], scale: Any = 2, threshold: Any = 5) -> Any:
    record = REGISTRY[f"{name}_threshold"]
    assert record.law is not None
    return record.law(values, F(scale), F(threshold), 0)


@pytest.mark.parametrize("name", NOISES)
def test_released_keys_and_their_values_have_their_law(name: str) -> None:
    law = law_at(name, DATA)
    source = noise.SeededSource(name)
    drawn = [
        REGISTRY[f"{name}_threshold"].run(DATA, F(2), F(5), 0, source=source) for _ in range(DRAWS)
    ]
    keys = law.keys()
    counts = Counter(frozenset(d) for d in drawn)
    assert counts.keys() <= set(keys.support()) and not any("c" in k for k in keys.support())
    chi_square([counts[k] for k in keys.support()], [middle(keys.pmf(k)) for k in keys.support()])
    for key in ("a", "b"):
        values = [d[key] for d in drawn if key in d]
        given = law.value(key)
        edges = [5 + F(k, 2) for k in range(12)]
        above = [len(values), *(sum(x >= e for x in values) for e in edges), 0]
        tails = [1.0, *(middle(given.tail(e)) for e in edges), 0.0]
        chi_square([x - y for x, y in pairwise(above)], [x - y for x, y in pairwise(tails)])
        assert all(given.pmf(x)[0] > 0 for x in values[:20])
    assert all(law.pmf(frozenset(d.items()))[0] > 0 for d in drawn[:20])


@pytest.mark.parametrize("name", NOISES)
def test_chances_are_those_of_the_continuous_noise(name: str) -> None:
    """Half a step is 2**-31 scales, which no probability sees."""
    tail = (laplace_law if name == "laplace" else norm)(scale=2).sf
    law = law_at(name, DATA)
    for key in ("a", "b", "d"):
        assert float(law.seen(key)[0]) == pytest.approx(tail(5 - float(DATA[key])), rel=1e-8)
    assert law.seen("c") == law.seen("z") == (0, 0)
    absent = 1.0
    for key in ("a", "b", "d"):
        absent *= 1 - float(law.seen(key)[0])
    assert float(law.pmf(frozenset())[0]) == pytest.approx(absent, rel=1e-12)
    given = law.value("a")
    assert given.cdf(5)[1] == 0 and given.tail(5)[1] == 1
    assert float(given.between(6, 8)[0]) == pytest.approx((tail(3) - tail(5)) / tail(2), rel=1e-7)


def test_a_measurement_of_real_values_has_the_law() -> None:
    space = Keyed(Scalar("Data", kind="str"), Scalar("Real"), "L01Inf")
    made = make("laplace_threshold", space, scale=2, threshold=5)
    law = made.law({"a": 3.0, "b": 6.5})
    assert law == law_at("laplace", {"a": F(3), "b": F(13, 2)})
    with handling(Seeded("made")):
        seen = sum("b" in made({"a": 3.0, "b": 6.5}) for _ in range(DRAWS))
    p = middle(law.seen("b"))
    chi_square([seen, DRAWS - seen], [p, 1 - p])


def test_a_count_of_0_is_no_key() -> None:
    for name in NOISES:
        record = REGISTRY[f"{name}_threshold"]
        assert record.law is not None
        found = record.law({"a": 3, "b": 0}, F(1), 4)
        assert set(found.counts) == {"a"}


def test_a_new_key_is_seen_with_its_chance_at_every_epsilon() -> None:
    p, q = law_at("laplace", {"a": F(3), "b": F(1)}), law_at("laplace", {"a": F(3)})
    for epsilon in (F(0), F(1), F(8)):
        low, high = hockey_stick(p, q, epsilon)
        assert low <= p.seen("b")[1] and p.seen("b")[0] <= high and high - low < F(1, 10**40)
    assert max_divergence(p, q) == float("inf")
    absent = log(1 - float(p.seen("b")[0]))
    assert float(max_divergence(q, p)[1]) == pytest.approx(-absent, rel=1e-12)


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize(("x", "y"), [(3, 4), (4, 3), (7, 8), (8, 6), (4, 6), (6, 4)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 5), F(2, 5)])
def test_the_hockey_stick_of_one_key_is_that_of_the_best_event(
    name: str, x: int, y: int, epsilon: F
) -> None:
    """The ratio is monotone: the best event is a half-line of values, with or without absence."""
    p, q = (law_at(name, {"a": F(v)}) for v in (x, y))
    tail = (laplace_law if name == "laplace" else norm)(scale=2).sf
    factor = exp(epsilon)
    k = np.arange(1000, 6000) / 200
    above = tail(k - x) - factor * tail(k - y)
    best = max(0.0, above.max(), (1 - factor - above).max())
    low, high = hockey_stick(p, q, epsilon)
    assert float(low) == pytest.approx(best, abs=2e-6) == float(high)


def test_largest_ratios_of_one_key() -> None:
    near, far = law_at("laplace", {"a": F(7)}), law_at("laplace", {"a": F(8)})
    assert float(max_divergence(far, near)[1]) == pytest.approx(0.5, rel=1e-12)
    assert float(max_divergence(near, far)[1]) == pytest.approx(0.5, rel=1e-12)
    low, high = law_at("laplace", {"a": F(3)}), law_at("laplace", {"a": F(4)})
    absent = (1 - exp(-1) / 2) / (1 - exp(-0.5) / 2)
    assert float(max_divergence(low, high)[1]) == pytest.approx(log(absent), rel=1e-7)
    a, b = law_at("gaussian", {"a": F(7)}), law_at("gaussian", {"a": F(8)})
    assert float(max_divergence(a, b)[1]) == pytest.approx(
        log(norm.cdf(-1) / norm.cdf(-1.5)), rel=1e-7
    )


def test_several_keys_near_the_threshold_are_refused() -> None:
    p, q = (law_at("laplace", {"a": F(7 + d), "b": F(1, 2 - d)}) for d in (0, 1))
    for quantity in (total_variation, lambda p, q: renyi(p, q, F(2))):
        with pytest.raises(ParameterError, match="real values above a threshold"):
            quantity(p, q)
    with pytest.raises(ParameterError, match="real values above a threshold"):
        total_variation(p, law_at("laplace", {"a": F(7)}, threshold=6))
    assert total_variation(p, p) == (0, 0) or total_variation(p, p)[0] == 0
    with pytest.raises(ParameterError, match="13 keys have too many sets"):
        law_at("laplace", {str(k): F(1) for k in range(13)}).keys()
    with pytest.raises(ParameterError, match="no such key"):
        p.value("z")
    with pytest.raises(ParameterError, match="scale"):
        ThresholdedNumbersLaw({"a": F(1)}, F(0), F(1))


def test_what_was_not_released_has_no_probability() -> None:
    law = law_at("laplace", {"a": F(7)})
    for outcome in (3, frozenset({"a"}), frozenset({("a", 1)}), frozenset({("a", F(16, 3))})):
        assert law.pmf(outcome) == (0, 0)
    assert law.pmf(frozenset({("z", 7)})) == (0, 0)
