"""Ctrl-C during a run: what was released rides on it, the spend is in the ledger, and the data and
everything that later calls read are as they were.

Interrupts come from a piece of a column, a row of a black box or a step of progress, always the
same one: nothing here waits for a clock.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.columns import progress
from metricdp.columns.table import Table
from metricdp.run.emit import emit

PROGRAMS = """
STOP = []


@dp.black_box(returns=Real)
def box(v):
    if v == 9:  # no made-up record has this number
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
#: More rows than one piece has.
ROWS = 5 << 16
#: A number that no other row has; the box stops there.
LAST = 9.0


def data() -> Any:
    values = np.arange(ROWS) % 5 / 2
    values[700] = LAST
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


def before(function: Any, program: Any, public: dict[str, Any], draws: int) -> int:
    """How often a function is called before a draw of an undisturbed run."""
    calls, left = [0], [draws]

    def profile(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and left[0]:
            calls[0] += frame.f_code is function.__code__
            left[0] -= frame.f_code is emit.__code__

    with dp.handling(dp.Seeded(1)):
        sys.setprofile(profile)
        try:
            program(data(), **public)
        finally:
            sys.setprofile(None)
    assert calls[0] > 1
    return calls[0]


@contextmanager
def nowhere() -> Iterator[None]:
    yield


READ, STEP = Table._column, progress.Work.step
#: name -> (program, public arguments, what is interrupted, after how many draws, at which call of
#: it after that draw: the last one before the next draw for -1).
CASES: dict[str, tuple[str, dict[str, Any], Any, int, int]] = {
    "first piece": ("mean", {"eps": 1}, READ, 0, 1),
    "last piece before the first draw": ("mean", {"eps": 1}, READ, 0, -1),
    "between two draws": ("mean", {"eps": 1}, READ, 1, 2),
    "a later round": ("rounds", {"n": 3, "eps": 1}, READ, 1, 1),
    "black box": ("boxed", {"eps": 1}, None, 1, 0),
    "progress": ("mean", {"eps": 1}, STEP, 0, 2),
    "progress of a later round": ("rounds", {"n": 3, "eps": 1}, STEP, 1, 2),
}


def interrupt(programs: Any, name: str) -> Any:
    program, public, where, draws, call = CASES[name]
    if where is None:
        return nowhere()
    function = getattr(programs, program)
    if call < 0:
        return at_call(where, before(where, function, public, draws + 1))
    passed = before(where, function, public, draws) if draws else 0
    return at_call(where, passed + call)


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
    program, public, _, made, _ = CASES[name]
    stopped = interrupt(programs, name)
    values = data()
    with dp.handling(dp.Seeded(3)), pytest.raises(KeyboardInterrupt) as caught, stopped:
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
    program, public, _, made, _ = CASES[name]
    stopped = interrupt(programs, name)
    path = tmp_path / "ledger.db"
    session = opened(path)
    with pytest.raises(KeyboardInterrupt) as caught, stopped:
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


@pytest.mark.parametrize("piece", range(1, 12))
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
    with dp.handling(dp.Seeded(8)), suppress(KeyboardInterrupt), at_call(READ, piece):
        interrupted.run(programs.rounds, n=2, eps=1)
    with dp.handling(dp.Seeded(9)):
        found = answers(interrupted)
    with dp.handling(dp.Seeded(9)):
        assert answers(plain) == found


def test_a_mechanism_on_a_tracked_value(tmp_path: Path) -> None:
    session = opened(tmp_path / "ledger.db")
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    with pytest.raises(KeyboardInterrupt), at_call(STEP, 2):
        dp.laplace(total, epsilon=1)
    assert session.left() == {"epsilon": 19}
    release = dp.laplace(total, epsilon=1)
    assert session.left() == {"epsilon": 18}
    assert dp.laplace(total, epsilon=1).value == release.value
    assert session.ledger.verify() == 4


def test_a_refused_question_reads_nothing(programs: Any) -> None:
    session = opened(None)
    with at_call(READ, 1), pytest.raises(dp.errors.BudgetError):
        session.run(programs.mean, eps=21)
    assert session.left() == {"epsilon": 20}


def opened(path: Path | None) -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], data())}, budget=dp.Budget(epsilon=20), dataset="rows",
        ledger=path,
    )  # fmt: skip
