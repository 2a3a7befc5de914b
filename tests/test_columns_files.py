"""Columns of an iterator that lie in files: the same rows and the same answers as in one array, and
nothing on the disk once they are gone, whatever ended the call.
"""

from __future__ import annotations

import datetime
import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.columns import files
from metricdp.columns.table import Table
from metricdp.errors import SchemaError, StorageError
from metricdp.run.emit import Seeded, handling
from metricdp.run.entering import kept
from metricdp.run.guards import admit
from metricdp.spaces import Data, LInf, Records, Vector, space_of


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every byte goes to files, and all files into an empty folder."""
    found = tmp_path / "files"
    found.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(found))
    monkeypatch.setattr(kept, "IN_MEMORY", -1)
    monkeypatch.setattr(files, "_SHORT", 1)
    return found


def opened() -> int:
    """Open files of this process, and its maps of files without a name."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    return len(os.listdir("/proc/self/fd")) + sum("(deleted)" in line for line in maps)


@contextmanager
def nothing_left(folder: Path) -> Iterator[None]:
    before = opened()
    yield
    assert opened() == before and not list(folder.iterdir())


def space(annotation: Any) -> Any:
    return space_of(annotation, "x")


def in_files(table: Any) -> bool:
    assert type(table) is Table
    return all(column.in_file for column in table.columns)


class Visit(NamedTuple):
    pay: float
    age: int
    left: datetime.date | None
    seen: datetime.datetime
    town: str
    paid: bool | None
    place: tuple[float, float]
    note: str | None


DAYS = [None, datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date.max]
TEXTS = ["", "\ud800", "\udc00\ud800", "é" * 40, "a\0", "\0", "city", "city "]


def visits(n: int) -> list[Visit]:
    rng = np.random.default_rng(n)
    start, moment = datetime.datetime(2024, 1, 1), datetime.timedelta(microseconds=1)
    numbers = [float("nan"), float("inf"), -0.0, 5e-324, 0.1, -7.5]
    whole = [-(2**63), 2**63 - 1, 2**70, -(2**70), 2**53 + 1, 0]
    return [
        Visit(
            numbers[i % 6], whole[int(rng.integers(6))], DAYS[int(rng.integers(4))],
            start + int(rng.integers(9**9)) * moment,
            TEXTS[int(rng.integers(8))], [None, True, False][i % 3],
            (numbers[int(rng.integers(6))], float(i)), [None, *TEXTS][int(rng.integers(9))],
        )
        for i in range(n)
    ]  # fmt: skip


def chunks(rows: list[Any], size: int) -> Iterator[Any]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def test_every_kind_of_field_is_read_back_as_it_enters_from_a_list() -> None:
    rows = visits(200)
    whole = admit("x", space(Records[Visit]), rows)
    for size in (1, 7, 200):
        found = admit("x", space(Records[Visit]), chunks(rows, size))
        assert in_files(found) and found.rows() == whole.rows()
        assert [c.base for c in found.columns] == [c.base for c in whole.columns]


def arrays_of(kind: type) -> list[Any]:
    """Chunks of different dtypes, one strided, one of the other byte order, one empty."""
    whole = [
        np.array([2**53 + 1, -7]), np.array([1, 2], np.int8), np.array([2**64 - 1, 3], np.uint64),
        np.arange(9, dtype=">i4")[::-2], np.zeros(0, np.uint16), np.array([True, False]),
        [2**70, 4],
    ]  # fmt: skip
    reals = [np.array([1.5, np.nan], np.float32), np.array([-np.inf, -0.0]), np.array([0.1], "g")]
    return whole if kind is int else [*reals, *whole, *reals]


@pytest.mark.parametrize("kind", [int, float])
def test_chunks_of_different_dtypes(kind: type) -> None:
    parts = arrays_of(kind)
    for order in (parts, parts[::-1], parts[2:] + parts[:2]):
        wanted = [x for part in order for x in admit("x", space(Records[kind]), part)]
        found = admit("x", space(Records[kind]), iter(order))
        assert in_files(found) and list(found) == wanted


