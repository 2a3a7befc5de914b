"""What is counted is what plain Python counts, in arrays and by the reference alike."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.check import check_paths
from metricdp.errors import MetricdpError
from metricdp.run.emit import Recording

PROGRAMS = """
import statistics
from collections import Counter
from typing import Annotated, TypedDict
import numpy as np

KEYS = ("a", "b", "zz")

class Row(TypedDict):
    n: int
    k: str
    pay: float

@dp.measurement
def by_edges(x: dp.Records[float], edges: tuple[float, ...], b: float):
    return dp.laplace(np.histogram(x, bins=edges)[0], scale=b)

@dp.measurement
def whole_by_edges(x: dp.Records[int], edges: tuple[float, ...], b: float):
    return dp.laplace(np.histogram(x, edges)[0], scale=b)

@dp.measurement
def by_number(x: dp.Records[float], k: int, lo: float, hi: float, b: float):
    counts, edges = np.histogram(x, k, (lo, hi))
    return edges, dp.laplace(counts, scale=b)

@dp.measurement
def both(x: dp.Records[float], b: float):
    counts = [dp.histogram(x, edges=(0, 1, 2)), dp.histogram(x, categories=(0.5, 7.0))]
    return dp.laplace(np.concatenate(counts), scale=b)

@dp.measurement
def largest(x: dp.Records[float], b: float):
    return dp.laplace(max((dp.clamp(v, 0, 64) for v in x), default=-3), scale=b)

@dp.measurement
def smallest(x: dp.Records[float], b: float):
    return dp.laplace(min([dp.clamp(v, 0, 64) for v in x], default=70), scale=b)

@dp.measurement
def mean(x: Annotated[dp.Records[float, dp.ChangeOne], dp.Size("n")], n: int, b: float):
    return dp.laplace(statistics.mean(dp.clamp(x, 0, 64)), scale=b)

@dp.measurement
def variance(x: Annotated[dp.Records[float, dp.ChangeOne], dp.Size("n")], n: int, b: float):
    return dp.laplace(statistics.variance(dp.clamp(x, 0, 64)), scale=b)

@dp.measurement
def counter(x: dp.Records[str], b: float):
    counts = Counter(x)
    found = [counts["a"], counts.get("b", 0), counts["zz"], counts["a"], counts.total()]
    return dp.laplace(found, scale=b)

@dp.measurement
def whole_counter(x: dp.Records[float], b: float):
    counts = Counter(v for v in x if v < 5)
    return dp.laplace([counts[k] for k in (0, 1.0, 0.1, 2.5, 7)], scale=b)

@dp.measurement
def chosen(x: dp.Records[int], at: int, b: float):
    counts = [sum(1 for v in x if v == k) for k in range(3)]
    i = dp.report_noisy_max([v * 1000 for v in counts], scale=b)
    return dp.laplace(counts[i], scale=b)

@dp.measurement
def lists(x: dp.Records[Row], b: float):
    counts, pay, other = [0] * 3, [1.5, 0, 2], {"a": 0, 2: 0.5, "c": 7}
    for r in x:
        if 0 <= r["n"] < 3:
            counts[r["n"]] += 1
            pay[r["n"]] += dp.clamp(r["pay"], -2, 3)
        elif r["k"] in other:
            other[r["k"]] -= dp.clamp(r["pay"], 0, 1)
            counts[r["n"] > 4] -= 1
        else:
            counts[0] += 2
    return dp.laplace([*counts, *pay, other["a"], other[2], other["c"]], scale=b)

@dp.measurement
def array(x: dp.Records[Row], n: int, b: float):
    counts, pay = np.zeros(n), np.zeros(3)
    for r in x:
        counts[min(max(r["n"], 0), n - 1)] += 1
        if r["k"] == "a":
            pay[r["n"] % 3] += dp.clamp(r["pay"], -2, 3)
        else:
            pay[0] -= 1
    return dp.laplace(counts, scale=b), dp.laplace(pay, scale=b)

@dp.measurement
def replaced(x: dp.Records[Row, dp.ChangeOne], b: float):
    counts = np.zeros(3, dtype=int)
    for r in x:
        counts[r["n"] % 3] += 1
    return dp.laplace(counts, scale=b)

