"""Black boxes are tried on made-up records before anything is spent: what always fails is told."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np
import pytest

import metricdp as dp
from metricdp import L2, Data, LInf, Matrix, Size
from metricdp.errors import BoxWarning


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], Size(2)])
def divided(row, k):
    return [max(row) / (k - 3), row.mean()]


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], Size(2)])
def sound(row, k):
    return [max(row), k]


@dp.black_box(returns=Data)
def other_name(row):
    return row.visits + row.no_such_field


@dp.black_box(returns=Data)
def both_names(row):
    return row[0] + len(row[1])


@dp.black_box(returns=Annotated[dp.Int, dp.Bounds(0, 12)])
def month(day):
    return int(day[5:7])


@dp.black_box(returns=Annotated[dp.Int, dp.Bounds(0, 12)])
def month_of_nothing(day):
    return int(day.text[5:7])


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], Size(3)])
def too_short(x):
    return [x, x]


@dp.measurement
def features(rows: Matrix[Data, LInf], k: int, rho: float):
    found = 0.0
    for row in rows:
        found += dp.undisc(dp.clip(divided(row, k), L2)) + dp.undisc(dp.clip(sound(row, k), L2))
    return dp.gaussian(found, rho=rho)


@dp.measurement
def fields(rows: dp.Records[tuple[int, str]], eps: float):
    return dp.laplace(dp.count([r for r in rows if other_name(r) > both_names(r)]), epsilon=eps)


@dp.measurement
def months(days: dp.Records[str], eps: float):
    return dp.laplace(dp.count([day for day in days if month(day) > 6]), epsilon=eps)


@dp.measurement
def no_months(days: dp.Records[str], eps: float):
    return dp.laplace(dp.count([d for d in days if month_of_nothing(d) > 6]), epsilon=eps)


@dp.transformation
def short(x: dp.Real):
    return max(too_short(x))


def told(run: Any) -> list[str]:
    """What a run warns of, and that each warning stands at the caller's line."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    assert all(each.filename == __file__ for each in found)
    assert all(each.category is BoxWarning for each in found)
    return [str(each.message) for each in found]


def test_a_box_that_fails_on_all_made_up_records_is_told_once() -> None:
    rows = np.full((4, 3), 123456.0)
    (text,) = told(lambda: features(rows, k=3, rho=1.0))
    assert text.startswith("divided: the black box fails on each of 6 made-up records: Zero")
    assert "public default 0" in text and "123456" not in text
    assert not told(lambda: features(rows, k=3, rho=1.0))
    (text,) = told(lambda: fields([(1, "a")], eps=1.0))
    assert "other_name" in text and "visits" in text
    (text,) = told(lambda: short(1.0))
    assert "too_short" in text and "2 entries where 3 are declared" in text


def test_made_up_texts_are_in_nobodys_format() -> None:
    assert not told(lambda: months(["2024-07-01"], eps=1.0))
    (text,) = told(lambda: no_months(["2024-07-01"], eps=1.0))
    assert "AttributeError" in text


def test_it_is_told_before_a_session_pays() -> None:
    session = dp.Session({"x": (dp.Records[float], [1.0, 2.0])}, budget=dp.Budget(epsilon=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BoxWarning, match="nothing"):
            session.run(of_failing, x="x", eps=0.5)
    assert session.left() == {"epsilon": 1}


@dp.black_box(returns=Data)
def failing(x):
    return x.nothing


@dp.measurement
def of_failing(x: dp.Records[float], eps: float):
    return dp.laplace(dp.count([r for r in x if failing(r) > 0]), epsilon=eps)
