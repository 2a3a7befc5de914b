"""Progress is a line on a terminal after a second, of public facts only, and never in the way."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.columns import progress
from metricdp.columns.arrays import CHUNK
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.errors import SchemaError

PROGRAMS = """
@dp.measurement
def rounds(x: dp.Records[float], n: int, eps: float):
    total = 0
    for _ in range(n):
        total = total + dp.sum(dp.clamp([v * v for v in x], 0, 1))
    return dp.laplace(total, epsilon=eps)


@dp.measurement
def appended(x: dp.Records[float], eps: float):
    held = []
    for v in x:
        held.append(dp.clamp(v, 0, 1))
    return dp.laplace(dp.sum(held), epsilon=eps)


@dp.measurement
def parts(x: dp.Records[float], eps: float):
    total = 0
    for part in dp.partition(x, key=lambda v: v > 0.75, keys=(False, True)):
        total += dp.sum(dp.clamp([v * v for v in part if v * v > 0.1], 0, 1))
    return dp.laplace(total, epsilon=eps)


@dp.measurement
def fails(x: dp.Records[float], n: int, eps: float):
    total = dp.laplace(dp.sum(dp.clamp(x, 0, 1)), epsilon=eps)
    for i in range(n):
        total = total / (i - 2)
    return total
"""
#: Pieces of the data of most tests: more than one of the longest that there are.
PIECES = 24


class Screen:
    """A terminal that keeps what is written."""

    def __init__(self, terminal: bool = True) -> None:
        self.written: list[str] = []
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> None:
        self.written.append(text)

    def flush(self) -> None:
        pass

    @property
    def lines(self) -> list[str]:
        return [text.strip() for text in self.written]


class Clock:
    """Every look takes a while."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds, self.looks = 0.0, seconds, 0

    def __call__(self) -> float:
        self.now += self.seconds
        self.looks += 1
        return self.now


