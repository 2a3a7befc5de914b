"""Rules of records, matrices and mechanisms as check concludes them, with symbols and captures."""

from __future__ import annotations

import pytest

from metricdp.check import check_source
from metricdp.diagnostics.result import FunctionReport

HEAD = """
import metricdp as dp
from metricdp import Bool, ChangeOne, Data, Hamming, Int, L1, L2, LInf, Real

"""


def checked(
    signature: str, result: str, kind: str = "transformation"
) -> tuple[FunctionReport, str]:
    source = f"{HEAD}@dp.{kind}\ndef f({signature}):\n    return {result}\n"
    report = check_source(source)
    (function,) = report.functions
    codes = " ".join(d.code for d in report.diagnostics)
    return function, codes


STABLE = [
    ("x: dp.Records[float]", "dp.mean(dp.clamp(x, 0, 20), empty=10)", {"x": "10*d_in"}),
    ("x: dp.Records[float]", "dp.mean(dp.clamp(x, 0, 20))", {"x": "20*d_in"}),
    ("x: dp.Records[float, Hamming]", "dp.mean(dp.clamp(x, 0, 20))", {"x": "20*d_in/len_x"}),
    ("x: dp.Records[float, ChangeOne]", "dp.sum(dp.clamp(x, -5, 20))", {"x": "25*d_in"}),
    ("x: dp.Records[float]", "dp.sum(dp.clamp(x, -5, 20))", {"x": "20*d_in"}),
    ("x: dp.Vector[Real, L2]", "dp.mean(x)", {"x": "d_in/sqrt(len_x)"}),
    ("x: dp.Records[int, Hamming]", "dp.count(x)", {"x": "0"}),
    ("x: dp.Records[int]", "dp.count(x)", {"x": "d_in"}),
    ("x: dp.Records[int, Hamming]", "dp.count(lambda r: r > 3, x)", {"x": "d_in"}),
    ("x: dp.Vector[Data, L2]", "dp.count(lambda r: r > 3, x)", {"x": "sqrt(len_x)*d_in"}),
    ("x: dp.Records[int, Hamming]", "dp.count(dp.filter(lambda r: r > 3, x))", {"x": "d_in"}),
    ("x: dp.Matrix[Real, L1]", "dp.sum_cols(x)", {"x": "d_in"}),
    ("x: dp.Matrix[Real, LInf]", "dp.sum_cols(x)", {"x": "cols_x*d_in"}),
    ("x: dp.Matrix[Real, L2]", "dp.sum_rows(x)", {"x": "d_in"}),
    ("x: dp.Matrix[Real, L1]", "x @ ((1, -2), (3, 4))", {"x": "7*d_in"}),
    ("x: dp.Matrix[Real, L1]", "((1, -2), (3, 4)) @ x", {"x": "6*d_in"}),
    ("x: dp.Vector[Real, L1]", "x @ (1, -4)", {"x": "4*d_in"}),
]


@pytest.mark.parametrize(("signature", "result", "stability"), STABLE)
def test_stability(signature: str, result: str, stability: dict[str, str]) -> None:
    function, codes = checked(signature, result)
    assert function.verdict == "proved", codes
    assert {i.name: i.stability for i in function.inputs if i.private} == stability


def test_a_captured_private_value_reaches_every_row() -> None:
    function, _ = checked("x: dp.Records[int, Hamming], t: Data", "dp.count(lambda r: r == t, x)")
    assert [i.stability for i in function.inputs] == [
        "d_in",
        "len_x",
    ]  # any change of t, at most every row
    function, _ = checked("x: dp.Records[int], t: Data", "dp.count(lambda r: r == t, x)")
    assert [i.stability for i in function.inputs] == ["d_in", "oo"]
    function, _ = checked("x: dp.Records[int], t: Data", "dp.count(dp.filter(lambda r: r == t, x))")
    assert [i.stability for i in function.inputs] == ["d_in", "oo"]


def test_a_private_row_index_costs_the_diameter() -> None:
    function, _ = checked("m: dp.Matrix[Real, LInf], i: Int", "dp.row(dp.clamp(m, 0, 5), i)")
    assert [i.stability for i in function.inputs] == ["d_in", "5*d_in"]
    function, _ = checked("m: dp.Matrix[Real, L1], i: Int", "dp.row(m, i)")
    assert function.inputs[1].stability == "oo"


SPENT = [
    ("dp.gaussian(dp.count(x), epsilon=eps, delta=1e-6)", {"epsilon": "eps", "delta": "1/1000000"}),
    ("dp.gaussian(dp.count(x), rho=eps)", {"rho": "eps"}),
    ("dp.gaussian(dp.count(x), scale=3)", {"rho": "1/18"}),
    ("dp.laplacian_mechanism(2, eps, dp.count(x))", {"epsilon": "eps/2", "delta": "0"}),
    ("dp.gaussian_mechanism(2, eps, 1e-6, dp.count(x))", {"epsilon": "eps", "delta": None}),
    ("dp.discrete_laplace(dp.count(x), scale=4)", {"epsilon": "1/4", "delta": "0"}),
    ("dp.discrete_gaussian(dp.count(x), rho=eps)", {"rho": "eps"}),
]


@pytest.mark.parametrize(("result", "privacy"), SPENT)
def test_privacy(result: str, privacy: dict[str, str | None]) -> None:
    function, codes = checked("x: dp.Records[float], eps: float", result, "measurement")
    assert function.verdict == "proved", codes
    found = function.inputs[0].privacy
    assert found is not None and found.keys() == privacy.keys()
    assert {k: v for k, v in found.items() if privacy[k] is not None} == {
        k: v for k, v in privacy.items() if v is not None
    }


REFUSED = [
    ("dp.laplace(dp.count(x))", "bad-noise"),
    ("dp.laplace(dp.count(x), scale=2, epsilon=1)", "bad-noise"),
    ("dp.laplace(dp.count(x), scale=0)", "bad-noise"),
    ("dp.laplace(dp.count(x), epsilon=-1)", "bad-noise"),
    ("dp.gaussian(dp.count(x), epsilon=1)", "bad-noise"),
    ("dp.gaussian(dp.count(x), rho=1, delta=0.1)", "bad-noise"),
    ("dp.gaussian_mechanism(1, 2, 1e-6, dp.count(x))", "classical-gaussian-epsilon"),
    ("dp.gaussian_mechanism(0.5, eps, 1e-6, dp.count(x))", "claimed-sensitivity"),
    ("dp.laplacian_mechanism(0.5, eps, dp.count(x))", "claimed-sensitivity"),
    ("dp.discrete_laplace(dp.sum(dp.clamp(x, 0, 1)), scale=1)", "bad-noise"),
    ("dp.laplace(eps, epsilon=1)", "private-argument"),
    ("dp.laplace(dp.count(x), scale=dp.laplace(dp.count(x), scale=1))", "released-cost"),
]


@pytest.mark.parametrize(("result", "code"), REFUSED)
def test_noise_that_is_refused(result: str, code: str) -> None:
    function, codes = checked("x: dp.Records[float], eps: float", result, "measurement")
    assert function.verdict == "rejected" and codes.split() == [code]


def test_noise_of_a_known_scale_on_a_public_number_is_free() -> None:
    function, codes = checked(
        "x: dp.Records[float], eps: float", "dp.laplace(eps, scale=1)", "measurement"
    )
    assert function.verdict == "proved" and not codes
    assert [dict(found.privacy) for found in function.inputs if found.private] in (
        [{}], [{"epsilon": "0", "delta": "0"}],
    )  # fmt: skip
