"""`measurement.law(x)`: the law of what a call releases, for constructors, chains, compositions.

Samples are checked against laws by chi-square with false-alarm probability 1e-9, seeds fixed.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from noise_checks import chi_square, middle

import metricdp as dp
from metricdp import Bool, Int, LInf, Real, Records, Vector
from metricdp.errors import ParameterError, SchemaError
from metricdp.laws import (
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    FiniteLaw,
    GaussianLaw,
    GridLaw,
    LaplaceLaw,
    ProductLaw,
    max_divergence,
)
from metricdp.maps import Measurement, make
from metricdp.maps.composition import compose
from metricdp.maps.distances import space_of
from metricdp.maps.partitions import partitioned
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Scalar

F = Fraction
SCORES = space_of(Vector[Int, LInf], "x")
ROWS = space_of(Records[float], "x")
CHOICES = [
    ("permute_and_flip", {"scale": 1}, [1, 2, 0]),
    ("report_noisy_max", {"scale": 2}, [1, 2, 0]),
    ("top_k", {"scale": 1, "k": 2}, [1, 2, 0]),
    ("top_k", {"scale": 1, "k": 2, "by": "exponential"}, [1, 2, 0]),
]


def chain(mechanism: str = "laplace", **noise: Any) -> Any:
    clamp = make("clamp", ROWS, lower=0, upper=20)
    total = make("sum", clamp.output_space)
    return clamp >> total >> make(mechanism, total.output_space, **noise)


def releases(measurement: Any, x: Any, n: int = 2000, seed: str = "laws") -> list[Any]:
    with handling(Seeded(seed)):
        found = [measurement(x) for _ in range(n)]
    return [tuple(r) if isinstance(r, list) else r for r in found]


def fits(law: Any, drawn: list[Any]) -> None:
    counts = Counter(drawn)
    assert counts.keys() <= set(law.support())
    chi_square([counts[k] for k in law.support()], [middle(law.pmf(k)) for k in law.support()])


@pytest.mark.parametrize(("name", "public", "scores"), CHOICES)
def test_choices(name: str, public: dict[str, Any], scores: list[int]) -> None:
    measurement = make(name, SCORES, **public)
    fits(measurement.law(scores), releases(measurement, scores))


def test_answers() -> None:
    kept = make("randomized_response_kept", Scalar("Bool"), prob=F(3, 4))
    assert kept.law(True) == FiniteLaw({True: F(3, 4), False: F(1, 4)})
    fits(kept.law(True), releases(kept, True))
    bits = make("randomized_response_bits", Vector[Bool, dp.L1], f=F(1, 2))
    fits(bits.law([True, False]), releases(bits, [True, False]))
    quantile = make("private_quantile", ROWS, candidates=[1, 2, 3], alpha=F(1, 2), scale=1)
    fits(quantile.law([1.0, 2.0, 2.0]), releases(quantile, [1.0, 2.0, 2.0]))


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_real_noise_has_its_law_on_the_grid_of_the_release(mechanism: str) -> None:
    measurement = chain(mechanism, scale=3)
    law = measurement.law([1.5, 30.0, float("nan")])
    kind = LaplaceLaw if mechanism == "laplace" else GaussianLaw
    # 30 is clamped to 20 and NaN becomes 0: the law is that of the call.
    assert isinstance(law, GridLaw) and law.ideal == kind(F(43, 2), 3)
    drawn = releases(measurement, [1.5, 30.0, float("nan")])
    assert all(law.pmf(x)[0] > 0 for x in drawn[:50])
    edges = [F(43, 2) + k for k in range(-9, 10)]
    above = [len(drawn), *(sum(x >= e for x in drawn) for e in edges), 0]
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    chi_square(
        [a - b for a, b in pairwise(above)],
        [a - b for a, b in pairwise(tails)],
    )
    shift = measurement.law([2.5])
    assert shift.ideal.center == F(5, 2)


def test_whole_noise_is_around_the_statistic() -> None:
    count = make("count", ROWS)
    for name, law in (
        ("discrete_laplace", DiscreteLaplaceLaw(3, F(2))),
        ("discrete_gaussian", DiscreteGaussianLaw(3, F(4))),
    ):
        measurement = count >> make(name, count.output_space, scale=2)
        assert measurement.law([1.0, 2.0, 3.0]) == law


def test_the_law_meets_the_privacy_map() -> None:
    """d_DP between laws of neighbours is the epsilon of the map, exactly, for Laplace noise."""
    measurement = chain(scale=8)
    p, q = measurement.law([20.0, 1.0]), measurement.law([1.0])
    assert max_divergence(p, q) == (F(20, 8), F(20, 8))
    assert measurement.map(1) == F(20, 8)


def test_vectors_and_compositions_are_products() -> None:
    noisy = make("laplace", space_of(Vector[Real, dp.L1], "x"), scale=1)
    law = noisy.law([1.0, 2.5])
    assert isinstance(law, ProductLaw)
    assert [part.ideal.center for part in law.parts] == [1, F(5, 2)]
    both = compose([make("permute_and_flip", SCORES, scale=s) for s in (1, 2)])
    law = both.law([0, 1])
    assert isinstance(law, ProductLaw) and len(law.support() or ()) == 4
    fits(law, releases(both, [0, 1]))
    first, second = law.parts
    assert law.pmf((0, 1))[0] <= first.pmf(0)[1] * second.pmf(1)[1]


def test_parts_of_a_table_are_independent() -> None:
    space = space_of(Records[tuple[str, float]], "x")
    count = make("count", space)
    noisy = count >> make("discrete_laplace", count.output_space, scale=1)
    both = partitioned(space, 0, ("a", "b"), noisy)
    law = both.law([("a", 1.0), ("b", 2.0), ("a", 3.0), ("c", 1.0)])
    assert law.parts == (DiscreteLaplaceLaw(2, F(1)), DiscreteLaplaceLaw(1, F(1)))


def test_post_processing_pushes_forward() -> None:
    choose = make("permute_and_flip", SCORES, scale=1)
    named = choose >> (lambda i: "abc"[i])
    assert set(named.law([1, 2, 0]).support()) == {"a", "b", "c"}
    assert named.law([1, 2, 0]).pmf("b") == choose.law([1, 2, 0]).pmf(1)
    fits(named.law([1, 2, 0]), releases(named, [1, 2, 0]))
    last = named >> (lambda name: name == "b")
    assert last.law([1, 2, 0]).pmf(True) == choose.law([1, 2, 0]).pmf(1)


def test_a_function_that_states_its_law_is_believed() -> None:
    class Coin:
        def __call__(self, x: Any) -> int:
            return 1

        def law(self, x: Any) -> FiniteLaw:
            return FiniteLaw([F(1, 2), F(1, 2)])

    assert Measurement(ROWS, Coin(), {"pure": "0"}).law([1.0]) == FiniteLaw([0.5, 0.5])


def test_what_has_no_law_says_which_part() -> None:
    noisy = chain(scale=1)
    with pytest.raises(ParameterError, match=r"post-processing abs: .*infinitely many"):
        (noisy >> abs).law([1.0])
    with pytest.raises(ParameterError, match="output law of `secret`"):

        def secret(x: Any) -> int:
            return 1

        Measurement(ROWS, secret, {"pure": "d_in"}).law([1.0])
    with pytest.raises(ParameterError, match="list cannot be an outcome"):
        (make("permute_and_flip", SCORES, scale=1) >> (lambda i: [i])).law([1, 2, 0])
    with pytest.raises(SchemaError):
        noisy.law(3)
