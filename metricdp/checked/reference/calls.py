"""One call of every public object that is no primitive; the reference runs them.

`visits`, `count` and `total` are `PROGRAM`'s: data, a measurement and a transformation.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from metricdp.checked.reference.examples import text_of

#: What every call may use; it stands at the top of the pages.
PROGRAM = """\
from typing import Annotated

import metricdp as dp

visits = [3.0, 9.0, 12.0]


@dp.measurement
def count(visits: dp.Records[float], eps: float):
    return dp.laplace(dp.count(visits), epsilon=eps)


@dp.transformation
def total(visits: dp.Records[float]):
    return dp.sum(dp.clamp(visits, 0, 20))


@dp.measurement
def sampled(visits: dp.Records[float], eps: float):
    return dp.laplace(dp.count(dp.sample(visits, q=0.1)), epsilon=eps)


@dp.measurement
def best(visits: dp.Records[float], eps: float):
    def run(edge):
        return dp.laplace(dp.count(visits, lambda v: v > edge), epsilon=eps), edge

    return dp.private_selection(run, (5, 10), stop=0.5)


@dp.black_box(returns=dp.Data)
def initials(town):
    return town[:1]


@dp.measurement
def boxed(towns: dp.Records[str], eps: float):
    return dp.laplace(sum(1 for town in towns if initials(town) == "R"), epsilon=eps)
