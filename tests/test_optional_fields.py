"""Fields that may be missing: they enter from every source, and are asked whether they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, TypedDict

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.errors import SchemaError
from metricdp.record import REGISTRY
from metricdp.run.guards import admit
from metricdp.run.machine import Machine
from metricdp.spaces import Records
from metricdp.spaces.row_types import row_space

NAN = float("nan")


@dataclass
class Form:
    age: int | None
    income: float | None
    city: str | None
    member: bool


class Pair(NamedTuple):
    x: float | None
    y: int


class Items(TypedDict):
    x: float | None
    y: int


@dp.transformation
def missing(forms: dp.Records[Form]):
    return (
        sum(1 for f in forms if f.age is None),
        sum(1 for f in forms if f.income is None and f.member),
        sum(1 for f in forms if f.city is not None or not f.member),
        sum(1 for f in forms if f.member is None),
    )


@dp.transformation
def ages(forms: dp.Records[Form]):
    there = dp.drop_null([f.age for f in forms])
    known = dp.impute([f.income for f in forms], 3)
    return dp.sum(dp.clamp(there, 0, 100)) + dp.sum(dp.clamp(known, 0, 9))


@dp.transformation
def looped(forms: dp.Records[Form]):
    total = 0
    for f in forms:
        if f.age is None:
            total += 1
        elif f.city is not None:
            total += 10
    return total


FORMS = [
    Form(3, 1.5, "a", True), Form(None, NAN, None, True), Form(40, None, "b", False),
    Form(None, 7.25, None, False), Form(200, -3.0, "", True),
]  # fmt: skip


def test_rows_of_python_objects() -> None:
    assert [int(x) for x in missing(FORMS)] == [2, 1, 4, 0]
    assert ages(FORMS) == 3 + 40 + 100 + 1.5 + 3 + 3 + 7.25 + 0
    assert looped(FORMS) == 2 + 30
    assert [int(x) for x in missing([])] == [0, 0, 0, 0]
    for function in (missing, ages, looped):
        assert not function.guarantee.data.by_row


def test_every_source_gives_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    cells = {
        "age": [3, None, 40, None, 200], "income": [1.5, NAN, None, 7.25, -3.0],
        "city": ["a", None, "b", None, ""], "member": [True, True, False, False, True],
    }  # fmt: skip
    frame = pandas.DataFrame(cells)
    nullable = frame.astype({"age": "Int64", "income": "Float64", "city": "string"})
    chunks = [nullable[:2], nullable[2:]]
    masked = dict(
        cells, age=pandas.array(cells["age"], "Int64"), income=np.array(cells["income"], float)
    )
    records = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    for data in (
        nullable,
        cells,
        masked,
        records,
        [tuple(r.values()) for r in records],
        iter(chunks),
    ):
        assert [int(x) for x in missing(data)] == [2, 1, 4, 0]


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_frames_of_other_libraries(name: str) -> None:
    library = pytest.importorskip(name)
    cells = {
        "age": [3, None, 40], "income": [1.5, None, 2.0], "city": ["a", None, None],
        "member": [True, True, False],
    }  # fmt: skip
    frame = library.DataFrame(cells) if name == "polars" else library.table(cells)
    assert [int(x) for x in missing(frame)] == [1, 1, 2, 0]


@pytest.mark.parametrize("kind", [Pair, Items, tuple[float | None, int]])
def test_every_kind_of_row(kind: type) -> None:
    space = Records(row_space(kind))
    table = admit("rows", space, [(1.5, 2), (None, 3), (NAN, 4)])
    assert [space.row.parts(row)[0] for row in table] == [1.5, None, None]
    assert space.contains([space.row.build((None, 1)), space.row.build((2, 1))])
    assert not space.contains([space.row.build((1, None))])


def test_fields_that_are_always_there_may_not_be_missing() -> None:
    with pytest.raises(SchemaError, match="missing value"):
        missing([Form(1, 1.0, "a", None)])  # type: ignore[arg-type]


def test_a_drop_of_missing_values_beside_fields_that_may_be_missing() -> None:
    with pytest.raises(SchemaError, match="drop"):
        admit("rows", Records(row_space(Pair), drop_nan=True), [(1.0, 2)])


class Review(NamedTuple):
    stars: int | None
    before: int | None
    words: int
    city: str | None
    day: date | None
    seen: bool | None
    pay: float | None


def _compared(rows, star, towns, day):  # type: ignore[no-untyped-def]
    return [
        *[sum(1 for r in rows if r.stars == k) for k in (0, 1, 2)],
        sum(1 for r in rows if r.stars != star),
        sum(1 for r in rows if r.stars == None),  # noqa: E711
        sum(1 for r in rows if r.stars in (1, None)),
        sum(1 for r in rows if r.stars not in (1, 0)),
        sum(1 for r in rows if r.stars == r.before),
        sum(1 for r in rows if r.words != r.stars),
        sum(1 for r in rows if r.city in towns),
        sum(1 for r in rows if r.city != "a"),
        sum(1 for r in rows if r.day == day),
        sum(1 for r in rows if r.day in (day, None)),
        sum(1 for r in rows if r.seen == True),  # noqa: E712
        sum(1 for r in rows if r.seen == 0),
        sum(1 for r in rows if r.seen is True),
        sum(1 for r in rows if r.seen is not False),
        sum(1 for r in rows if r.pay == 0),
        sum(1 for r in rows if r.seen),
        sum(1 for r in rows if r.city),
    ]


@dp.transformation
def compared(rows: dp.Records[Review], star: int, towns: list[str], day: date):
    return [
        *[sum(1 for r in rows if r.stars == k) for k in (0, 1, 2)],
        sum(1 for r in rows if r.stars != star),
        sum(1 for r in rows if r.stars == None),  # noqa: E711
        sum(1 for r in rows if r.stars in (1, None)),
        sum(1 for r in rows if r.stars not in (1, 0)),
        sum(1 for r in rows if r.stars == r.before),
        sum(1 for r in rows if r.words != r.stars),
        sum(1 for r in rows if r.city in towns),
        sum(1 for r in rows if r.city != "a"),
        sum(1 for r in rows if r.day == day),
        sum(1 for r in rows if r.day in (day, None)),
        sum(1 for r in rows if r.seen == True),  # noqa: E712
        sum(1 for r in rows if r.seen == 0),
        sum(1 for r in rows if r.seen is True),
        sum(1 for r in rows if r.seen is not False),
        sum(1 for r in rows if r.pay == 0),
        sum(1 for r in rows if r.seen),
        sum(1 for r in rows if r.city),
    ]


@dp.transformation
def true(rows: dp.Records[Review]):
    n = 0
    for r in rows:
        if r.stars or (not r.city and r.seen):
            n += 1
        elif not (r.day or r.pay):
            n += 100
    return [
        n,
        sum(1 for r in rows if not r.stars),
        sum(1 for r in rows if r.stars and r.stars >= r.words),
        sum(1 for r in rows if (r.city and r.city.startswith("a")) or (r.words and r.pay)),
        sum(1 for r in rows if r.day and r.day.year < 1980),
        sum(1 for r in rows if not r.seen or not r.day),
        sum(dp.clamp(r.pay or 2, 0, 9) for r in rows),
        sum(dp.clamp(r.stars or r.before or r.words or 7, 0, 9) for r in rows),
        sum(dp.clamp(r.pay, 0, 9) for r in rows if r.pay and r.words),
        sum(1 for r in rows if (r.city or "none") == "none"),
        sum(1 if r.seen else 3 for r in rows),
        sum(dp.clamp(r.words and 5, 0, 9) for r in rows),
    ]


FIRST = date(1970, 1, 1)
EVERY = [
    Review(*cells)
    for cells in product(
        (None, 0, 1), (None, 1), (0, 1), (None, "", "a"), (None, FIRST), (None, False, True),
        (None, -0.0, 0.5),
    )
]  # fmt: skip
GIVEN = {"star": 1, "towns": ["", "b"], "day": FIRST}


@pytest.mark.parametrize("rows", [EVERY, EVERY[::31], EVERY[:1] * 5, []])
def test_equal_or_not_is_pythons_answer_from_every_source(rows: list[Review]) -> None:
    pandas = pytest.importorskip("pandas")
    wanted = _compared(rows, **GIVEN)
    cells = {name: [getattr(row, name) for row in rows] for name in Review._fields}
    plain = pandas.DataFrame({name: pandas.Series(v, dtype=object) for name, v in cells.items()})
    plain = plain.astype({"words": int})
    nullable = plain.astype(
        {"stars": "Int64", "before": "Int64", "city": "string", "seen": "boolean", "pay": "Float64"}
    )
    nans = plain.astype({"pay": float})
    nans["city"] = nans["city"].where(nans["city"].notna(), pandas.NA)
    for data in (rows, cells, plain, nullable, nans):
        assert [int(x) for x in compared(data, **GIVEN)] == wanted
        assert true(data) == true.__wrapped__(rows)
    assert not compared.guarantee.data.by_row and not true.guarantee.data.by_row


def test_equal_or_not_costs_what_one_row_moves() -> None:
    most = max(sum(_compared([row], **GIVEN)) for row in EVERY)
    assert most <= int(re.search(r"at most (\d+)", str(compared.guarantee))[1])  # type: ignore[index]


#: The last four have no row, and rows that no two literals tell from others.
TESTS = [
    "r == 3", "r != 3", "r is None", "r in (3, None)", "r not in (3, 4)", "r not in (None, 0)",
    "r", "not r", "not (r == 3 or r == None)", "None != r and r != 4",
    "(r or 3) == 3", "r and r > 3", "r == 2.5", "(r is None) == (r == 3)",
]  # fmt: skip


def test_rows_are_told_apart_only_where_none_is_in_both(tmp_path: Path) -> None:
    pairs, lines = list(combinations(TESTS, 2)), ["import metricdp as dp", ""]
    for number, pair in enumerate(pairs):
        counts = [f"dp.laplace(sum(1 for r in rows if {each}), epsilon=eps)" for each in pair]
        lines += ["@dp.measurement", f"def f{number}(rows: dp.Records[int | None], eps: float):"]
        lines += [f"    return {', '.join(counts)}", ""]
    module = load(tmp_path, "\n".join(lines), head="")
    for number, pair in enumerate(pairs):
        shared = any(all(eval(each, {"r": r}) for each in pair) for r in (None, 0, 3, 4, 5))
        text = str(getattr(module, f"f{number}").guarantee)
        twice, once = "factor e^(2*eps)" in text, "factor e^eps" in text
        assert twice if shared else once or set(pair) & set(TESTS[-4:]), pair


def test_what_is_left_to_python_row_by_row_has_the_same_answers() -> None:
    machine = SimpleNamespace(primitive=lambda name, _, *given: REGISTRY[name].run(*given))
    for x, y in [*product((None, False, True, 0, 1, "", "a"), repeat=2), (None, FIRST)]:
        assert REGISTRY["eq"].run(x, y) == (x == y) == (not REGISTRY["ne"].run(x, y))
        assert Machine.compare(machine, "eq", x, y) == (x == y)  # type: ignore[arg-type]
    for x, y in product((None, False, True), repeat=2):
        assert Machine.compare(machine, "is_not", x, y) == (x is not y)  # type: ignore[arg-type]
