"""Which bus lines are crowded at which hour, and how late do buses run?"""

from dataclasses import dataclass
from datetime import datetime

import metricdp as dp

LINES = ("1", "2", "7", "N4")
PEAK = (7, 8, 16, 17)
MAX_DELAY = 30.0


@dataclass
class Boarding:
    line: str
    at: datetime
    delay: float


class LineReport:
    """Figures of one line."""

    def __init__(self, line, boardings):
        self.line = line
        self.boardings = [b for b in boardings if b.line == line]

    def by_hour(self, eps):
        return [
            dp.laplace(sum(1 for b in self.boardings if b.at.hour == hour), epsilon=eps)
            for hour in range(24)
        ]

    def mean_delay(self, eps):
        delays = [min(max(b.delay, 0.0), MAX_DELAY) for b in self.boardings]
        total = dp.laplace(sum(delays), epsilon=eps / 2)
        n = dp.laplace(len(delays), epsilon=eps / 2)
        return total / max(n, 1.0)

    @staticmethod
    def peak_share(hours):
        total = sum(max(h, 0) for h in hours)
        if total <= 0:
            return 0.0
        return sum(max(hours[h], 0) for h in PEAK) / total


@dp.measurement
def bus_lines(boardings: dp.Records[Boarding], eps: float):
    out = {}
    for line in LINES:
        report = LineReport(line, boardings)
        hours = report.by_hour(eps / 2)
        delay = report.mean_delay(eps / 2)
        out[line] = {
            "hours": hours,
            "peak share": LineReport.peak_share(hours),
            "delay": round(delay, 1),
        }
    latest = sorted(LINES, key=lambda line: -out[line]["delay"])
    return out, latest
