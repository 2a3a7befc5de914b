"""Arrays of the caller that change while a program runs: each mechanism reads every row once.

What another thread could do in between, a hook does at the very place: as soon as entries of an
array were read, others stand there.  A program whose numbers come from one pass then gives what it
gives on the array as it was; defects that read twice are planted, and each is found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from column_graphs import evaluated_by

from metricdp.checked.path import columns_path
from metricdp.columns import arrays, quick, ranked
from metricdp.columns.parted import Parted, values_of
from metricdp.columns.ranked import RankedParts
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.run.emit import Seeded, handling

ROWS = 300
HEAD = """from dataclasses import dataclass

import metricdp as dp
from metricdp import Data, LInf


@dataclass
class R:
    x: float
    y: float
    g: int


"""
COLUMN = "x: dp.Records[float]"
RECORDS = "rows: dp.Records[R]"
MATRIX = "rows: dp.Matrix[Data, LInf]"
#: Name -> what it takes, and its lines: every number comes from one pass.
PROGRAMS = {
    "total": (COLUMN, "return dp.laplace(dp.sum(dp.clamp(x, -3, 9)), epsilon=eps)"),
    "filtered": (
        COLUMN,
        "kept = dp.filter(lambda v: 1 < v < 8, x)\n"
        "return dp.laplace(dp.sum(dp.clamp(kept, 0, 9)), epsilon=eps)",
    ),
    "total and count": (
        COLUMN,
        "total, n = 0.0, 0\n"
        "for v in x:\n    if v > 2:\n        total += dp.clamp(v, 0, 9)\n        n += 1\n"
        "return dp.laplace(total, epsilon=eps), dp.laplace(n, epsilon=eps)",
    ),
    "count": (COLUMN, "return dp.laplace(dp.count(lambda v: v > 5, x), epsilon=eps)"),
    "sum of products": (
        RECORDS,
        "made = [r.x * r.y for r in rows]\n"
        "return dp.laplace(dp.sum(dp.clamp(made, 0, 9)), epsilon=eps)",
    ),
    "products": (
        RECORDS,
        "total = 0.0\nfor r in rows:\n    total += dp.clamp(r.x, 0, 9) * dp.clamp(r.y, 0, 9)\n"
        "return dp.laplace(total, epsilon=eps)",
    ),
    "twice in a row": (
        RECORDS,
        "total = 0.0\nfor r in rows:\n    if r.x > 3:\n        total += dp.clamp(r.x, 0, 9)\n"
        "    else:\n        total += dp.clamp(r.x + r.y, -9, 9)\n"
        "return dp.laplace(total, epsilon=eps)",
    ),
    "variance": (
        "x: dp.Records[float, dp.ChangeOne]",
        "return dp.laplace(dp.variance(dp.clamp(x, 0, 9)), epsilon=eps)",
    ),
    "histogram": (
        COLUMN,
        "bins = [int(v) for v in dp.clamp(x, 0, 9)]\n"
        "return dp.laplace(dp.histogram(bins, categories=tuple(range(10))), epsilon=eps)",
    ),
    "groups": (
        RECORDS,
        "return [dp.laplace(dp.sum(dp.clamp([r.x for r in part], 0, 9)), epsilon=eps)\n"
        "    for part in dp.partition(rows, key=lambda r: r.g, keys=(0, 1, 2, 3))]",
    ),
    "candidates": (COLUMN, "return dp.private_quantile(x, (0, 2, 4, 6), 0.5, epsilon=eps)"),
    "sorted quantile": (COLUMN, "return dp.interval_quantile(x, 0, 9, 0.5, epsilon=eps)"),
    "distinct": (
        "x: dp.Records[int]",
        "return dp.laplace(dp.count_distinct(x), epsilon=eps)",
    ),
    "frequent": (
        "x: dp.Records[int]",
        "return dp.stable_histogram(x, epsilon=eps, delta=1e-9)",
    ),
    "moments": (
        MATRIX,
        "total, products = 0.0, 0.0\nfor row in rows:\n    v = dp.undisc(dp.clamp(row, -1, 1))\n"
        "    total += v\n    products += dp.outer(v)\n"
        "return dp.gaussian(total, rho=eps), dp.gaussian(products, rho=eps)",
    ),
}


def data(name: str, gaps: bool = False) -> Any:
    """Rows for a program; with gaps, some numbers are NaN, and still are when they are written."""
    rng = np.random.default_rng(2)
    if PROGRAMS[name][0] == MATRIX:
        rows = rng.uniform(-2, 2, (ROWS, 3))
        rows[7::90, 1] = nan if gaps else 0.0
        return rows
    x, y = rng.uniform(-2, 12, (2, ROWS))
    if "int" in PROGRAMS[name][0]:
        return x.astype(np.int64)
    # All of such a row, which may be read once more: NaN stays NaN.
    x[5::100] = y[5::100] = nan if gaps else 0.0
    return {"x": x, "y": y, "g": rng.integers(0, 5, ROWS)} if PROGRAMS[name][0] == RECORDS else x


def release(tmp_path: Path, name: str, given: Any, seed: int = 3) -> Any:
    space, lines = PROGRAMS[name]
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    head, count = f"{HEAD}@dp.measurement\n", len(list(tmp_path.iterdir()))
    (folder := tmp_path / str(count)).mkdir()
    module = load(folder, f"def f({space}, eps: float):\n{body}", head=head)
    with handling(Seeded(seed)):
        found = module.f(given, eps=1e3).value
    if type(found) is dict:
        return found
    parts = found if type(found) is tuple else (found,)
    return np.concatenate([np.ravel(part) for part in parts]).tolist()


@contextmanager
def rewritten() -> Iterator[SimpleNamespace]:
    """Where entries of a column were read, others stand at once; counts the readings."""
    told = SimpleNamespace(readings=0)
    names = ("piece", "moved", "compared", "raw", "clipped", "clipped_into")
    whole = {name: getattr(Stored, name) for name in names}

    def hooked(name: str) -> Callable[..., Any]:
        def read(self: Stored, rows: Any, *args: Any, **named: Any) -> Any:
            found = whole[name](self, rows, *args, **named)
            told.readings += 1
            if isinstance(self.data, np.ndarray):
                if name == "raw":  # arithmetic reads what is handed on, once
                    found = found.copy()
                part = self.data[rows]
                self.data[rows] = part * -3 + 7 if part.dtype != bool else ~part
            return found

        return read

    for name in names:
        setattr(Stored, name, hooked(name))
    try:
        yield told
    finally:
        for name in names:
            setattr(Stored, name, whole[name])


def is_read_once(tmp_path: Path, name: str, gaps: bool) -> bool:
    """Whether a program gives the same on arrays that change as soon as they were read."""
    expected = release(tmp_path, name, data(name, gaps))
    with rewritten() as told:
        found = release(tmp_path, name, data(name, gaps))
    assert told.readings
    return bool(found == expected)


@pytest.fixture(autouse=True)
def _short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    columns_path()  # what later runs are compared with is written down before a part is replaced
    monkeypatch.setattr(arrays, "CHUNK", 64)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mechanism_reads_each_row_once(name: str, gaps: bool, tmp_path: Path) -> None:
    assert is_read_once(tmp_path, name, gaps)


def _each_step_reads(patch: pytest.MonkeyPatch) -> None:
    """A defect: every step that needs a column reads it anew."""

    def every(steps: Any, results: Any) -> set[int]:
        return {i for i, (_, _, node) in enumerate(steps) if node.operator == "stored"}

    def anew(self: Table, known: Any, rows: Any, start: int, stop: int, at: int, read: Any) -> Any:
        return read(self.columns[at], rows)

    patch.setattr(arrays, "_read_once", every)
    patch.setattr(Table, "_column", anew)


def _not_copied(patch: pytest.MonkeyPatch) -> None:
    """A defect: what is clean already stays where it lies."""
    patch.setattr(Stored, "_doubles", lambda self, part: part)


def _looked_at_first(patch: pytest.MonkeyPatch) -> None:
    """A defect: one reading says what is inside of the bounds, and another one what it is."""
    whole = Stored.piece

    def clipped(self: Stored, rows: Any, ends: tuple[float, float], **named: Any) -> Any:
        first, second = whole(self, rows), whole(self, rows)
        return np.where((first >= ends[0]) & (first <= ends[1]), second, ends[0])

    def clipped_into(self: Stored, rows: Any, ends: tuple[float, float], into: Any) -> None:
        into[:] = clipped(self, rows, ends)

    patch.setattr(Stored, "moved", clipped)
    patch.setattr(Stored, "clipped", clipped)
    patch.setattr(Stored, "clipped_into", clipped_into)


def _all_of_it_again(patch: pytest.MonkeyPatch) -> None:
    """A defect: one number that is none, and the other rows of its piece are read again, too."""

    def every(values: Any, odd: Any) -> Any:
        return np.ones(len(values[0]), np.bool_)

    patch.setattr(quick, "without_number", every)


@pytest.mark.parametrize("name", ["total", "products", "sum of products", "variance"])
def test_a_row_that_is_no_number_has_nothing_to_do_with_others(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _all_of_it_again(monkeypatch)
    assert not is_read_once(tmp_path, name, gaps=True)


@pytest.mark.parametrize(
    ("name", "plant"),
    [
        ("twice in a row", _each_step_reads),
        ("total and count", _each_step_reads),
        ("candidates", _not_copied),
        ("moments", _not_copied),
        ("total", _looked_at_first),
        ("products", _looked_at_first),
    ],
)
def test_defects_that_read_twice_are_found(
    name: str, plant: Callable[[Any], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = release(tmp_path, name, data(name))
    plant(monkeypatch)
    with rewritten():
        assert release(tmp_path, name, data(name)) != expected


def test_a_quantile_takes_a_row_from_the_part_in_which_it_was_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranked, "ENOUGH", 0)
    name = "sorted quantile"
    first, parts = data(name), RankedParts(Fraction(0), Fraction(9))
    places, later = parts.of(first), first * -3 + 7
    for i, part in enumerate(places.tolist()):
        if part < ranked.PARTS + 1:
            later[i] = np.clip(later[i], *parts.ends(part))
        else:
            later[i] = first[i]
    for seed in range(9):
        expected = release(tmp_path, name, later, seed)
        with rewritten() as told:
            assert release(tmp_path, name, data(name), seed) == expected
        assert told.readings


#: What persons may add -> a program in which person 7 may add no more.
OF_PERSONS = {
    "limit_rows": (2, 'return dp.laplace(dp.count(dp.limit_rows(t, "id", 2)), epsilon=eps)'),
    "limit_groups": (
        6,
        'kept = dp.limit_groups(t, "id", by="g", groups=3, rows=2)\n'
        "return dp.laplace(dp.count(kept), epsilon=eps)",
    ),
    "sum_per_id": (
        9,
        'each = dp.sum_per_id(t, "id", lambda r: r.x)\n'
        "return dp.laplace(dp.sum(dp.clamp(each, 0, 9)), epsilon=eps)",
    ),
    "sum_per_group": (
        18,
        'each = dp.sum_per_group(t, "id", by="g", value=lambda r: r.x, groups=2)\n'
        "return dp.laplace(dp.sum([dp.clamp(r[1], 0, 9) for r in each]), epsilon=eps)",
    ),
    "count_ids": (1, 'return dp.laplace(dp.count_ids(t, "id"), epsilon=eps)'),
}
PERSONS = """from dataclasses import dataclass

