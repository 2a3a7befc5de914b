"""What every test shares: one set of examples for everybody, and plain terminal text."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine: a red run can be repeated, a green run is not luck.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

os.environ["NO_COLOR"] = "1"
os.environ["COLUMNS"] = "100"


def pytest_collection_finish() -> None:
    """Twenty thousand tests are no garbage: without them each later collection is short.

    And fewer collections are enough: hypothesis times each of them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return Path(__file__).resolve().parent.parent
