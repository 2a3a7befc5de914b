"""All parts of a table asked at once: what one by one would have given, or one by one."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any

import msgspec
import numpy as np
import pytest
from checked_modules import load

from metricdp.columns.groups import Codes
from metricdp.columns.language import Untraceable, clamp, lt
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.together import PerPart, every_part
from metricdp.errors import InternalError
from metricdp.expr import num
from metricdp.measures.events import Parallel, with_parts
from metricdp.run.emit import Recording, Seeded, handling
from metricdp.run.machine import Machine
from metricdp.values import Exact

PROGRAMS = """
from dataclasses import dataclass

@dataclass
class Row:
    key: int
    pay: float

@dp.measurement
def sums(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.laplace(dp.sum(dp.clamp([r.pay for r in part], 0, 10)), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]

@dp.measurement
def some(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.gaussian(dp.sum(dp.clamp([r.pay for r in part if r.pay < 5], -3, 10)), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]

@dp.measurement
def counts(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.laplace(dp.count([r for r in part if r.pay < 5]), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]

@dp.measurement
def sizes(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.laplace(dp.count(part), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]

@dp.measurement
def doubled(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.laplace(2 * dp.sum(dp.clamp([r.pay for r in part], 0, 10)), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]

@dp.measurement
def tables(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.laplace(dp.histogram([r.key for r in part], categories=(1, 2)), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]

@dp.measurement
def unlike(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    return [dp.laplace(dp.sum(dp.clamp([r.pay + k for r in part], 0, 10)), scale=scale)
            for k, part in enumerate(dp.partition(rows, key=lambda r: r.key, keys=keys), 1)]

@dp.measurement
def appended(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    found = []
    for part in dp.partition(rows, key=lambda r: r.key, keys=keys):
        found.append(dp.laplace(dp.sum(dp.clamp([r.pay for r in part], 0, 10)), scale=scale))
    return found

@dp.measurement
def looking_back(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    found = []
    for part in dp.partition(rows, key=lambda r: r.key, keys=keys):
        found.append(dp.laplace(
            dp.count(part) if found else dp.count([r for r in part if r.pay < 5]), scale=scale
        ))
    return found

@dp.measurement
def by_another_name(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    found = []
    other = found
    for part in dp.partition(rows, key=lambda r: r.key, keys=keys):
        found.append(dp.laplace(
            dp.count(part) if other else dp.count([r for r in part if r.pay < 5]), scale=scale
        ))
    return found

@dp.measurement
def helped(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    seen = []
    def asked(part):
        seen.append(len(seen))
        return dp.count(part)
    made = [dp.laplace(asked(part), scale=scale)
            for part in dp.partition(rows, key=lambda r: r.key, keys=keys)]
    return made, len(seen)
"""
KEYS = (3, 1, 4, 7, 9)
FINE = 2.0**-40


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("together"), PROGRAMS)


def rows_of(count: int, seed: int) -> list[tuple[int, float]]:
    rng = random.Random(seed)
    return [(rng.choice([0, 1, 3, 4, 5]), rng.uniform(-20, 20)) for _ in range(count)]


def parts_of(rows: list[tuple[int, float]]) -> Sequence[Table]:
    keys = Stored("integer", np.array([k for k, _ in rows], np.int64))
    pay = Stored("double", np.array([x for _, x in rows]))
    table = Table((keys, pay), (keys.node(0), pay.node(1)), value=Exact)
    return table.parts(lambda row: row[0], KEYS)


@pytest.mark.parametrize("count", [0, 1, 7, 500])
def test_sums_and_counts_are_those_of_the_parts(count: int) -> None:
    parts = parts_of(rows_of(count, count))
    every = every_part(parts)
    assert every is not None
    asked: list[Callable[[Table], Any]] = [
        lambda t: t.mapped(lambda r: clamp(r[1], -3, 7)).total(),
        lambda t: t.mapped(lambda r: clamp(r[0], 0, 4)).total(),
        lambda t: t.accepted(lambda r: lt(r[1], 2)).mapped(lambda r: clamp(r[1], 0, 1)).total(),
        lambda t: t.accepted(lambda r: lt(r[1], 2)).size(),
        lambda t: t.size(),
    ]
    for ask in asked:
        found = ask(every)
        assert isinstance(found, PerPart) and len(found.ticks) == len(KEYS)
        numbers = [Fraction(x) for x in found.numbers()]
        assert numbers == [Fraction(ask(part)) for part in parts_of(rows_of(count, count))]


def test_what_is_not_the_parts_of_one_table_in_order_is_none_of_them() -> None:
    parts, others = parts_of(rows_of(50, 1)), parts_of(rows_of(50, 1))
    assert every_part(parts) is not None
    for items in (
        (), parts[:-1], (*parts, parts[0]), parts[::-1], (*parts[:-1], others[-1]), list(parts),
        (1, 2), (*parts[:-1], parts[-1].mapped(lambda row: row[1])), others[0],
        (*parts[:-1], parts[-1].accepted(lambda row: lt(row[1], 2))),
    ):  # fmt: skip
        assert every_part(items) is None


def test_rows_and_numbers_of_all_parts_answer_nothing_else() -> None:
    every = every_part(parts_of(rows_of(50, 1)))
    assert every is not None
    number = every.mapped(lambda row: row[1])
    asked: list[Callable[[], Any]] = [
        lambda: list(every), lambda: every[0], number.plain, number.ordered, lambda: len(every),
        number.occurrences, lambda: number.tallies((1, 2)), lambda: every.taken([0]),
        lambda: every.parts(lambda row: row[0], (1, 2)), number.owned, every.held,
        lambda: number.followed_by(1, 2), lambda: number.total(), lambda: every == every,
    ]  # fmt: skip
    for ask in asked:
        with pytest.raises((Untraceable, TypeError)):
            ask()
    one = number.with_row(clamp(number.row, 0, 1)).total()
    for use in (
        bool,
        len,
        list,
        float,
        int,
        abs,
        hash,
        lambda x: x + 1,
        lambda x: x == 1,
        lambda x: x < 1,
        lambda x: max(x, 0),
        np.add.reduce,
        lambda x: np.float64(1) + x,
    ):
        with pytest.raises((Untraceable, TypeError)):
            use(one)


def one_by_one(programs: ModuleType, name: str, rows: Any) -> list[Any]:
    """What enters the draws where each is asked of a handler for tests."""
    with handling(Recording(Seeded(5))) as kept:
        getattr(programs, name)(rows, KEYS, FINE)
    return [entry.value for entry in kept.log]


def released(programs: ModuleType, name: str, rows: Any) -> tuple[Any, int]:
    """A release, and how many mechanism calls of one number each there were."""
    calls = 0

    def seen(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is Machine.noise.__code__

    sys.setprofile(seen)  # nothing is replaced, so a release may be made
    try:
        return getattr(programs, name)(rows, KEYS, FINE), calls
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("count", [0, 40])
@pytest.mark.parametrize(
    ("name", "together"),
    [("sums", True), ("some", True), ("counts", True), ("sizes", True), ("doubled", False),
     ("tables", False), ("unlike", False), ("helped", False), ("appended", True),
     ("looking_back", False), ("by_another_name", False)],
)  # fmt: skip
def test_a_release_has_the_same_draws_around_the_same_numbers(
    programs: ModuleType, name: str, together: bool, count: int
) -> None:
    rows = rows_of(count, 3)
    expected = one_by_one(programs, name, rows)
    found, calls = released(programs, name, rows)
    assert (calls == 0) is together
    values = found.value[0] if name == "helped" else found.value
    assert len(found.draws) == len(values) == len(KEYS)
    for draw, value, near in zip(found.draws, values, expected, strict=True):
        assert type(value) in (float, int, np.ndarray)
        # Noise of scale 2**-40 is beyond 2**-30 with a chance below exp(-1000).
        assert np.max(np.abs(np.array(value, float) - np.array(near, float))) < 2**-30
        assert draw.value is value or draw.value == value
        assert draw.scale == Fraction(FINE)
    assert len({draw.site for draw in found.draws}) == 1


def test_the_reference_goes_from_part_to_part(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(30, 9)
    expected = one_by_one(programs, "some", rows)
    monkeypatch.setenv("METRICDP_COLUMNS", "reference")
    assert one_by_one(programs, "some", rows) == expected
    assert released(programs, "some", rows)[1] == len(KEYS)


def test_noise_is_independent_and_has_the_scale_that_was_charged(programs: ModuleType) -> None:
    rows = rows_of(20, 4)
    draws = np.array([programs.counts(rows, KEYS, 2.0).value for _ in range(400)], float)
    noise = draws - np.array(one_by_one(programs, "counts", rows), float)
    # 2,000 integers of Laplace noise: E|Z| = 1.96, sd of the mean 0.045; false alarm below 1e-6.
    assert abs(np.abs(noise).mean() - 1.96) < 0.25
    # Correlations of 400 pairs have sd 0.05: ten of them beyond 0.3 with a chance below 1e-7.
    apart = np.corrcoef(noise.T)[np.triu_indices(len(KEYS), 1)]
    assert np.abs(apart).max() < 0.3


def test_parts_beyond_those_that_were_charged_are_not_drawn(programs: ModuleType) -> None:
    def change(tree: Any) -> Any:
        if isinstance(tree, Parallel):
            return msgspec.structs.replace(tree, count=num(len(KEYS) - 1))
        return with_parts(tree, change)

    function = programs.sums
    concluded = function._checked[0]
    guarantee = concluded.guarantee
    concluded.guarantee = msgspec.structs.replace(guarantee, tree=change(guarantee.tree))
    try:
        with pytest.raises(InternalError, match="more often than it was charged") as stopped:
            function(rows_of(9, 1), KEYS, 1.0)
        assert len(stopped.value.releases) == len(KEYS) - 1
    finally:
        concluded.guarantee = guarantee
    assert len(function(rows_of(9, 1), KEYS, 1.0).value) == len(KEYS)


def test_sums_by_code_are_exact_where_doubles_no_longer_hold_them() -> None:
    """20,000 odd numbers of 40 bits are more than 2**53: a sum of doubles alone would round."""
    most = (1 << 40) - 1
    numbers = np.full(20_000, most * 2.0**-33)
    codes = np.zeros(20_000, np.uint8)
    codes[::5_000] = 1
    expected = [19_996 * most, 4 * most, 0]
    assert float(np.bincount(codes, numbers)[0]) * 2.0**33 != expected[0]
    for rising in (True, False):
        (found,) = Codes(codes, 3).sums(numbers, -33, rising)
        assert found.tolist() == expected
        assert Codes(codes, 3).sums(np.append(numbers[1:], np.nan), -33, rising) == []
