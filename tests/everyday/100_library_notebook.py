"""What do readers of a library borrow, when, how long, and what should be bought?"""

# %% imports
import math
from collections import Counter
from dataclasses import dataclass
from datetime import date

import numpy as np

import metricdp as dp

# %% what is public
GENRES = ["novel", "crime", "history", "science", "children"]
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MAX_DAYS = 60
PRICES = {"novel": 12, "crime": 10, "history": 25, "science": 30, "children": 9}
BUDGET = {"genres": 0.4, "weekdays": 0.2, "days": 0.4}


# %% the rows
@dataclass
class Loan:
    genre: str
    borrowed: date
    days: int
    renewed: bool


# %% helpers
def bar(value, largest, width=30):
    return "#" * max(0, round(width * value / max(largest, 1)))


def allocate(money, demand):
    """Spend money on genres in proportion to demand."""
    total = sum(demand.values())
    if total <= 0:
        return dict.fromkeys(demand, 0)
    return {g: math.floor(money * d / total / PRICES[g]) for g, d in demand.items()}


# %% the release
@dp.measurement
def library(loans: dp.Records[Loan], eps: float, money: float = 1000.0):
    tally = Counter(loan.genre for loan in loans)
    demand = {
        genre: max(dp.laplace(tally[genre], epsilon=eps * BUDGET["genres"]), 0.0)
        for genre in GENRES
    }

    by_day = [0] * 7
    for loan in loans:
        by_day[loan.borrowed.weekday()] += 1
    by_day = dp.laplace(np.array(by_day), epsilon=eps * BUDGET["weekdays"])

    lengths = {}
    for renewed in (False, True):
        days = [min(max(x.days, 0), MAX_DAYS) for x in loans if x.renewed is renewed]
        total = dp.laplace(sum(days), epsilon=eps * BUDGET["days"] / 2)
        n = dp.laplace(len(days), epsilon=eps * BUDGET["days"] / 2)
        lengths["renewed" if renewed else "once"] = total / max(n, 1)

    largest = max(demand.values())
    lines = [f"{g:10} {bar(demand[g], largest)}" for g in sorted(demand, key=demand.get)]
    busiest = WEEKDAYS[int(np.argmax(by_day))]
    lines.append(f"busiest day: {busiest}")
    lines += [f"{k}: {v:.1f} days" for k, v in lengths.items()]
    return {"buy": allocate(money, demand), "by day": by_day, "text": "\n".join(lines)}
