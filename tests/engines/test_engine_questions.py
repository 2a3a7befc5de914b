"""Questions that a rehearsal heard are asked together: fewer queries, and the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import pytest

import metricdp as dp
from metricdp.columns import equal
from metricdp.engines import foreseen
from metricdp.errors import EngineError
from metricdp.run.emit import Seeded, handling


@dataclass
class Visit:
    person: int
    ward: str
    cost: float
    nights: int | None


def visits(count: int) -> list[Visit]:
    nights = [None, 0, 3, 7, -2]
    return [Visit(i % 11, "ABCD"[i * i % 4], i * 7 % 13 - 4.5, nights[i % 5]) for i in range(count)]


@pytest.fixture(params=[60, 0])
def both(request: Any, tmp_path: Any) -> tuple[str, list[Visit]]:
    return written(tmp_path / "visits.parquet", visits(request.param))


def written(path: Any, rows: list[Visit]) -> tuple[str, list[Visit]]:
    values = ", ".join(
        f"({r.person}, '{r.ward}', {r.cost}, {'NULL' if r.nights is None else r.nights})"
        for r in rows or visits(1)
    )
    kinds = "CAST(cost AS DOUBLE) AS cost, CAST(nights AS INT) AS nights"
    some = f"SELECT person, ward, {kinds} FROM (VALUES {values}) t(person, ward, cost, nights)"
    duckdb.sql(f"{some} WHERE {'true' if rows else 'false'}").write_parquet(str(path))
    return str(path), rows


def listened(path: str) -> tuple[Any, list[str]]:
    """A table of a file, and what will be asked about its rows besides whether they are read."""
    table, asked = dp.table(path), []
    ask = table.source.ask

    def heard(text: str) -> Any:
        if "bool_or" not in text and not text.startswith(("CREATE", "DROP")):
            asked.append(text)
        return ask(text)

    table.source.ask = heard  # type: ignore[method-assign]
    return table, asked


@dp.transformation
def several(rows: dp.Records[Visit]):
    cheap = [r for r in rows if r.cost < 2]
    long = [r for r in rows if r.nights is not None and r.nights > 2]
    costs = [dp.clamp(r.cost, -3, 6) for r in rows]
    return (
        dp.count(rows), dp.count(cheap), dp.sum([dp.clamp(r.cost, 0, 5) for r in cheap]),
        dp.count([r for r in cheap if r.ward == "A"]), dp.count(long), dp.count(long),
        dp.sum([dp.clamp(r.cost, -1, 1) for r in long]), dp.sum(costs),
        dp.sum([c * c for c in costs]),
    )  # fmt: skip


def test_questions_about_one_table_are_one_query(both: Any) -> None:
    path, rows = both
    table, queries = listened(path)
    assert several(table) == several(rows)
    assert len(queries) == 1
    assert several(table) == several(rows)
    assert len(queries) == 2  # answers are those of one run


@dp.transformation
def by_ward(rows: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_rows(rows, "person", 2)
    found = {}
    for ward in ["A", "C", "E", "A"]:
        part = [r for r in kept if r.ward == ward]
        some = [r for r in part if r.cost > 0]
        found[ward] = dp.count(part), dp.sum([dp.clamp(r.cost, 0, 5) for r in some]), dp.count(some)
    return found, dp.count(kept)


def test_constants_one_after_the_other_are_one_query(both: Any) -> None:
    path, rows = both
    table, queries = listened(path)
    assert by_ward(table) == by_ward(rows)
    assert len([text for text in queries if "GROUP BY 1 LIMIT" in text]) == 1
    assert not [text for text in queries if "'A'" in text]


def test_more_values_than_are_grouped(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal, "_MOST_VALUES", 1)
    path, rows = both
    assert by_ward(path) == by_ward(rows)


@dp.measurement
def other_ways(rows: dp.Records[Visit], eps: float):
    n = dp.laplace(dp.count(rows), epsilon=eps)
    if n > 30:
        return dp.laplace(dp.count([r for r in rows if r.cost > 1]), epsilon=eps)
    return dp.laplace(dp.sum([dp.clamp(r.cost, 0, 9) for r in rows if r.ward == "B"]), epsilon=eps)


def test_a_way_that_the_rehearsal_did_not_go(both: Any) -> None:
    path, rows = both
    found = []
    for source in (path, rows):
        with handling(Seeded(5)):
            found.append(other_ways(source, eps=3).value)
    assert found[0] == found[1]


@dp.transformation
def of_two(first: dp.Records[Visit], second: dp.Records[Visit]):
    return (
        dp.count([r for r in first if r.cost > 1]), dp.count([r for r in second if r.cost > 1]),
        dp.sum([dp.clamp(r.cost, 0, 5) for r in second]), dp.count(first),
    )  # fmt: skip


def test_answers_of_one_table_are_none_of_another(tmp_path: Any) -> None:
    one, rows = written(tmp_path / "one.parquet", visits(60))
    two, others = written(tmp_path / "two.parquet", visits(37))
    assert of_two(one, two) == of_two(rows, others)
    assert of_two(two, one) == of_two(others, rows)
    assert of_two(one, one) == of_two(rows, rows)


@dp.measurement
def how_many(rows: dp.Records[Visit], eps: float):
    return dp.laplace(dp.count(rows), epsilon=eps)


def test_answers_are_not_kept_beyond_a_run(tmp_path: Any) -> None:
    path, _ = written(tmp_path / "visits.parquet", visits(60))
    session = dp.Session({"rows": (dp.Records[Visit], path)}, budget=dp.Budget(epsilon=3))
    session.run(how_many, eps=1)
    written(tmp_path / "visits.parquet", visits(61))
    with pytest.raises(EngineError, match="changed since it was opened"):
        session.run(how_many, eps=1)


@dp.transformation
def by_keys(rows: dp.Records[Visit]):
    parts = dp.partition(rows, lambda r: r.ward, ["B", "A", "Z"])
    counts = [dp.count(part) for part in parts]
    sums = [dp.sum([dp.clamp(r.cost, 0, 5) for r in part if r.cost < 3]) for part in parts]
    return counts, sums, [dp.count([r for r in part if r.nights is None]) for part in parts]


def test_parts_are_one_query(both: Any) -> None:
    path, rows = both
    table, queries = listened(path)
    assert by_keys(table) == by_keys(rows)
    assert len(queries) == 1


def test_questions_beyond_one_query(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that do not fit beside the others are asked later, and right."""
    path, rows = both
    for most, nodes in ((2, 400), (24, 5)):
        monkeypatch.setattr(foreseen, "_MOST", most)
        monkeypatch.setattr(foreseen, "_NODES", nodes)
        assert several(path) == several(rows)
        assert by_keys(path) == by_keys(rows)


