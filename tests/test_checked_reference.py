"""A compiled program computes what its text says, exactly: branches, loops, rows, containers.

Each program stands beside the same computation in plain Python on rationals, written by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import make_dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from hypothesis import given
from hypothesis import strategies as st

import metricdp as dp
from metricdp.columns import language
from metricdp.columns.grids import range_of
from metricdp.columns.language import Node, inner_doubles
from metricdp.columns.table import Table
from metricdp.record import REGISTRY
from metricdp.run.applied import applied
from metricdp.run.guards import admit
from metricdp.run.pins import Pins
from metricdp.spaces import Records, Scalar
from metricdp.values import Exact

PROGRAMS = """
from dataclasses import dataclass
from typing import NamedTuple, TypedDict


@dp.transformation
def clamped_sum(x: dp.Records[float]):
    return dp.sum(dp.clamp(x, -3, 20))


@dp.transformation
def loop_sum(x: dp.Records[float]):
    total = 0
    for v in x:
        total += dp.clamp(v, -3, 20)
    return total


@dp.transformation
def means(x: dp.Records[float]):
    kept = dp.clamp(x, 0, 8)
    return dp.mean(kept), dp.mean(kept, empty=4, at_least=10)


@dp.transformation
def filtered(x: dp.Records[float]):
    return dp.count(lambda v: v > 2.5, x), dp.count([v for v in x if v >= 1]), dp.count(x)


@dp.transformation
def kept_sum(x: dp.Records[float]):
    return dp.sum(dp.clamp([v for v in x if v > 1], 0, 7))


@dp.transformation
def branchy(x: dp.Records[int]):
    total = 0
    for v in x:
        if v > 18:
            total += dp.clamp(v, 0, 30) * 2
        else:
            total += 1
    return total


@dp.transformation
def vectors(x: dp.Vector[Real, L1], w: float):
    y = x * w + 1
    z = abs(y - x) / 4
    return z - dp.clamp(x, -1, 1)


@dp.transformation
def spread(x: dp.Vector[Real, L1]):
    return max(x) - sum(x) / len(x)


@dp.transformation
def indexed(x: dp.Vector[Real, L2]):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * (i + 1)
    return total - x[0]


@dp.transformation
def matrix(m: dp.Matrix[Real, L1]):
    return dp.sum_rows(dp.map_rows(lambda r: r * 2, m))


@dp.transformation
def clipped_rows(m: dp.Matrix[Data, LInf]):
    total = 0.0
    for row in m:
        total += dp.undisc(dp.clip(row, L1))
    return total


@dp.transformation
def aligned(x: dp.Aligned[dp.Matrix[Data, LInf], dp.Vector[Data, LInf]]):
    a, b = x
    total = 0
    for i in range(len(b)):
        total += dp.undisc(dp.clamp(b[i], 0, 5))
    return total


@dataclass
class Person:
    age: int
    income: float
    member: bool


class Visit(NamedTuple):
    cost: float
    urgent: bool


class Bill(TypedDict):
    amount: float
    paid: bool


@dp.transformation
def people(rows: dp.Records[Person]):
    total = 0.0
    for p in rows:
        if p.member:
            total += dp.clamp(p.income, 0, 100) / 4
    return total, dp.count(lambda p: p.age > 30, rows)


@dp.transformation
def visits(rows: dp.Records[Visit]):
    return dp.sum(dp.clamp([v.cost for v in rows], 0, 10)), dp.count([v for v in rows if v.urgent])


@dp.transformation
def bills(rows: dp.Records[Bill]):
    return dp.sum(dp.clamp([b["amount"] for b in rows], 0, 10))


@dp.transformation
def pairs(rows: dp.Records[tuple[float, int]]):
    return dp.sum(dp.clamp([r[0] for r in rows], 0, 10)), dp.count(lambda r: r[1] == 1, rows)


@dp.transformation
def entrywise(x: dp.Vector[Data, L1]):
    return x > 2


@dp.transformation
def ranged(x: dp.Vector[Data, L1]):
    return dp.count(lambda v: 0 < v <= 5, x)


@dp.transformation
def logic(a: dp.Bool, b: dp.Bool):
    both = a and b
    either = a or b
    none = not either
    return both + 2 * either + 4 * none


@dp.transformation
def texts(names: dp.Records[str]):
    return dp.count(lambda s: s == "ann", names)


def scaled(x, factor=2):
    return x * factor


@dp.transformation
def defaults(x: dp.Real, n: int = 3, w: float = 0.1):
    total = scaled(x) + scaled(x, factor=n)
    for i in range(n):
        total += scaled(x, w) if i == 1 else 0
    return total


