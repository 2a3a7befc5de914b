"""Tests of comprehensions limit rows: what is let through has the range that check proved."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

from metricdp.spaces import Records, Scalar

HEAD = "import metricdp as dp\n"

#: Test of a row r -> lower and upper end that check has to know.
TESTS = {
    "0 <= r <= 10": (0, 10),
    "r >= -3 and r < 4.5": (-3, 4.5),
    "2 * r + 1 <= 10 and r >= 0": (0, 4.5),
    "not (r > 10) and r > -5": (-5, 10),
    "-1.5 < -r < 7": (-7, 1.5),
    "abs(r) < 3 and r >= 0 and r <= 9": (0, 9),
}


@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
@pytest.mark.parametrize("test", TESTS)
def test_rows_that_are_let_through_are_in_range_and_stay_what_they_are(
    test: str, evaluator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METRICDP_COLUMNS", evaluator)
    text = f"""
        @dp.transformation
        def total(rows: dp.Records[float]):
            kept = [r for r in rows if {test}]
            return dp.sum(kept)

        @dp.transformation
        def kept(rows: dp.Records[float]):
            return [r for r in rows if {test}]
        """
    module: Any = load(tmp_path, text)
    low, high = TESTS[test]
    space = module.kept.at().output_space
    assert isinstance(space, Records) and isinstance(space.row, Scalar)
    assert (float(space.row.lo.as_fraction()), float(space.row.hi.as_fraction())) == (low, high)
    assert module.total.at().map(1) == max(abs(Fraction(low)), abs(Fraction(high)))
    draw = random.Random(7)
    ends = [
        e for end in (low, high) for e in (end, math.nextafter(end, 99), math.nextafter(end, -99))
    ]
    rows = [draw.uniform(-20, 20) for _ in range(3000)] + ends + [1e300, -1e300, 0.0, -0.0]
    wanted = [r for r in rows if eval(test, {"r": r})]
    assert wanted
    assert abs(float(module.total(rows)) - math.fsum(wanted)) < 1e-6
    assert sorted(map(float, module.kept(rows))) == sorted(wanted)


def test_of_tests_that_limit_nothing_nothing_is_known(tmp_path: Path) -> None:
    text = """
        @dp.transformation
        def either(rows: dp.Records[float]):
            return [r for r in rows if r <= 10 or r >= 0]

        @dp.transformation
        def below(rows: dp.Records[float]):
            return [r for r in rows if r <= 10]

        @dp.transformation
        def by_call(rows: dp.Records[float]):
            return dp.filter(lambda r: 0 <= r <= 10, rows)
        """
    module: Any = load(tmp_path, text)
    for function, finite in ((module.either, ()), (module.below, ("hi",)), (module.by_call, ())):
        row: Any = function.at().output_space.row
        known = [end for end in ("lo", "hi") if not getattr(row, end).is_infinite]
        assert tuple(known) == finite
