"""The ledger: no spend is forgotten, no row changes unseen, and nobody overspends."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import sqlite3
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.errors import BudgetError, LedgerError, ParameterError
from metricdp.run.emit import RunLog, Seeded, handling
from metricdp.sessions.chain import GENESIS, chained, verify
from metricdp.sessions.encoding import NotStorableError, decode, encode

ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]
HUGE = 10**9


def opened(path: Path | None, epsilon: Any = 10, dataset: str = "rows", **more: Any) -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], ROWS)}, budget=dp.Budget(epsilon=epsilon),
        dataset=dataset, ledger=dp.Ledger(path), **more,
    )  # fmt: skip


def total(session: dp.Session) -> Any:
    return dp.sum(dp.clamp(session["x"], 0, 20))


@pytest.mark.parametrize("file", [False, True])
def test_rows_chain_and_sums_are_exact(tmp_path: Path, file: bool) -> None:
    session = opened(tmp_path / "ledger.db" if file else None, 1)
    for _ in range(10):
        dp.laplace(total(session), scale=200)
        with handling(Seeded(1)):  # charged, never kept
            pass
    assert session.left() == {"epsilon": Fraction(9, 10)}, "asked again: free"
    for scale in range(201, 210):
        dp.laplace(total(session), scale=scale)
    spent = sum((Fraction(20, scale) for scale in range(200, 210)), Fraction(0))
    assert session.left() == {"epsilon": 1 - spent}
    rows = list(session.ledger.rows())
    assert [row.kind for row in rows] == ["open", *["spend", "release"] * 10]
    assert session.ledger.verify() == 21
    assert session.ledger.verify(rows[4].hash) == 21
    body = rows[1].data()
    assert set(body) == {
        "time", "cost", "total", "name", "scope", "fingerprint", "arguments", "tree", "curve",
        "nonce",
    }  # fmt: skip
    assert body["scope"] == ["x"]
    assert body["curve"]["pure"] == ["0.1"]
    assert body["tree"]["node"] == "Sequence" or body["tree"]["node"] == "Spent"


SAMPLED = """
@dp.measurement
def on_a_sample(x: dp.Records[float], q: float):
    some = dp.sample(x, q=q)
    return dp.laplace(dp.sum(dp.clamp(some, 0, 1)), scale=20.0)
"""


def nodes(found: Any) -> set[str]:
    """Names of the nodes of a tree as a row has it, and of their fields."""
    if isinstance(found, list):
        return set().union(*map(nodes, found))
    if not isinstance(found, dict):
        return set()
    own = {found["node"], *found} - {"node"} if "node" in found else set()
    return own.union(*map(nodes, found.values()))


def test_rows_name_nodes_and_draws_as_every_version_does(tmp_path: Path) -> None:
    """Classes may get other names: what a file says of a spend and of a draw stays."""
    session = opened(None, 1)
    session.run(load(tmp_path, SAMPLED).on_a_sample, q=0.1)
    _, spend, release = session.ledger.rows()
    assert nodes(spend.data()["tree"]) >= {"Sequence", "Sampled", "Poisson", "Spent", "Event",
                                           "mechanism", "noise", "privacy", "site"}  # fmt: skip
    assert "family" not in spend.body + release.body
    (draw,) = release.data()["release"]["draws"]
    assert set(draw) == {
        "site", "mechanism", "norm", "scale", "noise_scale", "exponent", "rounding", "value",
        "extra", "bound",
    }  # fmt: skip
    assert draw["mechanism"] == "laplace"


def test_a_changed_row_is_found(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path)
    for scale in (100, 200, 300):
        dp.laplace(total(session), scale=scale)
    head = session.ledger.head
    plain = sqlite3.connect(path, isolation_level=None)
    for statement in ("DELETE FROM ledger WHERE number = 2", "UPDATE ledger SET pattern = 1"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            plain.execute(statement)

    def force(statement: str, values: Any = ()) -> None:
        plain.execute("DROP TRIGGER IF EXISTS no_update")
        plain.execute("DROP TRIGGER IF EXISTS no_delete")
        plain.execute(statement, values)

    whole = list(session.ledger.rows())
    rng, found = random.Random(4), 0
    for _ in range(90):
        number = rng.randint(1, 7)
        column = rng.choice(["pattern", "line", "hash"])
        (old,) = plain.execute(f"SELECT {column} FROM ledger WHERE number = {number}").fetchone()
        if column == "pattern":
            new: Any = rng.choice([n for n in range(-1, 9) if n != old])
        else:
            at = rng.randrange(len(old))
            new = old[:at] + bytes([old[at] ^ 1 << rng.randrange(8)]) + old[at + 1 :]
        force(f"UPDATE ledger SET {column} = ? WHERE number = {number}", (new,))
        try:
            assert list(dp.Ledger(path).rows()) == whole  # a bit that nobody reads
        except LedgerError as error:
            assert "row " in str(error)
            found += 1
        force(f"UPDATE ledger SET {column} = ? WHERE number = {number}", (old,))
    assert found > 80
    assert dp.Ledger(path).verify(head) == 7
    # A middle row cut out, and rows cut off the end.
    rows = plain.execute("SELECT * FROM ledger").fetchall()
    force("DELETE FROM ledger WHERE number = 4")
    with pytest.raises(LedgerError, match="row 4"):
        dp.Ledger(path)
    force("DELETE FROM ledger WHERE number > 4")
    assert dp.Ledger(path).verify() == 3, "a shorter chain is a chain"
    with pytest.raises(LedgerError, match="head"):
        dp.Ledger(path).verify(head)
    with pytest.raises(LedgerError, match="gone"):
        dp.laplace(total(session), scale=400)  # the session remembers what it wrote
    plain.executemany("INSERT INTO ledger VALUES (?, ?, ?, ?)", rows[3:])
    assert dp.Ledger(path).verify(head) == 7


def test_a_chain_that_lies_about_its_sums_is_broken() -> None:
    body = {"limits": {"epsilon": "1"}, "total": {"epsilon": "0"}}
    first = chained(1, "d", "open", "", body, GENESIS)
    honest = {"cost": {"epsilon": "1/2"}, "total": {"epsilon": "1/2"}}
    verify([first, chained(2, "d", "spend", "", honest, first.hash)])
    lies: list[Any] = [
        {"cost": {"epsilon": "1/2"}, "total": {"epsilon": "1/4"}},
        {"cost": {"epsilon": "-1/2"}, "total": {"epsilon": "-1/2"}},
    ]
    for lie in lies:
        with pytest.raises(LedgerError, match="row 2"):
            verify([first, chained(2, "d", "spend", "", lie, first.hash)])
    with pytest.raises(LedgerError, match="never opened"):
        verify([first, chained(2, "other", "spend", "", honest, first.hash)])
    with pytest.raises(LedgerError, match="second time"):
        verify([first, chained(2, "d", "open", "", body, first.hash)])


class Loud(RunLog):
    """Says that data are being read, in a way that a kill cannot take back."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def handle(self, draw: Any, value: Any) -> Any:
        os.write(self.descriptor, b"x")
        return super().handle(draw, value)


