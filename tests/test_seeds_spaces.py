"""Tuples, sizes and matrices of the seed documents: attacked, and run beside NumPy."""

from __future__ import annotations

import contextlib
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from checked_modules import load
from mdtest import programs

from metricdp.audit import PrivacySurvived, Survived, audit_target

PROGRAMS = programs(Path(__file__).parent / "programs" / "seeds_spaces.md")
TUPLES, _, MATRICES, _ = (p.source.text for p in PROGRAMS)
#: A program of the page, and how close the attack has to come to its bound.
ATTACKED = {
    TUPLES: {
        "index": 1, "unpack": 1, "summed": 1, "one_component": 1, "product": 0.9, "of_tables": 0.3,
        "nested": 1, "in_a_loop": 1, "together": 0.9, "one_by_one": 0.5,
        "filters_of_one_table": 0.3,
    },
    MATRICES: {
        "clipped": 0.9, "one_entry_changes_its_row": 1, "real_rows": 0.2,
        "laplace_pays_for_l1": 0.5,
    },
}  # fmt: skip
CASES = [(text, name, close) for text, found in ATTACKED.items() for name, close in found.items()]


@pytest.mark.parametrize(("text", "name", "close"), CASES, ids=[name for _, name, _ in CASES])
def test_no_neighbours_are_farther_apart(
    text: str, name: str, close: float, tmp_path: Path
) -> None:
    (tmp_path / "page.py").write_text(text, encoding="utf-8")
    pairs = 10 if f"@dp.measurement\ndef {name}(" in text else 60
    with contextlib.chdir(tmp_path):
        (found,) = audit_target(f"page.py::{name}", seed=0, pairs=pairs, seconds=20).results
    assert isinstance(found, Survived | PrivacySurvived)
    assert float(str(found).partition("closest ")[2].split()[0]) >= close


MORE = """

@dp.measurement
def noisy(m: Annotated[Matrix[Real, L2], Size("n", "c")], sigma: float):
    first, second = dp.gaussian(m, scale=sigma), dp.laplace(2 * m, scale=sigma)
    return first, second, first @ second.T, dp.gaussian(dp.clip(m, L2), scale=sigma)
"""


def test_matrices_are_noised_and_clipped_in_their_shape(tmp_path: Path) -> None:
    module = load(tmp_path, MATRICES + MORE, head="")
    m = np.random.default_rng(0).normal(size=(4, 3)) * 2
    rows = m / np.maximum(1, np.linalg.norm(m, axis=1))[:, None]
    assert np.array([[float(v) for v in row] for row in module.clipped(m)]) == pytest.approx(rows)
    assert module.clipped(m[:0]).rows == 0
    first, second, product, ball = module.noisy(m, sigma=1e-9).value
    assert first.shape == (4, 3) and first == pytest.approx(m, abs=1e-6)
    assert second == pytest.approx(2 * m, abs=1e-6)
    assert product == pytest.approx(first @ second.T) and ball == pytest.approx(rows, abs=1e-6)
    whole = module.whole_numbers([[1, 2], [3, 4]], b=1e-3).value
    assert whole.dtype.kind == "i" and whole.tolist() == [[1, 2], [3, 4]]
    assert module.every_entry(m[:0], eps=0.5, delta=0.1).value.shape == (0, 3)


def test_disjoint_counts_in_one_result_move_by_the_largest(tmp_path: Path) -> None:
    """All tables of up to three rows, and all neighbours: the bound is attained."""
    page = programs(Path(__file__).parent / "programs" / "filters.md")
    (text,) = (p.source.text for p in page if "def with_a_total" in p.source.text)
    module = load(tmp_path, text, head="")
    values = (-3.0, 0.0, 5.0)
    tables = [list(rows) for n in range(3) for rows in product(values, repeat=n)]
    for name, bound in {"added_or_removed": 3, "with_a_total": 2, "replaced": 2}.items():
        run = getattr(module, name)
        pairs = [(x, [*x, new]) for x in tables for new in values]
        if name == "replaced":
            pairs = [([*x, a], [*x, b]) for x in tables for a in values for b in values]
        moved = [sum(abs(a - b) for a, b in zip(run(x), run(y), strict=True)) for x, y in pairs]
        assert max(moved) == bound, name
