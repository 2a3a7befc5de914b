"""Sparse vector and its variants (Lyu, Su and Li, VLDB 2017, algorithms 1 to 6).

The queries are counts: one person moves all of them by at most 1.  The threshold is 0.
"""

from __future__ import annotations

from typing import Any

from metricdp.audit.gallery.draws import laplace
from metricdp.audit.gallery.entry import broken, correct

_UP_DOWN = [
    ((0,) * 5 + (1,) * 5, (1,) * 5 + (0,) * 5),
    ((0,) * 10, (1,) * 10),
    ((0,) * 5, (1,) * 5),
]


def _answers(
    queries: tuple[int, ...], count: int, threshold_scale: float, query_scale: float, most: int
) -> Any:
    """Bits above or below (1, 0), and -1 after the last crossing; noisy queries; thresholds."""
    import numpy as np

    n = len(queries)
    threshold = laplace(0, threshold_scale, (count,))
    noisy = laplace([queries], query_scale, (count, n)) if query_scale else (
        np.broadcast_to(np.array([queries], dtype=float), (count, n))
    )  # fmt: skip
    above = noisy >= threshold[:, None]
    before: Any = np.cumsum(above, axis=1) - above
    return np.where(before < most, above.astype(np.int64), -1), noisy, threshold


@correct(_UP_DOWN, "threshold noise 2, query noise 4, stops at the first crossing", epsilon=1)
def sparse_vector(queries: tuple[int, ...], count: int) -> Any:
    return _answers(queries, count, 2, 4, 1)[0]


@correct(_UP_DOWN, "two crossings, and query noise 8 for them", epsilon=1)
def sparse_vector_of_two(queries: tuple[int, ...], count: int) -> Any:
    return _answers(queries, count, 2, 8, 2)[0]


@broken(_UP_DOWN, "no noise on the threshold: every query below it is paid for", epsilon=1,
        twin="sparse_vector")  # fmt: skip
def sparse_vector_without_threshold_noise(queries: tuple[int, ...], count: int) -> Any:
    return _answers(queries, count, 1e-6, 2, 1)[0]


@broken(_UP_DOWN, "no noise on the queries: they are ordered exactly (algorithm 5)", epsilon=1,
        twin="sparse_vector")  # fmt: skip
def sparse_vector_without_query_noise(queries: tuple[int, ...], count: int) -> Any:
    return _answers(queries, count, 1, 0, 10)[0]


@broken(_UP_DOWN, "any number of crossings at the price of one (algorithm 6)", epsilon=1,
        twin="sparse_vector_of_two")  # fmt: skip
def sparse_vector_without_end(queries: tuple[int, ...], count: int) -> Any:
    return _answers(queries, count, 2, 2, 10)[0]


@broken([((0,) * 4 + (1,), (1,) * 4 + (0,)), ((0,) * 8 + (1,), (1,) * 8 + (0,))],
        "releases the noisy answer that was compared: it bounds the threshold (algorithm 3)",
        epsilon=2, twin="sparse_vector")  # fmt: skip
def sparse_vector_with_answers(queries: tuple[int, ...], count: int) -> Any:
    import numpy as np

    bits, noisy, _ = _answers(queries, count, 1, 1, 1)
    return np.where(bits == 1, noisy, bits - 1000.0)


@broken([((0, 0), (1, 0)), ((0, 3), (1, 3)), ((0,) * 5, (1, 0) * 2 + (1,))],
        "one noise for all queries: which of them are above orders them exactly", epsilon=1,
        twin="sparse_vector_of_two")  # fmt: skip
def sparse_vector_with_one_noise(queries: tuple[int, ...], count: int) -> Any:
    import numpy as np

    noisy = np.array([queries], dtype=float) + laplace(0, 8, (count, 1))
    return (noisy >= laplace(0, 2, (count, 1))).astype(np.int64)
