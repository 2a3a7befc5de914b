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
from _pytest.runner import runtestprotocol
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


#: Tests of the pages of programs, which share the reports of a process: they come first, so that
#: the first worker has all of them.
_OF_PAGES = ("test_by_row.py", "test_check_all_errors.py", "test_helps.py", "test_programs.py")


class _FromBothEnds:
    """Every worker collects every test; what is not compiled yet, each compiles one half of.

    Workers must agree on the order of the tests, so that of the paths is restored.
    """

    def __init__(self, worker: int) -> None:
        self.backwards = worker % 2 == 1

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if self.backwards and isinstance(collector, pytest.Dir):
            report.result.reverse()
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: (item.path.name not in _OF_PAGES, item.path.parts))


class _OneReport:
    """Of a test that passes a worker sends one report, in place of three and two notices.

    The process that takes them has no core of its own, and there are fifteen thousand tests.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Examples())
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker:
        config.pluginmanager.register(_FromBothEnds(int(worker.removeprefix("gw"))))
        if not config.getoption("xmlpath", None):  # the recorded times are of all three
            config.pluginmanager.register(_OneReport())


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return Path(__file__).resolve().parent.parent