@dp.measurement
def aliases(x: dp.Records[Row], b: float):
    counts = [0] * 3
    same = counts
    for r in x:
        counts[r["n"] % 3] += 1
        same[r["n"] % 2] += 1
    return dp.laplace(same, scale=b)

@dp.measurement
def inside(x: dp.Records[Row], b: float):
    counts = [0] * 3
    for r in x:
        add(counts, r["n"] % 3)
        same = counts
        same[0] += 1
    return dp.laplace(counts, scale=b)

def add(into, at):
    into[at] += 1

@dp.measurement
def vectors(x: dp.Records[Row], b: float):
    total = 0.0
    for r in x:
        total = total + dp.one_hot(r["n"], 3, dp.clamp(r["pay"], -2, 3))
    return dp.laplace(total, scale=b)

@dp.measurement
def pairs(x: dp.Records[Row], b: float):
    kept = [r for r in x if r["n"] >= 0]
    h = [dp.clamp(r["pay"], -2, 3) for r in kept]
    w = [dp.clamp(r["n"], 0, 2) for r in kept]
    total = 0.0
    for a, c in zip(h, w):
        total += a * c
    both = sum(a * c for a, c in zip(h, w, strict=True) if c > 0)
    return dp.laplace([sum(a * c for a, c in zip(h, w)), total, both], scale=b)

@dp.measurement
def fields(x: dp.Records[tuple[int, float, int]], b: float):
    a, p, c = zip(*x)
    pay = [dp.clamp(v, -2, 3) for v in p]
    both = sum(dp.clamp(v, 0, 3) * w for v, w in zip(a, pay))
    return dp.laplace([sum(dp.clamp(v, 0, 3) for v in a), both, sum(dp.clamp(c, 0, 9))], scale=b)

@dp.measurement
def first(x: dp.Records[int], b: float):
    counts = [sum(1 for v in x if v == k) for k in range(4)]
    return dp.above_threshold(counts, threshold=2, scale=b, query_scale=b)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("counting"), PROGRAMS)


def entered(run: Callable[[], Any]) -> list[Any]:
    """What enters the noise, by both evaluators alike."""
    found = []
    for evaluator in ("arrays", "reference"):
        record = Recording(dp.Seeded(7))
        with evaluated_by(evaluator, rows=3), dp.handling(record):
            run()
        found.append([plain(entry.value) for entry in record.log])
    assert found[0] == found[1]
    return found[0]


ENDS = (-1.5, 0.0, 0.1, 0.30000000000000004, 2.5, 7.0)
VALUES = [*ENDS, 0.3, -0.0, 5e-324, -5e-324, 7.000000000000001, -2.0, 1e308, 6.9, 2.4999]


def test_bins_hold_what_numpy_puts_into_them(made: ModuleType) -> None:
    rng = random.Random(3)
    for _ in range(8):
        rows = rng.choices(VALUES, k=rng.randrange(9))
        edges = tuple(sorted(rng.sample(ENDS, rng.randrange(2, 6))))
        counts = np.histogram(rows, edges)[0].tolist()
        assert entered(lambda r=rows, e=edges: made.by_edges(r, e, b=1.0)) == [counts]
        whole = [rng.randrange(-3, 9) for _ in range(9)]
        counts = np.histogram(whole, edges)[0].tolist()
        assert entered(lambda r=whole, e=edges: made.whole_by_edges(r, e, b=1.0)) == [counts]
        k, lo = rng.randrange(1, 9), rng.choice((-1.0, 0.0, 0.1))
        counts = np.histogram(rows, k, (lo, 7.0))[0]
        assert entered(lambda r=rows, n=k, a=lo: made.by_number(r, n, a, 7.0, 1.0)) == [
            counts.tolist()
        ]
    edges, _ = made.by_number([1.0], 3, 0.1, 7.0, b=1.0).value
    assert edges.tolist() == np.histogram([], 3, (0.1, 7.0))[1].tolist()
    assert entered(lambda: made.both([0.5, 1.5, 7.0], b=1.0)) == [[1, 1, 1, 1]]
    far = (0.0, float(2**53 + 2))  # between whole numbers that are no doubles
    assert entered(lambda: made.whole_by_edges([2**53 + 3, 2**53 + 2, 2**53 + 1], far, b=1.0)) == [
        [2]
    ]


