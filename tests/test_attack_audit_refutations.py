"""Attacks on refutations: correct programs that two runs along one path once refuted, and broken
twins that must not get through for it.

Sampled audits have the confidence of their default, 1 - 1e-6; seeds are fixed.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from depth import depth

from metricdp import audit
from metricdp.errors import ReplayError

HISTOGRAM = [([], ["a"]), (["a"], ["a", "a"])]
NUMBERS = [(0, 1)]
ROWS = [([], [1.0]), ([1.0], [1.0, 1.0])]
FEW: dict[str, Any] = {"samples": depth(3000, 6000), "seconds": 60, "seed": 3}


def _kept(rows: list[str], rng: Any, delta: float, noisy: bool = True) -> dict[str, float]:
    """Keys of the data whose count passes a threshold."""
    threshold = 1 + math.log(1 / (2 * delta))
    found = {}
    for key in sorted(set(rows)):
        z = rows.count(key) + rng.laplace(scale=1)
        if (z if noisy else len(rows)) > (threshold if noisy else 0):
            found[key] = z
    return found


def stability_histogram(rows: list[str], rng: Any) -> Any:
    return _kept(rows, rng, 1e-3)


def threshold_without_noise(rows: list[str], rng: Any) -> Any:
    return _kept(rows, rng, 1e-3, noisy=False)


def histogram_of_delta_a_fifth(rows: list[str], rng: Any) -> Any:
    return _kept(rows, rng, 0.2)


def above_threshold_if_any(n: int, rng: Any, delta: float = 1e-6) -> Any:
    z = n + rng.laplace(scale=1)
    return z if n and z > 1 + math.log(1 / (2 * delta)) else None


def above_a_low_threshold_if_any(n: int, rng: Any) -> Any:
    return above_threshold_if_any(n, rng, 0.2)


def any_at_all(n: int, rng: Any) -> Any:
    z = n + rng.laplace(scale=1)
    return z if n else None


def count_beside_unused_draws(rows: list[float], rng: Any) -> Any:
    for _ in rows:
        rng.normal(scale=1)
    return len(rows) + rng.laplace(scale=1)


def count_beside_an_unused_draw_of_a_private_scale(rows: list[float], rng: Any) -> Any:
    rng.normal(scale=1 + len(rows))
    return len(rows) + rng.laplace(scale=1)


def count_beside_an_unused_draw_of_another_kind(rows: list[float], rng: Any) -> Any:
    rng.normal(scale=1) if rows else rng.gumbel(scale=1)
    return len(rows) + rng.laplace(scale=1)


def error_above_a_threshold(rows: list[str], rng: Any) -> Any:
    z = len(rows) + rng.laplace(scale=1)
    if rows and z > 1 + math.log(1 / (2 * 1e-3)):
        raise ValueError("many")


def count_with_noise_of_every_row(rows: list[float], rng: Any) -> Any:
    """The tails of Laplace and Gaussian noise: 1 for the count, 1/2 for one more variance."""
    return len(rows) + rng.laplace(scale=1) + sum(float(rng.normal(scale=1)) for _ in rows)


def count_with_noise_of_every_row_and_how_many(rows: list[float], rng: Any) -> Any:
    draws = [rng.normal(scale=1) for _ in rows]
    return len(rows) + rng.laplace(scale=1), len(draws)


def shape_of_the_noise(rows: list[float], rng: Any) -> Any:
    return [rng.normal(scale=9) for _ in range(len(rows) + 1)]


def none_for_none(rows: list[float], rng: Any) -> Any:
    return len(rows) + rng.laplace(scale=1) if rows else None


def prints_beside(rows: list[float], rng: Any) -> Any:
    print(len(rows))
    return len(rows) + rng.laplace(scale=1)


def nan_beside(rows: list[float], rng: Any) -> Any:
    return (math.nan if len(rows) > 1 else 0.0) + rng.laplace(scale=1)


CORRECT = [
    (stability_histogram, 1, 1e-3, HISTOGRAM),
    (above_threshold_if_any, 1, 1.1e-6, NUMBERS),
    (count_beside_unused_draws, 1, 0, ROWS),
    (count_beside_an_unused_draw_of_a_private_scale, 1, 0, ROWS),
    (count_beside_an_unused_draw_of_another_kind, 1, 0, ROWS),
    (count_with_noise_of_every_row, 1.5, 0, ROWS),
]
#: Refuted by samples, or by replay as well.
BROKEN = [
    (threshold_without_noise, 1, 1e-3, HISTOGRAM),
    (histogram_of_delta_a_fifth, 1, 0.002, HISTOGRAM),
    (above_a_low_threshold_if_any, 1, 0.01, NUMBERS),
    (any_at_all, 1, 1e-6, NUMBERS),
    (count_with_noise_of_every_row_and_how_many, 1, 0, ROWS),
]
#: A piece of what is shown that no draw changes.
SHOWN = [
    threshold_without_noise, any_at_all, count_with_noise_of_every_row_and_how_many,
    shape_of_the_noise, none_for_none, prints_beside, nan_beside,
]  # fmt: skip


@pytest.mark.parametrize("case", CORRECT, ids=lambda c: c[0].__name__)
def test_a_correct_program_is_not_refuted_along_one_path(case: Any) -> None:
    program, epsilon, delta, pairs = case
    claim = {"epsilon": epsilon, "delta": delta, "pairs": pairs}
    for seed in range(depth(1, 3)):
        with pytest.raises(ReplayError, match="not decided by replay"):
            audit.replay(program, seed=seed, **claim)
    found = audit.audited(program, **claim, **FEW, bits=False)[-1]
    assert found.auditor == "sampled" and not found.refuted, str(found)
    assert "not decided by replay" in str(found)


@pytest.mark.parametrize("case", BROKEN, ids=lambda c: c[0].__name__)
def test_its_broken_twin_is_refuted(case: Any) -> None:
    program, epsilon, delta, pairs = case
    found = audit.audited(
        program, epsilon=epsilon, delta=delta, pairs=pairs, **FEW, bits=False
    )[-1]  # fmt: skip
    assert found.refuted, str(found)


@pytest.mark.parametrize("program", SHOWN, ids=lambda p: p.__name__)
@pytest.mark.parametrize("delta", [0, 1e-6, 0.3])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_piece_that_no_draw_changes_is_refuted_by_replay(
    program: Any, delta: float, swapped: bool
) -> None:
    pairs = {"threshold_without_noise": HISTOGRAM, "any_at_all": NUMBERS}.get(
        program.__name__, ROWS
    )
    pairs = [(y, x) if swapped else (x, y) for x, y in pairs]
    # A claim of 9 takes 400 runs on each input, one of 1 takes 117.
    epsilon = 9 if delta == 1e-6 and not swapped else depth(1, 9)
    found = audit.replay(program, epsilon=epsilon, delta=delta, pairs=pairs, seconds=60)
    assert found.refuted and found.auditor == "replay"


def test_an_error_above_a_threshold_is_within_its_delta() -> None:
    """Its noise is only compared, so all runs are followed, or samples decide."""
    found = audit.audited(
        error_above_a_threshold, epsilon=1, delta=1.1e-3, pairs=HISTOGRAM, **FEW, bits=False
    )  # fmt: skip
    assert not found[-1].refuted, str(found[-1])


def test_a_scale_of_the_data_is_still_refuted() -> None:
    def program(rows: list[float], rng: Any) -> Any:
        return len(rows) + rng.laplace(scale=1 + len(rows))

    assert audit.replay(program, pairs=ROWS, epsilon=1).refuted


def test_draw_counts_refute_a_proof_by_composition() -> None:
    found = audit.replay(count_beside_unused_draws, pairs=ROWS, epsilon=1, by_composition=True)
    assert found.refuted
