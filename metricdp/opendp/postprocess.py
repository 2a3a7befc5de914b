"""Functions of released counts: distributions, quantiles, consistent trees.  Post-processing, free.

Plain functions of public values; `measurement >> make_cdf()` applies one to a release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import log, nan
from typing import Any

from metricdp.errors import ParameterError

Numbers = Sequence[float]


def cdf(counts: Numbers) -> list[float]:
    """Cumulative shares of noisy counts; NaN where they add up to 0."""
    sums = list(accumulate(float(c) for c in counts))
    return [_ratio(part, sums[-1]) for part in sums]


def make_cdf(TA: Any = float) -> Callable[[Numbers], list[float]]:
    """`cdf`; the type is accepted and has no meaning here."""
    return cdf


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan


def make_quantiles_from_counts(
    bin_edges: Numbers,
    alphas: Numbers,
    interpolation: str = "linear",
    TA: Any = None,
    F: Any = float,
) -> Callable[[Numbers], list[float]]:
    """Quantiles from noisy counts per bin.

    Args:
        bin_edges: increasing; k + 1 edges bound k bins.
        alphas: increasing, each in [0, 1].
        interpolation: "linear" inside a bin, or the "nearest" edge.

    Returns:
        A function of k counts, or of k + 2 whose first and last lie outside of the edges.

    Raises:
        ParameterError: edges or alphas out of order, or another interpolation.
    """
    place = "make_quantiles_from_counts"
    edges, shares = [*bin_edges], [*alphas]
    if any(b <= a for a, b in pairwise(edges)):
        raise ParameterError("bin_edges do not increase", place=place, remedy="sort the edges")
    if any(b <= a for a, b in pairwise(shares)):
        raise ParameterError("alphas do not increase", place=place, remedy="sort the alphas")
    if any(not 0 <= a <= 1 for a in shares):
        raise ParameterError("an alpha is no share", place=place, remedy="0 <= alpha <= 1")
    if interpolation not in ("linear", "nearest"):
        raise ParameterError(
            f"no interpolation is called {interpolation!r}",
            place=place,
            remedy='"linear" or "nearest"',
        )

    def quantiles(counts: Numbers) -> list[float]:
        inside = [*counts]
        if len(inside) == len(edges) + 1:
            inside = inside[1:-1]
        if len(inside) != len(edges) - 1:
            raise ParameterError(
                f"{len(counts)} counts do not fit {len(edges)} edges",
                place="quantiles_from_counts",
                remedy=f"give {len(edges) - 1} or {len(edges) + 1} counts",
            )
        sums = cdf(inside)
        found = _positions(shares, sums)
        return [
            _quantile(edges, sums, i, a, interpolation) for i, a in zip(found, shares, strict=True)
        ]

    return quantiles


def _quantile(edges: Numbers, sums: Numbers, i: int, alpha: float, interpolation: str) -> float:
    i = min(i, len(sums) - 1)
    left, right = (sums[i - 1] if i else 0.0), sums[i]
    if interpolation == "nearest":
        return edges[i + (alpha - left > right - alpha)]
    return edges[i] + _ratio(alpha - left, right - left) * (edges[i + 1] - edges[i])


def _positions(alphas: Numbers, sums: Numbers, start: int = 0) -> list[int]:
    """Per alpha, how many sums lie below it; sums that fall are searched as if they did not."""
    if not alphas:
        return []
    middle = (len(alphas) + 1) // 2 if len(alphas) > 1 else 0
    below = _below(sums, alphas[middle])
    return [
        *_positions(alphas[:middle], sums[:below], start),
        start + below,
        *_positions(alphas[middle + 1 :], sums[below:], start + below),
    ]


def _below(sums: Numbers, alpha: float) -> int:
    low, high = 0, len(sums)
    if not high:
        return 0
    while high - low > 1:
        middle = low + (high - low) // 2
        low, high = (middle, high) if sums[middle] < alpha else (low, middle)
    return high if sums[low] < alpha else low


def make_consistent_b_ary_tree(
    branching_factor: int, TIA: Any = int, TOA: Any = float
) -> Callable[[Numbers], list[float]]:
    """The leaves of a noisy tree after least squares: every node equals the sum of its children.

    Nodes of equal noise, in the order of `make_b_ary_tree`; leaves that are missing count 0 and
    have no noise.  Source: Hay et al. 2010, section 4.1, with corrections shared by variance.
    """
    b = int(branching_factor)
    if b < 2:
        raise ParameterError(
            f"{b} is no branching factor", place="make_consistent_b_ary_tree", remedy="at least 2"
        )

    def leaves(nodes: Numbers) -> list[float]:
        levels, full = 1, 1
        while full < len(nodes):
            full += b**levels
            levels += 1
        first, missing = full - b ** (levels - 1), full - len(nodes)
        tree = [float(v) for v in nodes] + [0.0] * missing
        variance = [1.0] * full
        end = 0
        for level in range(levels):
            end += b**level
            for i in range(end - missing // b ** (levels - level - 1), end):
                tree[i] = variance[i] = 0.0
        _upwards(tree, variance, first, b)
        smooth = list(tree)
        for i in range(first):
            below = slice(i * b + 1, i * b + 1 + b)
            spread = sum(variance[below])
            gap = smooth[i] - sum(tree[below])
            for j in range(below.start, below.stop):
                smooth[j] = tree[j] + (gap * variance[j] / spread if spread else 0.0)
        return smooth[first : full - missing]

    return leaves


def _upwards(tree: list[float], variance: list[float], first: int, b: int) -> None:
    """Every node becomes the best mean of itself and the sum of its children, from below."""
    for i in reversed(range(first)):
        below = slice(i * b + 1, i * b + 1 + b)
        spread, children = sum(variance[below]), sum(tree[below])
        if not variance[i] or not spread:
            continue
        share = (1 / variance[i]) / (1 / variance[i] + 1 / spread)
        variance[i] = share**2 * variance[i] + (1 - share) ** 2 * spread
        tree[i] = share * tree[i] + (1 - share) * children


def choose_branching_factor(size_guess: int) -> int:
    """The branching factor of a tree over `size_guess` bins with the least mean error of ranges.

    The error of a tree of height h = ln n/ln b is (b - 1) h^3 - 2 (b + 1) h^2/3.
    Source: Qardaji, Yang, Li 2013, formula 3.
    """
    n = int(size_guess)
    if n < 1:
        raise ParameterError(
            f"{n} is no size", place="choose_branching_factor", remedy="at least 1"
        )
    if n < 4:
        return min(n, 2)

    def error(b: int) -> float:
        height = log(n) / log(b)
        return (b - 1) * height**3 - 2 * (b + 1) * height**2 / 3

    # One level of n children is best up to 129 bins; from there on the best is below 72.
    return min(range(2, min(n, 200) + 1), key=error)
