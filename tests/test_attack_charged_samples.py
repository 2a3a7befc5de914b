"""Samples that are read row by row, by parts and by position: the claim against the exact laws.

Every program is run along all of its samples and answers, with the laws of what it releases, on all
small neighbours; the claim must hold for each pair, and is met closely where a theorem is tight, so
that a smaller claim would fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from functools import cache, partial
from itertools import product
from math import inf
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load

import metricdp as dp
from metricdp.checked.laws import program_law
from metricdp.errors import BudgetError
from metricdp.laws import max_divergence

PROGRAMS = """
from metricdp import Aligned, ChangeOne, Matrix, Records, Vector

def truth(x, eps):
    return dp.randomized_response(x > 0, epsilon=eps)

def both_parts(table, eps):
    parts = dp.partition(table, key=lambda r: r, keys=(0, 1))
    return [truth(dp.count(p), eps) for p in parts]

@dp.measurement
def poisson_parts(x: Records[int], eps: float):
    return both_parts(dp.sample(x, q=0.5), eps)

@dp.measurement
def poisson_replaced_parts(x: Records[int, ChangeOne], eps: float):
    return both_parts(dp.sample(x, q=0.5), eps)

@dp.measurement
def fixed_parts(x: Records[int, ChangeOne], eps: float):
    return both_parts(dp.sample(2, x), eps)

@dp.measurement
def repeated_parts(x: Records[int, ChangeOne], eps: float):
    return both_parts(dp.sample(2, x, replace=True), eps)

@dp.measurement
def sample_of_a_sample(x: Records[int], eps: float):
    return both_parts(dp.sample(dp.sample(x, q=0.5), q=0.5), eps)

@dp.measurement
def in_a_branch(x: Records[int], eps: float):
    part = dp.sample(x, q=0.5)
    if eps > 3:
        out = both_parts(part, eps / 3)
    else:
        out = both_parts(part, eps)
    return out

@dp.measurement
def in_a_loop(x: Records[int], eps: float):
    out = []
    for _ in range(2):
        part = dp.sample(x, q=0.5)
        for p in dp.partition(part, key=lambda r: r, keys=(0, 1)):
            out.append(truth(dp.count(p), eps))
    return out

@dp.measurement
def one_sample_in_a_loop(x: Records[int], eps: float):
    out, part = [], dp.sample(x, q=0.5)
    for _ in range(2):
        for p in dp.partition(part, key=lambda r: r, keys=(0, 1)):
            out.append(truth(dp.count(p), eps))
    return out

@dp.measurement
def parts_of_the_sample_and_of_all(x: Records[int], eps: float):
    return both_parts(dp.sample(x, q=0.5), eps), both_parts(x, eps)

@dp.measurement
def state_of_a_loop(x: Records[int], eps: float):
    out, kept = [], x
    for _ in range(2):
        for p in dp.partition(kept, key=lambda r: r, keys=(0, 1)):
            out.append(truth(dp.count(p), eps))
        kept = dp.filter(lambda r: r > 0, kept)
    return out

@dp.measurement
def sampled_state_of_a_loop(x: Records[int], eps: float):
    out, kept = [], x
    for _ in range(2):
        out.append(truth(dp.count(dp.sample(kept, q=0.5)), eps))
        kept = dp.filter(lambda r: r > 0, kept)
    return out

@dp.measurement
def rows_of_a_vector(x: Vector[Data, L1], eps: float):
    out = []
    for r in dp.sample(2, x):
        out.append(truth(r, eps))
    return out

@dp.measurement
def rows_drawn_again(x: Vector[Data, L1], eps: float):
    out = []
    for r in dp.sample(2, x, replace=True):
        out.append(truth(r, eps))
    return out

@dp.measurement
def by_position(x: Vector[Data, L1], eps: float):
    part, out = dp.sample(2, x), []
    for i in range(2):
        out.append(truth(part[i], eps))
    return out

@dp.measurement
def rows_of_a_matrix(x: Matrix[Data, LInf], eps: float):
    out = []
    for r in dp.sample(2, x):
        out.append(truth(r[0], eps))
    return out

@dp.measurement
def aligned(xy: Aligned[Vector[Data, L1], Vector[Data, L1]], eps: float):
    out = []
    x, y = dp.sample(2, xy)
    for a, b in zip(x, y):
        out.append((truth(a, eps), truth(b, eps)))
    return out

@dp.measurement
def folded(x: Matrix[Data, LInf], y: Matrix[Data, LInf], eps: float):
    a, b = dp.sample(1, x), dp.sample(1, y)
    step = lambda acc, r, s: 3 * acc + truth(r[0], eps) + truth(s[0], eps)
    return dp.parallel_private_fold_rows(step, 0, a, b)
