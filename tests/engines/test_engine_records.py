"""What records say of themselves in the columnar language, on DuckDB; rows wherever they lie."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

duckdb = pytest.importorskip("duckdb")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from column_graphs import RAW, grown  # noqa: E402
from engine_tables import Both, random_rows  # noqa: E402
from test_columns_records import ALL, COLUMNAR, base_of, called, rows  # noqa: E402

from metricdp.columns.language import Node, constant, entry, stack  # noqa: E402
from metricdp.engines import elementary  # noqa: E402
from metricdp.run.pins import pinned  # noqa: E402
from metricdp.spaces import Scalar, Vector  # noqa: E402

#: Instances of each record that are tried.
INSTANCES = 2


def entries(node: Node) -> list[Node]:
    return [node] if node.width is None else [entry(node, at) for at in range(node.width)]


def columns_of(name: str, space: Any, cells: list[Any]) -> dict[str, Any]:
    """The columns of an argument: one for each entry of a vector."""
    if isinstance(space, Vector):
        return {f"{name}_{at}": ("double", list(map(float, x)), None)
                for at, x in enumerate(zip(*cells, strict=True))}  # fmt: skip
    return {name: (base_of(space), cells, None)}


def _held(x: Any) -> bool:
    return not isinstance(x, int) or -(2**63) <= x < 2**63


def test_instances_of_every_record() -> None:
    met: Counter[str] = Counter()
    for record in COLUMNAR:
        most = 1 if record.name in elementary.NAMES else INSTANCES
        for instance in list(record.instances())[:most]:
            private: dict[str, Any] = dict(instance.private)
            if not all(isinstance(space, Scalar | Vector) for space in private.values()):
                continue
            if any(isinstance(s, Vector) and base_of(s) != "double" for s in private.values()):
                continue
            held = [row for row in rows(record, instance) if all(map(_held, row.values()))]
            data: dict[str, Any] = {}
            for name, space in private.items():
                data |= columns_of(name, space, [row[name] for row in held])
            table = Both(data)
            leaves = dict(zip(data, table.leaves, strict=True))
            given = {
                name: stack([leaf for each, leaf in leaves.items() if each.startswith(f"{name}_")])
                if isinstance(space, Vector)
                else leaves[name]
                for name, space in private.items()
            }
            found = constant(called(pinned(record).columnar, {**given, **instance.public}))
            formed = table.formed(entries(found))
            assert table.differences(formed) == []
            met[record.name] += len(formed)
    # Whole numbers of doubles that have no bound are met where one is known.
    unbounded = {"ceil", "floor", "round", "trunc"}
    refused = unbounded | {"len"} | (elementary.NAMES - elementary.QUICK)
    assert {record.name for record in COLUMNAR if not met[record.name]} <= refused
    assert len(ALL) > len(COLUMNAR) > 30


def test_rows_are_the_same_wherever_they_lie(tmp_path: Path) -> None:
    """In another order, in many row groups, in several files, by one thread and by two."""
    random = Random(8)
    table = random_rows(random, 2500)
    nodes = table.formed(grown(random, table.leaves, 40))
    nodes = [node for node in nodes if node.operator not in ("by_value", "text")][-25:]
    expected = table.values(nodes)
    connection = table.source.connection
    for order, size in (("place", 2048), ("hash(place)", 2048), ("place DESC", 2048)):
        for part in (0, 1):
            where = f"hash(place) % 2 = {part}"
            connection.execute(
                f"COPY (SELECT * FROM engine_rows WHERE {where} ORDER BY {order}) "
                f"TO '{tmp_path}/{part}.parquet' (ROW_GROUP_SIZE {size})"
            )
        for threads in (1, 2):
            connection.execute(f"SET threads = {threads}")
            table.source.rows = f"read_parquet('{tmp_path}/*.parquet')"
            try:
                assert table.values(nodes) == expected
            finally:
                table.source.rows = "engine_rows"
                connection.execute("SET threads = 1")
    assert any(x != x or x in RAW for line in expected for x in line if isinstance(x, float))
