"""Gaussian noise: calibration, and training with it."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, log, sqrt
from typing import Any

from metricdp.audit.gallery.draws import gaussian, generator, laplace
from metricdp.audit.gallery.entry import broken, correct

_UNIT = 2**10
_MOVED = [(0, 1)]
#: Gradients of the rows: one row added; directions of one coordinate each.
_GRADIENTS = [
    ([(0.3, 0.4)], [(0.3, 0.4), (30.0, 40.0)]),
    ([], [(3.0, 0.0)]),
    ([(1.0, 0.0)] * 3, [(1.0, 0.0)] * 3 + [(-9.0, 0.0)]),
]


def _on_grid(value: int, sigma: Fraction) -> Any:
    from metricdp.laws import DiscreteGaussianLaw

    return DiscreteGaussianLaw(value * _UNIT, (sigma * _UNIT) ** 2)


@broken(_MOVED, "sqrt(2 ln(1.25 / delta)) / epsilon is proved for epsilon below 1 only",
        epsilon=10, delta=0.01, auditor="exact", twin="analytic_gaussian")  # fmt: skip
def classical_gaussian_at_epsilon_10(value: int) -> Any:
    return _on_grid(value, Fraction(sqrt(2 * log(125)) / 10))


@correct(_MOVED, "the deviation is solved from the exact profile", epsilon=10, delta=0.01,
         auditor="exact")  # fmt: skip
def analytic_gaussian(value: int) -> Any:
    from metricdp.accounting.gaussian import analytic_sigma

    # One thousandth more: a grid of 1024 points per unit is coarser than that of a release.
    return _on_grid(value, analytic_sigma(Fraction(10), Fraction(1, 100)) * Fraction(1001, 1000))


@broken([(0, 3)], "a claim of distance 1 at distance 3: rho grows with the square", rho=3 / 2,
        auditor="exact")  # fmt: skip
def discrete_gaussian_of_three(value: int) -> Any:
    return _on_grid(value, Fraction(1))


@correct([(0, 3)], "rho = 3^2 / (2 sigma^2)", rho=9 / 2, auditor="exact")
def discrete_gaussian(value: int) -> Any:
    return _on_grid(value, Fraction(1))


def _clipped(gradient: tuple[float, float]) -> tuple[float, float]:
    if not isfinite(gradient[0] + gradient[1]):
        return 0.0, 0.0
    # A little inside the ball, so that rounding cannot leave it.
    length = max(1.0, sqrt(gradient[0] ** 2 + gradient[1] ** 2) * (1 + 1e-12))
    return gradient[0] / length, gradient[1] / length


def _sum(rows: list[tuple[float, float]]) -> list[float]:
    return [sum(row[0] for row in rows), sum(row[1] for row in rows)]


def _step(total: Any, norm: float, count: int) -> Any:
    """A step at (1, 0.01): deviation 2.0 norm is above the analytic 1.92."""
    return gaussian([total], 2.0 * norm, (count, 2))


@correct(_GRADIENTS, "every gradient is clipped to length 1, then they are summed", epsilon=1,
         delta=0.01)  # fmt: skip
def training_step(rows: list[tuple[float, float]], count: int) -> Any:
    return _step(_sum([_clipped(row) for row in rows]), 1, count)


@broken(_GRADIENTS, "gradients are not clipped", epsilon=1, delta=0.01, twin="training_step")
def training_step_without_clip(rows: list[tuple[float, float]], count: int) -> Any:
    return _step(_sum(rows), 1, count)


@broken([([(1.0, 0.0)], [(1.0, 0.0), (-9.0, 0.0)]), *_GRADIENTS],
        "the sum is clipped: one row turns it around, and moves it by 2, not by 1",
        epsilon=1, delta=0.01, twin="training_step")  # fmt: skip
def training_step_that_clips_the_sum(rows: list[tuple[float, float]], count: int) -> Any:
    total = _sum(rows)
    return _step(_clipped((total[0], total[1])), 1, count)


#: Rate 1/2 and Laplace noise of epsilon 2: ln(1 + (e^2 - 1) / 2), rounded up.
_AMPLIFIED = 1.4338


@correct([([], [1]), ([0, 0], [0, 0, 1])], "every row is in the batch by a coin of its own",
         epsilon=_AMPLIFIED)  # fmt: skip
def count_of_a_poisson_batch(rows: list[int], count: int) -> Any:
    kept = generator().random((count, len(rows))) < 0.5
    return laplace((kept * rows).sum(axis=1) if rows else 0, 0.5, (count,))


@broken([([0, 0], [0, 1]), ([0, 0], [1, 0])],
        "the batch is always the first half, so no row is hidden by chance",
        epsilon=_AMPLIFIED, twin="count_of_a_poisson_batch")  # fmt: skip
def count_of_a_fixed_batch(rows: list[int], count: int) -> Any:
    return laplace(sum(rows[: len(rows) // 2]), 0.5, (count,))


@broken([([0, 0], [0, 1])],
        "one shuffle, then both halves: every row is in one of them for certain",
        # Rate 1/2 and Laplace noise of epsilon 1: ln(1 + (e - 1) / 2), rounded up.
        epsilon=0.6202, twin="count_of_a_poisson_batch")  # fmt: skip
def counts_of_shuffled_batches(rows: list[int], count: int) -> Any:
    import numpy as np

    shuffled = generator().permuted(np.broadcast_to(rows, (count, len(rows))), axis=1)
    return laplace(shuffled, 1)