def test_vectors_and_chunks_without_rows() -> None:
    wide = np.arange(12.0).reshape(4, 3)
    made = (part for part in (wide[:1], wide[1:1], wide[:0:-1, ::-1]))
    found = admit("x", space(Records[Vector[Data, LInf]]), made)
    assert in_files(found) and found.cols == 3
    assert [list(row) for row in found] == [wide[0].tolist(), *wide[:0:-1, ::-1].tolist()]
    found = admit("x", space(Records[float]), iter([[], np.zeros(0)]))
    assert type(found) is Table and list(found) == []


PROGRAMS = """
from dataclasses import dataclass


@dataclass
class R:
    key: int
    town: str
    x: float
    y: float


@dp.transformation
def counted(rows: dp.Records[R], eps: float):
    return sum(1 for r in rows if r.x > eps)


@dp.measurement
def total(rows: dp.Records[R], eps: float):
    return dp.laplace(dp.sum(dp.clamp([r.x for r in rows], 0, 9)), epsilon=eps)


@dp.measurement
def products(rows: dp.Records[R], eps: float):
    total = 0.0
    for r in rows:
        total += dp.clamp(r.x, 0, 9) * dp.clamp(r.y, -3, 9)
    return dp.laplace(total, epsilon=eps)


@dp.measurement
def sums(rows: dp.Records[R], eps: float):
    return [
        dp.laplace(dp.sum(dp.clamp([r.x for r in part], 0, 9)), epsilon=eps)
        for part in dp.partition(rows, key=lambda r: r.key, keys=(0, 1, 2, 5))
    ]


@dp.measurement
def medians(rows: dp.Records[R], eps: float):
    return [
        dp.interval_quantile([r.x for r in part], 0, 9, 0.5, epsilon=eps)
        for part in dp.partition(rows, key=lambda r: r.town, keys=("t1", "t2", "none"))
    ]


@dp.measurement
def median(rows: dp.Records[R], eps: float):
    return dp.interval_quantile([r.x for r in rows], 0, 9, 0.5, epsilon=eps)


@dp.measurement
def rounds(rows: dp.Records[R], eps: float):
    found = []
    for k in (0, 1, 2, 5):
        found.append(dp.laplace(dp.count([r for r in rows if r.key == k]), epsilon=eps))
    for k in ("t0", "t1", "none"):
        kept = [r.y for r in rows if r.town == k]
        found.append(dp.laplace(dp.sum(dp.clamp(kept, 0, 9)), epsilon=eps))
    return found


@dp.measurement
def words(rows: dp.Records[R], eps: float):
    return dp.stable_histogram([r.town for r in rows], epsilon=eps, delta=1e-3)
"""
NAMES = ("counted", "total", "products", "sums", "medians", "median", "rounds", "words")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = load(tmp_path_factory.mktemp("programs"), PROGRAMS)
    for name in NAMES:
        assert getattr(module, name).guarantee  # the path of a draw is held as it is here
    return module


