"""Speed of `metricdp check` on generated programs. Run: python benchmarks/check_speed.py

Goals, in starts of a bare interpreter (`python -c pass`, timed in turns with the checks): 300
lines in 8, a whole cold process; 10,000 lines in 70; linear in lines and in the depth of nested
loops. Every program is different (names, constants, norms), so that no cache of whole functions
can make the numbers look better than they are. Exit code 1 when a goal is missed.

Files of many functions are shared out over the processors. What else is installed counts:
msgspec loads typing_extensions where it is there (8 ms); an environment of its own, with metricdp
alone, is what most people have.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: As installed: Python may write and read byte code.
INSTALLED = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
#: Lines: starts of a bare interpreter.
GOALS = {300: 8, 10_000: 70}
#: Time per line may differ by this factor between 2,000 and 10,000 lines.
LINEAR_WITHIN = 1.5

HEADER = "import metricdp as dp\nfrom metricdp import Data, L1, L2, LInf, Real\n\n"
FUNCTION = """
@dp.measurement
def mean_{i}(rows: dp.Records[float], eps: float):
    kept = dp.clamp(rows, {lower}, {upper})
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    size = dp.laplace(dp.count(kept), epsilon=eps / 2)
    return total / size


@dp.transformation
def walk_{i}(x: dp.Vector[Real, {norm}], y: Real):
    total = y - y
    for v in x:
        if {i} > 3:
            total += {factor} * v
        else:
            total -= v
    other = helper_{i}(total, y)
    return other - total


def helper_{i}(a, b):
    c = a + {factor} * b
    d = c - a
    return d + abs(b)

"""


def program(lines: int) -> str:
    """A program of about so many lines, each function different from the others."""
    text, i = HEADER, 0
    while text.count("\n") < lines:
        text += FUNCTION.format(
            i=i, lower=-i - 1, upper=i + 7, factor=i % 9 + 2, norm=("L1", "L2", "LInf")[i % 3]
        )
        i += 1
    return text


def nested(depth: int) -> str:
    """One function whose public loops are nested so deep."""
    lines = ["import metricdp as dp", "", "@dp.transformation", "def f(x: dp.Real, n: int):"]
    lines.append("    total = x - x")
    for level in range(depth):
        lines.append("    " * (level + 1) + f"for i{level} in range(n):")
    lines.append("    " * (depth + 1) + "total = total + x")
    return "\n".join([*lines, "    return total", ""])


def seconds(path: Path) -> float:
    """Wall-clock time of one cold `metricdp check`; the program must be proved."""
    command = [sys.executable, "-m", "metricdp", "check", str(path), "--output-format", "concise"]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=INSTALLED)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{path.name} was not proved:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return elapsed


def bare() -> float:
    """Wall-clock time of an interpreter that does nothing."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=INSTALLED)
    return time.perf_counter() - start


def measured(path: Path, times: int) -> tuple[float, float]:
    """Seconds of a check, and of a bare interpreter beside it: the medians."""
    seconds(path)  # writes the byte code
    pairs = [(seconds(path), bare()) for _ in range(times)]
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)


def main() -> int:
    """Measures every size, prints a table, and says whether all goals are met."""
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for lines in (300, 2_000, 10_000):
            path = Path(folder) / f"lines_{lines}.py"
            path.write_text(program(lines))
            times[lines], start = measured(path, 9)
            ratio, goal = times[lines] / start, GOALS.get(lines)
            told = "" if goal is None else f"   goal {goal}"
            print(f"{lines:>6} lines  {times[lines] * 1000:8.0f} ms  {ratio:6.1f} starts{told}")
            if goal is not None and ratio > goal:
                missed.append(f"{lines} lines")
        slope = (times[10_000] - times[300]) / 9_700, (times[2_000] - times[300]) / 1_700
        ratio = slope[0] / slope[1]
        print(f"time per line, 10,000 against 2,000 lines: {ratio:.2f} (goal <= {LINEAR_WITHIN})")
        if ratio > LINEAR_WITHIN:
            missed.append("linear in lines")
        depths = {}
        for depth in (2, 4, 8, 16):
            path = Path(folder) / f"nested_{depth}.py"
            path.write_text(nested(depth))
            depths[depth], _ = measured(path, 3)
            print(f"{depth:>6} loops  {depths[depth] * 1000:8.0f} ms")
        if depths[16] > depths[2] + 0.1:
            missed.append("linear in nesting")
    print("goals missed: " + ", ".join(missed) if missed else "all goals met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
