"""Speed of the verified training loop. Run: python benchmarks/training_speed.py

Goal: both training loops of `examples/train_digits.py` are checked in 20 ms each, in a warm
process.  The speed of a run (black box, exact clip, exact sum, exact noise) is printed.
Exit code 1 when the goal is missed.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
GOAL = 0.020


def main() -> int:
    """Measures, prints, and says whether the goal is met."""
    from metricdp.check import check_paths

    file = str(EXAMPLES / "train_digits.py")
    check_paths([file])
    times = []
    for _ in range(9):
        start = time.perf_counter()
        report = check_paths([file])
        times.append((time.perf_counter() - start) / report.count("proved"))
    each = statistics.median(times)
    print(f"check    {each * 1000:6.1f} ms per training loop   (goal <= {GOAL * 1000:.0f} ms)")
    sys.path.insert(0, str(EXAMPLES))
    import train_digits

    records = np.random.default_rng(0).integers(0, 17, (400, 65)).astype(float)
    records[:, -1] %= 10
    public = {"rounds": 10, "sigma": 1.0, "rate": 0.1}
    start = time.perf_counter()
    train_digits.train(records, train_digits.start(), q=0.5, expected=200.0, **public)
    took = time.perf_counter() - start
    print(
        f"run      {10 * 200 / took:6.0f} records per second, {took / 10 * 1000:.0f} ms per round"
    )
    return int(each > GOAL)


if __name__ == "__main__":
    sys.exit(main())
