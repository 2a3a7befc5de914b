"""Random programs, compiled from their checked trees, compute what plain Python computes.

Seeds are fixed, so there are no false alarms.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from checked_modules import load
from depth import depth
from random_programs import COUNT, Generator, evaluate, pairs

import metricdp as dp

PAIRS = 6


def test_random_programs_run_as_python_runs_them(tmp_path: Path) -> None:
    ran = 0
    for seed in range(2000, depth(2040, 2080)):
        generator = Generator(seed)
        source = generator.program()
        module: Any = load(tmp_path, source, "")
        rng = Random(f"runs {seed}")
        for _ in range(PAIRS):
            values, _, _ = pairs(generator.inputs, rng)
            try:
                found = module.f(**_given(values), **_sizes(source))
            except dp.errors.NotProvedError:
                break
            assert found == evaluate(source, values), (seed, source, values)
            ran += 1
    assert ran > 100


def _sizes(source: str) -> dict[str, int]:
    """The public number of rounds that some programs take."""
    return {"c": COUNT} if "c: int" in source else {}


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, list) else v for k, v in values.items()}
