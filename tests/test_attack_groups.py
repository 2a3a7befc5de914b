"""Programs about groups of persons, written at random, against the worst of all persons.

A person's kept rows are any m rows at most in each of any k groups.  What such a person costs is
found by trying all of them: a claim below that is a hole.  Fixed seed; nothing here is a chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from random import Random

from metricdp.check import check_source

HEAD = """
from typing import NamedTuple
import metricdp as dp
from metricdp import ChangeOne, Ids, Records
class V(NamedTuple):
    person: str
    ward: int
    day: int
@dp.measurement
def f(visits: Records[V, Ids("person"{change})]):
    kept = dp.limit_groups(visits, "person", by={by}, groups={k}, rows={m})
"""
Cell = tuple[int, int]
Test = Callable[[Cell], bool]
CELLS: list[Cell] = [*product(range(3), repeat=2)]
#: A condition on a row in ward w on day d, in Python.
CONDITIONS = (
    *("v.ward == {w}", "v.ward == {w} and v.day == {d}") * 4, "v.day == {d}", "v.ward != {w}",
    "v.ward in ({w}, {d})", "v.ward == {w} or v.day == {d}", "v.ward == v.day", "v.ward < {w}",
    "not v.ward == {w}", "v.ward == {w} and v.day != {d}",
)  # fmt: skip
KEYS = (*("v.ward",) * 4, "v.day", "v.ward + v.day", "v.ward * 3 + v.day")


def _meant(text: str) -> Callable[[Cell], int]:
    code = compile(text.replace("v.ward", "cell[0]").replace("v.day", "cell[1]"), "", "eval")
    return lambda cell: eval(code, {"cell": cell})


def _kept(tests: Sequence[Callable[[Cell], int]], by_ward: bool, k: int, m: int) -> set[Cell]:
    """What the numbers may be of one person who has at most k groups, and m rows in each."""
    groups: dict[Cell | int, list[Cell]] = {}
    for cell in CELLS:
        groups.setdefault(cell[0] if by_ward else cell, []).append(cell)

    def sums(rows: Sequence[Cell]) -> tuple[int, ...]:
        return tuple(sum(test(cell) for cell in rows) for test in tests)

    inside = [
        {sums(rows) for n in range(m + 1) for rows in combinations_with_replacement(cells, n)}
        for cells in groups.values()
    ]
    found = set()
    for chosen in combinations(inside, k):
        found |= {tuple(map(sum, zip(*parts, strict=True))) for parts in product(*chosen)}
    return found  # type: ignore[return-value]


def _program(rng: Random) -> tuple[str, list[Callable[[Cell], int]], bool]:
    """The rest of a program, the numbers that it adds noise to, and whether in L1."""
    tests = [
        rng.choice(CONDITIONS).format(w=rng.randrange(3), d=rng.randrange(3))
        for _ in range(rng.choice((1, 2, 3)))
    ]
    meant: list[Callable[[Cell], int]] = [_meant(test) for test in tests]
    counts = "".join(f"    a{i} = sum(1 for v in kept if {t})\n" for i, t in enumerate(tests))
    names = [f"a{i}" for i in range(len(tests))]
    kind = rng.choice(("apart", "apart in L2", "vector", "parts", "finer parts", "bins", "sum"))
    if kind in ("apart", "apart in L2"):
        draw = "laplace" if kind == "apart" else "gaussian"
        text = ", ".join(f"dp.{draw}({name}, scale=1)" for name in names)
        return f"{counts}    return ({text},)", meant, kind == "apart"
    if kind == "vector":
        return f"{counts}    return dp.gaussian(({', '.join(names)},), scale=1)", meant, False
    if kind == "sum":
        factors = [rng.choice((1, -1, 2)) for _ in tests]
        text = " + ".join(f"({c}) * {n}" for c, n in zip(factors, names, strict=True))
        both = [*zip(factors, meant, strict=True)]
        added = [lambda cell: sum(c * test(cell) for c, test in both)]
        return f"{counts}    return dp.laplace({text}, scale=1)", added, True
    key = rng.choice(KEYS)
    of_key = _meant(key)
    if kind == "bins":
        here = [lambda cell, q=q: meant[0](cell) and of_key(cell) == q for q in range(3)]
        rows = f"[{key} for v in kept if {tests[0]}]"
        text = f"dp.gaussian(dp.histogram({rows}, categories=(0, 1, 2)), scale=1)"
        return f"    return {text}", here, False
    parts = f"    parts = dp.partition(kept, key=lambda v: {key}, keys=(0, 1, 2))\n"
    if kind == "parts":
        text = "dp.gaussian(dp.count(p), scale=1)"
        return f"{parts}    return [{text} for p in parts]", [
            lambda cell, q=q: of_key(cell) == q for q in range(3)
        ], False  # fmt: skip
    late = "dp.gaussian(sum(1 for v in p if v.day == 1), scale=1)"
    text = f"({late}, {late.replace('==', '!=')})"
    return f"{parts}    return [{text} for p in parts]", [
        lambda cell, q=q, b=b: of_key(cell) == q and (cell[1] == 1) == b
        for q in range(3) for b in (True, False)
    ], False  # fmt: skip


def test_no_person_costs_more_than_was_claimed() -> None:
    rng = Random(1)
    exact = 0
    for _ in range(80):
        k, m, by_ward = rng.choice((1, 2, 3)), rng.choice((1, 2)), rng.random() < 0.75
        changed = rng.random() < 0.25
        body, numbers, pure = _program(rng)
        by = '"ward"' if by_ward else '("ward", "day")'
        head = HEAD.format(change=", ChangeOne" if changed else "", by=by, k=k, m=m)
        (found,) = check_source(f"{head}{body}\n", "program.py").functions
        assert found.verdict == "proved", body
        claims = found.inputs[0].privacy
        assert claims is not None
        claim = Fraction(claims["epsilon" if pure else "rho"])
        moved = {tuple(map(abs, each)) for each in _kept(numbers, by_ward, k, m)}
        largest = sorted(moved, key=lambda each: (-sum(n * n for n in each), each))[:60]
        if changed:
            pairs = product(largest, repeat=2)
            moved = {tuple(a - b for a, b in zip(*pair, strict=True)) for pair in pairs}
        worst = max(
            Fraction(sum(map(abs, each))) if pure else Fraction(sum(n * n for n in each), 2)
            for each in moved
        )
        assert claim >= worst, (head, body, claim, worst)
        exact += claim == worst
    assert exact >= 30  # none of these bounds is vacuous
