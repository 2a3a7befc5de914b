"""Programs of a second look at sessions and audits, each of which was answered wrongly."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.audit import replay, sampled
from metricdp.errors import ReplayError

_RARE = {
    "rand": lambda: np.random.rand() < 1e-6,
    "randint": lambda: np.random.randint(10**6) == 0,
    "standard_t": lambda: np.random.standard_t(3) > 100,
    "multinomial": lambda: np.random.multinomial(1, [1e-6, 1 - 1e-6])[0] == 1,
    "bytes": lambda: np.random.bytes(3) == b"\0\0\0",
    "betavariate": lambda: random.betavariate(1, 1) < 1e-6,
    "randbytes": lambda: random.randbytes(3) == b"\0\0\0",
}


@pytest.mark.parametrize("rare", _RARE.values(), ids=_RARE)
def test_a_rare_leak_by_a_sampler_that_is_not_followed_does_not_survive_exactly(
    rare: Callable[[], Any],
) -> None:
    """The coin has epsilon ln(7/3), and once in a million runs the row is shown: no epsilon holds.
    The coin was followed, the other draw was not, and plain runs are too few to show it."""

    def leaking(rows: list[float]) -> object:
        coin = random.random() < 0.7
        positive = bool(rows) and rows[0] > 0
        if rare():
            return "row", positive
        return positive == coin

    with pytest.raises(ReplayError):
        replay(leaking, space=dp.Records[float, dp.Hamming], epsilon=1, seconds=3, most=4)


def _when(rows: list[float]) -> object:
    return len(rows) + np.random.laplace(), time.time()


class _Calls:
    number = 0


def _which(rows: list[float]) -> object:
    _Calls.number += 1
    return len(rows) + np.random.laplace(), _Calls.number


@pytest.mark.parametrize("stamped", [_when, _which])
def test_a_time_or_a_number_of_calls_that_is_released_does_not_refute_a_true_claim(
    stamped: Callable[[Any], Any],
) -> None:
    """All runs on x came before those on x', so that a clock told which input it was: a true claim
    was refuted with an error of 1e-6.  In a random order the error is at most the stated one."""
    found = sampled(
        stamped, epsilon=1, space=dp.Records[float], samples=4000, seconds=4, bits=False
    )
    assert not found.refuted, str(found)
