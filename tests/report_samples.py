"""Hand-made reports that every output format is tested on, and comparison with snapshots."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

from metricdp.diagnostics import Diagnostic, Note, Span
from metricdp.diagnostics.result import (
    CheckReport,
    ClaimReport,
    FunctionReport,
    InputReport,
    Step,
)

SNAPSHOTS = Path(__file__).parent / "snapshots"

REJECTED_SOURCE = """\
import metricdp as dp


# Total pay, raised by a tenth.
@dp.measurement
def total_pay(pay: dp.Records[float]):
    raised = dp.scale(pay, by=1.1)
    total = dp.sum(raised)
    return dp.laplace(total, scale=200)
"""

UNICODE_SOURCE = """\
@dp.measurement
def f(größe: Real):
    π = "東京"; y = dp.laplace(größe * größe, scale=1)
\treturn y
"""


def span(line: int, column: int, length: int, file: str = "pay.py") -> Span:
    return Span(file, line, column, line, column + length)


UNBOUNDED = Diagnostic(
    "unbounded-sum",
    span(8, 13, 14),
    "one person can move this sum by any amount",
    need="finite public bounds on each row",
    help="dp.sum(dp.clamp(raised, lower, upper))",
    label="\td = ∞",
    counterexample={"pay": "[]", "pay'": "[v]", "moved": "1.1*v, for every v"},
    notes=(
        Note(span(6, 15, 3), "each row: any real number\td = 1 row"),
        Note(span(7, 14, 21), "still any real number\td = 1 row"),
    ),
)

REFUTED = Diagnostic(
    "claim-refuted",
    span(14, 5, 18, "rules.py"),
    "`my_sum` is not 200-stable on rows in [-300, 200]",
    label="this bound is too small",
    counterexample={"x": [-300], "x'": [], "d_in": 1, "moved": Fraction(300), "claimed": 200},
)

PROVED = FunctionReport(
    file="pay.py",
    name="noisy_column_sums",
    line=14,
    kind="measurement",
    verdict="proved",
    inputs=(
        InputReport(
            "rows",
            True,
            "Matrix[Data, LInf]",
            "one row replaced",
            None,
            {"epsilon": "eps", "delta": "delta"},
        ),
        InputReport("eps", False),
        InputReport("delta", False),
    ),
    output="Vector[Real, LInf]",
    requires=("eps > 0", "eps < 1", "delta > 0", "delta < 1"),
    rests_on=("timing is outside the guarantee",),
    claims=(ClaimReport({"epsilon": "eps", "delta": "delta"}, "proved"),),
    derivation=(
        Step(
            "a1f3",
            "clip",
            ("rows",),
            "row norm L2 <= 1",
            15,
            span(15, 15, 60),
            {"name": "clipped", "space": "Matrix[Real, L2]", "bound": "2*d_in"},
        ),
        Step("b2c4", "gaussian_mechanism", ("a1f3",), "released, epsilon = eps, delta = delta", 16),
    ),
)

PURE = FunctionReport(
    file="pay.py",
    name="total_pay",
    line=6,
    kind="measurement",
    verdict="proved",
    inputs=(
        InputReport(
            "pay",
            True,
            "Records[float]",
            "one person added or removed",
            None,
            {"epsilon": "200/b", "delta": "0"},
            {"epsilon": Fraction(1, 3), "delta": 0},
        ),
        InputReport("b", False),
    ),
    output="Real",
    requires=("b > 0",),
    assumptions=("rows are one per person",),
    rests_on=("timing is outside the guarantee",),
    derivation=(
        Step("s1", "clamp", (), "", 7, None, {"name": "kept", "space": "rows in [0, 200]"}),
        Step("s2", "sum", ("s1",), "a real number", 8, None, {"name": "total", "bound": "200"}),
        Step("s3", "laplace", ("s2",), "Laplace(b)", 9, None, {"bound": "ε = 200/b"}),
    ),
)

STABLE = FunctionReport(
    file="pay.py",
    name="spread",
    line=30,
    kind="transformation",
    verdict="proved",
    inputs=(
        InputReport("x", True, "Vector[Real, LInf]", "one unit of distance", "2*d_in", None, 2.0),
    ),
    output="Real",
    components=None,
)

WARNING = Diagnostic(
    "infinite-stability",
    span(31, 12, 5),
    "one person can move this value by any amount",
    severity="warning",
)


def function(name: str, line: int, verdict: str, file: str = "pay.py") -> FunctionReport:
    return FunctionReport(file, name, line, "measurement", verdict)  # type: ignore[arg-type]


RULES_SOURCE = "\n" * 13 + "    return d * rows.hi\n"

REPORTS = {
    "proved": CheckReport((PURE, PROVED, STABLE), (WARNING,), {"pay.py": ""}),
    "rejected": CheckReport(
        (function("total_pay", 6, "rejected"),), (UNBOUNDED,), {"pay.py": REJECTED_SOURCE}
    ),
    "refuted": CheckReport(
        (function("my_sum", 12, "refuted", "rules.py"),), (REFUTED,), {"rules.py": RULES_SOURCE}
    ),
    "empty": CheckReport(),
}


def compare(name: str, text: str) -> None:
    """Compares with a snapshot; METRICDP_UPDATE=1 writes it instead."""
    path = SNAPSHOTS / name
    if os.environ.get("METRICDP_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"METRICDP_UPDATE=1 accepts a new {name}"
