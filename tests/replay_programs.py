"""Programs of strangers for the replay audit: broken ones with what is wrong, and correct ones.

Every function takes records of floats (one added or removed) and a generator of noise; sums are of
values clamped into [0, 1], so that neighbours move them by at most 1.
"""

from __future__ import annotations

import logging
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """A program, the epsilon (and delta) that it claims, and a word of the finding."""

    function: Callable[..., Any]
    epsilon: float
    word: str = ""
    delta: float = 0


BROKEN: dict[str, Case] = {}
CORRECT: dict[str, Case] = {}


def broken(epsilon: float, word: str, delta: float = 0) -> Callable[..., Any]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        BROKEN[function.__name__] = Case(function, epsilon, word, delta)
        return function

    return enter


def correct(epsilon: float, delta: float = 0) -> Callable[..., Any]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        CORRECT[function.__name__] = Case(function, epsilon, "", delta)
        return function

    return enter


def clamped(rows: Any) -> float:
    """A sum of values in [0, 1], whatever the rows hold: `min(1.0, x)` is 1.0 where x is NaN."""
    return float(sum(max(0.0, min(1.0, x)) for x in rows))


MEMORY: list[float] = []
CACHE: dict[str, float] = {}
LAST = 0
OURS = np.random.default_rng()
FIXED = np.random.default_rng(7)
STORED = float(np.random.default_rng(3).laplace())


@broken(1, "epsilon is at least 1000")
def sum_without_clamp(rows: Any, rng: Any) -> Any:
    return float(sum(min(max(x, -1000.0), 1000.0) for x in rows)) + rng.laplace(scale=1)


@broken(1, "epsilon is at least 2")
def claims_half_of_two_releases(rows: Any, rng: Any) -> Any:
    return clamped(rows) + rng.laplace(scale=1), len(rows) + rng.laplace(scale=1)


@broken(1, "epsilon is at least 3")
def histogram_that_counts_thrice(rows: Any, rng: Any) -> Any:
    counts = np.zeros(3)
    for _ in rows:
        counts += 1
    return counts + rng.laplace(scale=1, size=3)


@broken(1, "one more")
def one_draw_per_row(rows: Any, rng: Any) -> Any:
    return sum(min(max(x, 0.0), 1.0) + rng.laplace(scale=1) for x in rows)


@broken(1, "the scale of laplace")
def scale_from_the_data(rows: Any, rng: Any) -> Any:
    return clamped(rows) + rng.laplace(scale=max(1.0, *rows, 1.0))


@broken(1, "multiplied")
def factor_from_the_data(rows: Any, rng: Any) -> Any:
    return clamped(rows) + (1.0 + len(rows)) * rng.laplace()


@broken(1, "the result is")
def exact_count_as_divisor(rows: Any, rng: Any) -> Any:
    return (clamped(rows) + rng.laplace(scale=1)) / max(len(rows), 1)


@broken(1, "the error differs")
def leaks_by_an_exception(rows: Any, rng: Any) -> Any:
    if any(x > 100 for x in rows):
        raise ValueError("a row is out of range")
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the printed")
def leaks_by_printing(rows: Any, rng: Any) -> Any:
    print(f"{len(rows)} rows")
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the printed")
def leaks_to_the_error_stream(rows: Any, rng: Any) -> Any:
    print(len(rows), file=sys.stderr)
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the warnings")
def leaks_by_a_warning(rows: Any, rng: Any) -> Any:
    if not rows:
        warnings.warn("no rows", stacklevel=1)
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the log")
def leaks_by_logging(rows: Any, rng: Any) -> Any:
    logging.getLogger("program").warning("%d rows", len(rows))
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the state of `MEMORY`")
def leaks_into_a_global(rows: Any, rng: Any) -> Any:
    MEMORY.append(clamped(rows))
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the state of `LAST`")
def leaks_into_a_global_number(rows: Any, rng: Any) -> Any:
    global LAST
    LAST = len(rows)
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the state of `out`")
def leaks_into_a_default(rows: Any, rng: Any, out: list[Any] = []) -> Any:  # noqa: B006
    out.extend(rows)
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the function's attributes")
def leaks_into_an_attribute(rows: Any, rng: Any) -> Any:
    leaks_into_an_attribute.seen = len(rows)  # type: ignore[attr-defined]
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the result is")
def keys_of_the_data(rows: Any, rng: Any) -> Any:
    noise = rng.laplace(scale=1)
    return {round(x): 0 for x in rows}, clamped(rows) + noise


@broken(1, "the result is")
def length_of_the_data(rows: Any, rng: Any) -> Any:
    noisy = clamped(rows) + rng.laplace(scale=1)
    return [noisy] * len(rows)


@broken(1, "draw")
def early_return(rows: Any, rng: Any) -> Any:
    if not rows:
        return 0.0
    return clamped(rows) + rng.laplace(scale=1)


@broken(1, "the result is")
def branch_on_the_data(rows: Any, rng: Any) -> Any:
    noisy = clamped(rows) + rng.laplace(scale=1)
    return "many" if len(rows) > 1 else noisy


@broken(1, "the result is")
def branch_on_a_released_value_then_the_truth(rows: Any, rng: Any) -> Any:
    noisy = clamped(rows) + rng.laplace(scale=1)
    # Far below every noise that is ever drawn by chance.
    return clamped(rows) if noisy < -500 else noisy


@broken(2, "the same noise is added twice")
def noise_used_twice(rows: Any, rng: Any) -> Any:
    noise = rng.laplace(scale=1)
    return clamped(rows) + noise, len(rows) + noise


