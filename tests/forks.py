"""Tests in several processes: `python -m pytest -p tests.forks`, as many as there are cores.

Tests are collected once.  Then processes fork, and each takes one file after the other: the longest
come first, by `tests/durations.txt`, so that none has much left when the others end.  Failures are
told as pytest tells them.  A test that ends its process fails, and so does one that nobody ran.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

#: Tests of the pages of programs, which share the reports of a process.
PAGES = ("test_by_row.py", "test_check_all_errors.py", "test_helps.py", "test_programs.py")
#: Seconds after which a process tells what has passed meanwhile.
OFTEN = 0.3
#: Places of the stack of Python that the functions under `roomy` have: some 2 megabytes.
ROOM = 1 << 18


def pytest_addoption(parser: pytest.Parser) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser.addoption("--forks", type=int, default=cores, metavar="N", help="processes of tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    options = session.config.option
    failed = session.testsfailed and not options.continue_on_collection_errors
    if failed or options.collectonly or options.forks < 2:
        return None  # pytest's own loop
    Forks(session).run(options.forks)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


def parts(files: Iterable[str], seconds: Mapping[str, float], unknown: float) -> list[list[int]]:
    """Places of the tests of one file each, the longest file first, from the file of every test."""
    places: dict[str, list[int]] = {}
    members: dict[str, set[str]] = {}
    for at, file in enumerate(files):
        name = "pages" if Path(file).name in PAGES else file
        places.setdefault(name, []).append(at)
        members.setdefault(name, set()).add(file)
    lasts = {k: sum(seconds.get(file, unknown) for file in v) for k, v in members.items()}
    return [places[name] for name in sorted(places, key=lasts.__getitem__, reverse=True)]


def roomy(run: Callable[[], None]) -> None:
    """Call a function on a piece of the stack that is large enough for all that it calls.

    Python 3.11 and 3.12 take the stack from the system in pieces of 16 kilobytes, and give a piece
    back as soon as nothing lies on it: a call from the end of one piece, in a loop, takes and
    returns a piece each time (https://github.com/python/cpython/issues/142183).  Tests of pages are
    that deep, and spent a sixth of their time so.  This function asks for more than it needs, and
    the piece that holds it holds the rest too; what nobody touches takes no memory.
    """
    run()


roomy.__code__ = roomy.__code__.replace(co_stacksize=ROOM + 1)


class Worker(NamedTuple):
    """A process that runs tests: what it tells, and the place of the test that it runs."""

    pid: int
    told: Connection
    running: mmap.mmap


class Forks:
    """The tests of a session, and what the processes that run them told."""

    def __init__(self, session: pytest.Session) -> None:
        from durations import TABLE, UNKNOWN, recorded

        self.session, self.config, self.items = session, session.config, session.items
        known = recorded(TABLE.read_text(encoding="utf-8"))
        files = (item.nodeid.partition("::")[0] for item in self.items)
        self.parts = parts(files, known, UNKNOWN)
        self.unread, filled = os.pipe()  # numbers of parts; each read takes one
        for number in range(len(self.parts)):
            os.write(filled, number.to_bytes(4, "big"))
        os.close(filled)
        self.left = set(range(len(self.items)))
        self.stopped = mmap.mmap(-1, 1)

    def run(self, count: int) -> None:
        """Run all tests in `count` processes."""
        workers = [self._forked(number) for number in range(min(count, len(self.parts)))]
        try:
            while workers:
                ready = wait([worker.told for worker in workers], 0.5)
                for worker in workers:
                    if worker.told in ready:
                        self._hear(worker)
                workers = [worker for worker in workers if not self._ended(worker)]
        finally:
            for worker in workers:
                os.kill(worker.pid, signal.SIGKILL)
                os.waitpid(worker.pid, 0)
            os.close(self.unread)
        if not self.stopped[0]:
            for at in sorted(self.left):
                self._failed(at, "no process has told how this test ended")

    def _forked(self, number: int) -> Worker:
        told, tell = Pipe(duplex=False)
        running = mmap.mmap(-1, 4)
        sys.stdout.flush()
        sys.stderr.flush()
        if (pid := os.fork()) == 0:
            code = 1
            try:
                roomy(_Work(self, number, tell, running).run)
                code = 0
            except BaseException:
                tell.send([(int.from_bytes(running, "big"), traceback.format_exc())])
            finally:
                os._exit(code)
        tell.close()
        return Worker(pid, told, running)

    def _ended(self, worker: Worker) -> bool:
        """Whether a process has ended; then all that it told has been heard."""
        pid, status = os.waitpid(worker.pid, os.WNOHANG)
        if not pid:
            return False
        while worker.told.poll() and self._hear(worker):
            pass
        if status:
            code = os.waitstatus_to_exitcode(status)
            said = f"exit code {code}" if code > 0 else f"signal {-code}"
            self._failed(int.from_bytes(worker.running, "big"), f"its process ended with {said}")
        return True

    def _hear(self, worker: Worker) -> bool:
        """Pass what a process tells on to pytest; False where it will tell nothing more."""
        try:
            heard = worker.told.recv()
        except EOFError:
            return False
        for at, told in heard:
            if isinstance(told, str):
                self._failed(at, told)
            elif isinstance(told, float):
                self._log(at, self._report(at, "passed", None, told))
            else:
                load = self.config.hook.pytest_report_from_serializable
                self._log(at, load(config=self.config, data=told))
        return True

    def _failed(self, at: int, said: str) -> None:
        self._log(at, self._report(at, "failed", said, 0.0))

    def _report(self, at: int, outcome: Any, said: str | None, lasted: float) -> pytest.TestReport:
        name = self.items[at].nodeid  # to look the line up would take long
        about = (name, (name.partition("::")[0], None, name), {}, outcome, said)
        return pytest.TestReport(*about, when="call", duration=lasted)

    def _log(self, at: int, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self.left.discard(at)
        self.config.hook.pytest_runtest_logreport(report=report)
        self.stopped[0] = bool(self.session.shouldfail or self.session.shouldstop)


class _Work:
    """What one process does: it takes parts while there are some, and tells how their tests end."""

    def __init__(self, forks: Forks, number: int, to: Connection, running: mmap.mmap) -> None:
        self.forks, self.to, self.running = forks, to, running
        self.untold: list[tuple[int, Any]] = []
        self.told_at = time.monotonic()
        # What is recorded needs the times of setup and teardown too.
        options = forks.config.option
        self.tells_all = bool(getattr(options, "xmlpath", None) or options.durations)
        factory: Any = forks.config._tmp_path_factory  # type: ignore[attr-defined]
        factory._given_basetemp = factory.getbasetemp() / str(number)
        factory._basetemp = None
        self.output = _apart(forks.config, factory.getbasetemp() / "output")
        forks.config.pluginmanager.register(self)

    def run(self) -> None:
        """Run tests until no part is left."""
        items = self.forks.items
        for at, following in pairwise(chain(self._taken(), (None,))):
            if self.forks.stopped[0]:
                break
            assert at is not None
            self.running[:] = at.to_bytes(4, "big")
            nextitem = None if following is None else items[following]
            items[at].ihook.pytest_runtest_protocol(item=items[at], nextitem=nextitem)
        self.to.send(self.untold)

    def _taken(self) -> Iterator[int]:
        while number := os.read(self.forks.unread, 4):
            yield from self.forks.parts[int.from_bytes(number, "big")]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        at = int.from_bytes(self.running, "big")
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if not report.passed or self.tells_all:
                self._tell(at, self._whole(report))
            elif report.when == "call":
                self._tell(at, report.duration)
        return True

    def _whole(self, report: pytest.TestReport) -> Any:
        if report.failed and self.output and (written := self.output.read()):
            report.sections.append(("Output of processes", written.decode(errors="replace")))
        config = self.forks.config
        return config.hook.pytest_report_to_serializable(config=config, report=report)

    def _tell(self, at: int, told: Any) -> None:
        self.untold.append((at, told))
        if time.monotonic() > self.told_at + OFTEN or not isinstance(told, float):
            self.to.send(self.untold)
            self.untold, self.told_at = [], time.monotonic()


def _apart(config: pytest.Config, path: Path) -> BinaryIO | None:
    """Output that C and processes write goes to a file; Python's own is captured more quickly."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if capture._method != "fd":
        return None
    capture.stop_global_capturing()
    with open(path, "ab") as output, open(os.devnull, "rb") as nothing:
        for source, target in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(source.fileno(), target)
    capture._method = "sys"
    capture.start_global_capturing()
    capture.suspend_global_capture()
    return open(path, "rb")
