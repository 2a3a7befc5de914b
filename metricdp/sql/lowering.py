"""From a query to the programs that it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.errors import SqlError
from metricdp.sql.plan import Lowered, Options


def lowered(text: str, spaces: Mapping[str, Any], options: Options) -> Lowered:
    """The programs of a query; nothing is checked, run or charged.

    Args:
        spaces: table -> its space.

    Raises:
        MissingExtraError: sqlglot is not installed.
        SqlError: a clause that is not understood, or that privacy gives no meaning.
        SpaceError: a table of another kind.
        ParameterError: an option that means nothing.
    """
    from metricdp.sql.parsed import parsed

    query = parsed(text, options.dialect)
    from metricdp.sql.reading import read

    try:
        return read(query, spaces, options)
    except RecursionError:
        fact = "parts that are nested too deeply"
        raise SqlError(fact, text, remedy="shorter expressions") from None