@pytest.mark.parametrize("edges", [(1.0,), (), (0.0, 0.0), (1.0, 0.0), (0.0, math.inf)])
def test_edges_that_do_not_rise_are_refused_before_data(
    made: ModuleType, edges: tuple[float, ...]
) -> None:
    for rows in ([], [0.5]):
        with pytest.raises(MetricdpError):
            made.by_edges(rows, edges, b=1.0)


def test_ends_means_and_crossings(made: ModuleType) -> None:
    assert entered(lambda: made.largest([], b=1.0)) == [-3]
    assert entered(lambda: made.largest([3.5, 80.0, -2.0], b=1.0)) == [64]
    assert entered(lambda: made.smallest([], b=1.0)) == [70]
    assert entered(lambda: made.smallest([3.5, 80.0], b=1.0)) == [3.5]
    rows = [3.5, 64.0, 0.25]
    assert entered(lambda: made.mean(rows, n=3, b=1.0)) == [
        pytest.approx(statistics.mean(rows), rel=1e-15)
    ]
    assert entered(lambda: made.variance(rows, n=3, b=1.0)) == [
        pytest.approx(statistics.variance(rows), rel=1e-15)
    ]
    assert entered(lambda: made.first([1, 1, 0, 3, 3, 3], b=1.0)) == [[1, 2, 0, 3]]


def test_counters_by_public_keys(made: ModuleType) -> None:
    words = ["a", "b", "a", "", "A"]
    assert entered(lambda: made.counter(words, b=1.0)) == [[2, 1, 0, 2, 5]]
    assert entered(lambda: made.counter([], b=1.0)) == [[0, 0, 0, 0, 0]]
    numbers = [0.0, -0.0, 1, 0.1, 0.1, 7.0, 2.5]
    assert entered(lambda: made.whole_counter(numbers, b=1.0)) == [[2, 1, 2, 1, 0]]
    assert entered(lambda: made.chosen([1, 1, 0, 5], 0, b=1.0))[1:] == [2]


Rows = list[dict[str, Any]]


def by_hand(rows: Rows) -> list[float]:
    """`lists` in plain Python."""
    counts, pay, other = [0] * 3, [1.5, 0, 2], {"a": 0, 2: 0.5, "c": 7}
    for r in rows:
        if 0 <= r["n"] < 3:
            counts[r["n"]] += 1
            pay[r["n"]] += min(max(r["pay"], -2), 3)
        elif r["k"] in other:
            other[r["k"]] -= min(max(r["pay"], 0), 1)
            counts[r["n"] > 4] -= 1
        else:
            counts[0] += 2
    return [*counts, *pay, other["a"], other[2], other["c"]]


def some_rows(rng: random.Random, count: int) -> Rows:
    return [
        {"n": rng.randrange(-2, 6), "k": rng.choice(("a", "c", "2", "d")),
         "pay": rng.choice((-8.0, -1.5, 0.0, 0.25, 2.0, 9.0))}
        for _ in range(count)
    ]  # fmt: skip


def test_rows_add_where_they_say(made: ModuleType) -> None:
    rng = random.Random(11)
    for count in (0, 1, 2, 5, 9):
        rows = some_rows(rng, count)
        assert entered(lambda r=rows: made.lists(r, b=1.0)) == [by_hand(rows)]
        n = rng.randrange(1, 5)
        counts, pay = [0] * n, [0.0] * 3
        for r in rows:
            counts[min(max(r["n"], 0), n - 1)] += 1
            pay[r["n"] % 3 if r["k"] == "a" else 0] += (
                min(max(r["pay"], -2), 3) if r["k"] == "a" else -1
            )
        assert entered(lambda r=rows, n=n: made.array(r, n, b=1.0)) == [counts, pay]
        hot = [sum(min(max(r["pay"], -2), 3) for r in rows if r["n"] == i) for i in range(3)]
        if rows:
            assert entered(lambda r=rows: made.vectors(r, b=1.0)) == [hot]
        thirds = [sum(r["n"] % 3 == i for r in rows) for i in range(3)]
        halves = [sum(r["n"] % 2 == i for r in rows) for i in range(2)]
        assert entered(lambda r=rows: made.replaced(r, b=1.0)) == [thirds]
        both = [thirds[0] + halves[0], thirds[1] + halves[1], thirds[2]]
        assert entered(lambda r=rows: made.aliases(r, b=1.0)) == [both]
        assert entered(lambda r=rows: made.inside(r, b=1.0)) == [
            [thirds[0] + len(rows), thirds[1], thirds[2]]
        ]


