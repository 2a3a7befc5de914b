"""Readings of the clock of a zone as data that enter: instants.

Values of a space are what programs see.  What is handed to a program whose data enter anew, of a
session or made up by an audit, is one of the instants at which the clock shows them; a reading that
a clock never has, in the hour that is left out, becomes another one.
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


def as_instants(space: Space, value: Any) -> Any:
    """A value of a space as data hold it; what has a zone is an instant already."""
    from zoneinfo import ZoneInfo

    if isinstance(space, Records | Owned):
        several = isinstance(value, list) and _zoned(space.row)
        return [as_instants(space.row, each) for each in value] if several else value
    if isinstance(space, Row) and _zoned(space) and space.contains(value):
        pairs = zip(space.fields, space.parts(value), strict=True)
        return space.build([as_instants(field, part) for field, part in pairs])
    inner = space.inner if isinstance(space, Maybe) else space
    if not isinstance(inner, Moment) or not inner.zone or not inner.contains(value):
        return value
    return value.replace(tzinfo=ZoneInfo(inner.zone))


def _zoned(space: Space) -> bool:
    """Whether some value of a row is on the clock of a zone."""
    if isinstance(space, Row):
        return any(map(_zoned, space.fields))
    inner = space.inner if isinstance(space, Maybe) else space
    return isinstance(inner, Moment) and inner.zone != ""
