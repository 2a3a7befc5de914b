"""Fields that name a zone: instants enter, and a program sees what the clock of that zone shows."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from random import Random
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from depth import depth

import metricdp as dp
from metricdp.audit import measurement, replay
from metricdp.columns.zones import EARLIEST, LATEST, clock
from metricdp.errors import DataValueError, SchemaError, SpaceError
from metricdp.run.guards import admit
from metricdp.spaces import Moment, space_of
from metricdp.spaces.joining import fits
from metricdp.spaces.moments import ends_of
from metricdp.spaces.transitions import transitions
from metricdp.spaces.tz_files import instants_of

START = datetime(1970, 1, 1)
ONE = timedelta(microseconds=1)
#: Half an hour of summer time, a day left out, winter time that is subtracted, changes by the moon,
#: three quarters of an hour, none at all, one of two hours, and offsets in seconds before 1920.
ZONES = (
    "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Europe/Dublin", "Africa/Casablanca",
    "Asia/Kathmandu", "UTC", "Antarctica/Troll", "America/New_York", "America/Santiago",
    "Africa/Monrovia", "Asia/Hebron",
)  # fmt: skip


@dataclass
class Call:
    at: Annotated[datetime, dp.Zone("America/New_York")]
    minutes: int


@dataclass
class Answer:
    at: Annotated[datetime | None, dp.Zone("America/New_York")]
    minutes: int


@dataclass
class Bare:
    at: datetime
    minutes: int


CALLS, ANSWERS, BARE = (space_of(dp.Records[row]) for row in (Call, Answer, Bare))
#: The hour that comes twice on the third of November, and one of winter.
TIMES = [
    datetime(2024, 11, 3, 5, 30, tzinfo=UTC), datetime(2024, 11, 3, 6, 30, 0, 5, tzinfo=UTC),
    datetime(2024, 2, 1, 2, tzinfo=UTC),
]  # fmt: skip
SHOWN = [
    datetime(2024, 11, 3, 1, 30),
    datetime(2024, 11, 3, 1, 30, 0, 5),
    datetime(2024, 1, 31, 21),
]


def instants(zone: str, rng: Random) -> list[int]:
    """Instants of the years that zoneinfo knows: around changes, and any."""
    second, found = 10**6, []
    for each in transitions(zone).until(9998)[0]:
        if each < 2_300_000_000 or rng.random() < 0.01:
            found += [each * second + by for by in (-1, 0, 1, -3600 * second, 1800 * second)]
    low, high = EARLIEST + 3 * 86_400 * second, LATEST - 3 * 86_400 * second
    found += [rng.randint(low, high) for _ in range(depth(100, 4000))]
    return found + [rng.randint(-4 * 10**15, 5 * 10**15) for _ in range(depth(200, 8000))]


def shown_by_zoneinfo(zone: str, instant: int) -> int:
    moment = (START + instant * ONE).replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    return (moment.replace(tzinfo=None) - START) // ONE


@pytest.mark.parametrize("zone", ZONES)
def test_the_clock_is_that_of_zoneinfo(zone: str) -> None:
    held = instants(zone, Random(zone))
    expected = [shown_by_zoneinfo(zone, each) for each in held]
    assert clock(zone, np.array(held)).tolist() == expected
    if len(transitions(zone).instants) > 10:  # a table that is a microsecond off is seen
        assert (clock(zone, np.array(held) - 1) + 1).tolist() != expected
    # Every row alone shows what it shows among all others.
    assert [int(clock(zone, np.array([each]))[0]) for each in held[:50]] == expected[:50]


def test_clocks_beyond_the_calendar_show_its_ends() -> None:
    low, high = ends_of("datetime")
    for zone in ZONES:
        ends = clock(zone, np.array([EARLIEST, -(2**63), LATEST, 2**63 - 1]))
        assert ends.tolist() == [low, low, high, high]
    hour = 3600 * 10**6
    assert clock("Asia/Tokyo", np.array([low - hour])).tolist() == [
        low + 9 * hour - hour + 1139 * 10**6
    ]
    assert clock("America/New_York", np.array([high + hour])).tolist() == [high - 4 * hour]
    ends = [datetime.max.replace(tzinfo=timezone(timedelta(hours=-9))), datetime.min]
    ends[1] = ends[1].replace(tzinfo=ZoneInfo("Asia/Tokyo"))
    rows = [Call(each, 1) for each in ends]
    assert [row.at for row in admit("t", CALLS, rows)] == [datetime.max, datetime.min]
    with pytest.raises(DataValueError, match="beyond the years"):
        admit("t", CALLS, rows, strict=True)


def forms(times: list[Any]) -> dict[str, Any]:
    """The same rows as libraries hold them; a zone of a column says nothing of whose clock."""
    series = pd.Series(pd.to_datetime(times, utc=True))
    numbers = np.arange(len(times))
    frame = pd.DataFrame({"at": series.dt.tz_convert("Asia/Tokyo"), "minutes": numbers})
    found = {
        "rows": [Call(at, n) for n, at in enumerate(times)],
        "tuples": [(at and at.astimezone(ZoneInfo("Asia/Kolkata")), 0) for at in times],
        "columns": {"at": list(times), "minutes": numbers},
        "frame": frame,
        "objects": frame.astype({"at": object}),
        "categories": frame.assign(at=pd.Categorical(series)),
        "chunks": iter([frame[:1], frame[1:]]),
        "nanoseconds": frame.assign(at=series.astype("datetime64[ns, UTC]")),
    }
    try:
        import pyarrow
    except ImportError:
        return found
    column = pyarrow.array(times, pyarrow.timestamp("us", tz="Europe/Paris"))
    table = pyarrow.table({"at": column, "minutes": numbers})
    found["arrow"] = pyarrow.concat_tables([table[:1], table[1:]])
    found["pandas on arrow"] = table.to_pandas(types_mapper=pd.ArrowDtype)
    return found


@pytest.mark.parametrize("form", forms(TIMES))
def test_every_form_gives_the_same_clock(form: str) -> None:
    assert [row.at for row in admit("t", CALLS, forms(TIMES)[form])] == SHOWN
    missing = forms([None, *TIMES])[form]
    assert [row.at for row in admit("t", ANSWERS, missing)] == [None, *SHOWN]
    with pytest.raises(SchemaError, match="a missing value"):
        admit("t", CALLS, forms([*TIMES, None])[form])
    with pytest.raises(SchemaError, match=r"zone|where datetime is needed") as caught:
        admit("t", BARE, forms(TIMES)[form])
    assert 'dp.Zone("Europe/Berlin")' in caught.value.remedy


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    held = polars.Series([None, *TIMES], dtype=polars.Datetime("us", "UTC"))
    frame = polars.DataFrame({"at": held.dt.convert_time_zone("Asia/Tokyo"), "minutes": range(4)})
    assert [row.at for row in admit("t", ANSWERS, frame)] == [None, *SHOWN]
    with pytest.raises(SchemaError, match="where datetime is needed"):
        admit("t", BARE, frame)


class Odd(tzinfo):
    """A zone whose code would run for every row."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        raise AssertionError("code of the caller's ran")