def _spend_forever(path: Path, descriptor: int, number: int) -> None:
    session = opened(path, HUGE)
    os.write(descriptor, b"r")
    with handling(Loud(descriptor)):
        for i in range(10**6):
            dp.laplace(total(session), scale=7 * i + number + 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_point_forgets_no_spend(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    opened(path, HUGE)
    rng = random.Random(20)
    reads = 0
    for number in range(40):
        inner, outer = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(inner)
                _spend_forever(path, outer, number)
            finally:
                os._exit(1)
        os.close(outer)
        seen = b""
        for _ in range(1 + rng.randrange(4)):  # ready, then a few spends
            seen += os.read(inner, 1)
        time.sleep(rng.random() * 0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while chunk := os.read(inner, 65536):
            seen += chunk
        os.close(inner)
        reads += seen.count(b"x")
        ledger = dp.Ledger(path)  # verifies every hash, link and sum
        rows = list(ledger.rows())
        spends = {row.number for row in rows if row.kind == "spend"}
        released = {row.data()["spend"] for row in rows if row.kind == "release"}
        assert reads <= len(spends), "data were read for a spend that is not in the ledger"
        assert released <= spends
        assert len(spends) - reads <= number + 1, "at most one spend per kill was not used"
    assert reads >= 40


def _spend_up(path: str, start: Any, results: Any, number: int) -> None:
    session = opened(Path(path), 1)
    start.wait()
    done = refused = 0
    for i in range(60):
        try:
            dp.laplace(total(session), scale=2000 + number * 100 + i)
            done += 1
        except BudgetError:
            refused += 1
    results.put((done, refused))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_never_overspend_together(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    context = multiprocessing.get_context("fork")
    start, results = context.Event(), context.Queue()
    arguments = [(str(path), start, results, number) for number in range(4)]
    workers = [context.Process(target=_spend_up, args=a) for a in arguments]
    for worker in workers:
        worker.start()
    start.set()
    counts = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(60)
    ledger = dp.Ledger(path)
    spends = [row for row in ledger.rows() if row.kind == "spend"]
    assert sum(done for done, _ in counts) == len(spends)
    assert sum(refused for _, refused in counts) > 50
    left = ledger.left("rows")["epsilon"]
    assert 0 <= left < Fraction(20, 2000), "the budget is used up to less than one spend"


def test_threads_never_overspend_together(tmp_path: Path) -> None:
    for session in (opened(None, 1), opened(tmp_path / "ledger.db", 1)):
        refused: list[int] = []

        def work(number: int, session: dp.Session = session, refused: Any = refused) -> None:
            for i in range(20):
                try:
                    dp.laplace(total(session), scale=400 + number * 100 + i)
                except BudgetError:
                    refused.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused
        assert 0 <= session.left()["epsilon"] < Fraction(1, 20)
        assert session.ledger.verify() > 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_ledger_in_memory_does_not_spend_in_a_copy_of_its_process() -> None:
    session = opened(None, 1)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            dp.laplace(total(session), scale=400)
            os.write(writer, b"spent")
        except LedgerError:
            os.write(writer, b"refused")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b"refused"
    for each in (session, session.ledger):
        with pytest.raises(LedgerError, match="not copied"):
            pickle.dumps(each)


def test_an_answer_is_given_again_for_nothing_also_to_another_process(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    first = opened(path, 1)
    release = dp.laplace(total(first), epsilon=0.5)
    second = opened(path, 1)
    again = dp.laplace(total(second), epsilon=0.5)
    assert again.value == release.value
    assert again.draws == release.draws
    assert again.interval() == release.interval()
    assert "nothing was spent" in again.about.composition["asked again"]
    assert second.left() == {"epsilon": Fraction(1, 2)}
    assert dp.laplace(total(second), epsilon=0.25).value != release.value
    # Another computation, another data set, other numbers: paid for.
    assert dp.laplace(dp.count(second["x"]), epsilon=0.125).value != release.value
    assert second.left() == {"epsilon": Fraction(1, 8)}
    other = opened(path, 1, dataset="others")
    assert dp.laplace(total(other), epsilon=0.5).value != release.value
    assert other.left() == {"epsilon": Fraction(1, 2)}


def test_seeded_answers_are_charged_and_never_given_again(tmp_path: Path) -> None:
    session = opened(tmp_path / "ledger.db", 1)
    with handling(Seeded(3)):
        seeded = dp.laplace(total(session), epsilon=0.25)
    assert seeded.test_only
    assert not dp.laplace(total(session), epsilon=0.25).test_only
    with handling(Seeded(3)):
        assert dp.laplace(total(session), epsilon=0.25).test_only
    assert session.left() == {"epsilon": Fraction(1, 4)}


def test_another_budget_unit_or_table_under_the_same_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    opened(path, 1)
    with pytest.raises(LedgerError, match="budget"):
        opened(path, 2)
    with pytest.raises(LedgerError, match="unit"):
        opened(path, 1, unit=3)
    with pytest.raises(LedgerError, match="tables"):
        dp.Session(
            {"x": (dp.Records[int], [1])}, budget=dp.Budget(epsilon=1), dataset="rows", ledger=path
        )
    with pytest.raises(ParameterError, match="name"):
        dp.Session({"x": (dp.Records[int], [1])}, budget=dp.Budget(epsilon=1), ledger=path)
    with pytest.raises(LedgerError, match="no such file"):
        dp.Ledger(tmp_path / "missing.db", create=False)
    (tmp_path / "text.db").write_text("no ledger" * 200)
    with pytest.raises(LedgerError, match="cannot be used"):
        dp.Ledger(tmp_path / "text.db")


VALUES: list[Any] = [
    0.1, -0.0, float("inf"), 3, 2**80, True, None, "text", Fraction(1, 3), (1, (2.5, [3])),
    {"a": 1.5, 2: (1,)}, [1, "b"],
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=map(repr, VALUES))
def test_values_come_back_as_they_were(value: Any) -> None:
    found = decode(encode(value))
    assert found == value
    assert type(found) is type(value)


def test_arrays_come_back_and_other_objects_are_not_stored() -> None:
    for array in (np.array([[0.1, 2.0]]), np.array([1, 2]), np.zeros((0,)), np.array([True])):
        found = decode(encode(array))
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        assert (found == array).all()
    with pytest.raises(NotStorableError):
        encode(object())


def test_tables_in_text_and_html(tmp_path: Path) -> None:
    session = opened(tmp_path / "ledger.db", 1, dataset="<rows>")
    dp.laplace(total(session), epsilon=0.25)
    text = str(session.ledger)
    assert "ε = 0.25" in text
    assert "left ε = 0.75" in text
    assert "chain whole" in text
    html = session._repr_html_()
    assert "&lt;rows&gt;" in html
    assert "<rows>" not in html
    assert "width:25.0%" in html


def test_long_sums_stay_short_exact_to_verify_and_within_the_budget() -> None:
    session = opened(None, 3)
    ledger, limits = session.ledger, {"epsilon": Fraction(3)}
    exact = Fraction(0)
    for prime in range(10**6 + 1, 10**6 + 400, 2):
        exact += Fraction(1, prime)
        ledger.spend("rows", limits, {"epsilon": Fraction(1, prime)}, "", {"name": "x"})
    left = session.left()["epsilon"]
    assert left.denominator.bit_length() <= 512
    assert 0 <= (3 - exact) - left < Fraction(1, 2**240), "rounded up, hardly at all"
    ledger.spend("rows", limits, {"epsilon": left}, "", {"name": "all"})
    assert session.left() == {"epsilon": 0}
    with pytest.raises(BudgetError):
        ledger.spend("rows", limits, {"epsilon": Fraction(1, 2**300)}, "", {"name": "more"})
    assert ledger.verify() == 202