def test_rows_of_tables_side_by_side(made: ModuleType) -> None:
    rng = random.Random(13)
    for count in (0, 1, 7):
        rows = some_rows(rng, count)
        kept = [r for r in rows if r["n"] >= 0]
        total = sum(min(max(r["pay"], -2), 3) * min(max(r["n"], 0), 2) for r in kept)
        assert entered(lambda r=rows: made.pairs(r, b=1.0)) == [[total] * 3]
        tuples = [(r["n"], r["pay"], len(r["k"])) for r in rows]
        first = [min(max(n, 0), 3) for n, _, _ in tuples]
        both = sum(v * min(max(p, -2), 3) for v, (_, p, _) in zip(first, tuples, strict=True))
        assert entered(lambda r=tuples: made.fields(r, b=1.0)) == [[sum(first), both, len(rows)]]


def test_what_one_row_moves_is_charged(made: ModuleType) -> None:
    rng = random.Random(12)
    costs = {"lists": 4, "array": 4, "aliases": 2, "vectors": 3, "replaced": 2, "inside": 2}
    for name, most in costs.items():
        program, further = getattr(made, name), {"n": 3} if name == "array" else {}
        for _ in range(12):
            rows = some_rows(rng, 4)
            other = [*some_rows(rng, 1), *rows[1:]] if name == "replaced" else rows[1:]
            runs = (partial(program, r, b=1.0, **further) for r in (rows, other))
            a, b = map(entered, runs)
            moved = sum(
                abs(x - y) for v, w in zip(a, b, strict=True) for x, y in zip(v, w, strict=True)
            )
            assert moved <= most
        cost = program.at(b=1.0, **further).map(1)
        assert cost == most, (name, cost)


_COLUMNAR = ("lists", "array", "vectors", "replaced", "aliases", "counter", "pairs", "fields")


def test_sums_that_rows_place_are_made_in_columns(made: ModuleType) -> None:
    by_row = {f.name: f.by_row for f in check_paths([str(made.__file__)]).functions}
    assert not any(by_row[name] for name in _COLUMNAR)
    assert by_row["inside"]


LOCAL = """
@dp.measurement
def shuffled(answers: dp.Records[bool, dp.ChangeOne], eps: float):
    return [dp.randomized_response(a, epsilon=eps) for a in answers]

@dp.measurement
def in_order(answers: dp.Records[bool, dp.Hamming], eps: float):
    return [dp.randomized_response(a, epsilon=eps) for a in answers]
"""


def test_noise_per_row_has_the_law_of_parallel_rounds(tmp_path: Path) -> None:
    made = load(tmp_path, LOCAL)
    tables = list(itertools.product((False, True), repeat=3))
    laws = {t: made.shuffled.at(eps=1).law(list(t)) for t in tables}
    worst = dict.fromkeys(range(4), 0.0)
    for x, y in itertools.product(tables, repeat=2):
        changed = abs(sum(x) - sum(y))  # rows to replace, whatever their order is
        p, q = laws[x], laws[y]
        loss = max(float(p.pmf(o)[1] / q.pmf(o)[0]) for o in p.support())
        assert loss <= math.exp(changed) * (1 + 1e-9)
        worst[changed] = max(worst[changed], loss)
    assert all(math.isclose(worst[d], math.exp(d), rel_tol=1e-9) for d in worst)
    assert [made.shuffled.at(eps=1).map(d) for d in (0, 1, 2)] == [0, 1, 2]


def test_noise_per_row_stands_in_a_random_order_where_none_is_seen(tmp_path: Path) -> None:
    made = load(tmp_path, LOCAL)
    first = [0, 0, 0]
    for seed in range(120):
        record = Recording(dp.Seeded(seed))
        with dp.handling(record):
            said = made.shuffled([True, False, False], eps=500.0).value
        assert sorted(said) == [False, False, True]
        assert [entry.value for entry in record.log] == said  # the draws show no order either
        first[said.index(True)] += 1
    # 120 uniform draws of 3: a place with fewer than 15 has a chance below 1e-6.
    assert min(first) >= 15
    for seed in range(5):
        with dp.handling(dp.Seeded(seed)):
            assert made.in_order([True, False, False], eps=500.0).value == [True, False, False]
