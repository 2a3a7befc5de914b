"""A helper that is called with private and with released numbers does with the latter what Python
does: a division by zero raises, and is total on private numbers alone."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from checked_modules import load

from metricdp.errors import NotProvedError, ParameterError, PostProcessingError
from metricdp.run.emit import Seeded, handling


def program(folder: Path, body: str, after: str) -> ModuleType:
    text = f"""
    from dataclasses import dataclass


    @dataclass
    class Row:
        age: int
        pay: float


    def helper(a, b):
        return {body}


    def around(a, b):
        return helper(a, b)


    @dp.measurement
    def f(rows: dp.Records[Row], n: int, eps: float):
        private = sum([dp.clamp(around(r.pay, r.age), 0, 9) for r in rows])
        noisy = dp.laplace(private, epsilon=eps)
        return {after}
    """
    return load(folder, text)


def _run(module: ModuleType, n: int) -> float:
    with handling(Seeded(1)):
        return float(module.f([module.Row(0, 1.5), module.Row(2, 3.0)], n, 1.0).value)


@pytest.mark.parametrize("body", ["a / b", "a / b + (a - b) * a"])
@pytest.mark.parametrize("after", ["around(7, n)", "helper(noisy, 0 * noisy + n)"])
def test_a_public_divisor_of_zero_raises(tmp_path: Path, body: str, after: str) -> None:
    module = program(tmp_path, body, after)
    with pytest.raises(PostProcessingError, match="ZeroDivisionError"):
        _run(module, 0)
    if "noisy" not in after:
        assert _run(module, 3) == eval(body, {"a": 7, "b": 3})


def test_a_private_divisor_of_zero_does_not(tmp_path: Path) -> None:
    module = program(tmp_path, "a / b", "noisy")
    assert isinstance(_run(module, 0), float)
    mixed = program(tmp_path, "a / b", "noisy + dp.laplace(helper(private, n), epsilon=eps)")
    with pytest.raises(ParameterError, match="n != 0"):
        _run(mixed, 0)


def test_rounded_as_python_rounds(tmp_path: Path) -> None:
    module = program(tmp_path, "a / b + b / a + a * b", "helper(noisy, 3)")
    told = program(tmp_path, "a / b + b / a + a * b", "noisy")
    noisy = _run(told, 1)
    assert _run(module, 1) == noisy / 3 + 3 / noisy + noisy * 3


@pytest.mark.parametrize("first", ["", "around(9, 1) + "])
def test_a_root_is_pythons_or_the_records_and_not_both(tmp_path: Path, first: str) -> None:
    text = f"""
    import math

    def around(a, b):
        return math.sqrt(a)

    @dp.measurement
    def f(rows: dp.Records[float], eps: float):
        public = {first}0
        noisy = dp.laplace(sum([dp.clamp(around(r, 1), 0, 9) for r in rows]), epsilon=eps)
        return {"noisy" if first else "around(-1 - noisy * 0, 1)"}
    """
    with pytest.raises(NotProvedError, match="one thing for some arguments"):
        _ = load(tmp_path, text).f.guarantee