def test_questions_that_are_mixed_up_are_seen(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If conditions did not tell questions apart, the tests above would fail."""
    path, rows = written(tmp_path / "visits.parquet", visits(60))
    key = property(lambda self: (len(self.asked), self.summed))
    monkeypatch.setattr(foreseen.RowQuestion, "key", key)
    assert several(path) != several(rows)


@dp.measurement
def wards_that_are_found(visits: dp.Records[Visit, dp.Ids("person")], eps: float, delta: float):
    kept = dp.limit_groups(visits, "person", by="ward", groups=2, rows=1)
    return dp.stable_histogram([v.ward for v in kept], epsilon=eps, delta=delta)


def test_seeded_noise_of_keys_that_are_found_does_not_hang_on_the_order_of_groups(
    tmp_path: Any,
) -> None:
    """Groups come in any order from an engine; each key has its own draw all the same."""
    found = []
    for order in (1, -1):
        texts = [f"'w{ward:03}'" for ward in range(100)][::order]
        values = ", ".join(f"({i // 2}, {text}, 1.0, 1)" for i, text in enumerate(texts * 12))
        path = tmp_path / f"{order}.parquet"
        some = f"SELECT * FROM (VALUES {values}) t(person, ward, cost, nights)"
        duckdb.sql(f"SELECT * REPLACE (CAST(cost AS DOUBLE) AS cost) FROM ({some})").write_parquet(
            str(path)
        )
        with handling(Seeded(3)):
            found.append(wards_that_are_found(str(path), eps=9, delta=1e-3).value)
    assert found[0] == found[1] and len(found[0]) == 100