@pytest.mark.parametrize(
    ("at", "said", "help"),
    [
        (
            [datetime(2024, 1, 1)],
            "without a zone where instants",
            'tz_localize("America/New_York")',
        ),
        ([TIMES[0], datetime(2024, 1, 1)], "without a zone where instants", "ZoneInfo("),
        (pd.Series(pd.to_datetime(["2024-01-01"])), "which has no zone", "tz_localize"),
        (np.array(["2024-01-01"], "M8[us]"), "which has no zone", "declare datetime"),
        ([datetime(2024, 1, 1, tzinfo=Odd())], "the class Odd", "astimezone"),
        (["2024-01-01T00:00Z"], "a str where", "fromisoformat"),
        ([1.5], "a float where", "float"),
    ],
)
def test_what_is_no_instant_is_refused(at: Any, said: str, help: str) -> None:
    with pytest.raises(SchemaError, match=said) as caught:
        admit("t", CALLS, {"at": at, "minutes": [1] * len(at)})
    assert help in caught.value.remedy


def test_moments_in_fields_and_vectors_of_numbers_are_refused() -> None:
    frame = forms(TIMES)["frame"]
    for space, data in (
        (space_of(dp.Records[tuple[float]]), frame[["at"]]),
        (space_of(dp.Records[str]), frame["at"]),
        (space_of(dp.Vector[dp.Real, dp.L2]), frame["at"]),
        (space_of(dp.Matrix[dp.Real, dp.L2]), frame[["at"]]),
        (space_of(dp.Matrix[dp.Real, dp.L2]), frame),
    ):
        with pytest.raises(SchemaError, match="Asia/Tokyo"):
            admit("t", space, data)


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("Berlin", 'write dp.Zone("Europe/Berlin");'), ("europe/berlin", '"Europe/Berlin"'),
        ("New York", '"America/New_York"'), ("Europe/Munich", "Europe/"), ("", '"Europe/Berlin"'),
        ("localtime", "zoneinfo"), ("right/UTC", "zoneinfo"), ("../UTC", "zoneinfo"),
        ("/etc/passwd", "zoneinfo"), ("Europe", "Europe/Amsterdam"), ("a\0b", "zoneinfo"),
        (1, '"UTC"'), (None, '"UTC"'), (UTC, '"UTC"'),
    ],
)  # fmt: skip
def test_what_is_no_zone(name: Any, help: str) -> None:
    with pytest.raises(SpaceError, match="no name of a zone") as caught:
        dp.Zone(name)
    assert help in str(caught.value.remedy)