def columns(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    return {
        "key": rng.integers(0, 5, n), "town": np.array(["t0", "t1", "t2"])[rng.integers(0, 3, n)],
        "x": rng.normal(4, 3, n), "y": rng.uniform(-5, 12, n),
    }  # fmt: skip


def pieces(held: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    for start in range(0, len(held["x"]), size):
        yield {name: column[start : start + size] for name, column in held.items()}


@pytest.mark.parametrize("name", NAMES)
def test_programs_release_the_same(
    name: str, programs: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks, codes and orders lie in files as well, and are found piece by piece."""
    from metricdp.columns import equal, groups

    monkeypatch.setattr(groups, "_PIECE", 1000)
    monkeypatch.setattr(equal, "_PIECE", 1000)
    held, program = columns(70_000), getattr(programs, name)
    with handling(Seeded(7)):
        wanted = program(held, eps=1.0)
    with handling(Seeded(7)), nothing_left(folder):
        found = program(pieces(held, 30_000), eps=1.0)
    assert getattr(found, "value", found) == getattr(wanted, "value", wanted)


# -- what goes wrong in the middle -----------------------------------------------------------------


def failing(at: Callable[[], Any]) -> Iterator[Any]:
    yield {"key": [1], "town": ["t0"], "x": [1.0], "y": [1.0]}
    yield at()


def stopped() -> Any:
    raise KeyboardInterrupt


def broken() -> Any:
    raise ValueError("73313 is private")


WRONG: dict[str, tuple[Callable[[], Any], type[BaseException], str | None]] = {
    "it raises": (broken, SchemaError, r"cannot be read \(ValueError\)"),
    "a person stops it": (stopped, KeyboardInterrupt, None),
    "no chunk": (lambda: 7, SchemaError, "a chunk of rows is needed"),
    "other columns": (lambda: {"key": [1], "x": [1.0], "y": [1.0]}, SchemaError, "no column town"),
    "other lengths": (
        lambda: {"key": [1, 2], "town": ["a"], "x": [1.0], "y": [1.0]}, SchemaError, "unequal",
    ),
    "another kind": (
        lambda: {"key": [1], "town": [3], "x": [1.0], "y": [1.0]}, SchemaError, "str is needed",
    ),
    "a missing value": (
        lambda: {"key": [1], "town": [None], "x": [1.0], "y": [1.0]}, SchemaError, "missing",
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_a_call_that_fails_leaves_nothing(wrong: str, programs: Any, folder: Path) -> None:
    at, error, text = WRONG[wrong]
    with nothing_left(folder):
        with pytest.raises(error, match=text) as caught:
            programs.total(failing(at), eps=1.0)
        assert "73313" not in str(caught.value)
        del caught


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """No file becomes longer; the system says so as it says that a disk is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_a_typed_error(programs: Any, folder: Path) -> None:
    held = columns(200_000)
    with nothing_left(folder):
        with at_most(1 << 19), pytest.raises(StorageError, match="no room for them") as caught:
            programs.total(pieces(held, 10_000), eps=1.0)
        assert caught.value.place == "rows" and str(folder) in caught.value.remedy
        assert isinstance(caught.value, OSError) and caught.value.__context__ is None
        del caught


def test_a_folder_that_is_not_there(programs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(StorageError, match="No such file"):
        programs.total(pieces(columns(9), 3), eps=1.0)


def test_what_has_no_room_on_the_disk_is_in_memory(programs: Any, folder: Path) -> None:
    """Codes of 70,000 rows, once all columns are there: the call goes on."""
    held = columns(70_000)
    with handling(Seeded(7)):
        wanted = programs.sums(held, eps=1.0).value
    made = pieces(held, 70_000)

    def then_full() -> Iterator[Any]:
        yield next(made)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with handling(Seeded(7)), nothing_left(folder):
            assert programs.sums(then_full(), eps=1.0).value == wanted
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_files_are_the_owners_and_have_no_name(folder: Path) -> None:
    held = admit("x", space(Records[float]), iter([[1.0], [2.0]]))
    assert in_files(held) and not list(folder.iterdir())
    with files._file() as file:
        found = os.fstat(file.fileno())
        assert found.st_mode & 0o777 == 0o600 and not list(folder.iterdir())
        assert found.st_nlink == 0
    with pytest.raises(ValueError, match="read-only"):
        held.columns[0].data[0] = 3.0


def test_short_columns_stay_in_memory(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(kept, "IN_MEMORY", 8 * 5)
    for n, there in ((5, False), (6, True)):
        found = admit("x", space(Annotated[Records[float], dp.Bounds(0, 3)]), iter([[7.0]] * n))
        assert found.columns[0].in_file is there and list(found) == [Fraction(3)] * n
