"""What every test shares: one set of examples for everybody, and plain terminal text."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
import quick_fractions
from _pytest.doctest import DoctestModule
from depth import depth
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# Before NumPy is loaded: workers take all cores, and threads of its products wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# From 3.12 on Python's own are as quick.
if sys.version_info < (3, 12) and depth(True, False):
    quick_fractions.install()

# The same examples on every machine: a red run can be repeated, a green run is not luck.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=depth(30, 60),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")
# Else constants of every module that is loaded by then are among them: those of this package, of
# other tests, and of one worker others than of the next.  To read them took seconds besides.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants

#: It starts a cluster of Spark, which needs Java: `make test-spark`.
collect_ignore = [] if os.environ.get("METRICDP_SPARK") else ["spark"]

os.environ["NO_COLOR"] = "1"
os.environ["COLUMNS"] = "100"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays: twenty thousand tests are no garbage.

    So none is looked for meanwhile, and without them each later collection is short.  Fewer of
    these are enough, too, since what a test makes is mostly gone when one is due: with 50,000 in
    place of 400,000 they took every eighth second, for 30 megabytes less.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(400_000, 10, 10)
        gc.enable()


class _Examples:
    """Doctest looks for examples in a thousand modules; few have some."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Iterator[None]:
        found = yield
        if file_path.suffix == ".py" and ">>>" not in file_path.read_text(encoding="utf-8"):
            found = [each for each in found if not isinstance(each, DoctestModule)]
        return found


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Examples())


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return Path(__file__).resolve().parent.parent
