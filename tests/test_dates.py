"""Dates and times of rows: columns, the reference and plain Python say the same of each."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, Optional, TypedDict

import numpy as np
import pytest

import metricdp as dp
from metricdp.columns import moments
from metricdp.columns.days import DayPart
from metricdp.columns.evaluators import VARIABLE
from metricdp.columns.moments import Instant
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.errors import DataValueError, ParameterError, SchemaError, SpaceError
from metricdp.primitives.times import time_earlier, time_later, time_quotient, time_ratio
from metricdp.primitives.times._times import ATTRIBUTES, ISO, METHODS
from metricdp.primitives.times.time_part import run as part_of
from metricdp.run.guards import admit
from metricdp.spaces import Moment, Records
from metricdp.spaces.moments import CLASSES, ends_of, number_of, value_of
from metricdp.spaces.row_types import row_space

RNG = random.Random(20_241_123)


def some(kind: str, count: int = 60) -> list[Any]:
    """Ends of the range, leap days, the turn of 1970, and random values."""
    space = Moment(kind)
    drawn = [space.sample(RNG) for _ in range(count)]
    return [*space.extremes(), CLASSES[kind].min, CLASSES[kind].max, *drawn]  # type: ignore[attr-defined]


def table(kind: str, values: list[Any]) -> Table:
    numbers = list(map(number_of, values))
    small = all(abs(number) < 2**63 for number in numbers)
    held = Stored("integer", np.array(numbers, np.int64 if small else object), *ends_of(kind))
    return Table((held,), Instant(kind, held.node(0)))


def same_everywhere(
    kind: str, function: Callable[[Any], Any], wanted: Callable[[Any], Any]
) -> None:
    """Columns and the reference give what plain Python gives, in type and in value."""
    values = some(kind)
    expected = [wanted(value) for value in values]
    assert [repr(x) for x in table(kind, values).mapped(function).rows()] == list(
        map(repr, expected)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "reference")
        again = table(kind, values).mapped(function).rows()
    assert list(map(repr, again)) == list(map(repr, expected))


PARTS = [
    (kind, name)
    for kind in CLASSES
    for name in (*ATTRIBUTES[kind], *METHODS[kind], *(ISO.values() if kind != "timedelta" else ()))
]


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_parts(kind: str, name: str) -> None:
    same_everywhere(kind, lambda x: moments.part(x, name), lambda x: part_of(x, name))


def test_numbers_and_dates_are_one_another() -> None:
    for kind in CLASSES:
        for value in some(kind):
            assert value_of(kind, number_of(value)) == value
        low, high = ends_of(kind)
        assert value_of(kind, low - 1) == value_of(kind, low)
        assert value_of(kind, high + 1) == value_of(kind, high)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_comparisons(kind: str, name: str) -> None:
    test = getattr(operator, name)
    for other in some(kind, 3):
        same_everywhere(
            kind, lambda x, y=other: moments.compared(name, x, y), lambda x, y=other: test(x, y)
        )
        same_everywhere(
            kind, lambda x, y=other: moments.compared(name, y, x), lambda x, y=other: test(y, x)
        )


STEPS = (
    timedelta(0), timedelta(days=31), timedelta(hours=-1), timedelta(hours=25, microseconds=1),
    timedelta(days=4_000_000), timedelta(days=-4_000_000), timedelta.max, timedelta.min,
)  # fmt: skip


def plainly(function: Callable[[], Any], kind: str, up: bool) -> Any:
    """What Python gives; the last or the first date where it raises."""
    try:
        return function()
    except OverflowError:
        return CLASSES[kind].max if up else CLASSES[kind].min  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["date", "datetime"])
def test_sums_and_differences(kind: str) -> None:
    for other in some(kind, 4):
        same_everywhere(kind, lambda x, y=other: moments.between(x, y), lambda x, y=other: x - y)
        same_everywhere(kind, lambda x, y=other: moments.between(y, x), lambda x, y=other: y - x)
    for by in STEPS:
        up = by > timedelta(0)
        for values in some(kind):
            later = plainly(lambda v=values, by=by: v + by, kind, up)
            earlier = plainly(lambda v=values, by=by: v - by, kind, not up)
            assert time_later.run(values, by) == time_later.run(by, values) == later
            assert time_earlier.run(values, by) == earlier
        same_everywhere(
            kind,
            lambda x, by=by: time_later.columnar(by, x),
            lambda x, by=by: time_later.run(x, by),
        )
        same_everywhere(
            kind, lambda x, by=by: time_earlier.columnar(x, by),
            lambda x, by=by: time_earlier.run(x, by),
        )  # fmt: skip


def test_quotients_are_rounded_once() -> None:
    for size in (timedelta(seconds=1), timedelta(microseconds=-7), timedelta(days=3), timedelta(0)):
        for record in (time_ratio, time_quotient):
            same_everywhere(
                "timedelta", lambda x, r=record, s=size: r.columnar(x, s),
                lambda x, r=record, s=size: r.run(x, s),
            )  # fmt: skip
    far = [timedelta(microseconds=(1 << 53) + k) for k in range(-4, 400)]
    rows = table("timedelta", far).mapped(lambda x: moments.part(x, "total_seconds")).rows()
    assert rows == [value.total_seconds() for value in far]


# -- data that enter


class Stay(NamedTuple):
    day: date
    begin: datetime
    left: Optional[date]  # noqa: UP045


@dataclass
class StayObject:
    day: date
    begin: datetime
    left: date | None


class StayItems(TypedDict):
    day: date
    begin: datetime
    left: date | None


DAYS = [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), date(1969, 12, 31)]
TIMES = [
    datetime(2024, 2, 29, 1, 2, 3, 4), datetime.min, datetime.max,
    datetime(1969, 12, 31, 23, 59, 59, 999_999),
]  # fmt: skip
LEFT = [None, date(2024, 3, 1), None, date.max]
CELLS = list(zip(DAYS, TIMES, LEFT, strict=True))


def read(data: Any) -> list[tuple[Any, ...]]:
    space = Records(row_space(Stay))
    return [space.row.parts(row) for row in admit("stays", space, data)]  # type: ignore[union-attr]


def test_rows_of_every_kind() -> None:
    for kind in (Stay, StayObject, StayItems):
        assert row_space(kind).fields == row_space(Stay).fields  # type: ignore[union-attr]
    assert read(CELLS) == CELLS
    assert read([StayObject(*cells) for cells in CELLS]) == CELLS
    assert read([dict(zip(Stay._fields, cells, strict=True)) for cells in CELLS]) == CELLS
    assert read(dict(zip(Stay._fields, map(list, zip(*CELLS, strict=True)), strict=True))) == CELLS
    assert read(iter([CELLS[:1], CELLS[1:]])) == CELLS
    assert read([]) == []


def test_arrays_of_numpy() -> None:
    columns = {
        "day": np.array(DAYS, "M8[D]"), "begin": np.array(TIMES, "M8[us]"),
        "left": np.array(["NaT", "2024-03-01", "NaT", "9999-12-31"], ">M8[D]"),
    }  # fmt: skip
    assert read(columns) == CELLS
    assert read({**columns, "begin": columns["begin"].astype(">M8[us]")}) == CELLS
    masked = np.ma.masked_array(np.array(["2024-01-01"] * 4, "M8[s]"), [1, 0, 1, 0])
    maybe = Records(row_space(Optional[date]))  # noqa: UP045
    assert list(admit("t", maybe, masked)) == [None, date(2024, 1, 1)] * 2
    # Of a time the day, of a day its midnight; below a microsecond nothing is kept.
    day, begin, _ = read({
        "day": np.array(["1969-12-31T23:59:59"], "M8[ns]"),
        "begin": np.array(["2024-03-01"], "M8[D]"), "left": np.array(["NaT"], "M8[ns]"),
    })[0]  # fmt: skip
    assert (day, begin) == (date(1969, 12, 31), datetime(2024, 3, 1))
    fine = np.array([-1, 999], "M8[ns]")
    table = admit("t", Records(Moment("datetime")), fine)
    assert list(table) == [datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(1970, 1, 1)]
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us"):
        ends = np.array([-(1 << 63) + 1, (1 << 63) - 1], f"M8[{unit}]")
        assert [x.year for x in admit("t", Records(Moment("date")), ends)] == [1, 9999]
        assert [x.year for x in admit("t", Records(Moment("datetime")), ends)] == [1, 9999]
        with pytest.raises(DataValueError, match="years 1 to 9999"):
            admit("t", Records(Moment("date")), ends, strict=True)


def test_frames() -> None:
    pandas = pytest.importorskip("pandas")
    times = ["2024-02-29 01:02:03.000004", "1969-12-31 23:59:59.999999"]
    frame = pandas.DataFrame({
        "day": pandas.to_datetime(["2024-02-29", "1969-12-31"]), "begin": pandas.to_datetime(times),
        "left": pandas.to_datetime([None, "2024-03-01"]), "id": [1, 2],
    })  # fmt: skip
    wanted = [(DAYS[0], TIMES[0], None), (DAYS[3], TIMES[3], LEFT[1])]
    for each in (frame, frame.astype({"day": "M8[s]", "begin": "M8[us]"}), frame.astype(object)):
        if each.dtypes["day"].kind == "O":
            each = each.assign(day=[x.date() for x in frame.day], left=[None, LEFT[1]])
        assert read(each) == wanted
    assert read(iter([frame[:1], frame[1:]])) == wanted
    series = frame.begin.astype("M8[ns]")
    assert list(admit("t", Records(Moment("datetime")), series)) == [TIMES[0], TIMES[3]]
    category = series.astype("category")
    assert list(admit("t", Records(Moment("datetime")), category)) == [TIMES[0], TIMES[3]]


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_frames_of_other_libraries(name: str) -> None:
    library = pytest.importorskip(name)
    cells = dict(zip(Stay._fields, map(list, zip(*CELLS, strict=True)), strict=True))
    assert read(library.DataFrame(cells) if name == "polars" else library.table(cells)) == CELLS


class Column:
    """What Arrow and Polars offer of a column of dates, where neither is installed."""

    def __init__(self, array: Any, kind: Any) -> None:
        self.array, self.type, self.dtype = array, kind, kind
        self.null_count = int(np.isnat(array).sum())

    def is_null(self) -> Any: ...
    def get_chunks(self) -> list[Column]:
        return [self]

    def to_numpy(self, zero_copy_only: bool = True) -> Any:
        return self.array

    def __len__(self) -> int:
        return len(self.array)


def test_columns_by_their_protocol() -> None:
    from metricdp.run.entering import arrow, polars
    from metricdp.run.entering.instants import Instants

    days = np.array(["2024-02-29", "NaT"], "M8[D]")
    for kind in ("date32[day]", "timestamp[us]", "timestamp[ns]", "date64[ms]"):
        assert arrow.column("t", Column(days, kind)) is days
    told = arrow.column("t", Column(days, "timestamp[us, tz=Europe/Berlin]"))
    assert isinstance(told, Instants) and told.values is days

    class Date:
        time_zone = None

    class Datetime:
        def __init__(self, zone: str | None) -> None:
            self.time_zone = zone

        def __str__(self) -> str:
            return f"Datetime(us, {self.time_zone})"

    assert polars.column("t", Column(days, Date)) is days
    assert polars.column("t", Column(days, Datetime(None))) is days
    space = Records(row_space(Optional[date]))  # noqa: UP045
    assert list(admit("t", space, days)) == [DAYS[0], None]


class Later(datetime):
    """A class of the caller's, whose methods run its code."""

    def __sub__(self, other: Any) -> Any:
        raise AssertionError("code of the caller's ran")

    year = property(lambda self: 1 / 0)  # type: ignore[assignment]


