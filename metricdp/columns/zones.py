"""What the clock of a zone shows at the instants of a column.

An instant is a whole number of microseconds since 1970 in UTC, and what a clock shows one since the
same day on that clock.  What the clock shows beyond the years 1 to 9999 is the first or the last
moment of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from metricdp.spaces.moments import DAY, ends_of
from metricdp.spaces.transitions import transitions

_SECOND: Final = 10**6
_LAST_YEAR: Final = 9999
#: Rows that are made at once.
_PIECE: Final = 1 << 17
#: Instants are moved between these before anything is added: no clock is a day off UTC.
EARLIEST: Final = ends_of("datetime")[0] - DAY
LATEST: Final = ends_of("datetime")[1] + DAY


def clock(zone: str, instants: Any) -> Any:
    """What the clock of a zone shows, of an array of instants of 64 bits."""
    import numpy as np

    set_at, offsets = _table(zone)
    shown = np.empty(len(instants), np.int64)
    for start in range(0, len(shown), _PIECE):
        piece = np.clip(instants[start : start + _PIECE], EARLIEST, LATEST)
        piece += offsets[np.searchsorted(set_at, piece, side="right")]
        np.clip(piece, *ends_of("datetime"), out=shown[start : start + _PIECE])
    return shown


@cache
def _table(zone: str) -> tuple[Any, Any]:
    """When the clock is set, up to the last year, and what it adds before, between and after."""
    import numpy as np

    instants, offsets = transitions(zone).until(_LAST_YEAR + 1)
    return np.array(instants, np.int64) * _SECOND, np.array(offsets, np.int64) * _SECOND