@dp.transformation
def exact_thirds(x: dp.Real, n: int):
    return (x / n) * n + float(x) - x
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("reference"), PROGRAMS)


def grid(x: Any, low: int, high: int) -> Fraction:
    bound = range_of(Fraction(low), Fraction(high))
    assert bound is not None
    return bound.ticks(x) * Fraction(2) ** bound.exponent


def clamp(x: Any, low: Any, high: Any) -> Any:
    return min(max(Fraction(x), low), high)


COLUMNS = [[], [2.5], [-4.0, 0.1, 1e300, -1e300, 19.999999, 20.0, 20.000001], [5e-324, -5e-324]]
COLUMNS += [[Random(s).uniform(-30, 40) for _ in range(50)] for s in range(3)]


@pytest.mark.parametrize("x", COLUMNS)
def test_tables_of_numbers(programs: Any, x: list[float]) -> None:
    expected = sum(grid(v, -3, 20) for v in x)
    assert programs.clamped_sum(x) == programs.clamped_sum(np.array(x)) == expected
    assert programs.loop_sum(x) == expected
    # The grid moves a row by at most half a step of 2**-36: rounding inward, never beyond 20.
    assert abs(expected - sum(clamp(v, -3, 20) for v in x)) <= len(x) * Fraction(1, 2**35)
    kept = [grid(v, 0, 8) for v in x]
    filled = [*kept, *[Fraction(4)] * max(0, 10 - len(kept))]
    mean = Fraction(sum(kept)) / len(kept) if kept else 0
    means = zip(programs.means(x), (mean, Fraction(sum(filled)) / len(filled)), strict=True)
    assert all(abs(found - wanted) <= Fraction(1, 2**36) for found, wanted in means)
    counts = (sum(v > 2.5 for v in x), sum(v >= 1 for v in x), len(x))
    assert programs.filtered(x) == programs.filtered(np.array(x)) == counts
    assert programs.kept_sum(x) == sum(clamp(v, 0, 7) for v in x if v > 1)


def test_branches_and_whole_numbers(programs: Any) -> None:
    x = [17, 18, 19, 31, -5, 2**62]
    expected = sum(min(max(v, 0), 30) * 2 if v > 18 else 1 for v in x)
    assert programs.branchy(x) == programs.branchy(np.array(x)) == expected


def test_vectors(programs: Any) -> None:
    x = [0.1, -7.5, 3.0]
    f = [Fraction(v) for v in x]
    # A public float parameter that sets no target is the double that was given.
    w = Fraction(0.3)
    expected = [abs(v * w + 1 - v) / 4 - clamp(v, -1, 1) for v in f]
    assert list(programs.vectors(x, w=0.3)) == list(programs.vectors(np.array(x), w=0.3))
    assert list(programs.vectors(x, w=0.3)) == expected
    assert programs.spread(x) == max(f) - sum(f) / 3
    assert programs.indexed(x) == f[0] + 2 * f[1] + 3 * f[2] - f[0]


def test_matrices_and_aligned_containers(programs: Any) -> None:
    m = [[0.5, -2.0], [0.1, 0.2], [3.0, 4.0]]
    f = [[Fraction(v) for v in row] for row in m]
    assert list(programs.matrix(m)) == [2 * sum(c) for c in zip(*f, strict=True)]
    assert list(programs.matrix(np.array(m))) == list(programs.matrix(m))
    clipped = [[v / max(1, sum(map(abs, row))) for v in row] for row in f]
    found = list(programs.clipped_rows(m))
    for value, column in zip(found, zip(*clipped, strict=True), strict=True):
        # A run moves every row inward onto the grid of its ball: by less than a step of 2**-39.
        assert abs(value - sum(column)) < len(m) * Fraction(1, 2**39)
    assert sum(map(abs, found)) <= 3
    assert programs.aligned((m, [1.0, 9.0, -1.0])) == 6


def test_rows_with_fields(programs: Any) -> None:
    person = programs.Person
    rows = [person(31, 1000.0, True), person(30, 50.5, False), person(7, 20.0, True)]
    assert programs.people(rows) == (30, 1)
    other = make_dataclass("Other", ["age", "income", "member"])
    as_others = [other(p.age, p.income, p.member) for p in rows]
    as_dicts = [{"age": p.age, "income": p.income, "member": p.member} for p in rows]
    columns = {k: [r[k] for r in as_dicts] for k in ("age", "income", "member")}
    for form in (as_others, as_dicts, columns):
        assert programs.people(form) == (30, 1)
    assert programs.visits([programs.Visit(12.0, True), programs.Visit(2.5, False)]) == (12.5, 1)
    assert programs.bills([{"amount": 3.5, "paid": True}, {"amount": -1.0, "paid": False}]) == 3.5
    assert programs.pairs([(1.5, 1), (99.0, 2)]) == (11.5, 1)


