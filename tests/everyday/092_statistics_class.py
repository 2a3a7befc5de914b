"""What are the count, mean and share above a limit of any column, with a class of helpers?"""

from dataclasses import dataclass

import metricdp as dp


@dataclass(frozen=True)
class Column:
    name: str
    lo: float
    hi: float
    limit: float


COLUMNS = [Column("age", 0, 100, 65), Column("bmi", 10, 60, 30)]


@dataclass
class Patient:
    age: float
    bmi: float


class Stats:
    @staticmethod
    def clean(values, column):
        return [min(max(v, column.lo), column.hi) for v in values]

    @staticmethod
    def mean(values, eps):
        return dp.laplace(sum(values), epsilon=eps / 2) / dp.laplace(len(values), epsilon=eps / 2)

    @classmethod
    def above(cls, values, column, eps):
        return dp.laplace(sum(v > column.limit for v in cls.clean(values, column)), epsilon=eps)


DEFAULTS = {"mean": None, "above": None}


@dp.measurement
def describe(patients: dp.Records[Patient], eps: float):
    out = {}
    for column in COLUMNS:
        row = DEFAULTS.copy()
        raw = [getattr(p, column.name) for p in patients]
        values = Stats.clean(raw, column)
        row["mean"] = Stats.mean(values, eps / 4)
        row["above"] = Stats.above(values, column, eps / 4)
        out[column.name] = row
    return out