def test_cells_of_other_classes() -> None:
    times = admit("t", Records(Moment("datetime")), [Later(2024, 1, 2, 3), TIMES[0]])
    assert list(times) == [datetime(2024, 1, 2, 3), TIMES[0]]
    assert all(type(x) is datetime for x in times)
    cells = [np.datetime64("2024-02-29"), np.datetime64("2024-02-29T03:00")]
    assert list(admit("t", Records(Moment("date")), cells)) == [DAYS[0]] * 2
    folded = datetime(2024, 10, 27, 2, 30, fold=1)
    assert list(admit("t", Records(Moment("datetime")), [folded])) == [folded.replace(fold=0)]


AWARE = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("date", [datetime(2024, 1, 1)], "a datetime where a date is needed"),
        ("date", [date(2024, 1, 1), AWARE], "a datetime where a date is needed"),
        ("datetime", [date(2024, 1, 1)], "a date where a datetime is needed"),
        ("datetime", [AWARE], "with a zone"),
        ("date", ["2024-01-01"], "a str where date is needed"),
        ("date", [20_240_101], "an int where date is needed"),
        ("date", [None], "missing value"),
        ("date", [float("nan")], "a float where date is needed"),
        ("date", [timedelta(1)], "a timedelta where date is needed"),
        ("date", np.array(["2024-01-01", "NaT"], "M8[D]"), "missing value"),
        ("datetime", [np.datetime64("NaT")], "missing value"),
        ("date", np.array([1.5]), "dtype float64 where date is needed"),
        ("date", np.array(["2024-01-01"]), "where date is needed"),
        ("date", np.array([[0]], "M8[D]"), "2 dimensions"),
        ("date", np.array([0], "M8[7D]"), "whose unit"),
        ("date", np.array([0], "m8[D]"), "where date is needed"),
    ],
)
def test_what_is_refused(kind: str, data: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said) as caught:
        admit("rows.when", Records(Moment(kind)), data)
    assert "rows.when" in str(caught.value) and "2024" not in caught.value.fact


