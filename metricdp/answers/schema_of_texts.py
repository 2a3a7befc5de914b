"""The columns of a text file, whose cells alone say what they are."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from metricdp.errors import SchemaError

#: Kinds that all cells of a column may have, the closest first; texts are what is left.
_LOOKS = {
    "bool": re.compile(r"true|false", re.IGNORECASE),
    # 007 is a code, and would lose its zeros.
    "int": re.compile(r"[+-]?(0|[1-9]\d{0,17})"),
    "float": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|[+-]?inf(inity)?", re.IGNORECASE),
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "datetime": re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"),
}
_CODE = re.compile(r"[+-]?0\d+")


def columns_of_texts(path: str, between: str) -> Iterator[tuple[str, str, bool]]:
    """Name, kind and whether some cell is empty, of every column.

    Args:
        between: what stands between cells.

    Raises:
        SchemaError: no line of names, a line with more cells than that, or no text in UTF-8.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=between)
            names = next(lines, [])
            found = _read(lines, len(names))
    except (UnicodeDecodeError, csv.Error):
        raise SchemaError(
            "a file that is no table of texts in UTF-8", remedy="save it as CSV in UTF-8"
        ) from None
    if not names:
        raise SchemaError(
            "a file without a line of names", remedy="put the names in the first line"
        )
    for name, (kinds, empty, seen) in zip(names, found, strict=True):
        kind = next((k for k in _LOOKS if k in kinds), "str") if seen else "str"
        yield name, kind, empty


def _read(lines: Iterator[list[str]], width: int) -> list[tuple[set[str], bool, bool]]:
    """Of every column the kinds that all its cells may have; whether one is empty, one is not."""
    kinds = [set(_LOOKS) for _ in range(width)]
    empty, seen = [False] * width, [False] * width
    for cells in lines:
        if len(cells) > width:
            raise SchemaError("a line with more cells than names", remedy="quote cells with commas")
        if not cells:
            continue
        for at in range(width):
            cell = cells[at].strip() if at < len(cells) else ""
            if not cell:
                empty[at] = True
                continue
            seen[at] = True
            kinds[at] -= {kind for kind in kinds[at] if not _LOOKS[kind].fullmatch(cell)}
            if _CODE.fullmatch(cell):
                kinds[at] -= {"int", "float"}
    return list(zip(kinds, empty, seen, strict=True))
