"""The calls of `benchmarks/calls.py` by OpenDP's names, each one text for either library."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from calls_data import CITIES

from metricdp import opendp as our_names

#: Scale of the noise at a budget of 1.
SCALE = 10.0
#: (either library, scale of the noise, number of rows) -> measurement.
Chain = Callable[[Any, float, int], Callable[[Any], Any]]


@cache
def built(chain: Chain, dp: Any, scale: float, n: int) -> Callable[[Any], Any]:
    """A measurement is made once and called often."""
    return chain(dp, scale, n)


def by_our_names(chain: Chain) -> Callable[[Any, float], Any]:
    """The call of our measurement, of data (rows, or one number) and a budget."""

    def call(data: Any, budget: float) -> Any:
        n = len(data) if isinstance(data, list) else 1
        return built(chain, our_names, SCALE / budget, n)(data)

    return call


def noise(kind: type, norm: str, times: int = 1) -> Chain:
    """Laplace noise under l1, Gaussian noise under l2, of so many times the scale."""

    def chain(dp: Any, scale: float, n: int) -> Any:
        vector = dp.vector_domain(numbers_of(dp, kind))
        if norm == "l1":
            return (vector, dp.l1_distance(T=kind)) >> dp.m.then_laplace(times * scale)
        return (vector, dp.l2_distance(T=float)) >> dp.m.then_gaussian(times * scale)

    return chain


def one_draw(kind: type, norm: str) -> Chain:
    """The same noise on one number."""

    def chain(dp: Any, scale: float, n: int) -> Any:
        number = numbers_of(dp, kind), dp.absolute_distance(T=kind if norm == "l1" else float)
        return number >> (dp.m.then_laplace if norm == "l1" else dp.m.then_gaussian)(scale)

    return chain


def numbers_of(dp: Any, kind: type) -> Any:
    return dp.atom_domain(T=kind, nan=False) if kind is float else dp.atom_domain(T=kind)


def rows_of(dp: Any, kind: type) -> Any:
    return dp.vector_domain(numbers_of(dp, kind)), dp.symmetric_distance()


def median_choice(dp: Any, scale: float, n: int) -> Any:
    candidates = [float(c) for c in range(101)]
    scores = rows_of(dp, float) >> dp.t.then_quantile_score_candidates(candidates, 0.5)
    return scores >> dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True)


def mean_of_resized(dp: Any, scale: float, n: int) -> Any:
    kept = rows_of(dp, float) >> dp.t.then_clamp((0.0, 100.0)) >> dp.t.then_resize(n, 50.0)
    return kept >> dp.t.then_mean() >> dp.m.then_laplace(scale)


def by_categories(dp: Any, kind: type, known: list[Any]) -> Any:
    return rows_of(dp, kind) >> dp.t.then_count_by_categories(
        known, True, MO="L1Distance<i32>", TOA="i32"
    )


def tree(dp: Any, scale: float, n: int) -> Any:
    leaves = by_categories(dp, int, list(range(127)))
    return leaves >> dp.t.then_b_ary_tree(128, 2) >> dp.m.then_laplace(scale)


def city_counts(dp: Any, scale: float, n: int) -> Any:
    return by_categories(dp, str, list(CITIES[:-1])) >> dp.m.then_laplace(scale)
