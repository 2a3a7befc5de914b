"""Time that `import metricdp` adds to a bare interpreter. Run: python benchmarks/import_time.py

Goal: at most 60 ms. Prints the median of interleaved runs of whole processes; exit code 1 above
the goal.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

#: As installed: Python may write and read byte code.
INSTALLED = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
GOAL_MS = 60.0
ROUNDS = 15


def milliseconds(*arguments: str) -> float:
    """Wall-clock time of one fresh interpreter."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=INSTALLED)
    return 1000 * (time.perf_counter() - start)


def main() -> int:
    """Measures, prints one line, and says whether the goal is met."""
    bare, ours = [], []
    milliseconds("-c", "import metricdp")  # writes the byte code
    for _ in range(ROUNDS):
        bare.append(milliseconds("-c", "pass"))
        ours.append(milliseconds("-c", "import metricdp"))
    added = statistics.median(ours) - statistics.median(bare)
    print(
        f"import metricdp: {added:.1f} ms over a bare interpreter of "
        f"{statistics.median(bare):.1f} ms (goal {GOAL_MS:g} ms)"
    )
    return 0 if added <= GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main())