def test_zones_of_frames_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    aware = pandas.Series(pandas.to_datetime(["2024-01-01"])).dt.tz_localize("UTC")
    with pytest.raises(SchemaError, match=r"dp\.Zone\(\"Europe/Berlin\"\)"):
        admit("t", Records(Moment("datetime")), aware)


def test_fields_of_other_classes_of_datetime() -> None:
    with pytest.raises(SpaceError, match="total_seconds"):
        row_space(tuple[timedelta])


# -- programs


@dp.transformation
def between(stays: dp.Records[Stay], first: date, after: date):
    gone = dp.drop_null([s.left for s in stays])
    known = dp.impute([s.left for s in stays], date(2024, 1, 1))
    return (
        sum(1 for s in stays if first <= s.day < after),
        sum(1 for day in gone if day >= first),
        sum(1 for day in known if day == date(2024, 1, 1)),
        sum(1 for s in stays if s.left is None),
    )


def test_public_dates() -> None:
    first, after = date(2024, 1, 1), date(2025, 1, 1)
    assert [int(x) for x in between(CELLS, first, after)] == [1, 2, 2, 2]
    assert not between.guarantee.data.by_row
    for wrong in (datetime(2024, 1, 1), "2024-01-01", 5, None):
        with pytest.raises(ParameterError, match="date is declared"):
            between(CELLS, wrong, after)  # type: ignore[arg-type]