import metricdp as dp


@dataclass
class R:
    id: int
    x: float
    g: int


@dp.measurement
"""


def _of_one_person(tmp_path: Path, name: str, patch: pytest.MonkeyPatch) -> float:
    """What is released, but for noise, where all rows are of one person once they were divided."""
    body = "".join(f"    {line}\n" for line in OF_PERSONS[name][1].splitlines())
    text = f'def f(t: dp.Records[R, dp.Ids("id")], eps: float):\n{body}'
    module = load(tmp_path, text, head=PERSONS)
    ids = np.arange(ROWS) * 1_000_003  # far apart, so that no array has a place for each
    given = {"id": ids, "x": np.full(ROWS, 5.0), "g": np.arange(ROWS) % 5}
    divided = Parted.__init__

    def then_changed(self: Parted, *args: Any) -> None:
        divided(self, *args)
        ids[:] = 7 * 1_000_003

    with evaluated_by("parts", 5), handling(Seeded(3)):
        before = float(module.f({k: v.copy() for k, v in given.items()}, eps=1e3).value)
        patch.setattr(Parted, "__init__", then_changed)
        after = float(module.f(given, eps=1e3).value)
    assert before > 100
    return after


@pytest.mark.parametrize("name", OF_PERSONS)
def test_rows_that_become_those_of_one_person_are_no_more_than_that_person_may_have(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _of_one_person(tmp_path, name, monkeypatch) < OF_PERSONS[name][0] + 0.5


@pytest.mark.parametrize("name", OF_PERSONS)
def test_a_person_in_every_part_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trusting(self: Parted, part: int, rows: Any) -> tuple[Any, list[Any]]:
        """A defect: what was in a part when rows were divided still is."""
        return rows, [values_of(self.every.taken(rows), node) for node in self._nodes]

    monkeypatch.setattr(Parted, "read", trusting)
    assert _of_one_person(tmp_path, name, monkeypatch) > OF_PERSONS[name][0] + 0.5


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_that_write_what_they_like_change_no_bound(name: str, tmp_path: Path) -> None:
    """No error, and nothing beyond the bounds: with next to no noise, sums are within theirs."""
    given = data(name)
    held = list(given.values()) if isinstance(given, dict) else [given]
    over = threading.Event()

    def write() -> None:
        wild = [nan, inf, -inf, 1e300, -1e300, 0.5]
        while not over.is_set():
            for x in wild:
                for each in held:
                    each[::3] = x if each.dtype.kind == "f" else int(x) if abs(x) < 1 else -7

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for seed in range(5):
            found = release(tmp_path, name, given, seed)
            if name != "frequent":
                assert max(map(abs, found)) <= 81 * ROWS + 1
    finally:
        over.set()
        writer.join()
