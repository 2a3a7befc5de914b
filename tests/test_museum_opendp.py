"""Wrong maps of aggregates that were published or lie near at hand: put back, each is refuted.

The attack is the one of the laws: it gets the record with the wrong map, or with the arithmetic
that was published, and has to find a pair of tables.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from metricdp.audit.records import attack_record
from metricdp.expr import ZERO, D, Expr, num, root
from metricdp.primitives import load
from metricdp.record import REGISTRY, Instance, Moves, Record
from metricdp.spaces import Records, Row, Scalar, Vector

load()
N = 6
NUMBERS = Scalar("Data", num(0), num(10), "float")
WHOLE = Scalar("Data", kind="int")
SIZED = Records(NUMBERS, "ChangeOne", num(N))
PAIRS = Row(("0", "1"), (NUMBERS, NUMBERS), "tuple[float, float]")
CHORD = D * num(N - 1) / N


def refuted(name: str, instance: Instance, wrong: Moves) -> bool:
    result = attack_record(
        REGISTRY[name], instance, seed=3, pairs=400, mutate=lambda _: wrong, seconds=4.0
    )
    return result.refuted


def scalar(bound: Expr) -> Moves:
    return {("", ""): bound}


WRONG: list[tuple[str, str, Instance, Moves]] = [
    (
        "a tree under L2 moves by its height",
        "b_ary_tree",
        Instance({"x": Vector("Real", "L2", num(16))}, {"branching": 2}),
        {("L2", "L2"): num(5) * D},
    ),
    (
        "a tree under L2 moves by the root of its height",
        "b_ary_tree",
        Instance({"x": Vector("Real", "L2", num(4))}, {"branching": 2}),
        {("L2", "L2"): root(num(3)) * D},
    ),
    (
        "a tree under the largest difference moves by 1",
        "b_ary_tree",
        Instance({"x": Vector("Real", "LInf", num(4))}, {"branching": 2}),
        {("LInf", "LInf"): D},
    ),
    (
        "Euclidean distances of integers are rounded down",
        "b_ary_tree",
        Instance({"x": Vector("Int", "L2", num(4))}, {"branching": 2}),
        {("L2", "L2"): num(2) * D},
    ),
    (
        "the variance of a sample is divided by n^2",
        "variance",
        Instance({"x": SIZED}),
        scalar(100 * CHORD / N),
    ),
    (
        "half of the map of the variance",
        "variance",
        Instance({"x": SIZED}, {"ddof": 0}),
        scalar(100 * CHORD / N / 2),
    ),
    (
        "a covariance moves as a variance does",
        "covariance",
        Instance({"x": Records(PAIRS, "ChangeOne", num(N))}, {"ddof": 0}),
        scalar(100 * (D * (N - D)) / (N * N)),
    ),
    (
        "squared deviations of a private number of rows move as of a public one",
        "sum_of_squared_deviations",
        Instance({"x": Records(NUMBERS)}),
        scalar(num(50) * D),
    ),
    (
        "the sum forgets its lower bound",
        "sum",
        Instance({"x": Records(Scalar("Data", num(-300), num(200), "float"))}),
        scalar(200 * D),
    ),
    (
        "the mean of a private number of rows moves by R/n of the first table",
        "mean",
        Instance({"x": Records(NUMBERS)}, {"at_least": 3}),
        scalar(num(10) * D / 6),
    ),
    (
        "the aggregator of 2021: the mean of 100 rows at half the distance, resized",
        "mean",
        Instance({"x": Records(NUMBERS, "ChangeOne", num(N))}),
        scalar(num(10) * D / (2 * N)),
    ),
    (
        "counts by category under L2 move by 1 when a row is replaced",
        "histogram",
        Instance({"x": Records(WHOLE, "ChangeOne", num(4))}, {"categories": (0, 1)}),
        {("", "L2"): D},
    ),
    (
        "counts by category under L2 move by the root of the number of rows added",
        "histogram",
        Instance({"x": Records(WHOLE)}, {"categories": (0, 1)}),
        {("", "L2"): root(D)},
    ),
    (
        "counts by value reach one key when a row is replaced",
        "count_by",
        Instance({"x": Records(WHOLE, "ChangeOne", num(4))}),
        {("", "L0"): D},
    ),
    (
        "distinct values stay when the number of rows does",
        "count_distinct",
        Instance({"x": Records(WHOLE, "ChangeOne", num(4))}),
        scalar(ZERO),
    ),
    (
        "quantile scores move by alpha",
        "quantile_scores",
        Instance({"x": Records(WHOLE)}, {"candidates": (0, 3), "alpha": Fraction(1, 4)}),
        {("", "LInf"): D / 4},
    ),
    (
        "quantile scores of a replaced row move as of an added one",
        "quantile_scores",
        Instance(
            {"x": Records(WHOLE, "ChangeOne", num(6))},
            {"candidates": (0, 3), "alpha": Fraction(1, 2)},
        ),
        {("", "LInf"): D / 2},
    ),
]


@pytest.mark.parametrize(
    ("name", "instance", "wrong"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG]
)
def test_a_wrong_map_is_refuted(name: str, instance: Instance, wrong: Moves) -> None:
    right = attack_record(REGISTRY[name], instance, seed=3, pairs=100, seconds=2.0)
    assert not right.refuted
    assert refuted(name, instance, wrong)


def rounded_mean(x: Any) -> Any:
    """Squared deviations around a mean in doubles, as published: the offset swamps them."""
    mean = sum(map(float, x)) / len(x)
    return sum((float(v) - mean) ** 2 for v in x)


def wrapped_sum(x: Any) -> int:
    """A sum in 8 bits that wraps around."""
    return (int(sum(x)) + 128) % 256 - 128


FLAWED: list[tuple[str, str, Callable[..., Any], Scalar]] = [
    (
        "squared deviations around a rounded mean",
        "sum_of_squared_deviations",
        rounded_mean,
        Scalar("Data", num(2**60), num(2**60 + 256), "float"),
    ),
    ("a sum that wraps around", "sum", wrapped_sum, Scalar("Data", num(0), num(100), "int")),
]


@pytest.mark.parametrize(
    ("name", "run", "row"), [f[1:] for f in FLAWED], ids=[f[0] for f in FLAWED]
)
def test_flawed_arithmetic_is_refuted(name: str, run: Callable[..., Any], row: Scalar) -> None:
    instance = Instance({"x": Records(row, "ChangeOne", num(5))})
    flawed: Record = msgspec.structs.replace(REGISTRY[name], run=run, tight=lambda *_: None)
    assert not attack_record(REGISTRY[name], instance, seed=5, pairs=100, seconds=2.0).refuted
    assert attack_record(flawed, instance, seed=5, pairs=600, seconds=6.0).refuted