def test_comparisons_and_logic(programs: Any) -> None:
    assert list(programs.entrywise([1.0, 2.0, 3.0])) == [False, False, True]
    assert programs.ranged([0.0, 0.5, 5.0, 6.0]) == 2
    for a in (True, False):
        for b in (True, False):
            assert programs.logic(a, b) == (a and b) + 2 * (a or b) + 4 * (not (a or b))
    assert programs.texts(["ann", "bob", "ann"]) == 2


def test_helpers_defaults_and_exactness(programs: Any) -> None:
    x = Fraction(0.7)
    assert programs.defaults(0.7) == 2 * x + 3 * x + x * Fraction(0.1)
    assert programs.defaults(0.7, 2, w=0.25) == 2 * x + 2 * x + x / 4
    assert programs.exact_thirds(0.1, n=3) == Fraction(0.1)


# -- a condition must not return what it was not proved to return ------------------------------


def test_or_with_a_public_number_stays_a_boolean(tmp_path: Path) -> None:
    """`flag or 5` is 5 in plain Python; proved as a Boolean, it must run as one, or be rejected."""
    module: Any = load(
        tmp_path,
        """
        @dp.transformation
        def f(flag: dp.Bool, n: int):
            return (flag or n) + 0
        """,
    )
    try:
        moved = module.f.at(n=5).map(1)
    except dp.errors.NotProvedError:
        return
    assert abs(module.f(True, n=5) - module.f(False, n=5)) <= moved


def test_texts_with_numbers_inside(tmp_path: Path) -> None:
    """A mechanism inside an f-string still draws noise; a number is shown as Python shows it."""
    module: Any = load(
        tmp_path,
        """
        @dp.measurement
        def f(x: dp.Records[float], eps: float, n: int):
            return f"{n / 4} {dp.laplace(dp.count(x), epsilon=eps)}"
        """,
    )
    try:
        shown = [module.f([1.0], eps=0.01, n=1).value for _ in range(3)]
    except dp.errors.NotProvedError:
        return
    assert all(text.startswith("0.25 ") for text in shown)
    assert len(set(shown)) == 3


# -- the array path ------------------------------------------------------------------------

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(FLOATS.map(Fraction), st.integers(-(2**70), 2**70), st.fractions())


def rows_of(x: list[Any], kind: str) -> Table:
    found = admit("x", Records(Scalar("Data", kind=kind)), x)
    assert isinstance(found, Table)
    return found


@given(st.lists(FLOATS, max_size=12), NUMBERS, NUMBERS)
def test_clamp_of_a_column_is_the_clamp_of_its_rows(x: list[float], a: Any, b: Any) -> None:
    low, high = min(a, b), max(a, b)
    clamp = REGISTRY["clamp"]
    found = applied("clamp", Pins()["clamp"], (rows_of(x, "float"), low, high), {})
    assert all(low <= v <= high for v in found)
    ends = inner_doubles(Fraction(low), Fraction(high)) or (low, high)
    assert list(found) == clamp.run(list(map(Exact, x)), *ends)


COMPARISONS: list[Callable[[Any, Any], Any]] = [
    lambda v, t: v < t,
    lambda v, t: v <= t,
    lambda v, t: v > t,
    lambda v, t: v >= t,
    lambda v, t: v == t,
    lambda v, t: v != t,
    lambda v, t: t < v,
    lambda v, t: t >= v,
]


@given(st.lists(FLOATS, min_size=1, max_size=9), st.lists(st.integers(-9, 9), max_size=9), NUMBERS)
def test_one_comparison_of_a_column_is_exact(x: list[float], k: list[int], t: Any) -> None:
    thresholds = [t, x[0], Fraction(x[0]) + Fraction(1, 10**30), Fraction(1, 3), 0]
    for column in (rows_of(x, "float"), rows_of(k, "int")):
        for compare in COMPARISONS:
            for threshold in map(Exact, thresholds):
                kept = column.filtered(compared(compare, column.row, threshold))
                assert list(kept) == [v for v in column if compare(v, threshold)]


def compared(compare: Callable[[Any, Any], Any], row: Node, threshold: Fraction) -> Node:
    """What a program says of a row is said by records, not by operators."""
    found: Node = compare(_Recorded(row), threshold).node
    return found


class _Recorded:
    """A value of a row whose comparisons are those of the records."""

    def __init__(self, node: Node) -> None:
        self.node = node


def _by_record(name: str) -> Callable[[_Recorded, Any], _Recorded]:
    of = getattr(language, name)
    return lambda x, y: _Recorded(of(x.node, y))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(_Recorded, f"__{_name}__", _by_record(_name))