@broken(2, "the same noise is added twice")
def one_noise_for_all_bins(rows: Any, rng: Any) -> Any:
    counts = np.array([sum(x <= 0 for x in rows), sum(x > 0 for x in rows)], dtype=float)
    return counts + rng.laplace(scale=1)


@broken(1, "no noise was drawn")
def stored_noise(rows: Any, rng: Any) -> Any:
    return clamped(rows) + STORED


@broken(1, "seeds its noise")
def seeded_noise(rows: Any, rng: Any) -> Any:
    return clamped(rows) + np.random.default_rng(0).laplace(scale=1)


@broken(1, "seeds its noise")
def seeded_standard_noise(rows: Any, rng: Any) -> Any:
    random.seed(12)
    return clamped(rows) + random.gauss(0, 10)


@broken(1, "seed of the noise depends")
def seed_from_the_data(rows: Any, rng: Any) -> Any:
    return clamped(rows) + np.random.default_rng(len(rows)).laplace(scale=1)


@broken(1, "seeds its noise")
def generator_with_a_fixed_seed(rows: Any, rng: Any) -> Any:
    return clamped(rows) + FIXED.laplace(scale=1)


@broken(0.5, "epsilon at delta 1e-05 is at least", 1e-5)
def gaussian_too_small(rows: Any, rng: Any) -> Any:
    return clamped(rows) + rng.normal(scale=2)


@broken(3, "is at least oo")
def gaussian_called_pure(rows: Any, rng: Any) -> Any:
    return clamped(rows) + rng.normal(scale=100)


@broken(1, "the result is")
def rounded_truth_beside_noise(rows: Any, rng: Any) -> Any:
    return f"{clamped(rows) + rng.laplace(scale=1):.1f} of {round(len(rows), -1) or len(rows)}"


@broken(1, "the number of candidates")
def candidates_of_the_data(rows: Any, rng: Any) -> Any:
    found = sorted({round(x) for x in [*rows, 0.0]})
    return rng.choice(found, p=[1 / len(found)] * len(found))


@correct(1)
def clamped_sum(rows: Any, rng: Any) -> Any:
    return clamped(rows) + rng.laplace(scale=1)


@correct(1)
def numbers_of_numpy(rows: Any, rng: Any) -> Any:
    total = np.clip(np.nan_to_num(np.array(rows, dtype=float)), 0, 1).sum()
    assert isinstance(total, np.float64)
    return total / np.int64(2) + rng.laplace(scale=np.float64(0.5))


@correct(1)
def located(rows: Any, rng: Any) -> Any:
    return rng.laplace(clamped(rows), 1)


@correct(1)
def scaled_noise(rows: Any, rng: Any) -> Any:
    return clamped(rows) - 0.5 * (rng.laplace() * 2)


@correct(1)
def rounded_after_noise(rows: Any, rng: Any) -> Any:
    return max(round(clamped(rows) + rng.laplace(scale=1)), 0)


@correct(2)
def noisy_mean(rows: Any, rng: Any) -> Any:
    total, count = clamped(rows) + rng.laplace(scale=1), len(rows) + rng.laplace(scale=1)
    return min(max(total / max(count, 1.0), 0.0), 1.0)


@correct(1)
def histogram(rows: Any, rng: Any) -> Any:
    counts = np.zeros(4)
    for x in rows:
        counts[int(max(0.0, min(1.0, x)) * 3)] += 1
    counts += rng.laplace(scale=1, size=4)
    return np.round(counts, 2)


@correct(1)
def histogram_by_rows_of_noise(rows: Any, rng: Any) -> Any:
    counts = [sum(x <= 0 for x in rows), sum(x > 0 for x in rows)]
    noise = rng.laplace(0, 1, size=(1, 2))
    return {name: count + z for name, count, z in zip("ab", counts, noise[0], strict=True)}


@correct(1)
def global_generator(rows: Any, rng: Any) -> Any:
    return clamped(rows) + OURS.laplace(scale=1)


@correct(1)
def module_functions(rows: Any, rng: Any) -> Any:
    return clamped(rows) + np.random.laplace(0, 1)


@correct(1)
def own_generator(rows: Any, rng: Any) -> Any:
    return clamped(rows) + np.random.Generator(np.random.PCG64()).laplace(scale=1)


@correct(1, 1e-5)
def standard_library(rows: Any, rng: Any) -> Any:
    return clamped(rows) + random.gauss(0, 10) + random.Random().gauss(0, 5)


@correct(1)
def branch_on_released(rows: Any, rng: Any) -> Any:
    count = len(rows) + rng.laplace(scale=2)
    if count < 3:
        return count, None
    return count, clamped(rows) + rng.laplace(scale=2)


@correct(3)
def stops_on_released(rows: Any, rng: Any) -> Any:
    found = []
    for _ in range(3):
        found.append(clamped(rows) + rng.laplace(scale=1))
        if found[-1] > 2:
            break
    return found


@correct(1)
def above_threshold(rows: Any, rng: Any) -> Any:
    level = 3 + rng.laplace(scale=2)
    for i, bound in enumerate((0.5, 0.4, 0.3, 0.0, -1.0, -2.0)):
        if sum(x > bound for x in rows) + rng.laplace(scale=4) >= level:
            return i
    return None


@correct(1)
def difference_of_one_release(rows: Any, rng: Any) -> Any:
    noise = rng.laplace(scale=1)
    return clamped(rows) + noise, 2 * (clamped(rows) + noise)


@correct(1)
def state_that_tells_nothing(rows: Any, rng: Any) -> Any:
    CACHE["calls"] = CACHE.get("calls", 0) + 1
    print("done")
    return clamped(rows) + rng.laplace(scale=1)


@correct(2, 1e-5)
def gaussian(rows: Any, rng: Any) -> Any:
    return clamped(rows) + 2.0 * rng.standard_normal()
