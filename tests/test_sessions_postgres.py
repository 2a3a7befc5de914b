"""A ledger on a PostgreSQL server: hosts share one budget, whatever is killed, lost or attacked.

A real server is started; hosts are real processes.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import postgres
import pytest
from ledgers import Reads

import metricdp as dp
from metricdp.apps.cli import main
from metricdp.errors import BudgetError, LedgerError, MetricdpError
from metricdp.run.emit import RunLog, handling

ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]


@pytest.fixture(scope="module")
def running() -> Iterator[postgres.Running]:
    found = postgres.server()
    if found is None:
        pytest.skip("no PostgreSQL server: neither initdb nor the package pgserver, or no psycopg")
    yield found
    postgres.ended(found)


@pytest.fixture
def address(running: postgres.Running) -> str:
    return running.database()


def opened(address: Any, epsilon: Any = 10, dataset: str = "rows", **more: Any) -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], ROWS)}, budget=dp.Budget(epsilon=epsilon),
        dataset=dataset, ledger=address, **more,
    )  # fmt: skip


def ask(session: dp.Session, scale: Any) -> Any:
    return dp.laplace(dp.sum(dp.clamp(session["x"], 0, 20)), scale=scale)


def refused(session: dp.Session, match: str = ".") -> None:
    reads = Reads()
    with pytest.raises(LedgerError, match=match), handling(reads):
        ask(session, 71)
    assert not reads.count


def host(work: Callable[[int], None]) -> tuple[int, int]:
    """A process of its own that works, and a pipe of what it writes."""
    inner, outer = os.pipe()
    child = os.fork()
    if not child:
        try:
            # Whoever runs the tests in the background has it ignored, which processes inherit.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.close(inner)
            work(outer)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(outer)
    return child, inner


def told(child: int, inner: int) -> tuple[int, bytes]:
    """How a process ended, and what it wrote."""
    with os.fdopen(inner, "rb") as pipe:
        said = pipe.read()
    return os.waitpid(child, 0)[1], said


def test_hosts_that_race_never_overspend_and_see_each_others_answers(address: str) -> None:
    opened(address, 1)

    def work(number: int, pipe: int) -> None:
        session = opened(address, 1)
        for i in range(20):
            try:
                ask(session, 400 + number * 100 + i)
                os.write(pipe, b"x")
            except BudgetError:
                pass

    hosts = [host(partial(work, number)) for number in range(3)]
    ends = [told(*each) for each in hosts]
    assert not any(code for code, _ in ends)
    done = sum(len(said) for _, said in ends)
    ledger = dp.Ledger(address)
    assert ledger.verify() == len(ledger) == 1 + 2 * done
    left = ledger.left("rows")["epsilon"]
    assert 0 <= left < Fraction(20, 400), "used up to less than one spend"
    session = opened(address, 1)
    first = next(row for row in ledger.rows() if row.kind == "spend")
    scale = int(first.data()["arguments"]["scale"])
    assert "nothing was spent" in ask(session, scale).about.composition["asked again"]
    session.ledger.close()
    assert ask(session, scale), "a closed ledger is opened again"


class Killed(RunLog):
    """A signal at the moment in which data are read."""

    def __init__(self, kind: int) -> None:
        self.kind = kind

    def handle(self, draw: Any, value: Any) -> Any:
        os.kill(os.getpid(), self.kind)
        time.sleep(60)


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_host_that_stops_between_spend_and_answer_has_spent(kind: int, address: str) -> None:
    def work(pipe: int) -> None:
        session = opened(address, 1)
        os.write(pipe, b"opened")
        with handling(Killed(kind)):
            ask(session, 100)

    code, said = told(*host(work))
    assert code
    assert said == b"opened"
    ledger = dp.Ledger(address)
    assert [row.kind for row in ledger.rows()] == ["open", "spend"]
    assert ledger.left("rows") == {"epsilon": Fraction(4, 5)}
    session = opened(address, 1)
    ask(session, 100)
    assert session.left() == {"epsilon": Fraction(3, 5)}, "asked again it costs again"


def test_a_server_that_crashes_forgets_no_spend(running: postgres.Running, address: str) -> None:
    session = opened(address, 1)
    ask(session, 10**6)

    def work(number: int, pipe: int) -> None:
        own = opened(address, 1)
        for i in range(10**6):
            try:
                ask(own, 10**6 + i * 10 + number)
            except LedgerError:
                os.write(pipe, b"refused")
                return
            os.write(pipe, b"x")

    hosts = [host(partial(work, number)) for number in (1, 2)]
    for _, inner in hosts:
        assert os.read(inner, 1) == b"x"
    running.stop(signal.SIGQUIT)
    ends = [told(*each) for each in hosts]
    refused(session)
    refused(session)
    running.start()
    assert all(said.endswith(b"refused") and not code for code, said in ends), ends
    answers = 1 + sum(1 + said.count(b"x") for _, said in ends)
    ledger = dp.Ledger(address)
    rows = list(ledger.rows())
    spends = [row for row in rows if row.kind == "spend"]
    assert len(spends) >= answers, "an answer whose spend is not in the ledger"
    assert ledger.verify() == len(rows)
    ask(session, 10**6 + 7)  # the connection was lost, and is made again
    assert len(session.ledger) == len(rows) + 2


def test_a_host_that_hangs_in_the_middle_does_not_hold_the_others_for_ever(
    running: postgres.Running, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metricdp.sessions import servers

    session, other = opened(address), opened(address)
    quick = servers._BEGIN.replace("'60s'", "'300ms'")
    monkeypatch.setattr(servers, "_BEGIN", quick)
    store: Any = session.ledger._store
    entered, over = threading.Event(), threading.Event()

    def hang(account: Any, now: str) -> Any:
        entered.set()
        over.wait(20)
        return (servers.placed and None) or _draft(now)

    def hung() -> None:
        try:
            store.append("rows", hang)
        except LedgerError as error:
            stopped.append(error)

    stopped: list[Exception] = []
    thread = threading.Thread(target=hung)
    thread.start()
    assert entered.wait(20)
    monkeypatch.setattr(servers, "_BEGIN", quick.replace("lock_timeout = '300ms'",
                                                         "lock_timeout = '20s'"))  # fmt: skip
    before = len(other.ledger)
    ask(other, 100)
    over.set()
    thread.join(20)
    assert stopped, "what was decided before the others went on is not written"
    assert len(other.ledger) == before + 2
    ask(session, 100)


def _draft(now: str) -> Any:
    from metricdp.sessions.stores import DraftRow

    zero = {"epsilon": "0"}
    return DraftRow("rows", "spend", "", {"time": now, "cost": zero, "total": zero})


def test_a_ledger_moves_from_a_file_to_a_server_and_spends_in_one_place(
    address: str, running: postgres.Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path)
    for scale in (100, 200, 300):
        ask(session, scale)
    head, left = session.ledger.head, session.left()
    other = running.database()
    opened(other)

    def moved(code: int, target: str) -> str:
        assert main(["ledger", "move", str(path), target]) == code
        return capsys.readouterr().out

    assert "rows already" in moved(1, other)
    moved(1, str(tmp_path / "." / "ledger.db"))  # to itself
    ask(session, 400)
    head, left = session.ledger.head, session.left()
    assert "9 rows" in moved(0, address)
    refused(session, "was moved to postgresql://")
    refused(opened(path), "was moved to postgresql://")
    moved(0, address)  # once more it changes nothing
    moved(1, running.database())
    there = opened(address)
    assert there.left() == left
    assert there.ledger.verify(head) == 9
    assert "asked again" in ask(there, 200).about.composition
    ask(there, 500)
    moved(1, address)  # the server has gone on
    assert main(["ledger", address]) == 0
    assert "chain whole" in capsys.readouterr().out
    # And back, to a file.
    back = tmp_path / "back.db"
    there.ledger.move(dp.Ledger(back))
    refused(there, "was moved")
    assert opened(back).left() == dp.Ledger(address).left("rows")


def test_rows_on_a_server_that_were_tampered_with_are_found(
    address: str, running: postgres.Running
) -> None:
    session = opened(address)
    for scale in (100, 200):
        ask(session, scale)
    for statement in ("UPDATE metricdp.ledger SET line = ''", "DELETE FROM metricdp.ledger",
                      "TRUNCATE metricdp.ledger"):  # fmt: skip
        with pytest.raises(Exception, match="append-only"):
            running.ask(address, statement)

    def forced(*statements: str) -> None:
        running.ask(address, "ALTER TABLE metricdp.ledger DISABLE TRIGGER ALL", *statements)

    rows = running.ask(address, "SELECT number, line, hash FROM metricdp.ledger")
    cost = "UPDATE metricdp.ledger SET line = replace(line, '1/5', '1/9') WHERE number = 2"
    for lie, match in [
        (cost, "row 2"),
        ("UPDATE metricdp.ledger SET line = '[]' WHERE number = 3", "row 3"),
        ("UPDATE metricdp.ledger SET number = 9 WHERE number = 5", "row 5|gone"),
        ("DELETE FROM metricdp.ledger WHERE number = 1", "row 1|gone"),
    ]:
        forced(lie)
        with pytest.raises(LedgerError, match=match):
            dp.Ledger(address)
        forced("DELETE FROM metricdp.ledger")
        refused(session, "gone")
        _put(address, rows)
    ask(session, 300)
    forced("DELETE FROM metricdp.ledger WHERE number > 3")
    refused(session, "gone")
    # What a server would lose, drop or change.
    late = opened(address)
    before = len(late.ledger)
    for change, back in [
        ("ALTER TABLE metricdp.ledger SET UNLOGGED", "ALTER TABLE metricdp.ledger SET LOGGED"),
        ("CREATE RULE r AS ON INSERT TO metricdp.ledger DO INSTEAD NOTHING",
         "DROP RULE r ON metricdp.ledger"),
        ("ALTER TABLE metricdp.ledger RENAME TO other",
         "ALTER TABLE metricdp.other RENAME TO ledger"),
        ("COMMENT ON TABLE metricdp.ledger IS 'a ledger of metricdp, format 9'",
         "COMMENT ON TABLE metricdp.ledger IS 'a ledger of metricdp, format 1'"),
        ("ALTER TABLE metricdp.ledger ADD more text", "ALTER TABLE metricdp.ledger DROP more"),
    ]:  # fmt: skip
        running.ask(address, change)
        refused(late)
        running.ask(address, back)
    ask(late, 500)
    assert len(late.ledger) == before + 2


def _put(address: str, rows: list[Any]) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True, client_encoding="utf8") as connection:
        for row in rows:
            connection.execute("INSERT INTO metricdp.ledger VALUES (%s, %s, %s)", row)


def test_a_user_who_may_read_and_append_needs_nothing_else(
    address: str, running: postgres.Running
) -> None:
    opened(address)
    running.ask(
        address, "DO $$ BEGIN CREATE ROLE ann LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
        "GRANT USAGE ON SCHEMA metricdp TO ann", "GRANT SELECT, INSERT ON metricdp.ledger TO ann",
    )  # fmt: skip
    ann = address.replace("owner@", "ann@")
    session = opened(ann)
    ask(session, 100)
    with pytest.raises(Exception, match=r"denied|append-only"):
        running.ask(ann, "DELETE FROM metricdp.ledger")
    # A page of passwords is not printed: neither by the ledger, nor by what goes wrong.
    for wrong in (ann.replace("ann@", "ann:secret@"), "postgresql://a:secret@:x/y?z=secret",
                  "postgresql://ann:secret@127.0.0.1:1/none?connect_timeout=1"):  # fmt: skip
        try:
            text = repr(dp.Ledger(wrong))
        except MetricdpError as error:
            text = str(error)
        assert "secret" not in text
    with pytest.raises(LedgerError, match=r"no ledger"):
        dp.Ledger(running.database(), create=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_takes_no_connection_along(address: str) -> None:
    session = opened(address)
    ask(session, 100)
    child = os.fork()
    if not child:
        try:
            ask(session, 200)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    ask(session, 300)
    assert session.ledger.verify() == 7
