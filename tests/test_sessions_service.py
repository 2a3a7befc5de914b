"""A session in a service: hooks, close, asyncio, real signals; what is spent stays spent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import ledgers
import pytest
from checked_modules import load
from depth import depth

import metricdp as dp
from metricdp.errors import BudgetError, LedgerError, MetricdpError, ParameterError
from metricdp.run.emit import RunLog, handling

F = Fraction
ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]
PROGRAM = """
@dp.measurement
def total(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 20)), epsilon=eps)
"""


@pytest.fixture(scope="module")
def total(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module: Any = load(tmp_path_factory.mktemp("service"), PROGRAM)
    return module.total


def opened(path: Any = None, epsilon: Any = 10, **more: Any) -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], ROWS)}, budget=dp.Budget(epsilon=epsilon),
        dataset="rows", ledger=path, **more,
    )  # fmt: skip


class Slow(RunLog):
    """Reads data slowly, or stops."""

    def __init__(self, seconds: float = 0, error: type[BaseException] | None = None) -> None:
        self.seconds, self.error = seconds, error
        self.reading = threading.Event()

    def handle(self, draw: Any, value: Any) -> Any:
        self.reading.set()
        time.sleep(self.seconds)
        if self.error is not None:
            raise self.error(f"about the data: {value}")
        return super().handle(draw, value)


def test_hooks_are_told_public_facts_of_every_question(
    total: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    session = opened(epsilon=1, events=told.append, analyst="ann")
    session.ledger.limit(
        "rows", dp.Limit(epsilon=F(1, 2), per="question", approvers=("ben",)), by="d"
    )
    session.run(total, eps=0.25)
    session.run(total, eps=0.25)
    for eps in (0.625, 2):
        with pytest.raises(BudgetError):
            session.run(total, eps=eps)
    with handling(Slow(error=ValueError)), pytest.raises(MetricdpError) as failed:
        session.run(total, eps=0.125)
    dp.laplace(dp.count(session.asked_by("ben", "audit")["x"]), epsilon=0.125)
    kinds = [event.kind for event in told]
    assert kinds == ["answered", "again", "waits", "refused", "failed", "answered"]
    assert [event.cost.get("epsilon", 0) for event in told] == [
        F(1, 4), 0, F(5, 8), 2, F(1, 8), F(1, 8)
    ]  # fmt: skip
    assert str(told[0]) == "answered: total on rows by ann, row 3: ε = 0.25; left ε = 0.75"
    assert (told[-1].analyst, told[-1].purpose) == ("ben", "audit")
    assert told[2].row == 5
    text = " ".join(map(repr, told)) + str(failed.value)
    assert not any(word in text for word in ("about the data", "ValueError:", "77.25"))
    # A hook that fails stops nothing that was paid for.
    shown: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)

    def broken(event: Any) -> None:
        raise RuntimeError("the log is full")

    assert opened(events=broken).run(total, eps=1).value
    assert [type(each.exc_value) for each in shown] == [RuntimeError]
    with pytest.raises(ParameterError, match="events"):
        opened(events=3)


def test_a_closed_session_answers_nothing_and_lets_go_of_its_data(
    total: Any, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.db"
    with opened(path) as session:
        value = session.run(total, eps=1).value
        tracked, other = session["x"], session.asked_by("ann")
        summed = dp.sum(dp.clamp(tracked, 0, 20))
        kept = other["x"]
    assert sorted(os.listdir(tmp_path)) == ["ledger.db"], "no journal is left beside it"
    for question in (
        lambda: session.run(total, eps=1), lambda: other.run(total, eps=1), lambda: session["x"],
        lambda: dp.laplace(summed, epsilon=1), lambda: dp.laplace(dp.count(kept), epsilon=1),
        lambda: session.cost(total, eps=1), lambda: session.release(total),
    ):  # fmt: skip
        with pytest.raises(LedgerError, match="was closed"):
            question()
    session.close()
    assert not session._tables
    ledger = dp.Ledger(path)
    assert len(ledger) == 3
    shared = opened(ledger)
    assert shared.run(total, eps=1).value == value
    shared.close()
    assert len(ledger) == 3, "who gave a ledger closes it"


def test_many_tasks_ask_at_once_and_the_loop_goes_on(total: Any, tmp_path: Path) -> None:
    session = opened(tmp_path / "ledger.db", epsilon=1)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.002)

    async def work() -> list[Any]:
        ticking = asyncio.create_task(tick())
        slow = Slow(0.05)
        with handling(slow):
            first = asyncio.create_task(session.run_async(total, eps=0.0625))
            found = await first
        assert ticks > 5, "the loop went on meanwhile"
        same = await asyncio.gather(*(session.run_async(total, eps=0.125) for _ in range(6)))
        assert len({release.value for release in same}) == 1, "asked at once, paid for once"
        asked = [session.run_async(total, eps=0.0625 + i / 10000) for i in range(1, 30)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        ticking.cancel()
        assert found.value is not None
        return answers

    answers = asyncio.run(work())
    refused = [each for each in answers if isinstance(each, BudgetError)]
    assert refused
    assert all(isinstance(each, BudgetError | dp.Release) for each in answers)
    assert 0 <= session.left()["epsilon"] < F(66, 1000)
    assert session.ledger.verify()


def test_a_task_that_is_cancelled_has_spent_and_its_answer_is_kept(total: Any) -> None:
    session = opened(epsilon=1)

    async def work() -> None:
        task = asyncio.create_task(session.run_async(total, eps=0.5))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())  # which waits for the threads
    assert session.left() in ({"epsilon": F(1, 2)}, {"epsilon": F(1)})
    spent = session.left() == {"epsilon": F(1, 2)}
    assert session.cost(total, eps=0.5).known is spent


STOPPED = """
import os, signal, sys, time
import metricdp as dp
from typing import TypedDict
from metricdp.run.emit import RunLog, handling
class Visit(TypedDict):
    person: int
    cost: float
