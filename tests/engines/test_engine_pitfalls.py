"""What engines make of data that databases really hold: the same as Python, or an error."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import metricdp as dp

duckdb = pytest.importorskip("duckdb")


@dataclass
class Named:
    name: str


@dp.transformation
def by_name(rows: dp.Records[Named]):
    return {name: dp.count([r for r in rows if r.name == name]) for name in ["a", "A", "e", "é"]}


@dp.transformation
def lists(rows: dp.Records[Named]):
    return dp.count([r for r in rows if r.name in ("a", "é")])


@dp.transformation
def counts(rows: dp.Records[Named]):
    return dp.histogram([r.name for r in rows], categories=("a", "A", "e", "é"))


@dp.transformation
def shouted(rows: dp.Records[Named]):
    return dp.histogram([r.name.upper() for r in rows], categories=("A", "E", "É"))


@pytest.mark.parametrize(
    ("setting", "column"),
    [
        ("nocase.noaccent", "VARCHAR"),
        ("nocase", "kind"),
        ("", "VARCHAR COLLATE NOCASE.NOACCENT"),
        ("de", "VARCHAR COLLATE NOCASE"),
    ],
)
def test_texts_are_equal_where_their_characters_are(setting: str, column: str) -> None:
    """A person in two parts of disjoint filters would be counted twice, and paid for once."""
    names = ["a", "A", "A", "e", "é", "é", "é", "x"]
    connection = duckdb.connect()
    connection.execute("CREATE TYPE kind AS ENUM ('a', 'A', 'e', 'é', 'x')")
    connection.execute(f"SET default_collation = '{setting}'")
    connection.execute(f"CREATE TABLE named (name {column})")
    connection.executemany("INSERT INTO named VALUES (?)", [[name] for name in names])
    for program in (by_name, lists, counts, shouted):
        assert program(connection.table("named")) == program([Named(name) for name in names])
