from dataclasses import dataclass

import metricdp as dp


@dataclass
class Event:
    user: str
    day: int
    kind: str


@dp.measurement
def daily_logins(events: dp.Records[Event, dp.Ids("user")], eps: float):
    events = dp.limit_rows(events, "user", 7)
    logins = [e for e in events if e.kind == "login"]
    daily = [dp.laplace(sum(e.day == day for e in logins), epsilon=eps) for day in range(28)]
    smooth = [
        sum(daily[max(0, i - 3) : i + 4]) / len(daily[max(0, i - 3) : i + 4]) for i in range(28)
    ]
    weeks = [sum(daily[w * 7 : (w + 1) * 7]) for w in range(4)]
    return smooth, weeks
