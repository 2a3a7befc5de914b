"""Columns of dates and of dates with times: as whole numbers of days and of microseconds.

Cells are Python's own dates, or of classes made from them; arrays are those of NumPy's dates, in
any unit.  A column of NumPy's dates has no kind of its own for days, so a declared `date` is the
day of each, and what is finer than a microsecond is left away.  What lies beyond the years 1 to
9999 becomes the first or the last of them.  Where a field names a zone its cells are instants, and
columns hold what the clock of that zone shows; elsewhere instants are refused: which hour of which
day they are is for the caller to say.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Final

from metricdp.columns import zones
from metricdp.columns.chunked import Chunked
from metricdp.columns.moments import Instant
from metricdp.columns.stored import Stored
from metricdp.columns.texts import Texts
from metricdp.errors import SchemaError
from metricdp.run.cells import schema_error
from metricdp.run.entering.gaps import Gaps
from metricdp.run.entering.instants import Instants
from metricdp.run.entering.kinds import CLOCK, moments_refused
from metricdp.run.entering.sequences import article
from metricdp.run.facts import Notice
from metricdp.spaces import Moment, Space
from metricdp.spaces.instants import is_known
from metricdp.spaces.moments import ends_of, number_of, value_of

#: NumPy's units that hold dates beyond those of Python.
_WIDE: Final = frozenset("Y M W D h m s ms us".split())
_UNITS: Final = _WIDE | frozenset("ns ps fs as".split())
_BEYOND: Final = "a date beyond the years 1 to 9999"
_UNIT: Final = {"date": "D", "datetime": "us"}
_ZONE: Final = f"declare the field as {CLOCK}, with the zone whose clock is meant"
_ONE: Final = timedelta(microseconds=1)


def stored_moments(name: str, space: Moment, raw: Any, notice: Notice) -> Stored:
    """A column of dates, or of dates with times, in numbers of our own.

    Args:
        raw: see `sequences.column`; none of its rows is missing.

    Raises:
        SchemaError: cells of another kind, with a zone, or missing.
        DataValueError: only under strict.
    """
    if isinstance(raw, Gaps):
        raise _missing(name)
    if isinstance(raw, Instants):
        if not space.zone:
            raise moments_refused(name, raw.told, space.kind)
        return _clock(space, _of_array(name, space, raw.values, notice), notice)
    if isinstance(raw, Chunked):
        raw = raw.__array__()
    if not isinstance(raw, list | Texts):
        if raw.ndim != 1:
            raise schema_error(
                name, f"an array with {raw.ndim} dimensions where 1 is needed",
                "reshape it" if raw.ndim else "pass a sequence",
            )  # fmt: skip
        if raw.dtype.kind == "M":
            if space.zone:
                raise _naive(name, f"dtype {raw.dtype}, which has no zone,", space)
            return Stored("integer", _of_array(name, space, raw, notice), *ends_of(space.kind))
        if raw.dtype.kind != "O":
            raise _not_dates(name, space, f"dtype {raw.dtype}")
        raw = raw.tolist()
    if isinstance(raw, Texts):
        raise _not_dates(name, space, "texts")
    found = _of_cells(name, space, raw, notice)
    if space.zone:
        return _clock(space, found, notice)
    return Stored("integer", found, *ends_of(space.kind))


def _clock(space: Moment, instants: Any, notice: Notice) -> Stored:
    """What the clock of the zone of a field shows at these instants."""
    found = zones.clock(space.zone, instants)
    if notice.strict:
        low, high = ends_of(space.kind)
        notice(bool(((found == low) | (found == high)).any()), _BEYOND)
    return Stored("integer", found, *ends_of(space.kind))


def row_of_moments(space: Space, held: Any) -> Any:
    """What stands for a column in a row: dates over the whole numbers that are held."""
    return Instant(space.kind, held) if isinstance(space, Moment) else held


def _of_cells(name: str, space: Moment, cells: list[Any], notice: Notice) -> Any:
    import numpy as np

    wanted = date if space.kind == "date" else datetime
    if set(map(type, cells)) != {wanted}:
        cells = [_bare(name, space, cell, notice) for cell in cells]
    if space.zone:
        return np.fromiter((_instant(name, space, cell) for cell in cells), np.int64, len(cells))
    if wanted is datetime and any(cell.tzinfo is not None for cell in cells):
        raise schema_error(name, "a datetime with a zone", _ZONE)
    return np.fromiter(map(number_of, cells), np.int64, len(cells))


def _instant(name: str, space: Moment, cell: datetime) -> int:
    """Microseconds since 1970 in UTC, also of an instant beyond the years of a datetime."""
    if cell.tzinfo is None:
        raise _naive(name, "a datetime without a zone", space)
    if not is_known(cell.tzinfo):
        raise schema_error(
            name, f"a datetime with a zone of the class {type(cell.tzinfo).__name__}",
            "pass x.astimezone(datetime.timezone.utc)",
        )  # fmt: skip
    offset = cell.utcoffset()
    assert offset is not None
    return number_of(cell.replace(tzinfo=None)) - offset // _ONE


def _bare(name: str, space: Moment, cell: Any, notice: Notice) -> Any:
    """A cell of Python's own class; no method of another class runs."""
    kind = type(cell)
    if cell is None or kind.__name__ in ("NAType", "NaTType"):
        raise _missing(name)
    if issubclass(kind, datetime):
        if space.kind == "date":
            raise schema_error(
                name, f"{article(cell)} where a date is needed",
                "pass x.date(), or declare the field as datetime",
            )  # fmt: skip
        day = date.fromordinal(datetime.toordinal(cell))
        found = datetime.combine(day, datetime.time(cell))
        zone = datetime.tzinfo.__get__(cell)
        return found if zone is None else found.replace(tzinfo=zone)
    if issubclass(kind, date) and space.kind == "date":
        return date.fromordinal(date.toordinal(cell))
    if issubclass(kind, date):
        raise schema_error(
            name, f"{article(cell)} where a datetime is needed",
            "pass datetime(x.year, x.month, x.day), or declare the field as date",
        )  # fmt: skip
    if getattr(getattr(cell, "dtype", None), "kind", "") == "M":
        import numpy as np

        array = np.array([cell])
        if np.isnat(array)[0]:
            raise _missing(name)
        return value_of(space.kind, int(_of_array(name, Moment(space.kind), array, notice)[0]))
    raise _not_dates(name, space, article(cell))


