"""How files and relations are read: no row decides how others are."""

from __future__ import annotations

import gc
import gzip
import os
import shutil
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import pytest

import metricdp as dp
from metricdp.engines.sources import Files
from metricdp.errors import EngineError, SchemaError

duckdb = pytest.importorskip("duckdb")


@dataclass
class Place:
    city: str
    tag: str


@dp.transformation
def of_aix(rows: dp.Records[Place]):
    return dp.count([r for r in rows if r.city == "Aix"]), dp.count(rows)


@pytest.mark.parametrize(
    ("rows", "more", "counts"),
    [
        ("'Aix',x\n" * 30, '"Aix",y\n', (1, 31)),  # a quote, after which others were not quotes
        ("#Aix,x\n" * 30 + "Aix,x\n" * 30, "# left out\n", None),  # no line is a comment
        ('"Aix",x\n' * 30, "'Aix, near',y\n", None),
        ('"Aix",x\n' * 30, '"A\\"ix",x\n', None),  # no \ is an escape
        ("Aix,x\n" * 30, "Aix\n", None),
        ("Aix,x\n" * 30, '"Aix,x\n', None),
        ("A;b,x\n" * 30, "A;b,x;\n", (0, 31)),
    ],
)
def test_one_row_does_not_decide_how_others_are_read(
    rows: str, more: str, counts: tuple[int, int] | None, tmp_path: Path
) -> None:
    """One row more moved a count by 30, of which 1 was proved: DuckDB looked at rows to find out
    how they are written."""
    path = tmp_path / "places.csv"
    path.write_text("city,tag\n" + rows)
    before = of_aix(path)
    path.write_text("city,tag\n" + rows + more)
    if counts is None:
        with pytest.raises(EngineError, match="DuckDB failed"):
            of_aix(path)
        return
    assert of_aix(path) == counts
    assert all(abs(a - b) <= 1 for a, b in zip(of_aix(path), before, strict=True))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "no header"),
        ("\ncity,tag\n", "no header"),
        ("city,City\n", "two columns City"),
        ("city,\n", "a column without a name"),
        ("city,tag;x\n", "a header that can be read in several ways"),
        ('"city,tag\n', "a header that cannot be read"),
    ],
)
def test_headers_that_mean_several_things(text: str, match: str, tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text(text)
    with pytest.raises(EngineError, match=match):
        of_aix(path)


def test_headers_say_what_stands_between_cells(tmp_path: Path) -> None:
    for between in ",;\t|":
        text = f'\ufefftag{between}"city"\r\nx{between}Aix\r\ny{between}"{between}"\r\n'
        (tmp_path / "places.csv").write_bytes(text.encode())
        (tmp_path / "places.csv.gz").write_bytes(gzip.compress(text.encode()))
        assert of_aix(tmp_path / "places.csv") == of_aix(tmp_path / "places.csv.gz") == (1, 2)


def places(path: Path, rows: str) -> None:
    duckdb.sql(f"SELECT 'Aix' AS city, 'x' AS tag FROM range(5) UNION ALL {rows}").write_parquet(
        str(path)
    )


def test_no_file_is_read_in_place_of_another_or_twice(tmp_path: Path) -> None:
    """`part-[12].parquet` is a pattern for DuckDB, which read part-1 in its place: twice."""
    places(tmp_path / "part-1.parquet", "SELECT 'Bonn', 'x'")
    places(tmp_path / "part-[12].parquet", "SELECT 'Bonn', 'x'")
    for path in (tmp_path / "part-*.parquet", tmp_path / "part-[[]12].parquet"):
        with pytest.raises(EngineError, match="a name that is a pattern of names"):
            of_aix(path)
    (tmp_path / "part-[12].parquet").unlink()
    (tmp_path / "part-new.parquet").symlink_to(tmp_path / "part-1.parquet")
    with pytest.raises(EngineError, match="a second name of a file"):
        of_aix(tmp_path / "part-*.parquet")


def test_columns_are_those_of_the_files(tmp_path: Path) -> None:
    """A folder `city=Bonn` is no column: it took the place of the file's own."""
    folder = tmp_path / "city=Bonn"
    folder.mkdir()
    places(folder / "one.parquet", "SELECT 'Bonn', 'x'")
    assert of_aix(folder / "one.parquet") == (5, 6)
    (folder / "one.csv").write_text("city,tag\nAix,x\n")
    assert of_aix(folder / "one.csv") == (1, 1)
    (folder / "two.csv").write_text("tag,city\nx,Aix\n")
    duckdb.sql("SELECT 'Aix' AS city, 1 AS tag").write_parquet(str(folder / "two.parquet"))
    for ending in ("csv", "parquet"):
        with pytest.raises(EngineError, match=r"not (that|those) of the first file"):
            of_aix(folder / f"*.{ending}")
    with pytest.raises(EngineError, match="two columns CITY"):
        of_aix(duckdb.sql("SELECT 'Aix' AS city, 'x' AS tag, 'Bonn' AS CITY"))


@dataclass
class Seen:
    n: int | None
    day: date | None
    at: datetime | None
    share: float
    note: str | None


@dp.transformation
def there(rows: dp.Records[Seen]):
    days = dp.count([r for r in rows if r.day is not None])
    times = dp.count([r for r in rows if r.at is not None])
    return dp.count([r for r in rows if r.n is not None]), days, times


@pytest.mark.parametrize("kind", ["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"])
def test_what_is_missing_is_not_there(kind: str) -> None:
    """A number, date or time that was missing was one below all others."""
    most = "340282366920938463463374607431768211455" if kind == "UHUGEINT" else "5"
    relation = duckdb.sql(
        f"SELECT NULL::{kind} AS n, NULL::DATE AS day, NULL::TIMESTAMP AS at, 1e0 AS share, '' AS "
        f"note UNION ALL SELECT {most}::{kind}, DATE '2020-01-01', TIMESTAMP '2020-01-01', 1, ''"
    )
    assert there(relation) == there(dp.table(relation, collect=True)) == (1, 1, 1)


def test_whole_numbers_of_text_files_beyond_all_types(tmp_path: Path) -> None:
    """1 and 60 zeros was the least number there is."""
    path = tmp_path / "seen.csv"
    path.write_text(f"n,day,at,share,note\n1{60 * '0'},,,1,\n")
    with pytest.raises(SchemaError, match=r"rows\.n: a cell that is none of the declared kind"):
        there(path)


@dp.measurement
def count_then_more(rows: dp.Records[Seen], epsilon: float):
    every = dp.laplace(dp.count(rows), epsilon=epsilon)
    shares = dp.laplace(dp.sum([dp.clamp(r.share, 0, 1) for r in rows]), epsilon=epsilon)
    noted = [r for r in rows if r.note is not None and r.note == "x"]
    return every, shares, dp.laplace(dp.count(noted), epsilon=epsilon)


def test_what_fails_where_it_is_read_fails_before_noise_is_drawn(tmp_path: Path) -> None:
    """One row's value, and a release before the error said whether it is there."""
    duckdb.sql("CREATE OR REPLACE TABLE secrets AS SELECT 'secret' AS v FROM range(3)")
    sources: list[object] = [
        duckdb.sql(
            f"SELECT 1 AS n, NULL::DATE AS day, NULL::TIMESTAMP AS at, {share} AS share, "
            f"{note} AS note FROM secrets"
        )
        for share, note in (("v::DOUBLE", "v"), ("1e0", "(v::INT)::VARCHAR"))
    ]
    late, broken = tmp_path / "late.csv", tmp_path / "broken.parquet"
    late.write_bytes(b"n,day,at,share,note\n" + b"1,,,1,a\n" * 30000 + b"1,,,1,\xe9\n")
    duckdb.sql(
        "SELECT 1 AS n, NULL::DATE AS day, NULL::TIMESTAMP AS at, 1e0 AS share, "
        "'zqzqzqzq' || i AS note FROM range(9) t(i)"
    ).write_parquet(str(broken), compression="uncompressed")
    broken.write_bytes(broken.read_bytes().replace(b"zqzqzqzq", b"zq\xff\xfeqzqz"))
    for source in (*sources, late, broken):
        with pytest.raises(EngineError, match="DuckDB failed") as error:
            count_then_more(source, epsilon=1)
        assert error.value.releases == ()


@dataclass
class Numbered:
    n: int


@dp.transformation
def both_cities(rows: dp.Records[Place]):
    return dp.count([r for r in rows if r.city == "Aix"]), dp.count(
        [r for r in rows if r.city == "Bonn"]
    )


@dp.transformation
def numbers(rows: dp.Records[Numbered]):
    return dp.count(rows)


def test_a_relation_that_has_other_rows_each_time_is_copied_once() -> None:
    """A person in two parts that share nobody would be counted in both, and paid for once."""
    query = "SELECT CASE WHEN random() < 0.5 THEN 'Aix' ELSE 'Bonn' END AS city, 'x' AS tag"
    for _ in range(5):
        assert sum(both_cities(duckdb.sql(f"{query} FROM range(1000)"))) == 1000


def test_what_is_written_to_an_open_relation_is_not_seen() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 'Aix' AS city, 'x' AS tag, 1 AS n FROM range(7)")
    opened = dp.table(connection.table("t"))
    assert both_cities(opened) == (7, 0)
    connection.execute("INSERT INTO t VALUES ('Bonn', 'y', 2)")
    assert both_cities(opened) == (7, 0)
    assert both_cities(dp.table(connection.table("t"))) == (7, 1)
    with pytest.raises(EngineError, match="no column n among those that were copied"):
        numbers(opened)
    copies = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'metricdp%'"
    assert connection.sql(copies).fetchall() == [(1,)]
    del opened
    assert connection.sql(copies).fetchall() == [(0,)]


def test_what_does_not_fit_into_memory_lies_where_nobody_else_reads_it_and_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB alone writes it into the working directory, for everybody to read."""
    monkeypatch.chdir(tmp_path)
    duckdb.sql("SELECT range AS x FROM range(10)").write_parquet("t.parquet")
    source = Files("t.parquet")
    source.ask("SET memory_limit = '10MB'")
    try:
        hashes = "hash(range) AS x, hash(range + 1) AS y FROM range(1000000)"
        kept = source.kept(f"SELECT {hashes}", ["x", "y"])
        ((folder,),) = source.ask("SELECT current_setting('temp_directory')")
        assert any("storage" in name for name in os.listdir(folder))
        assert os.stat(folder).st_mode & 0o777 == 0o700
        del kept
        gc.collect()
        assert not any("storage" in name for name in os.listdir(folder))
    finally:
        source.ask("RESET memory_limit")
    # Without the folder DuckDB would make one that others may read.
    shutil.rmtree(folder)
    ((other,),) = Files("t.parquet").ask("SELECT current_setting('temp_directory')")
    assert other != folder and os.stat(other).st_mode & 0o777 == 0o700
    assert os.listdir() == ["t.parquet"]


def test_a_list_of_paths_is_one_table_of_all_files(tmp_path: Path) -> None:
    """A file that is named twice would count everybody twice; texts in a list are no paths."""
    names = [str(tmp_path / f"part{i}.parquet") for i in range(3)]
    for i, name in enumerate(names):
        duckdb.sql(f"COPY (SELECT {i} AS x FROM range({i + 1})) TO '{name}' (FORMAT parquet)")
    duckdb.sql(f"COPY (SELECT 5 AS x) TO '{tmp_path / 'other.csv'}'")
    opened = dp.table([names[0], str(tmp_path / "part[12].parquet")])
    assert opened.source.ask(f"SELECT count(*), sum(x) FROM {opened.source.rows}") == [(6, 8)]
    for wrong, says in (
        ([*names, names[0]], "a second name"), ([names[0], tmp_path / "*.parquet"], "second"),
        ([names[0], tmp_path / "other.csv"], "another kind"), ([names[0], "no.parquet"], "no such"),
    ):  # fmt: skip
        with pytest.raises(EngineError, match=says):
            dp.table(wrong)
    for nothing in ([], [names[0], 3]):
        with pytest.raises(SchemaError, match="no table"):
            dp.table(nothing)
