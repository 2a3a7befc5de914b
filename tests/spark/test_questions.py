"""The programs of `docs/ten-questions.md` on data frames of Spark: what they give on rows here."""

from __future__ import annotations

from typing import Any

import pytest
from questions import sample

import metricdp as dp


@pytest.fixture(scope="module")
def frames(spark: Any) -> dict[str, Any]:
    return {
        name: spark.createDataFrame(sample.rows()[name], schema)
        for name, schema in sample.SCHEMAS.items()
    }


@pytest.mark.parametrize("name", sample.CALLS)
def test_the_same_answers(name: str, frames: dict[str, Any]) -> None:
    program = getattr(sample.programs(), name)
    tables, public, _ = sample.CALLS[name]
    assert not program.explain(**public).asked[1].refused
    found = []
    for each in (
        [sample.in_memory(table) for table in tables],
        [dp.table(frames[table]) for table in tables],
    ):
        with dp.handling(dp.Seeded(5)):
            value = program(*each, **public).value
        found.append(value.tolist() if hasattr(value, "tolist") else value)
    assert found[0] == found[1] != {}
