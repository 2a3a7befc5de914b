"""How many incidents were there per severity and team, and which teams are above their quota?"""

from dataclasses import dataclass
from datetime import date

import metricdp as dp

SEVERITY = {1: "critical", 2: "major", 3: "minor"}
TEAMS = {"web", "data", "mobile", "infra"}
QUOTA = {"critical": 2, "major": 10, "minor": 50}
QUARTER_STARTS = (date(2024, 1, 1), date(2024, 4, 1), date(2024, 7, 1), date(2024, 10, 1))


@dataclass
class Incident:
    team: str
    severity: int
    day: date
    minutes: float


def quarter(day: date) -> int:
    return (day.month - 1) // 3


@dp.measurement
def incident_review(incidents: dp.Records[Incident], eps: float):
    counts = {}
    for team in sorted(TEAMS):
        for level, name in SEVERITY.items():
            counts.setdefault(team, {})[name] = dp.laplace(
                sum(1 for i in incidents if i.team == team and i.severity == level),
                epsilon=eps / 2,
            )

    downtime = []
    for q, start in enumerate(QUARTER_STARTS):
        minutes = [min(max(i.minutes, 0), 480) for i in incidents if quarter(i.day) == q]
        downtime.append((start.isoformat(), dp.laplace(sum(minutes), epsilon=eps / 2)))

    above = {team for team, row in counts.items() if any(row[name] > QUOTA[name] for name in row)}
    quiet = TEAMS - above
    calm = all(row["critical"] < 1 for row in counts.values())
    worst = max(downtime, key=lambda pair: pair[1])
    lines = []
    for team, row in sorted(counts.items()):
        cells = " ".join(f"{name}={max(0, round(n))}" for name, n in row.items())
        mark = "!" if team in above else " "
        lines.append(f"{mark} {team:8} {cells}")
    lines.append(f"worst quarter starts {worst[0]}")
    return {"lines": lines, "quiet": sorted(quiet), "calm": calm, "downtime": downtime}