class Stopped(RunLog):
    def handle(self, draw, value):
        print("reading", flush=True)
        time.sleep(60)
# Whoever runs the tests in the background has it ignored, which processes inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, sys.argv[1])
from spent import costs
session = dp.Session({"visits": (dp.Records[Visit, dp.Ids("person")], sys.argv[1] + "/v.parquet")},
                     budget=dp.Budget(epsilon=1), dataset="visits", ledger="ledger.db")
with handling(Stopped()):
    session.run(costs, eps=0.25)
"""
SPENT = """
from typing import TypedDict
import metricdp as dp
class Visit(TypedDict):
    person: int
    cost: float
@dp.measurement
def costs(visits: dp.Records[Visit, dp.Ids("person")], eps: float):
    kept = dp.limit_rows(visits, "person", 2)
    return dp.laplace(dp.sum([dp.clamp(v["cost"], 0, 20) for v in kept]), epsilon=eps)
"""


#: Kills of sessions on arrays are in test_sessions_ledger.
KINDS = depth(("SIGINT",), ("SIGINT", "SIGKILL"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
@pytest.mark.parametrize("kind", KINDS)
def test_a_real_signal_in_the_middle_of_a_query_leaves_the_spend_and_nothing_else(
    kind: str, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    program, work, spill = (tmp_path / name for name in ("program", "work", "spill"))
    for folder in (program, work, spill):
        folder.mkdir()
    (program / "spent.py").write_text(SPENT)
    duckdb.sql("SELECT i % 9 AS person, i * 1.5::DOUBLE AS cost FROM range(50) t(i)").write_parquet(
        str(program / "v.parquet")
    )
    stopped = subprocess.Popen(
        [sys.executable, "-B", "-c", STOPPED, str(program)], text=True, cwd=work,
        env={**os.environ, "TMPDIR": str(spill)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert stopped.stdout is not None
    assert stopped.stdout.readline() == "reading\n"
    stopped.send_signal(getattr(signal, kind))
    _, said = stopped.communicate(timeout=30)
    assert stopped.returncode
    assert "1.5" not in said
    ledger = dp.Ledger(work / "ledger.db")
    assert [row.kind for row in ledger.rows()] == ["open", "spend"]
    assert ledger.left("visits") == {"epsilon": F(3, 4)}
    ledger.close()
    assert os.listdir(work) == ["ledger.db"]
    # Nobody can tidy up after a kill: the folder for what does not fit into memory stays, empty.
    assert [name for _, *found in os.walk(spill) for names in found for name in names] == (
        [] if kind == "SIGINT" else os.listdir(spill)
    )
    assert sorted(os.listdir(program)) == ["spent.py", "v.parquet"]


def test_a_disk_that_is_full_before_the_spend_refuses_it(tmp_path: Path) -> None:
    """A real limit on the size of files, in a process of its own: no spend, no data read."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "ledger.db"
    inner, outer = os.pipe()
    child = os.fork()
    if not child:
        try:
            session = ledgers.opened(path)
            ledgers.ask(session, 100)
            room = os.stat(f"{path}-wal").st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            ledgers.refused(session)
            os.write(outer, b"refused")
        finally:
            os._exit(0)
    os.close(outer)
    os.waitpid(child, 0)
    with os.fdopen(inner, "rb") as pipe:
        assert pipe.read() == b"refused"
    ledger = dp.Ledger(tmp_path / "ledger.db")
    assert ledger.verify() == 3
    assert ledger.left("rows") == {"epsilon": 10 - F(1, 5)}
