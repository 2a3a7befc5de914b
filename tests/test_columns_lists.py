"""Lists, matrices and chunks as columns: what is copied, what is not, and what runs meanwhile."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from math import inf, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from checked_modules import load

from metricdp import L1, Bounds, Data, LInf, Real, Records
from metricdp.columns.files import Growing
from metricdp.errors import SchemaError
from metricdp.maps import make
from metricdp.run.emit import Seeded, handling
from metricdp.run.entering import lists
from metricdp.run.entering.lists import in_an_array
from metricdp.run.entering.unread import UnreadNumbers
from metricdp.run.guards import admit
from metricdp.spaces import Matrix, space_of
from metricdp.values import NumberMatrix

RAN: list[str] = []


class Own(float):
    """A double whose methods run code."""

    def __float__(self) -> float:
        RAN.append("float")
        return 99.0

    def conjugate(self) -> float:
        RAN.append("conjugate")
        return 99.0


class OwnInt(int):
    """An integer whose methods run code."""

    def __index__(self) -> int:
        RAN.append("index")
        return 99

    def conjugate(self) -> int:
        RAN.append("conjugate")
        return 99


class OwnList(list):  # type: ignore[type-arg]
    """A list that shows other cells, and another length."""

    def __iter__(self) -> Any:
        RAN.append("iter")
        return iter([99.0])

    def __len__(self) -> int:
        RAN.append("len")
        return 1


CELLS: list[tuple[str, Any, Any]] = [
    ("float", [1.0, nan, inf, -0.0], [1.0, nan, inf, -0.0]),
    ("float", (1.0, 2.0), [1.0, 2.0]),
    ("float", [Own(3.0), np.float64(4.0), 5.0], [3.0, 4.0, 5.0]),
    ("float", OwnList([1.0, 2.0]), [1.0, 2.0]),
    ("float", [], []),
    ("int", [1, True, OwnInt(3), -(2**63)], [1, 1, 3, -(2**63)]),
]


@pytest.mark.parametrize(("kind", "cells", "expected"), CELLS)
def test_lists_are_read_at_once_and_laid_bare(kind: str, cells: Any, expected: Any) -> None:
    RAN.clear()
    found = in_an_array(kind, cells)
    assert found.dtype == (np.float64 if kind == "float" else np.int64)
    assert [repr(x) for x in found.tolist()] == [repr(x) for x in expected]
    assert not RAN


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("float", [1.0, 2]), ("float", [1.0, None]), ("float", ["1.0"]), ("float", np.ones(2)),
        ("int", [1, 2**63]), ("int", [1.0]), ("int", [None]), ("bool", [True]), ("str", ["a"]),
        ("float", {1.0: 2.0}), ("float", iter([1.0])), ("", [1.0]),
    ],
)  # fmt: skip
def test_other_lists_are_read_as_before(kind: str, cells: Any) -> None:
    assert in_an_array(kind, cells) is None


def test_a_list_that_changes_meanwhile_is_read_by_another_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = [1.0, 2.0, 3.0]

    def shortened(x: float) -> float:
        cells[1:] = []
        return x

    monkeypatch.setitem(lists._BARE, "float", shortened)
    assert in_an_array("float", cells) is None


def peak(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def space(annotation: Any) -> Any:
    found = space_of(annotation)
    assert found is not None
    return found


def test_a_list_of_doubles_is_held_once() -> None:
    cells = np.random.default_rng(1).normal(size=200_000).tolist()
    assert peak(lambda: admit("x", space(Records[float]), cells)) < 1.01 * 8 * len(cells)


# -- matrices -------------------------------------------------------------------------------------

SPECIAL = [nan, inf, -inf, -0.0, 5e-324, 7.0, -7.0, 0.5]
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "columns": np.asfortranarray,
    "every other": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "backwards": lambda x: x[::-1, ::-1],
    "single": lambda x: x.astype(np.float32),
    "other bytes": lambda x: x.astype(">f8"),
    "long": lambda x: x.astype(np.longdouble),
    "no rows": lambda x: x[:0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "kind",
    [Matrix[Data, LInf], Matrix[Real, L1], Annotated[Matrix[Data, LInf], Bounds(-1, 2)]],
)
def test_a_matrix_that_is_read_late_is_the_one_that_is_copied(layout: str, kind: Any) -> None:
    given = LAYOUTS[layout](np.array(SPECIAL * 3).reshape(8, 3))
    known = space(kind)
    late, copied = admit("x", known, given, late=True), admit("x", known, given)
    assert isinstance(late.flat, UnreadNumbers) and not isinstance(copied.flat, UnreadNumbers)
    assert len(late.flat) == len(copied.flat) and len(late) == len(copied)
    rows = late.flat.rows()
    assert np.shares_memory(rows.data, given) or not given.size
    wanted = copied.flat.array.reshape(given.shape)
    assert rows.piece(slice(None)).T.tobytes() == wanted.tobytes()
    assert late.flat.array.tobytes() == copied.flat.array.tobytes()
    assert late == copied
    # Once it was copied, rows are those of the copy.
    assert late.flat.rows().data.tobytes() == wanted.tobytes()
    assert not np.shares_memory(late.flat.rows().data, given)


def test_only_the_arguments_of_a_checked_call_are_read_late() -> None:
    """Results of black boxes, data of sessions and of queries outlive what gave them."""
    found = admit("x", space(Matrix[Data, LInf]), np.ones((2, 2)))
    assert isinstance(found, NumberMatrix) and not isinstance(found.flat, UnreadNumbers)
    for given in (np.ones((2, 2), np.int64), [[1.0, 2.0]]):
        found = admit("x", space(Matrix[Data, LInf]), given, late=True)
        assert not isinstance(found.flat, UnreadNumbers)
    strict = admit("x", space(Matrix[Data, LInf]), np.ones((2, 2)), late=True, strict=True)
    assert not isinstance(strict.flat, UnreadNumbers)


def test_a_loop_over_a_matrix_copies_none(tmp_path: Path) -> None:
    program = load(
        tmp_path,
        """
        @dp.measurement
        def f(rows: dp.Matrix[Data, LInf], rho: float):
            total = 0.0
            for row in rows:
                total += dp.undisc(dp.clamp(row, -1, 1))
            return dp.gaussian(total, rho=rho)
        """,
    ).f
    rows = np.random.default_rng(1).normal(size=(200_000, 5))

    def run() -> Any:
        with handling(Seeded(1)):
            return program(rows, rho=1e9).value

    expected = np.clip(rows, -1, 1).sum(axis=0)
    assert np.allclose(run(), expected, atol=1e-2)
    assert peak(run) < 0.4 * rows.nbytes


# -- iterators of chunks --------------------------------------------------------------------------

TWO = """
    @dp.measurement
    def f(x: dp.Records[float], y: dp.Records[float], eps: float):
        first = dp.laplace(dp.sum(dp.clamp(x, 0, 9)), epsilon=eps)
        return first, dp.laplace(dp.sum(dp.clamp(y, 0, 9)), epsilon=eps)
    """


def chunks(*counts: int) -> Iterator[Any]:
    for count in counts:
        yield np.ones(count)


def test_what_was_read_before_is_not_read_as_no_rows(tmp_path: Path) -> None:
    program = load(tmp_path, TWO).f
    spent, same = chunks(3, 4), chunks(3)
    assert sum(map(len, spent)) == 7
    with pytest.raises(SchemaError, match="a generator that was read before"):
        program([1.0], spent, eps=1)
    with pytest.raises(SchemaError, match="a generator that was given for x, too"):
        program(same, same, eps=1)
    assert len(next(same)) == 3  # it was not read
    one = iter([[1.0]])
    with pytest.raises(SchemaError, match="a list_iterator that was given for x, too"):
        program(one, one, eps=1)
    clamp = make("clamp", Records[float], lower=0, upper=20)
    total = clamp >> make("sum", clamp.output_space)
    noisy = total >> make("laplace", total.output_space, scale=2**-20)
    given = chunks(2, 3)
    assert round(noisy(given)) == 5
    with pytest.raises(SchemaError, match="was read before"):
        noisy(given)


def test_chunks_are_read_once_and_rows_of_none_are_none(tmp_path: Path) -> None:
    program = load(tmp_path, TWO).f
    with handling(Seeded(1)):
        found = program(chunks(3, 0, 4), iter([]), eps=1e9).value
    assert [round(x) for x in found] == [7, 0]


def test_a_generator_that_runs_the_program_on_itself_is_refused(tmp_path: Path) -> None:
    program = load(tmp_path, TWO).f
    held: list[Any] = []

    def inner() -> Iterator[Any]:
        yield [1.0]
        program(held[0], [1.0], eps=1)
        yield [2.0]

    held.append(inner())
    with pytest.raises(SchemaError, match="a generator that was read before"):
        program(held[0], [1.0], eps=1)


def test_chunks_that_others_write_to_after_they_were_given(tmp_path: Path) -> None:
    """Every kind of chunk is a copy of its own before the next one is asked for."""
    pandas = pytest.importorskip("pandas")
    program = load(
        tmp_path,
        """
        @dp.measurement
        def f(x: dp.Records[float], eps: float):
            return dp.laplace(dp.sum(dp.clamp(x, -9, 9)), epsilon=eps)
        """,
    ).f
    kinds: list[Callable[[Any], Any]] = [
        lambda x: x, list, lambda x: x.astype(np.float32), lambda x: x.astype(np.int16),
        lambda x: pandas.Series(x, copy=False), lambda x: x[::-1],
    ]  # fmt: skip

    def written(make_chunk: Callable[[Any], Any]) -> Iterator[Any]:
        for value in (1.0, 2.0, 3.0):
            buffer = np.full(4, value)
            chunk = make_chunk(buffer)
            yield chunk
            buffer[:] = -9.0
            if isinstance(chunk, np.ndarray):
                chunk[:] = -9

    for kind in kinds:
        with handling(Seeded(1)):
            assert round(program(written(kind), eps=1e9).value) == 24


def test_a_chunk_that_is_not_copied_would_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: dict[Any, list[Any]] = {}
    monkeypatch.setattr(Growing, "add", lambda self, x: parts.setdefault(self, []).append(x))
    monkeypatch.setattr(Growing, "finished", lambda self: np.concatenate(parts[self]))
    with pytest.raises(AssertionError):
        test_chunks_that_others_write_to_after_they_were_given(tmp_path)


@pytest.mark.parametrize(("count", "size"), [(5, 100_000), (400, 1000), (3, 200_000)])
def test_columns_of_chunks_are_held_once(count: int, size: int) -> None:
    def given() -> Iterator[Any]:
        for i in range(count):
            yield np.full(size, float(i))

    found: list[Any] = []
    most = peak(lambda: found.append(admit("x", space(Records[float]), given())))
    assert most < 8 * (count * size + 4 * max(size, 1 << 16))
    whole = np.asarray(found[0].columns[0].data)
    assert whole.tolist() == np.repeat(np.arange(float(count)), size).tolist()


def test_chunks_of_many_dtypes_and_lengths_are_those_of_one_list() -> None:
    rng = np.random.default_rng(1)
    kinds = [np.float64, np.float32, np.int64, np.uint64, np.bool_, np.int8, np.float16]
    parts = [
        rng.integers(0, 2, int(rng.integers(0, 40_000))).astype(kinds[i % len(kinds)])
        for i in range(40)
    ]
    for kind, chosen in ((float, kinds), (int, kinds[2:6])):
        given = [part for part in parts if part.dtype in chosen]
        held = admit("x", space(Records[kind]), iter(given))
        rows = held.array(held.row)
        assert rows.dtype == (np.float64 if kind is float else np.int64)
        assert rows.tolist() == [kind(x) for part in given for x in part.tolist()]
