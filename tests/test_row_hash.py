"""The hash of rows: alike in Python and on arrays, and rows come first as if at random."""

from __future__ import annotations

import numpy as np
import pytest

from metricdp.columns.row_hash import PRIME, START, finished, taken_up

ENDS = [0, 1, -1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**63 - 1, -(2**63), 2**62 + 1]


def test_arrays_and_plain_integers_agree_and_nothing_overflows() -> None:
    words = np.array(ENDS, np.int64)
    starts = [0, 1, START, PRIME - 1, (1 << 31) - 1, ((1 << 30) - 1) << 31]
    with np.errstate(over="raise"):
        for start in starts:
            array = taken_up(np.full(len(words), start, np.int64), words)
            assert array.tolist() == [taken_up(start, word) for word in ENDS]
            assert finished(array).tolist() == [finished(taken_up(start, w)) for w in ENDS]
    assert all(0 <= finished(taken_up(start, w)) < PRIME for start in starts for w in ENDS)


@pytest.mark.parametrize("groups", ["near", "far", "powers"])
def test_groups_of_a_person_come_first_evenly_alone_and_in_pairs(groups: str) -> None:
    """The first 5 of 20 groups, of 50,000 persons: every group in a quarter of them, every pair in
    a nineteenth.  190 pairs and 20 groups beyond 5 standard deviations: false alarm below 1.3e-4.
    """
    number = np.arange(20)
    held = {"near": number, "far": number * 1000, "powers": 17 << number}[groups]
    persons = taken_up(np.int64(START), np.arange(50_000))
    hashes = np.stack([finished(taken_up(persons, np.int64(g))) for g in held], axis=1)
    kept = (np.argsort(np.argsort(hashes, axis=1), axis=1) < 5).astype(np.float64)
    for counts, share in (
        (kept.sum(axis=0), 5 / 20),
        ((kept.T @ kept)[np.triu_indices(20, 1)], 5 * 4 / (20 * 19)),
    ):
        deviation = np.sqrt(50_000 * share * (1 - share))
        assert np.abs(counts - 50_000 * share).max() < 5 * deviation
