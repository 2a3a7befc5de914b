"""What a user calls, timed as a user calls it, beside the same without privacy.

    python benchmarks/calls.py [--rows 1000000] [--only NAME ...] [--seconds 20] [--json FILE]
                               [--growth 100000000] [--cpu]

Every row calls a program of `calls_programs.py`, or a measurement made by OpenDP's names, on data
that the caller holds; the yardstick is the same statistic in NumPy or pandas, the faster, or
OpenDP's own measurement where the table compares with that.  Both sides are called in turns, and
the best time of each counts.  `first` is the first call of the row, on few rows: it is the one that
checks the program.  A call that would take longer than --seconds is measured at the largest power
of ten of its rows that fits, and says so.

Passes over rows stay on the thread that calls, ours (docs/adr/0027) as well as NumPy's and pandas'.
What the linear algebra under NumPy multiplies may use every processor, on either side: in the rows
of covariances, slopes, descent and training.  The head of the table says how many there are;
OPENBLAS_NUM_THREADS=1 keeps it to one.

Peak memory is what Python and NumPy allocate during one call (tracemalloc), over the input; where
an iterator gives the rows, in bytes, at two numbers of rows: their columns lie in files.  Growth is
the time per row at every power of ten from 10,000 rows on.  OpenDP is timed when it is installed
(an environment of its own is best: `pip install opendp==0.16 numpy pandas msgspec`, then run this
file there with PYTHONPATH at the repository).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import pairwise, repeat
from math import isinf
from typing import Any

import numpy as np
import pandas as pd
from calls_chains import SCALE
from calls_table import TABLE, Call

#: Fewest rows of a first measurement, and of the points of a curve of growth.
FEW, GROWTH_FROM = 100, 10_000
#: Calls of each side, of which the best counts.
TURNS = 7
#: At most this much more than the input.
MEMORY_TARGET = 1.3
#: Rows of a chunk; how many times the rows asked for are given in chunks, less and more.
CHUNK, ITERATED = 100_000, (10, 40)
#: The peak may rise by this factor for four times as many rows.
CONSTANT_WITHIN = 1.1
#: The time per row may rise by this factor for tenfold rows: caches, and a noisy machine.
LINEAR_WITHIN = 1.5
MEGABYTE = 2**20

Clock = Callable[[], float]


@dataclass(frozen=True)
class Measured:
    """Seconds of one row of the table, at `rows` of the `wanted` rows.

    `holds` is None where the yardstick is missing, or where fewer rows than wanted were measured.
    """

    name: str
    rows: int
    wanted: int
    first: float
    ours: float
    yardstick: float | None
    target: float
    ratio: float | None
    holds: bool | None


def opendp() -> Any:
    """The peer's module, or None."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    return dp


def taken(work: Callable[[], object], clock: Clock) -> float:
    start = clock()
    work()
    return clock() - start


