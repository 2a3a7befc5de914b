"""`docs/data.md` is executed, and every row of its tables is tried."""

from __future__ import annotations

import datetime
import doctest
import math
import re
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypedDict

import numpy as np
import pytest

from metricdp.errors import DataValueError, SchemaError
from metricdp.run.guards import admit
from metricdp.spaces import Bounds, NoNaN, Records, space_of

pandas = pytest.importorskip("pandas")

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")


class Row(TypedDict):
    days: float
    town: str


KINDS: dict[str, Any] = {"float": float, "int": int, "str": str, "Row": Row}


def rows_of(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, cell by cell."""
    part = PAGE.partition(f"\n## {heading}")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    cells = [re.split(r" \| (?=`|[a-zA-Z0-9])", line.strip("| ")) for line in lines]
    assert cells
    return cells


def value(expression: str) -> Any:
    """What an expression of the page gives; skips where its library is not installed."""
    names = {
        "np": np, "pd": pandas, "datetime": datetime, "Decimal": Decimal,
        "SimpleNamespace": SimpleNamespace,
    }  # fmt: skip
    for short, library in (("pl", "polars"), ("pa", "pyarrow")):
        if f"{short}." in expression:
            names[short] = pytest.importorskip(library)
    return eval(expression.strip("`"), names)


def admitted(kind: Any, data: Any, **keywords: Any) -> list[Any]:
    return list(admit("x", space_of(Records[kind], "x"), data, **keywords))


COLUMNS, ROWS = rows_of("Columns"), rows_of("Rows")
REFUSED = rows_of("Refused by name")


def test_the_page_is_executed() -> None:
    text = "\n".join("" if line.startswith("```") else line for line in PAGE.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "data.md", None, 0)
    assert len(test.examples) >= 8
    printed: list[str] = []
    doctest.DocTestRunner().run(test, out=printed.append)
    assert not printed, "".join(printed)


@pytest.mark.parametrize("row", COLUMNS, ids=lambda row: row[0])
def test_columns_are_accepted(row: list[str]) -> None:
    assert len(row) == 3 and admitted(int, value(row[1])) == [1, 2, 3]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rows_are_accepted(row: list[str]) -> None:
    wanted = [{"days": 1.5, "town": "a"}, {"days": 2, "town": "b"}]
    assert len(row) == 3 and admitted(Row, value(row[1])) == wanted


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row[0])
def test_what_is_refused_and_what_is_written_instead(row: list[str]) -> None:
    expression, where, fact, instead = row
    kind = KINDS[where.strip("`")]
    with pytest.raises(SchemaError, match=re.escape(fact)) as caught:
        admitted(kind, value(expression))
    assert caught.value.remedy
    assert admitted(kind, value(instead))


def test_values_are_enforced_as_the_page_says() -> None:
    said = [
        line.split(" | ")[0].strip("| ")
        for line in PAGE.partition("| value | becomes |")[2].partition("\n\n")[0].splitlines()[2:]
    ]
    nan, inf, largest = math.nan, math.inf, 1.7976931348623157e308
    narrow = Annotated[float, Bounds(0, 1)]
    tried: dict[str, list[tuple[Any, Any, Any]]] = {
        "NaN": [(float, nan, 0), (float | None, nan, None)],
        "an infinity, an integer beyond the largest double": [
            (float, inf, largest), (float, -inf, -largest), (float, 10**400, largest),
        ],
        "`-0.0`": [(float, -0.0, 0)],
        "a date of NumPy beyond the years 1 to 9999": [
            (datetime.date, np.datetime64(-(10**6), "D"), datetime.date.min),
            (datetime.date, np.datetime64(10**7, "D"), datetime.date.max),
        ],
        "an integer beyond 64 bits, declared `int`": [
            (int, 2**70, 2**63 - 1), (int, 2**60 + 1, 2**60 + 1),
        ],
        "a value outside of declared `Bounds`": [(narrow, 7.0, 1)],
    }  # fmt: skip
    assert said == list(tried)
    for cases in tried.values():
        for kind, given, wanted in cases:
            assert admitted(kind, [given]) == [wanted]
    dropping = Annotated[Records[float], NoNaN(drop=True)]
    assert list(admit("x", space_of(dropping, "x"), [nan, 1.0])) == [1]
    with pytest.raises(DataValueError, match="outside the guarantee"):
        admitted(narrow, [7.0], strict=True)