@dp.transformation
def since(stays: dp.Records[Stay], when: datetime):
    return sum(1 for s in stays if s.begin >= when)


def test_public_times_have_no_zone() -> None:
    assert since(CELLS, datetime(2024, 1, 1)) == 2
    with pytest.raises(ParameterError, match="zone"):
        since(CELLS, AWARE)


def test_days_of_all_years() -> None:
    """What is looked up is what NumPy and Python say of the years 1 to 9999."""
    first, last = ends_of("date")
    days = np.append(np.arange(first, last, 11), last)
    months = days.astype("M8[D]").astype("M8[M]")
    assert (DayPart("year").rows(days) == months.astype("M8[Y]").astype(int) + 1970).all()
    assert (DayPart("month").rows(days) == months.astype(int) % 12 + 1).all()
    assert (DayPart("day").rows(days) == (days.astype("M8[D]") - months).astype(int) + 1).all()
    some = [*range(-3000, 3000), *map(int, days[:800]), *map(int, days[-800:])]
    for name, place in (("iso_year", 0), ("iso_week", 1), ("iso_weekday", 2)):
        wanted = [value_of("date", day).isocalendar()[place] for day in some]
        assert DayPart(name).rows(np.array(some)).tolist() == wanted
        assert [DayPart(name).row(day) for day in some] == wanted


@dp.transformation
def on_days(stays: dp.Records[Stay], days: list[date]):
    return sum(1 for s in stays if s.day in days), [
        sum(1 for s in stays if s.day == day) for day in days
    ]


def test_public_lists_of_dates() -> None:
    days = [date(2024, 2, 29), date(2000, 1, 1)]
    found = on_days(CELLS, days)
    assert int(found[0]) == 1 and [int(x) for x in found[1]] == [1, 0]
    with pytest.raises(ParameterError, match="an item is a datetime"):
        on_days(CELLS, [datetime(2024, 1, 1)])


@dp.measurement
def asked_since(days: dp.Records[date], first: date, others: tuple[date, ...], eps: float):
    return dp.laplace(dp.count([day for day in days if day >= first]), epsilon=eps), len(others)


@dp.measurement
def asked_after(times: dp.Records[datetime], first: datetime, eps: float):
    return dp.laplace(dp.count([time for time in times if time >= first]), epsilon=eps)


def test_a_question_with_dates_is_one_question() -> None:
    """The same dates are the same answer, and free; another date, or midnight of it, is not."""
    tables = {
        "days": (dp.Records[date], [date(2024, 1, day) for day in range(1, 20)]),
        "times": (dp.Records[datetime], [datetime(2024, 1, day) for day in range(1, 20)]),
    }
    session = dp.Session(tables, budget=dp.Budget(epsilon=10))
    some = (date(2024, 2, 1), date(2024, 3, 1))
    one = session.run(asked_since, first=date(2024, 1, 5), others=some, eps=1)
    assert session.run(asked_since, first=date(2024, 1, 5), others=some, eps=1).value == one.value
    assert session.left() == {"epsilon": 9}
    session.run(asked_since, first=date(2024, 1, 6), others=some, eps=1)
    session.run(asked_since, first=date(2024, 1, 5), others=some[:1], eps=1)
    assert session.left() == {"epsilon": 7}
    two = session.run(asked_after, first=datetime(2024, 1, 5), eps=1)
    assert session.run(asked_after, first=datetime(2024, 1, 5), eps=1).value == two.value
    session.run(asked_after, first=datetime(2024, 1, 5, 0, 0, 0, 1), eps=1)
    assert session.left() == {"epsilon": 5}