"""
EPS = F(3, 2)
Pair = tuple[Any, Any]


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("programs"), PROGRAMS)


def removed(rows: int) -> Iterator[Pair]:
    for x in product((0, 1), repeat=rows):
        yield list(x), list(x[1:])


def replaced(rows: int) -> Iterator[Pair]:
    for x in product((0, 1), repeat=rows):
        yield list(x), [1 - x[0], *x[1:]]


def persons(rows: int) -> Iterator[Pair]:
    for x in product((0, 1), repeat=rows):
        for y in ((0, 1), (1, 1)):
            fixed = list(y[: rows - 1])
            yield ([*x], [0, *fixed]), ([1 - x[0], *x[1:]], [1, *fixed])


def matrices(rows: int) -> Iterator[Pair]:
    for x, y in replaced(rows):
        yield [[v, 0] for v in x], [[v, 1] for v in y]


@cache
def law(function: Any, data: str) -> Any:
    return program_law(lambda: function(*eval(data), eps=float(EPS)), function.__name__)


def worst(function: Any, pairs: Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]) -> float:
    found = 0.0
    for x, y in pairs:
        first, second = law(function, repr(x)), law(function, repr(y))
        for p, q in ((first, second), (second, first)):
            bounds = max_divergence(p, q)
            found = max(found, bounds if isinstance(bounds, float) else float(bounds[0]))
    return found


def claimed(function: Any, name: str, rows: int) -> float:
    guarantee = function.outcome.guarantee
    sizes = {f"{kind}_{name}": F(rows) for kind in ("len", "rows")}
    epsilon = guarantee.cost(name, dp.expr.ONE, "pure")["epsilon"]
    return float(epsilon.upper({**sizes, f"cols_{name}": F(2), "eps": EPS}))


#: Program, neighbours, number of rows, least share of the claim that is met.
CASES = [
    ("poisson_parts", removed, 2, 0.95),
    ("poisson_replaced_parts", replaced, 2, 0.4),
    ("fixed_parts", replaced, 3, 0.4),
    ("repeated_parts", replaced, 2, 0.4),
    ("sample_of_a_sample", removed, 2, 0.95),
    ("in_a_branch", removed, 2, 0.95),
    ("in_a_loop", removed, 1, 0.95),
    ("one_sample_in_a_loop", removed, 1, 0.95),
    ("parts_of_the_sample_and_of_all", removed, 1, 0.8),
    ("state_of_a_loop", removed, 2, 0.95),
    ("sampled_state_of_a_loop", removed, 2, 0.6),
    ("rows_of_a_vector", replaced, 4, 0.95),
    ("rows_drawn_again", replaced, 3, 0.7),
    ("by_position", replaced, 4, 0.95),
    ("rows_of_a_matrix", matrices, 3, 0.95),
    ("aligned", persons, 2, 0.95),
]


@pytest.mark.parametrize(("name", "pairs", "rows", "share"), CASES, ids=[c[0] for c in CASES])
def test_claims_on_samples_read_in_parts_hold_and_are_met(
    module: ModuleType, name: str, pairs: Any, rows: int, share: float
) -> None:
    function = getattr(module, name)
    (entry,) = function.outcome.guarantee.private()
    claim = claimed(function, entry.name, rows)
    found = worst(function, (((x,), (y,)) for x, y in pairs(rows)))
    assert 0 < claim < inf
    assert share * claim <= found <= claim + 1e-9


def test_two_samples_folded_together(module: ModuleType) -> None:
    claim = claimed(module.folded, "x", 2)
    pairs = (((x, [[0, 0], [1, 0]]), (y, [[0, 0], [1, 0]])) for x, y in matrices(2))
    found = worst(module.folded, pairs)
    assert 0.3 * claim <= found <= claim + 1e-9


def test_a_sample_of_fixed_size_is_not_in_the_order_of_the_data(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In that order a row more in the sample moves the others by one place, which costs more."""
    from metricdp.laws.row_samples import row_samples
    from metricdp.noise import SeededSource
    from metricdp.run.sampling import positions

    def in_order(*given: Any) -> Any:
        return row_samples(*given, ordered=False)

    monkeypatch.setattr("metricdp.run.pending.row_samples", in_order)
    x = [0, 0, 0, 1]
    read = partial(module.rows_of_a_vector, eps=float(EPS))
    p, q = (program_law(partial(read, data), "rows") for data in (x, [1, *x[1:]]))
    exceeded = max(float(max_divergence(p, q)[0]), float(max_divergence(q, p)[0]))
    assert exceeded > 1.1 * claimed(module.rows_of_a_vector, "x", 4)
    # What runs: 100 samples of 10 from 50 rows in the order of the rows have chance 1e-656.
    source = SeededSource(11)
    for scheme in ("WithoutReplacement", "WithReplacement"):
        drawn = [positions(scheme, F(10), 50, source) for _ in range(100)]
        assert any(each != sorted(each) for each in drawn)


def test_a_session_charges_what_is_read_of_a_sample(module: ModuleType) -> None:
    session = dp.Session({"x": (dp.Records[int], [0, 1, 1])}, budget=dp.Budget(epsilon=1))
    with pytest.raises(BudgetError):
        session.run(module.poisson_parts, eps=2.0)
    session.run(module.poisson_parts, eps=0.5)
    # ln((1 + e^0.5) / 2) is 0.2809.
    assert 0.28 < 1 - float(session.left()["epsilon"]) < 0.29


@pytest.mark.parametrize("claim", ["0", "0.3"])
def test_a_claim_of_too_little_is_not_proved(claim: str) -> None:
    from metricdp.check.source.program import Project
    from metricdp.check.verdicts.api import outcomes

    text = (
        "import metricdp as dp\n"
        f"@dp.measurement(epsilon={claim})\n"
        "def f(x: dp.Records[int]):\n"
        "    part = dp.sample(x, q=0.5)\n"
        "    return [dp.laplace(dp.count(p), scale=1)\n"
        "            for p in dp.partition(part, key=lambda r: r, keys=(1, 2))]\n"
    )
    (found,) = outcomes(Project().parse("claimed.py", text))
    assert found.verdict in ("rejected", "refuted")
