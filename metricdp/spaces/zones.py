"""Moments on the clock of a named zone: `Annotated[datetime, Zone("Europe/Berlin")]`.

Data hold instants, of which clocks show another hour, day and month in every zone.  As they enter
they become what the clock of this zone shows, and that is all that a program sees: a `datetime`
without a zone.  A clock that is a function of one instant moves no row nearer to another, and no
further away.  At the end of summer time the clock shows one hour twice: two instants that read the
same are equal from there on.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import msgspec

from metricdp.errors import SpaceError
from metricdp.spaces.base import Refinement, Space
from metricdp.spaces.markers import show
from metricdp.spaces.moments import Moment


class Zone(Refinement):
    """The moments of a field are instants, and a program sees what the clock of this zone shows.

    Args:
        name: as the tz database has it, "Europe/Berlin" or "UTC".

    Attributes:
        version: of the tz database of this machine, which a process reads once, "2025b"; "" where
            it says none.

    Raises:
        SpaceError: no name of a zone that is known on this machine, or a field that is no datetime.
    """

    __slots__ = ("name",)

    def __init__(self, name: object) -> None:
        from metricdp.spaces.transitions import transitions

        if not isinstance(name, str) or not is_zone(name):
            raise SpaceError(f"{show(name)} is no name of a zone", remedy=_instead(name))
        transitions(name)
        self.name = name

    @property
    def version(self) -> str:
        from metricdp.spaces.tz_files import version

        return version(self.name)

    def apply(self, space: Any) -> Space | None:
        if not isinstance(space, Moment) or space.kind != "datetime":
            raise SpaceError(
                f"a zone on {getattr(space, 'kind', '') or space}, which is no moment",
                remedy=f'write Annotated[datetime, dp.Zone("{self.name}")]',
            )
        if space.zone not in ("", self.name):
            raise SpaceError(
                f"two zones on one field, {space.zone} and {self.name}", remedy="write one of them"
            )
        return msgspec.structs.replace(space, zone=self.name)

    def __repr__(self) -> str:
        return f'Zone("{self.name}")'


def is_zone(name: str) -> bool:
    """Whether the tz database of this machine has a zone of this name, the same everywhere."""
    from zoneinfo import ZoneInfo

    if not _is_plain(name):
        return False
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # no name, a directory, no such file
        return False
    return True


def _is_plain(name: str) -> bool:
    """Whether a name means the same on every machine, and its seconds are those of UTC."""
    first = name.partition("/")[0]
    return name.isascii() and first not in ("localtime", "posixrules", "Factory", "posix", "right")


def _instead(name: object) -> str:
    from zoneinfo import available_timezones

    known = sorted(filter(_is_plain, available_timezones()))
    if not known:
        return "pip install tzdata: this machine has no tz database"
    near = _near(name, known) if isinstance(name, str) else []
    written = " or ".join(f'dp.Zone("{each}")' for each in near or ("Europe/Berlin", "UTC"))
    return f"write {written}; zoneinfo.available_timezones() lists all"


def _near(name: str, known: list[str]) -> list[str]:
    """Names like one that is none: of the same place, else written alike."""
    low = {each.lower(): each for each in known}
    wanted = name.strip().lower().replace(" ", "_")
    placed = [each for key, each in low.items() if wanted and wanted in key.split("/")]
    return placed[:3] or [low[each] for each in get_close_matches(wanted, low, 3)]
