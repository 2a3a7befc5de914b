"""What the rows of a person add up to, on Spark: the same doubles and integers as on DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import test_engine_partial_sums as partial_sums

path = partial_sums.path


@pytest.mark.parametrize("program", partial_sums.PROGRAMS, ids=lambda f: f.__name__)
def test_sums_of_persons_are_those_of_duckdb(program: Any, path: Path, spark: Any) -> None:
    assert program(spark.read.parquet(str(path))) == program(path)
