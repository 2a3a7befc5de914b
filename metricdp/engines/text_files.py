"""CSV files: which columns they have, and how their lines are read, from their headers alone.

An engine that is left to find out how a file is written looks at the rows: one row with a quote, or
a line that begins with #, and all other rows are read in another way.  What decides here is the
ending of a file's name and its first line, and whatever does not fit is an error.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Sequence
from typing import IO, Final

from metricdp.engines.duckdb_sql import DuckDB
from metricdp.errors import EngineError

#: What may stand between the cells of a file.
_BETWEEN: Final = ",;\t|"
#: The engine finds out nothing by itself.
_FIXED: Final = (
    "auto_detect = false, header = true, quote = '\"', escape = '\"', comment = '', skip = 0, "
    "nullstr = '', strict_mode = true, null_padding = false, ignore_errors = false, "
    "encoding = 'utf-8', hive_partitioning = false, union_by_name = false"
)


def options(paths: Sequence[str]) -> str:
    """How the engine reads some files: what stands behind their names in `read_csv`.

    Args:
        paths: of files whose headers are the same.

    Raises:
        EngineError: a header that cannot be read, or not in one way; headers that differ.
    """
    first, *others = (_header(path) for path in paths)
    for path, other in zip(paths[1:], others, strict=True):
        if other != first:
            raise EngineError(
                "a header that is not that of the first file",
                place=path,
                remedy="give all files the same columns, in the same order",
            )
    between, names = first
    columns = ", ".join(f"{DuckDB().quoted(name)}: 'VARCHAR'" for name in names)
    return f"columns = {{{columns}}}, delim = '{between}', {_FIXED}"


def _header(path: str) -> tuple[str, list[str]]:
    """What stands between the cells of a file, and the names of its columns."""
    try:
        with _bytes(path) as file:
            # What follows is rows, of which nothing decides here.
            line = file.readline().split(b"\r")[0].decode("utf-8-sig")
        outside = re.sub('"(?:[^"]|"")*"', "", line)
        kinds = [each for each in _BETWEEN if each in outside] or [","]
        if path.lower().endswith(".tsv"):
            kinds = ["\t"]
        names = next(csv.reader([line], delimiter=kinds[0], strict=True), [])
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error):
        unreadable = True
    else:
        unreadable = False
    if unreadable:
        raise EngineError(
            "a header that cannot be read", place=path,
            remedy="write the file anew, in UTF-8, with one line of names first",
        )  # fmt: skip
    if not any(name.strip() for name in names):
        raise EngineError(
            "no header", place=path, remedy="write the names of the columns in the first line"
        )
    if len(kinds) > 1:
        raise EngineError(
            "a header that can be read in several ways", place=path,
            remedy="leave commas, semicolons, tabs and | out of names, or put names in quotes",
        )  # fmt: skip
    told_apart(path, names)
    return kinds[0], names


def _bytes(path: str) -> IO[bytes]:
    return gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb")  # type: ignore[return-value]


def told_apart(place: str, names: Sequence[str]) -> None:
    """Raises:
    EngineError: names of columns that an engine, which reads capitals as small letters, holds to
        be the same; or a column without a name.
    """
    known = set()
    for name in names:
        if not name or name.lower() in known:
            raise EngineError(
                f"two columns {name}" if name else "a column without a name", place=place,
                remedy="give every column a name of its own, capitals apart",
            )  # fmt: skip
        known.add(name.lower())
