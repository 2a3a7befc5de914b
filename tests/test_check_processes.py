"""A check shared out over processes says what a check in one process says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metricdp.check import check_paths
from metricdp.check.verdicts.processes import FEWEST, MOST, shared
from metricdp.report import render

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process elsewhere")

HEADER = "import metricdp as dp\n\n"
GOOD = """
@dp.measurement
def total_{i}(rows: dp.Records[float]):
    return dp.laplace(dp.sum(dp.clamp(rows, 0, {i} + 1)), epsilon=1)
"""
BAD = """
@dp.measurement
def leak_{i}(rows: dp.Records[float]):
    return dp.sum(dp.clamp(rows, 0, {i} + 1))
"""

#: Runs with a computer of three processors, in a process of one thread.
PRELUDE = """
import os, sys
from metricdp.check.verdicts import processes
processes._processors = lambda: 3
here = os.getpid()
"""


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_report_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "many.py"
    path.write_text(HEADER + "".join((BAD if i % 7 == 3 else GOOD).format(i=i) for i in range(60)))
    script = f"""
from metricdp.check import check_paths
from metricdp.report import render
asked = []
begun = processes._begun
processes._begun = lambda *a: asked.append(a) or begun(*a)
found = render(check_paths([{str(path)!r}], processes=True), "json", None)
assert len(asked) == 2, asked
print(found)
"""
    alone = json.loads(render(check_paths([str(path)]), "json", None))
    assert len(alone["functions"]) == 60
    assert json.loads(run(script)) == alone


def test_every_number_is_worked_on_once() -> None:
    found = run(f"""
for count in (0, 1, {FEWEST}, {3 * FEWEST}, 1000):
    parts = processes.shared(list, count)
    print(sorted(n for part in parts for n in part) == list(range(count)))
""")
    assert found.split() == ["True"] * 5


def test_the_work_is_done_elsewhere_and_here() -> None:
    found = run("print(len({pid for pid in processes.shared(lambda part: os.getpid(), 100)}))")
    assert found.split() == ["3"]


def test_what_does_not_come_back_is_done_here() -> None:
    died = "os._exit(7) if os.getpid() != here else list(part)"
    no_text = "(lambda: 0) if os.getpid() != here else list(part)"
    failed = "1 / 0 if os.getpid() != here else list(part)"
    for work in (died, no_text, failed):
        found = run(f"print(sum(map(len, processes.shared(lambda part: {work}, 100))))")
        assert found.split() == ["100"]


def test_without_more_processes_all_is_done_here() -> None:
    found = run("""
def no(): raise OSError("no more processes")
os.fork = no
before = len(os.listdir("/proc/self/fd"))
print(sum(map(len, processes.shared(list, 100))), len(os.listdir("/proc/self/fd")) == before)
""")
    assert found.split() == ["100", "True"]


def test_nothing_is_left_behind_when_a_person_stops_it() -> None:
    found = run("""
import time
def work(part):
    if os.getpid() == here:
        raise KeyboardInterrupt
    time.sleep(50)
try:
    processes.shared(work, 100)
except KeyboardInterrupt:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("nobody")
""")
    assert found.split() == ["nobody"]


def test_one_process_where_threads_run_or_little_is_to_do() -> None:
    found = run(f"""
import threading
def pids(count): return len(set(processes.shared(lambda part: os.getpid(), count)))
few = pids({2 * FEWEST - 1})
end = threading.Event()
thread = threading.Thread(target=end.wait)
thread.start()
many = pids(1000)
end.set(); thread.join()
print(few, many)
""")
    assert found.split() == ["1", "1"]


def test_no_more_shares_than_it_is_worth() -> None:
    assert len(shared(len, FEWEST)) == 1
    assert 1 <= len(shared(len, 10_000)) <= min(MOST, os.cpu_count() or 1)
