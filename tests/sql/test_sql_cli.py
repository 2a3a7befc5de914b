"""`metricdp sql`."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from metricdp.apps.cli import main

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

from random_queries import rows  # noqa: E402
from test_sql_duckdb import connected  # noqa: E402

from metricdp.engines.sources import Files  # noqa: E402

QUERY = "SELECT city, COUNT(*) AS n, AVG(visits) AS mean FROM v GROUP BY city"
OPTIONS = (
    "--unit person --epsilon 1 --keys city=Aix,Bonn --bounds visits=0:20 --max-groups 2 "
    "--max-rows 3"
)
EACH = "--each-row --epsilon 1"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sql")
    connection = connected(rows(Random(2), 200))
    connection.execute(f"COPY v TO '{folder / 'v.parquet'}' (FORMAT parquet)")
    connection.execute(f"COPY v TO '{folder / 'v.csv'}' (HEADER)")
    return folder


def run(capsys: Any, query: str, files: Path, options: str, file: str = "v.parquet") -> Any:
    code = main(["sql", query, "--table", f"v={files / file}", *options.split()])
    return code, capsys.readouterr().out


def test_a_table(capsys: Any, files: Path) -> None:
    code, said = run(capsys, QUERY, files, OPTIONS)
    assert code == 0
    assert said.splitlines()[0].split() == ["city", "n", "mean"]
    assert "(2 rows; ± 95%; cost ε = 1)" in said
    assert "unit: v: all records of one person added or removed" in said
    assert "share: sum for mean: 1/3 of the budget, for each of 2 groups of a person 1/6" in said


def test_json(capsys: Any, files: Path) -> None:
    code, said = run(capsys, QUERY, files, f"{OPTIONS} --output-format json")
    found = json.loads(said)
    assert code == 0
    assert found["columns"] == ["city", "n", "mean"]
    assert [row[0] for row in found["rows"]] == ["Aix", "Bonn"]
    assert found["intervals"][0][0] is None
    assert len(found["intervals"][0][1]) == 2
    code, said = run(capsys, "SELECT SUM(x) FROM v", files, f"{EACH} --output-format json")
    assert code == 1
    assert json.loads(said)["error"]["column"] == 12


def test_show_is_a_program_that_is_proved(capsys: Any, files: Path, tmp_path: Path) -> None:
    code, said = run(capsys, QUERY, files, f"{OPTIONS} --show")
    assert code == 0
    (tmp_path / "kept.py").write_text(said, encoding="utf-8")
    assert main(["check", str(tmp_path / "kept.py")]) == 0
    assert "claims     ε = eps: proved" in capsys.readouterr().out


def test_explain_reads_nothing(capsys: Any, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Files, "ask", None)
    code, said = run(capsys, QUERY, files, f"{OPTIONS} --explain")
    assert code == 0
    assert "DuckDB is asked" in said and "Spark is asked" in said and "FROM v" in said
    assert "count for n: 1/3 of the budget" in said
    assert "   n: ± 54 (95%)" in said  # ln 20 times 18, rounded to whole numbers
    assert "at most 2 groups of each person by city, and 3 rows in each" in said
    code, said = run(capsys, QUERY, files, f"{OPTIONS} --explain --output-format json")
    found = json.loads(said)
    assert code == 0 and found["noise"].keys() == {"n"} and len(found["plans"]) == 1
    assert found["plans"][0]["asked"][0]["statements"] and "@dp.measurement" in found["programs"][0]


def test_csv_files_are_declared(capsys: Any, files: Path) -> None:
    query = "SELECT COUNT(*) AS n FROM v WHERE age > 1"
    code, said = run(capsys, query, files, "--each-row --epsilon 1", "v.csv")
    assert code == 1
    assert "its cells are private" in said
    schema = files / "v.sql"
    schema.write_text("CREATE TABLE v (person BIGINT NOT NULL, age BIGINT, visits DOUBLE);")
    options = f"--each-row --epsilon 100000 --schema {schema}"
    code, said = run(capsys, query, files, options, "v.csv")
    assert code == 0
    wanted = sum(1 for row in rows(Random(2), 200) if row.age is not None and row.age > 1)
    assert said.splitlines()[2].split()[0] == str(wanted)
    schema.write_text("CREATE TABLE v (person MAP(INT, INT))")
    code, said = run(capsys, query, files, options, "v.csv")
    assert code == 1
    assert "a column that no row holds" in said


def test_a_ledger_holds_the_whole_budget(capsys: Any, files: Path, tmp_path: Path) -> None:
    ledger = f"--each-row --ledger {tmp_path / 'l.db'} --dataset v --total-epsilon 1.5"
    assert run(capsys, "SELECT COUNT(*) FROM v", files, f"{ledger} --epsilon 1")[0] == 0
    code, said = run(capsys, "SELECT COUNT(ok) FROM v", files, f"{ledger} --epsilon 1")
    assert code == 1
    assert "0.5 is left" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--epsilon 1", "--unit COLUMN, or --each-row"),
        ("--epsilon 1 --unit person --each-row", "--unit COLUMN, or --each-row"),
        ("--epsilon 1 --each-row --ledger x", "belong together"),
        ("--epsilon 1 --each-row --bounds visits", "NAME=..."),
    ],
)
def test_wrong_usage(capsys: Any, files: Path, options: str, said: str) -> None:
    code = main(["sql", QUERY, "--table", f"v={files / 'v.parquet'}", *options.split()])
    assert code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--each-row --keys city=Aix --bounds visits=0:1", "needs epsilon or rho"),
        ("--each-row --epsilon 1 --bounds visits=0:x", "no bounds"),
        ("--unit nope --epsilon 1", "no column nope"),
        ("--each-row --epsilon 1 --keys city=@nope", "no such file of keys"),
        ("--each-row --epsilon 1 --schema nope", "no such file of declarations"),
    ],
)
def test_refused_with_a_reason(capsys: Any, files: Path, options: str, said: str) -> None:
    code, out = run(capsys, QUERY, files, options)
    assert code == 1
    assert said in out
    assert run(capsys, QUERY, files, "--each-row --epsilon 1", "nope.parquet")[0] == 1
