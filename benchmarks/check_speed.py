"""Speed of `metricdp check` on generated programs. Run: python benchmarks/check_speed.py

Goals: 300 lines in 150 ms, whole cold process; 10,000 lines in 2 s; linear in lines and in the
depth of nested loops. Every program is different (names, constants, norms), so that no cache of
whole functions can make the numbers look better than they are. Exit code 1 when a goal is missed.
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
GOALS = {300: 0.150, 10_000: 2.0}
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
    start = time.perf_counter()
    command = [sys.executable, "-m", "metricdp", "check", str(path), "--output-format", "concise"]
    done = subprocess.run(command, capture_output=True, text=True, env=INSTALLED)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{path.name} was not proved:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return elapsed


def main() -> int:
    """Measures every size, prints a table, and says whether all goals are met."""
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for lines in (300, 2_000, 10_000):
            path = Path(folder) / f"lines_{lines}.py"
            path.write_text(program(lines))
            seconds(path)  # writes the byte code
            times[lines] = statistics.median(seconds(path) for _ in range(5))
            goal = GOALS.get(lines)
            print(f"{lines:>6} lines  {times[lines] * 1000:8.0f} ms" + _goal(times[lines], goal))
            if goal is not None and times[lines] > goal:
                missed.append(f"{lines} lines")
        start = times[300]
        slope = (times[10_000] - start) / 9_700, (times[2_000] - start) / 1_700
        ratio = slope[0] / slope[1]
        print(f"time per line, 10,000 against 2,000 lines: {ratio:.2f} (goal <= {LINEAR_WITHIN})")
        if ratio > LINEAR_WITHIN:
            missed.append("linear in lines")
        depths = {}
        for depth in (2, 4, 8, 16):
            path = Path(folder) / f"nested_{depth}.py"
            path.write_text(nested(depth))
            depths[depth] = statistics.median(seconds(path) for _ in range(3))
            print(f"{depth:>6} loops  {depths[depth] * 1000:8.0f} ms")
        if depths[16] > depths[2] + 0.1:
            missed.append("linear in nesting")
    print("goals missed: " + ", ".join(missed) if missed else "all goals met")
    return 1 if missed else 0


def _goal(measured: float, goal: float | None) -> str:
    return "" if goal is None else f"   goal {goal * 1000:.0f} ms, {measured / goal:.2f} of it"


if __name__ == "__main__":
    sys.exit(main())