def sizes(wanted: int) -> list[int]:
    """The rows that are wanted, divided by powers of ten, from few on; rising."""
    found = [wanted]
    while found[0] >= 10 * FEW:
        found.insert(0, found[0] // 10)
    return found


def largest(call: Call, wanted: int, seconds: float, clock: Clock) -> tuple[int, float, float]:
    """The most rows whose call fits; times of the first call of all, and of one at these rows."""
    first, fits, last = 0.0, 0, 0.0
    for rows in sizes(wanted):
        data = call.data(rows)
        took = taken(partial(call.ours, data, 1.0), clock)
        if not fits:
            first, took = took, taken(partial(call.ours, data, 1.0), clock)
        elif took > seconds:
            break
        grew = took / last if last > 1e-3 else 10.0
        fits, last = rows, took
        if took * max(10.0, grew) > seconds:
            break
    return fits, first, last


def best_of_each(
    ours: Callable[[], object],
    others: list[Callable[[], object]],
    once: float,
    seconds: float,
    clock: Clock,
) -> list[float]:
    """Seconds of the fastest call of each, taken in turns.

    Args:
        once: what one of our calls takes: there are fewer of them where it lasts, and no fewer of
            the others, whose first call reads cold memory.
    """
    turns = min(TURNS, max(1, int(seconds / 2 / max(once, 1e-9))))
    best = [float("inf")] * (1 + len(others))
    for turn in range(TURNS):
        for i, work in enumerate([ours, *others]):
            if turn < turns or (i and best[i] * TURNS < seconds):
                best[i] = min(best[i], taken(work, clock))
    return best


def measured(call: Call, ask: int, seconds: float, clock: Clock, peer: Any) -> Measured:
    """One row of the table."""
    wanted = max(1, round(ask * call.share))
    rows, first, once = largest(call, wanted, seconds, clock)
    data = call.data(rows)
    yardsticks: list[Callable[[Any], Any]] = list(call.plain)
    if call.peer is not None:
        yardsticks = [call.peer(peer, SCALE, rows)] if peer else []
        data = data.tolist() if isinstance(data, np.ndarray) else data
    ours, *others = best_of_each(
        partial(call.ours, data, 1.0),
        [partial(each, data) for each in yardsticks],
        once,
        seconds,
        clock,
    )
    ours, yardstick = min(ours, once), min(others, default=None)
    ratio = None if yardstick is None else ours / yardstick
    judged = None if ratio is None or isinf(call.target) else ratio <= call.target
    held = ours <= call.limit if call.limit else judged
    # Fewer rows than wanted can show that a target is missed, and never that it holds.
    holds = None if held and rows < wanted else held
    return Measured(call.name, rows, wanted, first, ours, yardstick, call.target, ratio, holds)


def size(data: Any) -> int:
    """Bytes of data as their holder counts them: arrays, data frames, lists of numbers or texts."""
    if isinstance(data, np.ndarray):
        return int(data.nbytes)
    if isinstance(data, (pd.Series, pd.DataFrame)):
        found = data.memory_usage(index=False, deep=True)
        return int(found if isinstance(data, pd.Series) else found.sum())
    if isinstance(data, (list, tuple)):
        return sys.getsizeof(data) + sum(map(size, data))
    return sys.getsizeof(data)


def peak(work: Callable[[], object]) -> int:
    """Bytes that a call holds at most at any one time."""
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def in_chunks(data: Any, rows: int) -> Any:
    """So many rows as an iterator gives them; beside them stay the public values that data have."""
    if isinstance(data, tuple):
        return (in_chunks(data[0], rows), *data[1:])
    return repeat(data, rows // len(data))


def iterated(chosen: list[Call], rows: int) -> list[Any]:
    """Peaks of memory of calls whose rows an iterator gives in chunks."""
    few, many = ITERATED[0] * rows, ITERATED[1] * rows
    print(f"\npeak memory in MB, iterators of {CHUNK:,} rows")
    found = []
    for call in chosen:
        data = call.data(CHUNK)
        first, last = (
            peak(partial(call.ours, in_chunks(data, n), 1.0)) / MEGABYTE for n in (few, many)
        )
        constant = last <= CONSTANT_WITHIN * first
        found.append({"name": call.name, "rows": [few, many], "peaks": [first, last]})
        print(
            f"{call.name:47} {few:11,}:{first:8,.1f} {many:13,}:{last:8,.1f}  "
            f"{'constant' if constant else 'not constant'}",
            flush=True,
        )
    return found


def grown(call: Call, most: int, seconds: float, clock: Clock) -> Iterator[tuple[int, float]]:
    """Rows and the best time of a call, at powers of ten, while calls fit."""
    rows = GROWTH_FROM
    while rows <= most:
        data = call.data(rows)
        once = taken(partial(call.ours, data, 1.0), clock)
        (best,) = best_of_each(partial(call.ours, data, 1.0), [], once, seconds, clock)
        yield rows, min(once, best)
        if 10 * once > seconds:
            return
        rows *= 10


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:,.{2 if seconds < 0.1 else 0}f}"


def printed(row: Measured, call: Call) -> str:
    target = "-" if isinf(call.target) else f"{call.target:.3g}"
    target = f"{call.limit * 1e3:g} ms" if call.limit else target
    ratio = "-" if row.ratio is None else f"{row.ratio:,.{3 if row.ratio < 100 else 0}f}"
    holds = {True: "holds", False: "missed", None: "-"}[row.holds]
    less = "" if row.rows == row.wanted else f"   of {row.wanted:,} rows wanted"
    return (
        f"{row.name:47} {row.rows:11,} {milliseconds(row.first):>9} {milliseconds(row.ours):>10} "
        f"{milliseconds(row.yardstick):>10} {ratio:>9} {target:>7}  {holds}{less}"
    )


def calls(chosen: list[Call], asked: argparse.Namespace, clock: Clock, peer: Any) -> list[Any]:
    """Time of every call, printed as it is found."""
    print(
        f"{'milliseconds':47} {'rows':>11} {'first':>9} {'ours':>10} {'yardstick':>10} "
        f"{'ratio':>9} {'target':>7}"
    )
    found = []
    for call in chosen:
        row = measured(call, asked.rows, asked.seconds, clock, peer)
        found.append(asdict(row))
        print(printed(row, call), flush=True)
    return found


def memory(chosen: list[tuple[Call, int]]) -> list[Any]:
    """Peaks of memory at the rows that were timed, printed as they are found."""
    print(f"\npeak memory over the input, target {MEMORY_TARGET}")
    found = []
    for call, rows in chosen:
        data = call.data(rows)
        held = size(data)
        ratio = 1 + peak(partial(call.ours, data, 1.0)) / held
        found.append({"name": call.name, "rows": rows, "input": held, "ratio": ratio})
        print(
            f"{call.name:47} {rows:11,} {held / MEGABYTE:9,.1f} MB {ratio:9,.2f}  "
            f"{'holds' if ratio <= MEMORY_TARGET else 'missed'}",
            flush=True,
        )
    return found


def growth(chosen: list[Call], asked: argparse.Namespace, clock: Clock) -> list[Any]:
    """Times per row at powers of ten, printed as they are found."""
    print("\ngrowth: microseconds per row")
    found = []
    for call in chosen:
        points = list(grown(call, asked.growth, asked.seconds, clock))
        rates = [took / rows for rows, took in points]
        linear = all(b <= LINEAR_WITHIN * a for a, b in pairwise(rates))
        found.append({"name": call.name, "points": points, "linear": linear})
        line = "".join(f"{rows:13,}: {1e6 * took / rows:8.3f}" for rows, took in points)
        print(f"{call.name:47}{line}  {'linear' if linear else 'not linear'}", flush=True)
    return found


def main() -> None:
    """Print one line per call, then memory, then growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="rows whose names hold a text")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--growth", type=int, default=10**6, help="the most rows of the curves")
    parser.add_argument("--cpu", action="store_true", help="processor time in place of wall time")
    parser.add_argument("--json", metavar="FILE")
    asked = parser.parse_args()
    clock = time.process_time if asked.cpu else time.perf_counter
    chosen = [c for c in TABLE if not asked.only or any(text in c.name for text in asked.only)]
    if not chosen:
        parser.error(f"no row has such a name; there are {', '.join(c.name for c in TABLE)}")
    peer = opendp()
    found: dict[str, Any] = {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "pandas": pd.__version__,
        "OpenDP": version("opendp") if peer else "not installed",
    }
    print(", ".join(f"{name} {number}" for name, number in found.items()))
    found["processors"] = os.cpu_count() or 1
    found["linear algebra"] = int(os.environ.get("OPENBLAS_NUM_THREADS") or found["processors"])
    print(
        f"{found['processors']} processors; on either side passes over rows run on one thread, "
        f"linear algebra on {found['linear algebra']} at most"
    )
    found["calls"] = calls(chosen, asked, clock, peer)
    timed = zip(chosen, found["calls"], strict=True)
    if traced := [(call, row["rows"]) for call, row in timed if call.memory]:
        found["memory"] = memory(traced)
    if curves := [call for call in chosen if call.growth]:
        found["iterators"] = iterated(curves, asked.rows)
        found["growth"] = growth(curves, asked, clock)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
