"""Exponential sums on equidistant points: sum_j w_j r_j^k for k = 0, 1, 2, ..."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from metricdp.measures.losses.balls import Ball, flint


def power_sums(weights: Sequence[Ball], ratios: Sequence[Ball], count: int) -> list[Ball]:
    """Enclosures of sum_j weights[j] ratios[j]^k for k = 0, ..., count - 1.

    Writes k = a + b s with s near sqrt(count): the sums are the product of the matrix of
    ratio^(b s) with the matrix of weight ratio^a, so that about 2 len(ratios) sqrt(count) powers
    are formed one by one and the rest is one product of matrices.
    """
    module = flint()
    if not weights or not count:
        return [module.acb(0)] * count
    small = isqrt(count - 1) + 1
    rows = [list(weights)]
    for _ in range(small - 1):
        rows.append([x * r for x, r in zip(rows[-1], ratios, strict=True)])
    giant = [r**small for r in ratios]
    columns = [[module.acb(1)] * len(ratios)]
    for _ in range(-(-count // small) - 1):
        columns.append([x * r for x, r in zip(columns[-1], giant, strict=True)])
    product = module.acb_mat(columns) * module.acb_mat(rows).transpose()
    return list(product.entries())[:count]
