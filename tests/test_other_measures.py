"""Reports in other measures, at a delta, and with a slack: against closed forms and exact laws."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from metricdp.apps.cli import main
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import check_source, outcomes
from metricdp.diagnostics.result import CheckOptions, InputReport

SOURCE = """
import metricdp as dp
from metricdp import Real, Records

@dp.measurement
def normal(x: Real, k: int, sigma: float):
    out = 0.0
    for _ in range(k):
        out = out + dp.gaussian(x, scale=sigma)
    return out

@dp.measurement
def pure(x: Real, k: int, b: float):
    out = 0.0
    for _ in range(k):
        out = out + dp.laplace(x, scale=b)
    return out

@dp.measurement
def sampled(rows: Records[float], q: float, sigma: float):
    return dp.gaussian(dp.count(dp.sample(rows, q=q)), scale=sigma)
"""
SET = {"k": "20", "sigma": "10", "b": "8", "q": "0.1"}


def inputs(**options: Any) -> dict[str, InputReport | None]:
    report = check_source(SOURCE, options=CheckOptions(**{"set": SET, **options}))
    return {
        f.name: f.inputs[0] if f.verdict == "proved" and f.inputs else None
        for f in report.functions
    }


def value(entry: InputReport | None) -> dict[str, float]:
    assert entry is not None and isinstance(entry.value, dict)
    return {name: float(v) for name, v in entry.value.items()}


def test_renyi() -> None:
    found = inputs(measure="renyi:4")
    assert value(found["normal"])["epsilon"] == pytest.approx(4 * 20 / 200)
    assert found["normal"] is not None and found["normal"].privacy is not None
    assert found["normal"].privacy["epsilon"] == "2*Max(0, k)/sigma**2"
    # D_4 of Laplace noise: ln((4/7) e^(3 eps) + (3/7) e^(-4 eps)) / 3, 20 times.
    e = 1 / 8
    law = 20 * math.log(4 / 7 * math.exp(3 * e) + 3 / 7 * math.exp(-4 * e)) / 3
    assert value(found["pure"])["epsilon"] == pytest.approx(law, rel=1e-6)
    assert value(found["pure"])["epsilon"] >= law * (1 - 1e-12)
    # A sample: the binomial sum for one row added or removed at order 4.
    terms = [
        math.comb(4, j) * 0.1**j * 0.9 ** (4 - j) * math.exp(j * (j - 1) / 200) for j in range(5)
    ]
    assert value(found["sampled"])["epsilon"] == pytest.approx(math.log(sum(terms)) / 3, rel=1e-3)


def test_tcdp_gdp_and_profile() -> None:
    assert value(inputs(measure="tcdp:6")["normal"]) == {"rho": pytest.approx(0.1), "omega": 6.0}
    found = inputs(measure="gdp")
    assert value(found["normal"])["mu"] == pytest.approx(math.sqrt(0.2))
    assert found["pure"] is None and found["sampled"] is None
    found = inputs(measure="profile:1")
    u = math.sqrt(0.2)

    def tail(x: float) -> float:
        return math.erfc(x / math.sqrt(2)) / 2

    exact = tail(1 / u - u / 2) - math.e * tail(1 / u + u / 2)
    assert value(found["normal"])["delta"] == pytest.approx(exact, rel=1e-5)
    assert value(found["normal"])["delta"] >= exact * (1 - 1e-9)


def test_a_delta_that_no_one_reads_is_not_spelled_out() -> None:
    """It had a thousand zeros at epsilon 200, and took its time."""
    found = inputs(measure="profile:200")["normal"]
    assert found is not None and found.privacy is not None
    assert found.privacy["delta"] == f"1/{10**40}" and value(found)["delta"] < 1e-300


def test_tcdp_is_amplified_by_sampling_and_covers_every_order() -> None:
    found = value(inputs(measure="tcdp:6")["sampled"])
    unsampled = 1 / 200
    assert found["omega"] == 6 and found["rho"] < unsampled / 20

    def law(alpha: float) -> float:
        """D_alpha of the mixture against the noise alone, by integration."""
        from scipy.integrate import quad

        def density(x: float, m: float) -> float:
            return math.exp(-((x - m) ** 2) / 200) / math.sqrt(200 * math.pi)

        def integrand(x: float) -> float:
            mixed = 0.9 * density(x, 0) + 0.1 * density(x, 1)
            return mixed**alpha * density(x, 0) ** (1 - alpha)

        return math.log(quad(integrand, -120, 120)[0]) / (alpha - 1)

    for alpha in (1.01, 1.5, 2, 3.3, 6):
        assert law(alpha) / alpha <= found["rho"] * (1 + 1e-6)
    assert law(6) / 6 > found["rho"] / 3
    # At every order there is none but the rho of the unsampled noise.
    assert value(inputs(measure="tcdp")["sampled"])["rho"] == pytest.approx(unsampled)


@pytest.mark.parametrize(
    ("measure", "name", "fact"),
    [
        ("gdp", "pure", "`laplace` has no mu"),
        ("gdp", "sampled", "noise on a sample has no mu"),
        ("profile:1", "normal", "`k` has none"),
        ("tcdp:4", "calibrated", "may fail openly"),
    ],
)
def test_a_missing_measure_names_the_missing_fact(measure: str, name: str, fact: str) -> None:
    calibrated = """
