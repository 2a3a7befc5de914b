"""`python -m attack --seconds 600`: programs of every pair of features, attacked on all cores."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from attack.frequencies import Counts, misfits
from attack.trying import FEATURES, Tried, every_pair, make, queue, shrunk, try_program

#: Programs of one task of a process, which ends after some tasks and leaves nothing behind.
BATCH, TASKS = 20, 40


def batch(task: tuple[str, int, str]) -> tuple[list[Tried], Counts]:
    """Some programs in a row."""
    seed, first, folder = task
    order, counts = queue(seed), {}  # type: ignore[var-annotated]
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        numbers = range(first, first + BATCH)
        found = [try_program(n, seed, order, Path(inside), counts) for n in numbers]
    return found, counts


class Tally:
    """What a run has seen."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.verdicts: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.ways: Counter[str] = Counter()
        self.written: set[tuple[str, str]] = set()
        self.proved: set[tuple[str, str]] = set()
        self.bad: list[Tried] = []
        self.slowest = Tried(0, "")
        self.counts: Counts = {}

    def add(self, found: list[Tried], counts: Counts) -> None:
        """Count a batch."""
        for tried in found:
            self.verdicts[tried.verdict] += 1
            self.written.update(tried.pairs)
            if tried.verdict == "proved":
                self.proved.update(tried.pairs)
                self.ways.update(tried.ways)
            elif tried.verdict in ("rejected", "refuted"):
                self.codes[tried.code] += 1
            elif tried.source:
                self.bad.append(tried)
            if tried.seconds > self.slowest.seconds:
                self.slowest = tried
        for name, cells in counts.items():
            self.counts.setdefault(name, Counter()).update(cells)

    def summary(self, seconds: float, unlike: list[str]) -> list[str]:
        """The last lines of a run."""
        v, pairs = self.verdicts, len(every_pair())
        made = sum(v.values()) - v["misfit"]
        codes = ", ".join(f"{code} {n}" for code, n in self.codes.most_common(6))
        ways = ", ".join(f"{way} {n}" for way, n in sorted(self.ways.items()))
        draws = sum(cells.total() for cells in self.counts.values())
        holes = sum(t.verdict == "hole" for t in self.bad)
        return [
            f"attack: seed {self.seed}; {made} programs in {seconds:.0f} s "
            f"({made / max(seconds, 1):.0f}/s); {v['slow']} too long; {v['misfit']} did not fit",
            f"proved {v['proved'] + holes} ({ways}); refuted {v['refuted']}; "
            f"rejected {v['rejected']}: {codes}",
            f"pairs of features: {len(self.proved)} in proved programs, {len(self.written)} in "
            f"programs, of {pairs} ({len(FEATURES)} features)",
            f"frequencies: {draws} draws of {len(self.counts)} mechanisms "
            f"({min((c.total() for c in self.counts.values()), default=0)} or more of each); "
            f"{len(unlike)} do not follow their law",
            f"slowest: number {self.slowest.number}, {self.slowest.seconds:.1f} s",
            f"holes: {holes + len(unlike)}; internal errors: {len(self.bad) - holes}",
        ]


def tell(tried: Tried, seed: str, folder: Path, shrink: float) -> None:
    """One hole, shrunk, and how to see it again."""
    program, _ = make(tried.number, seed, queue(seed))
    print(f"\n{tried.verdict.upper()}: {tried.code}")
    if tried.hole is not None and tried.hole.entry:
        hole = tried.hole
        print(f"  {hole.entry} at distance {hole.distance}, outputs {hole.kind}")
        print(f"  x = {hole.x}\n  y = {hole.y}")
    source = tried.source
    if program is not None and shrink > 0:
        source = shrunk(program, tried.code, f"{seed} {tried.number}", folder, shrink)
    print("\n".join("    " + line for line in source.splitlines() if line.strip()))
    print(
        f"  again: PYTHONPATH=tests python -m attack --seed {seed} --only {tried.number}",
        flush=True,
    )


def tasks(seed: str, folder: str) -> Iterator[tuple[str, int, str]]:
    """Batches without end."""
    first = 0
    while True:
        yield seed, first, folder
        first += BATCH


def run(seed: str, seconds: float, processes: int, first_hole: bool) -> int:
    """Attack for some seconds; the exit code."""
    start, tally = time.monotonic(), Tally(seed)
    with tempfile.TemporaryDirectory() as folder:
        context = get_context("spawn" if sys.platform == "darwin" else "fork")
        with context.Pool(processes, maxtasksperchild=TASKS) as pool:
            work = tasks(seed, folder)
            waiting: list[Any] = []
            while time.monotonic() - start < seconds:
                waiting += [
                    pool.apply_async(batch, (next(work),))
                    for _ in range(2 * processes - len(waiting))
                ]
                time.sleep(0.05)
                for result in [r for r in waiting if r.ready()]:
                    waiting.remove(result)
                    tally.add(*result.get())
                if first_hole and (tally.bad or misfits(tally.counts)):
                    break
            pool.terminate()
        unlike = misfits(tally.counts)
        passed = time.monotonic() - start
        kinds: set[str] = set()
        for tried in tally.bad:
            kind = tried.code[:40]
            if kind not in kinds and len(kinds) < 8:
                kinds.add(kind)
                tell(tried, seed, Path(folder), 15)
    for line in unlike:
        print(f"\nHOLE: {line}")
    print()
    print("\n".join(tally.summary(passed, unlike)))
    return 1 if tally.bad or unlike else 0


def only(seed: str, number: int) -> int:
    """One program again, with all that is known of it."""
    order, counts = queue(seed), {}  # type: ignore[var-annotated]
    program, _ = make(number, seed, order)
    print(program.source if program else "the features do not fit")
    with tempfile.TemporaryDirectory() as folder:
        tried = try_program(number, seed, order, Path(folder), counts)
    print(f"{tried.verdict} {tried.code} {tried.hole or ''}")
    return 0 if tried.verdict in ("proved", "rejected", "refuted", "misfit") else 1


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int, help="the number of one program, to see it again")
    parser.add_argument("--first-hole", action="store_true", help="stop at the first hole")
    options = parser.parse_args()
    if options.only is not None:
        return only(options.seed, options.only)
    return run(options.seed, options.seconds, options.processes, options.first_hole)


if __name__ == "__main__":
    raise SystemExit(main())
