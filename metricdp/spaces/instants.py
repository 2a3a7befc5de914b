"""Values on the clock of a zone, as data hold them: instants.

A program that was given data of a session, or made-up ones, sees the same clock again: one of the
instants at which a clock shows a reading is shown as this reading.
"""

from __future__ import annotations

from datetime import timezone, tzinfo
from typing import Any

from metricdp.spaces.base import Space
from metricdp.spaces.ids import Owned
from metricdp.spaces.missing import Maybe
from metricdp.spaces.moments import Moment
from metricdp.spaces.records import Records
from metricdp.spaces.rows import Row


def is_known(zone: tzinfo) -> bool:
    """Whether the zone of a datetime is one of Python's own, of which nobody wrote the code."""
    from zoneinfo import ZoneInfo

    return type(zone) is timezone or type(zone) is ZoneInfo


def as_data(space: Space, value: Any) -> Any:
    """A value of a space as data hold it: readings of a clock with their zone."""
    from zoneinfo import ZoneInfo

    if value is None:
        return None
    if isinstance(space, Moment):
        return value.replace(tzinfo=ZoneInfo(space.zone)) if space.zone else value
    if isinstance(space, Maybe):
        return as_data(space.inner, value)
    if isinstance(space, Row):
        pairs = zip(space.fields, space.parts(value), strict=True)
        return space.build([as_data(field, part) for field, part in pairs])
    if isinstance(space, Records | Owned) and _zoned(space.row):
        return [as_data(space.row, each) for each in value]
    return value


def _zoned(space: Space) -> bool:
    """Whether some value of a row is on the clock of a zone."""
    if isinstance(space, Row):
        return any(map(_zoned, space.fields))
    inner = space.inner if isinstance(space, Maybe) else space
    return isinstance(inner, Moment) and inner.zone != ""
