"""Attacks on the time and the size of an audit: programs that hang, claims that samples miss."""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from metricdp import audit
from metricdp.audit.measurements import limits
from metricdp.audit.measurements.examining import EVENTS, EXAMINED, AuditBudget
from metricdp.audit.measurements.limits import OutOfTime, check, guarded, left, limited
from metricdp.errors import ParameterError, ReplayError

PAIRS = [([], [1.0])]


def hangs(rows: Any) -> float:
    while True:
        pass


def hangs_and_catches(rows: Any) -> float:
    try:
        return hangs(rows)
    except BaseException:
        return float(len(rows))


def sleeps(rows: Any) -> float:
    time.sleep(600)
    return 0.0


@pytest.mark.parametrize("program", [hangs, hangs_and_catches, sleeps])
def test_a_program_that_hangs_is_interrupted_and_says_nothing(program: Any) -> None:
    """Without the interruption this test would not end."""
    with pytest.raises(ReplayError, match="nothing is decided"):
        audit.replay(program, pairs=PAIRS, epsilon=1, seconds=0.2)
    for auditor in (audit.sampled, audit.audited):
        with pytest.raises(ParameterError, match="nothing can be said"):
            auditor(program, pairs=PAIRS, epsilon=1, seconds=0.2)


def test_a_program_that_hangs_on_some_inputs_keeps_what_was_seen() -> None:
    def program(rows: Any, rng: Any) -> float:
        return hangs(rows) if len(rows) == 2 else len(rows) + rng.laplace(scale=1)

    pairs = [*PAIRS, ([1.0], [1.0, 1.0])]
    found = audit.replay(program, pairs=pairs, epsilon=1, seconds=4)
    assert not found.refuted and found.pairs == 1


def test_timers_and_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 500)
    try:
        with pytest.raises(OutOfTime), limited(60), limited(0.01):
            guarded(hangs, [])
        assert signal.getsignal(signal.SIGALRM) is before
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert left() == float("inf")


def test_generators_are_put_back_after_an_interruption() -> None:
    kept = np.random.laplace, random.random, np.random.default_rng
    with pytest.raises(ReplayError):
        audit.replay(hangs, pairs=PAIRS, epsilon=1, seconds=0.1)
    assert (np.random.laplace, random.random, np.random.default_rng) == kept


def test_other_threads_look_at_the_time_between_runs() -> None:
    found: list[str] = []

    def work() -> None:
        with limited(-1):
            try:
                check()
            except OutOfTime:
                found.append("out of time")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["out of time"]


@pytest.mark.parametrize("open_ended", [False, True])
def test_the_errors_of_all_looks_add_up_to_the_stated_one(open_ended: bool) -> None:
    spent = AuditBudget(alpha=Fraction(1, 10**6), open=open_ended)
    first = spent.each * 2 * EVENTS * (EXAMINED + 1)
    looks = sum(spent.each_of(k) * 2 * EVENTS for k in range(1, 1000)) if open_ended else 0
    assert first + looks <= spent.alpha
    assert first + looks > spent.alpha * Fraction(99, 100)


def test_further_looks_use_the_time_and_show_more() -> None:
    """Chance of a false alarm: 1e-9.  The first outputs alone are 200 000."""

    def batch(rows: Any, count: int) -> Any:
        return np.random.random(count) < (0.6 if rows else 0.4)

    options: dict[str, Any] = {"pairs": PAIRS, "batch": batch, "confidence": 1 - 1e-9}
    found = audit.sampled(lambda rows: batch(rows, 1)[0], epsilon=0.41, seconds=1.5, **options)
    assert not found.refuted and found.samples > 400_000
    few = audit.sampled(lambda rows: batch(rows, 1)[0], epsilon=0.41, samples=2000, **options)
    assert few.samples < 50_000


@pytest.mark.parametrize(
    ("epsilon", "words"), [(0.001, "say little of a claim"), (9, "cannot refute epsilon 9")]
)
def test_a_verdict_says_when_its_samples_miss_the_claim(epsilon: float, words: str) -> None:
    def coin(rows: Any) -> bool:
        return random.random() < 0.5

    found = audit.sampled(coin, pairs=PAIRS, epsilon=epsilon, samples=1000)
    assert words in str(found)
    assert words not in str(audit.sampled(coin, pairs=PAIRS, epsilon=1, samples=1000))


def test_a_ring_that_python_swallows_is_not_told_of_and_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The collector, finalizers and weak references swallow what is raised where they call."""
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    swallowed: list[str] = []

    class Slow:
        def __del__(self) -> None:
            swallowed.append("finalizer")
            time.sleep(30)

    def forgotten(reference: Any) -> None:
        swallowed.append("weak reference")
        time.sleep(30)

    def program() -> None:
        each = Slow()
        reference = weakref.ref(each, forgotten)
        del each
        assert reference() is None
        while True:
            time.sleep(30)

    with pytest.raises(limits.OutOfTime), limits.limited(0.02):
        limits.guarded(program)
    assert sorted(swallowed) == ["finalizer", "weak reference"]
    assert told == []
    assert sys.unraisablehook == told.append
