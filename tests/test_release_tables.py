"""A release as a data frame: rows by key, intervals beside their numbers, other forms refused."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import metricdp as dp
from metricdp.errors import ParameterError
from metricdp.run.as_table import columns_of

CITIES = ("Oslo", "Rome")
ROWS = ["Oslo"] * 3 + ["Rome"]


class Both(NamedTuple):
    n: float
    public: float


@dp.measurement
def by_city(rows: dp.Records[str], eps: float):
    return {k: dp.laplace(sum(1 for r in rows if r == k), epsilon=eps) for k in CITIES}


@dp.measurement
def by_name(rows: dp.Records[str], eps: float):
    out = {}
    for k in CITIES:
        n = dp.laplace(sum(1 for r in rows if r == k), epsilon=eps)
        out[k] = {"n": n, "half": n / 2, "many": n > 2}
    return out


@dp.measurement
def by_two(rows: dp.Records[str], eps: float):
    return {
        (k, size): dp.laplace(sum(1 for r in rows if r == k and len(r) == size), epsilon=eps)
        for k in CITIES for size in (3, 4)
    }  # fmt: skip


@dp.measurement
def named(rows: dp.Records[str], eps: float):
    return Both(n=dp.laplace(len(rows), epsilon=eps), public=2.0)


@dp.measurement
def counts(rows: dp.Records[str], eps: float):
    return dp.laplace(dp.histogram(rows, categories=CITIES), epsilon=eps)


@dp.measurement
def of_two_lengths(rows: dp.Records[str], eps: float):
    return {"a": dp.laplace(len(rows), epsilon=eps), "b": [1.0, 2.0]}


@dp.measurement
def of_one_name(rows: dp.Records[str], eps: float):
    return {"a": {"key": dp.laplace(len(rows), epsilon=eps)}}


def test_rows_are_keys_and_intervals_stand_beside_their_numbers() -> None:
    release = by_name(ROWS, eps=1.0)
    columns = columns_of(release)
    assert list(columns) == ["key", "n", "n_low", "n_high", "half", "half_low", "half_high", "many"]
    assert columns["key"] == ["Oslo", "Rome"]
    for at, city in enumerate(CITIES):
        near = release.interval()[city]
        assert columns["n"][at] == release.value[city]["n"]
        assert (columns["half_low"][at], columns["half_high"][at]) == near["half"]
    release = by_city(ROWS, eps=1.0)
    frame = columns_of(release)
    assert frame["value"] == list(release.value.values())
    assert (frame["value_low"][1], frame["value_high"][1]) == release.interval()["Rome"]


def test_other_forms_of_releases() -> None:
    assert list(columns_of(by_two(ROWS, eps=1.0)))[:3] == ["key_1", "key_2", "value"]
    assert list(columns_of(named(ROWS, eps=1.0))) == ["n", "n_low", "n_high", "public"]
    release = counts(ROWS, eps=1.0)
    columns = columns_of(release)
    assert columns["key"] == [0, 1] and columns["value"] == release.value.tolist()
    assert columns["value_low"] == release.interval()[0].tolist()
    with pytest.raises(ParameterError, match="no rows with the same columns"):
        columns_of(of_two_lengths(ROWS, eps=1.0))
    with pytest.raises(ParameterError, match="two columns would be called key"):
        columns_of(of_one_name(ROWS, eps=1.0))


def test_the_frame_of_pandas() -> None:
    pytest.importorskip("pandas")
    frame = by_city(ROWS, eps=1.0).to_pandas()
    assert list(frame.columns) == ["key", "value", "value_low", "value_high"] and len(frame) == 2