def test_zones_stand_on_moments_alone() -> None:
    zoned = dp.Zone("UTC")
    for item in (float, str, "date", "timedelta"):
        field = Moment(item) if isinstance(item, str) else space_of(dp.Records[item]).row
        with pytest.raises(SpaceError, match="no moment"):
            field.refined(zoned)
    with pytest.raises(SpaceError, match="two zones on one field"):
        Moment("datetime").refined(zoned, dp.Zone("Europe/Berlin"))
    with pytest.raises(SpaceError, match="without its arguments"):
        space_of(dp.Records[Annotated[datetime, dp.Zone]])
    assert repr(zoned) == 'Zone("UTC")' and zoned.apply(Moment("datetime")).zone == "UTC"


def test_a_file_that_is_not_read_is_refused() -> None:
    whole = b"TZif2" + b"\0" * 39
    assert instants_of(whole * 2) == []
    for data in (b"", b"TZif", whole, whole.replace(b"2", b"1") * 2, whole * 2 + b"\0"):
        changed = data[:-1] if data.endswith(b"\0") else data
        with pytest.raises((ValueError, IndexError)):
            instants_of(changed[:80])


# -- programs


@dp.transformation
def late(calls: dp.Records[Call]):
    return sum(1 for c in calls if c.at.hour < 2 and c.at >= datetime(2024, 11, 3))


@dp.transformation
def late_of_bare(calls: dp.Records[Bare]):
    return sum(1 for c in calls if c.at.hour < 2)


@dataclass
class Other:
    at: Annotated[datetime, dp.Zone("America/New_York")]
    minutes: int


@dp.measurement
def months(calls: dp.Records[Other], eps: float):
    counts = dp.histogram([c.at.month for c in calls], categories=[1, 2, 11])
    return dp.laplace(counts, epsilon=eps)


def test_programs_read_the_clock() -> None:
    for data in forms(TIMES).values():
        assert late(data) == 2
    assert fits(CALLS.row, CALLS.row) and not fits(CALLS.row, BARE.row)
    assert not fits(BARE.row, CALLS.row)


def test_tables_of_a_session_enter_once_more() -> None:
    """A function whose rows are declared otherwise is handed what the clock showed."""
    space = dp.Records[Call]
    session = dp.Session({"calls": (space, forms(TIMES)["frame"])}, budget=dp.Budget(epsilon=10**6))
    assert [round(x) for x in session.release(months.at(eps=10**4)).value] == [1, 0, 2]
    counted = session.sql(
        "SELECT COUNT(*) AS n FROM calls WHERE EXTRACT(HOUR FROM at) = 1", epsilon=999
    )
    assert round(counted.rows[0]["n"]) == 2


@dataclass
class Visit:
    person: int
    at: Annotated[datetime, dp.Zone("Europe/Berlin")]


@dp.transformation
def in_months(visits: dp.Records[Visit, dp.Ids("person", per="month", of="at")]):
    return dp.count_ids(visits, "person")


@dp.black_box(returns=dp.Bool)
def odd(at):
    return at.minute % 2 == 1


@dp.measurement
def at_odd_minutes(calls: dp.Records[Other], eps: float):
    return dp.laplace(sum(1 for c in calls if odd(c.at)), epsilon=eps)


def test_audits_make_up_instants() -> None:
    """What an audit makes up are readings of a clock; they are handed over as data are."""
    for program in (months, at_odd_minutes):
        found = str(replay(program, public={"eps": 1}, seconds=0.3))
        assert "survived" in found  # a reading that is handed over as such ends in an error
    assert "exactly, from the laws" in str(measurement(months.at(eps=1), seconds=0.5))
    held = [Other(TIMES[0].replace(minute=31), 1), Other(TIMES[1], 1)]
    assert round(at_odd_minutes(held, eps=10**4).value) == 1
    written = str(months.explain(eps=1).asked)
    assert "make_timestamptz(" in written and "timestamp_micros(" in written


def test_windows_are_those_of_the_clock() -> None:
    """Half an hour before and after the end of January, in Berlin and in UTC."""
    rows = [Visit(1, datetime(2024, 1, 31, hour, 30, tzinfo=UTC)) for hour in (21, 22)]
    assert in_months(rows) == 1
    rows.append(Visit(1, datetime(2024, 1, 31, 23, 30, tzinfo=UTC)))
    assert in_months(rows) == 2
    assert in_months([*rows[2:], Visit(1, datetime(2024, 2, 1, 0, 30, tzinfo=UTC))]) == 1


def test_the_package_of_zones_is_read_where_the_machine_has_none() -> None:
    pytest.importorskip("tzdata")
    code = (
        "import zoneinfo, metricdp as dp\nzoneinfo.reset_tzpath([])\n"
        "from metricdp.columns.zones import clock\nimport numpy\n"
        "print(clock('Europe/Berlin', numpy.array([1_720_000_000_000_000]))[0] % 10**13)\n"
        "print(bool(dp.Zone('Asia/Kolkata').version))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["7200000000", "True"]