def _of_array(name: str, space: Moment, array: Any, notice: Notice) -> Any:
    """NumPy's dates as numbers of days or of microseconds; a day more at both ends of instants."""
    import numpy as np

    unit, count = np.datetime_data(array.dtype)
    if unit not in _UNITS or count != 1:
        raise schema_error(name, f"dtype {array.dtype}, whose unit is none of a clock",
                           "pass x.astype('datetime64[us]')")  # fmt: skip
    if np.isnat(array).any():
        raise _missing(name)
    array = array.astype(array.dtype.newbyteorder("="))
    if unit in _WIDE:
        more = np.timedelta64(1 if space.zone else 0, "D")
        first = (np.datetime64("0001-01-01T00:00:00.000000") - more).astype(f"M8[{unit}]")
        last = (np.datetime64("9999-12-31T23:59:59.999999") + more).astype(f"M8[{unit}]")
        notice(
            notice.strict and bool(((array < first) | (array > last)).any()),
            _BEYOND,
        )
        array = np.clip(array, first, last)
    return array.astype(f"M8[{_UNIT[space.kind]}]").astype(np.int64)


def _naive(name: str, found: str, space: Moment) -> SchemaError:
    return schema_error(
        name, f"{found} where instants are declared",
        f'say in which zone they are: x.dt.tz_localize("{space.zone}"), x.replace(tzinfo=ZoneInfo('
        f'"{space.zone}")); or declare datetime, where it is the clock already',
    )  # fmt: skip


def _missing(name: str) -> SchemaError:
    return schema_error(
        name, "a missing value (None)",
        "replace or drop missing values before the call, or declare the field as Optional",
    )  # fmt: skip


def _not_dates(name: str, space: Moment, found: str) -> SchemaError:
    remedy = (
        "pass x.fromisoformat(text), or pandas.to_datetime(column)"
        if found in ("texts", "a str")
        else f"convert the data first, or declare the field as {_declared(found)}"
    )
    return schema_error(name, f"{found} where {space} is needed", remedy)


def _declared(found: str) -> str:
    kinds = {"float": "float", "int": "int", "bool": "bool"}
    return next((kind for word, kind in kinds.items() if word in found), "what it is")
