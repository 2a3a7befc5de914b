"""Methods that store into `self`: a run gives what plain Python gives."""

from __future__ import annotations

from pathlib import Path

from plain_python import same

SOURCE = """
from dataclasses import dataclass

class Plan:
    GROWTH = 2

    def __init__(self, kind):
        self.kind = kind
        self.number = 0.0
        self.seen = []

    def measure(self, rows, eps):
        mine = [r for r in rows if r > self.kind]
        before = self.number
        self.number = dp.laplace(len(mine), epsilon=eps)
        self.seen.append(before)
        self.seen.append(self.number * self.GROWTH)
        self.number = dp.laplace(sum(min(max(r, 0), self.kind + 1) for r in mine), epsilon=eps)
        return self

@dataclass
class Row:
    x: float
    doubled: float = 0.0

    def filled(self, by):
        self.doubled = min(max(self.x * by, 0), 4)
        self.x = self.doubled + self.x
        return self

def weight(r):
    filled = Row(r).filled(2)
    return min(max(filled.x + filled.doubled, 0), 8)

@dp.measurement
def f(rows: dp.Records[float], eps: float):
    plans = [Plan(k).measure(rows, eps) for k in (0, 2)]
    total = dp.laplace(sum(weight(r) for r in rows), epsilon=eps)
    return [(p.kind, p.number, p.seen) for p in plans], total
"""


def test_a_run_is_plain_python(tmp_path: Path) -> None:
    hidden = same(tmp_path, SOURCE, [0.5, 2.5, 3.0, -1.0, 1.25], eps=1.0)
    assert [float(x) for x in hidden] == [4, 3.5, 2, 5.5, 24.75]
