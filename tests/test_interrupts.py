"""Ctrl-C during a run: what was released rides on it, the spend is in the ledger, and the data and
everything that later calls read are as they were.

Interrupts come from a piece of a column, a row of a black box or a step of progress, always the
same one: nothing here waits for a clock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.columns import progress
from metricdp.columns.arrays import CHUNK
from metricdp.columns.stored import Stored

PROGRAMS = """
STOP = []


@dp.black_box(returns=Real)
def box(v):
    if v > 8.9:
        raise KeyboardInterrupt
    return v


@dp.measurement
def mean(x: dp.Records[float], eps: float):
    total = dp.laplace(dp.sum(dp.clamp([v * v for v in x], 0, 20)), epsilon=eps / 2)
    return total / dp.laplace(dp.sum([1 for v in x if v > 1]), epsilon=eps / 2)


@dp.measurement
def boxed(x: dp.Records[float], eps: float):
    first = dp.laplace(dp.count(x), epsilon=eps / 2)
    return first + dp.laplace(dp.sum(dp.clamp([box(v) for v in x], 0, 20)), epsilon=eps / 2)


@dp.measurement
def rounds(x: dp.Records[float], n: int, eps: float):
    total = 0.0
    for _ in range(n):
        total = total + dp.laplace(dp.sum(dp.clamp([v + 1 for v in x], 0, 20)), epsilon=eps)
    return total
"""
PIECES = 4
#: A number that no other row has; the box stops there.
LAST = 9.0


def data() -> Any:
    values = np.arange(PIECES * CHUNK) % 5 / 2
    values[-1] = LAST
    return values


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module: Any = load(tmp_path_factory.mktemp("interrupts"), PROGRAMS)
    for name in ("mean", "boxed", "rounds"):
        assert getattr(module, name).guarantee  # the path of a draw is held from now on
    return module


@contextmanager
def at_call(function: Any, number: int) -> Iterator[None]:
    """An interrupt at the start of so many calls of a function; nothing is replaced for it."""
    code, left = function.__code__, [number]

    def profile(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code is code:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt(f"at {LAST}")

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def at_piece(number: int) -> Any:
    """An interrupt inside of the reading of a column."""
    return at_call(Stored.piece, number)


def at_progress(number: int) -> Any:
    """An interrupt inside of progress."""
    return at_call(progress.Work.step, number)


@contextmanager
def nowhere() -> Iterator[None]:
    yield


#: name -> (program, public arguments, the interrupt, how many releases were made before it).
CASES: dict[str, tuple[str, dict[str, Any], Callable[[], Any], int]] = {
    "first piece": ("mean", {"eps": 1}, lambda: at_piece(1), 0),
    "last piece before the first draw": ("mean", {"eps": 1}, lambda: at_piece(PIECES), 0),
    "between two draws": ("mean", {"eps": 1}, lambda: at_piece(PIECES + 2), 1),
    "a later round": ("rounds", {"n": 3, "eps": 1}, lambda: at_piece(PIECES + 1), 1),
    "black box": ("boxed", {"eps": 1}, nowhere, 1),
    "progress": ("mean", {"eps": 1}, lambda: at_progress(3), 0),
    "progress of a later round": ("rounds", {"n": 3, "eps": 1}, lambda: at_progress(7), 1),
}


def frames(error: BaseException) -> str:
    """All locals of the frames that hang on an error, but for the test's own."""
    assert error.__traceback__ is not None
    found, trace = [], error.__traceback__.tb_next
    while trace is not None:
        found.append(repr({k: v for k, v in trace.tb_frame.f_locals.items() if k != "self"}))
        trace = trace.tb_next
    return "\n".join(found)


@pytest.mark.parametrize("name", CASES)
def test_a_call(programs: Any, name: str) -> None:
    program, public, interrupt, made = CASES[name]
    values = data()
    with dp.handling(dp.Seeded(3)), pytest.raises(KeyboardInterrupt) as caught, interrupt():
        getattr(programs, program)(values, **public)
    assert len(caught.value.releases) == made  # type: ignore[attr-defined]
    assert str(LAST) not in str(caught.value)
    assert caught.value.__context__ is None
    assert np.array_equal(values, data())
    assert progress._mine.works == []
    assert progress._all.writer is None
    with dp.handling(dp.Seeded(4)):
        again = programs.mean(values, eps=1).value
    with dp.handling(dp.Seeded(4)):
        assert programs.mean(data(), eps=1).value == again


@pytest.mark.parametrize("name", CASES)
def test_a_session_with_a_ledger(programs: Any, tmp_path: Path, name: str) -> None:
    program, public, interrupt, made = CASES[name]
    path = tmp_path / "ledger.db"
    session = opened(path)
    with pytest.raises(KeyboardInterrupt) as caught, interrupt():
        session.run(getattr(programs, program), **public)
    assert len(caught.value.releases) == made  # type: ignore[attr-defined]
    assert "array(" not in frames(caught.value)
    cost = Fraction(3 if program == "rounds" else 1)
    assert session.left() == {"epsilon": 20 - cost}
    assert session.ledger.verify() == 2
    # Nothing was kept, so the question is asked and paid for again; another process sees the same.
    if program != "boxed":
        first = session.run(getattr(programs, program), **public)
        assert session.left() == {"epsilon": 20 - 2 * cost}
        assert session.run(getattr(programs, program), **public).value == first.value
    left = session.left()
    other = opened(path)
    assert other.left() == left
    assert other.ledger.verify() == session.ledger.verify()


@pytest.mark.parametrize("piece", range(1, 3 * PIECES + 1))
def test_what_later_calls_read_is_whole(programs: Any, piece: int) -> None:
    """Tables of a session live on: nothing half-read is taken for known."""

    def answers(session: dp.Session) -> list[Any]:
        total = dp.sum(dp.clamp(session["x"], 0, 20))
        return [
            session.run(programs.mean, eps=1, fresh=True).value,
            session.run(programs.rounds, n=2, eps=1, fresh=True).value,
            dp.laplace(total, epsilon=1).value,
        ]

    interrupted, plain = opened(None), opened(None)
    with dp.handling(dp.Seeded(8)), suppress(KeyboardInterrupt), at_piece(piece):
        interrupted.run(programs.rounds, n=2, eps=1)
    with dp.handling(dp.Seeded(9)):
        found = answers(interrupted)
    with dp.handling(dp.Seeded(9)):
        assert answers(plain) == found


def test_a_mechanism_on_a_tracked_value(tmp_path: Path) -> None:
    session = opened(tmp_path / "ledger.db")
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    with pytest.raises(KeyboardInterrupt), at_piece(2):
        dp.laplace(total, epsilon=1)
    assert session.left() == {"epsilon": 19}
    release = dp.laplace(total, epsilon=1)
    assert session.left() == {"epsilon": 18}
    assert dp.laplace(total, epsilon=1).value == release.value
    assert session.ledger.verify() == 4


def test_a_refused_question_reads_nothing(programs: Any) -> None:
    session = opened(None)
    with at_piece(1), pytest.raises(dp.errors.BudgetError):
        session.run(programs.mean, eps=21)
    assert session.left() == {"epsilon": 20}


def opened(path: Path | None) -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], data())}, budget=dp.Budget(epsilon=20), dataset="rows",
        ledger=path,
    )  # fmt: skip
