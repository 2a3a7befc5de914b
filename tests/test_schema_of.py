"""`dp.schema_of`: names and types of tables of every source, and no value of any."""

from __future__ import annotations

import runpy
import sys
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import metricdp as dp
from metricdp.answers.schema import columns_of
from metricdp.apps.cli import main
from metricdp.errors import ParameterError, SchemaError
from metricdp.spaces import Owned, space_of

CSV = """person,ward,minutes,late,day,seen,code,note,first_name
secret-ann,1,2.5,true,2024-01-01,2024-01-01 08:00,007,,x
secret-ben,-2,3,FALSE,2024-02-29,2024-01-02T09:30:15.5,12,,y
,3,1e5,true,2023-12-31,2024-01-03 00:00:00,99,,z
"""


def test_a_text_file_is_a_row_that_a_checked_function_takes(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(CSV, encoding="utf-8")
    text = dp.schema_of(path, "Visit")
    assert text == (
        "from dataclasses import dataclass\nfrom datetime import date, datetime\n\n\n"
        "@dataclass\nclass Visit:\n    person: str | None\n    ward: int\n    minutes: float\n"
        "    late: bool\n    day: date\n    seen: datetime\n    code: str\n    note: str | None\n"
        "    first_name: str\n"
    )
    names: dict[str, Any] = {}
    exec(compile(text.replace("person: str | None", "person: str"), "row.py", "exec"), names)
    sys.modules.setdefault("row_of_schema", SimpleNamespace(**names))  # type: ignore[arg-type]
    assert isinstance(space_of(dp.Records[names["Visit"], dp.Ids("person")]), Owned)


def test_no_value_of_any_source_is_shown() -> None:
    frame = pd.DataFrame({
        "person": ["secret-ann", None], "plan": pd.Categorical(["secret-plan", None]),
        "n": [1, 2], "gaps": pd.array([1, None], "Int64"), "x": [1.5, None],
        "ok": [True, False], "day": pd.to_datetime(["2024-01-01", None]),
        "zone": pd.to_datetime(["2024-01-01", "2024-01-02"]).tz_localize("Europe/Paris"),
        "things": [date(2024, 1, 1), "secret"],
    })  # fmt: skip
    text = dp.schema_of(frame)
    assert "secret" not in text and "2024" not in text
    assert text.splitlines()[9:] == [
        "    person: str | None", "    plan: str | None", "    n: int", "    gaps: int | None",
        "    x: float", "    ok: bool", "    day: datetime | None",
        '    zone: Annotated[datetime, dp.Zone("Europe/Paris")] | None',
        "    things: str | None",
    ]  # fmt: skip


def test_names_that_are_no_names_of_python(tmp_path: Path) -> None:
    path = tmp_path / "trips.csv"
    path.write_text('trip id,class,ä,it\'s "x"\n1,2,3,a\n', encoding="utf-8")
    text = dp.schema_of(path, "Trip")
    assert text == (
        'from typing import TypedDict\n\nTrip = TypedDict(\n    "Trip",\n    {\n'
        '        "trip id": int,\n        "class": int,\n        "\\xe4": int,\n'
        "        'it\\'s \"x\"': str,\n    },\n)\n"
    )
    names: dict[str, Any] = {}
    exec(text, names)
    row = space_of(dp.Records[names["Trip"], dp.Ids("trip id")])
    assert isinstance(row, Owned)
    program = tmp_path / "program.py"
    program.write_text(
        f"import metricdp as dp\n{text}\n@dp.measurement\ndef many(rows: dp.Records[Trip]):\n"
        '    n = sum(1 for r in rows if r["ä"] == 3 and r["class"] > 1)\n'
        "    return dp.laplace(n, epsilon=99)\n",
        encoding="utf-8",
    )
    many = runpy.run_path(str(program))["many"]
    assert "by at most a factor e" in str(many.guarantee)
    assert round(many(path).value) == 1


def test_types_of_other_libraries_are_known_by_their_names() -> None:
    """What libraries print of their types; those of DuckDB's enumerations list values."""
    told = {
        "BIGINT": "int", "UTINYINT": "int", "HUGEINT": "int", "DOUBLE": "float", "FLOAT": "float",
        "VARCHAR": "str", "ENUM('secret', 'x')": "str", "BOOLEAN": "bool", "DATE": "date",
        "TIMESTAMP": "datetime", "TIMESTAMP_NS": "datetime", "TIMESTAMP WITH TIME ZONE": "",
        "DECIMAL(18,3)": "float", "DECIMAL(38,0)": "int",
        "INTEGER[]": "", "STRUCT(a ENUM('secret'))": "", "TIME": "",
        "ENUM('secret')[]": "str", "BLOB": "",
        "int8": "int", "large_string": "str", "string_view": "str", "halffloat": "float",
        "date32[day]": "date", "timestamp[us]": "datetime", "timestamp[us, tz=UTC]": "datetime",
        "timestamp[us, tz=+01:00]": "", "timestamp": "",
        "duration[ns]": "timedelta", "list<item: string>": "", "decimal128(10, 2)": "float",
        "String": "str", "UInt32": "int", "Float64": "float", "Categorical": "str",
        "Datetime(time_unit='us', time_zone=None)": "datetime", "List(String)": "",
        "Datetime(time_unit='us', time_zone='Asia/Tokyo')": "datetime", "Duration(time_unit='us')":
        "timedelta", "Decimal(precision=10, scale=2)": "float",
        "Enum(categories=['secret'])": "str",
    }  # fmt: skip
    names = [f"c{at}" for at in range(len(told))]
    source = SimpleNamespace(columns=names, types=list(told))
    found = {c.name: c.kind for c in columns_of(source)}
    expected = dict(zip(names, told.values(), strict=True))
    expected[names[list(told).index("ENUM('secret')[]")]] = ""
    assert found == expected
    assert "secret" not in dp.schema_of(source)


def test_duckdb_and_arrays() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql(
        "SELECT 1::INTEGER AS n, 'secret'::VARCHAR AS who, 2.5::DECIMAL(9,2) AS p"
    )
    for source in (relation, dp.table(relation)):
        text = dp.schema_of(source)
        assert "    n: int | None\n    who: str | None\n    p: float | None" in text
        assert "secret" not in text
    at = np.array([datetime(2024, 1, 1)], "M8[us]")
    arrays = {"n": np.array([1]), "who": np.array(["secret"]), "at": at}
    assert dp.schema_of(arrays).endswith("    n: int\n    who: str\n    at: datetime | None\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [("", "line of names"), ("a,b\n1,2,3\n", "more cells"), (b"a\n\xff\xfe\n", "UTF-8")],
)
def test_files_that_are_no_tables(content: Any, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SchemaError, match=says):
        dp.schema_of(path)


def test_what_is_no_table_and_no_name() -> None:
    for source, error in (([1, 2], SchemaError), ("no-such.csv", ParameterError)):
        with pytest.raises(error):
            dp.schema_of(source)
    with pytest.raises(ParameterError):
        dp.schema_of({"n": np.array([1])}, "a b")
    with pytest.raises(SchemaError, match="one name"):
        dp.schema_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "visits.tsv"
    path.write_text("person\tn\nsecret\t1\n", encoding="utf-8")
    assert main(["schema", str(path), "--name", "Visit"]) == 0
    assert capsys.readouterr().out.endswith("class Visit:\n    person: str\n    n: int\n")
    assert main(["schema", str(tmp_path / "none.csv")]) == 1
    assert "no such file" in capsys.readouterr().out
