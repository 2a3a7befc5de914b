"""The pages about OpenDP say what is true: programs run, counterexamples refute."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from math import sqrt
from pathlib import Path

import pytest

import metricdp.opendp as dp
from metricdp.errors import MetricdpError
from metricdp.run.emit import Seeded, handling

ROOT = Path(__file__).resolve().parent.parent


def test_programs_of_the_page_run() -> None:
    text = (ROOT / "docs" / "opendp.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/opendp.md", "exec"), names)


def test_trees_move_by_more_than_their_height() -> None:
    space = dp.vector_domain(dp.atom_domain(T=int), size=16), dp.l2_distance(T=int)
    tree = space >> dp.t.then_b_ary_tree(16, 2)
    squares = sum((a - b) ** 2 for a, b in zip(tree([0] * 16), tree([1] * 16), strict=True))
    assert squares == 496 > 20**2, "OpenDP 0.16 says 20 at distance 4"
    assert sqrt(squares) <= tree.map(4) == 23


def test_a_row_at_the_threshold_is_released() -> None:
    """At 4000 draws the share is within 0.042 of the truth but for 1e-7 of the seeds."""
    texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    item = texts >> dp.t.then_count_by() >> dp.m.then_laplace_threshold(scale=2.0, threshold=2)
    with handling(Seeded(11)):
        share = sum(bool(item(["a"])) for _ in range(4000)) / 4000
    delta = item.map(1)[1]
    assert share > 0.2290 + 0.1, "OpenDP 0.16 says delta = 0.2290"
    assert abs(share - delta) < 0.042 and 0.3775 < delta < 0.3776


def test_insertions_shift_all_rows() -> None:
    space = dp.vector_domain(dp.atom_domain(T=int), size=9), dp.insert_delete_distance()
    before, after = list(range(9)), list(range(1, 10))
    assert sum((Counter(before) - Counter(after)).values()) == 1
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 9, "OpenDP 0.16 says 1"
    with pytest.raises(MetricdpError):
        space >> dp.t.then_metric_bounded()


def test_numbers_of_the_page() -> None:
    rows = dp.atom_domain(bounds=(0.0, 10.0), nan=False)
    sized = dp.vector_domain(rows, size=20), dp.symmetric_distance()
    assert (sized >> dp.t.then_count()).map(7) == 0
    assert (sized >> dp.t.then_sum()).map(1) == 0
    assert (sized >> dp.t.then_sum()).map(400) == (sized >> dp.t.then_sum()).map(40) == 200
    square = (sized >> dp.t.then_sum_of_squared_deviations()).exact_map(6)
    assert square == Fraction(100 * 3 * 17, 20) < 3 * Fraction(100 * 19, 20)
    tenth = (dp.atom_domain(T=int), dp.absolute_distance(T=int)) >> dp.m.then_laplace(10.0)
    assert dp.c.make_composition([tenth] * 10).map(1) == 1.0
    open_rows = dp.vector_domain(rows), dp.symmetric_distance()
    chain = open_rows >> dp.t.then_resize(20, 0.0) >> dp.t.then_sum()
    assert chain.map(1) == 10.0
