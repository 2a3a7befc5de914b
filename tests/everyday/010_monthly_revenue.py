"""How did revenue develop month by month, smoothed, and against the same month a year before?"""

from dataclasses import dataclass
from datetime import date

import metricdp as dp

YEARS = (2023, 2024)
MONTHS = range(1, 13)
CAP = 250.0
WINDOW = 3


@dataclass
class Order:
    placed: date
    amount: float


def moving_average(values, window):
    smooth = []
    for i in range(len(values)):
        first = max(0, i - window + 1)
        part = values[first : i + 1]
        smooth.append(sum(part) / len(part))
    return smooth


@dp.measurement
def monthly_revenue(orders: dp.Records[Order], eps: float):
    revenue = {}
    for year in YEARS:
        for month in MONTHS:
            amounts = [
                min(max(o.amount, 0.0), CAP)
                for o in orders
                if o.placed.year == year and o.placed.month == month
            ]
            revenue[year, month] = dp.laplace(sum(amounts), epsilon=eps)

    series = [revenue[year, month] for year in YEARS for month in MONTHS]
    smooth = moving_average(series, WINDOW)

    growth = {}
    for month in MONTHS:
        before, after = revenue[2023, month], revenue[2024, month]
        if before > 0:
            growth[month] = round(100 * (after - before) / before, 1)

    best_month = max(revenue, key=revenue.get)
    report = [f"{y}-{m:02d}: {revenue[y, m]:10.0f}" for y, m in revenue]
    report.append(f"best month: {best_month}")
    return {
        "revenue": series,
        "smooth": smooth,
        "growth": growth,
        "report": report,
    }