@pytest.fixture
def clock(programs: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock(0.8)
    monkeypatch.setattr(progress, "monotonic", made)
    monkeypatch.delenv("METRICDP_PROGRESS", raising=False)
    yield made
    assert progress._mine.works == []
    assert progress._all.writer is None


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    made = Screen()
    _on(monkeypatch, made)
    return made


def _on(monkeypatch: pytest.MonkeyPatch, stream: Any) -> None:
    """Standard error as the module sees it; pytest puts streams of its own into `sys`."""
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module: Any = load(tmp_path_factory.mktemp("progress"), PROGRAMS)
    assert module.rounds.guarantee  # the path of a draw is held from now on, with Python's clock
    return module


def data() -> Any:
    return np.arange(PIECES * CHUNK) % 3 / 2


def run(function: Any, **public: Any) -> Any:
    rows = 4000 if function.__name__ == "appended" else PIECES * CHUNK
    with dp.handling(dp.Seeded(5)):
        return function(data()[:rows], **public, eps=1.0)


def test_rounds_and_rows(programs: Any, clock: Clock, screen: Screen) -> None:
    run(programs.rounds, n=3)
    said = [re.sub(r"   \d+ s$", "", line) for line in screen.lines]
    told = [re.fullmatch(r"rounds, round ([123]) of 3, rows read ([\d,]+)", line) for line in said]
    assert {match[1] for match in told if match} == {"1", "2", "3"}
    assert {int(match[2].replace(",", "")) % CHUNK for match in told if match} == {0}
    assert screen.written[-1] == f"\r{'':<79}\r"
    assert all(text[0] == "\r" and len(text) <= 81 for text in screen.written)


def test_nothing_for_the_first_second(programs: Any, clock: Clock, screen: Screen) -> None:
    clock.seconds = 0.001
    run(programs.rounds, n=3)
    assert clock.looks > 3
    assert screen.written == []


def test_row_by_row_and_parts_without_counts(programs: Any, clock: Clock, screen: Screen) -> None:
    run(programs.appended)
    assert re.sub(r"   \d+ s$", "", screen.lines[-2]) == "appended, row by row"
    screen.written.clear()
    run(programs.parts)
    whole = "|".join(f"{i * CHUNK:,}" for i in range(PIECES + 1))
    allowed = rf"(parts(, round [12] of 2)?(, reading|, rows read ({whole}))?   \d+ s)?"
    assert [line for line in screen.lines if not re.fullmatch(allowed, line)] == []


def test_chunks_are_counted_and_not_their_rows(programs: Any, clock: Clock, screen: Screen) -> None:
    """How many rows were no numbers, and left out, would be private."""
    from metricdp.run.guards import admit
    from metricdp.spaces import space_of

    kept = space_of(Annotated[dp.Records[float], dp.NoNaN(drop=True)], "x")
    assert len(admit("x", kept, ([1.0, float("nan")] for _ in range(4)))) == 4
    said = [re.sub(r"   \d+ s$", "", line) for line in screen.lines]
    assert said == [*(f"x, chunks read {i}" for i in (2, 3, 4)), ""]
    screen.written.clear()
    with pytest.raises(SchemaError):
        admit("x", kept, iter([[1.0], [1.0], [2.0], 7]))
    assert screen.lines[-1] == ""


def test_a_pass_through_chosen_rows_has_no_number(clock: Clock, screen: Screen) -> None:
    column = Stored("double", data())
    table = Table((column,), column.node(0))
    chosen = [*range(5 * CHUNK + 5)] * 4
    with progress.running("chosen"):
        assert sum(rows for rows, _ in table.taken(chosen).pieces()) == len(chosen)
    said = {re.sub(r"   \d+ s$", "", line) for line in screen.lines}
    assert said == {"chosen, reading", ""}


@pytest.mark.parametrize("how", ["switch", "variable", "no terminal", "no stream"])
def test_it_can_be_switched_off(
    programs: Any, clock: Clock, screen: Screen, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    shown = run(programs.rounds, n=2)
    assert screen.written
    screen.written.clear()
    if how == "switch":
        monkeypatch.setattr(progress._all, "wanted", True)
        dp.progress(False)
    elif how == "variable":
        monkeypatch.setenv("METRICDP_PROGRESS", "0")
    elif how == "no terminal":
        screen.terminal = False
    else:
        _on(monkeypatch, None)
    hidden = run(programs.rounds, n=2)
    assert screen.written == []
    assert hidden.value == shown.value


def test_a_notebook_sees_it(programs: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = type("OutStream", (Screen,), {"__module__": "ipykernel.iostream"})(False)
    _on(monkeypatch, stream)
    run(programs.rounds, n=1)
    assert stream.written


def test_a_broken_stream_stops_nothing(
    programs: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Screen):
        def write(self, text: str) -> None:
            super().write(text)
            raise OSError("no space left")

    _on(monkeypatch, Broken())
    found = run(programs.rounds, n=2).value
    _on(monkeypatch, Screen(False))
    assert run(programs.rounds, n=2).value == found


def test_no_release_and_no_error_has_anything_of_it(
    programs: Any, clock: Clock, screen: Screen
) -> None:
    release = run(programs.rounds, n=2)
    count = len(data())
    texts = [repr(release), release.to_json(), release.to_markdown(), str(release.about)]
    with pytest.raises(dp.errors.PostProcessingError) as caught:
        run(programs.fails, n=5)
    texts.append(str(caught.value))
    for text in texts:
        assert f"{count:,}" not in text
        assert str(count) not in text
        assert "round 1" not in text


def test_a_run_after_one_that_failed_begins_anew(
    programs: Any, clock: Clock, screen: Screen
) -> None:
    with pytest.raises(dp.errors.PostProcessingError):
        run(programs.fails, n=5)
    assert progress._mine.works == []
    screen.written.clear()
    run(programs.rounds, n=1)
    assert all(line.startswith("rounds") or not line for line in screen.lines)


def test_the_clock_is_asked_per_piece_and_not_per_row(programs: Any, clock: Clock) -> None:
    run(programs.rounds, n=2)
    assert clock.looks <= 4 * (PIECES + 4)


def test_threads_take_turns(programs: Any, clock: Clock, screen: Screen) -> None:
    """One program has the line until its work is done."""
    gate = threading.Barrier(2)
    found: list[Any] = []

    def one(function: Any, public: dict[str, Any]) -> None:
        gate.wait()
        found.append(run(function, **public).value)

    alone = [run(programs.rounds, n=4).value, run(programs.appended).value]
    screen.written.clear()
    threads = [
        threading.Thread(target=one, args=(programs.rounds, {"n": 4})),
        threading.Thread(target=one, args=(programs.appended, {})),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(alone)
    turns = "".join(line[:1] or "." for line in screen.lines)
    assert re.fullmatch(r"((r+|a+)\.)+", turns)


def test_rounds_inside_of_rounds_and_of_rows_are_not_counted(tmp_path: Path) -> None:
    module: Any = load(
        tmp_path,
        """
        @dp.transformation
        def nested(x: dp.Records[float], n: int):
            total = 0
            for i in range(n):
                for j in range(n):
                    total = total + dp.count([v for v in x if sum(v * k for k in range(3)) > i + j])
            return total
        """,
    )
    interpreter = module.nested._checked[0].program
    assert [target.id for target in interpreter.of_rounds] == ["i"]