"""
_DISTANCE = "dp.space_of({}).distance({}, {})"
_SESSION = (
    'session = dp.Session({"visits": (dp.Records[float], visits)}, budget=dp.Budget(epsilon=1))'
)
_SEEDED = "with dp.handling(dp.Seeded(1)):\n    released = count(visits, eps=1)\n"
_RELATION = "import duckdb\nrelation = duckdb.sql(\"SELECT 3 AS visits, 'A' AS ward\")\n"
_ALGORITHM = "with dp.handling(dp.Seeded(1)):\n    released = dp.algorithms.{}\nreleased"
CALLS: Mapping[str, str] = {
    "Aligned": _DISTANCE.format(
        "dp.Aligned[dp.Vector[dp.Data, dp.L1], dp.Vector[dp.Data, dp.L1]]",
        "([1, 2], [5, 6])",
        "([1, 3], [5, 7])",
    ),
    "Bool": _DISTANCE.format("dp.Bool", "True", "False"),
    "Bounds": "print(dp.space_of(Annotated[dp.Real, dp.Bounds(0, 20)]).hi)",
    "Budget": "dp.Budget(epsilon=1)",
    "Limit": 'dp.Limit(epsilon=1, per="month")',
    "ChangeOne": _DISTANCE.format("dp.Records[float, dp.ChangeOne]", "[3.0, 4.0]", "[3.0, 9.0]"),
    "Data": _DISTANCE.format("dp.Data", "3", "70"),
    "Gradient": _DISTANCE.format("dp.Gradient[dp.Real, dp.L2]", "[0, 0]", "[3, 4]"),
    "Hamming": _DISTANCE.format("dp.Records[float, dp.Hamming]", "[3.0, 4.0]", "[4.0, 3.0]"),
    "Ids": _DISTANCE.format(
        'dp.Records[tuple[str, int], dp.Ids("0")]',
        '[("Ann", 1), ("Ann", 2), ("Ben", 3)]',
        '[("Ben", 3)]',
    ),
    "InsertDelete": _DISTANCE.format(
        "dp.Records[float, dp.InsertDelete]", "[3.0, 4.0]", "[4.0, 3.0]"
    ),
    "Int": _DISTANCE.format("dp.Int", "3", "7"),
    "L1": _DISTANCE.format("dp.Vector[dp.Real, dp.L1]", "[0, 0]", "[3, 4]"),
    "L2": _DISTANCE.format("dp.Vector[dp.Real, dp.L2]", "[0, 0]", "[3, 4]"),
    "LInf": _DISTANCE.format("dp.Vector[dp.Real, dp.LInf]", "[0, 0]", "[3, 4]"),
    "Ledger": "ledger = dp.Ledger()\nlen(list(ledger.rows()))",
    "Matrix": _DISTANCE.format(
        "dp.Matrix[dp.Data, dp.LInf]", "[[1, 2], [3, 4]]", "[[1, 2], [9, 9]]"
    ),
    "Measurement": "count.at(eps=0.5).map(1)",
    "MetricGradient": "print(dp.MetricGradient(dp.Real, dp.L2))",
    "MetricMatrix": "print(dp.MetricMatrix(dp.Real, dp.L2))",
    "MetricVector": "print(dp.MetricVector(dp.Real, dp.L2))",
    "NoNaN": "print(dp.space_of(Annotated[dp.Records[float], dp.NoNaN(drop=True)]))",
    "NonNegative": "print(dp.space_of(Annotated[dp.Real, dp.NonNegative]).lo)",
    "Real": _DISTANCE.format("dp.Real", "3", "7.5"),
    "Recording": (
        "with dp.handling(dp.Recording(dp.Seeded(1))) as kept:\n    count(visits, eps=1)\n"
        "len(kept.log)"
    ),
    "Records": _DISTANCE.format("dp.Records[float]", "[3.0, 4.0]", "[3.0]"),
    "Release": (_SEEDED + "released.privacy"),
    "Replay": (
        "with dp.handling(dp.Recording(dp.Seeded(1))) as kept:\n    first = count(visits, eps=1)\n"
        "with dp.handling(dp.Replay(kept.log)):\n    again = count([], eps=1)\n"
        "first.value == again.value"
    ),
    "RowBound": (
        "ball = Annotated[dp.Vector[dp.Real, dp.L2], dp.RowBound(dp.L2, 1)]\n"
        "print(dp.space_of(ball).radius)"
    ),
    "Scalar": 'print(dp.Scalar("Real"))',
    "Seeded": _SEEDED + "released.test_only",
    "Session": _SESSION + "\nsession.run(count, eps=0.25).cost",
    "Size": 'print(dp.space_of(Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(3)], "v").size)',
    "Symmetric": _DISTANCE.format("dp.Records[float, dp.Symmetric]", "[3.0, 4.0]", "[3.0, 9.0]"),
    "Tracked": _SESSION + '\ndp.laplace(dp.count(session["visits"]), epsilon=0.5).cost',
    "Transformation": "total.at().map(2)",
    "Zone": (
        "from datetime import datetime\n"
        'print(dp.space_of(dp.Records[Annotated[datetime, dp.Zone("Asia/Kathmandu")]]))'
    ),
    "Unit": 'dp.Unit("one person, at most 5 years", visits=5).distances',
    "Vector": _DISTANCE.format("dp.Vector[dp.Real, dp.L2]", "[0, 0]", "[3, 4]"),
    "black_box": "boxed.map(1, eps=0.5)",
    "handling": _SEEDED + "released.value",
    "measurement": "count.map(1, eps=0.5)",
    "private_selection": "best.map(1, eps=0.5)",
    "progress": "dp.progress(False)\ndp.progress(True)",
    "OpenTable": _RELATION + "isinstance(dp.table(relation), dp.OpenTable)",
    "schema_of": _RELATION + "print(dp.schema_of(relation, 'Visit'))",
    "table": _RELATION + "dp.table(relation)",
    "sample": "sampled.map(1, eps=0.5)",
    "space_of": "print(dp.space_of(dp.Records[float]))",
    "time_limit": "with dp.time_limit(30):\n    found = total.map(1)\nfound",
    "transformation": "total.map(1)",
    "algorithms.count": _ALGORITHM.format("count(visits, eps=1)"),
    "algorithms.total": _ALGORITHM.format("total(visits, lower=0, upper=20, eps=1)"),
    "algorithms.mean": _ALGORITHM.format("mean(visits, lower=0, upper=20, eps=1)"),
    "algorithms.variance": _ALGORITHM.format("variance(visits, lower=0, upper=20, eps=1)"),
    "algorithms.clipped_mean": _ALGORITHM.format(
        "clipped_mean(visits, largest=64, share=0.9, eps=1)"
    ),
    "algorithms.quantile": _ALGORITHM.format(
        "quantile(visits, q=0.5, candidates=(0, 5, 10, 15), eps=1)"
    ),
    "algorithms.quantiles": _ALGORITHM.format(
        "quantiles(visits, shares=(0.25, 0.75), lower=0, upper=16, eps=100)"
    ),
    "algorithms.find_bounds": _ALGORITHM.format("find_bounds(visits, eps=20)"),
    "algorithms.find_limit": _ALGORITHM.format("find_limit(visits, noise=1, eps=20)"),
    "algorithms.cumulative_counts": _ALGORITHM.format(
        "cumulative_counts(visits, thresholds=(5, 10), eps=1)"
    ),
    "algorithms.histogram": _ALGORITHM.format(
        'histogram(["Rome", "Oslo"], categories=("Rome", "Oslo"), eps=1)'
    ),
    "algorithms.decide": _ALGORITHM.format(
        'decide(["Rome", "Oslo"], options=("Rome", "Oslo"), eps=1)'
    ),
    "maps.make": (
        'from metricdp.maps import make\nmake("clamp", dp.Records[float], lower=0, upper=20).map(2)'
    ),
    "maps.compose": (
        "from metricdp.maps import compose\ncompose([count.at(eps=1), count.at(eps=0.5)]).map(1)"
    ),
    "laws.hockey_stick": (
        "from fractions import Fraction\n"
        "from metricdp.laws import DiscreteLaplaceLaw, hockey_stick\n"
        "one, other = DiscreteLaplaceLaw(0, Fraction(1)), DiscreteLaplaceLaw(1, Fraction(1))\n"
        "float(hockey_stick(one, other, Fraction(1, 2))[1])"
    ),
    "audit.audited": (
        "from metricdp.audit import audited\n"
        "[type(each).__name__ for each in audited(count.at(eps=1), pairs=[([1.0], [])])]"
    ),
    "measures.account": (
        "from metricdp.measures import Gaussian, Repeated, account\n"
        'account(Repeated(Gaussian(4), 16), "add or remove").epsilon(1e-5)'
    ),
    "measures.calibrate": (
        "from metricdp.measures import Gaussian, calibrate\n"
        'float(calibrate(Gaussian, epsilon=1, delta=1e-5, relation="add or remove").noise)'
    ),
    "measures.max_rounds": (
        "from metricdp.measures import Gaussian, max_rounds\n"
        'int(max_rounds(Gaussian(40), epsilon=1, delta=1e-5, relation="add or remove"))'
    ),
}


def printed() -> dict[str, str]:
    """Name -> its call as a person would type it, with what it printed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "reference_program.py"
        file.write_text(PROGRAM, encoding="utf-8")
        spec = spec_from_file_location(file.stem, file)
        assert spec is not None and spec.loader is not None
        module = sys.modules[file.stem] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            return {name: _typed(text, dict(vars(module))) for name, text in CALLS.items() if text}
        finally:
            del sys.modules[file.stem]


def _typed(text: str, scope: dict[str, Any]) -> str:
    *first, last = text.split("\n")
    out = StringIO()
    with contextlib.redirect_stdout(out):
        exec("\n".join(first), scope)
        value = eval(last, scope)
    lines = []
    for line in text.split("\n"):
        lines.append(f"... {line}" if line.startswith(" ") else f">>> {line}")
    shown = [out.getvalue().rstrip()] if out.getvalue() else []
    if value is not None:
        shown.append(text_of(value))
    return "\n".join([*lines, *shown])
