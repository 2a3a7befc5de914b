"""What people read of a proof: decimals as they were typed, steps that come again once."""

from __future__ import annotations

from metricdp.check import check_source
from metricdp.report.proof import proof_lines, with_decimals

_START = "import metricdp as dp\n\n\n@dp.measurement\n"


def _shown(body: str) -> str:
    report = check_source(_START + body)
    (function,) = report.functions
    assert function.verdict == "proved", report.diagnostics
    return "\n".join(proof_lines(function))


def test_a_decimal_is_printed_as_it_was_typed() -> None:
    text = _shown(
        "def f(rows: dp.Records[bool], eps: float):\n"
        "    return dp.laplace(dp.count(dp.sample(rows, q=0.1)), epsilon=eps)\n"
    )
    assert "log(0.1*exp(eps) + 0.9)" in text
    assert "rate 0.1 " in text
    assert "rounded" in text


def test_what_is_no_double_stays_a_fraction() -> None:
    for text in ("eps/3", "1/1000000007", "x*3602879701896397/36028797018963968", "2*d_in/7"):
        assert with_decimals(text) == text
    assert with_decimals(f"{10**400}/{2**60}") == f"{10**400}/{2**60}"
    assert with_decimals("3602879701896397*eps/36028797018963968") == "0.1*eps"
    # Below a product or a power it would be another number.
    assert "/36028797018963968**2" in with_decimals("1/36028797018963968**2")
    assert "/36028797018963968*sigma" in with_decimals("1/36028797018963968*sigma")


def test_steps_that_come_again_are_counted() -> None:
    text = _shown(
        "def f(minutes: dp.Records[int], eps: float):\n"
        "    return [dp.laplace(sum(1 for m in minutes if m == t), epsilon=eps)\n"
        "            for t in range(60)]\n"
    )
    assert "the 5 steps above, 60 times in all" in text
    assert len(text.splitlines()) < 15
    twice = _shown(
        "def f(x: dp.Records[float], eps: float):\n"
        "    a = dp.laplace(dp.count(x), epsilon=eps)\n"
        "    b = dp.laplace(dp.count(x), epsilon=eps)\n"
        "    return a - b\n"
    )
    assert "times in all" not in twice


def test_a_scale_over_a_parameter_asks_for_the_parameter() -> None:
    text = _shown(
        "def f(x: dp.Records[float], eps: float):\n"
        "    return dp.laplace(dp.sum(dp.clamp(x, 0, 40)), scale=40 / eps)\n"
    )
    assert "requires   eps > 0" in text
