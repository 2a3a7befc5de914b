"""Programs on files and relations: exactly what they give on the same columns in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.errors import EngineError, SchemaError, SourceError
from metricdp.run.emit import Seeded, handling

duckdb = pytest.importorskip("duckdb")


@dataclass
class Person:
    age: int
    pay: float
    city: str
    member: bool


CITIES = ["Aix", "Bonn", "St. John's", "Łódź"]


@dp.transformation
def pay_of_members(rows: dp.Records[Person]):
    return dp.sum([dp.clamp(r.pay * 1.1 + r.age / 3, 0, 100) for r in rows if r.member])


@dp.transformation
def products(rows: dp.Records[Person]):
    return dp.sum([dp.clamp(r.pay, -10, 100) * dp.clamp(r.age, 0, 90) for r in rows])


@dp.transformation
def by_city(rows: dp.Records[Person]):
    found = {}
    for city in ["Aix", "Nowhere", "Łódź", "St. John's"]:
        part = [r for r in rows if r.city == city]
        found[city] = dp.sum([dp.clamp(r.pay, 0, 70) for r in part if r.age >= 18])
    return found


@dp.transformation
def decades(rows: dp.Records[Person]):
    found = {k: 0 for k in range(0, 100, 10)}  # noqa: C420
    for r in rows:
        if r.age // 10 * 10 in found:
            found[r.age // 10 * 10] += 1
    return found


@dp.transformation
def histogram(rows: dp.Records[Person]):
    return dp.histogram([r.pay for r in rows], edges=(0.0, 0.1, 30.0, 60.0))


@dp.transformation
def shouted(rows: dp.Records[Person]):
    return dp.count([r for r in rows if r.city.upper() == "AIX" or r.city < "Aj"])


@dp.transformation
def growth(rows: dp.Records[Person]):
    return dp.sum([dp.clamp(dp.exp(r.pay / 100) + dp.log(r.pay), 0, 9) for r in rows])


@dp.transformation
def grown(rows: dp.Records[Person]):
    return dp.sum([dp.clamp(dp.floor(r.pay) + r.age, 0, 9) for r in rows])


PROGRAMS = [pay_of_members, products, by_city, decades, histogram, shouted, growth]


def people(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    pay = rng.normal(40, 30, n)
    pay[:6] = [np.nan, np.inf, -np.inf, -0.0, 1e300, 5e-324]
    return {
        "age": rng.integers(-5, 110, n),
        "pay": pay,
        "city": np.array(CITIES, object)[rng.integers(0, len(CITIES), n)],
        "member": rng.random(n) < 0.7,
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder, columns = tmp_path_factory.mktemp("people"), people(2000)
    connection = duckdb.connect()
    connection.register("people", columns)
    for ending in ("parquet", "csv"):
        connection.execute(f"COPY (FROM people) TO '{folder / f'people.{ending}'}'")
    return folder, columns


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_numbers_come_out(program: Any, files: tuple[Path, dict[str, Any]]) -> None:
    folder, columns = files
    wanted = program(columns)
    path = folder / "people.parquet"
    assert program(path) == wanted
    assert program(str(folder / "people.csv")) == wanted
    assert program(duckdb.read_parquet(str(path))) == wanted
    assert program(dp.table(path, collect=True)) == wanted


def test_what_has_no_form_is_refused_and_runs_when_it_is_collected(
    files: tuple[Path, dict[str, Any]],
) -> None:
    folder, columns = files
    path = folder / "people.parquet"
    with pytest.raises(EngineError, match=r"whole numbers that have no bound: no form on DuckDB"):
        grown(path)
    assert grown(dp.table(path, collect=True)) == grown(columns)


@dp.transformation
def large_logs(rows: dp.Records[Person]):
    return dp.count([r for r in rows if math.log(r.age + 20) > 4])


@dp.transformation
def logs(rows: dp.Records[Person]):
    return dp.sum([dp.clamp(math.log(r.age + 20), 0, 5) for r in rows])


def test_logarithms_are_added_up_and_decide_nothing(
    files: tuple[Path, dict[str, Any]],
) -> None:
    folder, columns = files
    assert logs(folder / "people.parquet") == logs(columns)
    with pytest.raises(EngineError, match="elementary functions in a condition"):
        large_logs(folder / "people.parquet")


def test_missing_values_and_columns_are_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "gaps.parquet"
    duckdb.sql(
        "SELECT * FROM (VALUES (1, 2.5e0, 'x', true), (NULL, NULL, 'y', false)) "
        "t(age, pay, city, member)"
    ).write_parquet(str(path))
    with pytest.raises(SchemaError, match=r"rows\.age: a missing value"):
        decades(path)
    duckdb.sql("SELECT 1 AS age").write_parquet(str(path))
    with pytest.raises(SchemaError, match="no column pay"):
        decades(path)
    duckdb.sql("SELECT 'x' AS age, 1.5e0 AS pay, 'x' AS city, true AS member").write_parquet(
        str(path)
    )
    with pytest.raises(SchemaError, match=r"rows\.age: a column of VARCHAR where int is needed"):
        decades(path)


def test_a_file_that_changed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("age,pay,city,member\n1,2,Aix,true\n")
    opened = dp.table(path)
    assert decades(opened)[0] == 1
    path.write_text("age,pay,city,member\n1,2,Aix,true\n2,2,Aix,true\n")
    with pytest.raises(EngineError, match="changed since it was opened"):
        decades(opened)
    with pytest.raises(EngineError, match="no such file"):
        dp.table(tmp_path / "none.parquet")
    for name in ("two.csv", "two.parquet"):
        copy = tmp_path / name
        duckdb.sql(f"COPY (FROM read_csv('{path}')) TO '{copy}'")
        opened = dp.table(copy)
        copy.unlink()
        with pytest.raises(EngineError, match="no such file"):
            decades(opened)
    with pytest.raises(SchemaError, match="a file that ends in"):
        decades(str(tmp_path))
    (tmp_path / "text.parquet").write_text("age,pay,city,member\n")
    (tmp_path / "parts.parquet").mkdir()
    for name, fact in (("text", "no Parquet file"), ("parts", "a folder, and no file")):
        with pytest.raises(EngineError, match=fact):
            decades(tmp_path / f"{name}.parquet")


@dp.measurement
def count_then_grow(rows: dp.Records[Person], epsilon: float):
    every = dp.laplace(dp.count(rows), epsilon=epsilon / 2)
    rich = dp.laplace(
        dp.count([r for r in rows if dp.floor(r.pay) + r.age > 2]), epsilon=epsilon / 2
    )
    return every, rich


def test_what_has_no_form_is_refused_before_anything_is_spent(
    files: tuple[Path, dict[str, Any]],
) -> None:
    path = files[0] / "people.parquet"
    with pytest.raises(EngineError, match="no form on DuckDB") as error:
        count_then_grow(path, epsilon=1)
    assert error.value.releases == ()
    session = dp.Session({"rows": (dp.Records[Person], path)}, budget=dp.Budget(epsilon=2))
    with pytest.raises(EngineError, match="no form on DuckDB"):
        session.run(count_then_grow, epsilon=1)
    assert session.left()["epsilon"] == 2
    assert len(session.run(count_people, epsilon=1).value) == 2
    assert session.left()["epsilon"] == 1


def test_tracked_values_of_a_file_are_those_of_memory_and_refusals_spend_nothing(
    files: tuple[Path, dict[str, Any]],
) -> None:
    """What a function of rows makes of them is asked of the engine, in the range that was proved;
    it was once computed row by row, which an engine refused after the spend."""
    path, columns = files[0] / "people.parquet", files[1]
    found = []
    for data in (path, columns):
        session = dp.Session({"rows": (dp.Records[Person], data)}, budget=dp.Budget(epsilon=9))
        pay = dp.map(lambda r: dp.clamp(r.pay, 0, 70), session["rows"])
        rest = dp.map(lambda r: r.pay - r.age, dp.filter(lambda r: r.member, session["rows"]))
        with handling(Seeded(3)):
            found.append(
                [
                    dp.laplace(dp.sum(pay), epsilon=1).value,
                    dp.laplace(dp.sum(dp.clamp(rest, -5, 5)), epsilon=1).value,
                    dp.laplace(dp.histogram(pay, edges=range(0, 80, 10)), epsilon=1).value.tolist(),
                ]
            )
        if data is path:
            grown = dp.map(lambda r: dp.clamp(np.sin(r.pay), 0, 1), session["rows"])
            for ask in (
                lambda: dp.laplace(dp.sum(grown), epsilon=1),  # noqa: B023
                lambda: session.release(count_then_grow.at(epsilon=1)),  # noqa: B023
            ):
                with pytest.raises(EngineError, match="no form on DuckDB"):
                    ask()
            assert session.left()["epsilon"] == 6
    assert found[0] == found[1]


@dp.measurement
def count_and_maybe_grow(rows: dp.Records[Person], grow: bool, epsilon: float):
    every = dp.laplace(dp.count(rows), epsilon=epsilon)
    if grow:
        rich = [r for r in rows if dp.floor(r.pay) + r.age > 2]
        every = every + dp.laplace(dp.count(rich), epsilon=epsilon)
    return every


def test_every_choice_of_public_arguments_is_gone_through(
    files: tuple[Path, dict[str, Any]],
) -> None:
    path = files[0] / "people.parquet"
    count_and_maybe_grow(path, grow=False, epsilon=1)
    with pytest.raises(EngineError, match="no form on DuckDB") as error:
        count_and_maybe_grow(path, grow=True, epsilon=1)
    assert error.value.releases == ()


@dp.measurement
def count_people(rows: dp.Records[Person], epsilon: float):
    every = dp.laplace(dp.count(rows), epsilon=epsilon / 2)
    old = dp.laplace(dp.count([r for r in rows if r.age >= 60]), epsilon=epsilon / 2)
    return every, old


def test_a_rehearsal_tells_the_run_nothing(files: tuple[Path, dict[str, Any]]) -> None:
    """Counts are remembered by tables: those of a run are not those of its rehearsal, without rows.

    Noise of scale 2 moves a count of 2,000 by more than 1,000 with probability e**-500.
    """
    folder, _ = files
    every, old = count_people(folder / "people.parquet", epsilon=1).value
    assert 1000 < every < 3000 and 100 < old < 3000


def test_a_table_prints_no_values_of_an_enumeration() -> None:
    relation = duckdb.sql("SELECT CAST('secret' AS ENUM('secret')) AS city")
    assert repr(dp.table(relation)) == "table('a relation of DuckDB', city: ENUM)"


def test_an_engine_that_was_replaced_is_noticed(
    files: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from metricdp.engines import rows

    path = files[0] / "people.parquet"
    count_people(path, epsilon=1)
    monkeypatch.setattr(rows.EngineRows, "sums", lambda *args: None)
    with pytest.raises(SourceError, match="sums"):
        count_people(path, epsilon=1)


def test_a_session_looks_at_every_value_of_a_file_once(
    files: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a file that changes meanwhile is told of before anything is spent."""
    from metricdp.engines.sources import Files

    path = files[0].parent / "people again.csv"
    path.write_bytes((files[0] / "people.csv").read_bytes())
    asked: list[str] = []
    ask = Files.ask
    monkeypatch.setattr(Files, "ask", lambda self, text: asked.append(text) or ask(self, text))
    data = {"rows": (dp.Records[Person], path)}
    session = dp.Session(data, budget=dp.Budget(epsilon=3))
    with handling(Seeded(1)):
        session.run(count_people, epsilon=1)
        assert sum("regexp_full_match" in text and "bool_or" in text for text in asked) == 1
        path.write_text("age,pay,city,member\n1,2,Aix,true\n")
        with pytest.raises(EngineError, match="changed since it was opened"):
            session.run(count_people, epsilon=1.5)
    assert session.left()["epsilon"] == 2
