"""Law: a mechanism is a Lipschitz map from its input space into the laws, with the privacy map as
its modulus.

Every mechanism that the library builds, and what sampling and selection make of them, on
neighbours of its input space at distances 1, 2 and 3 (extremes, empties and random ones): the exact
distance of the laws is at most what the map says, in every measure.  A map that is too small, by a
factor or by a forgotten distance, is refuted.
Mechanisms whose noise is a target have no concrete constructor; their laws are compared with their
costs in tests/laws/test_mechanism_laws.py.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import metricdp as dp
from metricdp.audit import measurement
from metricdp.expr import num
from metricdp.maps import DistanceMap, Measurement, best_of, compose, first_above, make, sampled
from metricdp.maps.distances import space_of
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.spaces import Keyed, Records, Scalar

load()
HALF = Fraction(1, 2)
REAL_VALUES = Keyed(Scalar("Data", kind="str"), Scalar("Real"), "L01Inf")
ROWS = space_of(dp.Records[float], "x")
WORDS = space_of(dp.Records[str], "x")
SCORES = space_of(dp.Vector[dp.Int, dp.LInf], "x")
#: Their noise is fixed by a target, at the bound that a program has.
TARGETS = {
    "exponential_mechanism",
    "gaussian_mechanism",
    "gaussian_threshold",
    "laplacian_mechanism",
    "randomized_response",
}


def chain(first: str, mechanism: str, space: Any = ROWS, **noise: Any) -> Measurement:
    before = make(first, space)
    return before >> make(mechanism, before.output_space, **noise)


def noisy_total(mechanism: str) -> Measurement:
    clamped = make("clamp", ROWS, lower=0, upper=20)
    total = make("sum", clamped.output_space)
    return clamped >> total >> make(mechanism, total.output_space, scale=30)


def whole_total() -> Measurement:
    """A noisy sum of two rows, one replaced."""
    rows = Records(Scalar("Data", kind="int"), "ChangeOne", num(2))
    clamped = make("clamp", rows, lower=0, upper=1)
    total = make("sum", clamped.output_space)
    return clamped >> total >> make("discrete_laplace", total.output_space, scale=2)


def pairs_of_choices() -> Measurement:
    """Pairs (score, value), each a private choice."""
    return compose([make("permute_and_flip", SCORES, scale=s) for s in (8, 16)])


#: Name -> measurement; how close to the map the laws come on the pairs that are tried.
MADE: dict[str, tuple[Callable[[], Measurement], float]] = {
    "laplace": (lambda: chain("count", "laplace", scale=2), 1),
    "laplace of a sum": (lambda: noisy_total("laplace"), 0.8),
    "laplace of a vector": (
        lambda: make("laplace", space_of(dp.Vector[dp.Real, dp.L1], "x"), scale=2), 1,
    ),
    "gaussian": (lambda: chain("count", "gaussian", scale=2), 0.99),
    "discrete_laplace": (lambda: chain("count", "discrete_laplace", scale=2), 1),
    "discrete_gaussian": (lambda: chain("count", "discrete_gaussian", scale=2), 1),
    "staircase": (
        lambda: chain("count", "staircase", epsilon=HALF, sensitivity=1, stair=1), 1,
    ),
    "canonical_noise": (
        lambda: chain("count", "canonical_noise", epsilon=1, delta=Fraction(1, 50), sensitivity=1),
        1,
    ),
    "canonical_noise without delta": (
        lambda: chain("count", "canonical_noise", epsilon=HALF, sensitivity=2), 0.99,
    ),
    "permute_and_flip": (lambda: make("permute_and_flip", SCORES, scale=2), 0.99),
    "report_noisy_max": (lambda: make("report_noisy_max", SCORES, scale=2), 0.7),
    "top_k": (lambda: make("top_k", SCORES, scale=2, k=2), 0.7),
    "above_threshold": (
        lambda: make("above_threshold", SCORES, threshold=1, scale=2, query_scale=4), 0.4,
    ),
    "randomized_response_kept": (
        lambda: make("randomized_response_kept", Scalar("Bool"), prob=Fraction(3, 4)), 0.99,
    ),
    "randomized_response_bits": (
        lambda: make("randomized_response_bits", space_of(dp.Vector[dp.Bool, dp.L1], "x"), f=HALF),
        0.99,
    ),
    "private_quantile": (
        lambda: make("private_quantile", ROWS, candidates=[1, 2, 3], alpha=HALF, scale=1), 0.3,
    ),
    "interval_quantile": (
        lambda: make("interval_quantile", ROWS, lower=0, upper=10, alpha=HALF, scale=1), 0.4,
    ),
    "stable_histogram": (lambda: make("stable_histogram", WORDS, scale=2, threshold=8), 0.99),
    "laplace_threshold of real values": (
        lambda: make("laplace_threshold", REAL_VALUES, scale=2, threshold=8), 0.99,
    ),
    "sampled count": (
        lambda: sampled(chain("count", "discrete_laplace", scale=1), rate=HALF), 1,
    ),
    "sampled sum of replaced rows": (
        lambda: sampled(whole_total(), size=2, rows=4), 1,
    ),
    "sampled sum, with replacement": (
        lambda: sampled(whole_total(), size=2, rows=4, replace=True), 1,
    ),
    "best_of": (lambda: best_of(pairs_of_choices(), HALF), 0.35),
    "first_above": (lambda: first_above(pairs_of_choices(), HALF, 1), 0.4),
    "laplace_threshold": (
        lambda: chain("count_by", "laplace_threshold", WORDS, scale=2, threshold=8), 0.99,
    ),
}  # fmt: skip


def strongest(made: Measurement) -> str:
    """The measure whose map is compared first."""
    return next(m for m in ("pure", "zcdp", "approx") if m in made.privacy)


def test_every_mechanism_is_here() -> None:
    known = {name for name, record in REGISTRY.items() if record.kind == "mechanism"}
    assert known == {name for name in MADE if name in known} | TARGETS


@pytest.mark.parametrize("name", MADE)
def test_laws_are_as_close_as_the_map_says(name: str) -> None:
    build, close = MADE[name]
    made = build()
    # The exact rho of rounded normal noise takes a second a pair.
    pairs = 2 if name == "gaussian" else 24
    verdict = measurement(made, measures=(strongest(made),), seconds=600, most=pairs)
    assert not verdict.refuted, str(verdict)
    assert verdict.auditor == "exact"
    assert close * (1 - 1e-9) <= verdict.closest <= 1


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("wrong", ["shrunk", "forgotten distance"])
def test_a_map_that_is_too_small_is_refuted(name: str, wrong: str) -> None:
    build, close = MADE[name]
    made = build()
    measure = strongest(made)

    def change(part: DistanceMap) -> DistanceMap:
        if wrong == "shrunk":
            share = Fraction(1, 2) if close > 0.5 else Fraction(1, 4)
            return DistanceMap(lambda d: part(d) * share)
        return DistanceMap(lambda d: part(min(d, Fraction(1, 2))))

    parts = made.privacy[measure]
    # Of (epsilon, delta) the delta is changed, at the right epsilon.
    claim = (*parts[:-1], change(parts[-1]))
    mutant = Measurement(made.input_space, made.function, {measure: claim}, enter=made.enter)
    if name == "randomized_response_kept" and wrong != "shrunk":
        # Distances of one answer are 0 and 1, and the map is a constant.
        return
    verdict = measurement(mutant, seconds=600)
    assert verdict.refuted, str(verdict)
    assert verdict.auditor == "exact"