@dp.measurement
def calibrated(x: Real):
    return dp.gaussian(x, epsilon=1, delta=1e-6)
"""
    report = check_source(SOURCE + calibrated, options=CheckOptions(measure=measure))
    texts = [d.message for d in report.diagnostics if f"`{name}`" in d.message]
    assert any(fact in text for text in texts), texts


@pytest.mark.parametrize("name", ["renyi:1/2", "renyi:-1", "zcdp:3", "fdp", "renyi:x"])
def test_wrong_measures_are_refused(name: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "program.py"
    path.write_text(SOURCE, encoding="utf-8")
    assert main(["check", str(path), "--measure", name]) in (1, 2)
    assert capsys.readouterr()


def test_without_numbers_the_formula_stands_alone_or_nothing_is_said() -> None:
    found = inputs(set={}, measure="renyi")
    assert found["normal"] is not None and found["normal"].value is None
    assert inputs(set={}, measure="profile:1")["normal"] is None


def test_a_delta_names_the_rule() -> None:
    found = inputs(delta="1e-5")
    rules = {name: entry.rule for name, entry in found.items() if entry is not None}
    assert rules == {
        "normal": "Gaussian composition",
        "pure": "privacy loss laws",
        "sampled": "privacy loss laws",
    }
    # The unsampled Gaussian at this sigma costs 0.38: far above.
    assert value(found["sampled"])["epsilon"] < 0.1


def test_slack_on_the_command_line_and_its_numbers() -> None:
    module = Project().parse("slack.py", SOURCE)
    outcome = next(o for o in outcomes(module) if o.declared.name == "pure")
    from metricdp.check.verdicts.verify import verify

    guarantee = verify(outcome.declared, slack="1/1000000").guarantee
    assert guarantee is not None and guarantee.measure == "approx"
    cost = guarantee.cost("x")
    for k, b in ((3, 1), (10_000, 100)):
        values = {"k": Fraction(k), "b": Fraction(b)}
        e = 1 / b
        advanced = k * e * math.tanh(e / 2) + math.sqrt(2 * math.log(10**6) * k) * e
        assert float(cost["epsilon"].upper(values)) == pytest.approx(min(k * e, advanced))
        assert cost["delta"].upper(values) == Fraction(1, 10**6)
        # The accountant's number at this delta is never above the formula.
        assert guarantee.certified("x", Fraction(1, 10**6), values).epsilon <= min(
            Fraction(k, b), Fraction(advanced) * (1 + Fraction(1, 10**9))
        )
