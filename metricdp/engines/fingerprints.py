"""Whether the rows of an engine are those that they were: a sum of hashes that the engine computes.

The order of rows, which engines do not keep, does not count.  The hash is that of `limit_rows`:
other rows have another sum but once in 2**60; it is no secret, and whoever keeps it keys it.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.row_hash import LOW
from metricdp.engines.hashes import with_hash, word
from metricdp.engines.rows import EngineRows
from metricdp.errors import InternalError


def fingerprint(engine: Any) -> tuple[int, ...]:
    """The number of rows of a table on an engine, and the sums of both halves of their hashes.

    Raises:
        EngineError: the engine failed.
    """
    if not isinstance(engine, EngineRows):
        raise InternalError(f"rows of a {type(engine).__name__}")
    source, columns = engine.source, engine.columns
    sql = source.dialect
    words = [word(sql, column.node(at), column.clean) for at, column in enumerate(columns)]
    found, h = with_hash(sql, source.rows, words)
    low = (1 << LOW) - 1
    halves = (f"({h} & {low})", low), (sql.down(h, str(LOW)), 1 << 61 - LOW)
    second, first = (sql.total(half, most) for half, most in halves)
    ((count, *sums),) = source.ask(f"SELECT count(*), {first}, {second} FROM {found}")
    return int(count), *(int(x or 0) for x in sums)
