"""Intervals of grouped answers: dictionaries, lists and tuples of draws, entry by entry."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import metricdp as dp
from metricdp.run.emit import Seeded, handling


@dataclass
class Visit:
    ward: str
    cost: float


WARDS = ("A", "B", "C")
#: 60 visits to ward A at 50 each, 40 to B at 20, 20 to C at 10.
VISITS = [
    Visit(w, c) for w, c, n in (("A", 50, 60), ("B", 20, 40), ("C", 10, 20)) for _ in range(n)
]
COUNTS = {"A": 60, "B": 40, "C": 20}
SUMS = {"A": 3000.0, "B": 800.0, "C": 200.0}
ROWS = [1] * 9 + [2] * 10 + [3] * 11


@dp.measurement
def sums(visits: dp.Records[Visit], eps: float):
    return {
        w: dp.laplace(
            dp.sum([dp.clamp(v.cost, 0, 200) for v in visits if v.ward == w]), epsilon=eps
        )
        for w in ("A", "B", "C")
    }


@dp.measurement
def counted(visits: dp.Records[Visit], eps: float):
    counts = {w: 0 for w in WARDS}  # noqa: C420
    for v in visits:
        if v.ward in counts:
            counts[v.ward] += 1
    return {w: dp.discrete_laplace(n, epsilon=eps) for w, n in counts.items()}


@dp.measurement
def pairs(visits: dp.Records[Visit], eps: float):
    out = {w: (0, 0.0) for w in WARDS}  # noqa: C420
    for w in WARDS:
        rows = [v for v in visits if v.ward == w]
        n = dp.discrete_laplace(dp.count(rows), epsilon=eps)
        s = dp.laplace(dp.sum([dp.clamp(v.cost, 0, 200) for v in rows]), epsilon=eps)
        out[w] = (n, s)
    return out


@dp.measurement
def means(visits: dp.Records[Visit], eps: float):
    out = {}
    for w in WARDS:
        rows = [v for v in visits if v.ward == w]
        n = dp.discrete_laplace(dp.count(rows), epsilon=eps)
        s = dp.laplace(dp.sum([dp.clamp(v.cost, 0, 200) for v in rows]), epsilon=eps)
        out[w] = s / max(n, 1)
    return out


@dp.measurement
def mixed(visits: dp.Records[Visit], eps: float):
    counts = [dp.laplace(sum(1 for v in visits if v.ward == w), epsilon=eps) for w in WARDS]
    return dp.laplace(dp.count(visits), epsilon=eps), counts[::-1], ["a", 1], {"A": counts[0]}


def run(function: Any, rows: Any, seed: int = 3) -> dp.Release:
    with handling(Seeded(seed)):
        return function(rows, eps=1.0)


def test_an_interval_stands_in_the_place_of_each_entry() -> None:
    found = run(pairs, VISITS).interval(0.999999)
    assert list(found) == list(WARDS)
    for w, (n, s) in found.items():
        assert n[0] <= COUNTS[w] <= n[1] and s[0] <= SUMS[w] <= s[1]
    of_all, turned, plain, first = run(mixed, VISITS).interval(0.999999)
    assert of_all[0] < 120 < of_all[1] and plain is None
    assert [low < COUNTS[w] < high for w, (low, high) in zip("CBA", turned, strict=True)] == [
        True
    ] * 3
    assert first == {"A": turned[2]}


def test_each_entry_is_printed_and_filed_on_a_line_of_its_own() -> None:
    released = run(sums, VISITS)
    head, *lines = str(released).splitlines()
    assert head.startswith("Release of 3   cost") and len(lines) == 3
    for key, line in zip(WARDS, lines, strict=True):
        assert line.startswith(f"  '{key}': ") and line.endswith("± 599 (95%)")
    assert "± 599 (95%)" in released._repr_html_()
    filed = json.loads(released.to_json())
    assert filed["post-processing"] == "none: every output is a draw itself"
    assert [text[: text.index(":")] for text in filed["error"]] == [
        f"output 1['{w}']" for w in WARDS
    ]
    assert "output 1['B']" in released.to_markdown()
    assert "'A': (" in str(run(pairs, VISITS)) and " in " in str(run(means, VISITS))


@dp.measurement
def wide(x: dp.Records[int], eps: float):
    counts = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(60)}
    return counts, dp.laplace(dp.count(x), epsilon=eps)


def test_no_more_lines_are_printed_than_of_a_tuple() -> None:
    lines = str(run(wide, ROWS)).splitlines()
    assert len(lines) == 42 and lines[-1].strip() == "... 22 more"


@pytest.mark.parametrize("function", [sums, counted, pairs, means])
def test_coverage(function: Any) -> None:
    """Of 180 intervals of confidence 0.8 in 60 runs at least 112 hold, but for a chance of 1e-7
    (binomial law; where two numbers stand in an entry both are looked at, one by one)."""
    true = {sums: SUMS, counted: COUNTS, pairs: {w: (COUNTS[w], SUMS[w]) for w in WARDS},
            means: {w: SUMS[w] / COUNTS[w] for w in WARDS}}[function]  # fmt: skip
    held = [0, 0]
    for seed in range(60):
        for w, found in run(function, VISITS, seed).interval(0.8).items():
            several = function is pairs
            each = zip(found, true[w], strict=True) if several else [(found, true[w])]
            for i, ((low, high), exact) in enumerate(each):
                held[i] += low <= exact <= high
    assert held[0] >= 112 and (held[1] >= 112 or function is not pairs)


@dp.measurement
def of_parameters(x: dp.Records[int], keys: list[int], eps: float):
    out = {}
    for k in keys:
        out[k] = dp.laplace(sum(1 for v in x if v == k), epsilon=eps)
    many = {k: dp.discrete_laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(90)}
    positive = {k: v for k, v in out.items() if v > 0}
    by_result, until, kept = {}, {}, {}
    for k in keys:
        n = dp.laplace(sum(1 for v in x if v == k), epsilon=eps)
        by_result[n > 10, 0] = n
        if n > 5:
            kept[k] = n
    for k in keys:
        n = dp.laplace(sum(1 for v in x if v == k), epsilon=eps)
        until[k] = n
        if n > 10:
            break
    return out, many, positive, by_result, kept, until, dict(sorted(out.items()))


def test_one_round_stands_for_all_draws_of_a_dictionary() -> None:
    with handling(Seeded(3)):
        released = of_parameters(ROWS, keys=[1, 2, 3], eps=1.0)
    out, many, *others = released.interval(0.999999)
    assert all(out[k][0] < ROWS.count(k) < out[k][1] for k in (1, 2, 3)) and len(out) == 3
    assert all(many[k][0] <= ROWS.count(k) <= many[k][1] for k in range(90)) and len(many) == 90
    assert others == [None] * 5


@dp.measurement
def filtered(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(4)}
    return {k: v for k, v in c.items() if v > 0}


@dp.measurement
def ordered(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(4)}
    return sorted(c.values()), dict(sorted(c.items(), key=lambda kv: kv[1]))


@dp.measurement
def ordered_keys(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(4)}
    return {k: c[k] for k in sorted(c, key=c.get)}


@dp.measurement
def overwritten(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2)}
    for k in (1, 2):
        again = dp.laplace(sum(1 for v in x if v == k), epsilon=eps)
        if again > c[k]:
            c[k] = again
    return c


@dp.measurement
def popped(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2)}
    if c[1] < c[2]:
        c.pop(1)
    return c


@dp.measurement
def largest(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(4)}
    return {"best": max(c.values()), "there": c[max(c, key=c.get)]}


@dp.measurement
def by_hidden_key(x: dp.Records[int], eps: float):
    a = dp.laplace(sum(1 for v in x if v == 1), epsilon=eps)
    b = dp.laplace(sum(1 for v in x if v == 2), epsilon=eps)
    order = {}
    order[(a > b, 0)] = 1
    return {"larger": a if order.get((True, 0), 0) == 1 else b}


@dp.measurement
def stopped(x: dp.Records[int], eps: float):
    out = {"last": 0.0}
    for k in (1, 2, 3):
        out["last"] = dp.laplace(sum(1 for v in x if v == k), epsilon=eps)
        if out["last"] > 10:
            break
    return out


@dp.measurement
def chosen(x: dp.Records[int], eps: float):
    c = [dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2)]
    return {k: v if v > 10 else dp.laplace(dp.count(x), epsilon=eps) for k, v in enumerate(c)}


@dp.measurement
def cut(x: dp.Records[int], eps: float):
    c = [dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2, 3)]
    n = 0
    for k in (0, 1, 2):
        if c[k] > 10:
            n += 1
    return c[:n]


@dp.measurement
def raised(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2)}
    total = dp.laplace(dp.count(x), epsilon=eps)
    if c[1] < 0 or total < 0:
        raise ValueError("too small")
    return c, total, total + 1


@dp.measurement
def best_round(x: dp.Records[int], eps: float):
    def once() -> Any:
        n = dp.laplace(dp.count(x), epsilon=eps)
        return n, n

    score, n = dp.private_selection(once, stop=0.1)
    return {"score": score, "n": [n]}


UNSAFE = (filtered, ordered, ordered_keys, overwritten, popped, largest, by_hidden_key, stopped,
          chosen, cut, raised, best_round)  # fmt: skip


@pytest.mark.parametrize("function", UNSAFE)
def test_what_released_values_chose_has_no_interval(function: Any) -> None:
    """Nor has what is shown only where released values let a run go on."""
    for seed in (0, 1):
        with handling(Seeded(seed)):
            released = function(ROWS, eps=1.0)
        found = released.interval()
        assert found is None or set(found) == {None}
        assert "(95%)" not in str(released)


#: A file of its own: pytest rewrites the assertions of this one.
ASSERTED = """
import metricdp as dp
@dp.measurement
def asserted(x: dp.Records[int], eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2)}
    assert c[1] > 0
    return c
"""


def test_what_an_assertion_let_through_has_no_interval(tmp_path: Path) -> None:
    (tmp_path / "asserting.py").write_text(ASSERTED)
    spec = spec_from_file_location("asserting", tmp_path / "asserting.py")
    module = module_from_spec(spec)
    sys.modules["asserting"] = module
    spec.loader.exec_module(module)
    assert run(module.asserted, ROWS).interval() is None
    del sys.modules["asserting"]


@dp.measurement
def changed(x: dp.Records[int], n: int, eps: float):
    c = {k: dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in (1, 2, 3)}
    if c[1] < 100:
        c[1] = 100.0
    c[2] += 1
    if n > 3:
        c[3] = dp.laplace(sum(1 for v in x if v == 3), epsilon=eps)
    c.pop(2)
    return c


def test_other_entries_keep_their_intervals() -> None:
    """What public conditions choose, and what every run leaves out, is like any draw."""
    for n in (1, 5):
        with handling(Seeded(3)):
            found = changed(ROWS, n=n, eps=1.0).interval(0.999999)
        assert found[1] is None and found[3][0] < 11 < found[3][1] and list(found) == [1, 3]
