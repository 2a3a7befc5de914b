"""What people read of a proof: decimals as they were typed, steps that come again once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from metricdp.check import check_source
from metricdp.diagnostics.result import CheckOptions
from metricdp.report.proof import proof_lines, with_decimals
from metricdp.run.release import Release

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


def test_a_bound_is_said_at_distance_one() -> None:
    report = check_source(
        "import metricdp as dp\nfrom typing import Annotated\n\n\n@dp.transformation\n"
        "def f(x: Annotated[dp.Records[tuple[Annotated[float, dp.Bounds(0, 10)],\n"
        "      Annotated[float, dp.Bounds(0, 20)]], dp.ChangeOne], dp.Size(3)]):\n"
        "    return dp.covariance(x)\n"
    )
    text = "\n".join(proof_lines(report.functions[0]))
    assert "moves the result by at most 200/3" in text or "by at most 66" in text, text
    assert "at most 100*Min(1, d_in)" not in text


def test_a_unit_of_distance_is_no_person_and_says_so() -> None:
    text = _shown(
        "def f(v: dp.Vector[dp.Real, dp.L2], rho: float):\n    return dp.gaussian(v, rho=rho)\n"
    )
    assert "one unit of L2 distance: ρ = rho" in text and "row is a person" not in text
    text = _shown(
        "def f(m: dp.Matrix[dp.Real, dp.L2], rho: float):\n    return dp.gaussian(m, rho=rho)\n"
    )
    assert "where a row is a person: declare Matrix[Data, LInf]" in text


def test_a_sampled_loop_says_where_its_cost_is() -> None:
    body = (
        "def f(x: dp.Records[float], sigma: float):\n    total = 0.0\n    for _ in range(100):\n"
        "        batch = dp.sample(x, q=0.01)\n"
        "        total += dp.gaussian(dp.sum(dp.clamp(batch, 0, 1)), scale=sigma)\n"
        "    return total\n"
    )
    assert "less for the sample, which ρ does not count: --delta 1e-5 --set sigma=..." in _shown(
        body
    )
    options = CheckOptions(set={"sigma": "2"}, delta="1e-5")
    report = check_source(_START + body, options=options)
    text = "\n".join(proof_lines(report.functions[0]))
    assert "less for the sample" not in text and "in numbers: ε = 0." in text
    report = check_source(_START + body, options=CheckOptions(set={"sigma": "2"}))
    text = "\n".join(proof_lines(report.functions[0]))
    assert "in numbers: ρ = 12.5\n" in text
    found = report.functions[0].inputs[0].sampled
    assert found is not None and found["delta"] == Fraction(1, 10**6)
    assert f"with the sample, which ρ does not count: ε = {float(found['epsilon'])}" in text
    assert "δ = 1e-06   (by " in text
    again = check_source(_START + body, options=CheckOptions(set={"sigma": "2"}, delta="1e-6"))
    assert again.functions[0].inputs[0].value["epsilon"] == found["epsilon"]


def test_long_releases_are_cut_and_values_are_not() -> None:
    release = Release(list(range(1000)), "f", privacy={"epsilon": "1"})
    assert (
        repr(release).endswith("18, 19, ... 980 more]   cost ε = 1") and len(release.value) == 1000
    )
    many = Release(tuple(float(i) for i in range(100)), "f")
    assert repr(many).splitlines()[0] == "Release of 100"
    assert (
        repr(many).splitlines()[-1].strip() == "... 60 more" and len(repr(many).splitlines()) == 42
    )
    keyed = Release({str(i): i for i in range(100)}, "f")
    assert "... 80 more}" in repr(keyed) and "'20'" not in repr(keyed)
    assert len(repr(Release("a" * 10_000, "f"))) < 500
    assert "... 60 more" in many._repr_html_()


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("random.random()", "dp.laplace(x, epsilon=eps)"),
        ("re.match('a', 'b')", "methods of texts"),
        ("pd.DataFrame({'x': x})", "declare dp.Records[Row] and pass the frame to the call"),
        ("sklearn.fit(1)", "call it in a function decorated with @dp.black_box"),
    ],
)
def test_a_library_is_told_with_what_to_write_instead(line: str, help: str) -> None:
    report = check_source(
        "import random\nimport re\nimport pandas as pd\nimport sklearn\n"
        f"{_START}def f(x: dp.Records[float], eps: float):\n"
        f"    y = {line}\n    return dp.laplace(dp.count(x), epsilon=eps)\n"
    )
    (found,) = report.diagnostics
    assert found.code == "missing-import" and help in (found.help or "")


def test_a_response_without_noise_is_told_what_it_lacks() -> None:
    report = check_source(
        _START + "def f(x: dp.Vector[dp.Bool, dp.L1], eps: float):\n    out = []\n"
        "    for a in x:\n        out.append(dp.randomized_response(a))\n    return out\n"
    )
    (found,) = report.diagnostics
    assert found.message.startswith("`randomized_response` is given no `epsilon`")
    assert found.help == "dp.randomized_response(a, epsilon=eps)"


def test_a_sampled_loop_asks_for_the_rate_of_its_samples() -> None:
    text = _shown(
        "def f(x: dp.Records[float], q: float, n: int, sigma: float):\n    total = 0.0\n"
        "    for _ in range(n):\n        batch = dp.sample(x, q=q)\n"
        "        total += dp.gaussian(dp.sum(dp.clamp(batch, 0, 1)), scale=sigma)\n"
        "    return total\n"
    )
    assert "--delta 1e-5 --set n=... --set q=... --set sigma=..." in text
